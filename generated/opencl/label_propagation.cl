// The kernels of label_propagation.sp in OpenCL C 1.2.
#include "starplat_opencl_kernels.h"

#define MOST_ALONE 8  // arcs of a row that a work-item counts by itself
#define MOST_COUNTED 1024  // arcs of rows whose maps lie in local memory

// The maps of rows that a work-group counts together: hash tables with open addressing, two slots for each arc, with
// the key -1 where a slot is free. The best key of a row is the one with the largest sum, of equal ones the smallest.
typedef struct {
    int keys[2 * MOST_COUNTED];
    int sums[2 * MOST_COUNTED];
    uchar owners[MOST_COUNTED];  // of the rows' places
    int most[256];
    uint best[256];  // UINT_MAX for none
    bool longer;            // whether there are rows that no work-item counts by itself
} GroupMaps;

// The best of so many keys at most, or -1.
static int best_of(const int *keys, const int *sums, int most) {
    int best = -1, sum_of_best = INT_MIN;
    #pragma unroll
    for (int i = 0; i < most; i++) {
        uint sum = 0;
        #pragma unroll
        for (int j = 0; j < most; j++) sum += keys[j] == keys[i] ? (uint)sums[j] : 0;
        const bool more = best < 0 || (int)sum > sum_of_best || ((int)sum == sum_of_best && keys[i] < best);
        if (keys[i] >= 0 && more) {
            best = keys[i];
            sum_of_best = (int)sum;
        }
    }
    return best;
}

// The same of a short row; fewer comparisons do for half as many.
static int best_of_few(const int *keys, const int *sums, arc_t arcs) {
    return arcs <= MOST_ALONE / 2 ? best_of(keys, sums, MOST_ALONE / 2) : best_of(keys, sums, MOST_ALONE);
}

// Whether any row of the group is not that short.
static bool some_are_longer(__local GroupMaps *maps, arc_t arcs) {
    barrier(CLK_LOCAL_MEM_FENCE);  // what was found before has been read
    if (get_local_id(0) == 0) maps->longer = false;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (arcs > MOST_ALONE) maps->longer = true;
    barrier(CLK_LOCAL_MEM_FENCE);
    return maps->longer;
}

// The end of the rows from a place on that are counted in local memory, or of the one longer row there.
static arc_t end_of_rows(__local const GroupRows *rows, arc_t from) {
    const arc_t count = rows->last[256 - 1];
    if (count - from <= MOST_COUNTED) return count;
    const int owner = owner_of(rows, from + MOST_COUNTED);
    const arc_t whole = owner == 0 ? 0 : rows->last[owner - 1];
    return whole > from ? whole : rows->last[owner];
}

// No row has a best key yet.
static void forget_keys(__local GroupMaps *maps) {
    maps->most[get_local_id(0)] = INT_MIN;
    maps->best[get_local_id(0)] = UINT_MAX;
}

// The best key of a work-item's row, or -1.
static int best_key(__local const GroupMaps *maps) {
    return (int)maps->best[get_local_id(0)];
}

