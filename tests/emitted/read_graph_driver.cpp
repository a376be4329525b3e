// Says what the reader of emitted programs makes of graph files: tests hold its answers against Python's reader.
//
// Every line of the input names a file, behind "+" if its graph is to be undirected. The answer is a line: "refused" and
// the reason, or the numbers of nodes and arcs and hashes of row offsets, columns, ids, and of the weights as int, long,
// float and double ("unfit" where they do not fit).
#include <cstdint>
#include <cstring>
#include <iostream>

#include "starplat_read_graph.hpp"

using namespace starplat;

static std::uint64_t bits(long long value) { return static_cast<std::uint64_t>(value); }

static std::uint64_t bits(double value) {
    value += 0.0;  // -0 is 0
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, &value, sizeof pattern);
    return pattern;
}

// The sum over all places of a factor for the place times the mixed value.
template <class Value, class ValueOf>
static std::uint64_t hash(std::size_t count, ValueOf value_of) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; i++) {
        const std::uint64_t product = bits(static_cast<Value>(value_of(i))) * 0x9E3779B97F4A7C15u;
        sum += (2 * i + 1) * (product ^ (product >> 29));
    }
    return sum;
}

template <class Weight>
static void print_weights(const std::string &path, bool undirected) {
    using Value = std::conditional_t<std::is_floating_point_v<Weight>, double, long long>;
    try {
        const WeightedGraph<Weight> graph = read_weighted_graph<Weight>(path, undirected);
        std::cout << " " << hash<Value>(graph.weights.size(), [&](std::size_t e) { return graph.weights[e]; });
    } catch (const std::runtime_error &) {
        std::cout << " unfit";
    }
}

static void print_graph(const std::string &path, bool undirected) {
    HostGraph graph = read_graph(path, undirected);
    graph.add_in_arcs();
    const auto cells = [](const auto &array) {
        return hash<long long>(array.size(), [&](std::size_t i) { return array[i]; });
    };
    std::cout << "graph " << graph.num_nodes << " " << graph.num_arcs << " " << cells(graph.row_offsets) << " "
              << cells(graph.columns) << " "
              << hash<long long>(graph.num_nodes, [&](std::size_t v) { return graph.original_id(static_cast<int>(v)); })
              << " " << cells(graph.in_row_offsets) << " " << cells(graph.in_columns) << " " << cells(graph.in_arcs);
    for (int v = 0; v < graph.num_nodes; v++) {
        if (graph.node(graph.original_id(v)) != v) throw std::logic_error("a node is not found by its id");
    }
    print_weights<int>(path, undirected);
    print_weights<long long>(path, undirected);
    print_weights<float>(path, undirected);
    print_weights<double>(path, undirected);
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const bool undirected = line[0] == '+';
        try {
            print_graph(line.substr(1), undirected);
        } catch (const std::runtime_error &error) {
            std::cout << "refused " << error.what();
        } catch (const std::bad_alloc &) {
            std::cout << "refused no memory";
        }
        std::cout << std::endl;
    }
}
