// pagerank.sp as a program of its own, for SYCL 2020.
// Its kernels are in pagerank_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv pagerank.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o pagerank
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise pagerank.cpp -o pagerank
// run:   ./pagerank GRAPH [--damping DOUBLE] [--tolerance DOUBLE] [--max_iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_sycl.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          in_row_offsets(device, graph.in_row_offsets),
          in_columns(device, graph.in_columns) {}
};

// pagerank.sp:6 function pagerank(Graph g, propNode<double> rank, double damping = 0.85, double tolerance = 1e-6, int
// max_iterations = 100)
static void pagerank(
    Device &device, Graph &graph, Buffer<double> &rank, double damping, double tolerance,
    int max_iterations
) {
    Buffer<double> contribution(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> iterations_cell(device, 1);
    Buffer<double> stranded_found(device, 1);
    Buffer<double> change_found(device, 1);
    const double n = (double)graph.num_nodes;
    const double change = INFINITY;
    const int iterations = 0;
    rank.fill(1.0 / n);
    if (change > tolerance && iterations < max_iterations) {
        device.launch_once(
            "pagerank_begin", goes_on, iterations_cell, stranded_found, change_found, iterations
        );
        for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
            for (int asked = 0; asked < ahead; asked++) {
                // pagerank.sp:18 forall (v in g.nodes())
                device.launch(
                    "pagerank_find_stranded_and_set_contribution", graph.num_nodes, graph.num_nodes,
                    graph.row_offsets, goes_on, rank, contribution, stranded_found
                );
                device.launch(
                    "pagerank_set_rank_nxt", device.busy(graph.num_nodes), graph.num_nodes,
                    graph.in_row_offsets, graph.in_columns, goes_on, contribution, stranded_found, rank,
                    damping, n, change_found
                );
                device.launch_once(
                    "pagerank_end_round", goes_on, change_found, iterations_cell, stranded_found, tolerance,
                    max_iterations
                );
            }
            if (!goes_on.read(0)) break;
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: pagerank GRAPH [--damping DOUBLE] [--tolerance DOUBLE] [--max_iterations INT] [OPTIONS]\n"
    "  GRAPH             an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --damping         a double; 0.85 if not given\n"
    "  --tolerance       a double; 1e-06 if not given\n"
    "  --max_iterations  an int; 100 if not given\n"
    "  --undirected      adds the other direction of every arc that lacks it\n"
    "  --out FILE        writes the results to a .npz or .csv file\n"
    "  --repeat TIMES    runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER   which device, by number; 0 is the first\n"
    "  --help            says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"damping", "tolerance", "max_iterations", "out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto damping = arguments.number<double>("damping", 0.85);
        const auto tolerance = arguments.number<double>("tolerance", 1e-06);
        const auto max_iterations = arguments.number<int>("max_iterations", 100);
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number, text_beside(argv[0], "pagerank_kernels.cpp"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<double> rank(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            device.finish();
            stopwatch.seconds();
            pagerank(device, graph, rank, damping, tolerance, max_iterations);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("rank", watched("rank", rank.download(), host));
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
