#ifndef STARPLAT_CUDA_SETS_HPP
#define STARPLAT_CUDA_SETS_HPP
// CUDA C++: sets of nodes in the device's memory: a bit for each node, and a list while they are few. Needs C++17.

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

// What is counted of a set.
struct Count {
    int members;  // how many are in it
    int arcs;     // about how many arcs they have, of ALL_ARCS
    int lacking;  // whether the list lacks some
};

struct Sizes {
    Count counts[2];  // of what comes in, and of what goes out
    int noted;        // how many have been listed elsewhere
};
static_assert(sizeof(Sizes) == 7 * sizeof(int), "the host gives room for so much");

// A set of nodes: a bit for each node and, unless too many come in at once, a list of its members.
struct Frontier {
    unsigned *bits;
    Sizes *sizes;
    int *list;
    int *fresh;  // in the block's own memory: how many it has put in since the last barrier, and which
    int turn;    // which of the counts is in use
    int room;    // of the list: more members of a large graph are better gone through in order

    __device__ Count &count() const { return sizes->counts[turn]; }
};

#define MUCH_NEW 64  // for a block
#define ALL_ARCS 1048576  // what stands for all arcs of the graph
#define MOST_LISTED 131072  // room of the list of a small graph

// The set in `words`: its bits, its sizes, the list.
__device__ inline Frontier frontier_in(unsigned *words, int num_nodes, int *fresh) {
    Sizes *sizes = (Sizes *)(words + (num_nodes + 31) / 32);
    if (threadIdx.x == 0) *fresh = 0;
    __syncthreads();
    return {words, sizes, (int *)(sizes + 1), fresh, 0, num_nodes <= MOST_LISTED ? MOST_LISTED : MOST_LISTED / 4};
}

__device__ inline void clear_bits(const Frontier &set, int num_nodes) {
    const int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < (num_nodes + 31) / 32; i += threads) set.bits[i] = 0;
}

__device__ inline void clear(const Frontier &set, int num_nodes) {
    clear_bits(set, num_nodes);
    if (blockIdx.x == 0 && threadIdx.x == 0) *set.sizes = {};
}

// Sets a node's bit; returns whether it was not set.
__device__ inline bool mark(const Frontier &set, int node) {
    const unsigned bit = 1u << node % 32;
    return !(atomicOr(&set.bits[node / 32], bit) & bit);
}

#define MOST_NEW 1024  // nodes that a block can put into the list between two barriers

__device__ inline void insert(const Frontier &set, int node, bool is_new = false) {
    if (!mark(set, node) && !is_new) return;
    const int place = atomicAdd(set.fresh, 1);
    if (place < MOST_NEW) set.fresh[1 + place] = node;
}

// Moves what the block has put in to the list, if there is room.
__device__ inline void note_new(const Frontier &set, int count) {
    __shared__ int begin;
    if (threadIdx.x == 0) {
        begin = atomicAdd(&set.count().members, count);
        if (count > MOST_NEW || begin + count > set.room) set.count().lacking = 1;
    }
    __syncthreads();
    if (count <= MOST_NEW && begin + count <= set.room) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) set.list[begin + i] = set.fresh[1 + i];
    }
}

// Ends what the block has put in; if it is much, its last warp judges with `rows` by some of it how many arcs it has.
__device__ inline void inserted(const Frontier &set, int num_nodes = 0, const arc_t *rows = nullptr) {
    __syncthreads();
    const int count = *set.fresh;
    if (count == 0) return;
    if (rows != nullptr && count >= MUCH_NEW && threadIdx.x >= blockDim.x - WARP) {
        const int lane = threadIdx.x % WARP, some = min(WARP, min(count, MOST_NEW));
        const int node = lane < some ? set.fresh[1 + lane] : -1;
        float arcs = node < 0 ? 0 : rows[node + 1] - rows[node];
        for (int width = WARP / 2; width > 0; width /= 2) arcs += from_after(arcs, width);
        const float share = arcs / some * count / rows[num_nodes];
        if (lane == 0) atomicAdd(&set.count().arcs, (int)(share * ALL_ARCS));
    }
    note_new(set, count);
    __syncthreads();
    if (threadIdx.x == 0) *set.fresh = 0;
}

