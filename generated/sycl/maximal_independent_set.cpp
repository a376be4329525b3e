// maximal_independent_set.sp as a program of its own, for SYCL 2020.
// Its kernels are in maximal_independent_set_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv maximal_independent_set.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o maximal_independent_set
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise maximal_independent_set.cpp -o maximal_independent_set
// run:   ./maximal_independent_set GRAPH [OPTIONS]

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
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> finished_found(device, 1);
    in_set.fill(false);
    undecided.fill(true);
    // maximal_independent_set.sp:9 fixedPoint until (finished : !undecided)
    device.launch_once("maximal_independent_set_begin", goes_on, finished_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // maximal_independent_set.sp:10 forall (v in g.nodes().filter(undecided))
            device.launch(
                "maximal_independent_set_set_in_set", graph.num_nodes, graph.num_nodes, graph.row_offsets,
                graph.columns, graph.in_row_offsets, graph.in_columns, goes_on, undecided, in_set
            );
            device.launch(
                "maximal_independent_set_set_undecided_and_find_finished", graph.num_nodes, graph.num_nodes,
                graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, goes_on,
                undecided, in_set, finished_found
            );
            device.launch_once("maximal_independent_set_end_round", goes_on, finished_found);
        }
        if (!goes_on.read(0)) break;
    }
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
        Device device(device_number, text_beside(argv[0], "maximal_independent_set_kernels.cpp"));
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