// Frees the slots of rows with so many arcs.
static void clear_maps(__local GroupMaps *maps, arc_t arcs, __global int *long_keys, __global int *long_sums) {
    if (arcs > MOST_COUNTED) {
        for (long slot = get_local_id(0); slot < 2L * arcs; slot += 256) {
            long_keys[slot] = -1;
            long_sums[slot] = 0;
        }
    } else {
        for (int slot = get_local_id(0); slot < 2 * arcs; slot += 256) {
            maps->keys[slot] = -1;
            maps->sums[slot] = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// The work-item that owns a place, noted for those who look at its slots.
static int own_place(__local GroupMaps *maps, __local const GroupRows *rows, arc_t from, arc_t to, arc_t place) {
    const int owner = owner_of(rows, place);
    if (to - from <= MOST_COUNTED) maps->owners[place - from] = owner;
    return owner;
}

// The slot of a map that a key is looked for in first.
static long first_slot_of(int key, long slots) {
    return (key * 0x9e3779b1u >> 1) * slots >> 31;
}

// Adds a value to the sum of a key in the map of an owner's row.
static void count_key(
    __local GroupMaps *maps, __local const GroupRows *rows, int owner, arc_t from, arc_t to, __global int *long_keys,
    __global int *long_sums, int key, int value
) {
    if (key < 0) return;
    if (to - from > MOST_COUNTED) {
        const long slots = 2L * (to - from);
        long slot = first_slot_of(key, slots);
        for (;; slot = slot + 1 < slots ? slot + 1 : 0) {
            int found = latest(long_keys[slot]);
            if (found == -1) found = atomic_cmpxchg((volatile __global int *)&long_keys[slot], -1, key);
            if (found == -1 || found == key) break;
        }
        atomic_add((volatile __global int *)&long_sums[slot], value);
    } else {
        const int first = owner == 0 ? 0 : rows->last[owner - 1] - from;
        const int slots = 2 * (rows->last[owner] - from - first);
        int slot = first_slot_of(key, slots);
        for (;; slot = slot + 1 < slots ? slot + 1 : 0) {
            int found = latest_shared(maps->keys[2 * first + slot]);
            if (found == -1) found = atomic_cmpxchg((volatile __local int *)&maps->keys[2 * first + slot], -1, key);
            if (found == -1 || found == key) break;
        }
        atomic_add((volatile __local int *)&maps->sums[2 * first + slot], value);
    }
}

// Finds the best keys of rows when all arcs are counted.
static void rank_keys(
    __local GroupMaps *maps, __local const GroupRows *rows, arc_t from, arc_t to, __global const int *long_keys,
    __global const int *long_sums
) {
    const int lane = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (to - from > MOST_COUNTED) {
        const int owner = owner_of(rows, from);
        int most = INT_MIN;
        uint best = UINT_MAX;
        for (long slot = lane; slot < 2L * (to - from); slot += 256) {
            const int key = long_keys[slot], sum = long_sums[slot];
            if (key < 0 || sum < most) continue;
            best = sum > most ? key : min(best, (uint)key);
            most = sum;
        }
        atomic_max((volatile __local int *)&maps->most[owner], most);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (most == maps->most[owner]) atomic_min((volatile __local uint *)&maps->best[owner], best);
    } else {
        const int slots = 2 * (to - from);
        for (int slot = lane; slot < slots; slot += 256) {
            const int owner = maps->owners[slot / 2], sum = maps->sums[slot];
            if (maps->keys[slot] < 0 || sum <= latest_shared(maps->most[owner])) continue;
            atomic_max((volatile __local int *)&maps->most[owner], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int slot = lane; slot < slots; slot += 256) {
            const int owner = maps->owners[slot / 2], key = maps->keys[slot];
            if (key < 0 || maps->sums[slot] < maps->most[owner]) continue;
            if ((uint)key >= (uint)latest_shared(maps->best[owner])) continue;
            atomic_min((volatile __local uint *)&maps->best[owner], (uint)key);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
__kernel void label_propagation_set_label(int num_nodes, __global int *label) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void label_propagation_set_label_nxt(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const arc_t *restrict in_row_offsets, __global const int *restrict in_columns,
    __global int *votes_keys, __global int *votes_sums, __global const int *restrict label, __global int *label_nxt
) {
    __local GroupMaps maps;
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t arcs = brought < 0 ? 0L
            : (long)row_offsets[brought + 1] + in_row_offsets[brought + 1]
            - ((long)row_offsets[brought] + in_row_offsets[brought]);
        int favourite = -1;
        if (arcs <= MOST_ALONE) {
            int few_keys[MOST_ALONE], few_sums[MOST_ALONE];
            #pragma unroll
            for (arc_t i = 0; i < MOST_ALONE; i++) {
                few_keys[i] = -1;
                few_sums[i] = 0;
                if (i < arcs) {
                    const int v = brought;
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    few_keys[i] = label[u];
                    few_sums[i] = 1;
                }
            }
            favourite = best_of_few(few_keys, few_sums, arcs);
        }
        if (some_are_longer(&maps, arcs)) {
            const arc_t count = bring_arcs(&rows, brought, 0, arcs <= MOST_ALONE ? 0 : arcs);
            forget_keys(&maps);
            for (arc_t from = 0, to; from < count; from = to) {
                to = end_of_rows(&rows, from);
                const int longer = rows.node[owner_of(&rows, from)];
                const long window = 2L * ((long)row_offsets[longer] + in_row_offsets[longer]);
                clear_maps(&maps, to - from, votes_keys + window, votes_sums + window);
                for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                    const int owner = own_place(&maps, &rows, from, to, place);
                    const int v = rows.node[owner];
                    const arc_t i = place + rows.shift[owner];
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    count_key(&maps, &rows, owner, from, to, votes_keys + window, votes_sums + window, label[u], 1);
                }
                rank_keys(&maps, &rows, from, to, votes_keys + window, votes_sums + window);
            }
        }
        if (arcs > MOST_ALONE) favourite = best_key(&maps);
        if (brought < 0) continue;
        const int v = brought;
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size(256, 1, 1)))
void label_propagation_set_label_nxt_symmetric(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global int *votes_keys, __global int *votes_sums, __global const int *restrict label, __global int *label_nxt
) {
    __local GroupMaps maps;
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t arcs = brought < 0 ? 0L : (long)row_offsets[brought + 1] - (long)row_offsets[brought];
        int favourite = -1;
        if (arcs <= MOST_ALONE) {
            int few_keys[MOST_ALONE], few_sums[MOST_ALONE];
            #pragma unroll
            for (arc_t place_2 = 0; place_2 < MOST_ALONE; place_2++) {
                few_keys[place_2] = -1;
                few_sums[place_2] = 0;
                if (place_2 < arcs) {
                    const int v = brought;
                    const arc_t i = row_offsets[v] + place_2;
                    const int u = columns[i];
                    few_keys[place_2] = label[u];
                    few_sums[place_2] = 2;
                }
            }
            favourite = best_of_few(few_keys, few_sums, arcs);
        }
        if (some_are_longer(&maps, arcs)) {
            const arc_t count = bring_arcs(&rows, brought, 0, arcs <= MOST_ALONE ? 0 : arcs);
            forget_keys(&maps);
            for (arc_t from = 0, to; from < count; from = to) {
                to = end_of_rows(&rows, from);
                const int longer = rows.node[owner_of(&rows, from)];
                const long window = 2L * (long)row_offsets[longer];
                clear_maps(&maps, to - from, votes_keys + window, votes_sums + window);
                for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                    const int owner = own_place(&maps, &rows, from, to, place);
                    const int v = rows.node[owner];
                    const arc_t place_2 = place + rows.shift[owner];
                    const arc_t i = row_offsets[v] + place_2;
                    const int u = columns[i];
                    count_key(&maps, &rows, owner, from, to, votes_keys + window, votes_sums + window, label[u], 2);
                }
                rank_keys(&maps, &rows, from, to, votes_keys + window, votes_sums + window);
            }
        }
        if (arcs > MOST_ALONE) favourite = best_key(&maps);
        if (brought < 0) continue;
        const int v = brought;
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}
