// The kernels of triangle_count.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// The arcs of the nodes that the work-items of a group bring, one node's after another's.
typedef struct {
    int node[256];     // whom a work-item has brought
    arc_t last[256];   // his arcs and those before them
    arc_t shift[256];  // from a place among them all to an arc of his
} GroupRows;

// Brings a node with its arcs from `first` to `end`, for all work-items of a group; returns how many arcs they bring.
static arc_t bring_arcs(__local GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = get_local_id(0);
    arc_t last = end - first;
    barrier(CLK_LOCAL_MEM_FENCE);  // nobody needs what was brought before
    rows->node[lane] = node;
    rows->last[lane] = last;
    for (int width = 1; width < 256; width *= 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= width) last += rows->last[lane - width];
        rows->shift[lane] = last;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= 2 * width) last += rows->shift[lane - 2 * width];
        rows->last[lane] = last;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    rows->shift[lane] = end - last;
    barrier(CLK_LOCAL_MEM_FENCE);
    return rows->last[256 - 1];
}

// Whom a work-item brings of all nodes, or -1. Nodes with many arcs often stand together, and should not be for one
// group alone: it gets eight that follow each other, and others from far away.
static int node_of_all(int begin, int num_nodes) {
    const int lane = get_local_id(0);
    const int node = begin + (int)(lane / 8 * get_num_groups(0) + get_group_id(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// Brings a node with all its arcs, or with none where it is -1; returns how many arcs the group brings.
static arc_t bring_rows(__local GroupRows *rows, int node, __global const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(rows, node, first, end);
}

// The lowest arc from source to destination, or -1: a binary search in the row.
static arc_t find_arc(__global const arc_t *row_offsets, __global const int *columns, int source, int destination) {
    const arc_t end = row_offsets[source + 1];
    arc_t low = row_offsets[source], high = end;
    while (low < high) {
        const arc_t middle = low + (high - low) / 2;
        if (columns[middle] < destination) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && columns[low] == destination ? low : -1;
}

// Which work-item brought the node of an arc.
static int owner_of(__local const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Combines the values of a work-group; its first work-item gets the total.
static long group_add_long(long value, __local long *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const long other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
}

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
                        if (find_arc(row_offsets, columns, u, w) >= 0) {
                            triangles_part += 1;
                        }
                    }
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) {
        atom_add(triangles, triangles_part);
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "triangle_count.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles_check(
    arc_t num_arcs, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict arc_sources, __global int *other_graph,
    __global long *downward_excess
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
            if (find_arc(row_offsets, columns, u, v) < 0) {
                other_graph_part = true;
            }
        }
        if (u > v) {
            downward_excess_part -= 1;
        }
    }
    if (other_graph_part) {
        *other_graph = 1;
    }
    __local long downward_excess_scratch[256];
    downward_excess_part = group_add_long(downward_excess_part, downward_excess_scratch);
    if (get_local_id(0) == 0) {
        atom_add(downward_excess, downward_excess_part);
    }
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
    arc_t num_arcs, __global const arc_t *restrict row_offsets,
    __global const int *restrict arc_sources, __global const arc_t *restrict kept_ends,
    __global const int *restrict kept_columns, __global long *triangles
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
                    if (low < last && kept_columns[low] == w) {
                        triangles_part += 1;
                    }
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) {
        atom_add(triangles, triangles_part);
    }
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
                        if (find_arc(row_offsets, columns, u, w) >= 0) {
                            triangles_part += 1;
                        }
                    }
                }
            }
        }
    }
    __local long triangles_scratch[256];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (get_local_id(0) == 0) {
        atom_add(triangles, triangles_part);
    }
}
