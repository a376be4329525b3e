// The kernels of graph_coloring.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
static int join_bit_or_int(
    const sycl::nd_item<1> &item, const GroupRows *rows, arc_t begin, arc_t end, int joined, int *values, int total
) {
    const int lane = item.get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = sycl::reduce_over_group(item.get_group(), joined, sycl::bit_or<int>());
        if (first <= begin && begin < last) {
            const int other = joined;
            total = total | other;
        }
    } else {
        sycl::group_barrier(item.get_group());
        const arc_t stop = sycl::min(last, end) - begin;
        for (arc_t i = sycl::max(first, begin) - begin; i < stop; i++) {
            const int other = values[i];
            total = total | other;
        }
    }
    sycl::group_barrier(item.get_group());  // before the next values are stored
    return total;
}

// graph_coloring.sp:57 function lowest_free(int bits)
#line 57 "graph_coloring.sp"
static int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:71 function rank(Graph g, node v)
#line 71 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:62 function place(int bit)
#line 62 "graph_coloring.sp"
static int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
KERNEL graph_coloring_add_color(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *color,
    const int *__restrict taken, bool *full, bool *wins, int *some_full, long long *left
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool some_full_part = false;
    long long left_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (color[v] >= 0) continue;
        bool blocked = false;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                blocked = true;
                break;
            }
        }
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = true;
        } else if (!blocked) {
            color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
            left_part -= 1;
        }
    }
    if (some_full_part) *some_full = 1;
    left_part = sycl::reduce_over_group(item.get_group(), left_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*left).fetch_add(left_part);
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, bool *wins, int *taken,
    const int *__restrict color
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!wins[v]) continue;
        wins[v] = false;
        atomic(taken[v]).fetch_or(-1);
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] == ~(color[v] >> 5)) {
                atomic(taken[u]).fetch_or(1 << (color[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
KERNEL graph_coloring_set_taken(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict color,
    const bool *__restrict full, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(color[v] < 0 && full[v])) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >> 5 == ~color[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
KERNEL graph_coloring_add_color_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *color,
    const int *__restrict taken, bool *full, bool *wins, int *some_full, long long *left
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool some_full_part = false;
    long long left_part = 0;
    auto &passing = group_memory<int[256]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && color[brought] >= 0) brought = -1;
        arc_t arc = brought < 0 ? 0 : row_offsets[brought];
        const arc_t end = brought < 0 ? 0 : row_offsets[brought + 1];
        bool blocked = false;
        passing[item.get_local_id(0)] = false;
        for (arc_t most = 4;; most = most < 16384 ? 4 * most : most) {
            const arc_t stop = blocked ? arc : end - arc > most ? arc + most : end;
            const arc_t count = bring_arcs(item, &rows, brought, arc, stop);
            if (count == 0) break;
            for (arc_t place_ = item.get_local_id(0); place_ < count; place_ += 256) {
                const int owner = owner_of(&rows, place_);
                const int v = rows.node[owner];
                const arc_t i = place_ + rows.shift[owner];
                const int u = columns[i];
                if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                    passing[owner] = true;
                }
            }
            sycl::group_barrier(item.get_group());
            arc = stop;
            blocked = passing[item.get_local_id(0)];
        }
        if (brought < 0) continue;
        const int v = brought;
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = true;
        } else if (!blocked) {
            color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
            left_part -= 1;
        }
    }
    if (some_full_part) *some_full = 1;
    left_part = sycl::reduce_over_group(item.get_group(), left_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*left).fetch_add(left_part);
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, bool *wins, int *taken,
    const int *__restrict color
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !wins[brought]) brought = -1;
        if (brought >= 0) {
            const int v = brought;
            wins[v] = false;
            atomic(taken[v]).fetch_or(-1);
        }
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place_ = item.get_local_id(0); place_ < count; place_ += 256) {
            const int owner = owner_of(&rows, place_);
            const int v = rows.node[owner];
            const arc_t i = place_ + rows.shift[owner];
            const int u = columns[i];
            if (color[u] == ~(color[v] >> 5)) {
                atomic(taken[u]).fetch_or(1 << (color[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
KERNEL graph_coloring_set_taken_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict color,
    const bool *__restrict full, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &values = group_memory<int[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !(color[brought] < 0 && full[brought])) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        int seen = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place_ = from + item.get_local_id(0); place_ < to; place_ += 256) {
                const int owner = owner_of(&rows, place_);
                const int v = rows.node[owner];
                const arc_t i = place_ + rows.shift[owner];
                const int u = columns[i];
                int value = 0;
                if (color[u] >> 5 == ~color[v]) value = 1 << (color[u] & 31);
                if (to - from > 1024) {
                    joined = joined | value;
                } else {
                    values[place_ - from] = value;
                }
            }
            seen = join_bit_or_int(item, &rows, from, to, joined, values, seen);
        }
        if (brought < 0) continue;
        const int v = brought;
        taken[v] = seen;
    }
}
