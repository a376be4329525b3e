// The kernels of radii.sp in OpenCL C 1.2.
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

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 11 "radii.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void radii_min_bfs_level(
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

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
__kernel __attribute__((vec_type_hint(int4)))
void radii_min_level(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict bfs_level_order, __global const int *restrict bfs_level, __global int *level,
    __global int *radius, int bfs_level_begin, int bfs_level_end, int depth
) {
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = (int)((uint)latest(level[v]) + 1);
                if (candidate < latest(level[w])) {
                    atomic_min(&level[w], candidate);
                }
            }
        }
        const int candidate_2 = latest(level[v]);
        if (candidate_2 > radius[v]) {
            radius[v] = candidate_2;
        }
    }
}

// radii.sp:7 for (src in sources)
// gives each source of the batch its bit
#line 7 "radii.sp"
__kernel void radii_begin(
    __global const int *restrict sources_in_turn, __global long *reached, __global int *active_bits,
    __global int *active_list, __global int *active_size, int last, int first
) {
    for (int number = get_global_id(0); number < last - first; number += get_global_size(0)) {
        const int place = first + number;
        const int source = sources_in_turn[place];
        reached[multiply(source, 4) + (place - first) / 64] = 1L << ((place - first) % 64);
        enlist(source, active_bits, active_list, active_size);
    }
}

// radii.sp:7 for (src in sources)
#line 7 "radii.sp"
__kernel void radii_visit(
    __global const int *restrict active_list, __global const long *restrict reached, __global long *seen,
    __global int *radius, int active_count, int steps
) {
    for (int place = get_global_id(0); place < active_count; place += get_global_size(0)) {
        const int v = active_list[place];
        const int word = multiply(v, 4);
        const long now = reached[word];
        const long now_2 = reached[word + 1];
        const long now_3 = reached[word + 2];
        const long now_4 = reached[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        if (steps > radius[v]) {
            radius[v] = steps;
        }
    }
}

// radii.sp:7 for (src in sources)
// neighbors take the bits that they lack
#line 7 "radii.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void radii_offer_bits(
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

// radii.sp:7 for (src in sources)
// the bits that any node offers
#line 7 "radii.sp"
__kernel void radii_join_bits(
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

// radii.sp:7 for (src in sources)
// nodes look for the bits that they lack
#line 7 "radii.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void radii_look_for_bits(
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

// radii.sp:7 for (src in sources)
// lists the sources
#line 7 "radii.sp"
__kernel void radii_list_sources(
    int num_nodes, __global const uchar *restrict sources, __global int *listed_, __global int *sources_in_turn
) {
    for (int source = get_global_id(0); source < num_nodes; source += get_global_size(0)) {
        if (!sources[source]) continue;
        const int place = atomic_add(listed_, 1);
        sources_in_turn[place] = source;
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 11 "radii.sp"
__kernel __attribute__((vec_type_hint(int4)))
void radii_min_bfs_level_pull(
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

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 11 "radii.sp"
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

// radii.sp:7 for (src in sources)
// where many are active: goes over all, in their order
#line 7 "radii.sp"
__kernel void radii_visit_of_many(
    int num_nodes, __global const int *restrict active_bits, __global const long *restrict reached,
    __global long *seen, __global int *radius, int steps
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((active_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        const int word = multiply(v, 4);
        const long now = reached[word];
        const long now_2 = reached[word + 1];
        const long now_3 = reached[word + 2];
        const long now_4 = reached[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        if (steps > radius[v]) {
            radius[v] = steps;
        }
    }
}

// radii.sp:7 for (src in sources)
// how many arcs the active nodes have
#line 7 "radii.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void arcs_of_active_list(
    __global const arc_t *restrict row_offsets, __global const int *restrict active_list, int active_count,
    __global float *active_arcs_2
) {
    float active_arcs_2_part = 0.0f;
    for (int place = get_global_id(0); place < active_count; place += get_global_size(0)) {
        const int active_node_2 = active_list[place];
        active_arcs_2_part += (float)(row_offsets[active_node_2 + 1] - row_offsets[active_node_2]);
    }
    __local float active_arcs_2_scratch[256];
    active_arcs_2_part = group_add_float(active_arcs_2_part, active_arcs_2_scratch);
    if (get_local_id(0) == 0) atomic_add_float(active_arcs_2, active_arcs_2_part);
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
__kernel __attribute__((vec_type_hint(int4)))
void radii_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *bfs_level_order, __global int *bfs_level, __global int *bfs_level_count, __global int *level,
    __global int *radius, uchar found, int bfs_level_end, int bfs_level_begin, int few, int depth,
    __global int *depth_outcome, __global int *bfs_level_begin_outcome, __global int *bfs_level_end_outcome,
    __global int *found_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin + get_global_id(0); place_2 < bfs_level_end;
                    place_2 += get_global_size(0)) {
                const int v = bfs_level_order[place_2];
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
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin + get_global_id(0); place_2 < bfs_level_end;
                    place_2 += get_global_size(0)) {
                const int v = bfs_level_order[place_2];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (latest(bfs_level[w]) == depth + 1) {
                        const int candidate = (int)((uint)latest(level[v]) + 1);
                        if (candidate < latest(level[w])) {
                            atomic_min(&level[w], candidate);
                        }
                    }
                }
                const int candidate_2 = latest(level[v]);
                if (candidate_2 > radius[v]) {
                    radius[v] = candidate_2;
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
