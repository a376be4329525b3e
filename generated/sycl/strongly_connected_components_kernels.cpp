// The kernels of strongly_connected_components.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
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

// strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
#line 13 "strongly_connected_components.sp"
KERNEL strongly_connected_components_set_color(
    int num_nodes,
    const int *__restrict component,
    int *color,
    bool *modified
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (component[v] != -1) continue;
        color[v] = v;
        modified[v] = true;
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
KERNEL strongly_connected_components_min_color(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const bool *__restrict modified,
    const int *__restrict component,
    int *color,
    bool *modified_next,
    int *colored
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool colored_part = true;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomic(color[nbr]).fetch_min(candidate)) {
                    modified_next[nbr] = true;
                    colored_part = false;
                }
            }
        }
    }
    if (!colored_part) {
        *colored = 0;
    }
}

// strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
#line 26 "strongly_connected_components.sp"
KERNEL strongly_connected_components_set_component(
    int num_nodes,
    int *component,
    const int *__restrict color,
    bool *modified
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        modified[v] = true;
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
KERNEL strongly_connected_components_max_component(
    int num_nodes,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    const bool *__restrict modified,
    const int *__restrict color,
    int *component,
    bool *modified_next,
    int *collected
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool collected_part = true;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!modified[v]) continue;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomic(component[nbr]).fetch_max(candidate)) {
                    modified_next[nbr] = true;
                    collected_part = false;
                }
            }
        }
    }
    if (!collected_part) {
        *collected = 0;
    }
}

// strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
#line 10 "strongly_connected_components.sp"
KERNEL strongly_connected_components_find_finished(
    int num_nodes,
    const int *__restrict component,
    int *finished
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool finished_part = true;
    for (int node = item.get_global_id(0); node < num_nodes; node += item.get_global_range(0)) {
        if (component[node] < 0) {
            finished_part = false;
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
#line 48 "strongly_connected_components.sp"
KERNEL trim_set_alone(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    const int *__restrict component,
    bool *alone
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (component[v] != -1) continue;
        bool entered = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) {
                entered = true;
            }
        }
        bool leaves = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) {
                leaves = true;
            }
        }
        alone[v] = !(entered && leaves);
    }
}

// strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
#line 59 "strongly_connected_components.sp"
KERNEL trim_set_component(
    int num_nodes,
    int *component,
    const bool *__restrict alone,
    long long *trimmed
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long trimmed_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    trimmed_part = sycl::reduce_over_group(item.get_group(), trimmed_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*trimmed).fetch_add(trimmed_part);
    }
}
