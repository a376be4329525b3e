// bfs_levels.sp as a program of its own, for OpenCL 1.2. Its kernels are in bfs_levels.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv bfs_levels.cpp -lOpenCL -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_opencl.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;


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
    Buffer<int> frontier_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> frontier_list(device, graph.num_nodes);
    Buffer<int> frontier_size(device, 1);
    Buffer<int> frontier_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> frontier_next_list(device, graph.num_nodes);
    Buffer<int> frontier_next_size(device, 1);
    Word<int> frontier_count_result(device);
    Word<int> finished_result(device);
    Word<int> turned_result(device);
    Word<float> active_arcs_result(device);
    int frontier_count = 0;
    level.fill(INT_MAX);
    frontier_bits.fill(0);
    frontier_size.fill(0);
    level.write(src, 0);
    check_place(src, graph.num_nodes);
    device.launch_once("frontier_list_first", frontier_bits, frontier_list, frontier_size, src);
    bool finished = false;
    // bfs_levels.sp:10 fixedPoint until (finished : !frontier)
    frontier_next_bits.fill(0);
    frontier_next_size.fill(0);
    frontier_count = frontier_size.read(0);
    const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
    do {
        if (frontier_count < few && frontier_count <= graph.num_nodes / 16) {
            bool turned = false;
            device.launch_group(
                "bfs_levels_few", graph.num_nodes, graph.row_offsets, graph.columns, frontier_list,
                frontier_bits, level, frontier_next_bits, frontier_next_list, frontier_next_size,
                frontier_size, finished, frontier_count, few, turned, frontier_count_result,
                finished_result, turned_result
            );
            frontier_count = frontier_count_result.read();
            finished = finished_result.read();
            turned = turned_result.read();
            if (turned) {
                std::swap(frontier_bits, frontier_next_bits);
                std::swap(frontier_list, frontier_next_list);
                std::swap(frontier_size, frontier_next_size);
            }
        } else {
            bool pulls = frontier_count > graph.num_nodes / 16;
            if (frontier_count > 4096 && !pulls && frontier_count > graph.num_nodes / 64) {
                float active_arcs = 0.0f;
                active_arcs_result.set(0.0f);
                device.launch(
                    "arcs_of_frontier_list", frontier_count, graph.row_offsets, frontier_list, frontier_count,
                    active_arcs_result
                );
                active_arcs += active_arcs_result.read();
                pulls = active_arcs > (float)(graph.num_arcs / 8LL);
            }
            if (pulls) {
                device.launch(
                    "bfs_levels_min_level_pull", graph.num_nodes, graph.num_nodes, graph.in_row_offsets,
                    graph.in_columns, level, frontier_bits, frontier_next_bits, frontier_next_list,
                    frontier_next_size
                );
                frontier_bits.fill(0);
                frontier_size.fill(0);
            } else {
                device.launch(
                    "bfs_levels_min_level", device.busy(frontier_count), graph.row_offsets, graph.columns,
                    frontier_list, frontier_bits, level, frontier_next_bits, frontier_next_list,
                    frontier_next_size, frontier_count
                );
                frontier_size.fill(0);
            }
            std::swap(frontier_bits, frontier_next_bits);
            std::swap(frontier_list, frontier_next_list);
            std::swap(frontier_size, frontier_next_size);
            frontier_count = frontier_size.read(0);
            finished = frontier_count == 0;
        }
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
        Device device(device_number, text_beside(argv[0], "bfs_levels.cl"));
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
            device.finish();
            stopwatch.seconds();
            bfs_levels(device, graph, level, src);
            device.finish();
            runs.add(stopwatch.seconds());
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
