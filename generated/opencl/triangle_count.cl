// The kernels of triangle_count.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global long *triangles
) {
    long triangles_part = 0;
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) triangles_part += 1;
                    }
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) atom_add(triangles, triangles_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "triangle_count.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_check(
    arc_t num_arcs, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict arc_sources, __global int *other_graph, __global long *downward_excess
) {
    bool other_graph_part = false;
    long downward_excess_part = 0;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = true;
        }
        if (u < v) {
            downward_excess_part += 1;
            if (find_arc(row_offsets, columns, u, v) < 0) other_graph_part = true;
        }
        if (u > v) downward_excess_part -= 1;
    }
    if (other_graph_part) *other_graph = 1;
    __local long downward_excess_scratch[256];
    downward_excess_part = group_add_long(downward_excess_part, downward_excess_scratch);
    if (get_local_id(0) == 0) atom_add(downward_excess, downward_excess_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
__kernel __attribute__((vec_type_hint(int4)))
void triangle_count_find_triangles_orient(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *kept_columns, __global arc_t *kept_ends
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        arc_t next = row_offsets[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
            if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
                kept_columns[next] = u;
                next += 1;
            }
        }
        kept_ends[v] = next;
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "triangle_count.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_intersect(
    arc_t num_arcs, __global const arc_t *restrict row_offsets, __global const int *restrict arc_sources,
    __global const arc_t *restrict kept_ends, __global const int *restrict kept_columns, __global long *triangles
) {
    long triangles_part = 0;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int v = arc_sources[e];
        const arc_t end = kept_ends[v];
        if (e < end) {
            const int w = kept_columns[e];
            for (arc_t i = row_offsets[v]; i < end; i++) {
                const int u = kept_columns[i];
                if (u != w) {
                    arc_t low = row_offsets[u];
                    const arc_t last = kept_ends[u];
                    arc_t high = last;
                    while (low < high) {
                        const arc_t middle = low + (high - low) / 2;
                        if (kept_columns[middle] < w) {
                            low = middle + 1;
                        } else {
                            high = middle;
                        }
                    }
                    if (low < last && kept_columns[low] == w) triangles_part += 1;
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) atom_add(triangles, triangles_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_few_pairs(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global long *triangles
) {
    long triangles_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) triangles_part += 1;
                    }
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) atom_add(triangles, triangles_part);
}
