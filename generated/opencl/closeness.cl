// The kernels of closeness.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
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

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
__kernel void closeness_centrality_set_closeness(
    int num_nodes, __global const long *restrict farness, __global const int *restrict reached_by,
    __global double *closeness
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (farness[v] <= 0) continue;
        const double others = (double)(int)((uint)reached_by[v] - 1);
        closeness[v] = others / (double)farness[v] * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:9 for (src in g.nodes())
// gives each source of the batch its bit
#line 9 "closeness.sp"
__kernel void closeness_centrality_begin(
    __global long *reached, __global int *active_bits, __global int *active_list, __global int *active_size,
    int last, int first
) {
    for (int number = get_global_id(0); number < last - first; number += get_global_size(0)) {
        const int place = first + number;
        const int source = place;
        reached[multiply(source, 4) + (place - first) / 64] = 1L << ((place - first) % 64);
        enlist(source, active_bits, active_list, active_size);
    }
}

// closeness.sp:9 for (src in g.nodes())
#line 9 "closeness.sp"
__kernel void closeness_centrality_visit(
    __global const int *restrict active_list, __global const long *restrict reached, __global long *seen,
    __global long *farness, __global int *reached_by, int active_count, int steps
) {
    for (int place = get_global_id(0); place < active_count; place += get_global_size(0)) {
        const int v = active_list[place];
        int count = 0;
        const int word = multiply(v, 4);
        const long now = reached[word];
        const long now_2 = reached[word + 1];
        const long now_3 = reached[word + 2];
        const long now_4 = reached[word + 3];
        const long fresh = now & ~seen[word];
        const long fresh_2 = now_2 & ~seen[word + 1];
        const long fresh_3 = now_3 & ~seen[word + 2];
        const long fresh_4 = now_4 & ~seen[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        count = count + (int)popcount(fresh) + (int)popcount(fresh_2) + (int)popcount(fresh_3) + (int)popcount(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// neighbors take the bits that they lack
#line 9 "closeness.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void closeness_centrality_offer_bits(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict active_list, __global const long *restrict seen, __global long *reached,
    __global int *active_next_bits, __global int *active_next_list, __global int *active_next_size,
    int active_count, __global int *more
) {
    bool more_part = false;
    __local GroupRows rows;
    for (int begin = 0; begin < active_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(active_count);
        const int brought = listed_node(active_list, begin, active_count, groups);
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v_2 = rows.node[owner];
            const arc_t e_2 = place + rows.shift[owner];
            const int w_2 = columns[e_2];
            const int word = multiply(w_2, 4);
            const long fresh = seen[multiply(v_2, 4)] & ~latest_long(reached[word]);
            const long fresh_2 = seen[multiply(v_2, 4) + 1] & ~latest_long(reached[word + 1]);
            const long fresh_3 = seen[multiply(v_2, 4) + 2] & ~latest_long(reached[word + 2]);
            const long fresh_4 = seen[multiply(v_2, 4) + 3] & ~latest_long(reached[word + 3]);
            if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                if (fresh != 0) atom_or(&reached[word], fresh);
                if (fresh_2 != 0) atom_or(&reached[word + 1], fresh_2);
                if (fresh_3 != 0) atom_or(&reached[word + 2], fresh_3);
                if (fresh_4 != 0) atom_or(&reached[word + 3], fresh_4);
                enlist(w_2, active_next_bits, active_next_list, active_next_size);
                more_part = true;
            }
        }
    }
    if (more_part) *more = 1;
}

// closeness.sp:9 for (src in g.nodes())
// the bits that any node offers
#line 9 "closeness.sp"
__kernel void closeness_centrality_join_bits(
    int num_nodes, __global const int *restrict active_bits, __global const long *restrict seen,
    __global long *alive
) {
    for (int number = get_global_id(0); number < multiply(min(num_nodes, 32768), 4); number += get_global_size(0)) {
        const int lane = number % 4;
        const int first_2 = multiply(number / 4, (num_nodes + min(num_nodes, 32768) - 1) / min(num_nodes, 32768));
        long offered = 0;
        const int end = min(num_nodes, first_2 + (num_nodes + min(num_nodes, 32768) - 1) / min(num_nodes, 32768));
        for (int v_2 = first_2; v_2 < end; v_2++) {
            if ((active_bits[v_2 / 32] & (1 << (v_2 % 32))) != 0) {
                offered |= seen[multiply(v_2, 4) + lane];
                if (offered == -1) break;
            }
        }
        if ((offered & ~latest_long(alive[lane])) != 0) atom_or(&alive[lane], offered);
    }
}

// closeness.sp:9 for (src in g.nodes())
// nodes look for the bits that they lack
#line 9 "closeness.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void closeness_centrality_look_for_bits(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const long *restrict alive, __global long *reached, __global const int *restrict active_bits,
    __global const long *restrict seen, __global int *active_next_bits, __global int *active_next_list,
    __global int *active_next_size, __global int *more
) {
    bool more_part = false;
    __local int lacking[2048];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        arc_t arc = 0, end = 0;
        bool complete = true;
        if (brought >= 0) {
            const int word = brought;
            const int w_2 = word;
            lack_bits(&lacking[0], alive[0] & ~reached[multiply(word, 4)]);
            lack_bits(&lacking[512], alive[1] & ~reached[multiply(word, 4) + 1]);
            lack_bits(&lacking[1024], alive[2] & ~reached[multiply(word, 4) + 2]);
            lack_bits(&lacking[1536], alive[3] & ~reached[multiply(word, 4) + 3]);
            arc = in_row_offsets[w_2];
            end = in_row_offsets[w_2 + 1];
            complete = lacks_none(lacking, 4);
        }
        for (arc_t most = 8;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = complete ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(&rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place = get_local_id(0); place < count; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int v_2 = in_columns[in_e];
                if ((active_bits[v_2 / 32] & (1 << (v_2 % 32))) != 0) {
                    const long offered = seen[multiply(v_2, 4)];
                    const long offered_2 = seen[multiply(v_2, 4) + 1];
                    const long offered_3 = seen[multiply(v_2, 4) + 2];
                    const long offered_4 = seen[multiply(v_2, 4) + 3];
                    find_bits(&lacking[0], owner, offered);
                    find_bits(&lacking[512], owner, offered_2);
                    find_bits(&lacking[1024], owner, offered_3);
                    find_bits(&lacking[1536], owner, offered_4);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            arc = stop;
            complete = lacks_none(lacking, 4);
        }
        if (brought < 0) continue;
        const int word = brought;
        const int w_2 = word;
        const long found_2 = alive[0] & ~reached[multiply(word, 4)] & ~lacked_bits(&lacking[0], get_local_id(0));
        const long found_3 = alive[1] & ~reached[multiply(word, 4) + 1] & ~lacked_bits(&lacking[512], get_local_id(0));
        const long found_4 = alive[2] & ~reached[multiply(word, 4) + 2] & ~lacked_bits(&lacking[1024], get_local_id(0));
        const long found_5 = alive[3] & ~reached[multiply(word, 4) + 3] & ~lacked_bits(&lacking[1536], get_local_id(0));
        if ((found_2 | found_3 | found_4 | found_5) != 0) {
            reached[multiply(word, 4)] |= found_2;
            reached[multiply(word, 4) + 1] |= found_3;
            reached[multiply(word, 4) + 2] |= found_4;
            reached[multiply(word, 4) + 3] |= found_5;
            enlist(w_2, active_next_bits, active_next_list, active_next_size);
            more_part = true;
        }
    }
    if (more_part) *more = 1;
}

// closeness.sp:9 for (src in g.nodes())
// where many are active: goes over all, in their order
#line 9 "closeness.sp"
__kernel void closeness_centrality_visit_of_many(
    int num_nodes, __global const int *restrict active_bits, __global const long *restrict reached,
    __global long *seen, __global long *farness, __global int *reached_by, int steps
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((active_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int count = 0;
        const int word = multiply(v, 4);
        const long now = reached[word];
        const long now_2 = reached[word + 1];
        const long now_3 = reached[word + 2];
        const long now_4 = reached[word + 3];
        const long fresh = now & ~seen[word];
        const long fresh_2 = now_2 & ~seen[word + 1];
        const long fresh_3 = now_3 & ~seen[word + 2];
        const long fresh_4 = now_4 & ~seen[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        count = count + (int)popcount(fresh) + (int)popcount(fresh_2) + (int)popcount(fresh_3) + (int)popcount(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// how many arcs the active nodes have
#line 9 "closeness.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void arcs_of_active_list(
    __global const arc_t *restrict row_offsets, __global const int *restrict active_list, int active_count,
    __global float *active_arcs
) {
    float active_arcs_part = 0.0f;
    for (int place = get_global_id(0); place < active_count; place += get_global_size(0)) {
        const int active_node = active_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    __local float active_arcs_scratch[256];
    active_arcs_part = group_add_float(active_arcs_part, active_arcs_scratch);
    if (get_local_id(0) == 0) atomic_add_float(active_arcs, active_arcs_part);
}
