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

// strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
#line 13 "strongly_connected_components.sp"
KERNEL strongly_connected_components_set_color(
    int num_nodes, const int *__restrict component, int *color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (component[v] != -1) continue;
        color[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
KERNEL strongly_connected_components_min_color(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict modified_list,
    int *modified_bits, const int *__restrict component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int modified_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < modified_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, modified_count);
        const int brought = listed_node(item, modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomic(color[nbr]).fetch_min(candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
#line 26 "strongly_connected_components.sp"
KERNEL strongly_connected_components_set_component(
    int num_nodes, int *component, const int *__restrict color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
KERNEL strongly_connected_components_max_component(
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict modified_list,
    int *modified_bits, const int *__restrict color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int modified_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < modified_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, modified_count);
        const int brought = listed_node(item, modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, in_row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomic(component[nbr]).fetch_max(candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
#line 10 "strongly_connected_components.sp"
KERNEL strongly_connected_components_find_finished(int num_nodes, const int *__restrict component, int *finished) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool finished_part = true;
    for (int node = item.get_global_id(0); node < num_nodes; node += item.get_global_range(0)) {
        if (component[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
#line 48 "strongly_connected_components.sp"
KERNEL trim_set_alone(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const bool *__restrict goes_on,
    const int *__restrict component, bool *alone
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (component[v] != -1) continue;
        bool entered = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) entered = true;
        }
        bool leaves = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) leaves = true;
        }
        alone[v] = !(entered && leaves);
    }
}

// strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
#line 59 "strongly_connected_components.sp"
KERNEL trim_set_component(
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

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 19 "strongly_connected_components.sp"
KERNEL strongly_connected_components_min_color_of_many(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict modified_bits, const int *__restrict component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomic(color[nbr]).fetch_min(candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 32 "strongly_connected_components.sp"
KERNEL strongly_connected_components_max_component_of_many(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    const int *__restrict modified_bits, const int *__restrict color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomic(component[nbr]).fetch_max(candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
// puts what rounds change on the device
#line 48 "strongly_connected_components.sp"
KERNEL trim_begin(bool *goes_on, long long *trimmed_found) {
    *goes_on = true;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
// works out what the host does not wait for: trimmed
#line 48 "strongly_connected_components.sp"
KERNEL trim_end_round(bool *goes_on, long long *trimmed_found) {
    if (!*goes_on) return;
    const long long trimmed = 0 + *trimmed_found;
    const bool again = trimmed > 0;
    *goes_on = again;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
KERNEL strongly_connected_components_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *modified_list,
    int *modified_bits, const int *__restrict component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_size, bool colored, int modified_count, int few,
    bool turned, int *modified_count_outcome, int *colored_outcome, int *turned_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
            #line 19 "strongly_connected_components.sp"
            for (int place = item.get_global_id(0); place < modified_count; place += item.get_global_range(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    if (component[nbr] == -1) {
                        const int candidate = color[v];
                        if (candidate < color[nbr] && candidate < atomic(color[nbr]).fetch_min(candidate)) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_count = *modified_size;
        colored = modified_count == 0;
        turned = !turned;
        if (item.get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *colored_outcome = colored;
            *turned_outcome = turned;
        }
    } while (!colored && (modified_count < few && modified_count <= num_nodes / 8));
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
KERNEL strongly_connected_components_few_2(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *modified_list,
    int *modified_bits, const int *__restrict color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_size, bool collected, int modified_count,
    int few_2, bool turned_2, int *modified_count_outcome, int *collected_outcome, int *turned_2_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
            #line 32 "strongly_connected_components.sp"
            for (int place = item.get_global_id(0); place < modified_count; place += item.get_global_range(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int nbr = in_columns[in_e];
                    if (color[nbr] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > component[nbr] && candidate > atomic(component[nbr]).fetch_max(candidate)) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_count = *modified_size;
        collected = modified_count == 0;
        turned_2 = !turned_2;
        if (item.get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *collected_outcome = collected;
            *turned_2_outcome = turned_2;
        }
    } while (!collected && (modified_count < few_2 && modified_count <= num_nodes / 8));
}
