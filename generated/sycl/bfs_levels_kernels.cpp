// The kernels of bfs_levels.sp in SYCL 2020, as free functions: for the compiler in oneAPI's runtime, and for icpx.
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

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Which work-item brought the node of an arc.
static int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        const int held = atomic(bits[node / 32]).fetch_or(bit);
        if ((held & bit) == 0) {
            const int place = atomic(*size).fetch_add(1);
            list[place] = node;
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
KERNEL bfs_levels_min_level(
    const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict frontier_list, int *frontier_bits, int *level, int *frontier_next_bits,
    int *frontier_next_list, int *frontier_next_size, int frontier_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < frontier_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, frontier_count);
        const int brought = listed_node(item, frontier_list, begin, frontier_count, groups);
        if (brought >= 0) {
            const int v = brought;
            frontier_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            const int candidate = add_inf(level[v], 1);
            if (candidate < level[w] && candidate < atomic(level[w]).fetch_min(candidate)) {
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
            }
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// nodes that are not reached yet look for one that is
#line 11 "bfs_levels.sp"
KERNEL bfs_levels_min_level_pull(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    int *level, const int *__restrict frontier_bits, int *frontier_next_bits,
    int *frontier_next_list, int *frontier_next_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int w = item.get_global_id(0); w < num_nodes; w += item.get_global_range(0)) {
        if (level[w] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[w]; e_in < in_row_offsets[w + 1]; e_in++) {
            const int v = in_columns[e_in];
            if ((frontier_bits[v / 32] & (1 << (v % 32))) != 0) {
                level[w] = add_inf(level[v], 1);
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                break;
            }
        }
    }
}

KERNEL frontier_list_first(int *frontier_bits, int *frontier_list, int *frontier_size, int src) {
    enlist(src, frontier_bits, frontier_list, frontier_size);
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// how many arcs the active nodes have
#line 11 "bfs_levels.sp"
KERNEL arcs_of_frontier_list(
    const arc_t *__restrict row_offsets, const int *__restrict frontier_list, int frontier_count,
    float *active_arcs
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    float active_arcs_part = 0.0f;
    for (int place = item.get_global_id(0); place < frontier_count; place += item.get_global_range(0)) {
        const int active_node = frontier_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    active_arcs_part = sycl::reduce_over_group(item.get_group(), active_arcs_part, sycl::plus<float>());
    if (item.get_local_id(0) == 0) {
        atomic(*active_arcs).fetch_add(active_arcs_part);
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
KERNEL bfs_levels_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *frontier_list, int *frontier_bits, int *level, int *frontier_next_bits,
    int *frontier_next_list, int *frontier_next_size, int *frontier_size, bool finished,
    int frontier_count, int few, bool turned, int *frontier_count_outcome, int *finished_outcome,
    int *turned_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
            #line 11 "bfs_levels.sp"
            for (int place = item.get_global_id(0); place < frontier_count; place += item.get_global_range(0)) {
                const int v = frontier_list[place];
                frontier_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    const int candidate = add_inf(level[v], 1);
                    if (candidate < level[w] && candidate < atomic(level[w]).fetch_min(candidate)) {
                        enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) {
            *frontier_size = 0;
        }
        { auto *other = frontier_bits; frontier_bits = frontier_next_bits; frontier_next_bits = other; }
        { auto *other = frontier_list; frontier_list = frontier_next_list; frontier_next_list = other; }
        { auto *other = frontier_size; frontier_size = frontier_next_size; frontier_next_size = other; }
        sycl::group_barrier(item.get_group());
        frontier_count = *frontier_size;
        finished = frontier_count == 0;
        turned = !turned;
        if (item.get_global_id(0) == 0) {
            *frontier_count_outcome = frontier_count;
            *finished_outcome = finished;
            *turned_outcome = turned;
        }
    } while (!finished && (frontier_count < few && frontier_count <= num_nodes / 16));
}
