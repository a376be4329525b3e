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
// triangles: does every arc have its reverse, and none beside it? keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_check(
    arc_t num_arcs, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict arc_sources, __global int *kept_arcs, __global int *kept_columns,
    __global int *other_graph, __global long *downward_excess
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
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
        if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
            const int place = atomic_add(&kept_arcs[v], 1);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
    __local long downward_excess_scratch[256];
    downward_excess_part = group_add_long(downward_excess_part, downward_excess_scratch);
    if (get_local_id(0) == 0) atom_add(downward_excess, downward_excess_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "triangle_count.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_intersect(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict kept_columns, __global const int *restrict kept_arcs, __global long *triangles
) {
    long triangles_part = 0;
    __local GroupTables tables;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = keep_rows(&tables, brought, row_offsets, kept_arcs);
        for (arc_t from = 0, to; from < count; from = to) {
            to = fill_tables(&tables, from, kept_columns);
            for (arc_t arc = 0; arc >= 0;) {
                arc = look_up(&tables, false, from, to, arc, row_offsets, columns, kept_columns, kept_arcs);
                for (int which = 0; which < nodes_to_tell(arc < 0); which++) {
                    int v;
                    const long number = take_found(&tables, which, &v);
                    if (number == 0) continue;
                    triangles_part += number;
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

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: is no arc twice? keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
__kernel void triangle_count_find_triangles_check_symmetric(
    arc_t num_arcs, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict arc_sources, __global int *kept_arcs, __global int *kept_columns,
    __global int *other_graph
) {
    bool other_graph_part = false;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = true;
        }
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
        if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
            const int place = atomic_add(&kept_arcs[v], 1);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
}
