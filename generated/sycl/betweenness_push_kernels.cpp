// The kernels of betweenness_push.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

#include <climits>

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// A cell that work-items share.
template <class T>
static auto atomic(volatile T &cell) {
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                            sycl::access::address_space::global_space>(const_cast<T &>(cell));
}

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 9 "betweenness_push.sp"
KERNEL betweenness_min_bfs_level(
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    int *bfs_level_order,
    int *bfs_level,
    int *bfs_level_count,
    int bfs_level_begin,
    int bfs_level_end,
    int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                const int slot = atomic(*bfs_level_count).fetch_add(1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
#line 9 "betweenness_push.sp"
KERNEL betweenness_add_sigma(
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const int *__restrict bfs_level_order,
    const int *__restrict bfs_level,
    double *sigma,
    int bfs_level_begin,
    int bfs_level_end,
    int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                atomic(sigma[w]).fetch_add(sigma[v]);
            }
        }
    }
}

// betweenness_push.sp:14 iterateInReverse (v != src)
#line 14 "betweenness_push.sp"
KERNEL betweenness_add_delta(
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const int *__restrict bfs_level_order,
    double *delta,
    const int *__restrict bfs_level,
    const double *__restrict sigma,
    double *bc,
    int bfs_level_begin,
    int bfs_level_end,
    int src,
    int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
        const int v = bfs_level_order[place];
        if (v == src) continue;
        double delta_of_v = delta[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
            }
        }
        delta[v] = delta_of_v;
        bc[v] += delta_of_v;
    }
}

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 9 "betweenness_push.sp"
KERNEL betweenness_min_bfs_level_pull(
    int num_nodes,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    int *bfs_level,
    int *bfs_level_count,
    int *bfs_level_order,
    int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int neighbor = item.get_global_id(0); neighbor < num_nodes; neighbor += item.get_global_range(0)) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic(bfs_level[neighbor]).fetch_min(depth + 1);
                const int slot = atomic(*bfs_level_count).fetch_add(1);
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
#line 9 "betweenness_push.sp"
KERNEL betweenness_few(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    int *bfs_level_order,
    int *bfs_level,
    int *bfs_level_count,
    double *sigma,
    int *bfs_level_starts,
    bool found,
    int bfs_level_end,
    int bfs_level_begin,
    int few,
    int depth,
    int *depth_outcome,
    int *bfs_level_begin_outcome,
    int *bfs_level_end_outcome,
    int *found_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 9 "betweenness_push.sp"
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor] && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                        const int slot = atomic(*bfs_level_count).fetch_add(1);
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        sycl::group_barrier(item.get_group());
        {
            // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
            #line 9 "betweenness_push.sp"
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        atomic(sigma[w]).fetch_add(sigma[v]);
                    }
                }
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        if (item.get_global_id(0) == 0) {
            bfs_level_starts[depth] = bfs_level_begin;
        }
        found = bfs_level_begin < bfs_level_end;
        if (item.get_global_id(0) == 0) {
            *depth_outcome = depth;
            *bfs_level_begin_outcome = bfs_level_begin;
            *bfs_level_end_outcome = bfs_level_end;
            *found_outcome = found;
        }
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
}

// betweenness_push.sp:14 iterateInReverse (v != src)
#line 14 "betweenness_push.sp"
KERNEL betweenness_few_2(
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const int *__restrict bfs_level_order,
    double *delta,
    const int *__restrict bfs_level,
    const double *__restrict sigma,
    double *bc,
    const int *__restrict bfs_level_starts,
    bool goes_on,
    int bfs_level_end,
    int bfs_level_begin,
    int few_2,
    int src,
    int depth,
    int *goes_on_outcome,
    int *depth_outcome,
    int *bfs_level_end_outcome,
    int *bfs_level_begin_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // betweenness_push.sp:14 iterateInReverse (v != src)
            #line 14 "betweenness_push.sp"
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end; place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
                if (v == src) continue;
                double delta_of_v = delta[v];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
                    }
                }
                delta[v] = delta_of_v;
                bc[v] += delta_of_v;
            }
        }
        goes_on = depth > 0;
        if (goes_on) {
            depth -= 1;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
        }
        if (item.get_global_id(0) == 0) {
            *goes_on_outcome = goes_on;
            *depth_outcome = depth;
            *bfs_level_end_outcome = bfs_level_end;
            *bfs_level_begin_outcome = bfs_level_begin;
        }
    } while (goes_on && bfs_level_end - bfs_level_begin < few_2);
}