// What comes in is counted anew, while others still look at what goes out.
__device__ inline void begin_anew(Frontier &set) {
    set.turn = 1 - set.turn;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        set.count() = {};
        set.sizes->noted = 0;
    }
}

// Calls visit(place, word) for every word of the set, 0 where a thread has none; all threads of a block together.
template <class Visit>
__device__ inline void visit_words(const Frontier &set, int num_nodes, bool takes, Visit visit) {
    const int lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP, words = (num_nodes + 31) / 32;
    const int share = max(1, min(WARP, words / warps));
    for (int first = 0; first < words; first += warps * share) {
        const int place = first + warp_number() * share + lane;
        const unsigned word = lane < share && place < words ? set.bits[place] : 0;
        if (takes && word) set.bits[place] = 0;
        visit(place, word);
    }
}

// Calls visit(node) for the members in the words that the threads of a warp bring, with -1 where a thread has none.
template <class Visit>
__device__ inline void visit_bits(int place, unsigned word, Visit visit) {
    for (Lanes left = lanes_where(word != 0); left != 0; left &= left - 1) {
        const int which = first_of(left), lane = threadIdx.x % WARP;
        const unsigned bits = from_lane(word, which);
        const int first = from_lane(place, which) * 32;
        visit(lane < 32 && bits >> lane & 1 ? first + lane : -1);
    }
}

#define MOST_GATHERED 1024  // members that a block gathers from the words that its threads bring

// Members that a block has found, for its warps to share.
struct Gathered {
    int count, nodes[MOST_GATHERED];
};

// The block's own.
__device__ inline Gathered &gathered_by_block() {
    __shared__ Gathered gathered;
    return gathered;
}

// Calls visit(node) for every member by its bit, with -1 where a thread of a warp has none; all threads of a block
// together. A block gathers the members, then its warps share them evenly; if there are too many, each keeps its own.
template <class Visit>
__device__ inline void visit_marked(const Frontier &set, int num_nodes, bool takes, Visit visit) {
    Gathered &gathered = gathered_by_block();
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    visit_words(set, num_nodes, takes, [&](int place, unsigned word) {
        if (threadIdx.x == 0) gathered.count = 0;
        __syncthreads();
        const int last = sum_up_to(__popc(word));  // of this thread's members among those of the warp
        int at = lane == WARP - 1 && last > 0 ? atomicAdd(&gathered.count, last) : 0;
        at = from_lane(at, WARP - 1) + last - __popc(word);
        for (unsigned left = word; left != 0 && at < MOST_GATHERED; left &= left - 1) {
            gathered.nodes[at++] = place * 32 + __ffs(left) - 1;
        }
        __syncthreads();
        const int count = gathered.count;
        if (count <= MOST_GATHERED) {
            const int share = (count + warps - 1) / warps, end = min(count, (warp + 1) * share);
            for (int i = warp * share; i < end; i += WARP) visit(i + lane < end ? gathered.nodes[i + lane] : -1);
        } else {
            visit_bits(place, word, visit);
        }
        __syncthreads();  // others may be gathered
    });
}

// How many are in the set if its list has all of them, else -1.
__device__ inline int listed(const Frontier &set) {
    const Count count = set.count();  // both at once
    return count.lacking ? -1 : count.members;
}

// Calls visit(node) for the `size` nodes of the list, with -1 where a thread has none; all threads of a warp together.
template <class Visit>
__device__ inline void visit_list(const Frontier &set, int size, bool takes, Visit visit) {
    const int lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP;
    const int share = min(WARP, (size + warps - 1) / warps), warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    for (int begin = warp * share; begin < size; begin += warps * share) {
        const int node = lane < share && begin + lane < size ? set.list[begin + lane] : -1;
        if (takes && node >= 0) set.bits[node / 32] = 0;
        visit(node);
    }
}

