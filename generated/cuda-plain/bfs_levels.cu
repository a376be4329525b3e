// bfs_levels.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs_levels.cu -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

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

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
extern "C" __global__ void bfs_levels_min_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ frontier, int *level, bool *frontier_next, int *finished
) {
    bool finished_part = true;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (!frontier[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(level[v], 1);
            if (candidate < level[w] && candidate < atomicMin(&level[w], candidate)) {
                frontier_next[w] = true;
                finished_part = false;
            }
        }
    }
    if (!finished_part) {
        *finished = 0;
    }
}

#line 46 "bfs_levels.cu"

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

// bfs_levels.sp:4 function bfs_levels(Graph g, propNode<int> level, node src)
static void bfs_levels(Device &device, Graph &graph, Buffer<int> &level, int src) {
    Buffer<unsigned char> frontier(device, graph.num_nodes);
    Buffer<unsigned char> frontier_next(device, graph.num_nodes);
    Word<int> finished_result(device);
    level.fill(INT_MAX);
    frontier.fill(false);
    level.write(src, 0);
    frontier.write(src, true);
    bool finished = false;
    // bfs_levels.sp:10 fixedPoint until (finished : !frontier)
    do {
        finished = true;
        frontier_next.fill(false);
        // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
        finished_result.set(true);
        bfs_levels_min_level<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, frontier, level, frontier_next,
            finished_result
        );
        check(cudaGetLastError(), "bfs_levels_min_level");
        finished = finished && finished_result.read();
        std::swap(frontier, frontier_next);
    } while (!finished);
}

// What --help says.
static const char *const usage =
    "usage: bfs_levels GRAPH --src NODE [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --src         a node, as the file calls it\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --out         writes the results to a .npz or .csv file\n"
    "  --repeat      runs so often, after once to warm up, and says how long that took\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

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
        const int src = host.node(given_src);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            Timer timer;
            bfs_levels(device, graph, level, src);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("level", level.download());
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
