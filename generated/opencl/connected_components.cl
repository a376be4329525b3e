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

// The arcs of the nodes that the work-items of a group bring, one node's after another's.
typedef struct {
    int node[256];     // whom a work-item has brought
    arc_t last[256];   // his arcs and those before them
    arc_t shift[256];  // from a place among them all to an arc of his
} GroupRows;

// Brings a node with its arcs from `first` to `end`, for all work-items of a group; returns how many arcs they bring.
static arc_t bring_arcs(__local GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = get_local_id(0);
    arc_t last = end - first;
    barrier(CLK_LOCAL_MEM_FENCE);  // nobody needs what was brought before
    rows->node[lane] = node;
    rows->last[lane] = last;
    for (int width = 1; width < 256; width *= 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= width) last += rows->last[lane - width];
        rows->shift[lane] = last;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= 2 * width) last += rows->shift[lane - 2 * width];
        rows->last[lane] = last;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    rows->shift[lane] = end - last;
    barrier(CLK_LOCAL_MEM_FENCE);
    return rows->last[256 - 1];
}

// Whom a work-item brings of all nodes, or -1. Nodes with many arcs often stand together, and should not be for one
// group alone: it gets eight that follow each other, and others from far away.
static int node_of_all(int begin, int num_nodes) {
    const int lane = get_local_id(0);
    const int node = begin + (int)(lane / 8 * get_num_groups(0) + get_group_id(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// Brings a node with all its arcs, or with none where it is -1; returns how many arcs the group brings.
static arc_t bring_rows(__local GroupRows *rows, int node, __global const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(rows, node, first, end);
}

// Which work-item brought the node of an arc.
static int owner_of(__local const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
__kernel void connected_components_component_start(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
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
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *component
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = latest(component[v]);
            int above_own = latest(component[own]);
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomic_min(&component[v], above_own);
                own = above_own;
                above_own = latest(component[own]);
                steps_own += 1;
            }
            int a = latest(component[v]);
            int b = latest(component[u]);
            int steps = 0;
            while (a != b && steps < 64) {
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
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void connected_components_component_join(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *component
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
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
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
__kernel void connected_components_component_flatten(int num_nodes, __global int *component) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(component[v]);
        int above = latest(component[held]);
        while (held != above) {
            atomic_min(&component[v], above);
            held = above;
            above = latest(component[held]);
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void connected_components_component_join_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict component_apart, __global int *component
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && !component_apart[brought]) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
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
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
__kernel void connected_components_component_set_apart_symmetric(
    int num_nodes, arc_t num_arcs, __global const int *restrict columns, __global int *component,
    __global uchar *component_apart
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        int held = latest(component[v]);
        int above = latest(component[held]);
        int steps = 0;
        while (held != above && steps < 64) {
            atomic_min(&component[v], above);
            held = above;
            above = latest(component[held]);
            steps += 1;
        }
        int great = latest(component[columns[num_arcs / 2]]);
        int above_great = latest(component[great]);
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomic_min(&component[columns[num_arcs / 2]], above_great);
            great = above_great;
            above_great = latest(component[great]);
            steps_great += 1;
        }
        component_apart[v] = held != great;
    }
}
