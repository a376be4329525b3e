// The kernels of k_core.sp in OpenCL C 1.2.
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

// Combines the values of a work-group; its first work-item gets the total.
static long group_add_long(long value, __local long *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const long other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
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

// k_core.sp:9 forall (v in g.nodes())
// first degree = 0
#line 9 "k_core.sp"
__kernel void k_core_add_degree(
    int num_nodes,
    __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns,
    __global int *degree
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int degree_of_v = 0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            if (nbr != v) {
                degree_of_v += 1;
            }
        }
        degree[v] = degree_of_v;
    }
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
#line 18 "k_core.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void k_core_set_core(
    int num_nodes,
    __global int *core,
    __global const int *restrict degree,
    __global int *peeling_bits,
    __global int *peeling_list,
    __global int *peeling_size,
    int k,
    __global long *peeled
) {
    long peeled_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(core[v] == -1 && degree[v] <= k)) continue;
        core[v] = k;
        enlist(v, peeling_bits, peeling_list, peeling_size);
        peeled_part += 1;
    }
    __local long peeled_scratch[256];
    peeled_part = group_add_long(peeled_part, peeled_scratch);
    if (get_local_id(0) == 0) {
        atom_add(peeled, peeled_part);
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
__kernel void k_core_add_degree_2(
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict peeling_list,
    __global int *peeling_bits,
    __global int *degree,
    int peeling_count
) {
    for (int place = get_global_id(0); place < peeling_count; place += get_global_size(0)) {
        const int v = peeling_list[place];
        peeling_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                atomic_add(&degree[nbr], -1);
            }
        }
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
// where many are active: goes over all, in their order
#line 23 "k_core.sp"
__kernel void k_core_add_degree_2_of_many(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global const int *restrict peeling_bits,
    __global int *degree
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if ((peeling_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                atomic_add(&degree[nbr], -1);
            }
        }
    }
}
