#ifndef STARPLAT_GRAPH_HPP
#define STARPLAT_GRAPH_HPP
// A graph on the host: compressed rows of arcs, and what its file calls the nodes. Needs C++17.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starplat {

// An arc's number: build with -DARC_64 for graphs with 2^31 arcs or more.
#ifdef ARC_64
using arc_t = long long;
#else
using arc_t = int;
#endif

// Cells that do not change: a vector's, or part of a mapped file. Copies share them.
template <class T>
class Cells {
public:
    Cells() = default;

    Cells(std::vector<T> own) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(own));
        first = kept->data();
        count = kept->size();
        owner = kept;
    }

    Cells(const T *cells, std::size_t number, std::shared_ptr<const void> kept)
        : first(cells), count(number), owner(std::move(kept)) {}

    const T *data() const { return first; }
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }

    // A place that there is not is an error.
    const T &operator[](long long place) const {
        if (place < 0 || static_cast<std::size_t>(place) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(place) +
                                     " of the graph, but there are only " + std::to_string(count));
        }
        return first[place];
    }

private:
    const T *first = nullptr;
    std::size_t count = 0;
    std::shared_ptr<const void> owner;
};

// Numbers of 64 bits that are known to fit.
inline Cells<arc_t> as_arcs(const Cells<long long> &numbers) {
#ifdef ARC_64
    return numbers;
#else
    return std::vector<arc_t>(numbers.begin(), numbers.end());
#endif
}

// The places of those flags that are set.
template <class Flags>
std::vector<arc_t> places_set(const Flags &flags) {
    std::vector<arc_t> found;
    for (std::size_t i = 0; i < flags.size(); i++) {
        if (flags.data()[i]) found.push_back(static_cast<arc_t>(i));
    }
    return found;
}

// A graph in compressed rows: the arcs of node v are row_offsets[v] up to row_offsets[v + 1].
struct HostGraph {
    int num_nodes = 0;
    arc_t num_arcs = 0;
    bool directed = true;  // if not, every arc is known to have its reverse
    Cells<arc_t> row_offsets;
    Cells<int> columns;  // ascending in every row

    Cells<int> arc_sources;  // after add_sources
    Cells<arc_t> in_row_offsets;  // after add_in_neighbors: where the arcs into every node come from
    Cells<int> in_columns;
    Cells<arc_t> in_arcs;  // after add_in_arcs: and which arcs they are
    Cells<long long> in_arcs_of_file;  // the same as a file had it, which few programs use

    long long first_id = 0;    // node v is called first_id + v, or ids[v] where there are ids
    Cells<long long> ids;
    std::vector<int> by_id;    // the nodes by ascending id, where ids do not ascend

    // The node that the file calls `id`.
    int node(long long id) const {
        const int found = find_node(id);
        if (found < 0) throw std::invalid_argument("the graph has no node " + std::to_string(id));
        return found;
    }

    // The same, or -1 where there is none.
    int find_node(long long id) const { return ids.empty() ? counted_node(id) : listed_node(id); }

    // What the file calls a node; -1, no node, stays.
    long long original_id(int node) const {
        if (node < 0) return node;
        return ids.empty() ? first_id + node : ids[node];
    }

    std::vector<long long> original_ids(const std::vector<int> &nodes) const {
        std::vector<long long> named(nodes.size());
        std::transform(nodes.begin(), nodes.end(), named.begin(), [this](int node) { return original_id(node); });
        return named;
    }

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

    // The nodes of a list that the file calls so; -1, no node, stays where the file has none of that id.
    std::vector<int> listed_nodes(const std::vector<long long> &named) const {
        std::vector<int> nodes;
        for (const long long id : named) nodes.push_back(id == -1 ? find_node(id) : node(id));
        return nodes;
    }

    // The arcs of a list, by their places in the rows; -1 is none.
    std::vector<arc_t> listed_arcs(const std::vector<long long> &places) const {
        for (const long long place : places) {
            if (place < -1 || place >= num_arcs) {
                throw std::invalid_argument("the graph has no arc " + std::to_string(place));
            }
        }
        return std::vector<arc_t>(places.begin(), places.end());
    }

