#ifndef STARPLAT_PROGRAM_HPP
#define STARPLAT_PROGRAM_HPP
// What every program of starplat's has besides its algorithm: a command line, summaries, times. Needs C++17.

#include <algorithm>
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
#include <type_traits>
#include <vector>

namespace starplat {

// A command line that does not say what to do; the program then ends with 2, and with 1 for all else that is wrong.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The command line: a graph file and "--name value" pairs.
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
            } else if (word == "--undirected") {
                given["undirected"] = "true";
            } else if (i + 1 < argc && std::count(known.begin(), known.end(), word.substr(2))) {
                given[word.substr(2)] = argv[++i];
            } else {
                throw UsageError("'" + word + "' is no argument of this program, or has no value");
            }
        }
        if (graph_file.empty()) throw UsageError("no graph file is given");
    }

    bool has(const std::string &name) const { return given.count(name) != 0; }

    const std::string &text(const std::string &name) const {
        if (!has(name)) throw UsageError("--" + name + " is not given");
        return given.at(name);
    }

    template <class T>
    T number(const std::string &name) const {
        std::istringstream words(text(name));
        T value;
        if (!(words >> std::boolalpha >> value) || words.peek() != EOF) {
            throw UsageError("--" + name + " cannot be '" + text(name) + "'");
        }
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
        std::replace(listed.begin(), listed.end(), ',', ' ');
        std::istringstream words(listed);
        for (std::string word; words >> word;) {
            char *end = nullptr;
            found.push_back(std::strtoll(word.c_str(), &end, 10));
            if (*end != '\0') throw UsageError("--" + name + " cannot hold '" + word + "'");
        }
        return found;
    }

private:
    std::map<std::string, std::string> given;
};

// Prints how many values there are, and of those that are not infinite how many, their sum, least and greatest.
template <class T>
void summarise(const char *name, const std::vector<T> &cells) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, long long>;
    Sum sum = 0, least = 0, greatest = 0;
    std::size_t finite = 0;
    for (const T cell : cells) {
        const Sum value = cell;
        if (!std::is_same_v<T, unsigned char> && value == static_cast<Sum>(std::numeric_limits<T>::max())) continue;
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

}  // namespace starplat

#endif
