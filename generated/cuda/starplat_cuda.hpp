#ifndef STARPLAT_CUDA_HPP
#define STARPLAT_CUDA_HPP
// CUDA C++: devices, their memory, and what kernels call. Needs C++17.

#include <cuda_runtime.h>

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

inline void check(cudaError_t status, const char *what) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// One GPU, which this thread's calls are for from here on.
class Device {
public:
    explicit Device(std::size_t wanted) : number(static_cast<int>(wanted)) {
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status != cudaErrorNoDevice) check(status, "looking for GPUs");
        if (wanted >= static_cast<std::size_t>(count)) {
            throw std::runtime_error("there is no GPU " + std::to_string(wanted) + ": this machine has " +
                                     std::to_string(count));
        }
        use();
        check(cudaFree(nullptr), "creating a context");  // now, rather than with the first allocation
        check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
        // What one run gives back is there for the next.
        std::uint64_t most_kept = UINT64_MAX;
        check(cudaDeviceGetDefaultMemPool(&pool, number), "finding the pool of memory");
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most_kept), "keeping memory");
    }

    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    ~Device() {
        static_cast<void>(cudaDeviceSynchronize());
        static_cast<void>(cudaMemPoolTrimTo(pool, 0));
    }

    // This thread's calls are for this GPU from here on.
    void use() const { check(cudaSetDevice(number), "cudaSetDevice"); }

    std::string name() const { return properties.name; }

    // Blocks of 256 threads, one thread for every iteration; kernels stride over what is too much for the GPU.
    int blocks(long long iterations) const {
        const long long most = 256 * properties.multiProcessorCount;
        return static_cast<int>(std::min(iterations / 256 + 1, most));
    }

    // So many iterations, or more where these would leave multiprocessors with nothing to do.
    long long busy(long long iterations) const {
        return std::max<long long>(iterations, properties.multiProcessorCount * 8 * 256 - 1);
    }

    // One launch whose threads wait for each other: of so many blocks for each multiprocessor, if it has room for them.
    template <class... Parameters, class... Arguments>
    void launch_together(const char *name, void (*kernel)(Parameters...), int wanted, Arguments &&...arguments) const {
        int most = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, 512, 0), name);
        const int blocks = std::min(most, wanted) * properties.multiProcessorCount;
        std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
        const auto launch = [&](auto &...value) {
            void *places[] = {const_cast<void *>(static_cast<const void *>(&value))...};
            return cudaLaunchCooperativeKernel(kernel, blocks, 512, places, 0, 0);
        };
        check(std::apply(launch, values), name);
    }

    // One launch of a single cluster of blocks of so many threads, which wait for each other. The blocks' memory has
    // bits for so many nodes, or for as many as it has room for.
    template <class... Parameters, class... Arguments>
    void launch_cluster(
        const char *name, void (*kernel)(Parameters...), int threads, int nodes, Arguments &&...arguments
    ) const {
        cudaFuncAttributes found;
        check(cudaFuncGetAttributes(&found, kernel), name);
        const int room = static_cast<int>(properties.sharedMemPerBlockOptin - found.sharedSizeBytes) / 4 * 4;
        const int bytes = std::min(room, (nodes / (32 * 16) + (nodes > 0)) * 4);
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name);
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), name);
        kernel<<<16, threads, bytes>>>(static_cast<Parameters>(arguments)...);
        check(cudaGetLastError(), name);
    }

    void finish() const { check(cudaDeviceSynchronize(), "running the kernels"); }

private:
    int number;
    cudaDeviceProp properties;
    cudaMemPool_t pool = nullptr;
};

template <class T>
__global__ void fill_cells(T *cells, std::size_t count, T value) {
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) cells[i] = value;
}

// Cells on the GPU.
template <class T>
class Buffer {
public:
    using Cell = std::conditional_t<std::is_same_v<T, unsigned char>, bool, T>;  // what kernels take

    Buffer(const Device &on, std::size_t size) : device(&on), count(size) {
        const std::size_t bytes = (count * sizeof(T) / 8 + 1) * 8;
        void *memory = nullptr;
        if (cudaMallocAsync(&memory, bytes, nullptr) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());  // it has been dealt with
            throw std::runtime_error("there is no room for " + std::to_string(bytes) + " bytes more on the GPU");
        }
        cells.reset(static_cast<T *>(memory));
    }

    Buffer(const Device &on, const Cells<T> &values) : Buffer(on, values.size()) {
        check(cudaMemcpy(cells.get(), values.data(), count * sizeof(T), cudaMemcpyHostToDevice), "uploading");
    }

    Buffer(const Device &on, std::size_t size, T value) : Buffer(on, size) { fill(value); }

    // Of so many cells only those from `first` up to `end`.
    Buffer(const Device &on, const Cells<T> &values, long long first, long long end)
        : Buffer(on, Cells<T>(values.data() + first, end - first, nullptr)) {
        before = first;
    }

    operator Cell *() const { return reinterpret_cast<Cell *>(cells.get()) - before; }

    void fill(T value) {
        fill_cells<<<device->blocks(count), 256>>>(cells.get(), count, value);
        check(cudaGetLastError(), "filling");
    }

    void copy_from(const Buffer &source) {
        check(cudaMemcpyAsync(cells.get(), source.cells.get(), count * sizeof(T), cudaMemcpyDeviceToDevice), "copying");
    }

    T read(long long index) const {
        T value;
        check(cudaMemcpy(&value, cells.get() + place(index), sizeof(T), cudaMemcpyDeviceToHost), "reading a cell");
        return value;
    }

    void write(long long index, T value) {
        check(cudaMemcpy(cells.get() + place(index), &value, sizeof(T), cudaMemcpyHostToDevice), "writing a cell");
    }

    std::vector<T> download() const {
        std::vector<T> values(count);
        check(cudaMemcpy(values.data(), cells.get(), count * sizeof(T), cudaMemcpyDeviceToHost), "downloading");
        return values;
    }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    struct Free {
        void operator()(T *memory) const { static_cast<void>(cudaFreeAsync(memory, nullptr)); }
    };

    const Device *device;
    std::size_t count;
    std::unique_ptr<T, Free> cells;
    long long before = 0;  // cells that are not here

    std::size_t place(long long index) const {
        if (index < 0 || static_cast<std::size_t>(index) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                     std::to_string(count));
        }
        return index;
    }
};

// A set that nothing changes: its flags on the device, and its members here.
class FixedSet : public Buffer<unsigned char> {
public:
    FixedSet(Device &on, const Cells<unsigned char> &flags)
        : Buffer<unsigned char>(on, flags), listed(places_set(flags)) {}

    const std::vector<arc_t> &members() const { return listed; }

private:
    std::vector<arc_t> listed;
};

// One cell in which a kernel leaves what its threads found.
template <class T>
class Word {
public:
    explicit Word(const Device &device) : cell(device, 1) {}

    operator T *() const { return cell; }

    void set(T value) { cell.fill(value); }

    T read() const { return cell.read(0); }

private:
    Buffer<T> cell;
};

// Measures on the GPU's clock.
class Timer {
public:
    Timer() {
        check(cudaEventCreate(&start), "cudaEventCreate");
        check(cudaEventCreate(&stop), "cudaEventCreate");
        check(cudaEventRecord(start), "cudaEventRecord");
    }

    Timer(const Timer &) = delete;

    ~Timer() {
        static_cast<void>(cudaEventDestroy(start));
        static_cast<void>(cudaEventDestroy(stop));
    }

    // Waits for the GPU; how long all since the timer was made took.
    double seconds() {
        float milliseconds = 0;
        check(cudaEventRecord(stop), "cudaEventRecord");
        check(cudaEventSynchronize(stop), "running the kernels");
        check(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
        return milliseconds / 1000;
    }

private:
    cudaEvent_t start, stop;
};

// How long the GPU takes for some work, on its own clock.
template <class Work>
double seconds_of(Device &, Work work) {
    Timer timer;
    work();
    return timer.seconds();
}

// Stops the program where it uses a cell that is not there.
inline void check_place(long long index, std::size_t count) {
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
        throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                 std::to_string(count));
    }
}

