// The kernels of connected_components.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
__kernel void connected_components_component_start(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *component
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = min(v, columns[first]);
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
__kernel void connected_components_component_sample(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *component
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = latest(component[v]);
            int above_own = latest(component[own]);
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic_min(&component[v], above_own);
                own = above_own;
                above_own = latest(component[own]);
                steps_own += 1;
            }
            int a = latest(component[v]);
            int b = latest(component[u]);
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(component[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = latest(component[held]);
                if (above != held) atomic_min(&component[high], above);
                a = above;
                b = latest(component[low]);
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void connected_components_component_join(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *component
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = latest(component[v]);
            int b = latest(component[u]);
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(component[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = latest(component[held]);
                if (above != held) atomic_min(&component[high], above);
                a = above;
                b = latest(component[low]);
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
__kernel void connected_components_component_flatten(int num_nodes, __global int *component) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(component[v]);
        int above = latest(component[held]);
        while (held != above) {
            atomic_min(&component[v], above);
            held = above;
            above = latest(component[held]);
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void connected_components_component_join_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict component_apart, __global int *component
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !component_apart[brought]) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = latest(component[v]);
            int b = latest(component[u]);
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(component[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = latest(component[held]);
                if (above != held) atomic_min(&component[high], above);
                a = above;
                b = latest(component[low]);
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
__kernel void connected_components_component_set_apart_symmetric(
    int num_nodes, __global int *component, __global uchar *component_apart, int middle
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(component[v]);
        int above = latest(component[held]);
        int steps = 0;
        while (held != above && steps < 64) {
            atomic_min(&component[v], above);
            held = above;
            above = latest(component[held]);
            steps += 1;
        }
        int great = latest(component[middle]);
        int above_great = latest(component[great]);
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic_min(&component[middle], above_great);
            great = above_great;
            above_great = latest(component[great]);
            steps_great += 1;
        }
        component_apart[v] = held != great;
    }
}
