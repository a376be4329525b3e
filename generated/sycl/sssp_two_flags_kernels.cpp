// The kernels of sssp_two_flags.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

#include <climits>

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

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
#line 10 "sssp_two_flags.sp"
KERNEL sssp_min_dist(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const bool *__restrict modified,
    int *dist,
    const int *__restrict weight,
    bool *modified_nxt
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic(dist[nbr]).fetch_min(candidate)) {
                modified_nxt[nbr] = true;
            }
        }
    }
}

// sssp_two_flags.sp:9 fixedPoint until (finished : !modified)
#line 9 "sssp_two_flags.sp"
KERNEL sssp_find_finished(int num_nodes, const bool *__restrict modified, int *finished) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool finished_part = true;
    for (int node = item.get_global_id(0); node < num_nodes; node += item.get_global_range(0)) {
        if (modified[node]) {
            finished_part = false;
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}