// The 64-bit atomicCAS, which there is for unsigned numbers; the bits are the same.
__device__ inline long long atomic_swap_long(long long *cell, long long expected, long long value) {
    return atomicCAS((unsigned long long *)cell, (unsigned long long)expected, (unsigned long long)value);
}

// The 64-bit atomicAdd, which there is for unsigned numbers; the bits are the same.
__device__ inline long long atomic_add_long(long long *cell, long long value) {
    return atomicAdd((unsigned long long *)cell, (unsigned long long)value);
}

// The 64-bit atomicAnd, which there is for unsigned numbers; the bits are the same.
__device__ inline long long atomic_and_long(long long *cell, long long value) {
    return atomicAnd((unsigned long long *)cell, (unsigned long long)value);
}

// The 64-bit atomicOr, which there is for unsigned numbers; the bits are the same.
__device__ inline long long atomic_or_long(long long *cell, long long value) {
    return atomicOr((unsigned long long *)cell, (unsigned long long)value);
}

// The 64-bit atomicXor, which there is for unsigned numbers; the bits are the same.
__device__ inline long long atomic_xor_long(long long *cell, long long value) {
    return atomicXor((unsigned long long *)cell, (unsigned long long)value);
}

// Adds 1 to a cell for each thread that comes here, once for all of a warp that have the same cell; what each found.
__device__ inline int atomic_next(int *cell) {
    const unsigned mates = __match_any_sync(__activemask(), (unsigned long long)cell);
    const int first = __ffs(mates) - 1, lane = threadIdx.x % 32;
    const int found = lane == first ? atomicAdd(cell, __popc(mates)) : 0;
    return __shfl_sync(mates, found, first) + __popc(mates & ((1u << lane) - 1));
}

#define WARP 32  // threads of a warp
#define LARGEST_WARP 32

typedef unsigned Lanes;  // a bit for each thread of a warp

// What the threads of a warp do together.
__device__ inline Lanes lanes_where(bool holds) { return __ballot_sync(~0u, holds); }

__device__ inline int first_of(Lanes lanes) { return __ffs(lanes) - 1; }

__device__ inline void wait_for_warp() { __syncwarp(); }

template <class T>
__device__ inline T from_lane(T value, int lane) { return __shfl_sync(~0u, value, lane); }

template <class T>
__device__ inline T from_before(T value, int width) { return __shfl_up_sync(~0u, value, width); }

template <class T>
__device__ inline T from_after(T value, int width) { return __shfl_down_sync(~0u, value, width); }

template <class T>
__device__ inline T from_across(T value, int width) { return __shfl_xor_sync(~0u, value, width); }

#define SOME_LOOKS 16  // at the word of a barrier: each empties the cache, which the blocks beside this one use too

// Every thread of the launch waits for all others, whose blocks are all running: the last block to arrive turns the
// highest bit of the word. A block that waits for long only watches for that, and lets the cache alone.
__device__ inline void grid_barrier(unsigned *arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
        unsigned before, now;
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(arrived), "r"(share) : "memory");
        int looks = 0;
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        } while (((before ^ now) & 0x80000000u) == 0 && ++looks < SOME_LOOKS);
        if (looks == SOME_LOOKS) {
            while (((before ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) {}
            __threadfence();
        }
    }
    __syncthreads();
}

#ifdef ARC_64
#define ARC_MAX LLONG_MAX
#else
#define ARC_MAX INT_MAX
#endif

// The whole part of a real, stopped at the ends of the range; 0 for NaN.
template <class T>
__host__ __device__ inline T saturated(double value) {
    const double end = sizeof(T) == 4 ? 2147483648.0 : 9223372036854775808.0;
    const T largest = sizeof(T) == 4 ? (T)INT_MAX : (T)LLONG_MAX;
    if (value != value) return 0;
    return value >= end ? largest : value <= -end ? -largest - 1 : (T)value;
}

// The lowest arc from source to destination, or -1: a binary search in the row.
__device__ inline arc_t find_arc(const arc_t *row_offsets, const int *columns, int source, int destination) {
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
__host__ __device__ inline int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Addition in which infinity plus anything is infinity.
__host__ __device__ inline long long add_inf_long(long long a, long long b) {
    return a == LLONG_MAX || b == LLONG_MAX ? LLONG_MAX : a + b;
}

// Multiplication that wraps around.
__host__ __device__ inline int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// Multiplication that wraps around.
__host__ __device__ inline long long multiply_long(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}

// Conversion in which infinity stays infinity.
__host__ __device__ inline long long int_to_long_inf(int value) {
    return value == INT_MAX ? LLONG_MAX : (long long)value;
}

// Conversion in which infinity stays infinity.
__host__ __device__ inline double int_to_double_inf(int value) {
    return value == INT_MAX ? INFINITY : (double)value;
}

// Conversion in which infinity stays infinity.
__host__ __device__ inline double long_to_double_inf(long long value) {
    return value == LLONG_MAX ? INFINITY : (double)value;
}

// Combines the values of a block, warp by warp; its first thread gets the total.
__device__ inline int group_add_int(int value, int *scratch) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int width = WARP / 2; width > 0; width /= 2) {
        const int other = from_after(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / WARP; i++) {
            const int other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, warp by warp; its first thread gets the total.
__device__ inline long long group_add_long(long long value, long long *scratch) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int width = WARP / 2; width > 0; width /= 2) {
        const long long other = from_after(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / WARP; i++) {
            const long long other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, warp by warp; its first thread gets the total.
__device__ inline double group_add_double(double value, double *scratch) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int width = WARP / 2; width > 0; width /= 2) {
        const double other = from_after(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / WARP; i++) {
            const double other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, warp by warp; its first thread gets the total.
__device__ inline arc_t group_max_arc(arc_t value, arc_t *scratch) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int width = WARP / 2; width > 0; width /= 2) {
        const arc_t other = from_after(value, width);
        value = max(value, other);
    }
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / WARP; i++) {
            const arc_t other = scratch[i];
            value = max(value, other);
        }
    }
    return value;
}

// The number of a warp in its launch, with the warps of a block far apart: nodes of high degree often have neighboring
// numbers, and one block should not get them all.
__device__ inline int warp_number() { return threadIdx.x / WARP * gridDim.x + blockIdx.x; }

// The sum of what the threads of a warp bring, up to this one.
__device__ inline int sum_up_to(int value) {
    for (int width = 1; width < WARP; width *= 2) {
        const int before = from_before(value, width);
        if (threadIdx.x % WARP >= width) value += before;
    }
    return value;
}

__device__ inline bool every_node(int) { return true; }

#define TESTED_AT_ONCE 4  // numbers of a thread whose tests are under way together

// Calls body(number) for the numbers below `end` to keep.
template <class T, class Keep, class Body>
__device__ inline void each_kept(T end, Keep keep, Body body) {
    const T step = gridDim.x * blockDim.x;
    for (T begin = blockIdx.x * blockDim.x + threadIdx.x; begin < end;
            begin += min(TESTED_AT_ONCE * step, end - begin)) {
        unsigned kept = 0;
        if (end - begin <= step) {
            kept = keep(begin);
        } else {
#pragma unroll
            for (int i = 0; i < TESTED_AT_ONCE; i++) {
                const bool there = i * step < end - begin, keeps = keep(there ? begin + i * step : begin);
                kept |= (unsigned)(there && keeps) << i;
            }
        }
        for (int i = 0; kept != 0; i++, kept >>= 1) {
            if (kept & 1) body(begin + i * step);
        }
    }
}

#define FLAGS_AT_ONCE 2  // words of flags of a thread that are under way together

// Calls body(arc) for the arcs below `end` whose flags are set; a thread has those of a word.
template <class Body>
__device__ inline void each_flagged(arc_t end, const bool *flags, Body body) {
    const arc_t step = gridDim.x * blockDim.x, words = (end + 3) / 4, all = FLAGS_AT_ONCE * step;
    for (arc_t begin = blockIdx.x * blockDim.x + threadIdx.x; begin < words; begin += min(all, words - begin)) {
        unsigned word[FLAGS_AT_ONCE];
#pragma unroll
        for (int i = 0; i < FLAGS_AT_ONCE; i++)
            word[i] = ((const unsigned *)flags)[i * step < words - begin ? begin + i * step : begin];
#pragma unroll
        for (int i = 0; i < FLAGS_AT_ONCE; i++) {
            if (i * step >= words - begin) break;
            for (unsigned left = word[i]; left != 0; left &= left - 1) {
                const arc_t arc = 4 * (begin + i * step) + (__ffs(left) - 1) / 8;
                if (arc < end) body(arc);
            }
        }
    }
}

