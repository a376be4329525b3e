// The kernels of pagerank.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// A cell that work-items share.
template <class T>
static auto atomic(volatile T &cell) {
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                            sycl::access::address_space::global_space>(const_cast<T &>(cell));
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
KERNEL pagerank_find_stranded_and_set_contribution(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const double *__restrict rank,
    double *contribution,
    double *stranded
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    double stranded_part = 0.0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) {
            stranded_part += rank[v];
        }
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    stranded_part = sycl::reduce_over_group(item.get_group(), stranded_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) {
        atomic(*stranded).fetch_add(stranded_part);
    }
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
KERNEL pagerank_set_rank_nxt(
    int num_nodes,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    const double *__restrict contribution,
    double *rank,
    double damping,
    double n,
    double stranded,
    double *change
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    double change_part = 0.0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        double inflow = 0.0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            inflow += contribution[nbr];
        }
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + stranded / n);
        const double old_rank = rank[v];
        change_part += sycl::fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) {
            rank[v] = rank_nxt_of_v;
        }
    }
    change_part = sycl::reduce_over_group(item.get_group(), change_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) {
        atomic(*change).fetch_add(change_part);
    }
}
