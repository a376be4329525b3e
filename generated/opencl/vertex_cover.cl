// The kernels of vertex_cover.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

// vertex_cover.sp:35 function scatter(node v)
#line 35 "vertex_cover.sp"
static long scatter(int v) {
    return multiply_long(v, 2654435761L) % 4294967296L;
}

// vertex_cover.sp:7 forall (v in g.nodes())
#line 7 "vertex_cover.sp"
__kernel void vertex_cover_set_in_cover(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global uchar *in_cover
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        in_cover[v] = find_arc(row_offsets, columns, v, v) >= 0;
    }
}

// vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
// first partner = -1
#line 14 "vertex_cover.sp"
__kernel void vertex_cover_set_partner(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global const uchar *restrict goes_on, __global int *partner, __global const uchar *restrict in_cover
) {
    if (!*goes_on) return;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        partner[v] = -1;
        if (!in_cover[v]) {
            long most = -1;
            const arc_t first_out = row_offsets[v];
            const arc_t outs = row_offsets[v + 1] - first_out;
            const arc_t first_in = in_row_offsets[v];
            const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
            for (arc_t i = 0; i < end; i++) {
                const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                if (!in_cover[u]) {
                    const long worth = scatter(u) ^ scatter(v);
                    if (worth > most) {
                        most = worth;
                        partner[v] = u;
                    }
                }
            }
        }
    }
}

// vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
#line 24 "vertex_cover.sp"
__kernel void vertex_cover_set_in_cover_2(
    int num_nodes, __global const uchar *restrict goes_on, __global const int *restrict partner,
    __global uchar *in_cover, __global int *matched_found
) {
    if (!*goes_on) return;
    bool matched_part = false;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (partner[v] == -1) continue;
        const int u = partner[v];
        if (partner[u] == v) {
            in_cover[v] = true;
            matched_part = true;
        }
    }
    if (matched_part) *matched_found = 1;
}

// vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
// puts what rounds change on the device
#line 14 "vertex_cover.sp"
__kernel void vertex_cover_begin(__global uchar *goes_on, __global int *matched_found) {
    *goes_on = true;
    *matched_found = 0;
}

// vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
// works out what the host does not wait for: matched
#line 14 "vertex_cover.sp"
__kernel void vertex_cover_end_round(__global uchar *goes_on, __global int *matched_found) {
    if (!*goes_on) return;
    const bool matched = *matched_found != 0;
    *goes_on = matched;
    *matched_found = 0;
}
