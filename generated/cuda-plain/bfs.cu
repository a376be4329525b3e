// bfs.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs.cu -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 8 "bfs.sp"
extern "C" __global__ void bfs_min_bfs_level(
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

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
extern "C" __global__ void bfs_min_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level, int *level, int *parent, int depth
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (bfs_level[v] != depth) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = add_inf(level[v], 1);
                if (candidate < level[w]) {
                    atomicMin(&level[w], candidate);
                }
                if (v > parent[w]) {
                    atomicMax(&parent[w], v);
                }
            }
        }
    }
}

#line 69 "bfs.cu"

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

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Word<int> found_result(device);
    level.fill(INT_MAX);
    parent.fill(-1);
    level.write(src, 0);
    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
    if (src >= 0) {
        bfs_level.fill(INT_MAX);
        bfs_level.write(src, 0);
        int depth = 0;
        bool found = false;
        do {
            found = false;
            found_result.set(false);
            bfs_min_bfs_level<<<device.blocks(graph.num_nodes), 256>>>(
                graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, depth, found_result
            );
            check(cudaGetLastError(), "bfs_min_bfs_level");
            found = found || found_result.read();
            bfs_min_level<<<device.blocks(graph.num_nodes), 256>>>(
                graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, level, parent, depth
            );
            check(cudaGetLastError(), "bfs_min_level");
            depth += 1;
        } while (found);
    }
}

// What --help says.
static const char *const usage =
    "usage: bfs GRAPH --src NODE [OPTIONS]\n"
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
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> level(device, graph.num_nodes);
        Buffer<int> parent(device, graph.num_nodes);
        const int src = host.node(given_src);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            Timer timer;
            bfs(device, graph, level, parent, src);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("level", level.download());
        results.add_of_nodes("parent", host.original_ids(parent.download()));
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
