#ifndef STARPLAT_RESULTS_HPP
#define STARPLAT_RESULTS_HPP
// What comes of a run: a summary and, where it is wanted, a file with the ids of the graph's file: NumPy's .npz, or
// .csv. Needs C++17.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "starplat_arguments.hpp"
#include "starplat_graph.hpp"

namespace starplat {

// Prints how many values there are, and of those that are not infinite how many, their sum, least and greatest.
template <class T>
void summarise(const char *name, const std::vector<T> &cells) {
    using Total = std::conditional_t<std::is_floating_point_v<T>, double, long long>;
    Total sum = 0, least = 0, greatest = 0;
    std::size_t finite = 0;
    for (const T cell : cells) {
        const Total value = cell;
        if (!std::is_same_v<T, unsigned char> && value == static_cast<Total>(std::numeric_limits<T>::max())) continue;
        if (std::is_floating_point_v<T> && !std::isfinite(static_cast<double>(value))) continue;
        least = finite == 0 ? value : std::min(least, value);
        greatest = finite == 0 ? value : std::max(greatest, value);
        sum += value;
        finite++;
    }
    std::cout << name << ": count " << cells.size() << ", finite " << finite;
    if (finite > 0) std::cout << ", sum " << sum << ", min " << least << ", max " << greatest;
    std::cout << "\n";
}

// What stands before the place of the first cell that is no finite number, and that place; -1 if there is none.
// INF is a number like others where the program itself `writes_infinity`.
template <class T>
std::pair<std::string, std::ptrdiff_t> first_odd(const char *name, const std::vector<T> &cells, bool writes_infinity) {
    const auto is_odd = [=](T value) { return std::isnan(value) || (std::isinf(value) && !writes_infinity); };
    const auto first = std::find_if(cells.begin(), cells.end(), is_odd);
    if (first == cells.end()) return {"", -1};
    std::ostringstream words;
    words << "warning: " << name << ": " << std::count_if(first, cells.end(), is_odd) << " of " << cells.size()
          << " values are no finite numbers, the first of them " << *first << " at ";
    return {words.str(), first - cells.begin()};
}

// What is doubtful in a property of nodes, in a line: how many values are no finite numbers, and the first. Or nothing.
template <class T, class Nodes>
std::string doubts_of_nodes(
    const char *name, const std::vector<T> &cells, const Nodes &graph, bool writes_infinity = false
) {
    const auto [words, node] = first_odd(name, cells, writes_infinity);
    return node < 0 ? "" : words + "node " + std::to_string(graph.original_id(static_cast<int>(node))) + "\n";
}

// The same of arcs.
template <class T>
std::string doubts_of_arcs(const char *name, const std::vector<T> &cells, bool writes_infinity = false) {
    const auto [words, arc] = first_odd(name, cells, writes_infinity);
    return arc < 0 ? "" : words + "arc " + std::to_string(arc) + "\n";
}

// The same of what a function returned.
template <class T>
std::string doubts_of_returned(const char *name, T value, bool writes_infinity = false) {
    if (first_odd(name, std::vector<T>{value}, writes_infinity).second < 0) return "";
    std::ostringstream words;
    words << "warning: what " << name << " returned is no finite number: " << value << "\n";
    return words.str();
}

// The cells of nodes, after a warning on stderr if any is no finite number.
template <class T, class Nodes>
std::vector<T> watched(const char *name, std::vector<T> cells, const Nodes &graph, bool writes_infinity = false) {
    std::cerr << doubts_of_nodes(name, cells, graph, writes_infinity);
    return cells;
}

// The same of arcs.
template <class T>
std::vector<T> watched_arcs(const char *name, std::vector<T> cells, bool writes_infinity = false) {
    std::cerr << doubts_of_arcs(name, cells, writes_infinity);
    return cells;
}

// The same of what a function returned.
template <class T>
T watched_returned(const char *name, T value, bool writes_infinity = false) {
    std::cerr << doubts_of_returned(name, value, writes_infinity);
    return value;
}

// The same of a list that it returned.
template <class T>
std::vector<T> watched_returned(const char *name, std::vector<T> items, bool writes_infinity = false) {
    const auto [words, place] = first_odd(name, items, writes_infinity);
    if (place >= 0) std::cerr << words << "place " << place << " of what it returned\n";
    return items;
}

// A named array of a file; what was returned is an array of no dimension.
struct ResultColumn {
    std::string name;
    std::string type;  // as NumPy says it
    std::size_t count = 0;
    bool has_dimension = true;
    std::vector<char> bytes;

