// The kernels of graph_coloring.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

// Combines the values of a work-group; its first work-item gets the total.
static int group_or_int(int value, __local int *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const int other = scratch[lane + width];
            value = value | other;
            scratch[lane] = value;
        }
    }
    return value;
}

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
static int join_bit_or_int(
    __local const GroupRows *rows, arc_t begin, arc_t end, int joined, __local int *values, int total
) {
    const int lane = get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = group_or_int(joined, values);
        if (lane == 0) values[0] = joined;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first <= begin && begin < last) {
            const int other = values[0];
            total = total | other;
        }
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        const arc_t stop = min(last, end) - begin;
        for (arc_t i = max(first, begin) - begin; i < stop; i++) {
            const int other = values[i];
            total = total | other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next values are stored
    return total;
}

// graph_coloring.sp:57 function lowest_free(int bits)
#line 57 "graph_coloring.sp"
static int lowest_free(int bits) {
    return ~bits & (int)((uint)bits + 1);
}

// graph_coloring.sp:71 function rank(Graph g, node v)
#line 71 "graph_coloring.sp"
static long rank(int v, __global const arc_t *restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296L) + multiply_long(v,
        2654435761L) % 4294967296L;
}

// graph_coloring.sp:62 function place(int bit)
#line 62 "graph_coloring.sp"
static int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void graph_coloring_add_color(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns, __global int *color,
    __global const int *restrict taken, __global uchar *full, __global uchar *wins, __global int *some_full,
    __global long *left
) {
    bool some_full_part = false;
    long left_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (color[v] >= 0) continue;
        bool blocked = false;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                blocked = true;
                break;
            }
        }
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = true;
        } else if (!blocked) {
            color[v] = (int)((uint)multiply(~color[v], 32) + place(lowest_free(taken[v])));
            left_part -= 1;
        }
    }
    if (some_full_part) *some_full = 1;
    __local long left_scratch[256];
    left_part = group_add_long(left_part, left_scratch);
    if (get_local_id(0) == 0) atom_add(left, left_part);
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
__kernel void graph_coloring_bit_or_taken(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns, __global uchar *wins,
    __global int *taken, __global const int *restrict color
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!wins[v]) continue;
        wins[v] = false;
        atomic_or(&taken[v], -1);
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] == ~(color[v] >> 5)) atomic_or(&taken[u], 1 << (color[v] & 31));
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
__kernel void graph_coloring_set_taken(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict color, __global const uchar *restrict full, __global int *taken
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(color[v] < 0 && full[v])) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >> 5 == ~color[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void graph_coloring_add_color_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *color, __global const int *restrict taken, __global uchar *full, __global uchar *wins,
    __global int *some_full, __global long *left
) {
    bool some_full_part = false;
    long left_part = 0;
    __local int passing[256];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && color[brought] >= 0) brought = -1;
        arc_t arc = brought < 0 ? 0 : row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : row_offsets[brought + 1];
        bool blocked = false;
        passing[get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = blocked ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(&rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place_ = get_local_id(0); place_ < count; place_ += 256) {
                const int owner = owner_of(&rows, place_);
                const int v = rows.node[owner];
                const arc_t i = place_ + rows.shift[owner];
                const int u = columns[i];
                if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                    passing[owner] = true;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            arc = stop;
            blocked = passing[get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = true;
        } else if (!blocked) {
            color[v] = (int)((uint)multiply(~color[v], 32) + place(lowest_free(taken[v])));
            left_part -= 1;
        }
    }
    if (some_full_part) *some_full = 1;
    __local long left_scratch[256];
    left_part = group_add_long(left_part, left_scratch);
    if (get_local_id(0) == 0) atom_add(left, left_part);
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void graph_coloring_bit_or_taken_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global uchar *wins, __global int *taken, __global const int *restrict color
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !wins[brought]) brought = -1;
        if (brought >= 0) {
            const int v = brought;
            wins[v] = false;
            atomic_or(&taken[v], -1);
        }
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place_ = get_local_id(0); place_ < count; place_ += 256) {
            const int owner = owner_of(&rows, place_);
            const int v = rows.node[owner];
            const arc_t i = place_ + rows.shift[owner];
            const int u = columns[i];
            if (color[u] == ~(color[v] >> 5)) atomic_or(&taken[u], 1 << (color[v] & 31));
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void graph_coloring_set_taken_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict color, __global const uchar *restrict full, __global int *taken
) {
    __local int values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !(color[brought] < 0 && full[brought])) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        int seen = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place_ = from + get_local_id(0); place_ < to; place_ += 256) {
                const int owner = owner_of(&rows, place_);
                const int v = rows.node[owner];
                const arc_t i = place_ + rows.shift[owner];
                const int u = columns[i];
                int value = 0;
                if (color[u] >> 5 == ~color[v]) value = 1 << (color[u] & 31);
                if (to - from > 1024) {
                    joined = joined | value;
                } else {
                    values[place_ - from] = value;
                }
            }
            seen = join_bit_or_int(&rows, from, to, joined, values, seen);
        }
        if (brought < 0) continue;
        const int v = brought;
        taken[v] = seen;
    }
}
