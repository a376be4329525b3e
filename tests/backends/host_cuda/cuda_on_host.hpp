// As much of CUDA's and HIP's device side as emitted kernels use, on one thread of the host: threads of a launch are fibers.
//
// A fiber runs until it has to wait for others, or until chance stops it. Blocks take turns: each goes as far as it can
// on its own, so that one may be a whole step ahead of the others wherever nothing holds it back. Which block and which
// thread come next is drawn from a seed. When all fibers wait, the launch has gone wrong, and says so.

#pragma once

#include <link.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace on_host {

struct Place {
    unsigned x;
};

#ifndef WARP_SIZE
#define WARP_SIZE 32
#endif
constexpr unsigned WARP = WARP_SIZE;
constexpr std::size_t STACK = 64 * 1024;
constexpr long long MOST_TURNS = 40'000'000;  // of a launch: more is taken for waiting for ever

// Where fibers meet; what they bring is kept twice, since the fastest may be at the next meeting already.
struct Meeting {
    unsigned size = 0, here = 0, times = 0;
    std::uint64_t brought[2][1024];
};

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Place thread, block;
    Meeting *awaited = nullptr;
    unsigned met = 0;
    bool done = false, spins = false;
};

struct Block {
    std::vector<Fiber *> fibers;
    Meeting all;
    unsigned threads = 0;
    std::map<std::pair<unsigned, std::uint64_t>, Meeting> warps;  // of the threads in a mask, by warp and mask
    std::vector<char> cells;  // its own memory, while another block runs
};

inline Fiber *now = nullptr;
inline Block *block_now = nullptr;
inline ucontext_t scheduler;
inline std::mt19937 chance;
inline Place grid_size, block_size;
inline const char *wrong = nullptr;

// A block's own memory: the thread-local variables of this library, of which one thread has a single copy.
struct Cells {
    char *begin = nullptr;
    std::size_t size = 0;
};

inline thread_local int first_cell;

inline Cells cells_of_a_block() {
    static Cells found;
    first_cell = 1;  // so that they are there
    dl_iterate_phdr([](dl_phdr_info *info, std::size_t, void *) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
            char *begin = static_cast<char *>(info->dlpi_tls_data), *cell = reinterpret_cast<char *>(&first_cell);
            const std::size_t size = info->dlpi_phdr[i].p_memsz;
            if (info->dlpi_phdr[i].p_type == PT_TLS && begin != nullptr && begin <= cell && cell < begin + size) {
                found = {begin, size};
            }
        }
        return 0;
    }, nullptr);
    return found;
}

// What all fibers of a launch meet at, and where the memory of its blocks is: here for the one that runs.
inline Meeting all_blocks;
inline std::vector<Block> *blocks_of_launch = nullptr;
inline Cells running;

inline int *in_block(int *cell, unsigned block) {
    if (&(*blocks_of_launch)[block] == block_now) return cell;
    return reinterpret_cast<int *>((*blocks_of_launch)[block].cells.data() + (reinterpret_cast<char *>(cell) - running.begin));
}

inline std::uint64_t nanoseconds() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

inline void leave() { swapcontext(&now->context, &scheduler); }

// Lets others go on, now and then.
inline void perhaps() {
    if (chance() % 8 == 0) leave();
}

// Waits in a loop for what another block does.
inline void spin() {
    now->spins = true;
    leave();
    now->spins = false;
}

// Waits for what a launch of another library does, on another thread of the host.
inline bool waits_for_peer = false;

inline void wait_for_peer() {
    waits_for_peer = true;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    spin();
}

// Brings a value and waits for the others; returns where all values are.
inline std::uint64_t *meet(Meeting &meeting, unsigned rank, std::uint64_t value) {
    const unsigned times = meeting.times;
    meeting.brought[times % 2][rank] = value;
    if (++meeting.here == meeting.size) {
        meeting.here = 0;
        meeting.times++;
    } else {
        now->awaited = &meeting;
        now->met = times;
        leave();
        now->awaited = nullptr;
    }
    perhaps();
    return meeting.brought[times % 2];
}

