// bfs_levels.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv bfs_levels.hip.cpp -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

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

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static __device__ void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        const int held = atomicOr(&bits[node / 32], bit);
        if ((held & bit) == 0) {
            const int place = atomicAdd(size, 1);
            list[place] = node;
        }
    }
}

// bfs_levels.sp:10 fixedPoint until (finished : !frontier)
#line 10 "bfs_levels.sp"
extern "C" __global__ void __launch_bounds__(256) bfs_levels_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    int *level, int *frontier_bits, int *frontier_size, int *frontier_list, int *frontier_next_bits,
    int *frontier_next_size, int *frontier_next_list, int src, unsigned *arrived
) {
    int frontier_count = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = INT_MAX;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        frontier_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        *frontier_size = 0;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        level[src] = 0;
    }
    {
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            enlist(src, frontier_bits, frontier_list, frontier_size);
        }
    }
    bool finished = false;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        frontier_next_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        *frontier_next_size = 0;
    }
    grid_barrier(arrived);
    frontier_count = *frontier_size;
    do {
        grid_barrier(arrived);
        {
            // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
            #line 11 "bfs_levels.sp"
            auto &rows = group_memory<GroupRows>();
            for (int begin = 0; begin < frontier_count; begin += gridDim.x * blockDim.x) {
                const int groups = groups_for_each(frontier_count);
                const int brought = listed_node(frontier_list, begin, frontier_count, groups);
                if (brought >= 0) {
                    const int v = brought;
                    frontier_bits[v / 32] = 0;
                }
                const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                for (arc_t place = threadIdx.x; place < count; place += 256) {
                    const int owner = owner_of(&rows, place);
                    const int v = rows.node[owner];
                    const arc_t e = place + rows.shift[owner];
                    const int w = columns[e];
                    const int candidate = add_inf(level[v], 1);
                    if (candidate < level[w] && candidate < atomicMin(&level[w], candidate)) {
                        enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                    }
                }
            }
        }
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            *frontier_size = 0;
        }
        { auto *other = frontier_bits; frontier_bits = frontier_next_bits; frontier_next_bits = other; }
        { auto *other = frontier_list; frontier_list = frontier_next_list; frontier_next_list = other; }
        { auto *other = frontier_size; frontier_size = frontier_next_size; frontier_next_size = other; }
        grid_barrier(arrived);
        frontier_count = *frontier_size;
        finished = frontier_count == 0;
    } while (!finished);
}

#line 108 "bfs_levels.hip.cpp"

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
    Buffer<int> frontier_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> frontier_list(device, graph.num_nodes);
    Buffer<int> frontier_size(device, 1);
    Buffer<int> frontier_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> frontier_next_list(device, graph.num_nodes);
    Buffer<int> frontier_next_size(device, 1);
    check_place(src, graph.num_nodes);
    {
        Buffer<unsigned> arrived(device, std::vector<unsigned>(1, 0));
        device.launch_together(
            "bfs_levels_loop", bfs_levels_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes,
            graph.row_offsets, graph.columns, level, frontier_bits, frontier_size, frontier_list,
            frontier_next_bits, frontier_next_size, frontier_next_list, src, arrived
        );
    }
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
