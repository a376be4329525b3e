// k_core.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv k_core.cu -o k_core
// run:   ./k_core GRAPH [--undirected] [--device NUMBER]

#include "starplat_program.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using namespace starplat;

// An arc's number: build with -DARC_64 for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// One arc of a file.
struct HostArc {
    int source, destination;

    bool operator<(const HostArc &other) const {
        return std::tie(source, destination) < std::tie(other.source, other.destination);
    }
};

// Cells that the program reads one by one: a place that there is not is an error.
template <class T>
struct Cells : std::vector<T> {
    T &operator[](long long place) { return this->data()[place]; }

    const T &operator[](long long place) const {
        if (place < 0 || static_cast<std::size_t>(place) >= this->size()) {
            throw std::runtime_error("the program uses number " + std::to_string(place) + " of the graph, but there are only " +
                                     std::to_string(this->size()));
        }
        return this->data()[place];
    }
};

// A graph in compressed rows: the arcs of node v are row_offsets[v] up to row_offsets[v + 1].
struct HostGraph {
    int num_nodes = 0;
    arc_t num_arcs = 0;
    Cells<arc_t> row_offsets;
    Cells<int> columns;
    Cells<arc_t> in_row_offsets;
    Cells<int> in_columns;
    std::vector<long long> ids;  // what the file calls the nodes, ascending

    // The node that the file calls `id`.
    int node(long long id) const {
        const auto found = std::lower_bound(ids.begin(), ids.end(), id);
        if (found == ids.end() || *found != id) {
            throw std::invalid_argument("the graph has no node " + std::to_string(id));
        }
        return static_cast<int>(found - ids.begin());
    }

    // What the file calls a node; -1, no node, stays.
    long long original_id(int node) const { return node < 0 ? node : ids[node]; }

    // A flag for every node, set for those that the file calls so.
    std::vector<unsigned char> marked_nodes(const std::vector<long long> &named) const {
        std::vector<unsigned char> flags(num_nodes, 0);
        for (const long long id : named) flags[node(id)] = 1;
        return flags;
    }

    // A flag for every arc, set for those at these places in the rows.
    std::vector<unsigned char> marked_arcs(const std::vector<long long> &places) const {
        std::vector<unsigned char> flags(num_arcs, 0);
        for (const long long place : places) {
            if (place < 0 || place >= num_arcs) {
                throw std::invalid_argument("the graph has no arc " + std::to_string(place));
            }
            flags[place] = 1;
        }
        return flags;
    }

    std::vector<long long> original_ids(const std::vector<int> &nodes) const {
        std::vector<long long> named(nodes.size());
        std::transform(nodes.begin(), nodes.end(), named.begin(), [this](int node) { return original_id(node); });
        return named;
    }
};

// Kernels count with as many bits as a number has, in steps of all threads of a launch: hence the room that is asked for.
static void check_sizes(std::size_t nodes, std::size_t arcs) {
    const std::size_t room = 16777216;
    if (nodes > std::numeric_limits<int>::max() - room) throw std::runtime_error("the graph has too many nodes");
    if (arcs > static_cast<std::size_t>(std::numeric_limits<arc_t>::max()) - room) {
        throw std::runtime_error("the graph has too many arcs: build this program with -DARC_64");
    }
}

// Works out from the rows what else the program uses.
static HostGraph completed(HostGraph graph) {
    graph.in_row_offsets.assign(graph.num_nodes + 1, 0);
    for (const int destination : graph.columns) graph.in_row_offsets[destination + 1]++;
    std::partial_sum(graph.in_row_offsets.begin(), graph.in_row_offsets.end(), graph.in_row_offsets.begin());
    graph.in_columns.resize(graph.num_arcs);
    std::vector<arc_t> next = graph.in_row_offsets;
    for (int v = 0; v < graph.num_nodes; v++) {
        for (arc_t e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; e++) {
            const arc_t place = next[graph.columns[e]]++;
            graph.in_columns[place] = v;
        }
    }
    return graph;
}