#define LONG_ROW 128  // a longer row is shared by a whole warp
#define HUGE_ROW 512  // and a still longer one by a whole block
#define MOST_LONG 2047  // the most such nodes of a block
#define MOST_HUGE 511
#define MOST_TOGETHER 512  // threads of a block

// Nodes of high degree, deferred until a warp or the block can share their arcs.
struct LongRows {
    int count, huge_count;
    int nodes[MOST_LONG], huge[MOST_HUGE];

    // Defers a node that has many arcs if there is room; returns whether it did.
    __device__ bool puts_off(int node, arc_t arcs, int huge_row = HUGE_ROW) {
        if (arcs <= LONG_ROW) return false;
        int place = arcs > huge_row ? atomicAdd(&huge_count, 1) : MOST_HUGE;
        if (place < MOST_HUGE) {
            huge[place] = node;
            return true;
        }
        place = atomicAdd(&count, 1);
        if (place < MOST_LONG) nodes[place] = node;
        return place < MOST_LONG;
    }
};

// The block's deferred nodes, none yet.
__device__ inline LongRows &no_long_rows() {
    __shared__ LongRows long_rows;
    if (threadIdx.x == 0) long_rows.count = long_rows.huge_count = 0;
    __syncthreads();
    return long_rows;
}

#define KEPT_AT_ONCE 4  // nodes of which a thread finds out whether they are kept, before its warp shares those

// The block's own place for nodes to keep, which its warps share.
__device__ inline int *kept_by_warps() {
    __shared__ int kept[MOST_TOGETHER * KEPT_AT_ONCE];
    return kept;
}

// Splits a warp into teams of threads, one for a node; larger ones where nodes have more arcs, or are few.
struct Teams {
    int bits, size, count;  // threads of a team, 2 to the power of `bits`; teams of the warp
    int place, member;      // the thread's team, and its index within the team

    __device__ explicit Teams(int power)
        : bits(power), size(1 << bits), count(WARP >> bits), place(threadIdx.x % WARP >> bits),
          member(threadIdx.x & (size - 1)) {}

    __device__ Teams(int nodes, int num_nodes, const arc_t *rows) : Teams(bits_for(nodes, num_nodes, rows)) {}

    static __device__ int bits_for(int nodes, int num_nodes, const arc_t *rows) {
        int bits = 0;
        while (1 << bits < WARP && nodes <= gridDim.x * blockDim.x >> (bits + 1)) bits++;
        if (1 << bits == WARP) return bits;
        const int degree = (int)min(rows[num_nodes] / max(num_nodes, 1), (arc_t)128);
        return max(bits, min(31 - __clz(WARP), max(0, 29 - __clz(degree))));  // at least four arcs for each thread
    }
};

#define SECTOR 8  // arcs in the least that is read of memory at once

// The rows of a warp, one for each thread, laid end to end: a place is an index into their arcs.
struct WarpArcs {
    int node;           // of this thread's row
    arc_t first, last;  // of this thread's row: its first arc; the place behind its last one
    arc_t count, shift; // all places; the first arc of this thread's row minus its place

    // Adds the row of a node, empty where it is -1. Long rows are deferred. Of `far` arcs a sector is within one load:
    // a row begins as far behind a multiple of SECTOR as it does in memory, or right behind the one before it.
    __device__ WarpArcs(int brought, const arc_t *rows, LongRows &long_rows, bool far = false)
        : node(brought), first(0) {
        arc_t end = 0;
        if (node >= 0) {
            first = rows[node];
            end = rows[node + 1];
            if (long_rows.puts_off(node, end - first)) {
                node = -1;
                first = end = 0;
            }
        }
        lay_out(end, far);
    }

    // Adds the first arcs of a node's row.
    __device__ WarpArcs(int whose, arc_t begin, arc_t degree, bool far = false) : node(whose), first(begin) {
        lay_out(begin + degree, far);
    }

    __device__ void lay_out(arc_t end, bool far = false) {
        arc_t begin = first, width = end - first;
        if (far) {
            const arc_t end_before = from_before(end, 1);
            const bool goes_on = threadIdx.x % WARP > 0 && end_before == first;
            begin = (first + (goes_on ? SECTOR - 1 : 0)) / SECTOR * SECTOR;
            width = (end + SECTOR - 1) / SECTOR * SECTOR - begin;
        }
        arc_t places = width;
        for (int width_before = 1; width_before < WARP; width_before *= 2) {
            const arc_t before = from_before(places, width_before);
            if (threadIdx.x % WARP >= width_before) places += before;
        }
        shift = begin - (places - width);
        last = end - shift;
        count = from_lane(last, WARP - 1);
    }

    // The thread that owns the arc at a place; the last thread where no row has that place.
    __device__ int owner(arc_t place) const {
        int found = 0;
        for (int step = WARP / 2; step > 0; step /= 2) {
            if (from_lane(last, found + step - 1) <= place) found += step;
        }
        return found;
    }
};

// Calls body(node, arc) for the arcs at a warp's places of rows laid end to end: from `begin` on, every `step`.
template <bool far, class Body>
__device__ inline void each_arc(const WarpArcs &arcs, arc_t begin, arc_t step, Body body) {
    for (; begin < arcs.count; begin += step) {
        const arc_t place = begin + threadIdx.x % WARP;
        const int owner = arcs.owner(place);
        const int of = from_lane(arcs.node, owner);
        const arc_t arc = place + from_lane(arcs.shift, owner);
        const arc_t first = far ? from_lane(arcs.first, owner) : arc;
        if (place < arcs.count && arc >= first) body(of, arc);
    }
}

// Calls body(node, arc) for the arcs of the nodes of a warp's threads; the threads share the arcs evenly.
template <bool far, class Body>
__device__ inline void share_arcs(int node, const arc_t *rows, LongRows &long_rows, Body body) {
    each_arc<far>(WarpArcs(node, rows, long_rows, far), 0, WARP, body);
}

// Calls body(node, arc) for the arcs of a row that a warp takes from its `place` on, a multiple of WARP, every `step`
// arcs. Places count from a multiple of `unit`, and all threads go round equally often, so that no two loads share one.
template <int unit, class Body>
__device__ inline void row_arcs(int node, const arc_t *rows, arc_t place, arc_t step, Body body) {
    const arc_t first = rows[node], end = rows[node + 1];
    for (arc_t begin = first / unit * unit + place; begin < end; begin += step) {
        const arc_t arc = begin + threadIdx.x % WARP;
        if (arc < end && (unit == 1 || arc >= first)) body(node, arc);
    }
}

// Calls body(node, arc) for the arcs of the deferred nodes, which the warps of the block share evenly.
template <bool far, class Body>
__device__ inline void long_arcs(const arc_t *rows, const LongRows &long_rows, Body body) {
    __syncthreads();
    const int some = min(long_rows.count, MOST_LONG), all = some + min(long_rows.huge_count, MOST_HUGE);
    for (int begin = 0; begin < all; begin += WARP) {
        const int i = begin + threadIdx.x % WARP;
        const int node = i < some ? long_rows.nodes[i] : i < all ? long_rows.huge[i - some] : -1;
        const arc_t first = node >= 0 ? rows[node] : 0, end = node >= 0 ? rows[node + 1] : 0;
        each_arc<far>(WarpArcs(node, first, end - first, far), threadIdx.x / WARP * WARP, blockDim.x, body);
    }
    __syncthreads();
}

// The block's own place for nodes that its warps keep until they have enough.
__device__ inline int *kept_by_block() {
    __shared__ int kept_nodes[2 * MOST_TOGETHER];
    return kept_nodes;
}

