// sssp.sp as a program of its own, for WebGPU.
// Its kernels are in sssp.wgsl.
//
// build: g++ -O2 -std=c++17 -fwrapv sssp.cpp -lwgpu_native -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_webgpu.hpp"

using namespace starplat;


// The buffers of each kernel, by their numbers in its text, and whether they are written.
static const Bindings bindings = {
    {"sssp_min_dist",
        {{0, false}, {1, false}, {2, true}, {3, true}, {4, true}, {5, false}, {6, true}, {7, true}, {8, true}}},
    {"modified_list_first", {{3, true}, {2, true}, {9, true}}},
    {"sssp_min_dist_of_many",
        {{0, false}, {1, false}, {3, true}, {4, true}, {5, false}, {6, true}, {7, true}, {8, true}}},
};

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// sssp.sp:5 function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)
static void sssp(Device &device, Graph &graph, Buffer<int> &dist, Buffer<int> &weight, int src) {
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    int modified_count = 0;
    dist.fill(INT_MAX);
    modified_bits.fill(0);
    modified_size.fill(0);
    dist.write(src, 0);
    check_place(src, graph.num_nodes);
    device.launch_once("modified_list_first", modified_bits, modified_list, modified_size, src);
    bool finished = false;
    // sssp.sp:11 fixedPoint until (finished : !modified)
    modified_next_bits.fill(0);
    modified_next_size.fill(0);
    modified_count = modified_size.read(0);
    do {
        if (modified_count > graph.num_nodes / 8) {
            device.launch(
                "sssp_min_dist_of_many", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                modified_bits, dist, weight, modified_next_bits, modified_next_list, modified_next_size
            );
            modified_bits.fill(0);
        } else {
            device.launch(
                "sssp_min_dist", modified_count, graph.row_offsets, graph.columns, modified_list, modified_bits,
                dist, weight, modified_next_bits, modified_next_list, modified_next_size, modified_count
            );
        }
        modified_size.fill(0);
        std::swap(modified_bits, modified_next_bits);
        std::swap(modified_list, modified_next_list);
        std::swap(modified_size, modified_next_size);
        modified_count = modified_size.read(0);
        finished = modified_count == 0;
    } while (!finished);
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number, text_beside(program.path, "sssp.wgsl"), bindings);
        program.lap("compile");
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        const int src = host.node(given_src);
        program.repeat(device, [&] { sssp(device, graph, dist, weight, src); });
        program.describe(host, device);
        program.results.add_of_nodes("dist", dist.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
