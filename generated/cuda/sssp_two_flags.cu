// sssp_two_flags.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv sssp_two_flags.cu -o sssp_two_flags
// run:   ./sssp_two_flags GRAPH --src NODE [--undirected] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

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

// One arc of a file.
struct HostArc {
    int source, destination;
    int weight;

    bool operator<(const HostArc &other) const {
        return std::tie(source, destination, weight) < std::tie(other.source, other.destination, other.weight);
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
    Cells<int> weights;
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
        graph.weights.push_back(arc.weight);
    }
    std::partial_sum(graph.row_offsets.begin(), graph.row_offsets.end(), graph.row_offsets.begin());
    return graph;
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
    const auto weights = array("weights", int());
    if (rows.empty() || rows.front() != 0 || rows.back() != static_cast<long long>(columns.size())) throw damaged;
    if (ids.empty()) {
        ids.resize(rows.size() - 1);
        std::iota(ids.begin(), ids.end(), number("index_base"));
    }
    if (rows.size() != ids.size() + 1) throw damaged;
    if (!weights.empty() && weights.size() != columns.size()) throw damaged;
    std::vector<HostArc> arcs;
    const int nodes = static_cast<int>(ids.size());
    for (int v = 0; v < nodes; v++) {
        for (long long e = rows[v]; e < rows[v + 1] && e < rows.back(); e++) {
            if (e < 0 || columns[e] < 0 || columns[e] >= nodes) throw damaged;
            arcs.push_back({v, columns[e], weights.empty() ? 1 : weights[e]});
        }
    }
    return graph_of(std::move(arcs), std::move(ids), undirected);
}

// Reads an edge list ("source destination [weight]"), a DIMACS ".gr", a Matrix Market or an ".spg" file.
static HostGraph read_graph(const std::string &path, bool undirected) {
    enum class Format { edge_list, dimacs, matrix_market };
    struct Row {
        long long source, destination;
        int weight;
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
        const char *rest = end + std::strspn(end, " \t\r");
        const long long weight = *rest == '\0' ? 1 : std::strtoll(rest, &end, 10);
        row.weight = static_cast<int>(weight);
        if (*rest != '\0' && (end == rest || end[std::strspn(end, " \t\r")] != '\0' || row.weight != weight)) {
            throw wrong("a whole number for a weight");
        }
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
        arcs.push_back({named.node(row.source), named.node(row.destination), row.weight});
    }
    return graph_of(std::move(arcs), std::move(ids), undirected);
}