// Calls body(node, arc) for every arc of the nodes to keep; a warp takes as many as it has threads, which share evenly.
template <bool far = false, class Keep, class Body>
__device__ inline void advance_all(int num_nodes, const arc_t *rows, Keep keep, Body body) {
    LongRows &long_rows = no_long_rows();
    const int lane = threadIdx.x % WARP;
    int *waiting = kept_by_block() + threadIdx.x / WARP * 2 * WARP, count = 0;
    for (int begin = warp_number() * WARP; begin < num_nodes; begin += gridDim.x * blockDim.x) {
        const Lanes kept = lanes_where(begin + lane < num_nodes && keep(begin + lane));
        if (kept >> lane & 1) waiting[count + __popcll(kept & (((Lanes)1 << lane) - 1))] = begin + lane;
        count += __popcll(kept);
        if (count < WARP) continue;
        wait_for_warp();
        const int node = waiting[(count -= WARP) + lane];
        wait_for_warp();
        share_arcs<far>(node, rows, long_rows, body);
    }
    wait_for_warp();
    share_arcs<far>(lane < count ? waiting[lane] : -1, rows, long_rows, body);
    long_arcs<far>(rows, long_rows, body);
}

// As advance_all, with visit(node) ahead of a node's arcs. Flags of several nodes of a thread are under way together.
template <bool far = false, class Keep, class Visit, class Body>
__device__ inline void advance_visited(int num_nodes, const arc_t *rows, Keep keep, Visit visit, Body body) {
    LongRows &long_rows = no_long_rows();
    const int threads = gridDim.x * blockDim.x, lane = threadIdx.x % WARP;
    int *const kept = kept_by_warps() + threadIdx.x / WARP * WARP * KEPT_AT_ONCE;
    for (int first = warp_number() * WARP; first < num_nodes; first += threads * KEPT_AT_ONCE) {
        bool keeps[KEPT_AT_ONCE];
#pragma unroll
        for (int part = 0; part < KEPT_AT_ONCE; part++) {
            const int node = first + part * threads + lane;
            keeps[part] = node < num_nodes && keep(node);
        }
        int count = 0;
#pragma unroll
        for (int part = 0; part < KEPT_AT_ONCE; part++) {
            const Lanes all = lanes_where(keeps[part]);
            if (keeps[part]) kept[count + __popcll(all & (((Lanes)1 << lane) - 1))] = first + part * threads + lane;
            count += __popcll(all);
        }
        wait_for_warp();
        for (int i = lane; i - lane < count; i += WARP) {
            if (i < count) visit(kept[i]);
            share_arcs<far>(i < count ? kept[i] : -1, rows, long_rows, body);
        }
        wait_for_warp();
    }
    long_arcs<far>(rows, long_rows, body);
}

#define MOST_ARCS 256  // that a warp takes together

// The node whose row an arc lies in, from `low` to `high`.
__device__ inline int row_of(arc_t arc, int low, int high, const arc_t *rows) {
    while (low < high) {
        const int middle = high - (high - low) / 2;
        if (rows[middle] <= arc) low = middle;
        else high = middle - 1;
    }
    return low;
}

// Calls body(node, arc) for every arc. Warps share all arcs evenly, and look up in the rows whose they are.
template <class Body>
__device__ inline void advance_arcs(int num_nodes, const arc_t *rows, Body body) {
    const long long arcs = rows[num_nodes], warps = gridDim.x * blockDim.x / WARP;
    const long long piece = max((long long)WARP, min((long long)MOST_ARCS, (arcs / warps + WARP - 1) / WARP * WARP));
    const int lane = threadIdx.x % WARP;
    const long long warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    for (long long begin = warp * piece; begin < arcs; begin += warps * piece) {
        const long long end = min(arcs, begin + piece);
        const int row = row_of((arc_t)(lane < WARP / 2 ? begin : end - 1), 0, num_nodes - 1, rows);
        const int first = from_lane(row, 0), last = from_lane(row, WARP - 1);
        for (long long arc = begin + lane; arc < end; arc += WARP) {
            body(row_of((arc_t)arc, first, last, rows), (arc_t)arc);
        }
    }
}

// Calls body(node, arc) for every arc of the listed nodes to keep, which threads share evenly.
template <bool far = false, class Keep, class Body>
__device__ inline void advance_listed(const int *list, int size, const arc_t *rows, Keep keep, Body body) {
    const int lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP, parts = warps / max(size, 1);
    if (size > 0 && parts > 1) {  // some warps for each
        const int node = list[warp_number() % size], part = warp_number() / size;
        if (part < parts && keep(node)) row_arcs<far ? SECTOR : 1>(node, rows, part * WARP, parts * WARP, body);
        return;
    }
    LongRows &long_rows = no_long_rows();
    const int share = min(WARP, (size + warps - 1) / warps);
    for (int begin = warp_number() * share; begin < size; begin += warps * share) {
        const int node = lane < share && begin + lane < size ? list[begin + lane] : -1;
        share_arcs<far>(node >= 0 && keep(node) ? node : -1, rows, long_rows, body);
    }
    long_arcs<far>(rows, long_rows, body);
}

#define FEW_ARCS 16  // that a thread looks at by itself, before its warp helps

// If test(node, arc) holds for any arc from `first` to `end`, which a warp shares, one thread calls reach(node, arc).
template <class Test, class Reach>
__device__ inline void search_row(int node, arc_t first, arc_t end, Test test, Reach reach) {
    const int lane = threadIdx.x % WARP;
    for (arc_t begin = first; begin < end; begin += WARP) {
        const bool holds = begin + lane < end && test(node, begin + lane);
        const Lanes found = lanes_where(holds);
        if (found == 0) continue;
        if (lane == first_of(found)) reach(node, begin + lane);
        return;
    }
}

// Searches the rows of the nodes to keep in teams, but for long ones, which are put off.
template <class Keep, class Test, class Reach>
__device__ inline void search_in_teams(
    int num_nodes, const arc_t *rows, LongRows &long_rows, Keep keep, Test test, Reach reach
) {
    const Teams team(num_nodes, num_nodes, rows);
    const Lanes mates = ~(Lanes)0 >> (8 * sizeof(Lanes) - team.size) << team.place * team.size;
    for (int begin = warp_number() * team.count; begin < num_nodes; begin += gridDim.x * blockDim.x >> team.bits) {
        const int node = begin + team.place;
        const arc_t first = node < num_nodes ? rows[node] : 0, behind = node < num_nodes ? rows[node + 1] : 0;
        arc_t end = node < num_nodes && keep(node) ? behind : first;
        const bool late = team.member == 0 && long_rows.puts_off(node, end - first);
        if (from_lane(late, team.place * team.size)) end = first;
        for (arc_t arc = first + team.member; lanes_where(arc < end) != 0; arc += 2 * team.size) {
            const arc_t next = arc + team.size;
            const bool holds = arc < end && test(node, arc), next_holds = next < end && test(node, next);
            const Lanes found = lanes_where(holds || next_holds) & mates;
            if (found == 0) continue;
            if (threadIdx.x % WARP == first_of(found)) reach(node, holds ? arc : next);
            end = first;
        }
    }
}

#define SEARCHED_AT_ONCE 2  // nodes of a thread whose arcs are under way together

// Searches the rows of the nodes to keep: each thread some, with its warp's help, but for long ones, which are put off.
// What threads find by themselves is put into the set by their warps; reach_alone(node, arc) does both for a node.
template <bool are_new, class Keep, class Test, class Reach, class Alone, class... Sets>
__device__ inline void search_in_warps(
    int num_nodes, const arc_t *rows, LongRows &long_rows, Keep keep, Test test, Reach reach, Alone reach_alone,
    const Sets &...sets
) {
    const int lane = threadIdx.x % WARP, step = gridDim.x * blockDim.x;
    for (int begin = warp_number() * WARP; begin < num_nodes; begin += SEARCHED_AT_ONCE * step) {
        arc_t arc[SEARCHED_AT_ONCE], end[SEARCHED_AT_ONCE];
        bool kept[SEARCHED_AT_ONCE], found[SEARCHED_AT_ONCE] = {}, more = true;
#pragma unroll
        for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
            const int node = begin + i * step + lane;
            kept[i] = node < num_nodes && keep(node);
        }
#pragma unroll
        for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
            const int node = begin + i * step + lane;
            arc[i] = kept[i] ? rows[node] : 0;
            end[i] = kept[i] ? rows[node + 1] : 0;
        }
        for (int turn = 0; turn < FEW_ARCS && more; turn++) {
            bool holds[SEARCHED_AT_ONCE];
#pragma unroll
            for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
                holds[i] = arc[i] < end[i] && test(begin + i * step + lane, arc[i]);
            }
            more = false;
