// The kernels of pagerank.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
KERNEL pagerank_find_stranded_and_set_contribution(
    int num_nodes, const arc_t *__restrict row_offsets, const bool *__restrict goes_on,
    const double *__restrict rank, double *contribution, double *stranded_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    double stranded_part = 0.0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) stranded_part += rank[v];
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    stranded_part = sycl::reduce_over_group(item.get_group(), stranded_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) atomic(*stranded_found).fetch_add(stranded_part);
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
KERNEL pagerank_set_rank_nxt(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    const bool *__restrict goes_on, const double *__restrict contribution, const double *__restrict stranded_found,
    double *rank, double damping, double n, double *change_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    double change_part = 0.0;
    auto &values = group_memory<double[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        double inflow = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + item.get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int nbr = in_columns[in_e];
                const double value = contribution[nbr];
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            inflow = join_add_double(item, &rows, from, to, joined, values, inflow);
        }
        if (brought < 0) continue;
        const int v = brought;
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + (0.0 + *stranded_found) / n);
        const double old_rank = rank[v];
        change_part += sycl::fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) rank[v] = rank_nxt_of_v;
    }
    change_part = sycl::reduce_over_group(item.get_group(), change_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) atomic(*change_found).fetch_add(change_part);
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// puts what rounds change on the device
#line 14 "pagerank.sp"
KERNEL pagerank_begin(
    bool *goes_on, int *iterations_cell, double *stranded_found, double *change_found, int iterations
) {
    *goes_on = true;
    *iterations_cell = iterations;
    *stranded_found = 0.0;
    *change_found = 0.0;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// works out what the host does not wait for: change, iterations
#line 14 "pagerank.sp"
KERNEL pagerank_end_round(
    bool *goes_on, double *change_found, int *iterations_cell, double *stranded_found, double tolerance,
    int max_iterations
) {
    if (!*goes_on) return;
    const double change = 0.0 + *change_found;
    const int iterations = *iterations_cell + 1;
    const bool again = change > tolerance && iterations < max_iterations;
    *iterations_cell = iterations;
    *goes_on = again;
    *stranded_found = 0.0;
    *change_found = 0.0;
}