// Calls visit(node) for every member, with -1 where a thread of a warp has none; all threads of a block together.
// `size` is what listed() found; a set that is taken from has begun anew since then.
template <class Visit>
__device__ inline void visit_found(const Frontier &set, int size, int num_nodes, bool takes, Visit visit) {
    if (size >= 0) {
        visit_list(set, size, takes, visit);
    } else {
        visit_marked(set, num_nodes, takes, visit);
    }
}

// Calls visit(node) as visit_found does, for every member; a set that is taken from is empty afterwards.
template <class Visit>
__device__ inline void visit_members(Frontier &set, int num_nodes, bool takes, Visit visit) {
    const int size = listed(set);
    if (takes) begin_anew(set);
    visit_found(set, size, num_nodes, takes, visit);
}

// Writes the members to `places`, in any order; once, before the set is taken from or cleared.
__device__ inline void list_members(const Frontier &set, int num_nodes, int *places) {
    const int size = listed(set), threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) places[i] = set.list[i];
    if (size >= 0) return;
    visit_words(set, num_nodes, false, [&](int place, unsigned word) {
        const int last = sum_up_to(__popc(word));  // of this thread's members among those of the warp
        int first = threadIdx.x % WARP == WARP - 1 && last > 0 ? atomicAdd(&set.sizes->noted, last) : 0;
        first = from_lane(first, WARP - 1) + last - __popc(word);
        for (; word != 0; word &= word - 1) places[first++] = place * 32 + __ffs(word) - 1;
    });
}

// For one thread, while no other uses the set.
__device__ inline void insert_alone(const Frontier &set, int node) {
    if (!mark(set, node)) return;
    const int place = set.count().members++;
    if (place < set.room) {
        set.list[place] = node;
    } else {
        set.count().lacking = 1;
    }
}

// Leaves a node as the only member.
__device__ inline void begin_with(const Frontier &set, int num_nodes, int node) {
    const int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    clear(set, num_nodes);
    if (node / 32 % threads == thread) set.bits[node / 32] = 1u << node % 32;
    if (thread == 0) {
        set.count().members = 1;
        set.list[0] = node;
    }
}

__device__ inline bool contains(const Frontier &set, int node) { return set.bits[node / 32] >> node % 32 & 1; }

// Whether a pull is likely to look at fewer arcs than a push, estimated from the frontier: it has many members, or many
// arcs; or many members with few arcs, since nodes of high degree are reached first and then few nodes are left to
// look. The same for all threads after a barrier.
__device__ inline bool has_many(const Frontier &set, int num_nodes) {
    const Count count = set.count();
    const float nodes = (float)count.members / num_nodes, arcs = (float)count.arcs / ALL_ARCS;
    return max(nodes, arcs) > 1.0f / 8 || (nodes > 1.0f / 32 && arcs < nodes / 2);
}

// The same where pushing along an arc takes long: some members, or some arcs, are enough if nodes have many arcs; if
// they have few, looking takes longer in any case.
__device__ inline bool has_some(const Frontier &set, int num_nodes, const arc_t *rows) {
    const Count count = set.count();
    const float nodes = (float)count.members / num_nodes, arcs = (float)count.arcs / ALL_ARCS;
    return rows[num_nodes] / num_nodes >= 8 && max(nodes, arcs) > 1.0f / 8;
}

// After a barrier, for all threads alike.
__device__ inline bool is_empty(const Frontier &set) { return set.count().members == 0; }

// After a barrier, for all threads alike.
__device__ inline int size_of(const Frontier &set) { return set.count().members; }

// Calls body(node) for every member.
template <class Body>
__device__ inline void each_member(Frontier &set, int num_nodes, Body body) {
    visit_members(set, num_nodes, false, [&](int node) { if (node >= 0) body(node); });
}

// Calls body(node) for every member, and leaves the set empty.
template <class Body>
__device__ inline void take_members(Frontier &set, int num_nodes, Body body) {
    visit_members(set, num_nodes, true, [&](int node) { if (node >= 0) body(node); });
}

