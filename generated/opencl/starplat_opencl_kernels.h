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

#define MOST_CELLS 2048  // of the tables of a group
#define FEW_KEPT 128  // nodes of a row that is in a table beside others
#define LOOKED_UP_AT_ONCE 4  // nodes of a work-item

// Tables of the nodes that rows keep, found by their hashes, with how often each was found: a row has four cells for
// each of its nodes, or all cells for some of the nodes of a long row.
typedef struct {
    GroupRows kept, others;  // the rows whose nodes are in tables, and those that are looked up there
    int nodes[MOST_CELLS];   // -1 where a cell is free
    int times[MOST_CELLS];
    int base[256], cells[256];  // the table that each of the others is looked up in
    int met[256];                      // how often each of the others was found there
    int sums[256];                     // how often any was, for each row that is kept
    int end;                                  // of the next rows that are put into tables, behind their first place
} GroupTables;

// Adds a work-item's row, the nodes that one keeps; returns those of all rows of the group.
static arc_t keep_rows(
    __local GroupTables *tables, int node, __global const arc_t *row_offsets, __global const int *sizes
) {
    const int lane = get_local_id(0), size = node < 0 ? 0 : sizes[node];
    const arc_t first = size < 2 ? 0 : row_offsets[node];
    for (int cell = lane; cell < MOST_CELLS; cell += 256) {
        tables->nodes[cell] = -1;
        tables->times[cell] = 0;
    }
    tables->met[lane] = tables->sums[lane] = 0;
    return bring_arcs(&tables->kept, node, first, first + (size < 2 ? 0 : size));
}

// The first place of a row that is kept, and how many it has.
static arc_t place_of(__local const GroupTables *tables, int row) {
    return row == 0 ? 0 : tables->kept.last[row - 1];
}
static arc_t size_of(__local const GroupTables *tables, int row) {
    return tables->kept.last[row] - place_of(tables, row);
}

// The cell of a table that a node is looked for in first, and the one behind a cell.
static int home_of(int node, int cells) {
    return mul_hi((uint)node * 0x9e3779b1u, (uint)cells);
}
static int cell_after(int cell, int cells) {
    return cell + 1 < cells ? cell + 1 : 0;
}

// The first cell of the table of a row, where those of rows from a place on are at hand, and how many it has.
static int table_of(__local const GroupTables *tables, int row, arc_t from) {
    return size_of(tables, row) > FEW_KEPT ? 0 : 4 * (int)(place_of(tables, row) - from);
}
static int cells_of(__local const GroupTables *tables, int row) {
    const arc_t size = size_of(tables, row);
    return size > FEW_KEPT ? MOST_CELLS : 4 * (int)size;
}

