// The kernels of maximal_independent_set.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// maximal_independent_set.sp:36 function rank(Graph g, node v)
#line 36 "maximal_independent_set.sp"
static long rank(int v, __global const arc_t *restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296L) + multiply_long(v,
        2654435761L) % 4294967296L;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
__kernel void maximal_independent_set_set_joins(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const uchar *restrict undecided, __global uchar *joins,
    __global int *more_found
) {
    if (!*goes_on) return;
    bool more_part = false;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!undecided[v]) continue;
        bool wins = true;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (undecided[u] && u != v) {
                if (rank(u, row_offsets) < rank(v, row_offsets)) {
                    wins = false;
                    break;
                }
            }
        }
        joins[v] = wins;
        if (!wins) more_part = true;
    }
    if (more_part) *more_found = 1;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
__kernel void maximal_independent_set_set_in_set(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global uchar *joins, __global uchar *in_set,
    __global uchar *undecided
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!joins[v]) continue;
        in_set[v] = true;
        joins[v] = false;
        undecided[v] = false;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            undecided[u] = false;
        }
    }
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
// puts what rounds change on the device
#line 13 "maximal_independent_set.sp"
__kernel void maximal_independent_set_begin(__global uchar *goes_on, __global int *more_found) {
    *goes_on = true;
    *more_found = 0;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
// works out what the host does not wait for: more
#line 13 "maximal_independent_set.sp"
__kernel void maximal_independent_set_end_round(__global uchar *goes_on, __global int *more_found) {
    if (!*goes_on) return;
    const bool more = *more_found != 0;
    *goes_on = more;
    *more_found = 0;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void maximal_independent_set_set_joins_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict goes_on, __global const uchar *restrict undecided, __global uchar *joins,
    __global int *more_found
) {
    if (!*goes_on) return;
    bool more_part = false;
    __local int passing[256];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !undecided[brought]) brought = -1;
        arc_t arc = brought < 0 ? 0 : row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : row_offsets[brought + 1];
        bool not_wins = false;
        passing[get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = not_wins ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(&rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place = get_local_id(0); place < count; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t i = place + rows.shift[owner];
                const int u = columns[i];
                if (undecided[u] && u != v && rank(u, row_offsets) < rank(v, row_offsets)) {
                    passing[owner] = true;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            arc = stop;
            not_wins = passing[get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        bool wins = !not_wins;
        joins[v] = wins;
        if (!wins) more_part = true;
    }
    if (more_part) *more_found = 1;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void maximal_independent_set_set_in_set_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict goes_on, __global uchar *joins, __global uchar *in_set,
    __global uchar *undecided
) {
    if (!*goes_on) return;
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !joins[brought]) brought = -1;
        if (brought >= 0) {
            const int v = brought;
            in_set[v] = true;
            joins[v] = false;
            undecided[v] = false;
        }
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const arc_t i = place + rows.shift[owner];
            const int u = columns[i];
            undecided[u] = false;
        }
    }
}
