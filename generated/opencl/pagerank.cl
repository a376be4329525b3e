// The kernels of pagerank.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_find_stranded_and_set_contribution(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const uchar *restrict goes_on,
    __global const double *restrict rank, __global double *contribution, __global double *stranded_found
) {
    if (!*goes_on) return;
    double stranded_part = 0.0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) stranded_part += rank[v];
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    __local double stranded_scratch[256];
    stranded_part = group_add_double(stranded_part, stranded_scratch);
    if (get_local_id(0) == 0) atomic_add_double(stranded_found, stranded_part);
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_set_rank_nxt(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const double *restrict contribution,
    __global const double *restrict stranded_found, __global double *rank, double damping, double n,
    __global double *change_found
) {
    if (!*goes_on) return;
    double change_part = 0.0;
    __local double values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        double inflow = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
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
            inflow = join_add_double(&rows, from, to, joined, values, inflow);
        }
        if (brought < 0) continue;
        const int v = brought;
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + (0.0 + *stranded_found) / n);
        const double old_rank = rank[v];
        change_part += fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) rank[v] = rank_nxt_of_v;
    }
    __local double change_scratch[256];
    change_part = group_add_double(change_part, change_scratch);
    if (get_local_id(0) == 0) atomic_add_double(change_found, change_part);
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// puts what rounds change on the device
#line 14 "pagerank.sp"
__kernel void pagerank_begin(
    __global uchar *goes_on, __global int *iterations_cell, __global double *stranded_found,
    __global double *change_found, int iterations
) {
    *goes_on = true;
    *iterations_cell = iterations;
    *stranded_found = 0.0;
    *change_found = 0.0;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// works out what the host does not wait for: change, iterations
#line 14 "pagerank.sp"
__kernel void pagerank_end_round(
    __global uchar *goes_on, __global double *change_found, __global int *iterations_cell,
    __global double *stranded_found, double tolerance, int max_iterations
) {
    if (!*goes_on) return;
    const double change = 0.0 + *change_found;
    const int iterations = (int)((uint)*iterations_cell + 1);
    const bool again = change > tolerance && iterations < max_iterations;
    *iterations_cell = iterations;
    *goes_on = again;
    *stranded_found = 0.0;
    *change_found = 0.0;
}
