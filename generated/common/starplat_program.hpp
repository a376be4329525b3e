#ifndef STARPLAT_PROGRAM_HPP
#define STARPLAT_PROGRAM_HPP
// What every program of starplat's has besides its algorithm: from the command line to the times at the end. Needs
// C++17.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "starplat_arguments.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"

namespace starplat {

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

// How long a device takes for some work; one with a clock of its own has a function of this name too.
template <class Device, class Work>
double seconds_of(Device &device, Work work) {
    device.finish();
    Stopwatch stopwatch;
    work();
    device.finish();
    return stopwatch.seconds();
}

// A program that runs: what it was asked for, its results, and how long its phases took.
class Program {
public:
    const std::string path;  // its own
    const Arguments arguments;
    const std::string graph_file = arguments.graph_file;
    const bool undirected = arguments.has(arguments.called("undirected"));
    const std::size_t device_number = arguments.number<std::size_t>(arguments.called("device"), 0);
    Results results{arguments.text(arguments.called("out"), "")};

    Program(const std::string &own_path, const Arguments &given) : path(own_path), arguments(given) {}

    // Ends a phase: since the one before.
    void lap(const std::string &phase) { seconds[phase] = stopwatch.seconds(); }

    // Runs the algorithm as often as the command line says. What comes `before` each run is not measured.
    template <class Device, class Before, class Run>
    void repeat(Device &device, Before before, Run run) {
        device.finish();
        lap("upload");
        while (runs.are_left()) {
            before();
            runs.add(seconds_of(device, run));
        }
        stopwatch.seconds();
    }

    template <class Device, class Run>
    void repeat(Device &device, Run run) {
        repeat(device, [] {}, run);
    }

    // Says what ran where; the results come next.
    template <class Device>
    void describe(const HostGraph &graph, const Device &device) const {
        std::cout.precision(10);
        std::cout << graph_file << ": " << graph.num_nodes << " nodes, " << graph.num_arcs << " arcs, on "
                  << device.name() << "\n";
    }

    // Keeps the results, if the command line says where, and says how long everything took.
    void finish(const HostGraph &graph) {
        lap("download");
        results.write(graph);
        std::cout << "seconds: load " << seconds["load"] << ", compile " << seconds["compile"] << ", upload "
                  << seconds["upload"] << ", run " << runs << ", download " << seconds["download"] << "\n";
    }

private:
    Runs runs{arguments, arguments.called("repeat")};
    Stopwatch stopwatch;
    std::map<std::string, double> seconds;
};

// Says why a program has failed, in a handler of what it has thrown. Returns what the program ends with.
inline int say_failure() {
    try {
        throw;
    } catch (const UsageError &error) {
        std::cerr << "error: " << error.what() << "; --help says more\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}

// What `main` does: the work of a program whose algorithm takes these options. Returns what the program ends with.
// In --help `launcher` stands before the program's name.
template <class Work>
int run_program(
    int argc, char **argv, const std::vector<Option> &options, Work work, const std::string &launcher = ""
) {
    try {
        const std::string path = argv[0];
        const Arguments arguments(argc, argv, options);
        if (arguments.wants_help) {
            std::cout << arguments.help(launcher + path.substr(path.find_last_of('/') + 1));
            return 0;
        }
        Program program(path, arguments);
        work(program);
        return 0;
    } catch (...) {
        return say_failure();
    }
}

}  // namespace starplat

#endif