#pragma unroll
            for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
                if (holds[i]) {
                    reach(begin + i * step + lane, arc[i]);
                    found[i] = true;
                    end[i] = arc[i];
                }
                if (arc[i] < end[i]) arc[i]++;
                more |= arc[i] < end[i];
            }
        }
#pragma unroll
        for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
            (insert_together(sets, begin + i * step, lanes_where(found[i]), are_new), ...);
            if (long_rows.puts_off(begin + i * step + lane, end[i] - arc[i])) end[i] = arc[i];
            for (Lanes left = lanes_where(arc[i] < end[i]); left != 0; left &= left - 1) {
                const int which = first_of(left);
                const arc_t first = from_lane(arc[i], which), last = from_lane(end[i], which);
                search_row(begin + i * step + which, first, last, test, reach_alone);
            }
        }
    }
}

// For the nodes to keep, calls reach(node, arc) with any arc that passes test(node, arc), and puts them into the set;
// those that are new there without waiting for what the set had.
template <bool are_new = false, class Keep, class Test, class Reach, class... Sets>
__device__ inline void search_all(
    int num_nodes, const arc_t *rows, Keep keep, Test test, Reach reach, const Sets &...sets
) {
    __shared__ int found;
    const auto reach_alone = [&](int node, arc_t arc) {
        reach(node, arc);
        (insert(sets, node, are_new), ...);
    };
    LongRows &long_rows = no_long_rows();
    if (num_nodes < gridDim.x * blockDim.x) {  // there are threads enough for teams
        search_in_teams(num_nodes, rows, long_rows, keep, test, reach_alone);
    } else {
        search_in_warps<are_new>(num_nodes, rows, long_rows, keep, test, reach, reach_alone, sets...);
    }
    __syncthreads();
    for (int i = threadIdx.x / WARP; i < min(long_rows.count, MOST_LONG); i += blockDim.x / WARP) {
        const int node = long_rows.nodes[i];
        search_row(node, rows[node], rows[node + 1], test, reach_alone);
    }
    for (int i = 0; i < min(long_rows.huge_count, MOST_HUGE); i++) {
        const int node = long_rows.huge[i];
        const arc_t end = rows[node + 1];
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        for (arc_t begin = rows[node]; begin < end && !found; begin += blockDim.x) {
            const arc_t arc = begin + threadIdx.x;
            const bool holds = arc < end && test(node, arc);
            __syncthreads();  // all have looked at what was found before
            if (holds && atomicExch(&found, 1) == 0) reach_alone(node, arc);
            __syncthreads();
        }
        __syncthreads();
    }
    __syncthreads();
}

#define FEW_ASKED 16  // arcs that a thread looks at by itself, before its warp helps
#define ASKED_AT_ONCE 2  // of them together
#define MANY_ASKED 512  // arcs that a warp looks at, before the whole block helps

// Whether any arc from `first` to `end` passes, for all threads of a warp, which share them.
template <class Test>
__device__ inline bool any_passes(int node, arc_t first, arc_t end, const Test &test) {
    for (arc_t begin = first; begin < end; begin += WARP) {
        const arc_t arc = begin + threadIdx.x % WARP;
        if (lanes_where(arc < end && test(node, arc)) != 0) return true;
    }
    return false;
}

// Calls finish(node, passes) for the nodes that the threads of a warp bring, or -1: each thread looks at some arcs by
// itself, fewer if the warp has few nodes, then the warp helps. What is left of long rows is put off.
template <class Test, class Finish>
__device__ inline void ask_step(
    int node, const arc_t *rows, LongRows &long_rows, const Test &test, Finish finish
) {
    const int nodes = __popcll(lanes_where(node >= 0)), few = min(FEW_ASKED, ASKED_AT_ONCE * nodes);
    if (nodes == 0) return;
    const arc_t first = node >= 0 ? rows[node] : 0, end = node >= 0 ? rows[node + 1] : 0;
    bool passes = false;
    arc_t arc = first;
    for (const arc_t last = min(end, first + few); arc < last && !passes; arc += ASKED_AT_ONCE) {
        #pragma unroll
        for (int part = 0; part < ASKED_AT_ONCE; part++) passes |= test(node, min(arc + part, end - 1));
    }
    if (arc < end && !passes && long_rows.puts_off(node, end - first)) node = -1;
    for (Lanes left = lanes_where(node >= 0 && arc < end && !passes); left != 0; left &= left - 1) {
        const int which = first_of(left);
        const bool any = any_passes(from_lane(node, which), from_lane(arc, which), from_lane(end, which), test);
        if (threadIdx.x % WARP == which) passes = any;
    }
    if (node >= 0) finish(node, passes);
}

// Calls finish(node, passes) for the nodes that were put off.
template <class Test, class Finish>
__device__ inline void ask_long(const arc_t *rows, LongRows &long_rows, const Test &test, Finish finish) {
    __syncthreads();
    const int count = min(long_rows.count, MOST_LONG), huge_count = min(long_rows.huge_count, MOST_HUGE);
    for (int i = threadIdx.x / WARP; i < count + huge_count; i += blockDim.x / WARP) {
        const bool huge = i >= count;
        const int node = huge ? long_rows.huge[i - count] : long_rows.nodes[i];
        const arc_t first = rows[node], end = rows[node + 1];
        const bool passes = any_passes(node, first, huge ? min(end, first + MANY_ASKED) : end, test);
        if (threadIdx.x % WARP == 0 && (passes || !huge)) {
            finish(node, passes);
            if (huge) long_rows.huge[i - count] = -1;
        }
    }
    __syncthreads();
    for (int i = 0; i < huge_count; i++) {
        const int node = long_rows.huge[i];
        if (node < 0) continue;
        const arc_t end = rows[node + 1];
        bool passes = false;
        for (arc_t begin = rows[node] + MANY_ASKED; begin < end && !passes; begin += 2 * blockDim.x) {
            const arc_t arc = begin + threadIdx.x, other = arc + blockDim.x;
            passes = __syncthreads_or((arc < end && test(node, arc)) || (other < end && test(node, other)));
        }
        if (threadIdx.x == 0) finish(node, passes);
    }
    __syncthreads();  // the list may be begun anew
}

// Calls finish(node, passes) for the nodes to keep: whether test(node, arc) holds for any of a node's arcs.
template <class Keep, class Test, class Finish>
__device__ inline void ask_all(int num_nodes, const arc_t *rows, Keep keep, const Test &test, Finish finish) {
    LongRows &long_rows = no_long_rows();
    const int threads = gridDim.x * blockDim.x, lane = threadIdx.x % WARP;
    int *const kept = kept_by_warps() + threadIdx.x / WARP * WARP * KEPT_AT_ONCE;
    for (int first = warp_number() * WARP; first < num_nodes; first += threads * KEPT_AT_ONCE) {
        int count = 0;
        #pragma unroll
        for (int part = 0; part < KEPT_AT_ONCE; part++) {
            const int node = first + part * threads + lane;
            const bool keeps = node < num_nodes && keep(node);
            const Lanes all = lanes_where(keeps);
            if (keeps) kept[count + __popcll(all & (((Lanes)1 << lane) - 1))] = node;
            count += __popcll(all);
        }
        wait_for_warp();
        for (int i = lane; i - lane < count; i += WARP) {
            ask_step(i < count ? kept[i] : -1, rows, long_rows, test, finish);
        }
        wait_for_warp();
    }
    ask_long(rows, long_rows, test, finish);
}

#define FEW_OFFERS 64  // that a team looks at by itself, before its warp helps
#define MANY_OFFERS 2048  // after which the whole block looks
#define MOST_LATE 256  // nodes that a block can put off for that
#define AT_A_TIME 4  // arcs that a team looks at before it asks whether that is enough

