// The kernels of label_propagation.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// adds to the sum of a key
static void add_to_map(int *keys, int *sums, long long first, long long end, int key, int value) {
    if (key < 0) return;
    long long slot = first + (multiply_long(multiply(key, -1640531535) & INT_MAX, end - first) >> 31);
    while (keys[slot] != key && keys[slot] != -1) {
        slot = slot + 1 < end ? slot + 1 : first;
    }
    sums[slot] = (keys[slot] == key ? sums[slot] : 0) + value;
    keys[slot] = key;
}

// the key with the largest sum, the smallest of equals
static int best_of_map(const int *keys, const int *sums, long long first, long long end) {
    int best = -1;
    int most = 0;
    for (long long slot = first; slot < end; slot++) {
        if (keys[slot] != -1 && (best < 0 || (sums[slot] > most || (sums[slot] == most && keys[slot] < best)))) {
            best = keys[slot];
            most = sums[slot];
        }
    }
    return best;
}

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
KERNEL label_propagation_set_label(int num_nodes, int *label) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
KERNEL label_propagation_set_label_nxt(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *votes_keys, int *votes_sums,
    const int *__restrict label, int *label_nxt
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const long long first_slot = multiply_long(2, (long long)row_offsets[v] + in_row_offsets[v]);
        const long long end_slot = multiply_long(2, (long long)row_offsets[v + 1] + in_row_offsets[v + 1]);
        for (long long slot = first_slot; slot < end_slot; slot++) {
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
KERNEL label_propagation_set_label_nxt_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *votes_keys,
    int *votes_sums, const int *__restrict label, int *label_nxt
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const long long first_slot = multiply_long(2, row_offsets[v]);
        const long long end_slot = multiply_long(2, row_offsets[v + 1]);
        for (long long slot = first_slot; slot < end_slot; slot++) {
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
