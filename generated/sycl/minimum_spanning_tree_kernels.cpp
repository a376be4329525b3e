// The kernels of minimum_spanning_tree.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// minimum_spanning_tree.sp:11 forall (v in g.nodes())
#line 11 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_component(int num_nodes, int *component, int *joins) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        component[v] = v;
        joins[v] = v;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
#line 19 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_min_lightest(
    arc_t num_arcs, const int *__restrict columns, const int *__restrict arc_sources,
    const bool *__restrict goes_on, const int *__restrict component, int *lightest, const int *__restrict weight
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b) {
            const int candidate = weight[e];
            if (candidate < lightest[a]) {
                atomic(lightest[a]).fetch_min(candidate);
            }
            const int candidate_2 = weight[e];
            if (candidate_2 < lightest[b]) {
                atomic(lightest[b]).fetch_min(candidate_2);
            }
        }
    }
}

// minimum_spanning_tree.sp:27 forall (e in g.edges())
#line 27 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_max_choice(
    arc_t num_arcs, const int *__restrict columns, const int *__restrict arc_sources,
    const bool *__restrict goes_on, const int *__restrict component, const int *__restrict weight,
    const int *__restrict lightest, arc_t *choice
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b && weight[e] == lightest[a]) {
            if (e > choice[a]) {
                atomic(choice[a]).fetch_max(e);
            }
        }
        if (a != b && weight[e] == lightest[b]) {
            if (e > choice[b]) {
                atomic(choice[b]).fetch_max(e);
            }
        }
    }
}

// minimum_spanning_tree.sp:37 forall (a in g.nodes().filter(choice != -1))
#line 37 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_joins(
    int num_nodes, const int *__restrict columns, const int *__restrict arc_sources, const bool *__restrict goes_on,
    const arc_t *__restrict choice, const int *__restrict component, int *joins, bool *in_tree, int *growing_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    bool growing_part = false;
    for (int a = item.get_global_id(0); a < num_nodes; a += item.get_global_range(0)) {
        if (choice[a] == -1) continue;
        const arc_t e = choice[a];
        int b = component[arc_sources[e]];
        if (b == a) b = component[columns[e]];
        if (choice[b] != e || b < a) joins[a] = b;
        in_tree[e] = true;
        growing_part = true;
    }
    if (growing_part) *growing_found = 1;
}

// minimum_spanning_tree.sp:49 forall (v in g.nodes())
#line 49 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_component_2(
    int num_nodes, const bool *__restrict goes_on, int *component, const int *__restrict joins
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int root = component[v];
        while (joins[root] != root) {
            root = joins[root];
        }
        component[v] = root;
    }
}

// minimum_spanning_tree.sp:58 forall (e in g.edges().filter(in_tree))
#line 58 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_find_total(
    arc_t num_arcs, const bool *__restrict in_tree, const int *__restrict weight, long long *total
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long total_part = 0;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        if (!in_tree[e]) continue;
        total_part += weight[e];
    }
    total_part = sycl::reduce_over_group(item.get_group(), total_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*total).fetch_add(total_part);
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// puts what rounds change on the device
#line 19 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_begin(bool *goes_on, int *growing_found) {
    *goes_on = true;
    *growing_found = 0;
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// fill lightest
#line 19 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_fill_lightest(int num_nodes, const bool *__restrict goes_on, int *lightest) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        lightest[v] = INT_MAX;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// fill choice
#line 19 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_fill_choice(int num_nodes, const bool *__restrict goes_on, arc_t *choice) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        choice[v] = -1;
    }
}

// minimum_spanning_tree.sp:19 forall (e in g.edges())
// works out what the host does not wait for: growing
#line 19 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_end_round(bool *goes_on, int *growing_found) {
    if (!*goes_on) return;
    const bool growing = *growing_found != 0;
    *goes_on = growing;
    *growing_found = 0;
}
