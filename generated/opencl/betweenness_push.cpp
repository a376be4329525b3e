// betweenness_push.sp as a program of its own, for OpenCL 1.2. Its kernels are in betweenness_push.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv betweenness_push.cpp -lOpenCL -o betweenness_push
// run:   ./betweenness_push GRAPH --sources NODE,NODE,... [--undirected] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_opencl.hpp"

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


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns),
          in_row_offsets(device, graph.in_row_offsets),
          in_columns(device, graph.in_columns) {}
};

// betweenness_push.sp:2 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(
    Device &device,
    Graph &graph,
    Buffer<double> &bc,
    Buffer<unsigned char> &sources
) {
    Buffer<double> sigma(device, graph.num_nodes);
    Buffer<double> delta(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<int> goes_on_result(device);
    bc.fill(0.0);
    // betweenness_push.sp:4 for (src in sources)
    for (const int src : sources.members()) {
        sigma.fill(0.0);
        delta.fill(0.0);
        sigma.write(src, 1.0);
        // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            bfs_level_order.write(0, src);
            bfs_level_count.write(0, 1);
            int bfs_level_begin = 0;
            int bfs_level_end = 1;
            bfs_level_starts.write(0, 0);
            int depth = 0;
            bool found = false;
            const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            do {
                if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                    device.launch_group(
                        "betweenness_few", graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order,
                        bfs_level, bfs_level_count, sigma, bfs_level_starts, found, bfs_level_end, bfs_level_begin,
                        few, depth, depth_result, bfs_level_begin_result, bfs_level_end_result, found_result
                    );
                    depth = depth_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    found = found_result.read();
                } else {
                    bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
                    if (bfs_level_end - bfs_level_begin > 4096 && !pulls && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                        float active_arcs = 0.0f;
                        active_arcs_result.set(0.0f);
                        device.launch(
                            "arcs_of_bfs_level_order", bfs_level_end - bfs_level_begin, graph.row_offsets,
                            bfs_level_order, bfs_level_begin, bfs_level_end, active_arcs_result
                        );
                        active_arcs += active_arcs_result.read();
                        pulls = active_arcs > (float)(graph.num_arcs / 8LL);
                    }
                    if (pulls) {
                        device.launch(
                            "betweenness_min_bfs_level_pull", graph.num_nodes, graph.num_nodes, graph.in_row_offsets,
                            graph.in_columns, bfs_level, bfs_level_count, bfs_level_order, depth
                        );
                    } else {
                        device.launch(
                            "betweenness_min_bfs_level", device.busy(bfs_level_end - bfs_level_begin),
                            graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                            bfs_level_begin, bfs_level_end, depth
                        );
                    }
                    device.launch(
                        "betweenness_add_sigma", device.busy(bfs_level_end - bfs_level_begin), graph.row_offsets,
                        graph.columns, bfs_level_order, bfs_level, sigma, bfs_level_begin, bfs_level_end, depth
                    );
                    depth += 1;
                    bfs_level_begin = bfs_level_end;
                    bfs_level_end = bfs_level_count.read(0);
                    bfs_level_starts.write(depth, bfs_level_begin);
                    found = bfs_level_begin < bfs_level_end;
                }
            } while (found);
            bfs_level_begin = bfs_level_starts.read(depth);
            const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            bool goes_on = depth > 0;
            if (goes_on) {
                depth -= 1;
                bfs_level_end = bfs_level_begin;
                bfs_level_begin = bfs_level_starts.read(depth);
            }
            while (goes_on) {
                if (bfs_level_end - bfs_level_begin < few_2) {
                    device.launch_group(
                        "betweenness_few_2", graph.row_offsets, graph.columns, bfs_level_order, delta, bfs_level,
                        sigma, bc, bfs_level_starts, goes_on, bfs_level_end, bfs_level_begin, few_2, src, depth,
                        goes_on_result, depth_result, bfs_level_end_result, bfs_level_begin_result
                    );
                    goes_on = goes_on_result.read();
                    depth = depth_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                } else {
                    device.launch(
                        "betweenness_add_delta", device.busy(bfs_level_end - bfs_level_begin), graph.num_nodes,
                        graph.row_offsets, graph.columns, bfs_level_order, delta, bfs_level, sigma, bc,
                        bfs_level_begin, bfs_level_end, src, depth
                    );
                    goes_on = depth > 0;
                    if (goes_on) {
                        depth -= 1;
                        bfs_level_end = bfs_level_begin;
                        bfs_level_begin = bfs_level_starts.read(depth);
                    }
                }
            }
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: betweenness_push GRAPH --sources NODE,NODE,... [--undirected] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --sources     nodes, as the file calls them; @FILE names a file that lists them\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"sources", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        Stopwatch stopwatch;
        const HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Device device(arguments.number<std::size_t>("device", 0), text_beside(argv[0], "betweenness_push.cl"));
        const double compile = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<double> bc(device, graph.num_nodes);
        Buffer<unsigned char> sources(device, host.marked_nodes(arguments.numbers("sources")));
        device.finish();
        const double upload = stopwatch.seconds();
        betweenness(device, graph, bc, sources);
        device.finish();
        const double run = stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        summarise("bc", bc.download());
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
