// The kernels of closeness.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include <sycl/sycl.hpp>

#include <climits>
#include <cmath>

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

// The arcs of the nodes that the work-items of a group bring, one node's after another's.
struct GroupRows {
    int node[256];     // whom a work-item has brought
    arc_t last[256];   // his arcs and those before them
    arc_t shift[256];  // from a place among them all to an arc of his
};

// Brings a node with its arcs from `first` to `end`, for all work-items of a group; returns how many arcs they bring.
static arc_t bring_arcs(const sycl::nd_item<1> &item, GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = item.get_local_id(0);
    const arc_t last = sycl::inclusive_scan_over_group(item.get_group(), end - first, sycl::plus<arc_t>());
    sycl::group_barrier(item.get_group());  // nobody needs what was brought before
    rows->node[lane] = node;
    rows->last[lane] = last;
    rows->shift[lane] = end - last;
    sycl::group_barrier(item.get_group());
    return rows->last[256 - 1];
}

// Memory that the work-items of a group share, one for each type.
template <class T>
static T &group_memory() {
    static sycl::ext::oneapi::experimental::work_group_static<T> memory;
    return memory;
}

// Whom a work-item brings of a list, of which some groups share each, or -1.
static int listed_node(const sycl::nd_item<1> &item, const int *list, int begin, int size, int groups) {
    const int team = item.get_group(0) / groups, teams = item.get_group_range(0) / groups;
    const int place = begin + item.get_local_id(0) * teams + team;
    return team < teams && place < size ? list[place] : -1;
}

// How many groups share a node of a list.
static int groups_for_each(const sycl::nd_item<1> &item, int size) {
    return sycl::max(1, (int)item.get_group_range(0) / size);
}

// Brings a node with this group's part of its arcs, where some groups share a node; returns how many arcs they are.
static arc_t bring_part(const sycl::nd_item<1> &item, GroupRows *rows, int node, const arc_t *row_offsets, int groups) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    const long long part = item.get_group(0) % groups, arcs = end - first;
    return bring_arcs(item, rows, node, first + arcs * part / groups, first + arcs * (part + 1) / groups);
}

// Which work-item brought the node of an arc.
static int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Conversion in which infinity stays infinity.
static long long int_to_long_inf(int value) {
    return value == INT_MAX ? LLONG_MAX : (long long)value;
}

// Conversion in which infinity stays infinity.
static double long_to_double_inf(long long value) {
    return value == LLONG_MAX ? INFINITY : (double)value;
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 13 "closeness.sp"
KERNEL closeness_centrality_min_bfs_level(
    const arc_t *__restrict row_offsets, const int *__restrict columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, listed_count);
        const int brought = listed_node(item, bfs_level_order + bfs_level_begin, begin, listed_count, groups);
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const arc_t e = place + rows.shift[owner];
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                const int slot = atomic(*bfs_level_count).fetch_add(1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
KERNEL closeness_centrality_min_level(
    const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict bfs_level_order, const int *__restrict bfs_level, int *level,
    long long *farness, int *reached_by, int bfs_level_begin, int bfs_level_end, int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
            place += item.get_global_range(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = add_inf(level[v], 1);
                if (candidate < level[w]) {
                    atomic(level[w]).fetch_min(candidate);
                }
            }
        }
        farness[v] += int_to_long_inf(level[v]);
        reached_by[v] += 1;
    }
}

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
KERNEL closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict farness, const int *__restrict reached_by,
    double *closeness
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / long_to_double_inf(farness[v]) * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 13 "closeness.sp"
KERNEL closeness_centrality_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    int *bfs_level, int *bfs_level_count, int *bfs_level_order, int depth
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

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 13 "closeness.sp"
KERNEL arcs_of_bfs_level_order(
    const arc_t *__restrict row_offsets, const int *__restrict bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    float active_arcs_part = 0.0f;
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
            place += item.get_global_range(0)) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    active_arcs_part = sycl::reduce_over_group(item.get_group(), active_arcs_part, sycl::plus<float>());
    if (item.get_local_id(0) == 0) {
        atomic(*active_arcs).fetch_add(active_arcs_part);
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
KERNEL closeness_centrality_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *bfs_level_order, int *bfs_level, int *bfs_level_count, int *level, long long *farness,
    int *reached_by, bool found, int bfs_level_end, int bfs_level_begin, int few, int depth,
    int *depth_outcome, int *bfs_level_begin_outcome, int *bfs_level_end_outcome, int *found_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 13 "closeness.sp"
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
                    place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]
                            && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                        const int slot = atomic(*bfs_level_count).fetch_add(1);
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        sycl::group_barrier(item.get_group());
        {
            // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
            #line 13 "closeness.sp"
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
                    place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        const int candidate = add_inf(level[v], 1);
                        if (candidate < level[w]) {
                            atomic(level[w]).fetch_min(candidate);
                        }
                    }
                }
                farness[v] += int_to_long_inf(level[v]);
                reached_by[v] += 1;
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        found = bfs_level_begin < bfs_level_end;
        if (item.get_global_id(0) == 0) {
            *depth_outcome = depth;
            *bfs_level_begin_outcome = bfs_level_begin;
            *bfs_level_end_outcome = bfs_level_end;
            *found_outcome = found;
        }
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
}
