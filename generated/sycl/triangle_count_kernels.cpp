// The kernels of triangle_count.sp in SYCL 2020: free functions, for the compiler in the runtime of oneAPI and for icpx.
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

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
KERNEL triangle_count_find_triangles(
    int num_nodes,
    const arc_t *__restrict row_offsets,
    const int *__restrict columns,
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
