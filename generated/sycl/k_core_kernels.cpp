// The kernels of k_core.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
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

// Whom a work-item brings of all nodes, or -1. Nodes with many arcs often stand together, and should not be for one
// group alone: it gets eight that follow each other, and others from far away.
static int node_of_all(const sycl::nd_item<1> &item, int begin, int num_nodes) {
    const int lane = item.get_local_id(0);
    const int node = begin + (int)(lane / 8 * item.get_group_range(0) + item.get_group(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// Brings a node with all its arcs, or with none where it is -1; returns how many arcs the group brings.
static arc_t bring_rows(const sycl::nd_item<1> &item, GroupRows *rows, int node, const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(item, rows, node, first, end);
}

// Which work-item brought the node of an arc.
static int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Where the arcs end that a group looks at together: some that it has room for, or all that are left of a long row.
static arc_t end_of_piece(const GroupRows *rows, arc_t begin, arc_t count) {
    return sycl::max(rows->last[owner_of(rows, begin)], sycl::min(count, begin + 1024));
}

// Joins to the total of the node that a work-item brought the values of its arcs from `begin` to `end`: they lie in
// `values`, or have been joined by all work-items, each in `joined` what it came by.
static int join_add_int(
    const sycl::nd_item<1> &item, const GroupRows *rows, arc_t begin, arc_t end, int joined, int *values, int total
) {
    const int lane = item.get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = sycl::reduce_over_group(item.get_group(), joined, sycl::plus<int>());
        if (first <= begin && begin < last) {
            const int other = joined;
            total = total + other;
        }
    } else {
        sycl::group_barrier(item.get_group());
        const arc_t stop = sycl::min(last, end) - begin;
        for (arc_t i = sycl::max(first, begin) - begin; i < stop; i++) {
            const int other = values[i];
            total = total + other;
        }
    }
    sycl::group_barrier(item.get_group());  // the next values may come
    return total;
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

// k_core.sp:9 forall (v in g.nodes())
// first degree = 0
#line 9 "k_core.sp"
KERNEL k_core_add_degree(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    int *degree
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &values = group_memory<int[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        int degree_of_v = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place = from + item.get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t in_e = place + rows.shift[owner];
                const int nbr = in_columns[in_e];
                int value = 0;
                if (nbr != v) {
                    value = 1;
                }
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            degree_of_v = join_add_int(item, &rows, from, to, joined, values, degree_of_v);
        }
        if (brought < 0) continue;
        const int v = brought;
        degree[v] = degree_of_v;
    }
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
#line 18 "k_core.sp"
KERNEL k_core_set_core(
    int num_nodes, int *core, const int *__restrict degree, int *peeling_bits, int *peeling_list,
    int *peeling_size, int k, long long *peeled
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long peeled_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(core[v] == -1 && degree[v] <= k)) continue;
        core[v] = k;
        enlist(v, peeling_bits, peeling_list, peeling_size);
        peeled_part += 1;
    }
    peeled_part = sycl::reduce_over_group(item.get_group(), peeled_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*peeled).fetch_add(peeled_part);
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
KERNEL k_core_add_degree_2(
    const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict peeling_list, int *peeling_bits, int *degree, int peeling_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < peeling_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, peeling_count);
        const int brought = listed_node(item, peeling_list, begin, peeling_count, groups);
        if (brought >= 0) {
            const int v = brought;
            peeling_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (nbr != v) {
                atomic(degree[nbr]).fetch_add(-1);
            }
        }
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
// where many are active: goes over all, in their order
#line 23 "k_core.sp"
KERNEL k_core_add_degree_2_of_many(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict peeling_bits, int *degree
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (peeling_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (nbr != v) {
                atomic(degree[nbr]).fetch_add(-1);
            }
        }
    }
}
