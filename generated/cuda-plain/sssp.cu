// sssp.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv sssp.cu -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
extern "C" __global__ void sssp_min_dist(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ modified, int *dist, const int *__restrict__ weight, bool *modified_next,
    int *finished
) {
    bool finished_part = true;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomicMin(&dist[nbr], candidate)) {
                modified_next[nbr] = true;
                finished_part = false;
            }
        }
    }
    if (!finished_part) *finished = 0;
}

#line 34 "sssp.cu"

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
    Buffer<unsigned char> modified(device, graph.num_nodes);
    Buffer<unsigned char> modified_next(device, graph.num_nodes);
    Word<int> finished_result(device);
    dist.fill(INT_MAX);
    modified.fill(false);
    dist.write(src, 0);
    modified.write(src, true);
    bool finished = false;
    // sssp.sp:11 fixedPoint until (finished : !modified)
    do {
        finished = true;
        modified_next.fill(false);
        // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
        finished_result.set(true);
        sssp_min_dist<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, modified, dist, weight, modified_next,
            finished_result
        );
        check(cudaGetLastError(), "sssp_min_dist");
        finished = finished && finished_result.read();
        std::swap(modified, modified_next);
    } while (!finished);
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number);
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