// Puts arcs in order and counts them into rows.
static HostGraph graph_of(std::vector<HostArc> arcs, std::vector<long long> ids, bool undirected) {
    if (undirected) {
        std::vector<HostArc> turned = arcs, both;
        for (HostArc &arc : turned) std::swap(arc.source, arc.destination);
        std::sort(arcs.begin(), arcs.end());
        std::sort(turned.begin(), turned.end());
        std::set_union(arcs.begin(), arcs.end(), turned.begin(), turned.end(), std::back_inserter(both));
        arcs = std::move(both);
    }
    std::stable_sort(arcs.begin(), arcs.end(), [](const HostArc &a, const HostArc &b) {
        return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
    });
    check_sizes(ids.size(), arcs.size());
    HostGraph graph;
    graph.ids = std::move(ids);
    graph.num_nodes = static_cast<int>(graph.ids.size());
    graph.num_arcs = static_cast<arc_t>(arcs.size());
    graph.row_offsets.assign(graph.num_nodes + 1, 0);
    for (const HostArc &arc : arcs) {
        graph.row_offsets[arc.source + 1]++;
        graph.columns.push_back(arc.destination);
    }
    std::partial_sum(graph.row_offsets.begin(), graph.row_offsets.end(), graph.row_offsets.begin());
    return completed(std::move(graph));
}

// Reads starplat's own format, whose header says in JSON where each array lies.
static HostGraph read_spg(std::ifstream &file, const std::string &path, bool undirected) {
    const std::runtime_error damaged(path + ": this .spg is damaged or of another version");
    unsigned long long length = 0;
    file.seekg(8);
    file.read(reinterpret_cast<char *>(&length), sizeof length);
    std::string header(file && length < (1 << 20) ? length : 0, '\0');
    file.read(header.data(), header.size());
    if (!file || header.find("\"version\": 1,") == std::string::npos) throw damaged;
    const auto number = [&](const std::string &key) {
        const std::size_t at = header.find("\"" + key + "\": ");
        if (at == std::string::npos) throw damaged;
        return std::strtoll(header.c_str() + at + key.size() + 4, nullptr, 10);
    };
    const auto array = [&](const std::string &key, auto one) {
        std::vector<decltype(one)> values;
        const auto fitting = [&](auto value) {
            const auto kept = static_cast<decltype(one)>(value);
            if (std::is_integral_v<decltype(one)> && static_cast<decltype(value)>(kept) != value) {
                throw std::runtime_error(path + ": its " + key + " are not the whole numbers that this program takes");
            }
            return kept;
        };
        const std::size_t at = header.find("\"" + key + "\": [\"");
        if (at == std::string::npos) return values;
        const std::string type = header.substr(at + key.size() + 6, 3);
        char *end = nullptr;
        const long long offset = std::strtoll(header.c_str() + at + key.size() + 12, &end, 10);
        const long long count = std::strtoll(end + 2, nullptr, 10);
        const long long width = type.back() - '0', start = 16 + static_cast<long long>(header.size()) + offset;
        file.seekg(0, std::ios::end);
        if (count < 0 || offset < 0 || (width != 4 && width != 8) || start + count * width > file.tellg()) throw damaged;
        std::vector<char> bytes(count * width);
        file.seekg(start);
        file.read(bytes.data(), bytes.size());
        for (long long i = 0; i < count; i++) {
            const char *cell = bytes.data() + i * width;
            double real;
            long long whole = 0;
            int narrow;
            if (type == "<f8") values.push_back(fitting((std::memcpy(&real, cell, 8), real)));
            else if (width == 8) values.push_back(fitting((std::memcpy(&whole, cell, 8), whole)));
            else values.push_back(fitting((std::memcpy(&narrow, cell, 4), narrow)));
        }
        return values;
    };
    const auto rows = array("row_offsets", 0LL);
    const auto columns = array("columns", 0);
    std::vector<long long> ids = array("ids", 0LL);
    if (rows.empty() || rows.front() != 0 || rows.back() != static_cast<long long>(columns.size())) throw damaged;
    if (ids.empty()) {
        ids.resize(rows.size() - 1);
        std::iota(ids.begin(), ids.end(), number("index_base"));
    }
    if (rows.size() != ids.size() + 1) throw damaged;
    std::vector<HostArc> arcs;
    const int nodes = static_cast<int>(ids.size());
    for (int v = 0; v < nodes; v++) {
        for (long long e = rows[v]; e < rows[v + 1] && e < rows.back(); e++) {
            if (e < 0 || columns[e] < 0 || columns[e] >= nodes) throw damaged;
            arcs.push_back({v, columns[e]});
        }
    }
    return graph_of(std::move(arcs), std::move(ids), undirected);
}

