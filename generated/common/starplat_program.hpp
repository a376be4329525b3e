#ifndef STARPLAT_PROGRAM_HPP
#define STARPLAT_PROGRAM_HPP
// What every program of starplat's has besides its algorithm: a command line and times. Needs C++17.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace starplat {

// A command line that does not say what to do; the program then ends with 2, and with 1 for all else that is wrong.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The command line: a graph file and "--name value" or "--name=value", each name once.
class Arguments {
public:
    std::string graph_file;
    bool wants_help = false;

    Arguments(int argc, char **argv, const std::vector<std::string> &known) {
        for (int i = 1; i < argc; i++) {
            const std::string word = argv[i];
            if (word == "--help" || word == "-h") {
                wants_help = true;
                return;
            }
            if (word.rfind("--", 0) != 0) {
                if (!graph_file.empty()) throw UsageError("one graph file is enough: '" + word + "' is a second");
                graph_file = word;
                continue;
            }
            const std::size_t equals = word.find('=');
            const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
            if (has(name)) throw UsageError("--" + name + " is given twice");
            if (word == "--undirected") {
                given[name] = "true";
            } else if (std::count(known.begin(), known.end(), name) == 0 || name == "undirected") {
                throw UsageError("'" + word + "' is no argument of this program");
            } else if (equals != std::string::npos) {
                given[name] = word.substr(equals + 1);
            } else if (i + 1 < argc) {
                given[name] = argv[++i];
            } else {
                throw UsageError("'" + word + "' has no value");
            }
        }
        if (graph_file.empty()) throw UsageError("no graph file is given");
    }

    bool has(const std::string &name) const { return given.count(name) != 0; }

    const std::string &text(const std::string &name) const {
        if (!has(name)) throw UsageError("--" + name + " is not given");
        return given.at(name);
    }

    std::string text(const std::string &name, const std::string &otherwise) const {
        return has(name) ? given.at(name) : otherwise;
    }

    template <class T>
    T number(const std::string &name) const {
        T value{};
        if (!is_number(text(name), value)) throw UsageError("--" + name + " cannot be '" + text(name) + "'");
        return value;
    }

    template <class T>
    T number(const std::string &name, T otherwise) const {
        return has(name) ? number<T>(name) : otherwise;
    }

    // "1,5,9", or "@" and a file that lists them.
    std::vector<long long> numbers(const std::string &name) const {
        std::vector<long long> found;
        std::string listed = text(name);
        if (listed.rfind("@", 0) == 0) {
            std::ifstream file(listed.substr(1));
            if (!file) throw std::runtime_error("--" + name + ": " + listed.substr(1) + " cannot be read");
            listed.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
        if (listed.find_first_not_of(blanks) == std::string::npos) return found;
        std::istringstream parts(listed + ",");
        for (std::string part; std::getline(parts, part, ',');) {
            std::istringstream words(part);
            std::string word;
            while (words >> word) {
                long long value = 0;
                if (!is_number(word, value)) throw UsageError("--" + name + " cannot hold '" + word + "'");
                found.push_back(value);
            }
            if (word.empty()) throw UsageError("--" + name + " has nothing between two commas, or behind the last");
        }
        return found;
    }

private:
    static constexpr const char *blanks = " \t\r\n\v\f";

    static bool is_number(const std::string &word, bool &value) {
        value = word == "true";
        return value || word == "false";
    }

    // Whether a whole word is a number of that type.
    template <class T>
    static bool is_number(const std::string &word, T &value) {
        if constexpr (std::is_floating_point_v<T>) {
            char *end = nullptr;
            value = static_cast<T>(std::strtod(word.c_str(), &end));
            const bool begins = !word.empty() && !std::isspace(static_cast<unsigned char>(word[0]));
            return begins && *end == '\0' && !std::isnan(value);
        } else {
            const char *const first = word.c_str(), *const end = first + word.size();
            const auto [last, error] = std::from_chars(first, end, value);
            return error == std::errc() && last == end;
        }
    }

    std::map<std::string, std::string> given;
};

// Seconds since it was last asked.
class Stopwatch {
public:
    double seconds() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> passed = now - last;
        last = now;
        return passed.count();
    }

private:
    std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

// The runs of an algorithm: one or, with that option, as many as it says after one that only warms up.
class Runs {
public:
    Runs(const Arguments &arguments, const std::string &option)
        : measured(arguments.number<std::size_t>(option, 1)), left(measured + arguments.has(option)) {
        if (measured == 0 || measured > 1000000) throw UsageError("--" + option + " is a number from 1 to 1000000");
    }

    bool are_left() const { return left > 0; }

    // Ends a run that took so long.
    void add(double seconds) {
        if (left <= measured) times.push_back(seconds);
        left--;
    }

    // The median and, of several, the least and the greatest.
    friend std::ostream &operator<<(std::ostream &out, const Runs &runs) {
        std::vector<double> sorted = runs.times;
        std::sort(sorted.begin(), sorted.end());
        out << (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
        if (sorted.size() > 1) {
            out << " (" << sorted.front() << " to " << sorted.back() << " in " << sorted.size() << " runs)";
        }
        return out;
    }

private:
    std::size_t measured, left;
    std::vector<double> times;
};

}  // namespace starplat

#endif
