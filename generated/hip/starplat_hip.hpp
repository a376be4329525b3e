#ifndef STARPLAT_HIP_HPP
#define STARPLAT_HIP_HPP
// HIP: devices, their memory, and what kernels call. Needs C++17.

#include <hip/hip_runtime.h>

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

inline void check(hipError_t status, const char *what) {
    if (status != hipSuccess) throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(status));
}

// One GPU, which this thread's calls are for from here on.
class Device {
public:
    explicit Device(std::size_t wanted) : number(static_cast<int>(wanted)) {
        int count = 0;
        const hipError_t status = hipGetDeviceCount(&count);
        if (status != hipErrorNoDevice) check(status, "looking for GPUs");
        if (wanted >= static_cast<std::size_t>(count)) {
            throw std::runtime_error("there is no GPU " + std::to_string(wanted) + ": this machine has " +
                                     std::to_string(count));
        }
        use();
        check(hipFree(nullptr), "creating a context");  // now, rather than with the first allocation
        check(hipGetDeviceProperties(&properties, number), "hipGetDeviceProperties");
        // What one run gives back is there for the next.
        std::uint64_t most_kept = UINT64_MAX;
        check(hipDeviceGetDefaultMemPool(&pool, number), "finding the pool of memory");
        check(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &most_kept), "keeping memory");
    }

    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    ~Device() {
        static_cast<void>(hipDeviceSynchronize());
        static_cast<void>(hipMemPoolTrimTo(pool, 0));
    }

    // This thread's calls are for this GPU from here on.
    void use() const { check(hipSetDevice(number), "hipSetDevice"); }

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
        check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, 256, 0), name);
        const int blocks = std::min(most, wanted) * properties.multiProcessorCount;
        std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
        const auto launch = [&](auto &...value) {
            void *places[] = {const_cast<void *>(static_cast<const void *>(&value))...};
            return hipLaunchCooperativeKernel(kernel, blocks, 256, places, 0, 0);
        };
        check(std::apply(launch, values), name);
    }

    void finish() const { check(hipDeviceSynchronize(), "running the kernels"); }

private:
    int number;
    hipDeviceProp_t properties;
    hipMemPool_t pool = nullptr;
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
        if (hipMallocAsync(&memory, bytes, nullptr) != hipSuccess) {
            static_cast<void>(hipGetLastError());  // it has been dealt with
            throw std::runtime_error("there is no room for " + std::to_string(bytes) + " bytes more on the GPU");
        }
        cells.reset(static_cast<T *>(memory));
    }

    Buffer(const Device &on, const Cells<T> &values) : Buffer(on, values.size()) {
        check(hipMemcpy(cells.get(), values.data(), count * sizeof(T), hipMemcpyHostToDevice), "uploading");
    }

    Buffer(const Device &on, std::size_t size, T value) : Buffer(on, size) { fill(value); }

    operator Cell *() const { return reinterpret_cast<Cell *>(cells.get()); }

    void fill(T value) {
        fill_cells<<<device->blocks(count), 256>>>(cells.get(), count, value);
        check(hipGetLastError(), "filling");
    }

    void copy_from(const Buffer &source) {
        check(hipMemcpyAsync(cells.get(), source.cells.get(), count * sizeof(T), hipMemcpyDeviceToDevice), "copying");
    }

    T read(long long index) const {
        T value;
        check(hipMemcpy(&value, cells.get() + place(index), sizeof(T), hipMemcpyDeviceToHost), "reading a cell");
        return value;
    }

    void write(long long index, T value) {
        check(hipMemcpy(cells.get() + place(index), &value, sizeof(T), hipMemcpyHostToDevice), "writing a cell");
    }

    std::vector<T> download() const {
        std::vector<T> values(count);
        check(hipMemcpy(values.data(), cells.get(), count * sizeof(T), hipMemcpyDeviceToHost), "downloading");
        return values;
    }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    struct Free {
        void operator()(T *memory) const { static_cast<void>(hipFreeAsync(memory, nullptr)); }
    };

    const Device *device;
    std::size_t count;
    std::unique_ptr<T, Free> cells;

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
        check(hipEventCreate(&start), "hipEventCreate");
        check(hipEventCreate(&stop), "hipEventCreate");
        check(hipEventRecord(start), "hipEventRecord");
    }

    Timer(const Timer &) = delete;

    ~Timer() {
        static_cast<void>(hipEventDestroy(start));
        static_cast<void>(hipEventDestroy(stop));
    }

    // Waits for the GPU; how long all since the timer was made took.
    double seconds() {
        float milliseconds = 0;
        check(hipEventRecord(stop), "hipEventRecord");
        check(hipEventSynchronize(stop), "running the kernels");
        check(hipEventElapsedTime(&milliseconds, start, stop), "hipEventElapsedTime");
        return milliseconds / 1000;
    }

private:
    hipEvent_t start, stop;
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

