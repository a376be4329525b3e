// The kernels of connected_components.sp in OpenCL C 1.2.

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// connected_components.sp:6 forall (v in g.nodes())
#line 6 "connected_components.sp"
__kernel void connected_components_set_component(int num_nodes, __global int *component) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        component[v] = v;
    }
}

// connected_components.sp:12 forall (e in g.edges())
#line 12 "connected_components.sp"
__kernel void connected_components_min_component(
    arc_t num_arcs,
    __global const int *restrict columns,
    __global const int *restrict arc_sources,
    __global int *component,
    __global int *hooked
) {
    bool hooked_part = false;
    for (arc_t e = get_global_id(0); e < num_arcs; e += get_global_size(0)) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b) {
            hooked_part = true;
            if (b < component[a]) {
                atomic_min(&component[a], b);
            }
            if (a < component[b]) {
                atomic_min(&component[b], a);
            }
        }
    }
    if (hooked_part) {
        *hooked = 1;
    }
}

// connected_components.sp:21 forall (v in g.nodes())
#line 21 "connected_components.sp"
__kernel void connected_components_min_component_2(int num_nodes, __global int *component) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int root = component[v];
        while (component[root] != root) {
            root = component[root];
        }
        if (root < component[v]) {
            atomic_min(&component[v], root);
        }
    }
}