// Reads an edge list ("source destination [weight]"), a DIMACS ".gr", a Matrix Market or an ".spg" file.
static HostGraph read_graph(const std::string &path, bool undirected) {
    enum class Format { edge_list, dimacs, matrix_market };
    struct Row {
        long long source, destination;
    };
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    char magic[4] = "";
    file.read(magic, sizeof magic);
    const std::string beginning(magic, file.gcount());
    file.clear();
    file.seekg(0);
    for (const char *packed : {"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd" "7zX"}) {
        if (beginning.rfind(packed, 0) == 0) throw std::runtime_error(path + ": is compressed; decompress it first");
    }
    if (beginning == "\x89SPG") return read_spg(file, path, undirected);
    Format format = Format::edge_list;
    std::vector<Row> rows;
    long long nodes = -1, number = 0;
    bool commented = false;
    const auto wrong = [&](const std::string &expected) {
        return std::runtime_error(path + ":" + std::to_string(number) + ": expected " + expected);
    };
    for (std::string line; std::getline(file, line);) {
        number++;
        if (number == 1 && line.rfind("%%MatrixMarket", 0) == 0) {
            if (line.find("coordinate") == std::string::npos || line.find("complex") != std::string::npos) {
                throw wrong("a coordinate matrix of whole or real numbers");
            }
            format = Format::matrix_market;
            undirected |= line.find("symmetric") != std::string::npos;
            continue;
        }
        const char *at = line.c_str() + std::min(line.find_first_not_of(" \t\r"), line.size());
        if (*at == '#' || *at == '%') {
            commented = true;
            undirected |= line.find("ndirected") != std::string::npos;
            continue;
        }
        if (*at == 'c' || *at == 'p' || *at == 'a') format = Format::dimacs;
        if (*at == '\0' || *at == 'c') continue;
        const bool is_header = *at == 'p' || (format == Format::matrix_market && nodes < 0);
        if (*at == 'a') at++;
        if (*at == 'p') at += std::strcspn(at, "0123456789");
        char *end = nullptr;
        Row row{};
        row.source = std::strtoll(at, &end, 10);
        if (end == at) throw wrong("a node's number");
        if (is_header) {
            nodes = row.source;
            continue;
        }
        row.destination = std::strtoll(at = end, &end, 10);
        if (end == at) throw wrong("two nodes' numbers");
        rows.push_back(row);
    }

    std::vector<long long> ids;
    const std::string ending = path.substr(path.find_last_of('.') + 1);
    const bool counts_from_zero = ending == "el" || ending == "wel";
    if (format == Format::edge_list && (commented || !counts_from_zero)) {
        for (const Row &row : rows) {
            ids.push_back(row.source);
            ids.push_back(row.destination);
        }
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    } else {
        for (const Row &row : rows) {
            if (format == Format::edge_list) nodes = std::max({nodes, row.source + 1, row.destination + 1});
        }
        ids.resize(std::max(nodes, 0LL));
        std::iota(ids.begin(), ids.end(), format == Format::edge_list ? 0 : 1);
    }
    HostGraph named;
    named.ids = ids;
    std::vector<HostArc> arcs;
    for (const Row &row : rows) {
        arcs.push_back({named.node(row.source), named.node(row.destination)});
    }
    return graph_of(std::move(arcs), std::move(ids), undirected);
}

static void check(cudaError_t status, const char *what) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// One GPU, which this thread's calls are for from here on.
class Device {
public:
    explicit Device(std::size_t number) {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
        if (number >= static_cast<std::size_t>(count)) {
            throw std::runtime_error("there is no GPU " + std::to_string(number) + ": this machine has " +
                                     std::to_string(count));
        }
        check(cudaSetDevice(static_cast<int>(number)), "cudaSetDevice");
        check(cudaGetDeviceProperties(&properties, static_cast<int>(number)), "cudaGetDeviceProperties");
    }

    std::string name() const { return properties.name; }

    // Blocks of 256 threads, one thread for every iteration; kernels stride over what is too much for the GPU.
    int blocks(long long iterations) const {
        const long long most = 256 * properties.multiProcessorCount;
        return static_cast<int>(std::min(iterations / 256 + 1, most));
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

    void finish() const { check(cudaDeviceSynchronize(), "running the kernels"); }

private:
    cudaDeviceProp properties;
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

    Buffer(const Device &device, std::size_t count) : device(&device), count(count) {
        const std::size_t bytes = (count * sizeof(T) / 8 + 1) * 8;
        void *memory = nullptr;
        if (cudaMalloc(&memory, bytes) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());  // it has been dealt with
            throw std::runtime_error("there is no room for " + std::to_string(bytes) + " bytes more on the GPU");
        }
        cells.reset(static_cast<T *>(memory));
    }

