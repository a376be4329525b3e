// The kernels of betweenness.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// Reads a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#define latest(cell) atomic_or((volatile __global int *)&(cell), 0)
#else
#define latest(cell) (cell)
#endif

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 12 "betweenness.sp"
__kernel void betweenness_min_bfs_level(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global int *bfs_level_order,
    __global int *bfs_level,
    __global int *bfs_level_count,
    int bfs_level_begin,
    int bfs_level_end,
    int depth
) {
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < latest(bfs_level[neighbor]) && candidate < atomic_min(&bfs_level[neighbor], candidate)) {
                const int slot = atomic_add(bfs_level_count, 1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
#line 12 "betweenness.sp"
__kernel void betweenness_add_sigma(
    __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns,
    __global const int *restrict bfs_level_order,
    __global double *sigma,
    __global const int *restrict bfs_level,
    int bfs_level_begin,
    int bfs_level_end,
    int depth
) {
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int v = bfs_level_order[place];
        double sigma_of_v = sigma[v];
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int w = in_columns[in_e];
            if (bfs_level[w] == depth - 1) {
                sigma_of_v += sigma[w];
            }
        }
        sigma[v] = sigma_of_v;
    }
}

// betweenness.sp:17 iterateInReverse (v != src)
#line 17 "betweenness.sp"
__kernel void betweenness_add_delta(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict bfs_level_order,
    __global double *delta,
    __global const int *restrict bfs_level,
    __global const double *restrict sigma,
    __global double *bc,
    int bfs_level_begin,
    int bfs_level_end,
    int src,
    int depth
) {
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int v = bfs_level_order[place];
        if (v == src) continue;
        double delta_of_v = delta[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
            }
        }
        delta[v] = delta_of_v;
        bc[v] += delta_of_v;
    }
}
