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
// piece
// that is one long row are reduced by all work-items, from what each has in `joined`.
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

// graph_coloring.sp:67 function rank(Graph g, node v)
#line 67 "graph_coloring.sp"
static long rank(int v, __global const arc_t *restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296L) + multiply_long(v,
        2654435761L) % 4294967296L;
}

// graph_coloring.sp:58 function free_color(int taken, int least)
#line 58 "graph_coloring.sp"
static int free_color(int taken, int least) {
    int color = least;
    while (color < multiply(least / 32 + 1, 32) && ((taken >> (color & 31)) & 1) != 0) {
        color += 1;
    }
    return color;
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

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
__kernel void graph_coloring_set_waits(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict wish, __global uchar *waits
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (wish[v] < 0) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
__kernel void graph_coloring_bit_or_taken(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict wish, __global const uchar *restrict waits, __global int *taken
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(wish[v] >= 0 && !waits[v])) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                atomic_or(&taken[u], 1 << (wish[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
#line 29 "graph_coloring.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void graph_coloring_set_waits_2(
    int num_nodes, __global int *wish, __global uchar *waits, __global const int *restrict taken,
    __global int *beyond_bits, __global int *beyond_list, __global int *beyond_size, __global int *color,
    __global long *left
) {
    long left_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (wish[v] < 0) continue;
        if (waits[v]) {
            const int next = free_color(taken[v], wish[v]);
            waits[v] = false;
            if (next % 32 == 0 && next > wish[v]) {
                waits[v] = true;
                enlist(v, beyond_bits, beyond_list, beyond_size);
            }
            wish[v] = next;
        } else {
            color[v] = wish[v];
            wish[v] = -1;
            left_part -= 1;
        }
    }
    __local long left_scratch[256];
    left_part = group_add_long(left_part, left_scratch);
    if (get_local_id(0) == 0) atom_add(left, left_part);
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
__kernel void graph_coloring_set_beyond(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict beyond_list, __global int *beyond_bits, __global const int *restrict color,
    __global const int *restrict wish, __global int *taken, int beyond_count
) {
    for (int place = get_global_id(0); place < beyond_count; place += get_global_size(0)) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
__kernel void graph_coloring_set_beyond_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict beyond_bits, __global const int *restrict color, __global const int *restrict wish,
    __global int *taken
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((beyond_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4)))
void graph_coloring_set_waits_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict wish, __global uchar *waits
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (wish[v] < 0) continue;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void graph_coloring_bit_or_taken_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict wish, __global const uchar *restrict waits, __global int *taken
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !(wish[brought] >= 0 && !waits[brought])) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t i = place + rows.shift[owner];
            const int u = columns[i];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                atomic_or(&taken[u], 1 << (wish[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4)))
void graph_coloring_set_beyond_symmetric(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict beyond_list, __global int *beyond_bits, __global const int *restrict color,
    __global const int *restrict wish, __global int *taken, int beyond_count
) {
    for (int place = get_global_id(0); place < beyond_count; place += get_global_size(0)) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void graph_coloring_set_beyond_of_many_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict beyond_bits, __global const int *restrict color, __global const int *restrict wish,
    __global int *taken
) {
    __local int values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (beyond_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        int seen = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t i = place + rows.shift[owner];
                const int u = columns[i];
                int value = 0;
                if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                    value = 1 << (color[u] & 31);
                }
                if (to - from > 1024) {
                    joined = joined | value;
                } else {
                    values[place - from] = value;
                }
            }
            seen = join_bit_or_int(&rows, from, to, joined, values, seen);
        }
        if (brought < 0) continue;
        const int v = brought;
        taken[v] = seen;
    }
}
