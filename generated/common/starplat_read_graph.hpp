#ifndef STARPLAT_READ_GRAPH_HPP
#define STARPLAT_READ_GRAPH_HPP
// Reads a graph from a file: starplat's own .spg, which is mapped and used where it lies, or text: an edge list, a
// DIMACS .gr, a Matrix Market .mtx. Nothing that a file says is believed unchecked. Needs C++17 and POSIX.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "starplat_graph.hpp"

namespace starplat {
namespace reading {

// What is wrong with a file. What this program does not read, but starplat does, says so: "by this program".
[[noreturn]] inline void refuse(const std::string &path, const std::string &message) {
    throw std::runtime_error(path + ": " + message);
}

// Where the file lies that was mapped last, and what to say if it has become shorter since.
struct Mapping {
    const char *first = nullptr;
    std::size_t length = 0;
    std::string sentence;
};

inline Mapping &last_mapping() {
    static Mapping mapping;
    return mapping;
}

// Ends the program with a sentence where it reads bytes of the file that are gone; all else crashes as it would have.
inline void tell_of_lost_bytes(int number, siginfo_t *signal, void *) {
    const Mapping &file = last_mapping();
    const auto place = reinterpret_cast<std::uintptr_t>(signal->si_addr) - reinterpret_cast<std::uintptr_t>(file.first);
    if (signal->si_code != BUS_ADRERR || place >= file.length) {
        std::signal(number, SIG_DFL);
        return;
    }
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, file.sentence.data(), file.sentence.size());
    _exit(1);
}

inline void watch_for_lost_bytes(const std::string &path, const char *first, std::size_t length) {
    last_mapping() = {first, length, "error: " + path + ": has become shorter while this program used it\n"};
    struct sigaction action = {};
    action.sa_sigaction = tell_of_lost_bytes;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGBUS, &action, nullptr) != 0) refuse(path, std::strerror(errno));
}

// A file's bytes, mapped for as long as something uses them.
class MappedFile {
public:
    explicit MappedFile(const std::string &path) {
        struct stat status;
        if (stat(path.c_str(), &status) != 0) refuse(path, std::strerror(errno));
        if (S_ISDIR(status.st_mode)) refuse(path, "is a directory");
        if (!S_ISREG(status.st_mode)) refuse(path, "is a pipe or a device: write the graph to a file first");
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) refuse(path, std::strerror(errno));
        length = fstat(file, &status) == 0 && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
        void *mapped = length > 0 ? mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
        close(file);
        if (mapped == MAP_FAILED) refuse(path, std::strerror(errno));
        first = static_cast<const char *>(mapped);
        watch_for_lost_bytes(path, first, length);
    }

    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    ~MappedFile() {
        if (length > 0) munmap(const_cast<char *>(first), length);
    }

    const char *data() const { return first; }
    std::size_t size() const { return length; }
    std::string_view text() const { return {first, length}; }

private:
    const char *first = nullptr;
    std::size_t length = 0;
};

// Weights as a file has them.
using FileWeights = std::variant<std::monostate, Cells<int>, Cells<long long>, Cells<double>>;

// A graph as its file has it.
struct FileGraph {
    bool directed = true;
    int num_nodes = 0;
    Cells<long long> row_offsets;
    Cells<int> columns;
    FileWeights weights;
    long long first_id = 0;
    Cells<long long> ids;
    Cells<long long> in_row_offsets, in_arcs;
    Cells<int> in_columns;
};

// Refuses nodes whose offsets would take more than half of the machine's memory.
inline void require_room(const std::string &path, unsigned long long nodes) {
    const unsigned long long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    if (nodes > static_cast<unsigned long long>(std::numeric_limits<int>::max()) ||
        16 * (nodes + 1) > page * pages / 2) {
        refuse(path, std::to_string(nodes) + " nodes are too many for this machine");
    }
}

// --- Arcs in any order become rows -----------------------------------------------------------------------------------

struct NoWeight {};

inline bool operator<(NoWeight, NoWeight) { return false; }

template <class Weight>
struct FileArc {
    int source, destination;
    Weight weight;
};

template <class Weight>
bool by_ends(const FileArc<Weight> &a, const FileArc<Weight> &b) {
    return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
}

template <class Weight>
bool by_ends_and_weight(const FileArc<Weight> &a, const FileArc<Weight> &b) {
    return std::tie(a.source, a.destination, a.weight) < std::tie(b.source, b.destination, b.weight);
}

// The arcs by ascending key, which is a node; arcs with the same key stay in order.
template <class Weight>
std::vector<FileArc<Weight>> sorted_by(int FileArc<Weight>::*key, const std::vector<FileArc<Weight>> &arcs, int nodes) {
    std::vector<std::size_t> next(static_cast<std::size_t>(nodes) + 1, 0);
    for (const FileArc<Weight> &arc : arcs) next[arc.*key + 1]++;
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<FileArc<Weight>> sorted(arcs.size());
    for (const FileArc<Weight> &arc : arcs) sorted[next[arc.*key]++] = arc;
    return sorted;
}

// The arcs by source, then destination; parallel ones stay in order.
template <class Weight>
std::vector<FileArc<Weight>> sorted(std::vector<FileArc<Weight>> arcs, int nodes) {
    if (std::is_sorted(arcs.begin(), arcs.end(), by_ends<Weight>)) return arcs;
    arcs = sorted_by(&FileArc<Weight>::destination, arcs, nodes);
    return sorted_by(&FileArc<Weight>::source, arcs, nodes);
}

// The arcs of a graph that has both directions of each: an arc without its partner gets one of the same weight.
template <class Weight>
std::vector<FileArc<Weight>> closed_both_ways(std::vector<FileArc<Weight>> arcs, int nodes) {
    std::vector<FileArc<Weight>> turned = arcs, both;
    for (FileArc<Weight> &arc : turned) std::swap(arc.source, arc.destination);
    for (std::vector<FileArc<Weight>> *half : {&arcs, &turned}) {
        *half = sorted(std::move(*half), nodes);
        for (auto run = half->begin(); run != half->end();) {
            const auto end = std::find_if(run, half->end(), [&](const auto &arc) { return by_ends(*run, arc); });
            if (end - run > 1) std::sort(run, end, by_ends_and_weight<Weight>);
            run = end;
        }
    }
    both.reserve(arcs.size());
    std::set_union(arcs.begin(), arcs.end(), turned.begin(), turned.end(), std::back_inserter(both),
                   by_ends_and_weight<Weight>);
    return both;
}

