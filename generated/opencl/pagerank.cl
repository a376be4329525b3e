// The kernels of pagerank.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// Combines the values of a work-group; its first work-item gets the total.
static double group_add_double(double value, __local double *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const double other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
}

// Reads a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define latest_long(cell) atom_add((volatile __global long *)&(cell), 0)
#else
#define latest_long(cell) (cell)
#endif

// Tried again until no other work-item has come between reading and writing.
static void atomic_add_double(volatile __global double *cell, double value) {
    volatile __global long *word = (volatile __global long *)cell;
    long old = latest_long(*word), seen;
    while ((seen = atom_cmpxchg(word, old, as_long(as_double(old) + value))) != old) {
        old = seen;
    }
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_find_stranded_and_set_contribution(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const double *restrict rank,
    __global double *contribution,
    __global double *stranded
) {
    double stranded_part = 0.0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) {
            stranded_part += rank[v];
        }
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    __local double stranded_scratch[256];
    stranded_part = group_add_double(stranded_part, stranded_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_double(stranded, stranded_part);
    }
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_set_rank_nxt(
    int num_nodes,
    __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns,
    __global const double *restrict contribution,
    __global double *rank,
    double damping,
    double n,
    double stranded,
    __global double *change
) {
    double change_part = 0.0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        double inflow = 0.0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            inflow += contribution[nbr];
        }
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + stranded / n);
        const double old_rank = rank[v];
        change_part += fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) {
            rank[v] = rank_nxt_of_v;
        }
    }
    __local double change_scratch[256];
    change_part = group_add_double(change_part, change_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_double(change, change_part);
    }
}
