// The kernels of k_core.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
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
    __global uchar *peeling,
    int k,
    __global long *peeled
) {
    long peeled_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(core[v] == -1 && degree[v] <= k)) continue;
        core[v] = k;
        peeling[v] = true;
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
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global uchar *peeling,
    __global int *degree
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!peeling[v]) continue;
        peeling[v] = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                atomic_add(&degree[nbr], -1);
            }
        }
    }
}