    template <class T>
    static ResultColumn of(std::string name, const std::vector<T> &cells) {
        ResultColumn column{std::move(name), type_of<T>(), cells.size(), true, {}};
        const char *const first = reinterpret_cast<const char *>(cells.data());
        column.bytes.assign(first, first + cells.size() * sizeof(T));
        return column;
    }

    // Prints a cell as text from which the same value is read.
    void print(std::ostream &out, std::size_t place) const {
        if (type == "|b1") out << (cell<unsigned char>(place) != 0 ? "true" : "false");
        if (type == "<i4") out << cell<std::int32_t>(place);
        if (type == "<i8") out << cell<std::int64_t>(place);
        if (type == "<f4") print_real(out, cell<float>(place));
        if (type == "<f8") print_real(out, cell<double>(place));
    }

private:
    template <class T>
    static const char *type_of() {
        if constexpr (std::is_same_v<T, float>) return "<f4";
        if constexpr (std::is_same_v<T, double>) return "<f8";
        if constexpr (std::is_same_v<T, unsigned char>) return "|b1";
        static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8);
        return sizeof(T) == 4 ? "<i4" : "<i8";
    }

    template <class T>
    T cell(std::size_t place) const {
        T value;
        std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
        return value;
    }

    template <class Real>
    static void print_real(std::ostream &out, Real value) {
        out.precision(std::numeric_limits<Real>::max_digits10);
        out << value;
    }
};

// A zip archive of arrays as NumPy saves them, uncompressed, with sizes of 64 bits.
class NpzWriter {
public:
    explicit NpzWriter(std::ostream &to) : out(to) {}

    void add(const ResultColumn &column) {
        const std::string head = head_of(column), name = column.name + ".npy";
        Entry entry{name, written, head.size() + column.bytes.size(), 0};
        entry.checksum = ~checksum(checksum(~0u, head.data(), head.size()), column.bytes.data(), column.bytes.size());
        std::string record;
        number(record, 0x04034b50, 4);
        common(record, entry, 20, false);
        number(record, 1, 2);  // sizes of 64 bits follow
        number(record, 16, 2);
        number(record, entry.size, 8);
        number(record, entry.size, 8);
        put(record);
        put(head);
        put(column.bytes);
        entries.push_back(entry);
    }

    // The list of what is in the archive ends it.
    void finish() {
        const std::uint64_t start = written;
        for (const Entry &entry : entries) {
            std::string record;
            number(record, 0x02014b50, 4);
            number(record, 45, 2);  // made by version 4.5, which has sizes of 64 bits
            common(record, entry, 28, true);
            number(record, 1, 2);
            number(record, 24, 2);
            number(record, entry.size, 8);
            number(record, entry.size, 8);
            number(record, entry.start, 8);
            put(record);
        }
        const std::uint64_t size = written - start, end = written;
        std::string record;
        number(record, 0x06064b50, 4);
        number(record, 44, 8);  // bytes of this record that follow
        number(record, 45, 2);
        number(record, 45, 2);
        number(record, 0, 8);  // disks
        number(record, entries.size(), 8);
        number(record, entries.size(), 8);
        number(record, size, 8);
        number(record, start, 8);
        number(record, 0x07064b50, 4);  // where that record is
        number(record, 0, 4);
        number(record, end, 8);
        number(record, 1, 4);
        number(record, 0x06054b50, 4);  // the end, whose numbers are in that record
        number(record, 0, 4);
        number(record, ~0u, 4);
        number(record, ~0u, 4);
        number(record, ~0u, 4);
        number(record, 0, 2);
        put(record);
    }

private:
    struct Entry {
        std::string name;
        std::uint64_t start, size;
        std::uint32_t checksum;
    };

