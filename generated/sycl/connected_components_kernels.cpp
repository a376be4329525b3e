// The kernels of connected_components.sp in SYCL 2020, as free functions:
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

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_start(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) {
            best = sycl::min(v, columns[first]);
        }
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
KERNEL connected_components_component_sample(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = component[v];
            int above_own = component[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic(component[v]).fetch_min(above_own);
                own = above_own;
                above_own = component[own];
                steps_own += 1;
            }
            int a = component[v];
            int b = component[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    atomic(component[high]).compare_exchange_strong(held, low);
                    if (held == high) {
                        break;
                    }
                }
                if (held == low) {
                    break;
                }
                const int above = component[held];
                if (above != held) {
                    atomic(component[high]).fetch_min(above);
                }
                a = above;
                b = component[low];
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
KERNEL connected_components_component_join(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        const int brought = node_of_all(item, begin, num_nodes);
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    atomic(component[high]).compare_exchange_strong(held, low);
                    if (held == high) {
                        break;
                    }
                }
                if (held == low) {
                    break;
                }
                const int above = component[held];
                if (above != held) {
                    atomic(component[high]).fetch_min(above);
                }
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
KERNEL connected_components_component_flatten(int num_nodes, int *component) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = component[v];
        int above = component[held];
        while (held != above) {
            atomic(component[v]).fetch_min(above);
            held = above;
            above = component[held];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
KERNEL connected_components_component_join_symmetric(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict component_apart, int *component
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && !component_apart[brought]) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int u = columns[e];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = sycl::min(a, b);
                const int high = sycl::max(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    atomic(component[high]).compare_exchange_strong(held, low);
                    if (held == high) {
                        break;
                    }
                }
                if (held == low) {
                    break;
                }
                const int above = component[held];
                if (above != held) {
                    atomic(component[high]).fetch_min(above);
                }
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
KERNEL connected_components_component_set_apart_symmetric(
    int num_nodes, arc_t num_arcs, const int *__restrict columns, int *component,
    bool *component_apart
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        int held = component[v];
        int above = component[held];
        int steps = 0;
        while (held != above && steps < 64) {
            atomic(component[v]).fetch_min(above);
            held = above;
            above = component[held];
            steps += 1;
        }
        int great = component[columns[num_arcs / 2]];
        int above_great = component[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic(component[columns[num_arcs / 2]]).fetch_min(above_great);
            great = above_great;
            above_great = component[great];
            steps_great += 1;
        }
        component_apart[v] = held != great;
    }
}
