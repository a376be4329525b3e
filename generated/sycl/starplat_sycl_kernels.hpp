#ifndef STARPLAT_SYCL_KERNELS_HPP
#define STARPLAT_SYCL_KERNELS_HPP
// SYCL 2020: what kernels call.

#include <sycl/sycl.hpp>

#include <climits>
#include <cmath>
#include <limits>

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// A cell that work-items share.
template <class T>
inline auto atomic(volatile T &cell) {
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                            sycl::access::address_space::global_space>(const_cast<T &>(cell));
}

static constexpr arc_t ARC_MAX = sizeof(arc_t) == 8 ? LLONG_MAX : INT_MAX;

// The whole part of a real, stopped at the ends of the range; 0 for NaN.
template <class T, class Real>
inline T saturated(Real value) {
    constexpr T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
    if (sycl::isnan(value)) return 0;
    if (value >= static_cast<Real>(greatest)) return greatest;
    return value <= static_cast<Real>(least) ? least : static_cast<T>(value);
}

// Memory that the work-items of a group share, one for each type.
template <class T>
inline T &group_memory() {
    static sycl::ext::oneapi::experimental::work_group_static<T> memory;
    return memory;
}

// The lowest arc from source to destination, or -1: a binary search in the row.
inline arc_t find_arc(const arc_t *row_offsets, const int *columns, int source, int destination) {
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

// The rows of a group, one for each work-item, laid end to end: a place is an index into their arcs.
struct GroupRows {
    int node[256];     // the node of each row
    arc_t last[256];   // inclusive scan of the rows' lengths
    arc_t shift[256];  // the first arc of a row minus its first place
};

// The work-item that owns the arc at a place, by binary search in the scan.
inline int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Adds a work-item's row, the arcs from `first` to `end` of `node`; returns the arcs in all rows of the group.
inline arc_t bring_arcs(const sycl::nd_item<1> &item, GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = item.get_local_id(0);
    const arc_t last = sycl::inclusive_scan_over_group(item.get_group(), end - first, sycl::plus<arc_t>());
    sycl::group_barrier(item.get_group());  // the rows added before are still read
    rows->node[lane] = node;
    rows->last[lane] = last;
    rows->shift[lane] = end - last;
    sycl::group_barrier(item.get_group());
    return rows->last[256 - 1];
}

// Adds the whole row of a node, empty where it is -1; returns the number of arcs in all rows of the group.
inline arc_t bring_rows(const sycl::nd_item<1> &item, GroupRows *rows, int node, const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(item, rows, node, first, end);
}

// Adds this group's part of the row of a node that `groups` groups share; returns the arcs in all rows of the group.
inline arc_t bring_part(const sycl::nd_item<1> &item, GroupRows *rows, int node, const arc_t *row_offsets, int groups) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    const long long part = item.get_group(0) % groups, arcs = end - first;
    return bring_arcs(item, rows, node, first + arcs * part / groups, first + arcs * (part + 1) / groups);
}

// The node that a work-item takes of all nodes, or -1. Nodes of high degree often have neighboring numbers: to spread
// them over the groups, each takes runs of eight nodes that lie far apart.
inline int node_of_all(const sycl::nd_item<1> &item, int begin, int num_nodes) {
    const int lane = item.get_local_id(0);
    const int node = begin + (int)(lane / 8 * item.get_group_range(0) + item.get_group(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// The node that a work-item takes of listed words, given by their first nodes, or -1; in the order of `node_of_all`.
inline int node_of_words(const sycl::nd_item<1> &item, const int *words, int begin, int size, int num_nodes) {
    const int place = node_of_all(item, begin, size);
    const int node = place < 0 ? num_nodes : words[place / 32] + place % 32;
    return node < num_nodes ? node : -1;
}

// The number of groups that share each node of a list.
inline int groups_for_each(const sycl::nd_item<1> &item, int size) {
    return sycl::max(1, (int)item.get_group_range(0) / size);
}

// The node that a work-item takes of a list, or -1; `groups` groups take the same.
inline int listed_node(const sycl::nd_item<1> &item, const int *list, int begin, int size, int groups) {
    const int team = item.get_group(0) / groups, teams = item.get_group_range(0) / groups;
    const int place = begin + item.get_local_id(0) * teams + team;
    return team < teams && place < size ? list[place] : -1;
}

// The end of the next piece of the rows: as many arcs as `values` has room for, or the whole rest of a longer row.
inline arc_t end_of_piece(const GroupRows *rows, arc_t begin, arc_t count) {
    return sycl::max(rows->last[owner_of(rows, begin)], sycl::min(count, begin + 1024));
}

// Addition in which infinity plus anything is infinity.
inline int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Addition in which infinity plus anything is infinity.
inline long long add_inf_long(long long a, long long b) {
    return a == LLONG_MAX || b == LLONG_MAX ? LLONG_MAX : a + b;
}

// Multiplication that wraps around.
inline int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// Multiplication that wraps around.
inline long long multiply_long(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}

// Conversion in which infinity stays infinity.
inline long long int_to_long_inf(int value) {
    return value == INT_MAX ? LLONG_MAX : (long long)value;
}

// Conversion in which infinity stays infinity.
inline double int_to_double_inf(int value) {
    return value == INT_MAX ? INFINITY : (double)value;
}

// Conversion in which infinity stays infinity.
inline double long_to_double_inf(long long value) {
    return value == LLONG_MAX ? INFINITY : (double)value;
}

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
inline double join_add_double(
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
    sycl::group_barrier(item.get_group());  // before the next values are stored
    return total;
}

#endif