// Words of bits that a thread reads at once.
template <int N>
struct alignas(8 * N) BitWords {
    long long words[N];

    __device__ bool any() const {
        long long some = 0;
        for (int i = 0; i < N; i++) some |= words[i];
        return some != 0;
    }

    __device__ BitWords from(int lane) const {
        BitWords bits;
        for (int i = 0; i < N; i++) bits.words[i] = from_lane(words[i], lane);
        return bits;
    }

    __device__ BitWords operator|(BitWords other) const {
        for (int i = 0; i < N; i++) other.words[i] |= words[i];
        return other;
    }

    __device__ BitWords operator&(BitWords other) const {
        for (int i = 0; i < N; i++) other.words[i] &= words[i];
        return other;
    }

    __device__ BitWords operator~() const {
        BitWords bits;
        for (int i = 0; i < N; i++) bits.words[i] = ~words[i];
        return bits;
    }
};

// The neighbors of a thread's next arcs, one in every `step`; beyond `end` the last one again.
template <int SHARE>
__device__ inline void next_neighbors(
    int (&ahead)[SHARE], const int *columns, arc_t arc, arc_t step, arc_t end
) {
    #pragma unroll
    for (int i = 0; i < SHARE; i++) ahead[i] = columns[min(arc + i * step, end - 1)];
}

// What all neighbors that a team's threads have found offer to a team that looks; a warp calls it together.
template <int TEAM, int N, int SHARE>
__device__ inline BitWords<N> offers(const int (&neighbors)[SHARE], bool looks, const BitWords<N> *offered) {
    const int lane = threadIdx.x % WARP, place = lane % TEAM;
    int nodes[SHARE * TEAM];
    #pragma unroll
    for (int i = 0; i < SHARE * TEAM; i++) nodes[i] = from_lane(neighbors[i / TEAM], lane - place + i % TEAM);
    BitWords<N> bits = {};
    if (looks) {
        BitWords<N> each[SHARE * TEAM];  // all under way together
        #pragma unroll
        for (int i = 0; i < SHARE * TEAM; i++) each[i] = offered[nodes[i] * TEAM + place];
        #pragma unroll
        for (int i = 0; i < SHARE * TEAM; i++) bits = bits | each[i];
    }
    return bits;
}

// What any team of a warp has found.
template <int TEAM, int N>
__device__ inline BitWords<N> join_teams(BitWords<N> bits) {
    for (int width = TEAM; width < WARP; width *= 2) bits = bits | bits.from(threadIdx.x % WARP ^ width);
    return bits;
}

// The same for nodes of high degree, one after the other: all threads of a block look at a node's arcs.
template <int TEAM, int SHARE, int N, class Wanted, class Take, class... Sets>
__device__ inline void collect_late(
    const int &count, const int *late, const arc_t *rows, const int *columns, const BitWords<N> *offered, Wanted wanted,
    Take take, const Sets &...sets
) {
    __shared__ BitWords<N> joined[TEAM];
    __shared__ bool lacking;
    __syncthreads();
    const int place = threadIdx.x % TEAM;
    for (int i = 0; i < min(count, MOST_LATE); i++) {
        const BitWords<N> asked = wanted(late[i], place);
        const arc_t end = rows[late[i] + 1];
        if (threadIdx.x < TEAM) joined[place] = {};
        for (arc_t begin = rows[late[i]]; begin < end; begin += SHARE * blockDim.x) {
            __syncthreads();
            if (threadIdx.x == 0) lacking = false;
            __syncthreads();
            if ((asked & ~joined[place]).any()) lacking = true;
            __syncthreads();
            if (!lacking) break;
            int neighbors[SHARE];
            next_neighbors(neighbors, columns, begin + threadIdx.x, blockDim.x, end);
            const BitWords<N> found = join_teams<TEAM>(offers<TEAM>(neighbors, true, offered));
            if (threadIdx.x % WARP >= TEAM) continue;
            for (int word = 0; word < N; word++) {
                const unsigned long long bits = found.words[word];
                if ((bits & ~joined[place].words[word]) != 0) {
                    atomicOr((unsigned long long *)&joined[place].words[word], bits);
                }
            }
        }
        __syncthreads();
        const BitWords<N> found = asked & joined[place];
        if (threadIdx.x < TEAM && found.any()) {
            take(late[i], place, found);
            (insert(sets, late[i]), ...);
        }
        __syncthreads();
    }
}

// Calls take_word(word, bits) for the WORDS of every node, with the bits of wanted_of(word) that any of its neighbors
// has in the same of its `words`, if there are some. A team of threads takes a node, each thread two of its words;
// nodes that take something are put into the sets by their warps.
template <int WORDS, class Wanted, class Take, class... Sets>
__device__ inline void collect_all(
    int num_nodes, const arc_t *rows, const int *columns, const long long *words, Wanted wanted_of, Take take_word,
    const Sets &...sets
) {
    constexpr int N = WORDS > 1 ? 2 : 1, TEAM = WORDS / N, SHARE = AT_A_TIME > TEAM ? AT_A_TIME / TEAM : 1;
    const BitWords<N> *offered = (const BitWords<N> *)words;
    const auto wanted = [&](int node, int place) {
        BitWords<N> bits;
        for (int i = 0; i < N; i++) bits.words[i] = wanted_of(node * WORDS + place * N + i);
        return bits;
    };
    const auto take = [&](int node, int place, const BitWords<N> &bits) {
        for (int i = 0; i < N; i++) if (bits.words[i] != 0) take_word(node * WORDS + place * N + i, bits.words[i]);
    };
    __shared__ int late_count, late[MOST_LATE];
    if (threadIdx.x == 0) late_count = 0;
    __syncthreads();
    const int lane = threadIdx.x % WARP, teams = WARP / TEAM, team = lane / TEAM, place = lane % TEAM;
    const Lanes of_team = ~(Lanes)0 >> (8 * sizeof(Lanes) - TEAM);
    for (int begin = warp_number() * teams; begin < num_nodes; begin += gridDim.x * blockDim.x / TEAM) {
        const int node = begin + team;
        BitWords<N> asked = {}, found = {};
        if (node < num_nodes) asked = wanted(node, place);
        const bool looks = (lanes_where(asked.any()) >> team * TEAM & of_team) != 0;
        arc_t arc = looks ? rows[node] : 0, end = looks ? rows[node + 1] : 0, few = min(end, arc + FEW_OFFERS);
        int ahead[SHARE] = {};
        if (arc < few) next_neighbors(ahead, columns, arc + place, TEAM, end);
        while (lanes_where(arc < few) != 0) {
            int neighbors[SHARE];
            for (int i = 0; i < SHARE; i++) neighbors[i] = ahead[i];
            const bool has_arcs = arc < few;
            arc += TEAM * SHARE;
            if (arc < few) next_neighbors(ahead, columns, arc + place, TEAM, end);
            found = found | offers<TEAM>(neighbors, has_arcs, offered);
            if ((lanes_where((asked & ~found).any()) >> team * TEAM & of_team) == 0) few = end = 0;
        }
        for (Lanes left = lanes_where(arc < end); left != 0;) {
            const int which = first_of(left), helped = which / TEAM;
            left &= ~(of_team << helped * TEAM);
            const BitWords<N> lacks = (asked & ~found).from(helped * TEAM + place);
            const arc_t first = from_lane(arc, which), last = from_lane(end, which);
            BitWords<N> more = {};
            next_neighbors(ahead, columns, first + lane, WARP, last);
            for (arc_t at = first; at < last && lanes_where((lacks & ~more).any()) != 0;) {
                if (at - first >= MANY_OFFERS) {
                    int late_place = lane == 0 ? atomicAdd(&late_count, 1) : 0;
                    late_place = from_lane(late_place, 0);
                    if (late_place < MOST_LATE) {
                        if (lane == 0) late[late_place] = begin + helped;
                        break;
                    }
                }
                int neighbors[SHARE];
                for (int i = 0; i < SHARE; i++) neighbors[i] = ahead[i];
                at += WARP * SHARE;
                next_neighbors(ahead, columns, at + lane, WARP, last);
                more = more | join_teams<TEAM>(offers<TEAM>(neighbors, true, offered));
            }
            if (team == helped) found = found | more;
        }
        found = found & asked;
        if (found.any()) take(node, place, found);
        const Lanes some = lanes_where(found.any());
        const Lanes taking = lanes_where(lane < teams && (some >> lane % teams * TEAM & of_team) != 0);
        if (taking != 0) (insert_together(sets, begin, taking), ...);
    }
    collect_late<TEAM, SHARE>(late_count, late, rows, columns, offered, wanted, take, sets...);
}