inline void meet_all() { meet(all_blocks, now->block.x * block_size.x + now->thread.x, 0); }

inline int lane() { return now->thread.x % WARP; }

// Those of a warp's threads that are in a mask, which all of them must give.
inline Meeting &of_warp(std::uint64_t mask) {
    const unsigned number = now->thread.x / WARP, there = std::min(WARP, block_now->threads - number * WARP);
    mask &= ~std::uint64_t(0) >> (64 - there);
    if ((mask >> lane() & 1) == 0) wrong = "a thread is not in its own mask";
    Meeting &meeting = block_now->warps[{number, mask}];
    meeting.size = __builtin_popcountll(mask);
    return meeting;
}

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

template <class Body>
void launch(unsigned blocks, unsigned threads, unsigned seed, Body body) {
    static Body *kernel;
    kernel = &body;
    chance.seed(seed);
    grid_size = {blocks};
    block_size = {threads};
    wrong = nullptr;
    running = cells_of_a_block();
    const auto [cells, own] = running;
    std::vector<Fiber> fibers(blocks * threads);
    std::vector<Block> all(blocks);
    blocks_of_launch = &all;
    all_blocks.size = blocks * threads;
    all_blocks.here = 0;
    for (unsigned b = 0; b < blocks; b++) {
        Block &block = all[b];
        block.all.size = threads;
        block.threads = threads;
        block.cells.resize(own);
        for (char &cell : block.cells) cell = char(chance());  // nobody has written there yet
        for (unsigned t = 0; t < threads; t++) {
            Fiber &fiber = fibers[b * threads + t];
            fiber.thread = {t};
            fiber.block = {b};
            fiber.stack.reset(new char[STACK]);
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.get();
            fiber.context.uc_stack.ss_size = STACK;
            fiber.context.uc_link = nullptr;
            makecontext(&fiber.context, static_cast<void (*)()>([] {
                (*kernel)();
                now->done = true;
                leave();
            }), 0);
            block.fibers.push_back(&fiber);
        }
    }
    std::size_t left = fibers.size();
    long long turns = 0;
    unsigned stuck = 0;
    while (left > 0 && wrong == nullptr) {
        Block &block = all[chance() % blocks];
        block_now = &block;
        std::memcpy(cells, block.cells.data(), own);
        bool moved = false;
        for (unsigned patience = chance() % 64 == 0 ? 1 : ~0u; patience > 0; patience--) {
            std::vector<Fiber *> ready, spinning;
            for (Fiber *fiber : block.fibers) {
                if (fiber->done || (fiber->awaited != nullptr && fiber->awaited->times == fiber->met)) continue;
                (fiber->spins ? spinning : ready).push_back(fiber);
            }
            const bool alone = ready.empty();
            if (alone) ready = spinning;
            for (std::size_t i = ready.size(); i > 1; i--) std::swap(ready[i - 1], ready[chance() % i]);
            for (Fiber *fiber : ready) {
                if (fiber->done || (fiber->awaited != nullptr && fiber->awaited->times == fiber->met)) continue;
                now = fiber;
                turns++;
                swapcontext(&scheduler, &fiber->context);
                moved |= !fiber->spins;
                left -= fiber->done;
            }
            if (alone) break;
        }
        std::memcpy(block.cells.data(), cells, own);
        stuck = moved || waits_for_peer ? 0 : stuck + 1;
        waits_for_peer = false;
        if (stuck > 200 * blocks) wrong = "threads wait for others that never come";
        if (turns > MOST_TURNS) wrong = "the launch does not end";
    }
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

inline void __syncthreads() { on_host::meet(on_host::block_now->all, threadIdx.x, 0); }
inline bool __syncthreads_or(bool value) {
    const std::uint64_t *brought = on_host::meet(on_host::block_now->all, threadIdx.x, value);
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
