#ifndef STARPLAT_CUDA_MAPS_HPP
#define STARPLAT_CUDA_MAPS_HPP
// CUDA C++: counts the keys of rows in maps of a block. Needs C++17.

#include "starplat_cuda.hpp"

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
#define MOST_ALONE 8       // arcs of a row that a thread counts by itself

// What an arc adds to the map of its row: a value to a key, or nothing where the key is negative.
struct KeyAndValue {
    int key, value;
};

// A key with its sum, greater for larger sums and, of equal ones, for smaller keys; 0 for none.
__device__ inline unsigned long long ranked(int key, int sum) {
    return key < 0 ? 0 : (unsigned long long)(sum ^ INT_MIN) << 32 | ~(unsigned)key;
}
__device__ inline int key_of(unsigned long long rank) { return rank == 0 ? -1 : (int)~(unsigned)rank; }

// A row's hash table with open addressing: the keys, -1 where a slot is free, and what was added to each. At least half
// of the slots stay free.
struct RowMap {
    int *keys, *sums;
    long long slots;

    __device__ void add(KeyAndValue added) const {
        const int key = added.key;
        if (key < 0) return;
        long long slot = (key * 0x9e3779b1u >> 1) * (unsigned long long)slots >> 31;
        for (;; slot = slot + 1 < slots ? slot + 1 : 0) {
            int found = ((volatile int *)keys)[slot];
            if (found == -1) found = atomicCAS(&keys[slot], -1, key);
            if (found == -1 || found == key) break;
        }
        atomicAdd(&sums[slot], added.value);
    }
};

// The rows of a block, one for each thread, laid end to end: a place is an index into their arcs.
struct BlockRows {
    int node[MOST_TOGETHER];
    arc_t last[MOST_TOGETHER];  // inclusive scan of the rows' lengths
    arc_t of_warp[MOST_TOGETHER / 32];
    unsigned short owners[MOST_COUNTED];     // of the places of rows that fit in the block's memory
    unsigned long long best[MOST_TOGETHER];  // the highest ranked key, or 0

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

    // A key becomes the best of the owner's row if it ranks higher. All threads of a warp offer one, or 0; those of
    // neighboring threads for one row are joined first.
    __device__ void offer(int owner, unsigned long long offered) {
        const int lane = threadIdx.x % WARP;
        const int owner_before = from_before(owner, 1);
        const bool first = lane == 0 || owner_before != owner;
        const Lanes later = lanes_where(first) >> lane >> 1;
        const int same = later == 0 ? WARP - lane : first_of(later) + 1;
        for (int width = 1; width < WARP; width *= 2) {
            const unsigned long long after = from_after(offered, width);
            if (width < same) offered = max(offered, after);
        }
        if (offered != 0 && first) atomicMax(&best[owner], offered);
    }
    __device__ int best_key() const { return key_of(best[threadIdx.x]); }
};

// The best key of a row of at most MOST arcs, or -1.
template <int MOST, class Add>
__device__ inline int best_of_short(int node, int length, Add add) {
    KeyAndValue added[MOST];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        added[i] = KeyAndValue{-1, 0};
        if (i < length) added[i] = add(node, i);
    }
    unsigned long long best = 0;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        if (i >= length) break;
        int sum = 0;
#pragma unroll
        for (int j = 0; j < MOST; j++) sum += added[j].key == added[i].key ? added[j].value : 0;
        best = max(best, ranked(added[i].key, sum));
    }
    return key_of(best);
}

// The same of at most MOST_ALONE arcs; half of them take fewer registers and comparisons.
template <class Add>
__device__ inline int best_alone(int node, int length, Add add) {
    constexpr int half = MOST_ALONE / 2;
    return length <= half ? best_of_short<half>(node, length, add) : best_of_short<MOST_ALONE>(node, length, add);
}

// Finds the best keys of the rows that the block's threads bring, which share the arcs evenly. The map of a long row
// lies in `long_keys` and `long_sums`, two slots for each arc, where first(node) says that the row begins in arcs.
template <class First, class Add>
__device__ inline void count_together(
    BlockRows &rows, int node, arc_t length, int *long_keys, int *long_sums, First first, Add add
) {
    int *const own_keys = (int *)values_of_block(), *const own_sums = own_keys + 2 * MOST_COUNTED;
    const arc_t count = rows.add(node, length);
    for (arc_t from = 0, to; from < count; from = to) {
        to = rows.end_of_piece(from);
        const bool own = to - from <= MOST_COUNTED;
        const int one = own ? 0 : rows.owner(from);  // whose row is longer
        const long long slots = 2LL * (to - from), window = own ? 0 : 2LL * first(rows.node[one]);
        int *const keys = own ? own_keys : long_keys + window, *const sums = own ? own_sums : long_sums + window;
        for (long long slot = threadIdx.x; slot < slots; slot += blockDim.x) {
            keys[slot] = -1;
            sums[slot] = 0;
        }
        __syncthreads();
        for (arc_t place = from + threadIdx.x; place < to; place += blockDim.x) {
            const int owner = own ? rows.owner(place) : one;
            const arc_t start = rows.first(owner);
            const long long before = 2LL * (start - from);
            if (own) rows.owners[place - from] = owner;
            RowMap{keys + before, sums + before, 2LL * (rows.last[owner] - start)}.add(
                add(rows.node[owner], place - start));
        }
        __syncthreads();
        for (arc_t turn = from; turn < to; turn += blockDim.x) {
            const arc_t place = min(turn + (arc_t)threadIdx.x, to - 1);
            const long long slot = 2LL * (place - from);
            rows.offer(own ? rows.owners[place - from] : one,
                max(ranked(keys[slot], sums[slot]), ranked(keys[slot + 1], sums[slot + 1])));
        }
        __syncthreads();
    }
}

// For the nodes to keep, finds what add(node, place) says that the places of the row add to keys, and calls
// finish(node, key) with the best key, or -1. Threads count short rows by themselves, others with their block.
template <class Keep, class First, class Add, class Finish>
__device__ inline void count_rows(
    int num_nodes, int *long_keys, int *long_sums, Keep keep, First first, Add add, Finish finish
) {
    __shared__ BlockRows rows;
    for (int begin = 0; begin < num_nodes; begin += gridDim.x * blockDim.x) {
        const int node = begin + warp_number() * WARP + threadIdx.x % WARP;
        const bool kept = node < num_nodes && keep(node);
        const arc_t length = kept ? (arc_t)(first(node + 1) - first(node)) : 0;
        const bool alone = length <= MOST_ALONE;
        int best = alone ? best_alone(node, (int)length, add) : -1;
        if (__syncthreads_or(!alone)) {  // also waits until the best keys of the rows before have been read
            count_together(rows, node, alone ? 0 : length, long_keys, long_sums, first, add);
            if (!alone) best = rows.best_key();
        }
        if (kept) finish(node, best);
    }
}

}  // namespace starplat

#endif
