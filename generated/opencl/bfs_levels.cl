// The kernels of bfs_levels.sp in OpenCL C 1.2.

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

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
__kernel void bfs_levels_min_level(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const uchar *restrict frontier,
    __global int *level,
    __global uchar *frontier_next,
    __global int *finished
) {
    bool finished_part = true;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!frontier[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(latest(level[v]), 1);
            if (candidate < latest(level[w]) && candidate < atomic_min(&level[w], candidate)) {
                frontier_next[w] = true;
                finished_part = false;
            }
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}
