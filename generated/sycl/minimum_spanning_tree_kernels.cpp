// The kernels of minimum_spanning_tree.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
#line 15 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_find_sum(
    arc_t num_arcs, const int *__restrict weight, float limit, long long *sum, long long *light
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long sum_part = 0;
    long long light_part = 0;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        if (!((float)weight[e] <= limit)) continue;
        sum_part += weight[e];
        light_part += 1;
    }
    sum_part = sycl::reduce_over_group(item.get_group(), sum_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*sum).fetch_add(sum_part);
    light_part = sycl::reduce_over_group(item.get_group(), light_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*light).fetch_add(light_part);
}

// minimum_spanning_tree.sp:28 forall (e in g.edges())
#line 28 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_open(arc_t num_arcs, bool *open_, const int *__restrict weight, float limit) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        open_[e] = (float)weight[e] <= limit;
    }
}

// minimum_spanning_tree.sp:31 forall (v in g.nodes())
#line 31 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_component(int num_nodes, int *component, int *joins) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        component[v] = v;
        joins[v] = v;
    }
}

// minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
#line 40 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_min_lightest(
    arc_t num_arcs, const int *__restrict columns, const int *__restrict arc_sources, bool *open_,
    const int *__restrict component, int *lightest, const int *__restrict weight
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        if (!open_[e]) continue;
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a == b) {
            open_[e] = false;
        } else {
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

// minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
#line 50 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_max_choice(
    arc_t num_arcs, const int *__restrict columns, const int *__restrict arc_sources, const bool *__restrict open_,
    const int *__restrict component, const int *__restrict weight, const int *__restrict lightest, arc_t *choice
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        if (!open_[e]) continue;
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (weight[e] == lightest[a]) {
            if (e > choice[a]) {
                atomic(choice[a]).fetch_max(e);
            }
        }
        if (weight[e] == lightest[b]) {
            if (e > choice[b]) {
                atomic(choice[b]).fetch_max(e);
            }
        }
    }
}

// minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
#line 60 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_joins(
    int num_nodes, const int *__restrict columns, const int *__restrict arc_sources, const arc_t *__restrict choice,
    const int *__restrict component, int *joins, bool *in_tree, const int *__restrict weight, long long *total,
    int *growing
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long total_part = 0;
    bool growing_part = false;
    for (int a = item.get_global_id(0); a < num_nodes; a += item.get_global_range(0)) {
        if (choice[a] == -1) continue;
        const arc_t e = choice[a];
        int b = component[arc_sources[e]];
        if (b == a) b = component[columns[e]];
        if (choice[b] != e || b < a) {
            joins[a] = b;
            in_tree[e] = true;
            total_part += weight[e];
            growing_part = true;
        }
    }
    total_part = sycl::reduce_over_group(item.get_group(), total_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*total).fetch_add(total_part);
    if (growing_part) *growing = 1;
}

// minimum_spanning_tree.sp:73 forall (v in g.nodes())
#line 73 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_component_2(int num_nodes, int *component, const int *__restrict joins) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int root = component[v];
        while (joins[root] != root) {
            root = joins[root];
        }
        component[v] = root;
    }
}

// minimum_spanning_tree.sp:81 forall (e in g.edges())
#line 81 "minimum_spanning_tree.sp"
KERNEL minimum_spanning_tree_set_open_2(arc_t num_arcs, bool *open_, const int *__restrict weight, float limit) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        open_[e] = !((float)weight[e] <= limit);
    }
}
