// The kernels of strongly_connected_components.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "starplat_opencl_kernels.h"

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
    int num_nodes, __global const int *restrict component, __global int *color, __global int *modified_bits,
    __global int *modified_list, __global int *modified_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (component[v] != -1) continue;
        color[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void strongly_connected_components_min_color(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_list, __global int *modified_bits, __global const int *restrict component,
    __global int *color, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, int modified_count
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
    int num_nodes, __global int *component, __global const int *restrict color, __global int *modified_bits,
    __global int *modified_list, __global int *modified_size
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void strongly_connected_components_max_component(
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict modified_list, __global int *modified_bits, __global const int *restrict color,
    __global int *component, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, int modified_count
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
        if (component[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
#line 48 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4)))
void trim_set_alone(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global const int *restrict component, __global uchar *alone
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (component[v] != -1) continue;
        bool entered = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) entered = true;
        }
        bool leaves = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) leaves = true;
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
    if (!*goes_on) return;
    long trimmed_part = 0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    __local long trimmed_scratch[256];
    trimmed_part = group_add_long(trimmed_part, trimmed_scratch);
    if (get_local_id(0) == 0) atom_add(trimmed_found, trimmed_part);
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 19 "strongly_connected_components.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void strongly_connected_components_min_color_of_many(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict modified_bits, __global const int *restrict component, __global int *color,
    __global int *modified_next_bits, __global int *modified_next_list, __global int *modified_next_size
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
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1,
    1)))
void strongly_connected_components_max_component_of_many(
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const int *restrict modified_bits, __global const int *restrict color, __global int *component,
    __global int *modified_next_bits, __global int *modified_next_list, __global int *modified_next_size
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
    if (!*goes_on) return;
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
    __global int *modified_next_size, __global int *modified_size, uchar colored, int modified_count, int few,
    uchar turned, __global int *modified_count_outcome, __global int *colored_outcome, __global int *turned_outcome
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
        if (get_global_id(0) == 0) *modified_size = 0;
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
    int num_nodes, __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *modified_list, __global int *modified_bits, __global const int *restrict color,
    __global int *component, __global int *modified_next_bits, __global int *modified_next_list,
    __global int *modified_next_size, __global int *modified_size, uchar collected, int modified_count, int few_2,
    uchar turned_2, __global int *modified_count_outcome, __global int *collected_outcome,
    __global int *turned_2_outcome
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
        if (get_global_id(0) == 0) *modified_size = 0;
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