// Calls body(node, arc) for every arc of the members to keep, which threads share evenly. A set that it takes is empty.
template <bool far = false, class Keep, class Body>
__device__ inline void advance_members(
    Frontier &set, int num_nodes, bool takes, const arc_t *rows, Keep keep, Body body
) {
    const int size = listed(set), warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const int parts = gridDim.x * blockDim.x / WARP / max(size, 1);
    if (takes) begin_anew(set);
    if (size > 0 && parts > 1) {  // some warps for each
        const int node = set.list[warp % size], part = warp / size;
        if (takes && part == 0) set.bits[node / 32] = 0;
        if (part < parts && keep(node)) row_arcs<far ? SECTOR : 1>(node, rows, part * WARP, parts * WARP, body);
        return;
    }
    LongRows &long_rows = no_long_rows();
    const auto walk = [&](int node) { share_arcs<far>(node >= 0 && keep(node) ? node : -1, rows, long_rows, body); };
    visit_found(set, size, num_nodes, takes, walk);
    long_arcs<far>(rows, long_rows, body);
}

// Calls body(node, arc) for every arc of the members to keep, and leaves the set empty.
template <bool far = false, class Keep, class Body>
__device__ inline void advance(Frontier &set, int num_nodes, const arc_t *rows, Keep keep, Body body) {
    advance_members<far>(set, num_nodes, true, rows, keep, body);
}

// Calls body(node, arc) for every arc of the members to keep.
template <bool far = false, class Keep, class Body>
__device__ inline void advance_and_keep(Frontier &set, int num_nodes, const arc_t *rows, Keep keep, Body body) {
    advance_members<far>(set, num_nodes, false, rows, keep, body);
}

// Calls finish(node, total) for the members to keep: total joins the values of a node's arcs.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_members(
    Frontier &set, int num_nodes, bool takes, const arc_t *rows, T start, Keep keep, Join join, Value value,
    Finish finish
) {
    LongRows &long_rows = no_long_rows();
    T *const totals = (T *)values_of_block();
    visit_members(set, num_nodes, takes, [&](int node) {
        share_values(node >= 0 && keep(node) ? node : -1, rows, long_rows, totals, start, join, value, finish);
    });
    long_values(rows, long_rows, totals, start, join, value, finish);
}

// Calls finish(node, total) for the members to keep, and leaves the set empty.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather(
    Frontier &set, int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value, Finish finish
) {
    gather_members(set, num_nodes, true, rows, start, keep, join, value, finish);
}

// Calls finish(node, total) for the members to keep.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_and_keep(
    Frontier &set, int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value, Finish finish
) {
    gather_members(set, num_nodes, false, rows, start, keep, join, value, finish);
}

// Puts in the nodes first + i for every bit i of `found`, a power of two bits, of which `first` is a multiple; all
// threads of a warp together.
__device__ inline void insert_together(const Frontier &set, int first, Lanes found, bool are_new = false) {
    const int lane = threadIdx.x % WARP;
    const unsigned word = lane % 32 == 0 ? (unsigned)(found >> lane) << first % 32 : 0;
    const unsigned before = word == 0 ? 0 : atomicOr(&set.bits[(first + lane) / 32], word);
    const unsigned fresh = (are_new ? word : word & ~before) >> first % 32;
    const bool is_new = from_lane(fresh, lane / 32 * 32) >> lane % 32 & 1;
    const Lanes together = lanes_where(is_new);
    int place = lane == 0 && together != 0 ? atomicAdd(set.fresh, __popcll(together)) : 0;
    place = from_lane(place, 0) + __popcll(together & (((Lanes)1 << lane) - 1));
    if (is_new && place < MOST_NEW) set.fresh[1 + place] = first + lane;
}

#define ROW_PARTS 32  // that warps take of a row
#define LONG_IN_THE_MEAN 128  // arcs of some members

