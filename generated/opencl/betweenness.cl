// The kernels of betweenness.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "starplat_opencl_kernels.h"

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 21 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void betweenness_min_bfs_level(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns, __global int *bfs_level_order,
    __global int *bfs_level, __global int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    __local GroupRows rows;
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(listed_count);
        const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const arc_t e = place + rows.shift[owner];
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < latest(bfs_level[neighbor]) && candidate < atomic_min(&bfs_level[neighbor], candidate)) {
                const int slot = atomic_add(bfs_level_count, 1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
#line 21 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void betweenness_add_paths(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict bfs_level_order, __global double *paths, __global const int *restrict bfs_level,
    __global int *power, int bfs_level_begin, int bfs_level_end, int depth, double many, double unit, double most
) {
    __local double values[1024];
    __local GroupRows rows;
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += get_global_size(0)) {
        const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        double paths_of_v_of_arcs = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int u = in_columns[in_e];
                double value = 0.0;
                if (bfs_level[u] == depth - 1) value = paths[u];
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            paths_of_v_of_arcs = join_add_double(&rows, from, to, joined, values, paths_of_v_of_arcs);
        }
        if (brought < 0) continue;
        const int v = brought;
        double paths_of_v = paths[v];
        paths_of_v += paths_of_v_of_arcs;
        paths[v] = paths_of_v;
        if (paths[v] > many) {
            double sum = 0.0;
            int highest = 0;
            for (arc_t in_e_2 = in_row_offsets[v]; in_e_2 < in_row_offsets[v + 1]; in_e_2++) {
                const int u_2 = in_columns[in_e_2];
                if (bfs_level[u_2] == depth - 1) {
                    if (power[u_2] > highest) {
                        sum = power[u_2] == (int)((uint)highest + 1) ? sum * unit : 0.0;
                        highest = power[u_2];
                    }
                    sum += power[u_2] == highest ? paths[u_2] : power[u_2] == (int)((uint)highest - 1)
                        ? paths[u_2] * unit : 0.0;
                }
            }
            const bool carry = sum > most;
            paths[v] = carry ? sum * unit : sum;
            power[v] = carry ? (int)((uint)highest + 1) : highest;
        }
    }
}

