// The kernels of connected_components.sp in OpenCL C 1.2.

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// Reads a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#define latest(cell) atomic_or((volatile __global int *)&(cell), 0)
#else
#define latest(cell) (cell)
#endif

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
__kernel void connected_components_component_start(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global int *component
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) {
            best = min(v, columns[first]);
        }
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
__kernel void connected_components_component_sample(
    int num_nodes,
    __global const arc_t *restrict row_offsets,
    __global const int *restrict columns,
    __global int *component
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int a = latest(component[v]);
            int b = latest(component[u]);
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = latest(component[high]);
                if (held == high) {
                    held = atomic_cmpxchg(&component[high], high, low);
                    if (held == high) {
                        break;
                    }
                }
                if (held == low) {
                    break;
                }
                const int above = latest(component[held]);
                if (above != held) {
                    atomic_min(&component[high], above);
                }
                a = above;
                b = latest(component[low]);
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
__kernel void connected_components_component_join(
    arc_t num_arcs,
    __global const int *restrict columns,
    __global const int *restrict arc_sources,
    __global int *component
) {
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int v = arc_sources[e];
        const int u = columns[e];
        int a = latest(component[v]);
        int b = latest(component[u]);
        while (a != b) {
            const int low = min(a, b);
            const int high = max(a, b);
            int held = latest(component[high]);
            if (held == high) {
                held = atomic_cmpxchg(&component[high], high, low);
                if (held == high) {
                    break;
                }
            }
            if (held == low) {
                break;
            }
            const int above = latest(component[held]);
            if (above != held) {
                atomic_min(&component[high], above);
            }
            a = above;
            b = latest(component[low]);
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
__kernel void connected_components_component_flatten(int num_nodes, __global int *component) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const int held = latest(component[v]);
        int root = held;
        int above = latest(component[root]);
        while (root != above) {
            root = above;
            above = latest(component[root]);
        }
        if (root != held) {
            atomic_min(&component[v], root);
        }
    }
}
