// The kernels of sssp.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

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

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
__kernel void sssp_min_dist(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict modified_list,
    __global int *modified_bits,
    __global int *dist,
    __global const int *restrict weight,
    __global int *modified_next_bits,
    __global int *modified_next_list,
    __global int *modified_next_size,
    __global int *modified_later_bits,
    __global int *modified_later_list,
    __global int *modified_later_size,
    int modified_count,
    int limit
) {
    for (int place = get_global_id(0); place < modified_count; place += get_global_size(0)) {
        const int v = modified_list[place];
        modified_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// the sum of weight, which says how far apart near and far are
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sum_weight(
    arc_t num_arcs,
    __global const int *restrict weight,
    __global double *weight_total
) {
    double weight_total_part = 0.0;
    for (arc_t arc = get_global_id(0); arc < num_arcs; arc += get_global_size(0)) {
        weight_total_part += (double)weight[arc];
    }
    __local double weight_total_scratch[256];
    weight_total_part = group_add_double(weight_total_part, weight_total_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_double(weight_total, weight_total_part);
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// those who wait: who is near now comes next, who has had his turn meanwhile is done
#line 12 "sssp.sp"
__kernel void sssp_min_dist_later(
    __global const int *restrict modified_later_list,
    __global int *modified_later_bits,
    __global const int *restrict dist,
    __global int *modified_bits,
    __global int *modified_list,
    __global int *modified_size,
    __global int *modified_next_bits,
    __global int *modified_next_list,
    __global int *modified_next_size,
    int modified_later_count,
    int settled,
    int limit
) {
    for (int place = get_global_id(0); place < modified_later_count; place += get_global_size(0)) {
        const int node = modified_later_list[place];
        modified_later_bits[node / 32] = 0;
        const int value = dist[node];
        if (value >= settled) {
            if (value < limit) {
                enlist(node, modified_bits, modified_list, modified_size);
            } else {
                enlist(node, modified_next_bits, modified_next_list, modified_next_size);
            }
        }
    }
}

__kernel void modified_list_first(
    __global int *modified_bits,
    __global int *modified_list,
    __global int *modified_size,
    int src
) {
    enlist(src, modified_bits, modified_list, modified_size);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
__kernel void sssp_min_dist_of_many(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict modified_bits,
    __global int *dist,
    __global const int *restrict weight,
    __global int *modified_next_bits,
    __global int *modified_next_list,
    __global int *modified_next_size,
    __global int *modified_later_bits,
    __global int *modified_later_list,
    __global int *modified_later_size,
    int limit
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((modified_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
__kernel void sssp_min_dist_later_of_many(
    int num_nodes,
    __global const int *restrict modified_later_bits,
    __global const int *restrict dist,
    __global int *modified_bits,
    __global int *modified_list,
    __global int *modified_size,
    __global int *modified_next_bits,
    __global int *modified_next_list,
    __global int *modified_next_size,
    int settled,
    int limit
) {
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        if ((modified_later_bits[node / 32] & (1 << (node % 32))) == 0) continue;
        const int value = dist[node];
        if (value >= settled) {
            if (value < limit) {
                enlist(node, modified_bits, modified_list, modified_size);
            } else {
                enlist(node, modified_next_bits, modified_next_list, modified_next_size);
            }
        }
    }
}
