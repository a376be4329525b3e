// The kernels of k_core.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// A cell that work-items share.
template <class T>
static auto atomic(volatile T &cell) {
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                            sycl::access::address_space::global_space>(const_cast<T &>(cell));
}

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        const int held = atomic(bits[node / 32]).fetch_or(bit);
        if ((held & bit) == 0) {
            const int place = atomic(*size).fetch_add(1);
            list[place] = node;
        }
    }
}

// k_core.sp:9 forall (v in g.nodes())
// first degree = 0
#line 9 "k_core.sp"
KERNEL k_core_add_degree(
    int num_nodes,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    int *degree
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
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
KERNEL k_core_set_core(
    int num_nodes,
    int *core,
    const int *__restrict degree,
    int *peeling_bits,
    int *peeling_list,
    int *peeling_size,
    int k,
    long long *peeled
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long peeled_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(core[v] == -1 && degree[v] <= k)) continue;
        core[v] = k;
        enlist(v, peeling_bits, peeling_list, peeling_size);
        peeled_part += 1;
    }
    peeled_part = sycl::reduce_over_group(item.get_group(), peeled_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*peeled).fetch_add(peeled_part);
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
KERNEL k_core_add_degree_2(
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const int *__restrict peeling_list,
    int *peeling_bits,
    int *degree,
    int peeling_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < peeling_count; place += item.get_global_range(0)) {
        const int v = peeling_list[place];
        peeling_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                atomic(degree[nbr]).fetch_add(-1);
            }
        }
    }
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
// where many are active: goes over all, in their order
#line 23 "k_core.sp"
KERNEL k_core_add_degree_2_of_many(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const int *__restrict peeling_bits,
    int *degree
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if ((peeling_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                atomic(degree[nbr]).fetch_add(-1);
            }
        }
    }
}