// Replaces a graph's rows by those of arcs that are in order.
template <class Weight>
void set_rows(FileGraph &graph, const std::vector<FileArc<Weight>> &arcs) {
    std::vector<long long> offsets(static_cast<std::size_t>(graph.num_nodes) + 1, 0);
    std::vector<int> columns(arcs.size());
    for (std::size_t e = 0; e < arcs.size(); e++) {
        offsets[arcs[e].source + 1]++;
        columns[e] = arcs[e].destination;
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    graph.row_offsets = std::move(offsets);
    graph.columns = std::move(columns);
    if constexpr (!std::is_same_v<Weight, NoWeight>) {
        std::vector<Weight> weights(arcs.size());
        std::transform(arcs.begin(), arcs.end(), weights.begin(), [](const auto &arc) { return arc.weight; });
        graph.weights = Cells<Weight>(std::move(weights));
    }
}

// The arcs of a graph's rows; `weight_of(e)` is the weight of arc e.
template <class Weight, class WeightOf>
std::vector<FileArc<Weight>> arcs_of(const FileGraph &graph, WeightOf weight_of) {
    std::vector<FileArc<Weight>> arcs;
    arcs.reserve(graph.columns.size());
    for (int v = 0; v < graph.num_nodes; v++) {
        for (long long e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; e++) {
            arcs.push_back({v, graph.columns[e], weight_of(e)});
        }
    }
    return arcs;
}

// Calls `use` with the arcs of a graph's rows, whatever weights they have.
template <class Use>
void with_arcs(const FileGraph &graph, Use use) {
    if (const auto *ints = std::get_if<Cells<int>>(&graph.weights)) {
        use(arcs_of<int>(graph, [&](long long e) { return (*ints)[e]; }));
    } else if (const auto *longs = std::get_if<Cells<long long>>(&graph.weights)) {
        use(arcs_of<long long>(graph, [&](long long e) { return (*longs)[e]; }));
    } else if (const auto *reals = std::get_if<Cells<double>>(&graph.weights)) {
        use(arcs_of<double>(graph, [&](long long e) { return (*reals)[e]; }));
    } else {
        use(arcs_of<NoWeight>(graph, [](long long) { return NoWeight(); }));
    }
}

// Adds the other direction of every arc that lacks it; a graph that has both stays as it is.
inline void make_undirected(FileGraph &graph) {
    if (!graph.directed) return;
    graph.directed = false;
    with_arcs(graph, [&](auto arcs) {
        const std::size_t before = arcs.size();
        arcs = closed_both_ways(std::move(arcs), graph.num_nodes);
        if (arcs.size() == before) return;
        set_rows(graph, arcs);
        graph.in_row_offsets = graph.in_arcs = {};
        graph.in_columns = {};
    });
}

// --- Starplat's own format -------------------------------------------------------------------------------------------
// 8 bytes of magic, the length of a header as 64 bits, the header in JSON, and arrays at multiples of 64 bytes.

// A value of JSON. An object's members are `items`, named by `keys`.
struct Json {
    enum class Kind { other, truth, whole, text, list, object };

    Kind kind = Kind::other;
    long long whole = 0;  // of truth, 0 or 1
    std::string text;
    std::vector<std::string> keys;
    std::vector<Json> items;

    // The member of that name, the last if there are several; nullptr if there is none.
    const Json *member(const std::string &key) const {
        const auto found = std::find(keys.rbegin(), keys.rend(), key);
        return found == keys.rend() ? nullptr : &items[keys.rend() - found - 1];
    }
};

// Parses JSON in ASCII. What is wrong throws JsonParser::Error.
class JsonParser {
public:
    struct Error {};

    explicit JsonParser(std::string_view text) : at(text.data()), end(text.data() + text.size()) {}

    Json document() {
        Json value = next_value(0);
        skip_blanks();
        if (at != end) throw Error();
        return value;
    }

private:
    static constexpr int deepest = 64;

    const char *at, *end;

    void skip_blanks() {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    }

    bool take(char wanted) {
        if (at == end || *at != wanted) return false;
        at++;
        return true;
    }

    bool take(std::string_view word) {
        if (std::string_view(at, end - at).substr(0, word.size()) != word) return false;
        at += word.size();
        return true;
    }

    Json next_value(int depth) {
        Json value;
        skip_blanks();
        if (depth > deepest || at == end) throw Error();
        if (*at == '"') {
            value.kind = Json::Kind::text;
            value.text = next_text();
        } else if (take('[')) {
            value.kind = Json::Kind::list;
            next_items(value, ']', depth);
        } else if (take('{')) {
            value.kind = Json::Kind::object;
            next_items(value, '}', depth);
        } else if (take("true") || take("false")) {
            value.kind = Json::Kind::truth;
            value.whole = at[-2] == 'u';
        } else if (!take("null")) {
            next_number(value);
        }
        return value;
    }

    void next_items(Json &value, char closing, int depth) {
        skip_blanks();
        if (take(closing)) return;
        do {
            if (closing == '}') {
                skip_blanks();
                value.keys.push_back(next_text());
                skip_blanks();
                if (!take(':')) throw Error();
            }
            value.items.push_back(next_value(depth + 1));
            skip_blanks();
        } while (take(','));
        if (!take(closing)) throw Error();
    }

    // A text; escapes stay as they are, since no name that a reader asks for has any.
    std::string next_text() {
        if (!take('"')) throw Error();
        const char *const first = at;
        for (; at < end && *at != '"'; at++) {
            const auto c = static_cast<unsigned char>(*at);
            if (c < ' ' || c > '~') throw Error();
            if (*at == '\\') skip_escape();
        }
        if (at == end) throw Error();
        return std::string(first, at++);
    }

    // Stops at the last character of an escape.
    void skip_escape() {
        if (++at == end) throw Error();
        if (*at == 'u') {
            for (int digit = 0; digit < 4; digit++) {
                if (++at == end || !std::isxdigit(static_cast<unsigned char>(*at))) throw Error();
            }
        } else if (std::strchr("\"\\/bfnrt", *at) == nullptr || *at == '\0') {
            throw Error();
        }
    }

    void skip_digits() {
        if (at == end || *at < '0' || *at > '9') throw Error();
        while (at < end && *at >= '0' && *at <= '9') at++;
    }

    void next_number(Json &value) {
        const char *const first = at;
        take('-');
        if (!take('0')) skip_digits();
        const char *const whole_end = at;
        if (take('.')) skip_digits();
        if (take('e') || take('E')) {
            if (!take('-')) take('+');
            skip_digits();
        }
        if (at != whole_end || std::from_chars(first, at, value.whole).ec != std::errc()) return;
        value.kind = Json::Kind::whole;
    }
};

// An array of a file, of one of the types that a file may have.
using Column =
    std::variant<Cells<int>, Cells<long long>, Cells<unsigned long long>, Cells<double>, Cells<unsigned char>>;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error ".spg files are mapped as they are, which is little-endian"
#endif

// Reads a .spg that has been mapped.
class SpgReader {
public:
    SpgReader(const std::string &shown, std::shared_ptr<const MappedFile> mapped)
        : path(shown), file(std::move(mapped)) {}

    FileGraph graph() {
        read_header();
        FileGraph found;
        const long long version = whole("version");
        if (version != 1 && version != 2) damaged("only versions 1 and 2 are read");
        found.directed = member("directed", Json::Kind::truth).whole;
        found.first_id = whole("index_base");
        for (const char *key : {"name", "format"}) member(key, Json::Kind::text);
        member("expanded", Json::Kind::truth);
        read_rows(found);
        if (whole("nodes") != found.num_nodes || whole("arcs") != static_cast<long long>(found.columns.size())) {
            damaged("its header and its arrays are of different sizes");
        }
        read_ids(found, version);
        read_in_arcs(found);
        return found;
    }

private:
    static constexpr std::size_t alignment = 64;

    const std::string &path;
    const std::shared_ptr<const MappedFile> file;
    std::size_t start = 0;  // of the arrays
    Json header;
    std::vector<std::pair<std::string, Column>> arrays;

    [[noreturn]] void damaged(const std::string &message) const {
        refuse(path, "this .spg is damaged or of another version: " + message);
    }

    // Fills `header` and `arrays`.
    void read_header() {
        unsigned long long length = 0;
        if (file->size() < 8 + sizeof length) damaged("it is cut short");
        std::memcpy(&length, file->data() + 8, sizeof length);
        if (length > file->size() - 8 - sizeof length) damaged("it is cut short");
        start = 8 + sizeof length + length;
        if (start % alignment != 0) damaged("its arrays are not aligned");
        try {
            header = JsonParser(file->text().substr(8 + sizeof length, length)).document();
        } catch (const JsonParser::Error &) {
            damaged("its header is no JSON");
        }
        if (header.kind != Json::Kind::object) damaged("its header is no object");
        const Json &places = member("arrays", Json::Kind::object);
        for (const std::string &name : places.keys) arrays.emplace_back(name, column(*places.member(name)));
    }

    const Json &member(const char *key, Json::Kind kind) const {
        const Json *found = header.member(key);
        if (found == nullptr || found->kind != kind) damaged(std::string("its header has no proper '") + key + "'");
        return *found;
    }

    long long whole(const char *key) const { return member(key, Json::Kind::whole).whole; }

    // The array that [type, offset, count] stands for.
    Column column(const Json &place) const {
        using Kind = Json::Kind;
        if (place.kind != Kind::list || place.items.size() != 3 || place.items[0].kind != Kind::text ||
            place.items[1].kind != Kind::whole || place.items[2].kind != Kind::whole) {
            damaged("its header has an array that is none");
        }
        const std::string &type = place.items[0].text;
        const long long offset = place.items[1].whole, count = place.items[2].whole;
        if (type == "<i4") return cells<int>(offset, count);
        if (type == "<i8") return cells<long long>(offset, count);
        if (type == "<u8") return cells<unsigned long long>(offset, count);
        if (type == "<f8") return cells<double>(offset, count);
        if (type == "|u1") return cells<unsigned char>(offset, count);
        damaged("its header has an array of an unknown type");
    }

    template <class T>
    Cells<T> cells(long long offset, long long count) const {
        const std::size_t room = file->size() - start;
        if (offset < 0 || count < 0 || offset % alignment != 0) damaged("its header has an array that is none");
        const auto first = static_cast<unsigned long long>(offset), cells = static_cast<unsigned long long>(count);
        if (first > room || cells > (room - first) / sizeof(T)) damaged("it is cut short");
        return Cells<T>(reinterpret_cast<const T *>(file->data() + start + first), cells, file);
    }

    const Column *array(std::string_view name) const {
        const auto is_it = [&](const auto &one) { return one.first == name; };
        const auto found = std::find_if(arrays.begin(), arrays.end(), is_it);
        return found == arrays.end() ? nullptr : &found->second;
    }

    // The whole numbers of an array, all of which must lie in low..high.
    template <class T>
    Cells<T> wholes(const char *name, long long low, long long high) const {
        const Column *found = array(name);
        if (found == nullptr) damaged(std::string("it has no ") + name);
        return std::visit([&](const auto &cells) { return fitting<T>(name, cells, low, high); }, *found);
    }

    template <class T, class Cell>
    Cells<T> fitting(const char *name, const Cells<Cell> &cells, long long low, long long high) const {
        if constexpr (std::is_same_v<Cell, double>) {
            damaged(std::string("its ") + name + " are no whole numbers");
        } else {
            bool fit = true;
            for (const Cell cell : cells) {
                const auto value = static_cast<long long>(cell);
                fit &= value >= low && value <= high && (std::is_signed_v<Cell> || value >= 0);
            }
            if (!fit) damaged(std::string("its ") + name + " are out of range");
            if constexpr (std::is_same_v<T, Cell>) {
                return cells;
            } else {
                return std::vector<T>(cells.begin(), cells.end());
            }
        }
    }

    // Rows whose offsets ascend from 0 to the number of arcs; whether their columns ascend is told.
    bool read_rows(const char *offsets_name, const char *columns_name, Cells<long long> &offsets, Cells<int> &columns) {
        offsets = wholes<long long>(offsets_name, 0, std::numeric_limits<long long>::max());
        if (offsets.empty()) damaged("it has no row offsets");
        if (offsets.size() > std::size_t(std::numeric_limits<int>::max())) damaged("it has too many nodes");
        columns = wholes<int>(columns_name, 0, static_cast<long long>(offsets.size()) - 2);
        const long long arcs = static_cast<long long>(columns.size()), *const rows = offsets.data();
        if (rows[0] != 0 || rows[offsets.size() - 1] != arcs || !std::is_sorted(offsets.begin(), offsets.end())) {
            damaged("row offsets must ascend from 0 to the number of arcs");
        }
        bool ascend = true;
        for (std::size_t v = 0; v + 1 < offsets.size(); v++) {
            for (long long e = rows[v] + 1; e < rows[v + 1]; e++) ascend &= columns.data()[e - 1] <= columns.data()[e];
        }
        return ascend;
    }

    void read_rows(FileGraph &graph) {
        const bool in_order = read_rows("row_offsets", "columns", graph.row_offsets, graph.columns);
        graph.num_nodes = static_cast<int>(graph.row_offsets.size() - 1);
        if (const Column *found = array("weights")) {
            graph.weights = std::visit([this](const auto &cells) { return weights(cells); }, *found);
            const std::size_t count = std::visit([](const auto &cells) { return cells.size(); }, *found);
            if (count != graph.columns.size()) damaged("it has not one weight for every arc");
        }
        if (!in_order) {
            with_arcs(graph, [&](auto arcs) { set_rows(graph, sorted(std::move(arcs), graph.num_nodes)); });
        }
    }

    template <class Cell>
    FileWeights weights(const Cells<Cell> &cells) const {
        if constexpr (std::is_same_v<Cell, double>) {
            bool finite = true;
            for (const double weight : cells) finite &= std::isfinite(weight);
            if (!finite) damaged("a weight is not a finite number");
            return cells;
        } else if constexpr (std::is_same_v<Cell, unsigned char>) {
            return Cells<int>(std::vector<int>(cells.begin(), cells.end()));
        } else if constexpr (std::is_same_v<Cell, unsigned long long>) {
            const auto largest = static_cast<Cell>(std::numeric_limits<long long>::max());
            const bool fit = std::all_of(cells.begin(), cells.end(), [=](Cell cell) { return cell <= largest; });
            if (fit) return Cells<long long>(std::vector<long long>(cells.begin(), cells.end()));
            return Cells<double>(std::vector<double>(cells.begin(), cells.end()));
        } else {
            return cells;
        }
    }

    void read_ids(FileGraph &graph, long long version) {
        if (array("names") != nullptr) refuse(path, "nodes that have names are not read by this program");
        using Limits = std::numeric_limits<long long>;
        if (graph.first_id > Limits::max() - graph.num_nodes) damaged("its ids are out of range");
        if (array("ids") == nullptr) return;
        if (const auto *large = std::get_if<Cells<unsigned long long>>(array("ids"))) {
            for (const unsigned long long id : *large) {
                if (id >> 63 != 0) refuse(path, "ids of 2^63 and more are not read by this program");
            }
        }
        graph.ids = wholes<long long>("ids", Limits::min(), Limits::max());
        if (graph.ids.size() != static_cast<std::size_t>(graph.num_nodes)) damaged("it has not one id for every node");
        if (version == 1 && !std::is_sorted(graph.ids.begin(), graph.ids.end(), std::less_equal<>())) {
            damaged("its ids do not ascend");
        }
    }

    void read_in_arcs(FileGraph &graph) {
        if (array("reverse_offsets") == nullptr) return;
        const bool ascend = read_rows("reverse_offsets", "reverse_columns", graph.in_row_offsets, graph.in_columns);
        graph.in_arcs = wholes<long long>("reverse_arc_ids", 0, static_cast<long long>(graph.columns.size()) - 1);
        if (!ascend || graph.in_row_offsets.size() != graph.row_offsets.size() ||
            graph.in_columns.size() != graph.columns.size() || graph.in_arcs.size() != graph.columns.size()) {
            damaged("its incoming arcs are not those of the graph");
        }
    }
};

// --- Text: arcs one a line, in columns -------------------------------------------------------------------------------

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::string_view stripped(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

inline std::string lower(std::string_view text) {
    std::string small(text);
    for (char &c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return small;
}

inline bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Takes the next word off the front of a line; blanks stand between words, and `separator`.
inline std::string_view next_word(std::string_view &line, char separator = ' ') {
    const auto parts = [separator](char c) { return is_blank(c) || c == separator; };
    const char *first = line.data(), *const end = first + line.size();
    while (first < end && parts(*first)) first++;
    const char *last = first;
    while (last < end && !parts(*last)) last++;
    line = {last, static_cast<std::size_t>(end - last)};
    return {first, static_cast<std::size_t>(last - first)};
}

inline std::vector<std::string_view> words_of(std::string_view line, char separator = ' ') {
    std::vector<std::string_view> words;
    for (auto word = next_word(line, separator); !word.empty(); word = next_word(line, separator)) {
        words.push_back(word);
    }
    return words;
}

// A word as a message shows it: its beginning, and a dot for what is not ASCII.
inline std::string shown(std::string_view word) {
    std::string text(word.substr(0, 40));
    for (char &c : text) c = c >= ' ' && c <= '~' ? c : '.';
    return "'" + text + "'";
}

constexpr std::size_t longest_whole = 24;  // digits, leading zeros among them

// Whether a word is digits alone, and a number of 64 bits.
inline bool is_natural(std::string_view word, unsigned long long &value) {
    const char *const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && last == end && word.size() <= longest_whole;
}

// Whether a word is digits with or without a sign, and a number of 64 bits with a sign.
inline bool is_whole(std::string_view word, long long &value) {
    if (!word.empty() && word.front() == '+') {
        word.remove_prefix(1);
        if (!word.empty() && word.front() == '-') return false;
    }
    const char *const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data(), end, value);
    const std::size_t digits = word.size() - (!word.empty() && word.front() == '-');
    return error == std::errc() && last == end && digits <= longest_whole;
}

// Whether a word is digits with or without a sign, a point and an exponent.
inline bool is_decimal(std::string_view word) {
    const char *at = word.data(), *const end = at + word.size();
    const auto digits = [&] {
        const char *const first = at;
        while (at < end && is_digit(*at)) at++;
        return at - first;
    };
    if (at < end && (*at == '+' || *at == '-')) at++;
    auto before_exponent = digits();
    if (at < end && *at == '.') {
        at++;
        before_exponent += digits();
    }
    if (before_exponent == 0) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (digits() == 0) return false;
    }
    return at == end;
}

// Whether a word is a finite number, whose nearest double is `value`.
inline bool is_real(std::string_view word, double &value) {
    if (!is_decimal(word)) return false;
#ifdef __cpp_lib_to_chars
    const char *const first = word.data() + (word.front() == '+');
    if (std::from_chars(first, word.data() + word.size(), value).ec == std::errc()) return true;
#endif
    value = std::strtod(std::string(word).c_str(), nullptr);  // also of what is too small or too large
    return std::isfinite(value);
}

// The lines of a text, which are counted from 1.
class Lines {
public:
    Lines(const std::string &shown, std::string_view text) : path(shown), at(text.data()), end(at + text.size()) {}

    bool next(std::string_view &line) {
        if (at == end) return false;
        const void *found = std::memchr(at, '\n', end - at);
        const char *const stop = found == nullptr ? end : static_cast<const char *>(found);
        line = {at, static_cast<std::size_t>(stop - at)};
        at = stop == end ? end : stop + 1;
        number++;
        return true;
    }

    std::size_t bytes_left() const { return end - at; }

    [[noreturn]] void wrong(const std::string &message) const {
        refuse(path + ":" + std::to_string(number), message);
    }

private:
    const std::string &path;
    const char *at, *end;
    long long number = 0;
};

// How arcs stand in their lines.
struct Layout {
    enum class Weight { none, whole, real, any };

    Weight weight = Weight::none;
    char keyword = 0;                      // what the first word must be; 0 if it is an id
    char separator = ' ';                  // between words, besides blanks
    std::string_view comments = "#%";      // what comments start with
    unsigned long long low = 0, high = std::numeric_limits<unsigned long long>::max();  // of ids
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

// Arcs as their lines have them: weights are all whole or all real.
struct TextArcs {
    std::vector<unsigned long long> source, destination;
    std::vector<long long> whole;
    std::vector<double> real;
    bool are_real = false;

    std::size_t size() const { return source.size(); }

    void add_real(double weight) {
        if (!are_real) real.assign(whole.begin(), whole.end());
        are_real = true;
        real.push_back(weight);
    }
};

// Reads the arcs of all lines that are left.
class ArcReader {
public:
    ArcReader(Lines &rest, const Layout &form) : lines(rest), layout(form) {
        arcs.are_real = form.weight == Layout::Weight::real;
    }

    TextArcs all(std::size_t expected = 0) {
        arcs.source.reserve(std::min(expected, lines.bytes_left() / 4));
        arcs.destination.reserve(std::min(expected, lines.bytes_left() / 4));
        for (std::string_view line; lines.next(line);) {
            if (!is_comment(line)) read_line(line);
        }
        return std::move(arcs);
    }

private:
    Lines &lines;
    const Layout &layout;
    TextArcs arcs;

    bool is_comment(std::string_view line) const {
        for (const char c : line) {
            if (c == ' ' || c == '\t' || c == layout.separator) continue;
            return layout.comments.find(c) != std::string_view::npos;
        }
        return false;
    }

    void read_line(std::string_view line) {
        std::string_view word = next_word(line, layout.separator);
        if (word.empty()) return;
        if (layout.keyword != 0) {
            if (word.size() != 1 || word[0] != layout.keyword) {
                lines.wrong(std::string("expected a line that starts with '") + layout.keyword + "'");
            }
            word = next_word(line, layout.separator);
        }
        arcs.source.push_back(node_id(word));
        arcs.destination.push_back(node_id(next_word(line, layout.separator)));
        if (layout.weight != Layout::Weight::none) read_weight(next_word(line, layout.separator));
        if (!next_word(line, layout.separator).empty()) lines.wrong("expected fewer words, as in the lines before");
    }

    unsigned long long node_id(std::string_view word) const {
        unsigned long long id = 0;
        if (!is_natural(word, id)) lines.wrong("expected a node's number, found " + shown(word));
        if (id < layout.low || id > layout.high) {
            lines.wrong("there is no node " + std::to_string(id) + ": nodes are " + std::to_string(layout.low) + ".." +
                        std::to_string(layout.high));
        }
        return id;
    }

    void read_weight(std::string_view word) {
        long long whole = 0;
        double real = 0;
        if (layout.weight != Layout::Weight::real && is_whole(word, whole)) {
            real = static_cast<double>(whole);
            if (arcs.are_real) {
                arcs.add_real(real);
            } else {
                arcs.whole.push_back(whole);
            }
        } else if (layout.weight != Layout::Weight::whole && is_real(word, real)) {
            arcs.add_real(real);
        } else {
            const char *const kind = layout.weight == Layout::Weight::whole ? "a whole number" : "a number";
            lines.wrong(std::string("expected ") + kind + " for a weight, found " + shown(word));
        }
        if (real < layout.least || real > layout.most) {
            lines.wrong("the weight " + shown(word) + " is out of range");
        }
    }
};

// Gives a graph the rows of arcs between its nodes; `node_of(id)` is the node that the file calls so.
template <class NodeOf>
void set_rows(FileGraph &graph, const TextArcs &arcs, bool weighted, NodeOf node_of) {
    const auto with_weights = [&](auto weight_of) {
        using Weight = decltype(weight_of(0));
        std::vector<FileArc<Weight>> found(arcs.size());
        for (std::size_t e = 0; e < arcs.size(); e++) {
            found[e] = {node_of(arcs.source[e]), node_of(arcs.destination[e]), weight_of(e)};
        }
        set_rows(graph, graph.directed ? sorted(std::move(found), graph.num_nodes)
                                       : closed_both_ways(std::move(found), graph.num_nodes));
    };
    if (!weighted) return with_weights([](std::size_t) { return NoWeight(); });
    if (arcs.are_real) return with_weights([&](std::size_t e) { return arcs.real[e]; });
    with_weights([&](std::size_t e) { return arcs.whole[e]; });
}

// A header in words, the first of which is number 0.
struct Header {
    const Lines &lines;
    std::vector<std::string_view> words;

    // The number that a word is.
    unsigned long long count(std::size_t word, const char *what) const {
        unsigned long long value = 0;
        if (word >= words.size() || words[word].size() > 19 || !is_natural(words[word], value)) {
            lines.wrong(std::string("expected ") + what);
        }
        return value;
    }
};

// The first line that is neither blank nor a comment.
inline Header header_of(Lines &lines, char comment, const char *what) {
    for (std::string_view line; lines.next(line);) {
        const std::string_view text = stripped(line);
        if (!text.empty() && text.front() != comment) return {lines, words_of(line)};
    }
    lines.wrong(std::string("the file ends before ") + what);
}

// A graph whose header has promised so many nodes, which count from 1, and so many arcs.
inline FileGraph promised_graph(const std::string &path, Lines &lines, Layout layout, unsigned long long nodes,
                                unsigned long long arcs, bool directed) {
    require_room(path, nodes);
    layout.low = 1;
    layout.high = nodes;
    const TextArcs found = ArcReader(lines, layout).all(arcs);
    if (found.size() != arcs) {
        refuse(path, "promises " + std::to_string(arcs) + " arcs and holds " + std::to_string(found.size()));
    }
    FileGraph graph;
    graph.directed = directed;
    graph.num_nodes = static_cast<int>(nodes);
    graph.first_id = 1;
    set_rows(graph, found, layout.weight != Layout::Weight::none,
             [](unsigned long long id) { return static_cast<int>(id - 1); });
    return graph;
}

// DIMACS: "p sp nodes arcs", then "a u v weight"; "p edge", then "e u v"; PACE's "p tw", then "u v".
inline FileGraph read_dimacs(const std::string &path, std::string_view text) {
    Lines lines(path, text);
    const Header header = header_of(lines, 'c', "its 'p' line");
    const std::string problem(header.words.size() > 1 ? header.words[1] : "");
    const bool is_coloring = problem == "edge" || problem == "col";
    const bool is_pace = problem == "tw" || problem == "td" || problem == "ds" || problem == "vc" || problem == "cep" ||
                         problem == "fvs";
    if (header.words[0] != "p" || !(problem == "sp" || is_coloring || is_pace)) {
        lines.wrong("expected 'p sp', 'p edge' or 'p tw' and the numbers of nodes and arcs");
    }
    Layout layout;
    layout.comments = "c";
    if (problem == "sp") {
        layout.keyword = 'a';
        layout.weight = Layout::Weight::any;
    } else if (is_coloring) {
        layout.keyword = 'e';
    }
    const auto nodes = header.count(2, "the number of nodes"), arcs = header.count(3, "the number of arcs");
    if (header.words.size() > 4) lines.wrong("expected nothing after the number of arcs");
    return promised_graph(path, lines, layout, nodes, arcs, problem == "sp");
}

// What the type of a "%%GraphBLAS type" line, one of the first 16, lets weights be.
inline void limit_weights(const std::string &path, std::string_view text, Layout &layout) {
    Lines lines(path, text);
    std::string_view line;
    for (int number = 1; number <= 16 && lines.next(line); number++) {
        const std::string small = lower(line);
        const std::vector<std::string_view> words = words_of(small);
        if (words.size() < 2 || words[0] != "%%graphblas" || words[1] != "type") continue;
        std::string_view type = words.size() > 2 ? words[2] : "";
        if (ends_with(type, "_t")) type.remove_suffix(2);
        const bool is_unsigned = type.substr(0, 4) == "uint";
        const std::string_view bits = type.substr(0, 3) == "int" ? type.substr(3) : is_unsigned ? type.substr(4) : "";
        const int width = bits == "8" ? 8 : bits == "16" ? 16 : bits == "32" ? 32 : bits == "64" ? 64 : 0;
        const bool is_complex = std::find(words.begin(), words.end(), "complex") != words.end();
        if (is_complex || (width == 0 && type != "bool" && type != "float" && type != "double")) {
            lines.wrong("expected a GraphBLAS type such as 'int32_t' or 'double'");
        }
        if (type == "float" || type == "double") return;
        layout.least = is_unsigned || width == 0 ? 0 : -std::ldexp(1, width - 1);
        layout.most = width == 0 ? 1 : std::ldexp(1, is_unsigned ? width : width - 1) - (width < 64);
        return;
    }
}

constexpr std::string_view matrix_market = "%%matrixmarket";

// Matrix Market: "%%MatrixMarket matrix coordinate field symmetry", "rows columns entries", then "row column [value]".
inline FileGraph read_matrix_market(const std::string &path, std::string_view text) {
    Lines lines(path, text);
    Layout layout;
    layout.comments = "%";
    layout.weight = Layout::Weight::real;
    bool directed = true;
    const std::string banner = lower(text.substr(0, text.find('\n')));
    if (banner.substr(0, matrix_market.size()) == matrix_market) {
        const std::vector<std::string_view> words = words_of(banner);
        const auto is_one_of = [&](std::size_t word, std::initializer_list<std::string_view> allowed) {
            return word < words.size() && std::find(allowed.begin(), allowed.end(), words[word]) != allowed.end();
        };
        if (!is_one_of(1, {"matrix"}) || !is_one_of(2, {"coordinate"}) || !is_one_of(4, {"general", "symmetric"}) ||
            !is_one_of(3, {"pattern", "integer", "real", "double"})) {
            refuse(path + ":1", "expected 'matrix coordinate' of 'integer', 'real' or 'pattern' values, 'general' or "
                                "'symmetric'");
        }
        if (words[3] == "pattern") layout.weight = Layout::Weight::none;
        if (words[3] == "integer") layout.weight = Layout::Weight::whole;
        directed = words[4] == "general";
    }
    const Header header = header_of(lines, '%', "the line with the matrix's size");
    const auto rows = header.count(0, "the number of rows"), columns = header.count(1, "the number of columns"),
               entries = header.count(2, "the number of entries");
    if (header.words.size() > 3) lines.wrong("expected three numbers: rows, columns and entries");
    if (rows != columns) lines.wrong("a matrix that is not square is no graph");
    limit_weights(path, text, layout);
    return promised_graph(path, lines, layout, rows, entries, directed);
}

// What of a comment says whether the graph has directions.
enum class Said { nothing, directed, undirected };

// The first "directed" or "undirected" of a comment tells, and "not" before it turns it round.
inline Said said_by(std::string_view comment) {
    const std::string text = lower(comment), word = "directed";
    const auto is_inside = [&](std::size_t at) {  // of a word
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool has_un = at >= 2 && text.compare(at - 2, 2, "un") == 0;
        const std::size_t first = has_un ? at - 2 : at;
        if (is_inside(at + word.size()) || (first > 0 && is_inside(first - 1))) continue;
        std::size_t before = first;
        while (before > 0 && is_blank(text[before - 1])) before--;
        const bool has_not = before < first && before >= 3 && text.compare(before - 3, 3, "not") == 0 &&
                             (before == 3 || !is_inside(before - 4));
        return has_un != has_not ? Said::undirected : Said::directed;
    }
    return Said::nothing;
}

// What comes before the first edge of an edge list tells of all of it.
struct EdgeListForm {
    Layout layout;
    bool directed = true, has_comments = false;
};

// What stands between the words of lines like this one: a tab, unless it only follows another separator.
inline char separator_in(std::string_view line, char otherwise) {
    const std::string_view marks = ",;|";
    bool tab_follows = false;
    for (std::size_t at = 1; at < line.size(); at++) {
        tab_follows |= line[at] == '\t' && (marks.find(line[at - 1]) != marks.npos || line[at - 1] == '\t');
    }
    if (line.find('\t') != line.npos && !tab_follows) return '\t';
    for (const char mark : marks) {
        if (line.find(mark) != line.npos) return mark;
    }
    return line.find('\t') != line.npos ? '\t' : otherwise;
}

inline EdgeListForm edge_list_form(const std::string &path, const std::string &name, std::string_view text) {
    EdgeListForm form;
    Said said = Said::nothing;
    Lines lines(path, text);
    for (std::string_view line; lines.next(line);) {
        line = stripped(line);
        if (line.empty()) continue;
        if (line.front() == '#' || line.front() == '%') {
            form.has_comments = true;
            if (said == Said::nothing) said = said_by(line);
            continue;
        }
        if (line.find('{') != std::string_view::npos && line.back() == '}') {
            lines.wrong("edges with dictionaries are not read by this program");
        }
        form.layout.separator = separator_in(line, form.layout.separator);
        const std::vector<std::string_view> words = words_of(line, form.layout.separator);
        bool known = false;
        for (const char *ending : {".el", ".wel", ".txt", ".edges", ".edgelist", ".tsv", ".csv"}) {
            known |= ends_with(name, ending);
        }
        bool is_number = !words.empty() && is_decimal(words[0]);
        if (words.size() > 1) is_number &= is_decimal(words[1]);
        if (!known) is_number &= std::string_view(",;|").find(line.front()) == std::string_view::npos;
        if (!is_number) {
            lines.wrong(known ? "nodes that have names are not read by this program"
                              : "this is no format that is read by this program");
        }
        if (words.size() != 2 && words.size() != 3) {
            for (const std::string_view word : words) {
                if (!is_decimal(word)) lines.wrong("nodes that have names are not read by this program");
            }
            lines.wrong("expected two nodes' numbers and perhaps a weight");
        }
        if (words.size() == 3) form.layout.weight = Layout::Weight::any;
        break;
    }
    form.directed = said != Said::undirected;
    return form;
}

// Numbers the nodes of a graph by the ids that occur, in ascending order, and sets its rows.
inline void number_ids_seen(const std::string &path, FileGraph &graph, const TextArcs &arcs, bool weighted) {
    std::vector<unsigned long long> ids;
    unsigned long long highest = 0;
    for (const auto *ends : {&arcs.source, &arcs.destination}) {
        for (const unsigned long long id : *ends) highest = std::max(highest, id);
    }
    if (highest >> 63 != 0) refuse(path, "ids of 2^63 and more are not read by this program");
    const bool is_dense = highest < 32ULL * arcs.size() + (1 << 20) && highest >> 31 == 0;
    std::vector<int> node_of(is_dense ? highest + 1 : 0, 0);
    if (is_dense) {
        for (const auto *ends : {&arcs.source, &arcs.destination}) {
            for (const unsigned long long id : *ends) node_of[id] = 1;
        }
        for (unsigned long long id = 0; id < node_of.size(); id++) {
            if (node_of[id] == 0) continue;
            node_of[id] = static_cast<int>(ids.size());
            ids.push_back(id);
        }
    } else {
        ids = arcs.source;
        ids.insert(ids.end(), arcs.destination.begin(), arcs.destination.end());
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    }
    require_room(path, ids.size());
    graph.num_nodes = static_cast<int>(ids.size());
    graph.first_id = ids.empty() ? 0 : static_cast<long long>(ids.front());
    const bool count_up = ids.empty() || ids.back() - ids.front() + 1 == ids.size();
    if (!count_up) graph.ids = std::vector<long long>(ids.begin(), ids.end());
    set_rows(graph, arcs, weighted, [&](unsigned long long id) {
        if (count_up) return static_cast<int>(id - ids.front());
        if (is_dense) return node_of[id];
        return static_cast<int>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    });
}

// An edge list: "source destination [weight]".
inline FileGraph read_edge_list(const std::string &path, const std::string &name, std::string_view text) {
    const EdgeListForm form = edge_list_form(path, name, text);
    Lines lines(path, text);
    const TextArcs arcs = ArcReader(lines, form.layout).all(text.size() / 8);
    const bool weighted = form.layout.weight != Layout::Weight::none;
    FileGraph graph;
    graph.directed = form.directed;
    if (form.has_comments || !(ends_with(name, ".el") || ends_with(name, ".wel"))) {
        number_ids_seen(path, graph, arcs, weighted);
        return graph;
    }
    unsigned long long nodes = 0;  // GAP's own: they are 0 up to the highest
    for (const auto *ends : {&arcs.source, &arcs.destination}) {
        for (const unsigned long long id : *ends) nodes = std::max(nodes, id < ~0ULL ? id + 1 : id);
    }
    require_room(path, nodes);
    graph.num_nodes = static_cast<int>(nodes);
    set_rows(graph, arcs, weighted, [](unsigned long long id) { return static_cast<int>(id); });
    return graph;
}

// --- All formats -----------------------------------------------------------------------------------------------------

constexpr std::size_t beginning = 1 << 16;  // bytes by which formats are told apart

// Whether text begins as DIMACS does: comment lines "c ...", then "p ".
inline bool begins_as_dimacs(const std::string &path, std::string_view text) {
    Lines lines(path, text);
    for (std::string_view line; lines.next(line);) {
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (line.empty() || line == "c") continue;
        const bool is_word = line.size() > 1 && (line[1] == ' ' || line[1] == '\t');
        if (is_word && line[0] == 'p') return true;
        if (!is_word || line[0] != 'c') return false;
    }
    return false;
}

// Whether a file's beginning holds a character that no text has.
inline bool is_binary(std::string_view text) {
    const auto is_odd = [](unsigned char c) { return c < ' ' && !is_blank(c) && c != '\x1b'; };
    return std::any_of(text.begin(), text.end(), is_odd);
}

// Refuses what starplat reads by a file's name or its first comment, but this program does not.
inline void refuse_other_formats(const std::string &path, const std::string &name, std::string_view text) {
    for (const char *ending : {".graph", ".metis", ".graph-txt", ".adjlist", ".e", ".v", ".sg", ".wsg"}) {
        if (ends_with(name, ending)) refuse(path, std::string(ending) + " files are not read by this program");
    }
    const std::size_t second = text.find('\n');
    if (text.front() == '#' && second != std::string_view::npos && text.substr(second + 1, 6) == "# GMT ") {
        refuse(path, "adjacency lists of NetworkX are not read by this program");
    }
}

inline FileGraph file_graph(const std::string &path) {
    const auto file = std::make_shared<const MappedFile>(path);
    std::string_view text = file->text();
    if (text.empty()) refuse(path, "is empty");
    using namespace std::string_view_literals;
    for (const std::string_view magic : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv, "BZh"sv, "\xfd" "7zXZ\0"sv}) {
        if (text.substr(0, magic.size()) == magic) refuse(path, "is compressed; decompress it first");
    }
    if (text.substr(0, 8) == "\x89SPG\r\n\x1a\n") return SpgReader(path, file).graph();
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);  // how some programs begin UTF-8
    if (text.empty()) refuse(path, "is empty");
    const std::string name = lower(std::string_view(path).substr(path.find_last_of('/') + 1));
    const std::string_view start = text.substr(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()), 1);
    const bool looks_like_matrix = start.empty() || start[0] == '%' || is_digit(start[0]);
    const bool has_banner = lower(text.substr(0, matrix_market.size())) == matrix_market;
    if (has_banner || (ends_with(name, ".mtx") && looks_like_matrix)) {
        return read_matrix_market(path, text);
    }
    if (begins_as_dimacs(path, text.substr(0, beginning))) return read_dimacs(path, text);
    if (is_binary(text.substr(0, beginning))) refuse(path, "binary files other than .spg are not read by this program");
    refuse_other_formats(path, name, text);
    return read_edge_list(path, name, text);
}

