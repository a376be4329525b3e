// graph_coloring.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in graph_coloring.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv graph_coloring.cpp -lOpenCL -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_opencl.hpp"

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Word<int> some_full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    taken.fill(0);
    wins.fill(false);
    full.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool some_full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        some_full_result.set(false);
        left_result.set(0);
        device.launch(
            "graph_coloring_add_color", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, color, taken, full, wins, some_full_result, left_result
        );
        some_full = some_full || some_full_result.read();
        left += left_result.read();
        // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
        device.launch(
            "graph_coloring_bit_or_taken", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, wins, taken, color
        );
        if (some_full) {
            // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
            device.launch(
                "graph_coloring_set_taken", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, color, full, taken
            );
        }
    }
}

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Word<int> some_full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    taken.fill(0);
    wins.fill(false);
    full.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool some_full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        some_full_result.set(false);
        left_result.set(0);
        device.launch(
            "graph_coloring_add_color_symmetric", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
            graph.columns, color, taken, full, wins, some_full_result, left_result
        );
        some_full = some_full || some_full_result.read();
        left += left_result.read();
        // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
        device.launch(
            "graph_coloring_bit_or_taken_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, wins, taken, color
        );
        if (some_full) {
            // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
            device.launch(
                "graph_coloring_set_taken_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, color, full, taken
            );
        }
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "graph_coloring.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? graph_coloring_symmetric(device, graph, color)
                : graph_coloring(device, graph, color);
        });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
