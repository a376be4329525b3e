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

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_start(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) {
            best = sycl::min(v, columns[first]);
        }
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_sample(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    atomic(component[high]).compare_exchange_strong(held, low);
                    if (held == high) {
                        break;
                    }
                }
                if (held == low) {
                    break;
                }
                const int above = component[held];
                if (above != held) {
                    atomic(component[high]).fetch_min(above);
                }
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
KERNEL connected_components_component_join(
    arc_t num_arcs,
    const int *__restrict columns,
    const int *__restrict arc_sources,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int v = arc_sources[e];
        const int u = columns[e];
        int a = component[v];
        int b = component[u];
        while (a != b) {
            const int low = sycl::min(a, b);
            const int high = sycl::max(a, b);
            int held = component[high];
            if (held == high) {
                held = high;
                atomic(component[high]).compare_exchange_strong(held, low);
                if (held == high) {
                    break;
                }
            }
            if (held == low) {
                break;
            }
            const int above = component[held];
            if (above != held) {
                atomic(component[high]).fetch_min(above);
            }
            a = above;
            b = component[low];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
KERNEL connected_components_component_flatten(int num_nodes, int *component) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const int held = component[v];
        int root = held;
        int above = component[root];
        while (root != above) {
            root = above;
            above = component[root];
        }
        if (root != held) {
            atomic(component[v]).fetch_min(root);
        }
    }
}