// Calls finish(node, total) for the nodes of a warp's threads, which share arcs; total joins the values of a node's.
template <class T, class Join, class Value, class Finish>
__device__ inline void share_values(
    int node, const arc_t *rows, LongRows &long_rows, T *totals, T start, Join join, Value value, Finish finish
) {
    const int lane = threadIdx.x % WARP;
    const WarpArcs arcs(node, rows, long_rows);
    totals += threadIdx.x - lane;
    totals[lane] = start;
    wait_for_warp();
    for (arc_t begin = 0; begin < arcs.count; begin += WARP) {
        const arc_t place = begin + lane;
        const int owner = arcs.owner(place);
        const int of = from_lane(arcs.node, owner);
        const arc_t arc = place + from_lane(arcs.shift, owner);
        T total = place < arcs.count ? value(of, arc) : start;
        for (int width = 1; width < WARP; width *= 2) {  // joins what follows and is of the same node
            const T after = from_after(total, width);
            const int of_after = from_after(owner, width);
            if (lane + width < WARP && of_after == owner) total = join(total, after);
        }
        const int of_before = from_before(owner, 1);
        if (lane == 0 || of_before != owner) totals[owner] = join(totals[owner], total);
        wait_for_warp();
    }
    if (arcs.node >= 0) finish(arcs.node, totals[lane]);
    wait_for_warp();
}

// Calls finish(node, total) for the node, or -1, of every team of a warp: total joins the values of the node's arcs.
// Nodes with long rows are put off; returns whether the team's was.
template <class T, class Join, class Value, class Finish>
__device__ __forceinline__ bool gather_step(
    const Teams &team, int node, const arc_t *rows, LongRows &long_rows, T start, Join join, Value value, Finish finish
) {
    const arc_t first = node >= 0 ? rows[node] : 0, end = node >= 0 ? rows[node + 1] : 0;
    const bool puts_off = team.member == 0 && long_rows.puts_off(node, end - first);
    const bool late = from_lane(puts_off, team.place * team.size);
    T total = start;
    if (!late) {
#pragma unroll 4
        for (arc_t arc = first + team.member; arc < end; arc += team.size) total = join(total, value(node, arc));
    }
    for (int width = team.size / 2; width > 0; width /= 2) total = join(total, from_across(total, width));
    if (node >= 0 && !late && team.member == 0) finish(node, total);
    return late;
}

#define AT_ONCE 4  // values of a thread that are under way together

// The block's own place for values of its threads.
__device__ inline double *values_of_block() {
    __shared__ double values[MOST_TOGETHER * AT_ONCE];
    return values;
}

// The values of every step-th arc of a row, joined for one of the threads that share it; several are under way.
template <class T, class Join, class Value>
__device__ __forceinline__ T join_row(
    int node, const arc_t *rows, int member, int step, T start, Join join, Value value
) {
    const int under_way = 8;
    const arc_t first = rows[node], end = rows[node + 1];
    T total = start;
    arc_t arc = first / WARP * WARP + member;  // whole lines of memory
    if (arc < first) arc += step;
    for (; arc < end; arc += min((arc_t)(under_way * step), end - arc)) {
        T values[under_way];
#pragma unroll
        for (int i = 0; i < under_way; i++) values[i] = i * step < end - arc ? value(node, arc + i * step) : start;
#pragma unroll
        for (int i = 0; i < under_way; i++) total = join(total, values[i]);
    }
    for (int width = WARP / 2; width > 0; width /= 2) total = join(total, from_across(total, width));
    return total;
}

// Calls finish(node, total) for the nodes that were put off: a warp, or the whole block, joins the values of each.
template <class T, class Join, class Value, class Finish>
__device__ __forceinline__ void long_values(
    const arc_t *rows, const LongRows &long_rows, T *totals, T start, Join join, Value value, Finish finish
) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    __syncthreads();
    for (int i = warp; i < min(long_rows.count, MOST_LONG); i += warps) {
        const T total = join_row(long_rows.nodes[i], rows, lane, WARP, start, join, value);
        if (lane == 0) finish(long_rows.nodes[i], total);
    }
    for (int i = 0; i < min(long_rows.huge_count, MOST_HUGE); i++) {
        T *const of_warps = totals + i % 2 * WARP;  // those of the row before may still be read
        T total = join_row(long_rows.huge[i], rows, threadIdx.x, blockDim.x, start, join, value);
        if (lane == 0) of_warps[warp] = total;
        __syncthreads();
        if (warp > 0) continue;
        total = lane < warps ? of_warps[lane] : start;
        for (int width = WARP / 2; width > 0; width /= 2) total = join(total, from_across(total, width));
        if (lane == 0) finish(long_rows.huge[i], total);
    }
    __syncthreads();  // the list may be begun anew
}

// Calls finish(node, total) for the nodes to keep: total joins the values of a node's arcs.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_all(
    int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value, Finish finish
) {
    LongRows &long_rows = no_long_rows();
    const Teams team(num_nodes, num_nodes, rows);
    for (int begin = warp_number() * team.count; begin < num_nodes; begin += gridDim.x * blockDim.x >> team.bits) {
        const int node = begin + team.place;
        gather_step(team, node < num_nodes && keep(node) ? node : -1, rows, long_rows, start, join, value, finish);
    }
    long_values(rows, long_rows, (T *)values_of_block(), start, join, value, finish);
}

// Calls finish(node, total) for every node: total joins the values of its arcs. The arcs of nodes that follow each
// other follow each other too: a warp asks whose they are when it has all values. Blocks wait after each row that they
// take, so they take very long ones.
template <class T, class Join, class Value, class Finish>
__device__ inline void gather_rows(
    int num_nodes, const arc_t *rows, T start, Join join, Value value, Finish finish
) {
    const auto of_node = [&](int, arc_t arc) { return value(arc); };
    if (num_nodes < gridDim.x * blockDim.x) {  // there are threads enough for teams
        return gather_all(num_nodes, rows, start, every_node, join, of_node, finish);
    }
    LongRows &long_rows = no_long_rows();
    const int lane = threadIdx.x % WARP, room = WARP * AT_ONCE;
    T *const values = (T *)values_of_block() + threadIdx.x / WARP * room;
    for (int begin = warp_number() * WARP; begin < num_nodes; begin += gridDim.x * blockDim.x) {
        const int node = begin + lane;
        const arc_t first = rows[min(node, num_nodes)], end = rows[min(node + 1, num_nodes)];
        const bool late = long_rows.puts_off(node, end - first, 4 * HUGE_ROW);
        T total = start;
        Lanes gaps = lanes_where(late);
        for (int from = 0, to; from < WARP; from = to + 1,
            gaps &= gaps - 1) {  // the nodes between two that are put off
            to = gaps == 0 ? WARP : first_of(gaps);
            const arc_t least = from_lane(first, from), stop = from_lane(to == WARP ? end : first, min(to, WARP - 1));
            for (arc_t at = least / WARP * WARP; at < stop; at += room) {  // whole lines of memory
#pragma unroll
                for (int i = lane; i < room; i += WARP) {
                    if (at + i >= least && at + i < stop) values[i] = value(at + i);
                }
                wait_for_warp();
                if (!late) {
                    const arc_t last = min((arc_t)room, min(end, stop) - at);
                    for (arc_t i = max((arc_t)0, max(first, least) - at); i < last; i++) total = join(total, values[i]);
                }
                wait_for_warp();
            }
        }
        if (node < num_nodes && !late) finish(node, total);
    }
    long_values(rows, long_rows, (T *)values_of_block(), start, join, of_node, finish);
}

