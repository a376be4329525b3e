// As much of CUDA's and HIP's device side as emitted kernels use, on one thread of the host: threads of a launch are fibers.
//
// cuda_on_host.cpp runs them, and is built apart: many texts are built with this one.

#pragma once

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace on_host {

struct Place {
    unsigned x;
};

#ifndef WARP_SIZE
#define WARP_SIZE 32
#endif
constexpr unsigned WARP = WARP_SIZE;

struct Thread {
    Place thread, block;
};

inline Thread *now = nullptr;
inline Place grid_size, block_size;
inline const char *wrong = nullptr;

// A variable of blocks: their memory is this library's thread-local variables, of which one thread has a single copy.
inline thread_local int first_cell;

// Where that of another block is, of a cell of the one that runs.
int *in_block(int *cell, unsigned block);

std::uint64_t nanoseconds();

// Lets others go on, now and then.
void perhaps();

// Waits in a loop for what another block does.
void spin();

// Waits for what a launch of another library does, on another thread of the host.
void wait_for_peer();

// Brings a value and waits for the others; returns where all values are.
struct Meeting;
std::uint64_t *meet(Meeting &meeting, unsigned rank, std::uint64_t value);

void meet_all();

// Where the threads of the block meet.
Meeting &of_block();

inline int lane() { return now->thread.x % WARP; }

// Those of a warp's threads that are in a mask, which all of them must give.
Meeting &of_warp(std::uint64_t mask);

// What the lane `from` of this lane's `width` neighbors brings; what is not there is this lane's own.
template <class T>
T exchanged(std::uint64_t mask, T value, int from, int width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const std::uint64_t *brought = meet(of_warp(mask), lane(), bits);
    const int first = lane() / width * width;
    if (from < first || from >= first + width) from = lane();
    if ((mask >> from & 1) == 0) wrong = "a thread asks one that does not answer";
    std::memcpy(&value, &brought[from], sizeof value);
    return value;
}

// A launch, whose threads call the kernel with what is given.
void launch(unsigned blocks, unsigned threads, unsigned seed, void (*kernel)(void *), void *given);

template <class Body>
void launch(unsigned blocks, unsigned threads, unsigned seed, Body body) {
    launch(blocks, threads, seed, [](void *given) { (*static_cast<Body *>(given))(); }, &body);
}

template <class... Parameters, std::size_t... Numbers>
void launch_with(
    void (*kernel)(Parameters...), unsigned blocks, unsigned threads, void **places, unsigned seed,
    std::index_sequence<Numbers...>
) {
    launch(blocks, threads, seed, [&] { kernel(*static_cast<Parameters *>(places[Numbers])...); });
}

template <class... Parameters>
const char *launch_with(
    void (*kernel)(Parameters...), unsigned blocks, unsigned threads, void **places, unsigned seed
) {
    launch_with(kernel, blocks, threads, places, seed, std::index_sequence_for<Parameters...>());
    return wrong;
}

}  // namespace on_host

inline std::size_t __cvta_generic_to_shared(const void *place) { return reinterpret_cast<std::size_t>(place); }
inline void *__cvta_shared_to_generic(std::size_t place) { return reinterpret_cast<void *>(place); }

// What a test calls to launch a kernel: `places` are where its arguments lie. Null, or what went wrong.
#define LAUNCHED(kernel)                                                                                          \
    extern "C" __attribute__((visibility("default"))) const char *launch_##kernel(                                \
        unsigned blocks, unsigned threads, void **places, unsigned seed                                           \
    ) {                                                                                                           \
        return on_host::launch_with(kernel, blocks, threads, places, seed);                                       \
    }

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __shared__ static thread_local
#define threadIdx (on_host::now->thread)
#define blockIdx (on_host::now->block)
#define blockDim (on_host::block_size)
#define gridDim (on_host::grid_size)