// Puts the next rows, or a part of a long one, from a place on into tables; returns the place behind them.
static arc_t fill_tables(__local GroupTables *tables, arc_t from, __global const int *kept) {
    const int lane = get_local_id(0), row = owner_of(&tables->kept, from);
    const arc_t before = place_of(tables, lane) - from, size = size_of(tables, lane), few = MOST_CELLS / 4;
    const bool is_long = size_of(tables, row) > FEW_KEPT;
    const arc_t left = tables->kept.last[is_long ? row : 256 - 1] - from;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) tables->end = min(left, is_long ? 2 * few : few);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_long && before >= 0 && before < few && (size > FEW_KEPT || before + size > few)) {
        atomic_min((volatile __local int *)&tables->end, (int)before);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const arc_t to = from + tables->end;
    for (arc_t place = from + lane; place < to; place += 256) {
        const int owner = owner_of(&tables->kept, place);
        const int base = table_of(tables, owner, from), cells = cells_of(tables, owner);
        const int node = kept[place + tables->kept.shift[owner]];
        int cell = home_of(node, cells);
        while (atomic_cmpxchg((volatile __local int *)&tables->nodes[base + cell], -1, node) != -1) {
            cell = cell_after(cell, cells);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return to;
}

// The cell of a node in a table, or -1.
static int cell_of(__local const GroupTables *tables, int base, int cells, int node) {
    int cell = home_of(node, cells), there = tables->nodes[base + cell];
    while (there != node && there >= 0) {
        cell = cell_after(cell, cells);
        there = tables->nodes[base + cell];
    }
    return there < 0 ? -1 : base + cell;
}

// Looks up, in the tables of the rows from a place to another, what the nodes keep to which their arcs lead, those from
// `at` on; returns the next of these arcs, or -1. Of two nodes of which one keeps more than FEW_KEPT, the one that
// keeps more has the table, for all its arcs: the shorter row is looked up.
static arc_t look_up(
    __local GroupTables *tables, bool of_each, arc_t from, arc_t to, arc_t at, __global const arc_t *row_offsets,
    __global const int *columns, __global const int *kept, __global const int *sizes
) {
    const int lane = get_local_id(0), first_row = owner_of(&tables->kept, from);
    const bool is_long = size_of(tables, first_row) > FEW_KEPT;
    const int first_node = tables->kept.node[first_row];
    const arc_t arcs = is_long ? row_offsets[first_node + 1] - row_offsets[first_node] : to - from;
    int row = first_row, other = -1, size = 0;
    if (at + lane < arcs) {
        if (!is_long) row = owner_of(&tables->kept, from + at + lane);
        const arc_t arc = is_long ? row_offsets[first_node] : from + tables->kept.shift[row];
        other = (is_long ? columns : kept)[arc + at + lane];
        size = sizes[other];
        const arc_t own_size = size_of(tables, row);
        if (is_long ? size > own_size || (size == own_size && other >= first_node) : size > FEW_KEPT) size = 0;
    }
    tables->base[lane] = table_of(tables, row, from);
    tables->cells[lane] = cells_of(tables, row);
    const arc_t first = size == 0 ? 0 : row_offsets[other];
    const arc_t count = bring_arcs(&tables->others, other, first, first + size);
    int all = 0;
    for (arc_t begin = lane; begin < count; begin += LOOKED_UP_AT_ONCE * 256) {
        int nodes[LOOKED_UP_AT_ONCE], owners[LOOKED_UP_AT_ONCE];
        #pragma unroll
        for (int i = 0; i < LOOKED_UP_AT_ONCE; i++) {
            const arc_t place = min(begin + i * 256, count - 1);
            owners[i] = owner_of(&tables->others, place);
            nodes[i] = kept[place + tables->others.shift[owners[i]]];
        }
        #pragma unroll
        for (int i = 0; i < LOOKED_UP_AT_ONCE; i++) {
            if (begin + i * 256 >= count) continue;
            const int cell = cell_of(tables, tables->base[owners[i]], tables->cells[owners[i]], nodes[i]);
            if (cell < 0) continue;
            all++;
            if (of_each) {
                atomic_inc((volatile __local int *)&tables->times[cell]);
                atomic_inc((volatile __local int *)&tables->met[owners[i]]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!of_each) {
        tables->met[lane] = all;
    } else if (tables->met[lane] > 0) {
        const int number = tables->met[lane];
        const int cell = cell_of(tables, tables->base[lane], tables->cells[lane], other);
        atomic_add((volatile __local int *)&tables->sums[row], number);
        if (cell >= 0) {
            atomic_add((volatile __local int *)&tables->times[cell], number);
            tables->met[lane] = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return at + 256 < arcs ? at + 256 : -1;
}

// How many nodes a work-item tells what was found: the other node of its arc, and once there are no more arcs that of
// the row that it has brought, and those of its cells.
static int nodes_to_tell(bool ends) {
    return ends ? 2 + MOST_CELLS / 256 : 1;
}

// The next of these nodes, and its number of triangles, which is forgotten here.
static int take_found(__local GroupTables *tables, int which, int *node) {
    const int lane = get_local_id(0);
    __local int *times = which == 0 ? &tables->met[lane] : &tables->sums[lane];
    *node = which == 0 ? tables->others.node[lane] : tables->kept.node[lane];
    if (which > 1) {
        const int cell = (which - 2) * 256 + lane;
        times = &tables->times[cell];
        *node = tables->nodes[cell];
        tables->nodes[cell] = -1;
    }
    const int number = *times;
    *times = 0;
    return number;
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
