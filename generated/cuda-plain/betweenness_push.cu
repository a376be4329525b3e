// betweenness_push.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv betweenness_push.cu -o betweenness_push
// run:   ./betweenness_push GRAPH --sources NODE,NODE,... [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

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

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 9 "betweenness_push.sp"
extern "C" __global__ void betweenness_min_bfs_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    int *bfs_level, int depth, int *found
) {
    bool found_part = false;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (bfs_level[v] != depth) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                found_part = true;
            }
        }
    }
    if (found_part) {
        *found = 1;
    }
}

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
#line 9 "betweenness_push.sp"
extern "C" __global__ void betweenness_add_sigma(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level, double *sigma, int depth
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (bfs_level[v] != depth) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                atomicAdd(&sigma[w], sigma[v]);
            }
        }
    }
}

// betweenness_push.sp:14 iterateInReverse (v != src)
#line 14 "betweenness_push.sp"
extern "C" __global__ void betweenness_add_delta(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level, double *delta, const double *__restrict__ sigma, double *bc,
    int depth, int src
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (!(bfs_level[v] == depth && v != src)) continue;
        double delta_of_v = delta[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
            }
        }
        delta[v] = delta_of_v;
        bc[v] += delta_of_v;
    }
}

#line 84 "betweenness_push.cu"

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

// betweenness_push.sp:2 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(
    Device &device, Graph &graph, Buffer<double> &bc, Buffer<unsigned char> &sources
) {
    Buffer<double> sigma(device, graph.num_nodes);
    Buffer<double> delta(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Word<int> found_result(device);
    bc.fill(0.0);
    // betweenness_push.sp:4 for (src in sources)
    for (const int src : sources.members()) {
        sigma.fill(0.0);
        delta.fill(0.0);
        sigma.write(src, 1.0);
        // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            int depth = 0;
            bool found = false;
            do {
                found = false;
                found_result.set(false);
                betweenness_min_bfs_level<<<device.blocks(graph.num_nodes), 256>>>(
                    graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, depth, found_result
                );
                check(cudaGetLastError(), "betweenness_min_bfs_level");
                found = found || found_result.read();
                betweenness_add_sigma<<<device.blocks(graph.num_nodes), 256>>>(
                    graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, sigma, depth
                );
                check(cudaGetLastError(), "betweenness_add_sigma");
                depth += 1;
            } while (found);
            while (depth > 0) {
                depth -= 1;
                betweenness_add_delta<<<device.blocks(graph.num_nodes), 256>>>(
                    graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, delta, sigma, bc, depth, src
                );
                check(cudaGetLastError(), "betweenness_add_delta");
            }
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: betweenness_push GRAPH --sources NODE,NODE,... [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --sources     nodes, as the file calls them; @FILE names a file that lists them\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --out         writes the results to a .npz or .csv file\n"
    "  --repeat      runs so often, after once to warm up, and says how long that took\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"sources", "out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto given_sources = arguments.numbers("sources");
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number);
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<double> bc(device, graph.num_nodes);
        Buffer<unsigned char> sources(device, host.marked_nodes(given_sources));
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            Timer timer;
            betweenness(device, graph, bc, sources);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("bc", watched("bc", bc.download(), host));
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
