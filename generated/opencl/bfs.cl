// The kernels of bfs.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 8 "bfs.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void bfs_min_bfs_level(
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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void bfs_min_level(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict bfs_level_order, __global const int *restrict bfs_level, __global int *level,
    __global int *parent, int bfs_level_begin, int bfs_level_end, int depth
) {
    __local GroupRows rows;
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(listed_count);
        const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = (int)((uint)latest(level[v]) + 1);
                if (candidate < latest(level[w])) {
                    atomic_min(&level[w], candidate);
                }
                if (v > latest(parent[w])) {
                    atomic_max(&parent[w], v);
                }
            }
        }
    }
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 8 "bfs.sp"
__kernel __attribute__((vec_type_hint(int4)))
void bfs_min_bfs_level_pull(
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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 8 "bfs.sp"
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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
__kernel __attribute__((vec_type_hint(int4)))
void bfs_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *bfs_level_order, __global int *bfs_level, __global int *bfs_level_count, __global int *level,
    __global int *parent, uchar found, int bfs_level_end, int bfs_level_begin, int few, int depth,
    __global int *depth_outcome, __global int *bfs_level_begin_outcome, __global int *bfs_level_end_outcome,
    __global int *found_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 8 "bfs.sp"
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
            // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
            #line 8 "bfs.sp"
            for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (latest(bfs_level[w]) == depth + 1) {
                        const int candidate = (int)((uint)latest(level[v]) + 1);
                        if (candidate < latest(level[w])) {
                            atomic_min(&level[w], candidate);
                        }
                        if (v > latest(parent[w])) {
                            atomic_max(&parent[w], v);
                        }
                    }
                }
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        found = bfs_level_begin < bfs_level_end;
        if (get_global_id(0) == 0) {
            *depth_outcome = depth;
            *bfs_level_begin_outcome = bfs_level_begin;
            *bfs_level_end_outcome = bfs_level_end;
            *found_outcome = found;
        }
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
}