    Buffer(const Device &device, const std::vector<T> &values) : Buffer(device, values.size()) {
        check(cudaMemcpy(cells.get(), values.data(), count * sizeof(T), cudaMemcpyHostToDevice), "uploading");
    }

    operator Cell *() const { return reinterpret_cast<Cell *>(cells.get()); }

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

private:
    struct Free {
        void operator()(T *memory) const { static_cast<void>(cudaFree(memory)); }
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

// The 64-bit atomicAdd, which there is for unsigned numbers; the bits are the same.
static __device__ long long atomic_add_long(long long *cell, long long value) {
    return atomicAdd((unsigned long long *)cell, (unsigned long long)value);
}

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
static __device__ inline Frontier frontier_in(unsigned *words, int num_nodes, int *fresh) {
    Sizes *sizes = (Sizes *)(words + (num_nodes + 31) / 32);
    if (threadIdx.x == 0) *fresh = 0;
    __syncthreads();
    return {words, sizes, (int *)(sizes + 1), fresh, 0, num_nodes <= MOST_LISTED ? MOST_LISTED : MOST_LISTED / 4};
}

static __device__ inline void clear_bits(const Frontier &set, int num_nodes) {
    const int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < (num_nodes + 31) / 32; i += threads) set.bits[i] = 0;
}

static __device__ inline void clear(const Frontier &set, int num_nodes) {
    clear_bits(set, num_nodes);
    if (blockIdx.x == 0 && threadIdx.x == 0) *set.sizes = {};
}

// Sets a node's bit; returns whether it was not set.
static __device__ inline bool mark(const Frontier &set, int node) {
    const unsigned bit = 1u << node % 32;
    return !(atomicOr(&set.bits[node / 32], bit) & bit);
}

#define MOST_NEW 1024  // nodes that a block can put into the list between two barriers

static __device__ inline void insert(const Frontier &set, int node) {
    if (!mark(set, node)) return;
    const int place = atomicAdd(set.fresh, 1);
    if (place < MOST_NEW) set.fresh[1 + place] = node;
}

// Moves what the block has put in to the list, if there is room.
static __device__ inline void note_new(const Frontier &set, int count) {
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

// Ends what the block has put in; if it is much, judges with `rows` by some of it how many arcs it has.
static __device__ inline void inserted(const Frontier &set, int num_nodes = 0, const arc_t *rows = nullptr) {
    __syncthreads();
    const int count = *set.fresh;
    if (count == 0) return;
    note_new(set, count);
    if (rows != nullptr && count >= MUCH_NEW && threadIdx.x < 32) {
        const int some = min(32, min(count, MOST_NEW)), node = threadIdx.x < some ? set.fresh[1 + threadIdx.x] : -1;
        float arcs = node < 0 ? 0 : rows[node + 1] - rows[node];
        for (int width = 16; width > 0; width /= 2) arcs += __shfl_down_sync(~0u, arcs, width);
        const float share = arcs / some * count / rows[num_nodes];
        if (threadIdx.x == 0) atomicAdd(&set.count().arcs, (int)(share * ALL_ARCS));
    }
    __syncthreads();
    if (threadIdx.x == 0) *set.fresh = 0;
}

#define LONG_ROW 128  // a whole warp takes the arcs of a node with more
#define HUGE_ROW 512  // and a whole block those of a node with still more
#define MOST_LONG 2047  // of such nodes for a block
#define MOST_HUGE 511
#define MOST_TOGETHER 512  // threads of a block

// Nodes that a block puts off until more of its threads can take their arcs together.
struct LongRows {
    int count, huge_count;
    int nodes[MOST_LONG], huge[MOST_HUGE];

    // Whether a node is put off: if it has many arcs, and there is room.
    __device__ bool puts_off(int node, arc_t arcs) {
        if (arcs <= LONG_ROW) return false;
        int place = arcs > HUGE_ROW ? atomicAdd(&huge_count, 1) : MOST_HUGE;
        if (place < MOST_HUGE) {
            huge[place] = node;
            return true;
        }
        place = atomicAdd(&count, 1);
        if (place < MOST_LONG) nodes[place] = node;
        return place < MOST_LONG;
    }
};

// The block's own, with none so far.
static __device__ inline LongRows &no_long_rows() {
    __shared__ LongRows long_rows;
    if (threadIdx.x == 0) long_rows.count = long_rows.huge_count = 0;
    __syncthreads();
    return long_rows;
}

#define AT_ONCE 4  // values of a thread that are under way together

// The block's own place for values of its threads.
static __device__ inline double *values_of_block() {
    __shared__ double values[MOST_TOGETHER * AT_ONCE];
    return values;
}

// Calls finish(node, total) for the nodes that were put off.
template <class T, class Join, class Value, class Finish>
static __device__ __forceinline__ void long_values(
    const arc_t *rows, const LongRows &long_rows, T *totals, T start, Join join, Value value, Finish finish
) {
    __syncthreads();
    for (int i = threadIdx.x / 32; i < min(long_rows.count, MOST_LONG); i += blockDim.x / 32) {
        const int node = long_rows.nodes[i];
        const arc_t end = rows[node + 1];
        T total = start;
#pragma unroll 4
        for (arc_t arc = rows[node] + threadIdx.x % 32; arc < end; arc += 32) total = join(total, value(node, arc));
        for (int width = 16; width > 0; width /= 2) total = join(total, __shfl_xor_sync(~0u, total, width));
        if (threadIdx.x % 32 == 0) finish(node, total);
    }
    for (int i = 0; i < min(long_rows.huge_count, MOST_HUGE); i++) {
        const int node = long_rows.huge[i];
        const arc_t end = rows[node + 1];
        T total = start;
        for (arc_t arc = rows[node] + threadIdx.x; arc < end; arc += blockDim.x) total = join(total, value(node, arc));
        totals[threadIdx.x] = total;
        for (int width = blockDim.x; width > 1; width = (width + 1) / 2) {
            __syncthreads();
            const int other = threadIdx.x + (width + 1) / 2;
            if (other < width) totals[threadIdx.x] = join(totals[threadIdx.x], totals[other]);
        }
        if (threadIdx.x == 0) finish(node, totals[0]);
        __syncthreads();
    }
    __syncthreads();  // the list may be begun anew
}

// The threads of a warp in teams, each of which takes a node: the more arcs there are for a node, and the fewer nodes for
// the threads, the larger the team.
struct Teams {
    int size, count, place, member;  // threads of a team, teams of the warp, which of them this thread is in, and as what

    __device__ Teams(int nodes, int num_nodes, const arc_t *rows) : size(1) {
        while (size < 32 && nodes <= gridDim.x * blockDim.x / (2 * size)) size *= 2;
        if (size < 32) {
            const int degree = (int)min(rows[num_nodes] / max(num_nodes, 1), (arc_t)128);
            size = max(size, min(32, 1 << max(0, 29 - __clz(degree))));  // four arcs for each, or some more
        }
        count = 32 / size;
        place = threadIdx.x % 32 / size;
        member = threadIdx.x % size;
    }
};

// Calls finish(node, total) for the node, or -1, of every team of a warp: total joins the values of the node's arcs.
// Nodes with long rows are put off.
template <class T, class Join, class Value, class Finish>
static __device__ __forceinline__ void gather_step(
    const Teams &team, int node, const arc_t *rows, LongRows &long_rows, T start, Join join, Value value, Finish finish
) {
    const arc_t first = node >= 0 ? rows[node] : 0, end = node >= 0 ? rows[node + 1] : 0;
    const bool puts_off = team.member == 0 && long_rows.puts_off(node, end - first);
    const bool late = __shfl_sync(~0u, puts_off, team.place * team.size);
    T total = start;
    if (!late) {
#pragma unroll 4
        for (arc_t arc = first + team.member; arc < end; arc += team.size) total = join(total, value(node, arc));
    }
    for (int width = team.size / 2; width > 0; width /= 2) total = join(total, __shfl_xor_sync(~0u, total, width));
    if (node >= 0 && !late && team.member == 0) finish(node, total);
}

// The warps of a launch by number, those of one block far apart: nodes with many arcs often stand together, and should
// not be for one block alone.
static __device__ inline int warp_number() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }

// Calls finish(node, total) for the nodes to keep: total joins the values of a node's arcs.
template <class T, class Keep, class Join, class Value, class Finish>
static __device__ inline void gather_all(
    int num_nodes, const arc_t *rows, T start, Keep keep, Join join, Value value, Finish finish
) {
    LongRows &long_rows = no_long_rows();
    const Teams team(num_nodes, num_nodes, rows);
    for (int begin = warp_number() * team.count; begin < num_nodes; begin += gridDim.x * blockDim.x / team.size) {
        const int node = begin + team.place;
        gather_step(team, node < num_nodes && keep(node) ? node : -1, rows, long_rows, start, join, value, finish);
    }
    long_values(rows, long_rows, (T *)values_of_block(), start, join, value, finish);
}

static __device__ inline bool every_node(int) { return true; }

#define SOME_LOOKS 16  // at the word of a barrier: each empties the cache, which the blocks beside this one use too

// Every thread of the launch waits for all others, whose blocks are all running: the last block to arrive turns the
// highest bit of the word. A block that waits for long only watches for that, and lets the cache alone.
static __device__ void grid_barrier(unsigned *arrived) {
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

// Combines the values of a block, warp by warp; its first thread gets the total.
static __device__ long long group_add_long(long long value, long long *scratch) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int width = 16; width > 0; width /= 2) {
        const long long other = __shfl_down_sync(~0u, value, width);
        value = value + other;
    }
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / 32; i++) {
            const long long other = scratch[i];
            value = value + other;
        }
    }
    return value;
}

