// sssp_two_flags.sp as a program of its own, in C++ with OpenMP. OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp sssp_two_flags.cpp -o sssp_two_flags
// run:   ./sssp_two_flags GRAPH --src NODE [--undirected] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

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

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma omp atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) {
            int place;
            #pragma omp atomic capture
            { place = *size; *size += 1; }
            list[place] = node;
        }
    }
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_min_dist(
    const arc_t *__restrict__ row_offsets,
    const int *__restrict__ columns,
    const int *__restrict__ modified_list,
    int *modified_bits,
    int *dist,
    const int *__restrict__ weight,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int *modified_later_bits,
    int *modified_later_list,
    int *modified_later_size,
    int modified_count,
    int limit
) {
    #pragma omp parallel for schedule(dynamic, 64) if(modified_count > 1000)
    for (int place = 0; place < modified_count; place++) {
        const int v = modified_list[place];
        modified_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// one weight for each node, whose mean says how far apart near and far are
extern "C" void sample_weight(
    int num_nodes,
    arc_t num_arcs,
    const int *__restrict__ weight,
    double *weight_total
) {
    double weight_total_part = 0.0;
    #pragma omp parallel for schedule(static) reduction(+ : weight_total_part)
    for (int node = 0; node < num_nodes; node++) {
        if ((arc_t)node < num_arcs) {
            weight_total_part += (double)weight[(arc_t)node * larger_long(num_arcs / (arc_t)num_nodes, (arc_t)1)];
        }
    }
    *weight_total = weight_total_part;
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
// those who wait: who is near now comes next, who has had his turn meanwhile is done
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_min_dist_later(
    const int *__restrict__ modified_later_list,
    int *modified_later_bits,
    const int *__restrict__ dist,
    int *modified_bits,
    int *modified_list,
    int *modified_size,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int modified_later_count,
    int settled,
    int limit
) {
    #pragma omp parallel for schedule(dynamic, 64) if(modified_later_count > 1000)
    for (int place = 0; place < modified_later_count; place++) {
        const int node_2 = modified_later_list[place];
        modified_later_bits[node_2 / 32] = 0;
        const int value = dist[node_2];
        if (value >= settled) {
            if (value < limit) {
                enlist(node_2, modified_bits, modified_list, modified_size);
            } else {
                enlist(node_2, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
            }
        }
    }
}

extern "C" void modified_list_first(
    int *modified_bits,
    int *modified_list,
    int *modified_size,
    int src
) {
    enlist(src, modified_bits, modified_list, modified_size);
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_min_dist_of_many(
    int num_nodes,
    const arc_t *__restrict__ row_offsets,
    const int *__restrict__ columns,
    const int *__restrict__ modified_bits,
    int *dist,
    const int *__restrict__ weight,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int *modified_later_bits,
    int *modified_later_list,
    int *modified_later_size,
    int limit
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_min_dist_later_of_many(
    int num_nodes,
    const int *__restrict__ modified_later_bits,
    const int *__restrict__ dist,
    int *modified_bits,
    int *modified_list,
    int *modified_size,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int settled,
    int limit
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int node_2 = 0; node_2 < num_nodes; node_2++) {
        if ((modified_later_bits[node_2 / 32] & (1 << (node_2 % 32))) == 0) continue;
        const int value = dist[node_2];
        if (value >= settled) {
            if (value < limit) {
                enlist(node_2, modified_bits, modified_list, modified_size);
            } else {
                enlist(node_2, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
            }
        }
    }
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_few(
    int num_nodes,
    const arc_t *__restrict__ row_offsets,
    const int *__restrict__ columns,
    int *modified_list,
    int *modified_bits,
    int *dist,
    const int *__restrict__ weight,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int *modified_later_bits,
    int *modified_later_list,
    int *modified_later_size,
    int *modified_size,
    bool finished,
    int modified_count,
    int few,
    int limit,
    bool turned,
    int *modified_count_outcome,
    int *finished_outcome,
    int *turned_outcome
) {
    do {
        {
            // sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
            #line 10 "sssp_two_flags.sp"
            for (int place = 0; place < modified_count; place++) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                        if (candidate < limit) {
                            enlist(nbr, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
                        } else {
                            enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                        }
                    }
                }
            }
        }
        *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_nxt_bits; modified_nxt_bits = other; }
        { auto *other = modified_list; modified_list = modified_nxt_list; modified_nxt_list = other; }
        { auto *other = modified_size; modified_size = modified_nxt_size; modified_nxt_size = other; }
        modified_count = *modified_size;
        finished = modified_count == 0;
        turned = !turned;
    } while (!finished && (modified_count < few && modified_count <= num_nodes / 8));
    *modified_count_outcome = modified_count;
    *finished_outcome = finished;
    *turned_outcome = turned;
}

// sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
#line 10 "sssp_two_flags.sp"
extern "C" void sssp_few_2(
    int num_nodes,
    int *modified_later_list,
    int *modified_later_bits,
    const int *__restrict__ dist,
    int *modified_bits,
    int *modified_list,
    int *modified_size,
    int *modified_nxt_bits,
    int *modified_nxt_list,
    int *modified_nxt_size,
    int *modified_later_size,
    bool nobody_near,
    bool nobody_waits,
    int modified_later_count,
    int few_2,
    int limit,
    int rise,
    int settled,
    int modified_count,
    bool turned_2,
    int *settled_outcome,
    int *limit_outcome,
    int *rise_outcome,
    int *modified_count_outcome,
    int *nobody_near_outcome,
    int *modified_later_count_outcome,
    int *nobody_waits_outcome,
    int *turned_2_outcome
) {
    do {
        settled = limit;
        limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
        rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
        {
            // sssp_two_flags.sp:10 forall (v in g.nodes().filter(modified == True))
            // those who wait: who is near now comes next, who has had his turn meanwhile is done
            #line 10 "sssp_two_flags.sp"
            for (int place = 0; place < modified_later_count; place++) {
                const int node_2 = modified_later_list[place];
                modified_later_bits[node_2 / 32] = 0;
                const int value = dist[node_2];
                if (value >= settled) {
                    if (value < limit) {
                        enlist(node_2, modified_bits, modified_list, modified_size);
                    } else {
                        enlist(node_2, modified_nxt_bits, modified_nxt_list, modified_nxt_size);
                    }
                }
            }
        }
        *modified_later_size = 0;
        { auto *other = modified_later_bits; modified_later_bits = modified_nxt_bits; modified_nxt_bits = other; }
        { auto *other = modified_later_list; modified_later_list = modified_nxt_list; modified_nxt_list = other; }
        { auto *other = modified_later_size; modified_later_size = modified_nxt_size; modified_nxt_size = other; }
        modified_count = *modified_size;
        nobody_near = modified_count == 0;
        modified_later_count = *modified_later_size;
        nobody_waits = modified_later_count == 0;
        turned_2 = !turned_2;
    } while (nobody_near && !nobody_waits && (modified_later_count < few_2 && modified_later_count <= num_nodes / 8));
    *settled_outcome = settled;
    *limit_outcome = limit;
    *rise_outcome = rise;
    *modified_count_outcome = modified_count;
    *nobody_near_outcome = nobody_near;
    *modified_later_count_outcome = modified_later_count;
    *nobody_waits_outcome = nobody_waits;
    *turned_2_outcome = turned_2;
}

}  // namespace kernels
#line 613 "sssp_two_flags.cpp"

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
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_nxt_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_nxt_list(device, graph.num_nodes);
    Buffer<int> modified_nxt_size(device, 1);
    Buffer<int> modified_later_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_later_list(device, graph.num_nodes);
    Buffer<int> modified_later_size(device, 1);
    Word<double> weight_total_result(device);
    Word<int> modified_count_result(device);
    Word<int> finished_result(device);
    Word<int> turned_result(device);
    Word<int> settled_result(device);
    Word<int> limit_result(device);
    Word<int> rise_result(device);
    Word<int> nobody_near_result(device);
    Word<int> modified_later_count_result(device);
    Word<int> nobody_waits_result(device);
    Word<int> turned_2_result(device);
    int modified_count = 0;
    int modified_later_count = 0;
    dist.fill(INT_MAX);
    modified_bits.fill(0);
    modified_size.fill(0);
    modified_nxt_bits.fill(0);
    modified_nxt_size.fill(0);
    dist.write(src, 0);
    check_place(src, graph.num_nodes);
    kernels::modified_list_first(modified_bits, modified_list, modified_size, src);
    bool finished = false;
    // sssp_two_flags.sp:9 fixedPoint until (finished : !modified)
    double weight_total = 0.0;
    weight_total_result.set(0.0);
    kernels::sample_weight(graph.num_nodes, graph.num_arcs, weight, weight_total_result);
    weight_total += weight_total_result.read();
    const double mean_weight = weight_total / std::fmin((double)graph.num_nodes, (double)graph.num_arcs);
    const double mean_degree = (double)graph.num_arcs / (double)graph.num_nodes;
    const int width = saturated<int>(std::fmax(96.0 * mean_weight / mean_degree, 1.0));
    modified_later_bits.fill(0);
    modified_later_size.fill(0);
    int limit = width;
    int rise = width;
    int settled = width;
    bool nobody_near = true;
    bool nobody_waits = true;
    do {
        modified_count = modified_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_count < few && modified_count <= graph.num_nodes / 8) {
                bool turned = false;
                kernels::sssp_few(
                    graph.num_nodes, graph.row_offsets, graph.columns, modified_list, modified_bits, dist,
                    weight, modified_nxt_bits, modified_nxt_list, modified_nxt_size, modified_later_bits,
                    modified_later_list, modified_later_size, modified_size, finished, modified_count, few,
                    limit, turned, modified_count_result, finished_result, turned_result
                );
                modified_count = modified_count_result.read();
                finished = finished_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_bits, modified_nxt_bits);
                    std::swap(modified_list, modified_nxt_list);
                    std::swap(modified_size, modified_nxt_size);
                }
            } else {
                if (modified_count > graph.num_nodes / 8) {
                    kernels::sssp_min_dist_of_many(
                        graph.num_nodes, graph.row_offsets, graph.columns, modified_bits, dist, weight,
                        modified_nxt_bits, modified_nxt_list, modified_nxt_size, modified_later_bits,
                        modified_later_list, modified_later_size, limit
                    );
                    modified_bits.fill(0);
                } else {
                    kernels::sssp_min_dist(
                        graph.row_offsets, graph.columns, modified_list, modified_bits, dist, weight,
                        modified_nxt_bits, modified_nxt_list, modified_nxt_size, modified_later_bits,
                        modified_later_list, modified_later_size, modified_count, limit
                    );
                }
                modified_size.fill(0);
                std::swap(modified_bits, modified_nxt_bits);
                std::swap(modified_list, modified_nxt_list);
                std::swap(modified_size, modified_nxt_size);
                modified_count = modified_size.read(0);
                finished = modified_count == 0;
            }
        } while (!finished);
        rise = width;
        modified_later_count = modified_later_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_later_count < few_2 && modified_later_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                kernels::sssp_few_2(
                    graph.num_nodes, modified_later_list, modified_later_bits, dist, modified_bits,
                    modified_list, modified_size, modified_nxt_bits, modified_nxt_list, modified_nxt_size,
                    modified_later_size, nobody_near, nobody_waits, modified_later_count, few_2, limit, rise,
                    settled, modified_count, turned_2, settled_result, limit_result, rise_result,
                    modified_count_result, nobody_near_result, modified_later_count_result, nobody_waits_result,
                    turned_2_result
                );
                settled = settled_result.read();
                limit = limit_result.read();
                rise = rise_result.read();
                modified_count = modified_count_result.read();
                nobody_near = nobody_near_result.read();
                modified_later_count = modified_later_count_result.read();
                nobody_waits = nobody_waits_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_later_bits, modified_nxt_bits);
                    std::swap(modified_later_list, modified_nxt_list);
                    std::swap(modified_later_size, modified_nxt_size);
                }
            } else {
                settled = limit;
                limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
                rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
                if (modified_later_count > graph.num_nodes / 8) {
                    kernels::sssp_min_dist_later_of_many(
                        graph.num_nodes, modified_later_bits, dist, modified_bits, modified_list, modified_size,
                        modified_nxt_bits, modified_nxt_list, modified_nxt_size, settled, limit
                    );
                    modified_later_bits.fill(0);
                } else {
                    kernels::sssp_min_dist_later(
                        modified_later_list, modified_later_bits, dist, modified_bits, modified_list, modified_size,
                        modified_nxt_bits, modified_nxt_list, modified_nxt_size, modified_later_count, settled,
                        limit
                    );
                }
                modified_later_size.fill(0);
                std::swap(modified_later_bits, modified_nxt_bits);
                std::swap(modified_later_list, modified_nxt_list);
                std::swap(modified_later_size, modified_nxt_size);
                modified_count = modified_size.read(0);
                nobody_near = modified_count == 0;
                modified_later_count = modified_later_size.read(0);
                nobody_waits = modified_later_count == 0;
            }
        } while (nobody_near && !nobody_waits);
        finished = nobody_near;
    } while (!finished);
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
        sssp(device, graph, dist, weight, src);
        device.finish();
        const double run = stopwatch.seconds();
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
