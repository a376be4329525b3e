// label_propagation.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in label_propagation.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv label_propagation.cpp -lOpenCL -o label_propagation
// run:   ./label_propagation GRAPH [--iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_opencl.hpp"

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

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    device.launch("label_propagation_set_label", graph.num_nodes, graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        device.launch(
            "label_propagation_set_label_nxt", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, graph.in_row_offsets, graph.in_columns, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
}

// What --help says.
static const char *const usage =
    "usage: label_propagation GRAPH [--iterations INT] [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --iterations     an int; 10 if not given\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"iterations", "out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto iterations = arguments.number<int>("iterations", 10);
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number, text_beside(argv[0], "label_propagation.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> label(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            label.fill(0);
            device.finish();
            stopwatch.seconds();
            label_propagation(device, graph, label, iterations);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("label", host.original_ids(label.download()));
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
