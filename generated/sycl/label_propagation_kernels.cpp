// The kernels of label_propagation.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
KERNEL label_propagation_set_label(int num_nodes, int *label) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
KERNEL label_propagation_set_label_nxt(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict label,
    int *label_nxt
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
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
