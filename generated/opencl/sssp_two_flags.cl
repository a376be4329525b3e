// The kernels of sssp_two_flags.sp in OpenCL C 1.2.

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Reads a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#define latest(cell) atomic_or((volatile __global int *)&(cell), 0)
#else
#define latest(cell) (cell)
#endif

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
#line 10 "sssp_two_flags.sp"
__kernel void sssp_min_dist(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const uchar *restrict modified,
    __global int *dist,
    __global const int *restrict weight,
    __global uchar *modified_nxt
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                modified_nxt[nbr] = true;
            }
        }
    }
}

// sssp_two_flags.sp:9 fixedPoint until (finished : !modified)
#line 9 "sssp_two_flags.sp"
__kernel void sssp_find_finished(
    int num_nodes,
    __global const uchar *restrict modified,
    __global int *finished
) {
    bool finished_part = true;
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        if (modified[node]) {
            finished_part = false;
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}
