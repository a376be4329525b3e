// k_core.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in k_core.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv k_core.cpp -lOpenCL -o k_core
// run:   ./k_core GRAPH [OPTIONS]

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

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
static void k_core(Device &device, Graph &graph, Buffer<int> &core) {
    Buffer<int> degree(device, graph.num_nodes);
    Buffer<int> peeling_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> peeling_list(device, graph.num_nodes);
    Buffer<int> peeling_size(device, 1);
    Word<long long> peeled_result(device);
    int peeling_count = 0;
    core.fill(-1);
    peeling_bits.fill(0);
    peeling_size.fill(0);
    // k_core.sp:9 forall (v in g.nodes())
    device.launch(
        "k_core_add_degree", device.busy(graph.num_nodes), graph.num_nodes, graph.in_row_offsets,
        graph.in_columns, degree
    );
    long long left = graph.num_nodes;
    int k = 0;
    while (left > 0) {
        long long peeled = 0;
        // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
        peeled_result.set(0);
        device.launch(
            "k_core_set_core", graph.num_nodes, graph.num_nodes, core, degree, peeling_bits,
            peeling_list, peeling_size, k, peeled_result
        );
        peeled += peeled_result.read();
        // k_core.sp:23 forall (v in g.nodes().filter(peeling))
        peeling_count = peeling_size.read(0);
        if (peeling_count > graph.num_nodes / 8) {
            device.launch(
                "k_core_add_degree_2_of_many", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, peeling_bits, degree
            );
            peeling_bits.fill(0);
        } else {
            device.launch(
                "k_core_add_degree_2", device.busy(peeling_count), graph.row_offsets, graph.columns,
                peeling_list, peeling_bits, degree, peeling_count
            );
        }
        peeling_size.fill(0);
        left -= peeled;
        if (peeled == 0) {
            k += 1;
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: k_core GRAPH [OPTIONS]\n"
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
        Device device(device_number, text_beside(argv[0], "k_core.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> core(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            device.finish();
            stopwatch.seconds();
            k_core(device, graph, core);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("core", core.download());
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
