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

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<int> beyond_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> beyond_list(device, graph.num_nodes);
    Buffer<int> beyond_size(device, 1);
    Word<long long> left_result(device);
    int beyond_count = 0;
    color.fill(-1);
    wish.fill(0);
    taken.fill(0);
    waits.fill(false);
    beyond_bits.fill(0);
    beyond_size.fill(0);
    long long left = graph.num_nodes;
    while (left > 0) {
        // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
        device.launch(
            "graph_coloring_set_waits", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, wish, waits
        );
        // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
        device.launch(
            "graph_coloring_bit_or_taken", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, wish, waits, taken
        );
        // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
        left_result.set(0);
        device.launch(
            "graph_coloring_set_waits_2", graph.num_nodes, graph.num_nodes, wish, waits, taken, beyond_bits,
            beyond_list, beyond_size, color, left_result
        );
        left += left_result.read();
        // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
        beyond_count = beyond_size.read(0);
        if (beyond_count > graph.num_nodes / 8) {
            device.launch(
                "graph_coloring_set_beyond_of_many", graph.num_nodes, graph.num_nodes, graph.row_offsets,
                graph.columns, graph.in_row_offsets, graph.in_columns, beyond_bits, color, wish, taken
            );
            beyond_bits.fill(0);
        } else {
            device.launch(
                "graph_coloring_set_beyond", beyond_count, graph.row_offsets, graph.columns, graph.in_row_offsets,
                graph.in_columns, beyond_list, beyond_bits, color, wish, taken, beyond_count
            );
        }
        beyond_size.fill(0);
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<int> beyond_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> beyond_list(device, graph.num_nodes);
    Buffer<int> beyond_size(device, 1);
    Word<long long> left_result(device);
    int beyond_count = 0;
    color.fill(-1);
    wish.fill(0);
    taken.fill(0);
    waits.fill(false);
    beyond_bits.fill(0);
    beyond_size.fill(0);
    long long left = graph.num_nodes;
    while (left > 0) {
        // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
        device.launch(
            "graph_coloring_set_waits_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, wish, waits
        );
        // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
        device.launch(
            "graph_coloring_bit_or_taken_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, wish, waits, taken
        );
        // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
        left_result.set(0);
        device.launch(
            "graph_coloring_set_waits_2", graph.num_nodes, graph.num_nodes, wish, waits, taken, beyond_bits,
            beyond_list, beyond_size, color, left_result
        );
        left += left_result.read();
        // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
        beyond_count = beyond_size.read(0);
        if (beyond_count > graph.num_nodes / 8) {
            device.launch(
                "graph_coloring_set_beyond_of_many_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, beyond_bits, color, wish, taken
            );
            beyond_bits.fill(0);
        } else {
            device.launch(
                "graph_coloring_set_beyond_symmetric", beyond_count, graph.row_offsets, graph.columns, beyond_list,
                beyond_bits, color, wish, taken, beyond_count
            );
        }
        beyond_size.fill(0);
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
