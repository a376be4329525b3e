// The kernels of minimum_spanning_tree.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#include "starplat_opencl_kernels.h"

#ifdef ARC_64
#define atomic_max_arc atom_max
#else
#define atomic_max_arc atomic_max
#endif

// minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
#line 15 "minimum_spanning_tree.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void minimum_spanning_tree_find_sum(
    arc_t num_arcs, __global const int *restrict weight, float limit, __global long *sum, __global long *light
) {
    long sum_part = 0;
    long light_part = 0;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        if (!((float)weight[e] <= limit)) continue;
        sum_part += weight[e];
        light_part += 1;
    }
    __local long sum_scratch[256];
    sum_part = group_add_long(sum_part, sum_scratch);
    if (get_local_id(0) == 0) atom_add(sum, sum_part);
    __local long light_scratch[256];
    light_part = group_add_long(light_part, light_scratch);
    if (get_local_id(0) == 0) atom_add(light, light_part);
}

// minimum_spanning_tree.sp:28 forall (e in g.edges())
#line 28 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_open(
    arc_t num_arcs, __global uchar *open_, __global const int *restrict weight, float limit
) {
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        open_[e] = (float)weight[e] <= limit;
    }
}

// minimum_spanning_tree.sp:31 forall (v in g.nodes())
#line 31 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_component(int num_nodes, __global int *component, __global int *joins) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        component[v] = v;
        joins[v] = v;
    }
}

// minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
#line 40 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_min_lightest(
    arc_t num_arcs, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global uchar *open_, __global const int *restrict component, __global int *lightest,
    __global const int *restrict weight
) {
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        if (!open_[e]) continue;
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a == b) {
            open_[e] = false;
        } else {
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

// minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
#line 50 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_max_choice(
    arc_t num_arcs, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global const uchar *restrict open_, __global const int *restrict component,
    __global const int *restrict weight, __global const int *restrict lightest, __global arc_t *choice
) {
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        if (!open_[e]) continue;
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (weight[e] == lightest[a]) {
            if (e > latest_arc(choice[a])) {
                atomic_max_arc(&choice[a], e);
            }
        }
        if (weight[e] == lightest[b]) {
            if (e > latest_arc(choice[b])) {
                atomic_max_arc(&choice[b], e);
            }
        }
    }
}

// minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
#line 60 "minimum_spanning_tree.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void minimum_spanning_tree_set_joins(
    int num_nodes, __global const int *restrict columns, __global const int *restrict arc_sources,
    __global const arc_t *restrict choice, __global const int *restrict component, __global int *joins,
    __global uchar *in_tree, __global const int *restrict weight, __global long *total, __global int *growing
) {
    long total_part = 0;
    bool growing_part = false;
    for (int a = get_global_id(0); a < num_nodes; a += get_global_size(0)) {
        if (choice[a] == -1) continue;
        const arc_t e = choice[a];
        int b = component[arc_sources[e]];
        if (b == a) b = component[columns[e]];
        if (choice[b] != e || b < a) {
            joins[a] = b;
            in_tree[e] = true;
            total_part += weight[e];
            growing_part = true;
        }
    }
    __local long total_scratch[256];
    total_part = group_add_long(total_part, total_scratch);
    if (get_local_id(0) == 0) atom_add(total, total_part);
    if (growing_part) *growing = 1;
}

// minimum_spanning_tree.sp:73 forall (v in g.nodes())
#line 73 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_component_2(
    int num_nodes, __global int *component, __global const int *restrict joins
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int root = component[v];
        while (joins[root] != root) {
            root = joins[root];
        }
        component[v] = root;
    }
}

// minimum_spanning_tree.sp:81 forall (e in g.edges())
#line 81 "minimum_spanning_tree.sp"
__kernel void minimum_spanning_tree_set_open_2(
    arc_t num_arcs, __global uchar *open_, __global const int *restrict weight, float limit
) {
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        open_[e] = !((float)weight[e] <= limit);
    }
}
