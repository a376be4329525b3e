// vertex_cover.sp as a program of its own, for SYCL 2020.
// Its kernels are in vertex_cover_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv vertex_cover.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o vertex_cover
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise vertex_cover.cpp -o vertex_cover
// run:   ./vertex_cover GRAPH [OPTIONS]

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

// vertex_cover.sp:5 function vertex_cover(Graph g, propNode<bool> in_cover)
static void vertex_cover(Device &device, Graph &graph, Buffer<unsigned char> &in_cover) {
    Buffer<int> partner(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> matched_found(device, 1);
    // vertex_cover.sp:7 forall (v in g.nodes())
    device.launch(
        "vertex_cover_set_in_cover", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, in_cover
    );
    const bool matched = true;
    if (matched) {
        device.launch_once("vertex_cover_begin", goes_on, matched_found);
        for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
            for (int asked = 0; asked < ahead; asked++) {
                // vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
                device.launch(
                    "vertex_cover_set_partner", graph.num_nodes, graph.num_nodes, graph.row_offsets,
                    graph.columns, graph.in_row_offsets, graph.in_columns, goes_on, partner, in_cover
                );
                // vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
                device.launch(
                    "vertex_cover_set_in_cover_2", graph.num_nodes, graph.num_nodes, goes_on, partner, in_cover,
                    matched_found
                );
                device.launch_once("vertex_cover_end_round", goes_on, matched_found);
            }
            if (!goes_on.read(0)) break;
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: vertex_cover GRAPH [OPTIONS]\n"
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
        Device device(device_number, text_beside(argv[0], "vertex_cover_kernels.cpp"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<unsigned char> in_cover(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            in_cover.fill(0);
            device.finish();
            stopwatch.seconds();
            vertex_cover(device, graph, in_cover);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("in_cover", in_cover.download());
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
