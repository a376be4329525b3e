// The kernels of degree_centrality.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// degree_centrality.sp:6 forall (v in g.nodes())
#line 6 "degree_centrality.sp"
KERNEL degree_centrality_set_out_centrality(
    int num_nodes, const arc_t *__restrict row_offsets, const arc_t *__restrict in_row_offsets,
    double *out_centrality, double *in_centrality, double others
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        out_centrality[v] = (double)(row_offsets[v + 1] - row_offsets[v]) / others;
        in_centrality[v] = (double)(in_row_offsets[v + 1] - in_row_offsets[v]) / others;
    }
}
