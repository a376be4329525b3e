// k_core.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in k_core.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv k_core.cpp -lOpenCL -o k_core
// run:   ./k_core GRAPH [OPTIONS]

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
        "k_core_add_degree", device.busy(graph.num_nodes), graph.num_nodes, graph.in_row_offsets, graph.in_columns,
        degree
    );
    long long left = graph.num_nodes;
    int k = 0;
    while (left > 0) {
        long long peeled = 0;
        // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
        peeled_result.set(0);
        device.launch(
            "k_core_set_core", graph.num_nodes, graph.num_nodes, core, degree, peeling_bits, peeling_list,
            peeling_size, k, peeled_result
        );
        peeled += peeled_result.read();
        // k_core.sp:23 forall (v in g.nodes().filter(peeling))
        peeling_count = peeling_size.read(0);
        if (peeling_count > graph.num_nodes / 8) {
            device.launch(
                "k_core_add_degree_2_of_many", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
                graph.columns, peeling_bits, degree
            );
            peeling_bits.fill(0);
        } else {
            device.launch(
                "k_core_add_degree_2", device.busy(peeling_count), graph.row_offsets, graph.columns, peeling_list,
                peeling_bits, degree, peeling_count
            );
        }
        peeling_size.fill(0);
        left -= peeled;
        if (peeled == 0) k += 1;
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "k_core.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> core(device, graph.num_nodes);
        program.repeat(device, [&] { k_core(device, graph, core); });
        program.describe(host, device);
        program.results.add_of_nodes("core", core.download());
        program.finish(host);
    });
}
