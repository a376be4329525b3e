// The kernels of k_core.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
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
    sycl::group_barrier(item.get_group());  // before the next values are stored
    return total;
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
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *degree
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
                if (nbr != v) value = 1;
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
    int num_nodes, int *core, const int *__restrict degree, int *peeling_bits, int *peeling_list, int *peeling_size,
    int k, long long *peeled
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
    if (item.get_local_id(0) == 0) atomic(*peeled).fetch_add(peeled_part);
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
KERNEL k_core_add_degree_2(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict peeling_list,
    int *peeling_bits, int *degree, int peeling_count
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
            if (nbr != v) atomic(degree[nbr]).fetch_add(-1);
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
            if (nbr != v) atomic(degree[nbr]).fetch_add(-1);
        }
    }
}
