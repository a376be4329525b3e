// The kernels of label_propagation.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// adds to the sum of a key
static void add_to_map(__global int *keys, __global int *sums, long first, long end, int key, int value) {
    if (key < 0) return;
    long slot = first + (multiply_long(multiply(key, -1640531535) & INT_MAX, end - first) >> 31);
    while (keys[slot] != key && keys[slot] != -1) {
        slot = slot + 1 < end ? slot + 1 : first;
    }
    sums[slot] = (keys[slot] == key ? sums[slot] : 0) + value;
    keys[slot] = key;
}

// the key with the largest sum, the smallest of equals
static int best_of_map(__global const int *keys, __global const int *sums, long first, long end) {
    int best = -1;
    int most = 0;
    for (long slot = first; slot < end; slot++) {
        if (keys[slot] != -1 && (best < 0 || (sums[slot] > most || (sums[slot] == most && keys[slot] < best)))) {
            best = keys[slot];
            most = sums[slot];
        }
    }
    return best;
}

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
__kernel void label_propagation_set_label(int num_nodes, __global int *label) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
__kernel void label_propagation_set_label_nxt(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *votes_keys, __global int *votes_sums, __global const int *restrict label, __global int *label_nxt
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const long first_slot = multiply_long(2, (long)row_offsets[v] + in_row_offsets[v]);
        const long end_slot = multiply_long(2, (long)row_offsets[v + 1] + in_row_offsets[v + 1]);
        for (long slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            add_to_map(votes_keys, votes_sums, first_slot, end_slot, label[u], 1);
        }
        const int favourite = best_of_map(votes_keys, votes_sums, first_slot, end_slot);
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
__kernel __attribute__((vec_type_hint(int4)))
void label_propagation_set_label_nxt_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *votes_keys, __global int *votes_sums, __global const int *restrict label, __global int *label_nxt
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const long first_slot = multiply_long(2, row_offsets[v]);
        const long end_slot = multiply_long(2, row_offsets[v + 1]);
        for (long slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            add_to_map(votes_keys, votes_sums, first_slot, end_slot, label[u], 2);
        }
        const int favourite = best_of_map(votes_keys, votes_sums, first_slot, end_slot);
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}
