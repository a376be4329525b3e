// The kernels of maximal_independent_set.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// maximal_independent_set.sp:36 function rank(Graph g, node v)
#line 36 "maximal_independent_set.sp"
static long long rank(int v, const arc_t *__restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
KERNEL maximal_independent_set_set_joins(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const bool *__restrict goes_on,
    const bool *__restrict undecided, bool *joins, int *more_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    bool more_part = false;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!undecided[v]) continue;
        bool wins = true;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (undecided[u] && u != v) {
                if (rank(u, row_offsets) < rank(v, row_offsets)) {
                    wins = false;
                    break;
                }
            }
        }
        joins[v] = wins;
        if (!wins) more_part = true;
    }
    if (more_part) *more_found = 1;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
KERNEL maximal_independent_set_set_in_set(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const bool *__restrict goes_on,
    bool *joins, bool *in_set, bool *undecided
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!joins[v]) continue;
        in_set[v] = true;
        joins[v] = false;
        undecided[v] = false;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            undecided[u] = false;
        }
    }
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
// puts what rounds change on the device
#line 13 "maximal_independent_set.sp"
KERNEL maximal_independent_set_begin(bool *goes_on, int *more_found) {
    *goes_on = true;
    *more_found = 0;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
// works out what the host does not wait for: more
#line 13 "maximal_independent_set.sp"
KERNEL maximal_independent_set_end_round(bool *goes_on, int *more_found) {
    if (!*goes_on) return;
    const bool more = *more_found != 0;
    *goes_on = more;
    *more_found = 0;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
KERNEL maximal_independent_set_set_joins_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict goes_on, const bool *__restrict undecided, bool *joins, int *more_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    bool more_part = false;
    auto &passing = group_memory<int[256]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !undecided[brought]) brought = -1;
        arc_t arc = brought < 0 ? 0 : row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : row_offsets[brought + 1];
        bool not_wins = false;
        passing[item.get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = not_wins ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(item, &rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place = item.get_local_id(0); place < count; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t i = place + rows.shift[owner];
                const int u = columns[i];
                if (undecided[u] && u != v && rank(u, row_offsets) < rank(v, row_offsets)) {
                    passing[owner] = true;
                }
            }
            sycl::group_barrier(item.get_group());
            arc = stop;
            not_wins = passing[item.get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        bool wins = !not_wins;
        joins[v] = wins;
        if (!wins) more_part = true;
    }
    if (more_part) *more_found = 1;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
KERNEL maximal_independent_set_set_in_set_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict goes_on, bool *joins, bool *in_set, bool *undecided
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) return;
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !joins[brought]) brought = -1;
        if (brought >= 0) {
            const int v = brought;
            in_set[v] = true;
            joins[v] = false;
            undecided[v] = false;
        }
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const arc_t i = place + rows.shift[owner];
            const int u = columns[i];
            undecided[u] = false;
        }
    }
}
