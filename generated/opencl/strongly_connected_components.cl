// The kernels of strongly_connected_components.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

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

// Whom a work-item brings of a list, of which some groups share each, or -1.
static int listed_node(__global const int *list, int begin, int size, int groups) {
    const int team = get_group_id(0) / groups, teams = get_num_groups(0) / groups;
    const int place = begin + get_local_id(0) * teams + team;
    return team < teams && place < size ? list[place] : -1;
}

// How many groups share a node of a list.
static int groups_for_each(int size) {
    return max(1, (int)get_num_groups(0) / size);
}

// Brings a node with this group's part of its arcs, where some groups share a node; returns how many arcs they are.
static arc_t bring_part(__local GroupRows *rows, int node, __global const arc_t *row_offsets, int groups) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    const long part = get_group_id(0) % groups, arcs = end - first;
    return bring_arcs(rows, node, first + arcs * part / groups, first + arcs * (part + 1) / groups);
}

// Which work-item brought the node of an arc.
static int owner_of(__local const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Combines the values of a work-group; its first work-item gets the total.
static long group_add_long(long value, __local long *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const long other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
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

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, __global int *bits, __global int *list, __global int *size) {
    const int bit = 1 << (node % 32);
    if ((latest(bits[node / 32]) & bit) == 0) {
        const int held = atomic_or(&bits[node / 32], bit);
        if ((held & bit) == 0) {
            const int place = atomic_add(size, 1);
            list[place] = node;
        }
    }
}

// strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
#line 13 "strongly_connected_components.sp"
__kernel void strongly_connected_components_set_color(
    int num_nodes, __global const int *restrict component, __global int *color,
    __global int *modified_bits, __global int *modified_list, __global int *modified_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (component[v] != -1) continue;
        color[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void strongly_connected_components_min_color(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_list, __global int *modified_bits,
    __global const int *restrict component, __global int *color, __global int *modified_next_bits,
    __global int *modified_next_list, __global int *modified_next_size, int modified_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < modified_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_count);
        const int brought = listed_node(modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = latest(color[v]);
                if (candidate < latest(color[nbr]) && candidate < atomic_min(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
#line 26 "strongly_connected_components.sp"
__kernel void strongly_connected_components_set_component(
    int num_nodes, __global int *component, __global const int *restrict color,
    __global int *modified_bits, __global int *modified_list, __global int *modified_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void strongly_connected_components_max_component(
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict modified_list, __global int *modified_bits,
    __global const int *restrict color, __global int *component, __global int *modified_next_bits,
    __global int *modified_next_list, __global int *modified_next_size, int modified_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < modified_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_count);
        const int brought = listed_node(modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, in_row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > latest(component[nbr]) && candidate > atomic_max(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
#line 10 "strongly_connected_components.sp"
__kernel void strongly_connected_components_find_finished(
    int num_nodes, __global const int *restrict component, __global int *finished
) {
    bool finished_part = true;
    for (int node = get_global_id(0); node < num_nodes; node += get_global_size(0)) {
        if (component[node] < 0) {
            finished_part = false;
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
#line 48 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void trim_set_alone(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const int *restrict component,
    __global uchar *alone
) {
    if (!*goes_on) {
        return;
    }
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (component[v] != -1) continue;
        bool entered = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) {
                entered = true;
            }
        }
        bool leaves = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) {
                leaves = true;
            }
        }
        alone[v] = !(entered && leaves);
    }
}

// strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
#line 59 "strongly_connected_components.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void trim_set_component(
    int num_nodes, __global const uchar *restrict goes_on, __global int *component,
    __global const uchar *restrict alone, __global long *trimmed_found
) {
    if (!*goes_on) {
        return;
    }
    long trimmed_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    __local long trimmed_scratch[256];
    trimmed_part = group_add_long(trimmed_part, trimmed_scratch);
    if (get_local_id(0) == 0) {
        atom_add(trimmed_found, trimmed_part);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 19 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void strongly_connected_components_min_color_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_bits, __global const int *restrict component,
    __global int *color, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = latest(color[v]);
                if (candidate < latest(color[nbr]) && candidate < atomic_min(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 32 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void strongly_connected_components_max_component_of_many(
    int num_nodes, __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns, __global const int *restrict modified_bits,
    __global const int *restrict color, __global int *component, __global int *modified_next_bits,
    __global int *modified_next_list, __global int *modified_next_size
) {
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        int brought = node_of_all(begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t in_e = place + rows.shift[owner];
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > latest(component[nbr]) && candidate > atomic_max(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
// puts what rounds change on the device
#line 48 "strongly_connected_components.sp"
__kernel void trim_begin(__global uchar *goes_on, __global long *trimmed_found) {
    *goes_on = true;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
// works out what the host does not wait for: trimmed
#line 48 "strongly_connected_components.sp"
__kernel void trim_end_round(__global uchar *goes_on, __global long *trimmed_found) {
    if (!*goes_on) {
        return;
    }
    const long trimmed = 0 + *trimmed_found;
    const bool again = trimmed > 0;
    *goes_on = again;
    *trimmed_found = 0;
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void strongly_connected_components_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *modified_list, __global int *modified_bits, __global const int *restrict component,
    __global int *color, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_size, uchar colored, int modified_count,
    int few, uchar turned, __global int *modified_count_outcome, __global int *colored_outcome,
    __global int *turned_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
            #line 19 "strongly_connected_components.sp"
            for (int place = get_global_id(0); place < modified_count; place += get_global_size(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    if (component[nbr] == -1) {
                        const int candidate = latest(color[v]);
                        if (candidate < latest(color[nbr]) && candidate < atomic_min(&color[nbr], candidate)) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        if (get_global_id(0) == 0) {
            *modified_size = 0;
        }
        { __global int *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { __global int *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { __global int *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_count = *modified_size;
        colored = modified_count == 0;
        turned = !turned;
        if (get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *colored_outcome = colored;
            *turned_outcome = turned;
        }
    } while (!colored && (modified_count < few && modified_count <= num_nodes / 8));
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void strongly_connected_components_few_2(
    int num_nodes, __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns, __global int *modified_list,
    __global int *modified_bits, __global const int *restrict color, __global int *component,
    __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_size, uchar collected,
    int modified_count, int few_2, uchar turned_2, __global int *modified_count_outcome,
    __global int *collected_outcome, __global int *turned_2_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
            #line 32 "strongly_connected_components.sp"
            for (int place = get_global_id(0); place < modified_count; place += get_global_size(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int nbr = in_columns[in_e];
                    if (color[nbr] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > latest(component[nbr]) && candidate > atomic_max(&component[nbr], candidate)) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        if (get_global_id(0) == 0) {
            *modified_size = 0;
        }
        { __global int *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { __global int *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { __global int *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        modified_count = *modified_size;
        collected = modified_count == 0;
        turned_2 = !turned_2;
        if (get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *collected_outcome = collected;
            *turned_2_outcome = turned_2;
        }
    } while (!collected && (modified_count < few_2 && modified_count <= num_nodes / 8));
}
