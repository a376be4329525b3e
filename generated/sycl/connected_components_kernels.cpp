// The kernels of connected_components.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_start(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = sycl::min(v, columns[first]);
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_sample(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = component[v];
            int above_own = component[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic(component[v]).fetch_min(above_own);
                own = above_own;
                above_own = component[own];
                steps_own += 1;
            }
            int a = component[v];
            int b = component[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    atomic(component[high]).compare_exchange_strong(held, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomic(component[high]).fetch_min(above);
                a = above;
                b = component[low];
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
KERNEL connected_components_component_join(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
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
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomic(component[high]).fetch_min(above);
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
KERNEL connected_components_component_flatten(int num_nodes, int *component) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = component[v];
        int above = component[held];
        while (held != above) {
            atomic(component[v]).fetch_min(above);
            held = above;
            above = component[held];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
KERNEL connected_components_component_join_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict component_apart, int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !component_apart[brought]) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
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
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomic(component[high]).fetch_min(above);
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
KERNEL connected_components_component_set_apart_symmetric(
    int num_nodes, int *component, bool *component_apart, int middle
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = component[v];
        int above = component[held];
        int steps = 0;
        while (held != above && steps < 64) {
            atomic(component[v]).fetch_min(above);
            held = above;
            above = component[held];
            steps += 1;
        }
        int great = component[middle];
        int above_great = component[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic(component[middle]).fetch_min(above_great);
            great = above_great;
            above_great = component[great];
            steps_great += 1;
        }
        component_apart[v] = held != great;
    }
}
