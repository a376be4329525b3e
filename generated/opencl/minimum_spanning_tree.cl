// The kernels of minimum_spanning_tree.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#include "starplat_opencl_kernels.h"

#ifdef ARC_64
#define atomic_max_arc atom_max
#else
#define atomic_max_arc atomic_max
#endif

// minimum_spanning_tree.sp:11 forall (v in g.nodes())
#line 11 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_component(int num_nodes, __global int *component, __global int *joins) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        component[v] = v;
        joins[v] = v;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
#line 19 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_min_lightest(
    arc_t num_arcs, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global const uchar *restrict goes_on, __global const int *restrict component, __global int *lightest,
    __global const int *restrict weight
) {
    if (!*goes_on) return;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b) {
            const int candidate = weight[e];
            if (candidate < latest(lightest[a])) {
                atomic_min(&lightest[a], candidate);
            }
            const int candidate_2 = weight[e];
            if (candidate_2 < latest(lightest[b])) {
                atomic_min(&lightest[b], candidate_2);
            }
        }
    }
}

// minimum_spanning_tree.sp:27 forall (e in g.edges())
#line 27 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_max_choice(
    arc_t num_arcs, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global const uchar *restrict goes_on, __global const int *restrict component,
    __global const int *restrict weight, __global const int *restrict lightest, __global arc_t *choice
) {
    if (!*goes_on) return;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b && weight[e] == lightest[a]) {
            if (e > latest_arc(choice[a])) {
                atomic_max_arc(&choice[a], e);
            }
        }
        if (a != b && weight[e] == lightest[b]) {
            if (e > latest_arc(choice[b])) {
                atomic_max_arc(&choice[b], e);
            }
        }
    }
}

// minimum_spanning_tree.sp:37 forall (a in g.nodes().filter(choice != -1))
#line 37 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_joins(
    int num_nodes, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global const uchar *restrict goes_on, __global const arc_t *restrict choice,
    __global const int *restrict component, __global int *joins, __global uchar *in_tree,
    __global int *growing_found
) {
    if (!*goes_on) return;
    bool growing_part = false;
    for (int a = get_global_id(0); a < num_nodes; a += get_global_size(0)) {
        if (choice[a] == -1) continue;
        const arc_t e = choice[a];
        int b = component[arc_sources[e]];
        if (b == a) b = component[columns[e]];
        if (choice[b] != e || b < a) joins[a] = b;
        in_tree[e] = true;
        growing_part = true;
    }
    if (growing_part) *growing_found = 1;
}

// minimum_spanning_tree.sp:49 forall (v in g.nodes())
#line 49 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_component_2(
    int num_nodes, __global const uchar *restrict goes_on, __global int *component,
    __global const int *restrict joins
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int root = component[v];
        while (joins[root] != root) {
            root = joins[root];
        }
        component[v] = root;
    }
}

// minimum_spanning_tree.sp:58 forall (e in g.edges().filter(in_tree))
#line 58 "minimum_spanning_tree.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void minimum_spanning_tree_find_total(
    arc_t num_arcs, __global const uchar *restrict in_tree, __global const int *restrict weight,
    __global long *total
) {
    long total_part = 0;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        if (!in_tree[e]) continue;
        total_part += weight[e];
    }
    __local long total_scratch[256];
    total_part = group_add_long(total_part, total_scratch);
    if (get_local_id(0) == 0) atom_add(total, total_part);
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// puts what rounds change on the device
#line 19 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_begin(__global uchar *goes_on, __global int *growing_found) {
    *goes_on = true;
    *growing_found = 0;
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// fill lightest
#line 19 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_fill_lightest(
    int num_nodes, __global const uchar *restrict goes_on, __global int *lightest
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        lightest[v] = INT_MAX;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// fill choice
#line 19 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_fill_choice(
    int num_nodes, __global const uchar *restrict goes_on, __global arc_t *choice
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        choice[v] = -1;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// works out what the host does not wait for: growing
#line 19 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_end_round(__global uchar *goes_on, __global int *growing_found) {
    if (!*goes_on) return;
    const bool growing = *growing_found != 0;
    *goes_on = growing;
    *growing_found = 0;
}