inline void __syncthreads() { on_host::meet(on_host::of_block(), threadIdx.x, 0); }
inline bool __syncthreads_or(bool value) {
    const std::uint64_t *brought = on_host::meet(on_host::of_block(), threadIdx.x, value);
    bool any = false;
    for (unsigned thread = 0; thread < blockDim.x; thread++) any |= brought[thread] != 0;
    return any;
}
inline void __syncwarp(unsigned mask = ~0u) { on_host::meet(on_host::of_warp(mask), on_host::lane(), 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }

// Atomic for launches of other libraries too.
inline unsigned atomicOr_system(unsigned *cell, unsigned value) {
    return __atomic_fetch_or(cell, value, __ATOMIC_SEQ_CST);
}

template <class T, class Better>
T atomic_best_system(T *cell, T value, Better better) {
    T held = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (better(value, held) && !__atomic_compare_exchange_n(cell, &held, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return held;
}

template <class T>
T atomicMin_system(T *cell, T value) {
    return atomic_best_system(cell, value, [](T a, T b) { return a < b; });
}

template <class T>
T atomicMax_system(T *cell, T value) {
    return atomic_best_system(cell, value, [](T a, T b) { return a > b; });
}
inline void __nanosleep(unsigned) { on_host::perhaps(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = on_host::WARP) {
    return on_host::exchanged(mask, value, on_host::lane() / width * width + from % width, width);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = on_host::WARP) {
    return on_host::exchanged(mask, value, on_host::lane() - int(distance), width);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = on_host::WARP) {
    return on_host::exchanged(mask, value, on_host::lane() + int(distance), width);
}

// HIP's, in which all threads of a wavefront take part.
constexpr int warpSize = on_host::WARP;

constexpr std::uint64_t WHOLE = ~std::uint64_t(0);

template <class T>
T __shfl(T value, int from) {
    return on_host::exchanged(WHOLE, value, from % warpSize, warpSize);
}

template <class T>
T __shfl_up(T value, unsigned distance) {
    return on_host::exchanged(WHOLE, value, on_host::lane() - int(distance), warpSize);
}

template <class T>
T __shfl_down(T value, unsigned distance) {
    return on_host::exchanged(WHOLE, value, on_host::lane() + int(distance), warpSize);
}

template <class T>
T __shfl_xor(T value, int other) {
    return on_host::exchanged(WHOLE, value, on_host::lane() ^ other, warpSize);
}

inline unsigned long long __ballot(bool value) {
    const std::uint64_t *brought = on_host::meet(on_host::of_warp(WHOLE), on_host::lane(), value);
    unsigned long long bits = 0;
    for (unsigned lane = 0; lane < on_host::WARP; lane++) {
        const bool there = threadIdx.x / on_host::WARP * on_host::WARP + lane < blockDim.x;
        bits |= (unsigned long long)(there && brought[lane] != 0) << lane;
    }
    return bits;
}

inline void __builtin_amdgcn_fence(int, const char *) {}
inline void __builtin_amdgcn_wave_barrier() { on_host::meet(on_host::of_warp(WHOLE), on_host::lane(), 0); }

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int other, int width = on_host::WARP) {
    return on_host::exchanged(mask, value, on_host::lane() ^ other, width);
}

inline unsigned __ballot_sync(unsigned mask, bool value) {
    const std::uint64_t *brought = on_host::meet(on_host::of_warp(mask), on_host::lane(), value);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < on_host::WARP; lane++) {
        const bool there = mask >> lane & 1 && threadIdx.x / 32 * 32 + lane < blockDim.x;
        bits |= unsigned(there && brought[lane] != 0) << lane;
    }
    return bits;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    const std::uint64_t *brought = on_host::meet(on_host::of_warp(mask), on_host::lane(), value);
    unsigned sum = 0;
    for (unsigned lane = 0; lane < std::min(on_host::WARP, blockDim.x - threadIdx.x / 32 * 32); lane++) sum += brought[lane];
    return sum;
}

inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
    const std::uint64_t *brought = on_host::meet(on_host::of_warp(mask), on_host::lane(), value);
    std::uint64_t most = 0;
    for (unsigned lane = 0; lane < std::min(on_host::WARP, blockDim.x - threadIdx.x / 32 * 32); lane++) most = std::max(most, brought[lane]);
    return (unsigned)most;
}

// Threads come alone where a warp may not be together.
inline unsigned __activemask() { return 1u << on_host::lane(); }
inline unsigned __match_any_sync(unsigned mask, unsigned long long) { return mask; }

inline bool __any_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) != 0; }
inline bool __all_sync(unsigned mask, bool value) { return __ballot_sync(mask, !value) == 0; }
template <class T>
T __ldcs(const T *cell) { return *cell; }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(int(bits)); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clz(unsigned bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
inline int __float_as_int(float value) {
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float __int_as_float(int bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline long long __double_as_longlong(double value) {
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T, class Change>
T atomically(T *cell, Change change) {
    on_host::perhaps();
    const T before = *cell;
    *cell = change(before);
    on_host::perhaps();
    return before;
}

template <class T>
struct same {
    using type = T;
};

template <class T>
T atomicAdd(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return T(before + value); });
}

template <class T>
T atomicMin(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return value < before ? value : before; });
}

template <class T>
T atomicMax(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return value > before ? value : before; });
}

template <class T>
T atomicAnd(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return T(before & value); });
}

template <class T>
T atomicOr(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return T(before | value); });
}

template <class T>
T atomicXor(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return T(before ^ value); });
}

template <class T>
T atomicExch(T *cell, typename same<T>::type value) {
    return atomically(cell, [&](T) { return value; });
}

template <class T>
T atomicCAS(T *cell, typename same<T>::type expected, typename same<T>::type value) {
    return atomically(cell, [&](T before) { return before == expected ? value : before; });
}

template <class T>
T min(T a, typename same<T>::type b) {
    return b < a ? b : a;
}

template <class T>
T max(T a, typename same<T>::type b) {
    return b > a ? b : a;
}