    // Whether each arc is known to have its reverse.
    bool is_symmetric() const { return !directed && num_arcs > 0; }

    // Whether nodes have few arcs in the mean, and none many times as many, be it that they leave or that they enter.
    bool has_even_rows(int few, int times) const {
        const double mean = num_nodes == 0 ? 0.0 : static_cast<double>(num_arcs) / num_nodes;
        if (mean > few) return false;
        std::vector<arc_t> entering(num_nodes, 0);
        for (const int destination : columns) entering[destination]++;
        for (int v = 0; v < num_nodes; v++) {
            const arc_t leaving = row_offsets.data()[v + 1] - row_offsets.data()[v];
            if (static_cast<double>(std::max(leaving, entering[v])) > times * mean) return false;
        }
        return true;
    }

    // Works out the source of every arc.
    void add_sources() {
        std::vector<int> sources(num_arcs);
        for (int v = 0; v < num_nodes; v++) {
            std::fill(sources.begin() + row_offsets[v], sources.begin() + row_offsets[v + 1], v);
        }
        arc_sources = std::move(sources);
    }

    // Work out the arcs into every node, unless the file had them.
    void add_in_neighbors() {
        if (in_row_offsets.empty()) add_incoming(false);
    }

    void add_in_arcs() {
        if (!in_row_offsets.empty() && in_arcs_of_file.size() == columns.size()) {
            in_arcs = as_arcs(in_arcs_of_file);
        } else {
            add_incoming(true);
        }
    }

    // Leaves out what was worked out of other arcs.
    void forget_arcs() {
        arc_sources = {};
        in_row_offsets = {};
        in_columns = {};
        in_arcs = {};
        in_arcs_of_file = {};
    }

private:
    void add_incoming(bool with_arcs) {
        std::vector<arc_t> offsets(static_cast<std::size_t>(num_nodes) + 1, 0), arcs(with_arcs ? num_arcs : 0);
        std::vector<int> origins(num_arcs);
        for (const int destination : columns) offsets[destination + 1]++;
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        std::vector<arc_t> next = offsets;
        for (int v = 0; v < num_nodes; v++) {
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const arc_t place = next[columns.data()[e]]++;
                origins[place] = v;
                if (with_arcs) arcs[place] = e;
            }
        }
        in_row_offsets = std::move(offsets);
        in_columns = std::move(origins);
        in_arcs = std::move(arcs);
    }

    int counted_node(long long id) const {
        if (id < first_id) return -1;
        const auto place = static_cast<unsigned long long>(id) - static_cast<unsigned long long>(first_id);
        return place < static_cast<unsigned long long>(num_nodes) ? static_cast<int>(place) : -1;
    }

    int listed_node(long long id) const {
        if (by_id.empty()) {
            const auto found = std::lower_bound(ids.begin(), ids.end(), id);
            return found != ids.end() && *found == id ? static_cast<int>(found - ids.begin()) : -1;
        }
        const auto comes_before = [this](int node, long long sought) { return ids[node] < sought; };
        const auto found = std::lower_bound(by_id.begin(), by_id.end(), id, comes_before);
        return found != by_id.end() && ids[*found] == id ? *found : -1;
    }
};

// The same with a weight for every arc.
template <class Weight>
struct WeightedGraph : HostGraph {
    Cells<Weight> weights;
};

// Refuses what the program cannot count: kernels count in steps of all threads of a launch, and need that much room.
inline void check_sizes(unsigned long long nodes, unsigned long long arcs) {
    const unsigned long long room = 16777216;
    if (nodes > std::numeric_limits<int>::max() - room) {
        throw std::runtime_error("the graph has too many nodes: " + std::to_string(nodes));
    }
    if (arcs > static_cast<unsigned long long>(std::numeric_limits<arc_t>::max()) - room) {
        throw std::runtime_error("the graph has too many arcs: build this program with -DARC_64");
    }
}

}  // namespace starplat

#endif
