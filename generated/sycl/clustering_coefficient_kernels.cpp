// The kernels of clustering_coefficient.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// clustering_coefficient.sp:27 function arcs_to_neighbors(Graph g, node u, node v)
#line 27 "clustering_coefficient.sp"
static long long arcs_to_neighbors(
    int u, int v, const arc_t *__restrict row_offsets, const int *__restrict columns
) {
    long long arcs = 0;
    for (arc_t e = row_offsets[u]; e < row_offsets[u + 1]; e++) {
        const int w = columns[e];
        if (w != u && w != v) {
            if (find_arc(row_offsets, columns, v, w) >= 0 || find_arc(row_offsets, columns, w, v) >= 0) {
                arcs += 1;
            }
        }
    }
    return arcs;
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
#line 7 "clustering_coefficient.sp"
KERNEL clustering_coefficient_set_lcc(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, double *lcc
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        long long neighbors = 0;
        long long arcs = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u != v) {
                neighbors += 1;
                arcs += arcs_to_neighbors(u, v, row_offsets, columns);
            }
        }
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u_2 = in_columns[in_e];
            if (u_2 != v && find_arc(row_offsets, columns, v, u_2) < 0) {
                neighbors += 1;
                arcs += arcs_to_neighbors(u_2, v, row_offsets, columns);
            }
        }
        lcc[v] = 0.0;
        if (neighbors > 1) {
            const double pairs = (double)multiply_long(neighbors, neighbors - 1);
            lcc[v] = (double)arcs / pairs;
        }
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "clustering_coefficient.sp"
KERNEL clustering_coefficient_set_lcc_check(
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
            if (find_arc(row_offsets, columns, u, v) < 0) other_graph_part = true;
        }
        if (u > v) downward_excess_part -= 1;
    }
    if (other_graph_part) *other_graph = 1;
    downward_excess_part = sycl::reduce_over_group(item.get_group(), downward_excess_part, sycl::plus<long long>());
    if (item.get_local_id(0) == 0) {
        atomic(*downward_excess).fetch_add(downward_excess_part);
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: keeps the arcs to nodes of higher degree
#line 7 "clustering_coefficient.sp"
KERNEL clustering_coefficient_set_lcc_orient(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *kept_columns,
    arc_t *kept_ends
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

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "clustering_coefficient.sp"
KERNEL clustering_coefficient_set_lcc_intersect(
    arc_t num_arcs, const arc_t *__restrict row_offsets, const int *__restrict arc_sources,
    const arc_t *__restrict kept_ends, const int *__restrict kept_columns, long long *triangles_of
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (arc_t e = item.get_global_id(0); e < num_arcs; e += item.get_global_range(0)) {
        const int v = arc_sources[e];
        const arc_t end = kept_ends[v];
        if (e < end) {
            const int w = kept_columns[e];
            long long here = 0;
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
                        here += 1;
                        atomic(triangles_of[u]).fetch_add(1);
                    }
                }
            }
            if (here > 0) {
                atomic(triangles_of[v]).fetch_add(here);
                atomic(triangles_of[w]).fetch_add(here);
            }
        }
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// from the triangles of nodes
#line 7 "clustering_coefficient.sp"
KERNEL clustering_coefficient_set_lcc_from_triangles(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const long long *__restrict triangles_of, double *lcc
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        long long neighbors = 0;
        long long arcs = 0;
        neighbors += row_offsets[v + 1] - row_offsets[v] - (find_arc(row_offsets, columns, v, v) >= 0 ? 1 : 0);
        arcs += multiply_long(2, triangles_of[v]);
        lcc[v] = 0.0;
        if (neighbors > 1) {
            const double pairs = (double)multiply_long(neighbors, neighbors - 1);
            lcc[v] = (double)arcs / pairs;
        }
    }
}
