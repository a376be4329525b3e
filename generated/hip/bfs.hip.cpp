// bfs.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv bfs.hip.cpp -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_hip.hpp"

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
#line 8 "bfs.sp"
extern "C" __global__ void __launch_bounds__(256) bfs_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    int *level, int *parent, int *bfs_level, int *bfs_level_order, int *bfs_level_count, int src,
    unsigned *arrived
) {
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = INT_MAX;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        parent[cell] = -1;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        level[src] = 0;
    }
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = INT_MAX;
        }
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            bfs_level[src] = 0;
        }
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            bfs_level_order[0] = src;
        }
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            *bfs_level_count = 1;
        }
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            {
                // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
                // finds the next BFS level
                #line 8 "bfs.sp"
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int groups = groups_for_each(listed_count);
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
                    const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                    for (arc_t place = threadIdx.x; place < count; place += 256) {
                        const int owner = owner_of(&rows, place);
                        const arc_t e = place + rows.shift[owner];
                        const int neighbor = columns[e];
                        const int candidate = depth + 1;
                        if (candidate < bfs_level[neighbor] && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                            const int slot = atomicAdd(bfs_level_count, 1);
                            bfs_level_order[slot] = neighbor;
                        }
                    }
                }
            }
            grid_barrier(arrived);
            {
                // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
                #line 8 "bfs.sp"
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int groups = groups_for_each(listed_count);
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
                    const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                    for (arc_t place = threadIdx.x; place < count; place += 256) {
                        const int owner = owner_of(&rows, place);
                        const int v = rows.node[owner];
                        const arc_t e = place + rows.shift[owner];
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
            depth += 1;
            bfs_level_begin = bfs_level_end;
            bfs_level_end = *bfs_level_count;
            found = bfs_level_begin < bfs_level_end;
        } while (found);
    }
}

#line 117 "bfs.hip.cpp"

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
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    check_place(src, graph.num_nodes);
    {
        Buffer<unsigned> arrived(device, 1, 0);
        device.launch_together(
            "bfs_loop", bfs_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes, graph.row_offsets,
            graph.columns, level, parent, bfs_level, bfs_level_order, bfs_level_count, src, arrived
        );
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
