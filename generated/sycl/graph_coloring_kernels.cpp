// The kernels of graph_coloring.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece
// that is one long row are reduced by all work-items, from what each has in `joined`.
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

// graph_coloring.sp:55 function lowest_free(int bits)
#line 55 "graph_coloring.sp"
static int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:69 function rank(Graph g, node v)
#line 69 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:60 function place(int bit)
#line 60 "graph_coloring.sp"
static int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
KERNEL graph_coloring_add_window(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict color,
    const int *__restrict taken, int *wish, bool *waits, int *window, int *full
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool full_part = false;
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
        wish[v] = lowest_free(taken[v]);
        waits[v] = blocked || wish[v] == 0;
        if (wish[v] == 0) {
            window[v] += 1;
            full_part = true;
        }
    }
    if (full_part) *full = 1;
}

// graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
#line 30 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *color,
    const bool *__restrict waits, const int *__restrict window, const int *__restrict wish, int *taken,
    long long *left
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long left_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(color[v] < 0 && !waits[v])) continue;
        color[v] = multiply(window[v], 32) + place(wish[v]);
        atomic(taken[v]).fetch_or(-1);
        left_part -= 1;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (waits[u] && window[u] == window[v]) atomic(taken[u]).fetch_or(wish[v]);
        }
    }
    left_part = sycl::reduce_over_group(item.get_group(), left_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*left).fetch_add(left_part);
}

// graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
#line 41 "graph_coloring.sp"
KERNEL graph_coloring_set_taken(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict color,
    const int *__restrict wish, const int *__restrict window, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(color[v] < 0 && wish[v] == 0)) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >> 5 == window[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
KERNEL graph_coloring_add_window_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict color,
    const int *__restrict taken, int *wish, bool *waits, int *window, int *full
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool full_part = false;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (color[v] >= 0) continue;
        bool blocked = false;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                blocked = true;
                break;
            }
        }
        wish[v] = lowest_free(taken[v]);
        waits[v] = blocked || wish[v] == 0;
        if (wish[v] == 0) {
            window[v] += 1;
            full_part = true;
        }
    }
    if (full_part) *full = 1;
}

// graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
#line 30 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *color,
    const bool *__restrict waits, const int *__restrict window, const int *__restrict wish, int *taken,
    long long *left
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long left_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(color[v] < 0 && !waits[v])) continue;
        color[v] = multiply(window[v], 32) + place(wish[v]);
        atomic(taken[v]).fetch_or(-1);
        left_part -= 1;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (waits[u] && window[u] == window[v]) atomic(taken[u]).fetch_or(wish[v]);
        }
    }
    left_part = sycl::reduce_over_group(item.get_group(), left_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*left).fetch_add(left_part);
}

// graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
#line 41 "graph_coloring.sp"
KERNEL graph_coloring_set_taken_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict color,
    const int *__restrict wish, const int *__restrict window, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &values = group_memory<int[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !(color[brought] < 0 && wish[brought] == 0)) brought = -1;
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
                if (color[u] >> 5 == window[v]) value = 1 << (color[u] & 31);
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