// betweenness.sp:40 iterateInReverse (v != src)
#line 40 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void betweenness_add_bc(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict bfs_level_order, __global const int *restrict bfs_level, __global double *share,
    __global const int *power, __global const double *restrict paths, __global double *bc, int bfs_level_begin,
    int bfs_level_end, int src, int depth, double sure, double unit
) {
    __local double values[1024];
    __local GroupRows rows;
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += get_global_size(0)) {
        int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
        if (brought >= 0 && brought == src) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        double shares = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t e = place + rows.shift[owner];
                const int w = columns[e];
                double value = 0.0;
                if (bfs_level[w] == depth + 1) {
                    value = share[w] > sure || power[w] == power[v] ? share[w] : power[w] == (int)((uint)power[v] + 1)
                        ? share[w] * unit : 0.0;
                }
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            shares = join_add_double(&rows, from, to, joined, values, shares);
        }
        if (brought < 0) continue;
        const int v = brought;
        const double through = paths[v] * shares;
        share[v] = (1.0 + through) / paths[v];
        bc[v] += through;
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 21 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4)))
void betweenness_min_bfs_level_pull(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *bfs_level, __global int *bfs_level_count, __global int *bfs_level_order, int depth
) {
    for (int neighbor = get_global_id(0); neighbor < num_nodes; neighbor += get_global_size(0)) {
        if (latest(bfs_level[neighbor]) != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (latest(bfs_level[v]) == depth) {
                atomic_min(&bfs_level[neighbor], depth + 1);
                const int slot = atomic_add(bfs_level_count, 1);
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 21 "betweenness.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void arcs_of_bfs_level_order(
    __global const arc_t *restrict row_offsets, __global const int *restrict bfs_level_order, int bfs_level_begin,
    int bfs_level_end, __global float *active_arcs
) {
    float active_arcs_part = 0.0f;
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    __local float active_arcs_scratch[256];
    active_arcs_part = group_add_float(active_arcs_part, active_arcs_scratch);
    if (get_local_id(0) == 0) atomic_add_float(active_arcs, active_arcs_part);
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
#line 21 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4)))
void betweenness_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *bfs_level_order, __global int *bfs_level, __global int *bfs_level_count, __global double *paths,
    __global int *power, __global int *bfs_level_starts, uchar found, int bfs_level_end, int bfs_level_begin,
    int few, int depth, double many, double unit, double most, __global int *depth_outcome,
    __global int *bfs_level_begin_outcome, __global int *bfs_level_end_outcome, __global int *found_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 21 "betweenness.sp"
            for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < latest(bfs_level[neighbor])
                            && candidate < atomic_min(&bfs_level[neighbor], candidate)) {
                        const int slot = atomic_add(bfs_level_count, 1);
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
            #line 21 "betweenness.sp"
            for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
                const int v = bfs_level_order[place];
                double paths_of_v = paths[v];
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (latest(bfs_level[u]) == depth - 1) paths_of_v += paths[u];
                }
                paths[v] = paths_of_v;
                if (paths[v] > many) {
                    double sum = 0.0;
                    int highest = 0;
                    for (arc_t in_e_2 = in_row_offsets[v]; in_e_2 < in_row_offsets[v + 1]; in_e_2++) {
                        const int u_2 = in_columns[in_e_2];
                        if (latest(bfs_level[u_2]) == depth - 1) {
                            if (power[u_2] > highest) {
                                sum = power[u_2] == (int)((uint)highest + 1) ? sum * unit : 0.0;
                                highest = power[u_2];
                            }
                            sum += power[u_2] == highest ? paths[u_2] : power[u_2] == (int)((uint)highest - 1)
                                ? paths[u_2] * unit : 0.0;
                        }
                    }
                    const bool carry = sum > most;
                    paths[v] = carry ? sum * unit : sum;
                    power[v] = carry ? (int)((uint)highest + 1) : highest;
                }
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        if (get_global_id(0) == 0) bfs_level_starts[depth] = bfs_level_begin;
        found = bfs_level_begin < bfs_level_end;
        if (get_global_id(0) == 0) {
            *depth_outcome = depth;
            *bfs_level_begin_outcome = bfs_level_begin;
            *bfs_level_end_outcome = bfs_level_end;
            *found_outcome = found;
        }
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
}

// betweenness.sp:40 iterateInReverse (v != src)
#line 40 "betweenness.sp"
__kernel __attribute__((vec_type_hint(int4)))
void betweenness_few_2(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict bfs_level_order, __global const int *restrict bfs_level, __global double *share,
    __global const int *power, __global const double *restrict paths, __global double *bc,
    __global const int *restrict bfs_level_starts, uchar goes_on, int bfs_level_end, int bfs_level_begin, int few_2,
    int src, int depth, double sure, double unit, __global int *goes_on_outcome, __global int *depth_outcome,
    __global int *bfs_level_end_outcome, __global int *bfs_level_begin_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // betweenness.sp:40 iterateInReverse (v != src)
            #line 40 "betweenness.sp"
            for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
                const int v = bfs_level_order[place];
                if (v == src) continue;
                double shares = 0.0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        shares += share[w] > sure || power[w] == power[v] ? share[w]
                            : power[w] == (int)((uint)power[v] + 1) ? share[w] * unit : 0.0;
                    }
                }
                const double through = paths[v] * shares;
                share[v] = (1.0 + through) / paths[v];
                bc[v] += through;
            }
        }
        goes_on = depth > 0;
        if (goes_on) {
            depth -= 1;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
        }
        if (get_global_id(0) == 0) {
            *goes_on_outcome = goes_on;
            *depth_outcome = depth;
            *bfs_level_end_outcome = bfs_level_end;
            *bfs_level_begin_outcome = bfs_level_begin;
        }
    } while (goes_on && bfs_level_end - bfs_level_begin < few_2);
}