// Calls finish(node, total) for the listed nodes to keep, but for those with long rows, which are put off.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_each(
    const int *list, int size, int num_nodes, const arc_t *rows, LongRows &long_rows, T start, Keep keep, Join join,
    Value value, Finish finish
) {
    const Teams team(size, num_nodes, rows);
    for (int begin = warp_number() * team.count; begin < size; begin += gridDim.x * blockDim.x >> team.bits) {
        const int node = begin + team.place < size ? list[begin + team.place] : -1;
        gather_step(team, node >= 0 && keep(node) ? node : -1, rows, long_rows, start, join, value, finish);
    }
}

// Calls finish(node, total) for the listed nodes to keep: total joins the values of a node's arcs.
template <class T, class Keep, class Join, class Value, class Finish>
__device__ inline void gather_listed(
    const int *list, int size, int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value,
    Finish finish
) {
    LongRows &long_rows = no_long_rows();
    gather_each(list, size, num_nodes, rows, long_rows, start, keep, join, value, finish);
    long_values(rows, long_rows, (T *)values_of_block(), start, join, value, finish);
}

#define MOST_CELLS 2048  // of the tables of a block, twice that where nothing is counted: a power of two

// A table of nodes, found by their hashes, with how often each was found.
struct NodeTable {
    int *nodes, *times;
    int bits;  // of the number of a cell

    // Makes a table for so many nodes of cells that are empty: a quarter of them is filled, more if there are few.
    __device__ NodeTable(int *cells, int first, int most, int length) : nodes(cells + first) {
        times = nodes + MOST_CELLS;
        bits = min(32 - __clz(4 * length - 1), 31 - __clz(most));
    }

    __device__ int after(int cell) const { return (cell + 1) & ((1 << bits) - 1); }

    __device__ int home(int node) const { return ((unsigned)node * 2654435769u) >> (32 - bits); }

    __device__ void put(int node) const {
        int cell = home(node);
        while (atomicCAS(&nodes[cell], -1, node) != -1) cell = after(cell);
    }

    // The cell of a node, or -1.
    __device__ int cell_of(int node) const {
        int cell = home(node), there = nodes[cell];
        while (there != node) {
            if (there < 0) return -1;
            cell = after(cell);
            there = nodes[cell];
        }
        return cell;
    }

    // Calls found(node, how often) for the nodes, of which this thread has a share, and leaves the cells empty.
    template <bool of_each, class Found>
    __device__ void empty(int thread, int threads, Found found) const {
        for (int cell = thread; cell < 1 << bits; cell += threads) {
            if (nodes[cell] < 0) continue;
            if (of_each && times[cell] > 0) {
                found(nodes[cell], times[cell]);
                times[cell] = 0;
            }
            nodes[cell] = -1;
        }
    }
};

#define LOOKED_UP_AT_ONCE 4  // nodes of a thread

// Looks up, in a table of what a node keeps, what the nodes keep to which its arcs from `first` to `last` lead. Of two
// nodes of which one keeps more than `few`, the one that keeps more has the table: the shorter row is looked up.
// Each thread of a warp asks for a row, then they share these, laid end to end; `met` gathers how often each was met.
template <bool of_each, class Found>
__device__ inline void meet_rows(
    const NodeTable &table, int node, int few, const int *others, arc_t first, arc_t last, const arc_t *rows,
    const int *kept, const int *sizes, int warp, int warps, int *met, Found found
) {
    const int lane = threadIdx.x % WARP, size = sizes[node];
    const int share = (int)min((arc_t)WARP, (last - first + warps - 1) / warps);
    long long all = 0;
    for (arc_t begin = first + warp * share; begin < last; begin += warps * share) {
        const int other = lane < share && begin + lane < last ? others[begin + lane] : -1;
        int length = other < 0 ? 0 : sizes[other];
        if (size <= few ? length > few : length > size || (length == size && other >= node)) length = 0;
        const WarpArcs arcs(other, length == 0 ? 0 : rows[other], length);
        for (arc_t from = 0; from < arcs.count; from += LOOKED_UP_AT_ONCE * WARP) {
            int nodes[LOOKED_UP_AT_ONCE], owners[LOOKED_UP_AT_ONCE];
            #pragma unroll
            for (int i = 0; i < LOOKED_UP_AT_ONCE; i++) {
                const arc_t place = from + i * WARP + lane;
                owners[i] = arcs.owner(place);
                const arc_t arc = place + from_lane(arcs.shift, owners[i]);
                nodes[i] = place < arcs.count ? kept[arc] : -1;
            }
            #pragma unroll
            for (int i = 0; i < LOOKED_UP_AT_ONCE; i++) {
                const int cell = nodes[i] < 0 ? -1 : table.cell_of(nodes[i]);
                if (cell < 0) continue;
                all += 1;
                if (of_each) {
                    atomicAdd(&table.times[cell], 1);
                    atomicAdd(&met[owners[i]], 1);
                }
            }
        }
        if (of_each) {
            wait_for_warp();
            const int times = met[lane], cell = times > 0 ? table.cell_of(other) : -1;
            met[lane] = 0;
            if (cell >= 0) atomicAdd(&table.times[cell], times);
            if (cell < 0 && times > 0) found(other, times);
            wait_for_warp();
        }
    }
    if (of_each) {
        for (int width = WARP / 2; width > 0; width /= 2) all += from_across(all, width);
        if (lane > 0) return;
    }
    if (all > 0) found(node, all);
}

// Calls found(node, number) for triangles of arcs that nodes keep. A warp takes a node with few, a block others.
template <bool of_each, class Found>
__device__ inline void each_triangle(
    int num_nodes, const arc_t *rows, const int *columns, const int *kept, const int *sizes, Found found
) {
    __shared__ int cells[2 * MOST_CELLS];
    __shared__ int short_rows[256], long_rows[256], met_by_warps[256];
    __shared__ int short_count, long_count, taken;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP, blocks = gridDim.x;
    const int most = of_each ? MOST_CELLS : 2 * MOST_CELLS, share = most / warps, few = share / 4;
    for (int i = threadIdx.x; i < 2 * MOST_CELLS; i += blockDim.x) cells[i] = i < most ? -1 : 0;
    int *const met = met_by_warps + threadIdx.x - lane;
    met[lane] = 0;
    for (int turn = 0; turn * blocks + (int)blockIdx.x < num_nodes; turn += blockDim.x) {
        if (threadIdx.x == 0) short_count = long_count = taken = 0;
        __syncthreads();
        const int mine = (turn + (int)threadIdx.x) * blocks + (int)blockIdx.x;
        const int length = mine < num_nodes ? sizes[mine] : 0;
        if (length > few) {
            long_rows[atomicAdd(&long_count, 1)] = mine;
        } else if (length > 1) {
            short_rows[atomicAdd(&short_count, 1)] = mine;
        }
        __syncthreads();
        while (true) {
            const int place = from_lane(lane == 0 ? atomicAdd(&taken, 1) : 0, 0);
            if (place >= short_count) break;
            const int node = short_rows[place], arcs = sizes[node];
            const arc_t first = rows[node];
            const NodeTable table(cells, warp * share, share, arcs);
            for (int i = lane; i < arcs; i += WARP) table.put(kept[first + i]);
            wait_for_warp();
            meet_rows<of_each>(table, node, few, kept, first, first + arcs, rows, kept, sizes, 0, 1, met, found);
            wait_for_warp();
            table.empty<of_each>(lane, WARP, found);
            wait_for_warp();
        }
        __syncthreads();
        for (int i = 0; i < long_count; i++) {
            const int node = long_rows[i], arcs = sizes[node];
            const arc_t first = rows[node];
            for (int done = 0; done < arcs; done += most / 2) {
                const int part = min(arcs - done, most / 2);
                const NodeTable table(cells, 0, most, part);
                for (int j = threadIdx.x; j < part; j += blockDim.x) table.put(kept[first + done + j]);
                __syncthreads();
                meet_rows<of_each>(
                    table, node, few, columns, first, rows[node + 1], rows, kept, sizes, warp, warps, met, found
                );
                __syncthreads();
                table.empty<of_each>(threadIdx.x, blockDim.x, found);
                __syncthreads();
            }
        }
        __syncthreads();
    }
}

}  // namespace starplat

#endif
