// The kernels of sssp.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

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

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void sssp_min_dist(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_list, __global int *modified_bits, __global int *dist,
    __global const int *restrict weight, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_later_bits, __global int *modified_later_list,
    __global int *modified_later_size, int modified_count, int limit
) {
    __local GroupRows rows;
    for (int begin = 0; begin < modified_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_count);
        const int brought = listed_node(modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// the mean of some weights says how far apart near and far are
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sample_weight(
    int num_nodes, arc_t num_arcs, __global const int *restrict weight, __global double *weight_total
) {
    double weight_total_part = 0.0;
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        if ((arc_t)node < num_arcs && (arc_t)node < 65536) {
            weight_total_part += (double)weight[(arc_t)node * max(num_arcs / min((arc_t)num_nodes, (arc_t)65536),
                (arc_t)1)];
        }
    }
    __local double weight_total_scratch[256];
    weight_total_part = group_add_double(weight_total_part, weight_total_scratch);
    if (get_local_id(0) == 0) atomic_add_double(weight_total, weight_total_part);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// the far pile: near nodes join the next frontier, settled nodes are dropped
#line 12 "sssp.sp"
__kernel void sssp_min_dist_later(
    __global const int *restrict modified_later_list, __global int *modified_later_bits,
    __global const int *restrict dist, __global int *modified_bits, __global int *modified_list,
    __global int *modified_size, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, int modified_later_count, int settled, int limit
) {
    for (int place = get_global_id(0); place < modified_later_count; place += get_global_size(0)) {
        const int node_2 = modified_later_list[place];
        modified_later_bits[node_2 / 32] = 0;
        const int value = dist[node_2];
        if (value >= settled) {
            if (value < limit) {
                enlist(node_2, modified_bits, modified_list, modified_size);
            } else {
                enlist(node_2, modified_next_bits, modified_next_list, modified_next_size);
            }
        }
    }
}

__kernel void modified_list_first(
    __global int *modified_bits, __global int *modified_list, __global int *modified_size, int src
) {
    enlist(src, modified_bits, modified_list, modified_size);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void sssp_min_dist_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_bits, __global int *dist, __global const int *restrict weight,
    __global int *modified_next_bits, __global int *modified_next_list, __global int *modified_next_size,
    __global int *modified_later_bits, __global int *modified_later_list, __global int *modified_later_size,
    int limit
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
__kernel void sssp_min_dist_later_of_many(
    int num_nodes, __global const int *restrict modified_later_bits, __global const int *restrict dist,
    __global int *modified_bits, __global int *modified_list, __global int *modified_size,
    __global int *modified_next_bits, __global int *modified_next_list, __global int *modified_next_size,
    int settled, int limit
) {
    for (int node_2 = get_global_id(0); node_2 < num_nodes; node_2 += get_global_size(0)) {
        if ((modified_later_bits[node_2 / 32] & (1 << (node_2 % 32))) == 0) continue;
        const int value = dist[node_2];
        if (value >= settled) {
            if (value < limit) {
                enlist(node_2, modified_bits, modified_list, modified_size);
            } else {
                enlist(node_2, modified_next_bits, modified_next_list, modified_next_size);
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
__kernel __attribute__((vec_type_hint(int4)))
void sssp_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *modified_list, __global int *modified_bits, __global int *dist,
    __global const int *restrict weight, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_later_bits, __global int *modified_later_list,
    __global int *modified_later_size, __global int *modified_size, uchar finished, int modified_count, int few,
    int limit, uchar turned, __global int *modified_count_outcome, __global int *finished_outcome,
    __global int *turned_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            #line 12 "sssp.sp"
            for (int place = get_global_id(0); place < modified_count; place += get_global_size(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(latest(dist[v]), weight[e]);
                    if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                        if (candidate < limit) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        } else {
                            enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                        }
                    }
                }
            }
        }
        if (get_global_id(0) == 0) *modified_size = 0;
        { __global int *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { __global int *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { __global int *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_count = *modified_size;
        finished = modified_count == 0;
        turned = !turned;
        if (get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *finished_outcome = finished;
            *turned_outcome = turned;
        }
    } while (!finished && (modified_count < few && modified_count <= num_nodes / 8));
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
__kernel __attribute__((vec_type_hint(int4)))
void sssp_few_2(
    int num_nodes, __global int *modified_later_list, __global int *modified_later_bits,
    __global const int *restrict dist, __global int *modified_bits, __global int *modified_list,
    __global int *modified_size, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_later_size, uchar nobody_near, uchar nobody_waits,
    int modified_later_count, int few_2, int limit, int rise, int settled, int modified_count, uchar turned_2,
    __global int *settled_outcome, __global int *limit_outcome, __global int *rise_outcome,
    __global int *modified_count_outcome, __global int *nobody_near_outcome,
    __global int *modified_later_count_outcome, __global int *nobody_waits_outcome, __global int *turned_2_outcome
) {
    do {
        settled = limit;
        limit = limit > (int)((uint)INT_MAX - rise) ? INT_MAX : (int)((uint)limit + rise);
        rise = rise > (int)((uint)INT_MAX - rise) ? INT_MAX : (int)((uint)rise + rise);
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            // the far pile: near nodes join the next frontier, settled nodes are dropped
            #line 12 "sssp.sp"
            for (int place = get_global_id(0); place < modified_later_count; place += get_global_size(0)) {
                const int node_2 = modified_later_list[place];
                modified_later_bits[node_2 / 32] = 0;
                const int value = dist[node_2];
                if (value >= settled) {
                    if (value < limit) {
                        enlist(node_2, modified_bits, modified_list, modified_size);
                    } else {
                        enlist(node_2, modified_next_bits, modified_next_list, modified_next_size);
                    }
                }
            }
        }
        if (get_global_id(0) == 0) *modified_later_size = 0;
        { __global int *other = modified_later_bits; modified_later_bits = modified_next_bits;
            modified_next_bits = other; }
        { __global int *other = modified_later_list; modified_later_list = modified_next_list;
            modified_next_list = other; }
        { __global int *other = modified_later_size; modified_later_size = modified_next_size;
            modified_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_count = *modified_size;
        nobody_near = modified_count == 0;
        modified_later_count = *modified_later_size;
        nobody_waits = modified_later_count == 0;
        turned_2 = !turned_2;
        if (get_global_id(0) == 0) {
            *settled_outcome = settled;
            *limit_outcome = limit;
            *rise_outcome = rise;
            *modified_count_outcome = modified_count;
            *nobody_near_outcome = nobody_near;
            *modified_later_count_outcome = modified_later_count;
            *nobody_waits_outcome = nobody_waits;
            *turned_2_outcome = turned_2;
        }
    } while (nobody_near && !nobody_waits && (modified_later_count < few_2 && modified_later_count <= num_nodes / 8));
}
