// connected_components.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in connected_components.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv connected_components.cpp -lOpenCL -o connected_components
// run:   ./connected_components GRAPH [OPTIONS]

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

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns) {}
};

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    // connected_components.sp:6 forall (v in g.nodes())
    device.launch(
        "connected_components_component_start", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, component
    );
    device.launch(
        "connected_components_component_sample", graph.num_nodes, graph.num_nodes,
        graph.row_offsets, graph.columns, component
    );
    device.launch(
        "connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component
    );
    device.launch(
        "connected_components_component_join", device.busy(graph.num_nodes), graph.num_nodes,
        graph.row_offsets, graph.columns, component
    );
    device.launch(
        "connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component
    );
}

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> component_apart(device, graph.num_nodes);
    // connected_components.sp:6 forall (v in g.nodes())
    device.launch(
        "connected_components_component_start", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, component
    );
    device.launch(
        "connected_components_component_sample", graph.num_nodes, graph.num_nodes,
        graph.row_offsets, graph.columns, component
    );
    device.launch(
        "connected_components_component_set_apart_symmetric", graph.num_nodes, graph.num_nodes,
        graph.num_arcs, graph.columns, component, component_apart
    );
    device.launch(
        "connected_components_component_join_symmetric", device.busy(graph.num_nodes),
        graph.num_nodes, graph.row_offsets, graph.columns, component_apart, component
    );
    device.launch(
        "connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component
    );
}

// What --help says.
static const char *const usage =
    "usage: connected_components GRAPH [OPTIONS]\n"
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
        Device device(device_number, text_beside(argv[0], "connected_components.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            component.fill(0);
            device.finish();
            stopwatch.seconds();
            is_symmetric
                ? connected_components_symmetric(device, graph, component)
                : connected_components(device, graph, component);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("component", host.original_ids(component.download()));
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