// --- From a file's types to the program's ----------------------------------------------------------------------------

// Whether a weight of a file is kept by the program's type; reals may be rounded to shorter reals.
template <class Wanted, class Given>
bool is_kept(Given weight) {
    if constexpr (std::is_floating_point_v<Wanted> && std::is_floating_point_v<Given>) {
        return std::isfinite(static_cast<Wanted>(weight));
    } else if constexpr (std::is_floating_point_v<Wanted>) {
        return static_cast<long double>(static_cast<Wanted>(weight)) == static_cast<long double>(weight);
    } else if constexpr (std::is_floating_point_v<Given>) {
        const Given end = std::ldexp(Given(1), std::numeric_limits<Wanted>::digits);
        return weight >= -end && weight < end && weight == std::trunc(weight);
    } else {
        return weight >= std::numeric_limits<Wanted>::min() && weight <= std::numeric_limits<Wanted>::max();
    }
}

template <class Wanted>
Cells<Wanted> weights_as(const std::string &path, const FileWeights &weights, std::size_t count) {
    return std::visit([&](const auto &given) -> Cells<Wanted> {
        using Given = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<Given, std::monostate>) {
            return std::vector<Wanted>(count, Wanted(1));
        } else if constexpr (std::is_same_v<Given, Cells<Wanted>>) {
            return given;
        } else if constexpr (std::is_same_v<Wanted, unsigned char>) {
            refuse(path, "has weights, and this program's are true or false");
        } else {
            std::vector<Wanted> kept(given.size());
            std::transform(given.begin(), given.end(), kept.begin(), [&](auto weight) {
                if (is_kept<Wanted>(weight)) return static_cast<Wanted>(weight);
                const char *const kind = std::is_floating_point_v<Wanted> ? "numbers" : "whole numbers";
                refuse(path, "the weight " + std::to_string(weight) + " does not fit the " + kind + " of this program");
            });
            return kept;
        }
    }, weights);
}

