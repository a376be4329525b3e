// maximal_independent_set.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp maximal_independent_set.cpp -o maximal_independent_set
// run:   ./maximal_independent_set GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_openmp.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;

namespace kernels {

// maximal_independent_set.sp:32 function priority(node v)
#line 32 "maximal_independent_set.sp"
static long long priority(int v) {
    return multiply_long(v, 2654435761LL) % 4294967296LL;
}

// maximal_independent_set.sp:10 forall (v in g.nodes().filter(undecided))
#line 10 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_in_set(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const bool *__restrict__ undecided, bool *in_set
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!undecided[v]) continue;
        bool wins = true;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (undecided[u] && u != v) {
                if (priority(u) > priority(v)) {
                    wins = false;
                }
            }
        }
        in_set[v] = wins;
    }
}

// maximal_independent_set.sp:19 forall (v in g.nodes().filter(undecided))
// then line 9: fixedPoint until (finished : !undecided)
#line 19 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_undecided_and_find_finished(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *undecided,
    const bool *__restrict__ in_set, int *finished
) {
    int finished_part = 1;
    #pragma omp parallel for schedule(dynamic, 64) reduction(&& : finished_part)
    for (int v = 0; v < num_nodes; v++) {
        if (undecided[v]) {
            bool decided = in_set[v];
            const arc_t first_out = row_offsets[v];
            const arc_t outs = row_offsets[v + 1] - first_out;
            const arc_t first_in = in_row_offsets[v];
            const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
            for (arc_t i = 0; i < end; i++) {
                const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                if (in_set[u]) {
                    decided = true;
                }
            }
            undecided[v] = !decided;
        }
        if (undecided[v]) {
            finished_part = 0;
        }
    }
    *finished = finished_part;
}

}  // namespace kernels
#line 92 "maximal_independent_set.cpp"

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

// maximal_independent_set.sp:5 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Word<int> finished_result(device);
    in_set.fill(false);
    undecided.fill(true);
    bool finished = false;
    // maximal_independent_set.sp:9 fixedPoint until (finished : !undecided)
    do {
        finished = true;
        // maximal_independent_set.sp:10 forall (v in g.nodes().filter(undecided))
        kernels::maximal_independent_set_set_in_set(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns,
            undecided, in_set
        );
        finished_result.set(true);
        kernels::maximal_independent_set_set_undecided_and_find_finished(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns,
            undecided, in_set, finished_result
        );
        finished = finished && finished_result.read();
    } while (!finished);
}

// What --help says.
static const char *const usage =
    "usage: maximal_independent_set GRAPH [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number);
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<unsigned char> in_set(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            device.finish();
            stopwatch.seconds();
            maximal_independent_set(device, graph, in_set);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("in_set", in_set.download());
        const double download = stopwatch.seconds();
        results.write(host);
        std::cout << "seconds: load " << load << ", compile " << compile << ", upload " << upload << ", run " << runs
                  << ", download " << download << "\n";
    } catch (const UsageError &error) {
        std::cerr << "error: " << error.what() << "; --help says more\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