    std::ostream &out;
    std::uint64_t written = 0;
    std::vector<Entry> entries;

    template <class Bytes>
    void put(const Bytes &bytes) {
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        written += bytes.size();
    }

    static void number(std::string &record, std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; i++) record += static_cast<char>(value >> 8 * i);
    }

    // What the records of an entry, before its bytes and in the list, have in common.
    static void common(std::string &record, const Entry &entry, int extra, bool is_listed) {
        number(record, 45, 2);
        number(record, 0x0800, 2);  // the name is UTF-8
        number(record, 0, 2);       // as it is, not compressed
        number(record, 0x00210000, 4);  // 1 January 1980, so that the same results are the same bytes
        number(record, entry.checksum, 4);
        number(record, ~0u, 4);
        number(record, ~0u, 4);
        number(record, entry.name.size(), 2);
        number(record, extra, 2);
        if (is_listed) {  // no comment, the first disk, no attributes; where the entry starts is an extra number
            number(record, 0, 8);
            number(record, 0, 2);
            number(record, ~0u, 4);
        }
        record += entry.name;
    }

    // What stands before an array's bytes: a multiple of 64 bytes.
    static std::string head_of(const ResultColumn &column) {
        const std::string shape = column.has_dimension ? "(" + std::to_string(column.count) + ",)" : "()";
        std::string text = "{'descr': '" + column.type + "', 'fortran_order': False, 'shape': " + shape + ", }";
        text += std::string(63 - (10 + text.size()) % 64, ' ') + "\n";
        std::string head = "\x93NUMPY";
        number(head, 1, 2);  // the version, 1.0
        number(head, text.size(), 2);
        return head + text;
    }

    // The CRC-32 of ISO 3309, to be begun with all bits set and to be turned round at the end.
    static std::uint32_t checksum(std::uint32_t sum, const char *bytes, std::size_t size) {
        static const std::array<std::uint32_t, 256> table = [] {
            std::array<std::uint32_t, 256> sums{};
            for (std::uint32_t byte = 0; byte < 256; byte++) {
                sums[byte] = byte;
                for (int bit = 0; bit < 8; bit++) sums[byte] = sums[byte] >> 1 ^ (sums[byte] & 1 ? 0xEDB88320 : 0);
            }
            return sums;
        }();
        for (std::size_t i = 0; i < size; i++) {
            sum = sum >> 8 ^ table[(sum ^ static_cast<unsigned char>(bytes[i])) & 255];
        }
        return sum;
    }
};

// What a run found. Prints a summary and, where a file is wanted, keeps it; `write` writes it whole or not at all.
class Results {
public:
    // The name of the file, or none.
    explicit Results(const std::string &file) : path(file) {
        const std::string ending = path.substr(std::min(path.size(), path.find_last_of('.')));
        if (!path.empty() && ending != ".npz" && ending != ".csv") {
            throw UsageError("results are written as .npz or .csv, not '" + path + "'");
        }
        is_table = ending == ".csv";
        if (!path.empty()) require_room_for(path);
    }

    template <class T>
    void add_of_nodes(const char *name, const std::vector<T> &cells) {
        summarise(name, cells);
        if (!path.empty()) nodes.push_back(ResultColumn::of(name, cells));
    }

    template <class T>
    void add_of_arcs(const char *name, const std::vector<T> &cells) {
        summarise(name, cells);
        if (!path.empty()) arcs.push_back(ResultColumn::of(name, cells));
    }

    template <class T>
    void add_returned(T value) {
        std::cout << "returned " << value << "\n";
        using Cell = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
        returned.push_back(ResultColumn::of("returned", std::vector<Cell>{static_cast<Cell>(value)}));
        returned.back().has_dimension = false;
    }