// What comes in is counted anew, while others still look at what goes out.
static __device__ inline void begin_anew(Frontier &set) {
    set.turn = 1 - set.turn;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        set.count() = {};
        set.sizes->noted = 0;
    }
}

// Calls visit(place, word) for every word of the set, with a word of zero where a thread of a warp has none; all threads
// of a block together.
template <class Visit>
static __device__ inline void visit_words(const Frontier &set, int num_nodes, bool takes, Visit visit) {
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32, words = (num_nodes + 31) / 32;
    const int share = max(1, min(32, words / warps));
    for (int first = 0; first < words; first += warps * share) {
        const int place = first + warp_number() * share + lane;
        const unsigned word = lane < share && place < words ? set.bits[place] : 0;
        if (takes && word) set.bits[place] = 0;
        visit(place, word);
    }
}

// The sum of what the threads of a warp bring, up to this one.
static __device__ inline int sum_up_to(int value) {
    for (int width = 1; width < 32; width *= 2) {
        const int before = __shfl_up_sync(~0u, value, width);
        if (threadIdx.x % 32 >= width) value += before;
    }
    return value;
}

// Calls visit(node) for the members in the words that the threads of a warp bring, with -1 where a thread has none.
template <class Visit>
static __device__ inline void visit_bits(int place, unsigned word, Visit visit) {
    for (unsigned left = __ballot_sync(~0u, word != 0); left != 0; left &= left - 1) {
        const int which = __ffs(left) - 1, lane = threadIdx.x % 32;
        const unsigned bits = __shfl_sync(~0u, word, which);
        const int first = __shfl_sync(~0u, place, which) * 32;
        visit(bits >> lane & 1 ? first + lane : -1);
    }
}

