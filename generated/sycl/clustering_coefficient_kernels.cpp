// The kernels of clustering_coefficient.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
#include <sycl/sycl.hpp>

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

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

// Multiplication that wraps around.
static long long multiply_long(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}

// clustering_coefficient.sp:27 function arcs_to_neighbors(Graph g, node u, node v)
#line 27 "clustering_coefficient.sp"
static long long arcs_to_neighbors(
    int u,
    int v,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns
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
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
    const arc_t *__restrict in_row_offsets,
    const int *__restrict in_columns,
    double *lcc
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
