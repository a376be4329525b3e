// The kernels of bfs_levels.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
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

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
KERNEL bfs_levels_min_level(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const bool *__restrict frontier,
    int *level,
    bool *frontier_next,
    int *finished
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool finished_part = true;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!frontier[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(level[v], 1);
            if (candidate < level[w] && candidate < atomic(level[w]).fetch_min(candidate)) {
                frontier_next[w] = true;
                finished_part = false;
            }
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}
