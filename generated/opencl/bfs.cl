// The kernels of bfs.sp in OpenCL C 1.2.

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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 8 "bfs.sp"
__kernel void bfs_min_bfs_level(
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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
__kernel void bfs_min_level(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict bfs_level_order,
    __global const int *restrict bfs_level,
    __global int *level,
    __global int *parent,
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
                if (v > latest(parent[w])) {
                    atomic_max(&parent[w], v);
                }
            }
        }
    }
}
