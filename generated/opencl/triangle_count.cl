// The kernels of triangle_count.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

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
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void triangle_count_find_triangles(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
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
