#ifndef STARPLAT_HIP_MAPS_HPP
#define STARPLAT_HIP_MAPS_HPP
// HIP: counts the keys of rows in maps of a block. Needs C++17.

#include "starplat_hip.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "starplat_graph.hpp"

namespace starplat {

#define MOST_COUNTED 1024  // arcs of rows whose maps lie in a block's own memory

// A row's hash table with open addressing: the keys, -1 where a slot is free, and what was added to each. At least half
// of the slots stay free.
struct RowMap {
    int *keys, *sums;
    long long slots;

    __device__ void add(int key, int value) const {
        if (key < 0) return;
        long long slot = (key * 0x9e3779b1u >> 1) * (unsigned long long)slots >> 31;
        for (;; slot = slot + 1 < slots ? slot + 1 : 0) {
            int found = ((volatile int *)keys)[slot];
            if (found == -1) found = atomicCAS(&keys[slot], -1, key);
            if (found == -1 || found == key) break;
        }
        atomicAdd(&sums[slot], value);
    }
};

// The rows of a block, one for each thread, laid end to end: a place is an index into their arcs.
struct BlockRows {
    int node[MOST_TOGETHER];
    arc_t last[MOST_TOGETHER];  // inclusive scan of the rows' lengths
    arc_t of_warp[MOST_TOGETHER / 32];
    unsigned long long best[MOST_TOGETHER];  // the largest sum and the complement of its key, or 0

    // Adds this thread's row; returns the number of arcs in all rows of the block.
    __device__ arc_t add(int brought, arc_t length) {
        arc_t sum = length;
        for (int width = 1; width < WARP; width *= 2) {
            const arc_t before = from_before(sum, width);
            if (threadIdx.x % WARP >= width) sum += before;
        }
        if (threadIdx.x % WARP == WARP - 1) of_warp[threadIdx.x / WARP] = sum;
        __syncthreads();
        for (int warp = 0; warp < threadIdx.x / WARP; warp++) sum += of_warp[warp];
        node[threadIdx.x] = brought;
        last[threadIdx.x] = sum;
        best[threadIdx.x] = 0;
        __syncthreads();
        return last[blockDim.x - 1];
    }

    // The thread whose row a place lies in, and the first place of a thread's row.
    __device__ int owner(arc_t place) const {
        int found = 0;
        for (int step = MOST_TOGETHER / 2; step > 0; step /= 2) {
            const int next = found + step;
            if (next < blockDim.x && last[next - 1] <= place) found = next;
        }
        return found;
    }
    __device__ arc_t first(int owner) const { return owner == 0 ? 0 : last[owner - 1]; }

    // The end of the rows from a place on that fit in the block's memory, or of the one longer row there.
    __device__ arc_t end_of_piece(arc_t from) const {
        if (last[blockDim.x - 1] - from <= MOST_COUNTED) return last[blockDim.x - 1];
        const arc_t whole = first(owner(from + MOST_COUNTED));
        return whole > from ? whole : last[owner(from)];
    }

    // The key becomes the best of the owner's row if its sum is larger, or as large and the key smaller. All threads of
    // a warp offer one, or -1; those of neighboring threads for one row are joined first.
    __device__ void offer(int owner, int key, int sum) {
        unsigned long long offered = key < 0 ? 0 : (unsigned long long)(sum ^ INT_MIN) << 32 | ~(unsigned)key;
        const int lane = threadIdx.x % WARP;
        for (int width = 1; width < WARP; width *= 2) {
            const unsigned long long after = from_after(offered, width);
            const int owner_after = from_after(owner, width);
            if (lane + width < WARP && owner_after == owner) offered = max(offered, after);
        }
        const int owner_before = from_before(owner, 1);
        if (offered != 0 && (lane == 0 || owner_before != owner)) atomicMax(&best[owner], offered);
    }
    __device__ int best_key() const { return best[threadIdx.x] == 0 ? -1 : (int)~(unsigned)best[threadIdx.x]; }
};

// For the nodes to keep, calls add(node, place, map) for every place of the row, and finish(node, key) with the best
// key
// of the map, or -1. The block's threads share the arcs of its nodes evenly; the map of a long row lies in `long_keys`
// and `long_sums`, two slots for each arc, where first(node) says that the row begins in arcs.
template <class Keep, class First, class Add, class Finish>
__device__ inline void count_rows(
    int num_nodes, int *long_keys, int *long_sums, Keep keep, First first, Add add, Finish finish
) {
    __shared__ BlockRows rows;
    int *const own_keys = (int *)values_of_block(), *const own_sums = own_keys + 2 * MOST_COUNTED;
    for (int begin = 0; begin < num_nodes; begin += gridDim.x * blockDim.x) {
        const int node = begin + warp_number() * WARP + threadIdx.x % WARP;
        const bool kept = node < num_nodes && keep(node);
        const arc_t count = rows.add(node, kept ? (arc_t)(first(node + 1) - first(node)) : 0);
        for (arc_t from = 0, to; from < count; from = to) {
            to = rows.end_of_piece(from);
            const long long slots = 2LL * (to - from), window = 2 * first(rows.node[rows.owner(from)]);
            int *const keys = slots > 2 * MOST_COUNTED ? long_keys + window : own_keys;
            int *const sums = slots > 2 * MOST_COUNTED ? long_sums + window : own_sums;
            for (long long slot = threadIdx.x; slot < slots; slot += blockDim.x) {
                keys[slot] = -1;
                sums[slot] = 0;
            }
            __syncthreads();
            for (arc_t place = from + threadIdx.x; place < to; place += blockDim.x) {
                const int owner = rows.owner(place);
                const arc_t start = rows.first(owner);
                const long long before = 2LL * (start - from);
                add(rows.node[owner], place - start,
                    RowMap{keys + before, sums + before, 2LL * (rows.last[owner] - start)});
            }
            __syncthreads();
            for (long long turn = 0; turn < slots; turn += blockDim.x) {
                const long long slot = min(turn + threadIdx.x, slots - 1);
                rows.offer(rows.owner(from + (arc_t)(slot / 2)), keys[slot], sums[slot]);
            }
            __syncthreads();
        }
        if (kept) finish(node, rows.best_key());
        __syncthreads();  // before the next rows are added
    }
}

}  // namespace starplat

#endif
