// The kernels of k_core.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
static int join_add_int(
    __local const GroupRows *rows, arc_t begin, arc_t end, int joined, __local int *values, int total
) {
    const int lane = get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = group_add_int(joined, values);
        if (lane == 0) values[0] = joined;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first <= begin && begin < last) {
            const int other = values[0];
            total = total + other;
        }
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        const arc_t stop = min(last, end) - begin;
        for (arc_t i = max(first, begin) - begin; i < stop; i++) {
            const int other = values[i];
            total = total + other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next values are stored
    return total;
}

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, __global int *bits, __global int *list, __global int *size) {
    const int bit = 1 << (node % 32);
    if ((latest(bits[node / 32]) & bit) == 0) {
        const int held = atomic_or(&bits[node / 32], bit);
        if ((held & bit) == 0) {
            const int place = atomic_add(size, 1);
            list[place] = node;
        }
    }
}

// k_core.sp:9 forall (v in g.nodes())
// first degree = 0
#line 9 "k_core.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void k_core_add_degree(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *degree
) {
    __local int values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        int degree_of_v = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
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
            degree_of_v = join_add_int(&rows, from, to, joined, values, degree_of_v);
        }
        if (brought < 0) continue;
        const int v = brought;
        degree[v] = degree_of_v;
    }
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
#line 18 "k_core.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void k_core_set_core(
    int num_nodes, __global int *core, __global const int *restrict degree, __global int *peeling_bits,
    __global int *peeling_list, __global int *peeling_size, int k, __global long *peeled
) {
    long peeled_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(core[v] == -1 && degree[v] <= k)) continue;
        core[v] = k;
        enlist(v, peeling_bits, peeling_list, peeling_size);
        peeled_part += 1;
    }
    __local long peeled_scratch[256];
    peeled_part = group_add_long(peeled_part, peeled_scratch);
    if (get_local_id(0) == 0) atom_add(peeled, peeled_part);
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void k_core_add_degree_2(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict peeling_list, __global int *peeling_bits, __global int *degree, int peeling_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < peeling_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(peeling_count);
        const int brought = listed_node(peeling_list, begin, peeling_count, groups);
        if (brought >= 0) {
            const int v = brought;
            peeling_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (nbr != v) atomic_add(&degree[nbr], -1);
        }
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
// where many are active: goes over all, in their order
#line 23 "k_core.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void k_core_add_degree_2_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict peeling_bits, __global int *degree
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (peeling_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (nbr != v) atomic_add(&degree[nbr], -1);
        }
    }
}