    // A list: the first elements are printed, all are kept.
    template <class T>
    void add_returned(const std::vector<T> &items) {
        const std::size_t most = 20;
        std::cout << "returned [";
        for (std::size_t i = 0; i < std::min(items.size(), most); i++) std::cout << (i > 0 ? ", " : "") << +items[i];
        if (items.size() > most) std::cout << ", ...], " << items.size() << " elements\n";
        else std::cout << "]\n";
        returned.push_back(ResultColumn::of("returned", items));
    }

    void write(const HostGraph &graph) {
        if (path.empty()) return;
        std::vector<long long> ids(graph.num_nodes);
        for (int v = 0; v < graph.num_nodes; v++) ids[v] = graph.original_id(v);
        nodes.insert(nodes.begin(), ResultColumn::of(free_name("id", nodes), ids));
        if (!arcs.empty()) add_ends(graph);
        if (is_table) {
            write_table(path, nodes);
            if (!arcs.empty()) write_table(path.substr(0, path.size() - 4) + ".edges.csv", arcs);
        } else {
            write_archive();
        }
    }

private:
    std::string path;
    bool is_table = false;
    std::vector<ResultColumn> nodes, arcs, returned;

    // Refuses, before anything runs, a file that cannot be written.
    static void require_room_for(const std::string &file) {
        const std::string partial = file + ".partial";
        if (!std::ofstream(partial)) {
            throw std::runtime_error(file + ": cannot be written: " + std::strerror(errno));
        }
        std::remove(partial.c_str());
    }

    // The name, with underscores until no column is called so.
    static std::string free_name(std::string name, const std::vector<ResultColumn> &columns) {
        const auto is_it = [&](const ResultColumn &column) { return column.name == name; };
        while (std::any_of(columns.begin(), columns.end(), is_it)) name += "_";
        return name;
    }

    // The ids of both ends of every arc come before its properties.
    void add_ends(const HostGraph &graph) {
        std::vector<long long> sources(graph.num_arcs), destinations(graph.num_arcs);
        for (int v = 0; v < graph.num_nodes; v++) {
            const auto first = sources.begin() + graph.row_offsets[v], end = sources.begin() + graph.row_offsets[v + 1];
            std::fill(first, end, graph.original_id(v));
        }
        for (arc_t e = 0; e < graph.num_arcs; e++) destinations[e] = graph.original_id(graph.columns[e]);
        arcs.insert(arcs.begin(), ResultColumn::of(free_name("source", arcs), sources));
        arcs.insert(arcs.begin() + 1, ResultColumn::of(free_name("destination", arcs), destinations));
    }

    void write_archive() {
        std::vector<ResultColumn> all = std::move(arcs);
        std::move(nodes.begin(), nodes.end(), std::back_inserter(all));
        for (ResultColumn &one : returned) one.name = free_name(one.name, all);
        std::move(returned.begin(), returned.end(), std::back_inserter(all));
        replace(path, [&](std::ostream &out) {
            NpzWriter archive(out);
            for (const ResultColumn &column : all) archive.add(column);
            archive.finish();
        });
    }

    static void write_table(const std::string &file, const std::vector<ResultColumn> &columns) {
        replace(file, [&](std::ostream &out) {
            for (std::size_t i = 0; i < columns.size(); i++) out << (i > 0 ? "," : "") << columns[i].name;
            for (std::size_t row = 0; row < columns[0].count; row++) {
                for (std::size_t i = 0; i < columns.size(); i++) {
                    out << (i > 0 ? ',' : '\n');
                    columns[i].print(out, row);
                }
            }
            out << "\n";
        });
    }

    // Writes beside the file, and puts it in its place when all went well.
    template <class Write>
    static void replace(const std::string &file, Write write) {
        const std::string partial = file + ".partial";
        std::ofstream out(partial, std::ios::binary);
        write(out);
        out.close();
        if (!out || std::rename(partial.c_str(), file.c_str()) != 0) {
            std::remove(partial.c_str());
            throw std::runtime_error(file + ": cannot be written");
        }
    }
};

}  // namespace starplat

#endif
