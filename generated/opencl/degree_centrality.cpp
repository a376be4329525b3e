// degree_centrality.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in degree_centrality.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv degree_centrality.cpp -lOpenCL -o degree_centrality
// run:   ./degree_centrality GRAPH [OPTIONS]

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
    Buffer<arc_t> in_row_offsets;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          in_row_offsets(device, graph.in_row_offsets) {}
};

// degree_centrality.sp:4 function degree_centrality(Graph g, propNode<double> out_centrality, propNode<double>
// in_centrality)
static void degree_centrality(
    Device &device, Graph &graph, Buffer<double> &out_centrality, Buffer<double> &in_centrality
) {
    const double others = (double)std::max<int>(graph.num_nodes - 1, 1);
    // degree_centrality.sp:6 forall (v in g.nodes())
    device.launch(
        "degree_centrality_set_out_centrality", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.in_row_offsets, out_centrality, in_centrality, others
    );
}

// What --help says.
static const char *const usage =
    "usage: degree_centrality GRAPH [OPTIONS]\n"
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
        Device device(device_number, text_beside(argv[0], "degree_centrality.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<double> out_centrality(device, graph.num_nodes);
        Buffer<double> in_centrality(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            out_centrality.fill(0);
            in_centrality.fill(0);
            device.finish();
            stopwatch.seconds();
            degree_centrality(device, graph, out_centrality, in_centrality);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("out_centrality", watched("out_centrality", out_centrality.download(), host));
        results.add_of_nodes("in_centrality", watched("in_centrality", in_centrality.download(), host));
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