#define MOST_GATHERED 1024  // members that a block gathers from the words that its threads bring

// Members that a block has found, for its warps to share.
struct Gathered {
    int count, nodes[MOST_GATHERED];
};

// The block's own.
static __device__ inline Gathered &gathered_by_block() {
    __shared__ Gathered gathered;
    return gathered;
}

// Calls visit(node) for every member by its bit, with -1 where a thread of a warp has none; all threads of a block
// together. A block gathers the members, then its warps share them evenly; if there are too many, each keeps its own.
template <class Visit>
static __device__ inline void visit_marked(const Frontier &set, int num_nodes, bool takes, Visit visit) {
    Gathered &gathered = gathered_by_block();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    visit_words(set, num_nodes, takes, [&](int place, unsigned word) {
        if (threadIdx.x == 0) gathered.count = 0;
        __syncthreads();
        const int last = sum_up_to(__popc(word));  // of this thread's members among those of the warp
        int at = lane == 31 && last > 0 ? atomicAdd(&gathered.count, last) : 0;
        at = __shfl_sync(~0u, at, 31) + last - __popc(word);
        for (unsigned left = word; left != 0 && at < MOST_GATHERED; left &= left - 1) {
            gathered.nodes[at++] = place * 32 + __ffs(left) - 1;
        }
        __syncthreads();
        const int count = gathered.count;
        if (count <= MOST_GATHERED) {
            const int share = (count + warps - 1) / warps, end = min(count, (warp + 1) * share);
            for (int i = warp * share; i < end; i += 32) visit(i + lane < end ? gathered.nodes[i + lane] : -1);
        } else {
            visit_bits(place, word, visit);
        }
        __syncthreads();  // others may be gathered
    });
}

// How many are in the set if its list has all of them, else -1.
static __device__ inline int listed(const Frontier &set) {
    const Count count = set.count();  // both at once
    return count.lacking ? -1 : count.members;
}