// The nodes by ascending id, where ids do not ascend.
inline std::vector<int> nodes_by_id(const std::string &path, const Cells<long long> &ids) {
    if (std::is_sorted(ids.begin(), ids.end(), std::less_equal<>())) return {};
    std::vector<int> nodes(ids.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return ids[a] < ids[b]; });
    const auto same = [&](int a, int b) { return ids[a] == ids[b]; };
    if (std::adjacent_find(nodes.begin(), nodes.end(), same) != nodes.end()) refuse(path, "two nodes have the same id");
    return nodes;
}

// Reads a file into a graph, all but its weights, which are handed back.
inline FileWeights read_into(HostGraph &graph, const std::string &path, bool undirected) {
    FileGraph file = file_graph(path);
    graph.by_id = nodes_by_id(path, file.ids);
    if (undirected) make_undirected(file);
    check_sizes(file.num_nodes, file.columns.size());
    graph.num_nodes = file.num_nodes;
    graph.num_arcs = static_cast<arc_t>(file.columns.size());
    graph.row_offsets = as_arcs(file.row_offsets);
    graph.directed = file.directed;
    graph.columns = file.columns;
    graph.in_row_offsets = as_arcs(file.in_row_offsets);
    graph.in_arcs_of_file = file.in_arcs;
    graph.in_columns = file.in_columns;
    graph.first_id = file.first_id;
    graph.ids = file.ids;
    return file.weights;
}

}  // namespace reading

// The graph in a file; `undirected` adds the other direction of every arc that lacks it.
inline HostGraph read_graph(const std::string &path, bool undirected) {
    HostGraph graph;
    reading::read_into(graph, path, undirected);
    return graph;
}

// The same with its weights, which are 1 where the file has none.
template <class Weight>
WeightedGraph<Weight> read_weighted_graph(const std::string &path, bool undirected) {
    WeightedGraph<Weight> graph;
    const reading::FileWeights weights = reading::read_into(graph, path, undirected);
    graph.weights = reading::weights_as<Weight>(path, weights, graph.columns.size());
    return graph;
}

}  // namespace starplat

#endif