// As advance_and_keep; but a few members with long rows, of which each warp would have one or two, are shared by all.
template <class Keep, class Body>
__device__ inline void advance_in_parts(
    Frontier &set, int num_nodes, const arc_t *rows, Keep keep, Body body
) {
    const int size = listed(set), warps = gridDim.x * blockDim.x / WARP;
    arc_t arcs = 0;
    if (size > warps / 2 && size < 4 * warps) {
        const int node = set.list[threadIdx.x % WARP % size];
        arcs = rows[node + 1] - rows[node];
        for (int width = 1; width < WARP; width *= 2) arcs += from_lane(arcs, threadIdx.x % WARP ^ width);
    }
    if (arcs < LONG_IN_THE_MEAN * WARP) {
        advance_and_keep(set, num_nodes, rows, keep, body);
        return;
    }
    for (int i = warp_number(); i < size * ROW_PARTS; i += warps) {
        const int node = set.list[i % size];
        if (keep(node)) row_arcs<1>(node, rows, i / size * WARP, ROW_PARTS * WARP, body);
    }
}

// Calls finish(node, total) for the members to keep of a set whose members list_members() has written to `places`:
// the set's own list is the shorter way to them while there are few.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_noted(
    Frontier &set, const int *places, int num_nodes, bool takes, const arc_t *rows, T start, Keep keep, Join join,
    Value value, Finish finish
) {
    LongRows &long_rows = no_long_rows();
    T *const totals = (T *)values_of_block();
    const Count count = set.count();
    if (takes) begin_anew(set);
    if (!count.lacking) {
        if (takes) visit_list(set, count.members, true, [](int) {});
        gather_each(set.list, count.members, num_nodes, rows, long_rows, start, keep, join, value, finish);
    } else {
        if (takes) clear_bits(set, num_nodes);
        gather_each(places, count.members, num_nodes, rows, long_rows, start, keep, join, value, finish);
    }
    long_values(rows, long_rows, totals, start, join, value, finish);
}

// Calls finish(node, total) for the members to keep, which are in `places` too, and leaves the set empty.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather(
    Frontier &set, const int *places, int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value,
    Finish finish
) {
    gather_noted(set, places, num_nodes, true, rows, start, keep, join, value, finish);
}

// Calls finish(node, total) for the members to keep, which are in `places` too.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_and_keep(
    Frontier &set, const int *places, int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value,
    Finish finish
) {
    gather_noted(set, places, num_nodes, false, rows, start, keep, join, value, finish);
}

// As advance, for sets that often have few members. Then a block takes some of them, or some blocks take one, and its
// warps share their rows laid end to end: none is left with a long one.
template <bool far = false, class Keep, class Body>
__device__ inline void advance_near(Frontier &set, int num_nodes, const arc_t *rows, Keep keep, Body body) {
    const int size = listed(set), blocks = gridDim.x;
    if (size <= 0 || size > WARP * blocks) return advance<far>(set, num_nodes, rows, keep, body);
    begin_anew(set);
    const int share = (size + blocks - 1) / blocks, groups = (size + share - 1) / share, parts = blocks / groups;
    const int part = blockIdx.x / groups, lane = threadIdx.x % WARP, place = blockIdx.x % groups + lane * groups;
    if (part >= parts) return;
    int node = lane < share && place < size ? set.list[place] : -1;
    if (part == 0 && threadIdx.x < WARP && node >= 0) set.bits[node / 32] = 0;
    if (node >= 0 && !keep(node)) node = -1;
    const arc_t first = node >= 0 ? rows[node] : 0, end = node >= 0 ? rows[node + 1] : 0;
    const arc_t begin = part * blockDim.x + threadIdx.x / WARP * WARP;
    each_arc<far>(WarpArcs(node, first, end - first, far), begin, parts * blockDim.x, body);
}

typedef Frontier Set;  // where a namespace has sets of its own

// The set that an earlier launch has left.
__device__ inline Frontier frontier_left(const long long *left, int num_nodes, int *fresh) {
    Frontier set = frontier_in((unsigned *)left[0], num_nodes, fresh);
    set.turn = (int)left[1];
    return set;
}

// Leaves the set to later launches.
__device__ inline void leave(const Frontier &set, long long *left) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        left[0] = (long long)set.bits;
        left[1] = set.turn;
    }
}

}  // namespace starplat

#endif
