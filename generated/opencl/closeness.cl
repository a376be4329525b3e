// The kernels of closeness.sp in OpenCL C 1.2.
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

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Conversion in which infinity stays infinity.
static long int_to_long_inf(int value) {
    return value == INT_MAX ? LONG_MAX : (long)value;
}

// Conversion in which infinity stays infinity.
static double long_to_double_inf(long value) {
    return value == LONG_MAX ? INFINITY : (double)value;
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 13 "closeness.sp"
__kernel void closeness_centrality_min_bfs_level(
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

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
__kernel void closeness_centrality_min_level(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict bfs_level_order,
    __global const int *restrict bfs_level,
    __global int *level,
    __global long *farness,
    __global int *reached_by,
    int bfs_level_begin,
    int bfs_level_end,
    int depth
) {
    for (int place = bfs_level_begin + get_global_id(0); place < bfs_level_end; place += get_global_size(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = add_inf(latest(level[v]), 1);
                if (candidate < latest(level[w])) {
                    atomic_min(&level[w], candidate);
                }
            }
        }
        farness[v] += int_to_long_inf(latest(level[v]));
        reached_by[v] += 1;
    }
}

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
__kernel void closeness_centrality_set_closeness(
    int num_nodes,
    __global const long *restrict farness,
    __global const int *restrict reached_by,
    __global double *closeness
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / long_to_double_inf(farness[v]) * (others / (double)(num_nodes - 1));
    }
}
