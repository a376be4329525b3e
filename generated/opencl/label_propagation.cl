// The kernels of label_propagation.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
__kernel void label_propagation_set_label(int num_nodes, __global int *label) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
__kernel void label_propagation_set_label_nxt(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict label, __global int *label_nxt
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int favourite = label[v];
        int most = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end_2 = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end_2; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            int votes = 0;
            const arc_t first_out_2 = row_offsets[v];
            const arc_t outs_2 = row_offsets[v + 1] - first_out_2;
            const arc_t first_in_2 = in_row_offsets[v];
            const arc_t end = outs_2 + (in_row_offsets[v + 1] - first_in_2);
            for (arc_t i_2 = 0; i_2 < end; i_2++) {
                const int w = i_2 < outs_2 ? columns[first_out_2 + i_2] : in_columns[first_in_2 + (i_2 - outs_2)];
                if (label[w] == label[u]) votes += 1;
            }
            if (votes > most || (votes == most && label[u] < favourite)) {
                most = votes;
                favourite = label[u];
            }
        }
        label_nxt[v] = favourite;
    }
}