// Calls visit(node) for the `size` nodes of the list, with -1 where a thread of a warp has none; all threads of a warp
// together.
template <class Visit>
static __device__ inline void visit_list(const Frontier &set, int size, bool takes, Visit visit) {
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    const int share = min(32, (size + warps - 1) / warps), warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int begin = warp * share; begin < size; begin += warps * share) {
        const int node = lane < share && begin + lane < size ? set.list[begin + lane] : -1;
        if (takes && node >= 0) set.bits[node / 32] = 0;
        visit(node);
    }
}

// Calls visit(node) for every member, with -1 where a thread of a warp has none; all threads of a block together. `size`
// is what listed() found; a set that is taken from has begun anew since then.
template <class Visit>
static __device__ inline void visit_found(const Frontier &set, int size, int num_nodes, bool takes, Visit visit) {
    if (size >= 0) {
        visit_list(set, size, takes, visit);
    } else {
        visit_marked(set, num_nodes, takes, visit);
    }
}

// The arcs of the nodes that the threads of a warp bring, one after the other.
struct WarpArcs {
    int node;           // this thread's
    arc_t last, count;  // its arcs and those before it; all of them
    arc_t shift;        // from a place among them to an arc of this thread's node

    // Brings a node, or -1. Nodes with long rows are put off.
    __device__ WarpArcs(int brought, const arc_t *rows, LongRows &long_rows) : node(brought) {
        arc_t first = 0, degree = 0;
        if (node >= 0) {
            first = rows[node];
            degree = rows[node + 1] - first;
            if (long_rows.puts_off(node, degree)) {
                node = -1;
                degree = 0;
            }
        }
        last = degree;
        for (int width = 1; width < 32; width *= 2) {
            const arc_t before = __shfl_up_sync(~0u, last, width);
            if (threadIdx.x % 32 >= width) last += before;
        }
        count = __shfl_sync(~0u, last, 31);
        shift = first - (last - degree);
    }

    // Which thread brought the node of an arc: the last thread where there is no such arc.
    __device__ int owner(arc_t place) const {
        int found = 0;
        for (int step = 16; step > 0; step /= 2) {
            if (__shfl_sync(~0u, last, found + step - 1) <= place) found += step;
        }
        return found;
    }
};

// Calls body(node, arc) for the arcs of the nodes that the threads of a warp bring, which share them evenly.
template <class Body>
static __device__ inline void share_arcs(int node, const arc_t *rows, LongRows &long_rows, Body body) {
    const WarpArcs arcs(node, rows, long_rows);
    for (arc_t begin = 0; begin < arcs.count; begin += 32) {
        const arc_t place = begin + threadIdx.x % 32;
        const int owner = arcs.owner(place);
        const int of = __shfl_sync(~0u, arcs.node, owner);
        const arc_t arc = place + __shfl_sync(~0u, arcs.shift, owner);
        if (place < arcs.count) body(of, arc);
    }
}

// Calls body(node, arc) for the arcs of the nodes that were put off.
template <class Body>
static __device__ inline void long_arcs(const arc_t *rows, const LongRows &long_rows, Body body) {
    __syncthreads();
    for (int i = threadIdx.x / 32; i < min(long_rows.count, MOST_LONG); i += blockDim.x / 32) {
        const int node = long_rows.nodes[i];
        const arc_t end = rows[node + 1];
        for (arc_t arc = rows[node] + threadIdx.x % 32; arc < end; arc += 32) body(node, arc);
    }
    for (int i = 0; i < min(long_rows.huge_count, MOST_HUGE); i++) {
        const int node = long_rows.huge[i];
        const arc_t end = rows[node + 1];
        for (arc_t arc = rows[node] + threadIdx.x; arc < end; arc += blockDim.x) body(node, arc);
    }
    __syncthreads();
}

// Calls body(node, arc) for every arc of the members to keep, which threads share evenly. A set that is taken from is
// empty afterwards.
template <class Keep, class Body>
static __device__ inline void advance_members(
    Frontier &set, int num_nodes, bool takes, const arc_t *rows, Keep keep, Body body
) {
    const int size = listed(set), warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int parts = gridDim.x * blockDim.x / 32 / max(size, 1);
    if (takes) begin_anew(set);
    if (size > 0 && parts > 1) {  // some warps for each
        const int node = set.list[warp % size], part = warp / size;
        if (takes && part == 0) set.bits[node / 32] = 0;
        if (part >= parts || !keep(node)) return;
        const arc_t end = rows[node + 1];
        for (arc_t arc = rows[node] + part * 32 + threadIdx.x % 32; arc < end; arc += parts * 32) body(node, arc);
        return;
    }
    LongRows &long_rows = no_long_rows();
    const auto share = [&](int node) { share_arcs(node >= 0 && keep(node) ? node : -1, rows, long_rows, body); };
    visit_found(set, size, num_nodes, takes, share);
    long_arcs(rows, long_rows, body);
}

