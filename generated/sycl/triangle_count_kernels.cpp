// The kernels of triangle_count.sp in SYCL 2020, as free functions:
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

// The lowest arc from source to destination, or -1: a binary search in the row.
static arc_t find_arc(const arc_t *row_offsets, const int *columns, int source, int destination) {
    const arc_t end = row_offsets[source + 1];
    arc_t low = row_offsets[source], high = end;
    while (low < high) {
        const arc_t middle = low + (high - low) / 2;
        if (columns[middle] < destination) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && columns[low] == destination ? low : -1;
}

// Which work-item brought the node of an arc.
static int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    long long *triangles
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long triangles_part = 0;
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) {
                            triangles_part += 1;
                        }
                    }
                }
            }
        }
    }
    triangles_part = sycl::reduce_over_group(item.get_group(), triangles_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*triangles).fetch_add(triangles_part);
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles_check(
    arc_t num_arcs, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict arc_sources, int *other_graph, long long *downward_excess
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool other_graph_part = false;
    long long downward_excess_part = 0;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = true;
        }
        if (u < v) {
            downward_excess_part += 1;
            if (find_arc(row_offsets, columns, u, v) < 0) {
                other_graph_part = true;
            }
        }
        if (u > v) {
            downward_excess_part -= 1;
        }
    }
    if (other_graph_part) {
        *other_graph = 1;
    }
    downward_excess_part = sycl::reduce_over_group(item.get_group(), downward_excess_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*downward_excess).fetch_add(downward_excess_part);
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles_orient(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *kept_columns, arc_t *kept_ends
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        arc_t next = row_offsets[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
            if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
                kept_columns[next] = u;
                next += 1;
            }
        }
        kept_ends[v] = next;
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles_intersect(
    arc_t num_arcs, const arc_t *__restrict row_offsets, const int *__restrict arc_sources,
    const arc_t *__restrict kept_ends, const int *__restrict kept_columns, long long *triangles
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long triangles_part = 0;
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int v = arc_sources[e];
        const arc_t end = kept_ends[v];
        if (e < end) {
            const int w = kept_columns[e];
            for (arc_t i = row_offsets[v]; i < end; i++) {
                const int u = kept_columns[i];
                if (u != w) {
                    arc_t low = row_offsets[u];
                    const arc_t last = kept_ends[u];
                    arc_t high = last;
                    while (low < high) {
                        const arc_t middle = low + (high - low) / 2;
                        if (kept_columns[middle] < w) {
                            low = middle + 1;
                        } else {
                            high = middle;
                        }
                    }
                    if (low < last && kept_columns[low] == w) {
                        triangles_part += 1;
                    }
                }
            }
        }
    }
    triangles_part = sycl::reduce_over_group(item.get_group(), triangles_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*triangles).fetch_add(triangles_part);
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles_few_pairs(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    long long *triangles
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    long long triangles_part = 0;
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) {
                            triangles_part += 1;
                        }
                    }
                }
            }
        }
    }
    triangles_part = sycl::reduce_over_group(item.get_group(), triangles_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*triangles).fetch_add(triangles_part);
    }
}
