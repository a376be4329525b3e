// The kernels of bfs_levels.sp in OpenCL C 1.2.

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

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
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
static float group_add_float(float value, __local float *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const float other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
}

// Tried again until no other work-item has come between reading and writing; NVIDIA has an instruction for it.
static void atomic_add_float(volatile __global float *cell, float value) {
#ifdef __NV_CL_C_VERSION
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(cell), "f"(value) : "memory");
#else
    volatile __global int *word = (volatile __global int *)cell;
    int old = latest(*word), seen;
    while ((seen = atomic_cmpxchg(word, old, as_int(as_float(old) + value))) != old) {
        old = seen;
    }
#endif
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

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void bfs_levels_min_level(
    __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const int *restrict frontier_list, __global int *frontier_bits, __global int *level,
    __global int *frontier_next_bits, __global int *frontier_next_list,
    __global int *frontier_next_size, int frontier_count
) {
    __local GroupRows rows;
    for (int begin = 0; begin < frontier_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(frontier_count);
        const int brought = listed_node(frontier_list, begin, frontier_count, groups);
        if (brought >= 0) {
            const int v = brought;
            frontier_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int w = columns[e];
            const int candidate = add_inf(latest(level[v]), 1);
            if (candidate < latest(level[w]) && candidate < atomic_min(&level[w], candidate)) {
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
            }
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// nodes that are not reached yet look for one that is
#line 11 "bfs_levels.sp"
__kernel __attribute__((vec_type_hint(int4)))
void bfs_levels_min_level_pull(
    int num_nodes, __global const arc_t *restrict in_row_offsets,
    __global const int *restrict in_columns, __global int *level,
    __global const int *restrict frontier_bits, __global int *frontier_next_bits,
    __global int *frontier_next_list, __global int *frontier_next_size
) {
    for (int w = get_global_id(0); w < num_nodes; w += get_global_size(0)) {
        if (level[w] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[w]; e_in < in_row_offsets[w + 1]; e_in++) {
            const int v = in_columns[e_in];
            if ((frontier_bits[v / 32] & (1 << (v % 32))) != 0) {
                level[w] = add_inf(level[v], 1);
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                break;
            }
        }
    }
}

__kernel void frontier_list_first(
    __global int *frontier_bits, __global int *frontier_list, __global int *frontier_size, int src
) {
    enlist(src, frontier_bits, frontier_list, frontier_size);
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// how many arcs the active nodes have
#line 11 "bfs_levels.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void arcs_of_frontier_list(
    __global const arc_t *restrict row_offsets, __global const int *restrict frontier_list,
    int frontier_count, __global float *active_arcs
) {
    float active_arcs_part = 0.0f;
    for (int place = get_global_id(0); place < frontier_count; place += get_global_size(0)) {
        const int active_node = frontier_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    __local float active_arcs_scratch[256];
    active_arcs_part = group_add_float(active_arcs_part, active_arcs_scratch);
    if (get_local_id(0) == 0) {
        atomic_add_float(active_arcs, active_arcs_part);
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
__kernel __attribute__((vec_type_hint(int4)))
void bfs_levels_few(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *frontier_list, __global int *frontier_bits, __global int *level,
    __global int *frontier_next_bits, __global int *frontier_next_list,
    __global int *frontier_next_size, __global int *frontier_size, uchar finished,
    int frontier_count, int few, uchar turned, __global int *frontier_count_outcome,
    __global int *finished_outcome, __global int *turned_outcome
) {
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        {
            // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
            #line 11 "bfs_levels.sp"
            for (int place = get_global_id(0); place < frontier_count; place += get_global_size(0)) {
                const int v = frontier_list[place];
                frontier_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    const int candidate = add_inf(latest(level[v]), 1);
                    if (candidate < latest(level[w]) && candidate < atomic_min(&level[w], candidate)) {
                        enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                    }
                }
            }
        }
        if (get_global_id(0) == 0) {
            *frontier_size = 0;
        }
        { __global int *other = frontier_bits; frontier_bits = frontier_next_bits; frontier_next_bits = other; }
        { __global int *other = frontier_list; frontier_list = frontier_next_list; frontier_next_list = other; }
        { __global int *other = frontier_size; frontier_size = frontier_next_size; frontier_next_size = other; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        frontier_count = *frontier_size;
        finished = frontier_count == 0;
        turned = !turned;
        if (get_global_id(0) == 0) {
            *frontier_count_outcome = frontier_count;
            *finished_outcome = finished;
            *turned_outcome = turned;
        }
    } while (!finished && (frontier_count < few && frontier_count <= num_nodes / 16));
}