// Calls body(node, arc) for every arc of the members to keep, and leaves the set empty.
template <class Keep, class Body>
static __device__ inline void advance(Frontier &set, int num_nodes, const arc_t *rows, Keep keep, Body body) {
    advance_members(set, num_nodes, true, rows, keep, body);
}

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
#line 5 "k_core.sp"
extern "C" __global__ void __launch_bounds__(512, 2) k_core_loop(
    int num_nodes,
    const arc_t *__restrict__ row_offsets,
    const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets,
    const int *__restrict__ in_columns,
    int *core,
    unsigned *peeling_words,
    int *degree,
    long long *peeled_found,
    unsigned *arrived
) {
    __shared__ int new_in_peeling[MOST_NEW + 1];
    Frontier peeling = frontier_in(peeling_words, num_nodes, new_in_peeling);
    int peeled_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        core[cell] = -1;
    }
    clear(peeling, num_nodes);
    {
        // k_core.sp:9 forall (v in g.nodes())
        // first degree = 0
        #line 9 "k_core.sp"
        gather_all(num_nodes, in_row_offsets, (int)0, every_node,
            [&](int a, int b) -> int { return a + b; },
            [&](int v, arc_t in_e) -> int {
                const int nbr = in_columns[in_e];
                if (nbr != v) {
                    return 1;
                }
                return 0;
            },
            [&](int v, int degree_of_v) {
                degree[v] = degree_of_v;
            });
    }
    long long left = num_nodes;
    int k = 0;
    while (left > 0) {
        long long peeled = 0;
        grid_barrier(arrived);
        {
            // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
            #line 18 "k_core.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                peeled_found[peeled_turn == 2 ? 0 : peeled_turn + 1] = 0;
            }
            long long peeled_part = 0;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!(core[v] == -1 && degree[v] <= k)) continue;
                core[v] = k;
                insert(peeling, v);
                peeled_part += 1;
            }
            inserted(peeling);
            __shared__ long long peeled_part_scratch[16];
            peeled_part = group_add_long(peeled_part, peeled_part_scratch);
            if (threadIdx.x == 0) {
                atomic_add_long(&peeled_found[peeled_turn], peeled_part);
            }
        }
        grid_barrier(arrived);
        peeled += peeled_found[peeled_turn];
        peeled_turn = peeled_turn == 2 ? 0 : peeled_turn + 1;
        {
            // k_core.sp:23 forall (v in g.nodes().filter(peeling))
            #line 23 "k_core.sp"
            advance(peeling, num_nodes, row_offsets, every_node,
                [&](int v, arc_t e) {
                    const int nbr = columns[e];
                    if (nbr != v) {
                        atomicAdd(&degree[nbr], -1);
                    }
                });
        }
        left -= peeled;
        if (peeled == 0) {
            k += 1;
        }
    }
}

#line 985 "k_core.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &host)
        : host(host),
          num_nodes(host.num_nodes),
          num_arcs(host.num_arcs),
          row_offsets(device, host.row_offsets),
          columns(device, host.columns),
          in_row_offsets(device, host.in_row_offsets),
          in_columns(device, host.in_columns) {}
};

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
static void k_core(Device &device, Graph &graph, Buffer<int> &core) {
    Buffer<int> degree(device, graph.num_nodes);
    Buffer<unsigned> peeling(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    {
        Buffer<unsigned> arrived(device, std::vector<unsigned>(1, 0));
        Buffer<long long> peeled_found(device, std::vector<long long>(3, 0));
        device.launch_together(
            "k_core_loop", k_core_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, core, peeling, degree, peeled_found, arrived
        );
    }
}

// What --help says.
static const char *const usage =
    "usage: k_core GRAPH [--undirected] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

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

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        Stopwatch stopwatch;
        const HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Device device(arguments.number<std::size_t>("device", 0));
        const double compile = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> core(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        Timer timer;
        k_core(device, graph, core);
        const double run = timer.seconds();
        stopwatch.seconds();  // the download begins
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        summarise("core", core.download());
        std::cout << "seconds: load " << load << ", compile " << compile << ", upload " << upload << ", run " << run
                  << ", download " << stopwatch.seconds() << "\n";
    } catch (const UsageError &error) {
        std::cerr << "error: " << error.what() << "; --help says more\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
