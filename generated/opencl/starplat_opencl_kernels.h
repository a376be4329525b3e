#ifndef STARPLAT_OPENCL_KERNELS_H
#define STARPLAT_OPENCL_KERNELS_H
// OpenCL C 1.2: what kernels call.

// An arc's number: 64 bits wide for graphs with 2^31 arcs or more.
#ifdef ARC_64
typedef long arc_t;
#define ARC_MAX LONG_MAX
#define convert_arc_sat convert_long_sat
#else
typedef int arc_t;
#define ARC_MAX INT_MAX
#define convert_arc_sat convert_int_sat
#endif

// Read a cell that others update meanwhile. Any value that it had will do; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#define latest(cell) atomic_or((volatile __global int *)&(cell), 0)
#define latest_long(cell) atom_add((volatile __global long *)&(cell), 0)
#define latest_float(cell) as_float(atomic_or((volatile __global int *)&(cell), 0))
#define latest_double(cell) as_double(atom_add((volatile __global long *)&(cell), 0))
#define latest_arc(cell) (sizeof(arc_t) == 8 ? atom_add((volatile __global long *)&(cell), 0) \
    : atomic_or((volatile __global int *)&(cell), 0))
#else
#define latest(cell) (cell)
#define latest_long(cell) (cell)
#define latest_float(cell) (cell)
#define latest_double(cell) (cell)
#define latest_arc(cell) (cell)
#endif

// The lowest arc from source to destination, or -1: a binary search in the row.
static arc_t find_arc(__global const arc_t *row_offsets, __global const int *columns, int source, int destination) {
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

// Addition in which infinity plus anything is infinity.
static int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : (int)((uint)a + b);
}

// Addition in which infinity plus anything is infinity.
static long add_inf_long(long a, long b) {
    return a == LONG_MAX || b == LONG_MAX ? LONG_MAX : (long)((ulong)a + b);
}

// Multiplication that wraps around.
static int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// Multiplication that wraps around.
static long multiply_long(long a, long b) {
    return (long)((unsigned long)a * (unsigned long)b);
}

// Conversion in which infinity stays infinity.
static long int_to_long_inf(int value) {
    return value == INT_MAX ? LONG_MAX : (long)value;
}

// Combines the values of a work-group; its first work-item gets the total.
static int group_add_int(int value, __local int *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    for (int width = 256 / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            const int other = scratch[lane + width];
            value = value + other;
            scratch[lane] = value;
        }
    }
    return value;
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

// The rows of a group, one for each work-item, laid end to end: a place is an index into their arcs.
typedef struct {
    int node[256];     // the node of each row
    arc_t last[256];   // inclusive scan of the rows' lengths
    arc_t shift[256];  // the first arc of a row minus its first place
} GroupRows;

// The work-item that owns the arc at a place, by binary search in the scan.
static int owner_of(__local const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Adds a work-item's row, the arcs from `first` to `end` of `node`; returns the arcs in all rows of the group.
static arc_t bring_arcs(__local GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = get_local_id(0);
    arc_t last = end - first;
    barrier(CLK_LOCAL_MEM_FENCE);  // the rows added before are still read
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

// Adds the whole row of a node, empty where it is -1; returns the number of arcs in all rows of the group.
static arc_t bring_rows(__local GroupRows *rows, int node, __global const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(rows, node, first, end);
}

// Adds this group's part of the row of a node that `groups` groups share; returns the arcs in all rows of the group.
static arc_t bring_part(__local GroupRows *rows, int node, __global const arc_t *row_offsets, int groups) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    const long part = get_group_id(0) % groups, arcs = end - first;
    return bring_arcs(rows, node, first + arcs * part / groups, first + arcs * (part + 1) / groups);
}

// The node that a work-item takes of all nodes, or -1. Nodes of high degree often have neighboring numbers: to spread
// them over the groups, each takes runs of eight nodes that lie far apart.
static int node_of_all(int begin, int num_nodes) {
    const int lane = get_local_id(0);
    const int node = begin + (int)(lane / 8 * get_num_groups(0) + get_group_id(0)) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// The node that a work-item takes of listed words, given by their first nodes, or -1; in the order of `node_of_all`.
static int node_of_words(__global const int *words, int begin, int size, int num_nodes) {
    const int place = node_of_all(begin, size);
    const int node = place < 0 ? num_nodes : words[place / 32] + place % 32;
    return node < num_nodes ? node : -1;
}

// The number of groups that share each node of a list.
static int groups_for_each(int size) {
    return max(1, (int)get_num_groups(0) / size);
}

// The node that a work-item takes of a list, or -1; `groups` groups take the same.
static int listed_node(__global const int *list, int begin, int size, int groups) {
    const int team = get_group_id(0) / groups, teams = get_num_groups(0) / groups;
    const int place = begin + get_local_id(0) * teams + team;
    return team < teams && place < size ? list[place] : -1;
}

// The end of the next piece of the rows: as many arcs as `values` has room for, or the whole rest of a longer row.
static arc_t end_of_piece(__local const GroupRows *rows, arc_t begin, arc_t count) {
    return max(rows->last[owner_of(rows, begin)], min(count, begin + 1024));
}

// Reads a cell in local memory that others update meanwhile; race checkers want -DATOMIC_READS.
#ifdef ATOMIC_READS
#define latest_shared(cell) atomic_or((volatile __local int *)&(cell), 0)
#else
#define latest_shared(cell) (cell)
#endif

// Notes the bits that a work-item's row lacks: the halves of a word lie apart, each for all rows of the group.
static void lack_bits(__local int *lacking, long bits) {
    lacking[get_local_id(0)] = as_int2(bits).x;
    lacking[256 + get_local_id(0)] = as_int2(bits).y;
}

// What a row lacks still, and whether a work-item's row lacks nothing of so many words.
static long lacked_bits(__local const int *lacking, int owner) {
    return as_long((int2)(lacking[owner], lacking[256 + owner]));
}
static bool lacks_none(__local const int *lacking, int words) {
    int bits = 0;
    for (int part = 0; part < 2 * words; part++) bits |= lacking[part * 256 + get_local_id(0)];
    return bits == 0;
}

// A row has got bits; most arcs have none that it lacks still.
static void find_half(volatile __local int *lacking, int bits) {
    if ((latest_shared(*lacking) & bits) != 0) atomic_and(lacking, ~bits);
}
static void find_bits(__local int *lacking, int owner, long bits) {
    find_half(&lacking[owner], as_int2(bits).x);
    find_half(&lacking[256 + owner], as_int2(bits).y);
}

#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Conversion in which infinity stays infinity.
static double int_to_double_inf(int value) {
    return value == INT_MAX ? INFINITY : (double)value;
}

// Conversion in which infinity stays infinity.
static double long_to_double_inf(long value) {
    return value == LONG_MAX ? INFINITY : (double)value;
}

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

// Reduces the values of a piece into `total`, the total of a work-item's row. The values lie in `values`; those of a
// piece that is one long row are reduced by all work-items, from what each has in `joined`.
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
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next values are stored
    return total;
}

#endif

#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

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

#endif

#endif
