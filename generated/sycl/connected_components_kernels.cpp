// The kernels of connected_components.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
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

// connected_components.sp:6 forall (v in g.nodes())
#line 6 "connected_components.sp"
KERNEL connected_components_set_component(int num_nodes, int *component) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        component[v] = v;
    }
}

// connected_components.sp:12 forall (e in g.edges())
#line 12 "connected_components.sp"
KERNEL connected_components_min_component(
    arc_t num_arcs,
    const int *__restrict columns,
    const int *__restrict arc_sources,
    int *component,
    int *hooked
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool hooked_part = false;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b) {
            hooked_part = true;
            if (b < component[a]) {
                atomic(component[a]).fetch_min(b);
            }
            if (a < component[b]) {
                atomic(component[b]).fetch_min(a);
            }
        }
    }
    if (hooked_part) {
        *hooked = 1;
    }
}

// connected_components.sp:21 forall (v in g.nodes())
#line 21 "connected_components.sp"
KERNEL connected_components_min_component_2(int num_nodes, int *component) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int root = component[v];
        while (component[root] != root) {
            root = component[root];
        }
        if (root < component[v]) {
            atomic(component[v]).fetch_min(root);
        }
    }
}
