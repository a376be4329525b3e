// degree_centrality.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv degree_centrality.cu -o degree_centrality
// run:   ./degree_centrality GRAPH [--undirected] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

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

    bool operator<(const HostArc &other) const {
        return std::tie(source, destination) < std::tie(other.source, other.destination);
    }
};

// A graph in compressed rows: the arcs of node v are row_offsets[v] up to row_offsets[v + 1].
struct HostGraph {
    int num_nodes = 0;
    arc_t num_arcs = 0;
    std::vector<arc_t> row_offsets;
    std::vector<int> columns;
    std::vector<arc_t> in_row_offsets;
    std::vector<int> in_columns;
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

// degree_centrality.sp:6 forall (v in g.nodes())
#line 6 "degree_centrality.sp"
extern "C" __global__ void degree_centrality_set_out_centrality(
    int num_nodes,
    const arc_t *__restrict__ row_offsets,
    const arc_t *__restrict__ in_row_offsets,
    double *out_centrality,
    double *in_centrality,
    double others
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        out_centrality[v] = (double)(row_offsets[v + 1] - row_offsets[v]) / others;
        in_centrality[v] = (double)(in_row_offsets[v + 1] - in_row_offsets[v]) / others;
    }
}

#line 308 "degree_centrality.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<arc_t> in_row_offsets;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          in_row_offsets(device, graph.in_row_offsets) {}
};

// degree_centrality.sp:4 function degree_centrality(Graph g, propNode<double> out_centrality, propNode<double> in_centrality)
static void degree_centrality(
    Device &device,
    Graph &graph,
    Buffer<double> &out_centrality,
    Buffer<double> &in_centrality
) {
    const double others = (double)std::max<int>(graph.num_nodes - 1, 1);
    // degree_centrality.sp:6 forall (v in g.nodes())
    degree_centrality_set_out_centrality<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.in_row_offsets, out_centrality, in_centrality,
        others
    );
    check(cudaGetLastError(), "degree_centrality_set_out_centrality");
}

// What --help says.
static const char *const usage =
    "usage: degree_centrality GRAPH [--undirected] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

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
        Buffer<double> out_centrality(device, graph.num_nodes);
        out_centrality.fill(0);
        Buffer<double> in_centrality(device, graph.num_nodes);
        in_centrality.fill(0);
        device.finish();
        const double upload = stopwatch.seconds();
        Timer timer;
        degree_centrality(device, graph, out_centrality, in_centrality);
        const double run = timer.seconds();
        stopwatch.seconds();  // the download begins
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        summarise("out_centrality", out_centrality.download());
        summarise("in_centrality", in_centrality.download());
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
