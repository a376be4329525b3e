// The kernels of bfs_levels.sp in OpenCL C 1.2.

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

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, __global int *bits, __global int *list, __global int *size) {
    const int bit = 1 << (node % 32);
    if ((latest(bits[node / 32]) & bit) == 0) {
        const int held = atomic_or(&bits[node / 32], bit);
        if ((held & bit) == 0) {
            const int place = atomic_add(size, 1);
            list[place] = node;
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
__kernel void bfs_levels_min_level(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict frontier_list,
    __global int *frontier_bits,
    __global int *level,
    __global int *frontier_next_bits,
    __global int *frontier_next_list,
    __global int *frontier_next_size,
    int frontier_count
) {
    for (int place = get_global_id(0); place < frontier_count; place += get_global_size(0)) {
        const int v = frontier_list[place];
        frontier_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(latest(level[v]), 1);
            if (candidate < latest(level[w]) && candidate < atomic_min(&level[w], candidate)) {
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
            }
        }
    }
}

__kernel void frontier_list_first(
    __global int *frontier_bits,
    __global int *frontier_list,
    __global int *frontier_size,
    int src
) {
    enlist(src, frontier_bits, frontier_list, frontier_size);
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// where many are active: goes over all, in their order
#line 11 "bfs_levels.sp"
__kernel void bfs_levels_min_level_of_many(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict frontier_bits,
    __global int *level,
    __global int *frontier_next_bits,
    __global int *frontier_next_list,
    __global int *frontier_next_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((frontier_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(latest(level[v]), 1);
            if (candidate < latest(level[w]) && candidate < atomic_min(&level[w], candidate)) {
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
            }
        }
    }
}
