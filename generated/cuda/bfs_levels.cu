// bfs_levels.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs_levels.cu -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;

// bfs_levels.sp:10 fixedPoint until (finished : !frontier)
#line 10 "bfs_levels.sp"
extern "C" __global__ void __launch_bounds__(512, 2) bfs_levels_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *level,
    unsigned *frontier_words, unsigned *frontier_next_words, int src, unsigned *arrived
) {
    __shared__ int new_in_frontier[MOST_NEW + 1];
    Frontier frontier = frontier_in(frontier_words, num_nodes, new_in_frontier);
    __shared__ int new_in_frontier_next[MOST_NEW + 1];
    Frontier frontier_next = frontier_in(frontier_next_words, num_nodes, new_in_frontier_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = INT_MAX;
    }
    clear(frontier, num_nodes);
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        level[src] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        insert_alone(frontier, src);
    }
    bool finished = false;
    clear(frontier_next, num_nodes);
    grid_barrier(arrived);
    do {
        if (has_many(frontier, num_nodes)) {
            {
                // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
                // nodes that are not reached yet look for one that is
                #line 11 "bfs_levels.sp"
                search_all(num_nodes, in_row_offsets,
                    [&](int w) { return level[w] == INT_MAX; },
                    [&](int w, arc_t e_in) {
                        const int v = in_columns[e_in];
                        return contains(frontier, v);
                    },
                    [&](int w, arc_t e_in) {
                        const int v = in_columns[e_in];
                        level[w] = add_inf(level[v], 1);
                        insert(frontier_next, w);
                    });
                inserted(frontier_next, num_nodes, row_offsets);
            }
            grid_barrier(arrived);
            clear(frontier, num_nodes);
        } else {
            {
                // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
                #line 11 "bfs_levels.sp"
                advance(frontier, num_nodes, row_offsets, every_node,
                    [&](int v, arc_t e) {
                        const int w = columns[e];
                        const int level_of_next = add_inf(level[v], 1);
                        if (level_of_next < level[w]) {
                            level[w] = level_of_next;
                            insert(frontier_next, w);
                        }
                    });
                inserted(frontier_next, num_nodes, row_offsets);
            }
        }
        { auto other = frontier; frontier = frontier_next; frontier_next = other; }
        grid_barrier(arrived);
        finished = is_empty(frontier);
    } while (!finished);
}

#line 92 "bfs_levels.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns),
          in_row_offsets(device, graph.in_row_offsets),
          in_columns(device, graph.in_columns) {}
};

// bfs_levels.sp:4 function bfs_levels(Graph g, propNode<int> level, node src)
static void bfs_levels(Device &device, Graph &graph, Buffer<int> &level, int src) {
    Buffer<unsigned> frontier(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> frontier_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    check_place(src, graph.num_nodes);
    {
        Buffer<unsigned> arrived(device, 1, 0);
        device.launch_together(
            "bfs_levels_loop", bfs_levels_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, level, frontier, frontier_next, src, arrived
        );
    }
}

// What --help says.
static const char *const usage =
    "usage: bfs_levels GRAPH --src NODE [OPTIONS]\n"
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
        host.add_in_neighbors();
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
