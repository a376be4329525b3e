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

// graph_coloring.sp:67 function rank(Graph g, node v)
#line 67 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:58 function free_color(int taken, int least)
#line 58 "graph_coloring.sp"
static int free_color(int taken, int least) {
    int color = least;
    while (color < multiply(least / 32 + 1, 32) && ((taken >> (color & 31)) & 1) != 0) {
        color += 1;
    }
    return color;
}

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

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
KERNEL graph_coloring_set_waits(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict wish,
    bool *waits
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (wish[v] < 0) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict wish,
    const bool *__restrict waits, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!(wish[v] >= 0 && !waits[v])) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                atomic(taken[u]).fetch_or(1 << (wish[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
#line 29 "graph_coloring.sp"
KERNEL graph_coloring_set_waits_2(
    int num_nodes, int *wish, bool *waits, const int *__restrict taken, int *beyond_bits, int *beyond_list,
    int *beyond_size, int *color, long long *left
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long left_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (wish[v] < 0) continue;
        if (waits[v]) {
            const int next = free_color(taken[v], wish[v]);
            waits[v] = false;
            if (next % 32 == 0 && next > wish[v]) {
                waits[v] = true;
                enlist(v, beyond_bits, beyond_list, beyond_size);
            }
            wish[v] = next;
        } else {
            color[v] = wish[v];
            wish[v] = -1;
            left_part -= 1;
        }
    }
    left_part = sycl::reduce_over_group(item.get_group(), left_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) atomic(*left).fetch_add(left_part);
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
KERNEL graph_coloring_set_beyond(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns, const int *__restrict beyond_list, int *beyond_bits,
    const int *__restrict color, const int *__restrict wish, int *taken, int beyond_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < beyond_count; place += item.get_global_range(0)) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
KERNEL graph_coloring_set_beyond_of_many(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, const int *__restrict beyond_bits,
    const int *__restrict color, const int *__restrict wish, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if ((beyond_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
KERNEL graph_coloring_set_waits_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict wish,
    bool *waits
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (wish[v] < 0) continue;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
KERNEL graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict wish,
    const bool *__restrict waits, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !(wish[brought] >= 0 && !waits[brought])) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t i = place + rows.shift[owner];
            const int u = columns[i];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                atomic(taken[u]).fetch_or(1 << (wish[v] & 31));
            }
        }
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
KERNEL graph_coloring_set_beyond_symmetric(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict beyond_list,
    int *beyond_bits, const int *__restrict color, const int *__restrict wish, int *taken, int beyond_count
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < beyond_count; place += item.get_global_range(0)) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
KERNEL graph_coloring_set_beyond_of_many_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict beyond_bits, const int *__restrict color, const int *__restrict wish, int *taken
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &values = group_memory<int[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (beyond_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        int seen = 0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            int joined = 0;
            #pragma unroll 4
            for (arc_t place = from + item.get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const int v = rows.node[owner];
                const arc_t i = place + rows.shift[owner];
                const int u = columns[i];
                int value = 0;
                if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                    value = 1 << (color[u] & 31);
                }
                if (to - from > 1024) {
                    joined = joined | value;
                } else {
                    values[place - from] = value;
                }
            }
            seen = join_bit_or_int(item, &rows, from, to, joined, values, seen);
        }
        if (brought < 0) continue;
        const int v = brought;
        taken[v] = seen;
    }
}
