// The kernels of strongly_connected_components.sp in OpenCL C 1.2.
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

// strongly_connected_components.sp:33 forall (v in g.nodes())
#line 33 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_set_open(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict cluster, __global uchar *open_
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (cluster[w] != cluster[v]) {
                const int own = cluster[v];
                open_[own] = true;
            }
        }
    }
}

// strongly_connected_components.sp:39 forall (v in g.nodes())
// first component = -1
#line 39 "strongly_connected_components.sp"
__kernel void settle_set_component(
    int num_nodes, __global int *component, __global const int *restrict cluster,
    __global const uchar *restrict open_
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        component[v] = -1;
        const int own = cluster[v];
        if (!open_[own]) component[v] = own;
    }
}

// strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
#line 55 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_set_alone(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const int *restrict component, __global uchar *alone
) {
    if (!*goes_on) return;
    __local int passing[256];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && component[brought] != -1) brought = -1;
        arc_t arc = brought < 0 ? 0 : in_row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : in_row_offsets[brought + 1];
        bool led_to = false;
        passing[get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = led_to ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(&rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place = get_local_id(0); place < count; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t in_e = place + rows.shift[owner];
                const int u = in_columns[in_e];
                if (component[u] == -1 && u != v) passing[owner] = true;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            arc = stop;
            led_to = passing[get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        bool leads_on = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) {
                leads_on = true;
                break;
            }
        }
        alone[v] = !(led_to && leads_on);
    }
}

// strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
#line 68 "strongly_connected_components.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_set_component_2(
    int num_nodes, __global const uchar *restrict goes_on, __global int *component,
    __global const uchar *restrict alone, __global long *trimmed_found
) {
    if (!*goes_on) return;
    long trimmed_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    __local long trimmed_scratch[256];
    trimmed_part = group_add_long(trimmed_part, trimmed_scratch);
    if (get_local_id(0) == 0) atom_add(trimmed_found, trimmed_part);
}

// strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
#line 74 "strongly_connected_components.sp"
__kernel void settle_set_color(
    int num_nodes, __global const int *restrict component, __global int *color,
    __global const int *restrict cluster, __global int *modified_2_bits, __global int *modified_2_list,
    __global int *modified_2_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (component[v] != -1) continue;
        color[v] = cluster[v];
        enlist(v, modified_2_bits, modified_2_list, modified_2_size);
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_min_color(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_2_list, __global int *modified_2_bits,
    __global const int *restrict component, __global int *color, __global int *modified_2_next_bits,
    __global int *modified_2_next_list, __global int *modified_2_next_size, int modified_2_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < modified_2_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_2_count);
        const int brought = listed_node(modified_2_list, begin, modified_2_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_2_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = latest(color[v]);
                if (candidate < latest(color[w]) && candidate < atomic_min(&color[w], candidate)) {
                    enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
#line 87 "strongly_connected_components.sp"
__kernel void settle_set_component_3(
    int num_nodes, __global int *component, __global const int *restrict color,
    __global const int *restrict cluster, __global int *modified_2_bits, __global int *modified_2_list,
    __global int *modified_2_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && color[v] == cluster[v])) continue;
        component[v] = color[v];
        enlist(v, modified_2_bits, modified_2_list, modified_2_size);
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_max_component(
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict modified_2_list, __global int *modified_2_bits, __global const int *restrict color,
    __global int *component, __global int *modified_2_next_bits, __global int *modified_2_next_list,
    __global int *modified_2_next_size, int modified_2_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < modified_2_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_2_count);
        const int brought = listed_node(modified_2_list, begin, modified_2_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_2_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, in_row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > latest(component[u]) && candidate > atomic_max(&component[u], candidate)) {
                    enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
#line 51 "strongly_connected_components.sp"
__kernel void settle_find_finished(int num_nodes, __global const int *restrict component, __global int *finished) {
    bool finished_part = true;
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        if (component[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to itself
#line 21 "strongly_connected_components.sp"
__kernel void my_join_both_ways_cluster_start(int num_nodes, __global int *cluster) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        cluster[v] = v;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the trees at the ends of arcs that have their reverse
#line 21 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void my_join_both_ways_cluster_join(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns, __global int *cluster
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = in_columns[e];
            if (u < v && latest(cluster[v]) != latest(cluster[u])) {
                if (find_arc(row_offsets, columns, v, u) >= 0) {
                    int a = latest(cluster[v]);
                    int b = latest(cluster[u]);
                    while (a != b) {
                        const int low = min(a, b);
                        const int high = max(a, b);
                        int held = latest(cluster[high]);
                        if (held == high) {
                            held = atomic_cmpxchg(&cluster[high], high, low);
                            if (held == high) break;
                        }
                        if (held == low) break;
                        const int above = latest(cluster[held]);
                        if (above != held) atomic_min(&cluster[high], above);
                        a = above;
                        b = latest(cluster[low]);
                    }
                }
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to the root of its tree
#line 21 "strongly_connected_components.sp"
__kernel void my_join_both_ways_cluster_flatten(int num_nodes, __global int *cluster) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(cluster[v]);
        int above = latest(cluster[held]);
        while (held != above) {
            atomic_min(&cluster[v], above);
            held = above;
            above = latest(cluster[held]);
        }
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 80 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_min_color_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_2_bits, __global const int *restrict component, __global int *color,
    __global int *modified_2_next_bits, __global int *modified_2_next_list, __global int *modified_2_next_size
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (modified_2_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = latest(color[v]);
                if (candidate < latest(color[w]) && candidate < atomic_min(&color[w], candidate)) {
                    enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 93 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void settle_max_component_of_many(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict modified_2_bits, __global const int *restrict color, __global int *component,
    __global int *modified_2_next_bits, __global int *modified_2_next_list, __global int *modified_2_next_size
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (modified_2_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > latest(component[u]) && candidate > atomic_max(&component[u], candidate)) {
                    enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
// puts what rounds change on the device
#line 51 "strongly_connected_components.sp"
__kernel void settle_begin(__global uchar *goes_on, __global long *trimmed_found) {
    *goes_on = true;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
// works out what the host does not wait for: trimmed
#line 51 "strongly_connected_components.sp"
__kernel void settle_end_round(__global uchar *goes_on, __global long *trimmed_found) {
    if (!*goes_on) return;
    const long trimmed = (long)((ulong)0L + *trimmed_found);
    const bool again = trimmed > 0;
    *goes_on = again;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to its best neighbor
#line 21 "strongly_connected_components.sp"
__kernel void my_join_both_ways_cluster_start_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *cluster
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = min(v, columns[first]);
        cluster[v] = best;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins every node to a second neighbor
#line 21 "strongly_connected_components.sp"
__kernel void my_join_both_ways_cluster_sample_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *cluster
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = latest(cluster[v]);
            int above_own = latest(cluster[own]);
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic_min(&cluster[v], above_own);
                own = above_own;
                above_own = latest(cluster[own]);
                steps_own += 1;
            }
            int a = latest(cluster[v]);
            int b = latest(cluster[u]);
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(cluster[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&cluster[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = latest(cluster[held]);
                if (above != held) atomic_min(&cluster[high], above);
                a = above;
                b = latest(cluster[low]);
                steps += 1;
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the other trees along their arcs
#line 21 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void my_join_both_ways_cluster_join_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict cluster_apart, __global int *cluster
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !cluster_apart[brought]) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = latest(cluster[v]);
            int b = latest(cluster[u]);
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(cluster[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&cluster[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = latest(cluster[held]);
                if (above != held) atomic_min(&cluster[high], above);
                a = above;
                b = latest(cluster[low]);
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 21 "strongly_connected_components.sp"
__kernel void my_join_both_ways_cluster_set_apart_symmetric(
    int num_nodes, __global int *cluster, __global uchar *cluster_apart, int middle
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(cluster[v]);
        int above = latest(cluster[held]);
        int steps = 0;
        while (held != above && steps < 64) {
            atomic_min(&cluster[v], above);
            held = above;
            above = latest(cluster[held]);
            steps += 1;
        }
        int great = latest(cluster[middle]);
        int above_great = latest(cluster[great]);
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic_min(&cluster[middle], above_great);
            great = above_great;
            above_great = latest(cluster[great]);
            steps_great += 1;
        }
        cluster_apart[v] = held != great;
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void settle_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *modified_2_list, __global int *modified_2_bits, __global const int *restrict component,
    __global int *color, __global int *modified_2_next_bits, __global int *modified_2_next_list,
    __global int *modified_2_next_size, __global int *modified_2_size, uchar colored, int modified_2_count, int few,
    uchar turned, __global int *modified_2_count_outcome, __global int *colored_outcome,
    __global int *turned_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
            #line 80 "strongly_connected_components.sp"
            for (int place = get_global_id(0); place < modified_2_count; place += get_global_size(0)) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (component[w] == -1) {
                        const int candidate = latest(color[v]);
                        if (candidate < latest(color[w]) && candidate < atomic_min(&color[w], candidate)) {
                            enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        if (get_global_id(0) == 0) *modified_2_size = 0;
        { __global int *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { __global int *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { __global int *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_2_count = *modified_2_size;
        colored = modified_2_count == 0;
        turned = !turned;
        if (get_global_id(0) == 0) {
            *modified_2_count_outcome = modified_2_count;
            *colored_outcome = colored;
            *turned_outcome = turned;
        }
    } while (!colored && (modified_2_count < few && modified_2_count <= num_nodes / 8));
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void settle_few_2(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *modified_2_list, __global int *modified_2_bits, __global const int *restrict color,
    __global int *component, __global int *modified_2_next_bits, __global int *modified_2_next_list,
    __global int *modified_2_next_size, __global int *modified_2_size, uchar collected, int modified_2_count,
    int few_2, uchar turned_2, __global int *modified_2_count_outcome, __global int *collected_outcome,
    __global int *turned_2_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
            #line 93 "strongly_connected_components.sp"
            for (int place = get_global_id(0); place < modified_2_count; place += get_global_size(0)) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (color[u] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > latest(component[u]) && candidate > atomic_max(&component[u], candidate)) {
                            enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        if (get_global_id(0) == 0) *modified_2_size = 0;
        { __global int *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { __global int *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { __global int *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_2_count = *modified_2_size;
        collected = modified_2_count == 0;
        turned_2 = !turned_2;
        if (get_global_id(0) == 0) {
            *modified_2_count_outcome = modified_2_count;
            *collected_outcome = collected;
            *turned_2_outcome = turned_2;
        }
    } while (!collected && (modified_2_count < few_2 && modified_2_count <= num_nodes / 8));
}
