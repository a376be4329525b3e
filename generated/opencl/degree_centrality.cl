// The kernels of degree_centrality.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "starplat_opencl_kernels.h"

// degree_centrality.sp:6 forall (v in g.nodes())
#line 6 "degree_centrality.sp"
__kernel void degree_centrality_set_out_centrality(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const arc_t *restrict in_row_offsets,
    __global double *out_centrality, __global double *in_centrality, double others
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        out_centrality[v] = (double)(row_offsets[v + 1] - row_offsets[v]) / others;
        in_centrality[v] = (double)(in_row_offsets[v + 1] - in_row_offsets[v]) / others;
    }
}
