// The kernels of pagerank.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
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

// The arcs of the nodes that the work-items of a group bring, one node's after another's.
struct GroupRows {
    int node[256];     // whom a work-item has brought
    arc_t last[256];   // his arcs and those before them
    arc_t shift[256];  // from a place among them all to an arc of his
};

// Brings a node with its arcs from `first` to `end`, for all work-items of a group; returns how many arcs they bring.
static arc_t bring_arcs(const sycl::nd_item<1> &item, GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = item.get_local_id(0);
    const arc_t last = sycl::inclusive_scan_over_group(item.get_group(), end - first, sycl::plus<arc_t>());
    sycl::group_barrier(item.get_group());  // nobody needs what was brought before
    rows->node[lane] = node;
    rows->last[lane] = last;
    rows->shift[lane] = end - last;
    sycl::group_barrier(item.get_group());
    return rows->last[256 - 1];
}

// Memory that the work-items of a group share, one for each type.
template <class T>
static T &group_memory() {
    static sycl::ext::oneapi::experimental::work_group_static<T> memory;
    return memory;
}

// Whom a work-item brings of all nodes, or -1. Nodes with many arcs often stand together, and should not be for one
// group alone: it gets eight that follow each other, and others from far away.
static int node_of_all(const sycl::nd_item<1> &item, int begin, int num_nodes) {
    const int lane = item.get_local_id(0);
    const int node = begin + (int)(lane / 8 * item.get_group_range(0) + item.get_group(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// Brings a node with all its arcs, or with none where it is -1; returns how many arcs the group brings.
static arc_t bring_rows(const sycl::nd_item<1> &item, GroupRows *rows, int node, const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(item, rows, node, first, end);
}

// Which work-item brought the node of an arc.
static int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Where the arcs end that a group looks at together: some that it has room for, or all that are left of a long row.
static arc_t end_of_piece(const GroupRows *rows, arc_t begin, arc_t count) {
    return sycl::max(rows->last[owner_of(rows, begin)], sycl::min(count, begin + 1024));
}

// Joins to the total of the node that a work-item brought the values of its arcs from `begin` to `end`: they lie in
// `values`, or have been joined by all work-items, each in `joined` what it came by.
static double join_add_double(
    const sycl::nd_item<1> &item, const GroupRows *rows, arc_t begin, arc_t end, double joined, double *values,
        double total
) {
    const int lane = item.get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = sycl::reduce_over_group(item.get_group(), joined, sycl::plus<double>());
        if (first <= begin && begin < last) {
            const double other = joined;
            total = total + other;
        }
    } else {
        sycl::group_barrier(item.get_group());
        const arc_t stop = sycl::min(last, end) - begin;
        for (arc_t i = sycl::max(first, begin) - begin; i < stop; i++) {
            const double other = values[i];
            total = total + other;
        }
    }
    sycl::group_barrier(item.get_group());  // the next values may come
    return total;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
KERNEL pagerank_find_stranded_and_set_contribution(
    int num_nodes, const arc_t *__restrict row_offsets, const bool *__restrict goes_on,
    const double *__restrict rank, double *contribution, double *stranded_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) {
        return;
    }
    double stranded_part = 0.0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) {
            stranded_part += rank[v];
        }
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    stranded_part = sycl::reduce_over_group(item.get_group(), stranded_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) {
        atomic(*stranded_found).fetch_add(stranded_part);
    }
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
KERNEL pagerank_set_rank_nxt(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    const bool *__restrict goes_on, const double *__restrict contribution,
    const double *__restrict stranded_found, double *rank, double damping, double n,
    double *change_found
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    if (!*goes_on) {
        return;
    }
    double change_part = 0.0;
    auto &values = group_memory<double[1024]>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, in_row_offsets);
        double inflow = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + item.get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int nbr = in_columns[in_e];
                const double value = contribution[nbr];
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            inflow = join_add_double(item, &rows, from, to, joined, values, inflow);
        }
        if (brought < 0) continue;
        const int v = brought;
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + (0.0 + *stranded_found) / n);
        const double old_rank = rank[v];
        change_part += sycl::fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) {
            rank[v] = rank_nxt_of_v;
        }
    }
    change_part = sycl::reduce_over_group(item.get_group(), change_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) {
        atomic(*change_found).fetch_add(change_part);
    }
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// puts what rounds change on the device
#line 14 "pagerank.sp"
KERNEL pagerank_begin(
    bool *goes_on, int *iterations_cell, double *stranded_found, double *change_found,
    int iterations
) {
    *goes_on = true;
    *iterations_cell = iterations;
    *stranded_found = 0.0;
    *change_found = 0.0;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// works out what the host does not wait for: change, iterations
#line 14 "pagerank.sp"
KERNEL pagerank_end_round(
    bool *goes_on, double *change_found, int *iterations_cell, double *stranded_found,
    double tolerance, int max_iterations
) {
    if (!*goes_on) {
        return;
    }
    const double change = 0.0 + *change_found;
    const int iterations = *iterations_cell + 1;
    const bool again = change > tolerance && iterations < max_iterations;
    *iterations_cell = iterations;
    *goes_on = again;
    *stranded_found = 0.0;
    *change_found = 0.0;
}
