// label_propagation.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in label_propagation.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv label_propagation.cpp -lOpenCL -o label_propagation
// run:   ./label_propagation GRAPH [--iterations INT] [OPTIONS]

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

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    Buffer<int> votes_keys(device, 4LL * graph.num_arcs);
    Buffer<int> votes_sums(device, 4LL * graph.num_arcs);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    device.launch("label_propagation_set_label", graph.num_nodes, graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        device.launch(
            "label_propagation_set_label_nxt", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
            graph.columns, graph.in_row_offsets, graph.in_columns, votes_keys, votes_sums, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation_symmetric(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    Buffer<int> votes_keys(device, 4LL * graph.num_arcs);
    Buffer<int> votes_sums(device, 4LL * graph.num_arcs);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    device.launch("label_propagation_set_label", graph.num_nodes, graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        device.launch(
            "label_propagation_set_label_nxt_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, votes_keys, votes_sums, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"[--iterations INT]", "an int; 10 if not given"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto iterations = program.arguments.number<int>("iterations", 10);
        Device device(program.device_number, text_beside(program.path, "label_propagation.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> label(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? label_propagation_symmetric(device, graph, label, iterations)
                : label_propagation(device, graph, label, iterations);
        });
        program.describe(host, device);
        program.results.add_of_nodes("label", host.original_ids(label.download()));
        program.finish(host);
    });
}
