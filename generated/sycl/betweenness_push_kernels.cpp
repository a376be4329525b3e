// The kernels of betweenness_push.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

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
