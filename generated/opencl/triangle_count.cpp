// triangle_count.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in triangle_count.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv triangle_count.cpp -lOpenCL -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

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
    Buffer<int> arc_sources;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns),
          arc_sources(device, graph.arc_sources) {}
};

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<arc_t> kept_ends(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    other_graph_result.set(false);
    downward_excess_result.set(0);
    device.launch(
        "triangle_count_find_triangles_check", graph.num_arcs, graph.num_arcs, graph.row_offsets,
        graph.columns, graph.arc_sources, other_graph_result, downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        device.launch(
            "triangle_count_find_triangles_orient", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, kept_columns, kept_ends
        );
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles_intersect", graph.num_arcs, graph.num_arcs,
            graph.row_offsets, graph.arc_sources, kept_ends, kept_columns, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, triangles_result
        );
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_few_pairs(Device &device, Graph &graph) {
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    device.launch(
        "triangle_count_find_triangles_few_pairs", graph.num_nodes, graph.num_nodes,
        graph.row_offsets, graph.columns, triangles_result
    );
    triangles += triangles_result.read();
    return triangles;
}

// What --help says.
static const char *const usage =
    "usage: triangle_count GRAPH [OPTIONS]\n"
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
        Device device(device_number, text_beside(argv[0], "triangle_count.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_sources();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        const bool has_few_pairs = host.has_even_rows(48, 4);
        device.finish();
        const double upload = stopwatch.seconds();
        long long returned{};
        while (runs.are_left()) {
            device.finish();
            stopwatch.seconds();
            returned = has_few_pairs
                ? triangle_count_few_pairs(device, graph)
                : triangle_count(device, graph);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_returned(returned);
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