// sssp_two_flags.sp:9 fixedPoint until (finished : !modified)
#line 9 "sssp_two_flags.sp"
extern "C" __global__ void __launch_bounds__(512, 2) sssp_loop(
    int num_nodes,
    arc_t num_arcs,
    const arc_t *__restrict__ row_offsets,
    const int *__restrict__ columns,
    int *dist,
    unsigned *modified_words,
    unsigned *modified_nxt_words,
    const int *__restrict__ weight,
    unsigned *modified_later_words,
    int src,
    double *weight_total_found,
    arc_t *longest_row_found,
    unsigned *arrived
) {
    __shared__ int new_in_modified[MOST_NEW + 1];
    Frontier modified = frontier_in(modified_words, num_nodes, new_in_modified);
    __shared__ int new_in_modified_nxt[MOST_NEW + 1];
    Frontier modified_nxt = frontier_in(modified_nxt_words, num_nodes, new_in_modified_nxt);
    __shared__ int new_in_modified_later[MOST_NEW + 1];
    Frontier modified_later = frontier_in(modified_later_words, num_nodes, new_in_modified_later);
    int weight_total_turn = 0;
    int longest_row_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        dist[cell] = INT_MAX;
    }
    clear(modified, num_nodes);
    clear(modified_nxt, num_nodes);
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        dist[src] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        insert_alone(modified, src);
    }
    double weight_total = 0.0;
    arc_t longest_row = 0;
    {
        // one weight for each node, whose mean says how far apart near and far are
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            weight_total_found[weight_total_turn == 2 ? 0 : weight_total_turn + 1] = 0.0;
            longest_row_found[longest_row_turn == 2 ? 0 : longest_row_turn + 1] = (-ARC_MAX - 1);
        }
        double weight_total_part = 0.0;
        arc_t longest_row_part = (-ARC_MAX - 1);
        for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
            if ((arc_t)node < num_arcs) {
                weight_total_part += (double)weight[(arc_t)node * max(num_arcs / (arc_t)num_nodes, (arc_t)1)];
            }
            longest_row_part = max(longest_row_part, row_offsets[node + 1] - row_offsets[node]);
        }
        __shared__ double weight_total_part_scratch[16];
        weight_total_part = group_add_double(weight_total_part, weight_total_part_scratch);
        if (threadIdx.x == 0) {
            atomicAdd(&weight_total_found[weight_total_turn], weight_total_part);
        }
        __shared__ arc_t longest_row_part_scratch[16];
        longest_row_part = group_max_arc(longest_row_part, longest_row_part_scratch);
        if (threadIdx.x == 0) {
            atomicMax(&longest_row_found[longest_row_turn], longest_row_part);
        }
    }
    grid_barrier(arrived);
    weight_total += weight_total_found[weight_total_turn];
    weight_total_turn = weight_total_turn == 2 ? 0 : weight_total_turn + 1;
    longest_row = max(longest_row, longest_row_found[longest_row_turn]);
    longest_row_turn = longest_row_turn == 2 ? 0 : longest_row_turn + 1;
    const double mean_weight = weight_total / fmin((double)num_nodes, (double)num_arcs);
    const double mean_degree = (double)num_arcs / (double)num_nodes;
    const int width = saturated<int>(fmax(1024.0 * mean_weight / (mean_degree * mean_degree) / ((double)longest_row <= 4.0 * mean_degree ? sqrt(mean_degree) : 1.0), 1.0));
    clear(modified_later, num_nodes);
    grid_barrier(arrived);
    int limit = width;
    int rise = width;
    while (true) {
        {
            // sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
            #line 10 "sssp_two_flags.sp"
            advance(modified, num_nodes, row_offsets, every_node,
                [&](int v, arc_t e) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr] && candidate < atomicMin(&dist[nbr], candidate)) {
                        if (candidate < limit) {
                            insert(modified_nxt, nbr);
                        } else {
                            insert(modified_later, nbr);
                        }
                    }
                });
            inserted(modified_nxt);
            inserted(modified_later);
        }
        grid_barrier(arrived);
        { auto other = modified; modified = modified_nxt; modified_nxt = other; }
        if (!is_empty(modified)) {
            continue;
        }
        if (is_empty(modified_later)) {
            break;
        }
        while (true) {
            grid_barrier(arrived);
            const int settled = limit;
            limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
            rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
            take_members(modified_later, num_nodes, [&](int node_2) {
                if (dist[node_2] < settled) {
                    return;
                }
                if (dist[node_2] < limit) {
                    insert(modified, node_2);
                } else {
                    insert(modified_nxt, node_2);
                }
            });
            inserted(modified);
            inserted(modified_nxt);
            grid_barrier(arrived);
            { auto other = modified_later; modified_later = modified_nxt; modified_nxt = other; }
            if (!is_empty(modified)) {
                break;
            }
            if (is_empty(modified_later)) {
                break;
            }
        }
        rise = width;
        if (is_empty(modified)) {
            break;
        }
    }
}

#line 437 "sssp_two_flags.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns) {}
};

// sssp_two_flags.sp:2 function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)
static void sssp(Device &device, Graph &graph, Buffer<int> &dist, Buffer<int> &weight, int src) {
    Buffer<unsigned> modified(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> modified_nxt(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> modified_later(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    check_place(src, graph.num_nodes);
    {
        Buffer<unsigned> arrived(device, std::vector<unsigned>(1, 0));
        Buffer<double> weight_total_found(device, std::vector<double>(3, 0.0));
        Buffer<arc_t> longest_row_found(device, std::vector<arc_t>(3, (-ARC_MAX - 1)));
        device.launch_together(
            "sssp_loop", sssp_loop, 2, graph.num_nodes, graph.num_arcs, graph.row_offsets,
            graph.columns, dist, modified, modified_nxt, weight, modified_later, src,
            weight_total_found, longest_row_found, arrived
        );
    }
}

// What --help says.
static const char *const usage =
    "usage: sssp_two_flags GRAPH --src NODE [--undirected] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --src         a node, as the file calls it\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"src", "device"});
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
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        int src = host.node(arguments.number<long long>("src"));
        device.finish();
        const double upload = stopwatch.seconds();
        Timer timer;
        sssp(device, graph, dist, weight, src);
        const double run = timer.seconds();
        stopwatch.seconds();  // the download begins
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        summarise("dist", dist.download());
        summarise("weight", weight.download());
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