// Returns what the cell held before; tried again as long as the value is beyond what others write.
__device__ inline long long atomic_min_long(long long *cell, long long value) {
    unsigned long long *word = (unsigned long long *)cell;
    unsigned long long old = *word, bits;
    memcpy(&bits, &value, sizeof bits);
    while (true) {
        long long held;
        memcpy(&held, &old, sizeof held);
        if (!(value < held)) return held;
        const unsigned long long seen = atomicCAS(word, old, bits);
        if (seen == old) return held;
        old = seen;
    }
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
__device__ inline long long atomic_max_long(long long *cell, long long value) {
    unsigned long long *word = (unsigned long long *)cell;
    unsigned long long old = *word, bits;
    memcpy(&bits, &value, sizeof bits);
    while (true) {
        long long held;
        memcpy(&held, &old, sizeof held);
        if (!(value > held)) return held;
        const unsigned long long seen = atomicCAS(word, old, bits);
        if (seen == old) return held;
        old = seen;
    }
}

// Every thread of the launch waits for all others, whose blocks are all running: the last block to arrive turns the
// highest bit of the word. A wavefront may run on a compute unit of its own, with a cache of its own: all fence.
__device__ inline void grid_barrier(unsigned *arrived) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned before = atomicAdd(arrived, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
        while (((before ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) {}
    }
    __syncthreads();
    __threadfence();
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

// Combines the values of a block, wavefront by wavefront; its first thread gets the total.
__device__ inline int group_add_int(int value, int *scratch) {
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    for (int width = warpSize / 2; width > 0; width /= 2) {
        const int other = __shfl_down(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[wave] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / warpSize; i++) {
            const int other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, wavefront by wavefront; its first thread gets the total.
__device__ inline long long group_add_long(long long value, long long *scratch) {
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    for (int width = warpSize / 2; width > 0; width /= 2) {
        const long long other = __shfl_down(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[wave] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / warpSize; i++) {
            const long long other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, wavefront by wavefront; its first thread gets the total.
__device__ inline double group_add_double(double value, double *scratch) {
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    for (int width = warpSize / 2; width > 0; width /= 2) {
        const double other = __shfl_down(value, width);
        value = value + other;
    }
    if (lane == 0) scratch[wave] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / warpSize; i++) {
            const double other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// Combines the values of a block, wavefront by wavefront; its first thread gets the total.
__device__ inline arc_t group_max_arc(arc_t value, arc_t *scratch) {
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    for (int width = warpSize / 2; width > 0; width /= 2) {
        const arc_t other = __shfl_down(value, width);
        value = max(value, other);
    }
    if (lane == 0) scratch[wave] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / warpSize; i++) {
            const arc_t other = scratch[i];
            value = max(value, other);
        }
    }
    return value;
}

// Memory that the threads of a block share, one for each type.
template <class T>
__device__ inline T &group_memory() {
    __shared__ T memory;
    return memory;
}

// The arcs of the nodes that the threads of a block bring, one node's after another's.
struct GroupRows {
    int node[256];     // whom a thread has brought
    arc_t last[256];   // his arcs and those before them
    arc_t shift[256];  // from a place among them all to an arc of his
};

// Which thread brought the node of an arc.
__device__ inline int owner_of(const GroupRows *rows, arc_t place) {
    int owner = 0;
    for (int step = 256 / 2; step > 0; step /= 2) {
        if (rows->last[owner + step - 1] <= place) owner += step;
    }
    return owner;
}

// Brings a node with its arcs from `first` to `end`, for all threads of a block; returns how many arcs they bring.
__device__ inline arc_t bring_arcs(GroupRows *rows, int node, arc_t first, arc_t end) {
    const int lane = threadIdx.x;
    arc_t last = end - first;
    __syncthreads();  // nobody needs what was brought before
    rows->node[lane] = node;
    rows->last[lane] = last;
    for (int width = 1; width < 256; width *= 4) {
        __syncthreads();
        if (lane >= width) last += rows->last[lane - width];
        rows->shift[lane] = last;
        __syncthreads();
        if (lane >= 2 * width) last += rows->shift[lane - 2 * width];
        rows->last[lane] = last;
    }
    __syncthreads();
    rows->shift[lane] = end - last;
    __syncthreads();
    return rows->last[256 - 1];
}

// Brings a node with all its arcs, or with none where it is -1; returns how many arcs the block brings.
__device__ inline arc_t bring_rows(GroupRows *rows, int node, const arc_t *row_offsets) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    return bring_arcs(rows, node, first, end);
}

// Brings a node with this block's part of its arcs, where some blocks share a node; returns how many arcs they are.
__device__ inline arc_t bring_part(GroupRows *rows, int node, const arc_t *row_offsets, int groups) {
    const arc_t first = node < 0 ? 0 : row_offsets[node], end = node < 0 ? 0 : row_offsets[node + 1];
    const long long part = blockIdx.x % groups, arcs = end - first;
    return bring_arcs(rows, node, first + arcs * part / groups, first + arcs * (part + 1) / groups);
}

// Whom a thread brings of all nodes, or -1. Nodes with many arcs often stand together, and should not be for one
// block alone: it gets eight that follow each other, and others from far away.
__device__ inline int node_of_all(int begin, int num_nodes) {
    const int lane = threadIdx.x;
    const int node = begin + (int)(lane / 8 * gridDim.x + blockIdx.x) * 8 + lane % 8;
    return node < num_nodes ? node : -1;
}

// Whom a thread brings of words, of which the first nodes are listed, or -1: as of all nodes, by a place among theirs.
__device__ inline int node_of_words(const int *words, int begin, int size, int num_nodes) {
    const int place = node_of_all(begin, size);
    const int node = place < 0 ? num_nodes : words[place / 32] + place % 32;
    return node < num_nodes ? node : -1;
}

// How many blocks share a node of a list.
__device__ inline int groups_for_each(int size) {
    return max(1, (int)gridDim.x / size);
}

// Whom a thread brings of a list, of which some blocks share each, or -1.
__device__ inline int listed_node(const int *list, int begin, int size, int groups) {
    const int team = blockIdx.x / groups, teams = gridDim.x / groups;
    const int place = begin + threadIdx.x * teams + team;
    return team < teams && place < size ? list[place] : -1;
}

// Where the arcs end that a block looks at together: some that it has room for, or all that are left of a long row.
__device__ inline arc_t end_of_piece(const GroupRows *rows, arc_t begin, arc_t count) {
    return max(rows->last[owner_of(rows, begin)], min(count, begin + 1024));
}

}  // namespace starplat

#endif
