// The kernels of strongly_connected_components.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

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

// strongly_connected_components.sp:33 forall (v in g.nodes())
#line 33 "strongly_connected_components.sp"
KERNEL settle_set_open(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict cluster, bool *open_
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
            const int w = columns[e];
            if (cluster[w] != cluster[v]) {
                const int own = cluster[v];
                open_[own] = true;
            }
        }
    }
}

// strongly_connected_components.sp:39 forall (v in g.nodes())
// first component = -1
#line 39 "strongly_connected_components.sp"
KERNEL settle_set_component(
    int num_nodes, int *component, const int *__restrict cluster, const bool *__restrict open_
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        component[v] = -1;
        const int own = cluster[v];
        if (!open_[own]) component[v] = own;
    }
}

// strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
#line 55 "strongly_connected_components.sp"
KERNEL settle_set_alone(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const bool *__restrict goes_on,
    const int *__restrict component, bool *alone
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    auto &passing = group_memory<int[256]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && component[brought] != -1) brought = -1;
        arc_t arc = brought < 0 ? 0 : in_row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : in_row_offsets[brought + 1];
        bool led_to = false;
        passing[item.get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = led_to ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(item, &rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place = item.get_local_id(0); place < count; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t in_e = place + rows.shift[owner];
                const int u = in_columns[in_e];
                if (component[u] == -1 && u != v) passing[owner] = true;
            }
            sycl::group_barrier(item.get_group());
            arc = stop;
            led_to = passing[item.get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        bool leads_on = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) {
                leads_on = true;
                break;
            }
        }
        alone[v] = !(led_to && leads_on);
    }
}

// strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
#line 68 "strongly_connected_components.sp"
KERNEL settle_set_component_2(
    int num_nodes, const bool *__restrict goes_on, int *component, const bool *__restrict alone,
    long long *trimmed_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    long long trimmed_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    trimmed_part = sycl::reduce_over_group(item.get_group(), trimmed_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*trimmed_found).fetch_add(trimmed_part);
}

// strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
#line 74 "strongly_connected_components.sp"
KERNEL settle_set_color(
    int num_nodes, const int *__restrict component, int *color, const int *__restrict cluster, int *modified_2_bits,
    int *modified_2_list, int *modified_2_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (component[v] != -1) continue;
        color[v] = cluster[v];
        enlist(v, modified_2_bits, modified_2_list, modified_2_size);
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
KERNEL settle_min_color(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict modified_2_list,
    int *modified_2_bits, const int *__restrict component, int *color, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int modified_2_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < modified_2_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, modified_2_count);
        const int brought = listed_node(item, modified_2_list, begin, modified_2_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_2_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = color[v];
                if (candidate < color[w] && candidate < atomic(color[w]).fetch_min(candidate)) {
                    enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
#line 87 "strongly_connected_components.sp"
KERNEL settle_set_component_3(
    int num_nodes, int *component, const int *__restrict color, const int *__restrict cluster, int *modified_2_bits,
    int *modified_2_list, int *modified_2_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(component[v] == -1 && color[v] == cluster[v])) continue;
        component[v] = color[v];
        enlist(v, modified_2_bits, modified_2_list, modified_2_size);
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
KERNEL settle_max_component(
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict modified_2_list,
    int *modified_2_bits, const int *__restrict color, int *component, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int modified_2_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < modified_2_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, modified_2_count);
        const int brought = listed_node(item, modified_2_list, begin, modified_2_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_2_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, in_row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[u] && candidate > atomic(component[u]).fetch_max(candidate)) {
                    enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
#line 51 "strongly_connected_components.sp"
KERNEL settle_find_finished(int num_nodes, const int *__restrict component, int *finished) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool finished_part = true;
    for (int node = item.get_global_id(0); node < num_nodes; node += item.get_global_range(0)) {
        if (component[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to itself
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_start(int num_nodes, int *cluster) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        cluster[v] = v;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the trees at the ends of arcs that have their reverse
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_join(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *cluster
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = in_columns[e];
            if (u < v && cluster[v] != cluster[u]) {
                if (find_arc(row_offsets, columns, v, u) >= 0) {
                    int a = cluster[v];
                    int b = cluster[u];
                    while (a != b) {
                        const int low = sycl::min(a, b);
                        const int high = sycl::max(a, b);
                        int held = cluster[high];
                        if (held == high) {
                            held = high;
                            atomic(cluster[high]).compare_exchange_strong(held, low);
                            if (held == high) break;
                        }
                        if (held == low) break;
                        const int above = cluster[held];
                        if (above != held) atomic(cluster[high]).fetch_min(above);
                        a = above;
                        b = cluster[low];
                    }
                }
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to the root of its tree
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_flatten(int num_nodes, int *cluster) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = cluster[v];
        int above = cluster[held];
        while (held != above) {
            atomic(cluster[v]).fetch_min(above);
            held = above;
            above = cluster[held];
        }
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 80 "strongly_connected_components.sp"
KERNEL settle_min_color_of_many(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict modified_2_bits, const int *__restrict component, int *color, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (modified_2_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = color[v];
                if (candidate < color[w] && candidate < atomic(color[w]).fetch_min(candidate)) {
                    enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 93 "strongly_connected_components.sp"
KERNEL settle_max_component_of_many(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    const int *__restrict modified_2_bits, const int *__restrict color, int *component, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (modified_2_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[u] && candidate > atomic(component[u]).fetch_max(candidate)) {
                    enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
// puts what rounds change on the device
#line 51 "strongly_connected_components.sp"
KERNEL settle_begin(bool *goes_on, long long *trimmed_found) {
    *goes_on = true;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
// works out what the host does not wait for: trimmed
#line 51 "strongly_connected_components.sp"
KERNEL settle_end_round(bool *goes_on, long long *trimmed_found) {
    if (!*goes_on) return;
    const long long trimmed = 0 + *trimmed_found;
    const bool again = trimmed > 0;
    *goes_on = again;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to its best neighbor
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_start_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *cluster
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = sycl::min(v, columns[first]);
        cluster[v] = best;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins every node to a second neighbor
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_sample_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *cluster
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = cluster[v];
            int above_own = cluster[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic(cluster[v]).fetch_min(above_own);
                own = above_own;
                above_own = cluster[own];
                steps_own += 1;
            }
            int a = cluster[v];
            int b = cluster[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = high;
                    atomic(cluster[high]).compare_exchange_strong(held, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) atomic(cluster[high]).fetch_min(above);
                a = above;
                b = cluster[low];
                steps += 1;
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the other trees along their arcs
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_join_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict cluster_apart, int *cluster
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !cluster_apart[brought]) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = cluster[v];
            int b = cluster[u];
            while (a != b) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = high;
                    atomic(cluster[high]).compare_exchange_strong(held, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) atomic(cluster[high]).fetch_min(above);
                a = above;
                b = cluster[low];
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 21 "strongly_connected_components.sp"
KERNEL my_join_both_ways_cluster_set_apart_symmetric(int num_nodes, int *cluster, bool *cluster_apart, int middle) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = cluster[v];
        int above = cluster[held];
        int steps = 0;
        while (held != above && steps < 64) {
            atomic(cluster[v]).fetch_min(above);
            held = above;
            above = cluster[held];
            steps += 1;
        }
        int great = cluster[middle];
        int above_great = cluster[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic(cluster[middle]).fetch_min(above_great);
            great = above_great;
            above_great = cluster[great];
            steps_great += 1;
        }
        cluster_apart[v] = held != great;
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
KERNEL settle_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *modified_2_list,
    int *modified_2_bits, const int *__restrict component, int *color, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int *modified_2_size, bool colored, int modified_2_count,
    int few, bool turned, int *modified_2_count_outcome, int *colored_outcome, int *turned_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
            #line 80 "strongly_connected_components.sp"
            for (int place = item.get_global_id(0); place < modified_2_count; place += item.get_global_range(0)) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (component[w] == -1) {
                        const int candidate = color[v];
                        if (candidate < color[w] && candidate < atomic(color[w]).fetch_min(candidate)) {
                            enlist(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) *modified_2_size = 0;
        { auto *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { auto *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { auto *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_2_count = *modified_2_size;
        colored = modified_2_count == 0;
        turned = !turned;
        if (item.get_global_id(0) == 0) {
            *modified_2_count_outcome = modified_2_count;
            *colored_outcome = colored;
            *turned_outcome = turned;
        }
    } while (!colored && (modified_2_count < few && modified_2_count <= num_nodes / 8));
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
KERNEL settle_few_2(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *modified_2_list,
    int *modified_2_bits, const int *__restrict color, int *component, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int *modified_2_size, bool collected,
    int modified_2_count, int few_2, bool turned_2, int *modified_2_count_outcome, int *collected_outcome,
    int *turned_2_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
            #line 93 "strongly_connected_components.sp"
            for (int place = item.get_global_id(0); place < modified_2_count; place += item.get_global_range(0)) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (color[u] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > component[u] && candidate > atomic(component[u]).fetch_max(candidate)) {
                            enlist(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) *modified_2_size = 0;
        { auto *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { auto *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { auto *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_2_count = *modified_2_size;
        collected = modified_2_count == 0;
        turned_2 = !turned_2;
        if (item.get_global_id(0) == 0) {
            *modified_2_count_outcome = modified_2_count;
            *collected_outcome = collected;
            *turned_2_outcome = turned_2;
        }
    } while (!collected && (modified_2_count < few_2 && modified_2_count <= num_nodes / 8));
}
