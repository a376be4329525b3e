// sssp.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv sssp.cu -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_cuda.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
extern "C" __global__ void sssp_min_dist(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ modified, int *dist, const int *__restrict__ weight,
    bool *modified_next, int *finished
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
    if (!finished_part) {
        *finished = 0;
    }
}

#line 47 "sssp.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const WeightedGraph<int> &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;

    Graph(Device &device, const WeightedGraph<int> &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns) {}
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

// What --help says.
static const char *const usage =
    "usage: sssp GRAPH --src NODE [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --src            a node, as the file calls it\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"src", "out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto given_src = arguments.number<long long>("src");
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number);
        const double compile = stopwatch.seconds();
        WeightedGraph<int> host = read_weighted_graph<int>(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        const int src = host.node(given_src);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            Timer timer;
            sssp(device, graph, dist, weight, src);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("dist", dist.download());
        results.add_of_arcs("weight", weight.download());
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
