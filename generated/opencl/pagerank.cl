// The kernels of pagerank.sp in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#else
typedef int arc_t;
#endif

// Combines the values of a work-group; its first work-item gets the total.
static double group_add_double(double value, __local double *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const double other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
}

// Reads a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define latest_long(cell) atom_add((volatile __global long *)&(cell), 0)
#else
#define latest_long(cell) (cell)
#endif

// Tried again until no other work-item has come between reading and writing; NVIDIA has an instruction for it.
static void atomic_add_double(volatile __global double *cell, double value) {
#ifdef __NV_CL_C_VERSION
    asm volatile("red.global.add.f64 [%0], %1;" :: "l"(cell), "d"(value) : "memory");
#else
    volatile __global long *word = (volatile __global long *)cell;
    long old = latest_long(*word), seen;
    while ((seen = atom_cmpxchg(word, old, as_long(as_double(old) + value))) != old) {
        old = seen;
    }
#endif
}

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

// Where the arcs end that a group looks at together: some that it has room for, or all that are left of a long row.
static arc_t end_of_piece(__local const GroupRows *rows, arc_t begin, arc_t count) {
    return max(rows->last[owner_of(rows, begin)], min(count, begin + 1024));
}

// Joins to the total of the node that a work-item brought the values of its arcs from `begin` to `end`: they lie in
// `values`, or have been joined by all work-items, each in `joined` what it came by.
static double join_add_double(
    __local const GroupRows *rows, arc_t begin, arc_t end, double joined, __local double *values, double total
) {
    const int lane = get_local_id(0);
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = group_add_double(joined, values);
        if (lane == 0) values[0] = joined;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first <= begin && begin < last) {
            const double other = values[0];
            total = total + other;
        }
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        const arc_t stop = min(last, end) - begin;
        for (arc_t i = max(first, begin) - begin; i < stop; i++) {
            const double other = values[i];
            total = total + other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the next values may come
    return total;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_find_stranded_and_set_contribution(
    int num_nodes, __global const arc_t *restrict row_offsets,
    __global const uchar *restrict goes_on, __global const double *restrict rank,
    __global double *contribution, __global double *stranded_found
) {
    if (!*goes_on) {
        return;
    }
    double stranded_part = 0.0;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) {
            stranded_part += rank[v];
        }
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    __local double stranded_scratch[256];
    stranded_part = group_add_double(stranded_part, stranded_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_double(stranded_found, stranded_part);
    }
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void pagerank_set_rank_nxt(
    int num_nodes, __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns, __global const uchar *restrict goes_on,
    __global const double *restrict contribution, __global const double *restrict stranded_found,
    __global double *rank, double damping, double n, __global double *change_found
) {
    if (!*goes_on) {
        return;
    }
    double change_part = 0.0;
    __local double values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        double inflow = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int nbr = in_columns[in_e];
                const double value = contribution[nbr];
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            inflow = join_add_double(&rows, from, to, joined, values, inflow);
        }
        if (brought < 0) continue;
        const int v = brought;
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + (0.0 + *stranded_found) / n);
        const double old_rank = rank[v];
        change_part += fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) {
            rank[v] = rank_nxt_of_v;
        }
    }
    __local double change_scratch[256];
    change_part = group_add_double(change_part, change_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_double(change_found, change_part);
    }
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// puts what rounds change on the device
#line 14 "pagerank.sp"
__kernel void pagerank_begin(
    __global uchar *goes_on, __global int *iterations_cell, __global double *stranded_found,
    __global double *change_found, int iterations
) {
    *goes_on = true;
    *iterations_cell = iterations;
    *stranded_found = 0.0;
    *change_found = 0.0;
}

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// works out what the host does not wait for: change, iterations
#line 14 "pagerank.sp"
__kernel void pagerank_end_round(
    __global uchar *goes_on, __global double *change_found, __global int *iterations_cell,
    __global double *stranded_found, double tolerance, int max_iterations
) {
    if (!*goes_on) {
        return;
    }
    const double change = 0.0 + *change_found;
    const int iterations = *iterations_cell + 1;
    const bool again = change > tolerance && iterations < max_iterations;
    *iterations_cell = iterations;
    *goes_on = again;
    *stranded_found = 0.0;
    *change_found = 0.0;
}
