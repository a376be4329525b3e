// The kernels of graph_coloring.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// graph_coloring.sp:35 function priority(node v)
#line 35 "graph_coloring.sp"
static long priority(int v) {
    return multiply_long(v, 2654435761L) % 4294967296L;
}

// graph_coloring.sp:10 forall (v in g.nodes().filter(color == -1))
#line 10 "graph_coloring.sp"
__kernel void graph_coloring_set_color_nxt(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const int *restrict color, __global int *color_nxt
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (color[v] != -1) continue;
        bool wins = true;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] == -1 && u != v) {
                if (priority(u) > priority(v)) wins = false;
            }
        }
        if (wins) {
            int free_ = -1;
            bool taken = true;
            while (taken) {
                free_ += 1;
                taken = false;
                const arc_t first_out_2 = row_offsets[v];
                const arc_t outs_2 = row_offsets[v + 1] - first_out_2;
                const arc_t first_in_2 = in_row_offsets[v];
                const arc_t end_2 = outs_2 + (in_row_offsets[v + 1] - first_in_2);
                for (arc_t i_2 = 0; i_2 < end_2; i_2++) {
                    const int u_2 = i_2 < outs_2 ? columns[first_out_2 + i_2] : in_columns[first_in_2 + (i_2 - outs_2)];
                    if (color[u_2] == free_) taken = true;
                }
            }
            color_nxt[v] = free_;
        }
    }
}

// graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
// first color = color_nxt
#line 9 "graph_coloring.sp"
__kernel void graph_coloring_find_finished(
    int num_nodes, __global const uchar *restrict goes_on, __global int *color,
    __global const int *restrict color_nxt, __global int *finished_found
) {
    if (!*goes_on) return;
    bool finished_part = true;
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        color[node] = color_nxt[node];
        if (color[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished_found = 0;
}

// graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
// puts what rounds change on the device
#line 9 "graph_coloring.sp"
__kernel void graph_coloring_begin(__global uchar *goes_on, __global int *finished_found) {
    *goes_on = true;
    *finished_found = 1;
}

// graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
// works out what the host does not wait for: finished
#line 9 "graph_coloring.sp"
__kernel void graph_coloring_end_round(__global uchar *goes_on, __global int *finished_found) {
    if (!*goes_on) return;
    const bool finished = *finished_found != 0;
    const bool again = !finished;
    *goes_on = again;
    *finished_found = 1;
}
