// bfs_levels.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm bfs_levels.cpp -o bfs_levels
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler: nvc++ -O2 -std=c++17 -acc bfs_levels.cpp -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_openacc.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
#pragma acc routine seq
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma acc atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) {
            int place;
            #pragma acc atomic capture
            { place = *size; *size += 1; }
            list[place] = node;
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
extern "C" void bfs_levels_min_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ frontier_list, int *frontier_bits, int *level, int *frontier_next_bits,
    int *frontier_next_list, int *frontier_next_size, int frontier_count
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(4) vector_length(128) \
        deviceptr(row_offsets, columns, frontier_list, frontier_bits, level, frontier_next_bits, \
            frontier_next_list, frontier_next_size)
    for (int place = 0; place < frontier_count; place++) {
        const int v = frontier_list[place];
        frontier_bits[v / 32] = 0;
        #pragma acc loop vector
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            const int candidate = add_inf(level[v], 1);
            if (candidate < level[w] && candidate < atomic_min_int(&level[w], candidate)) {
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
            }
        }
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// nodes that are not reached yet look for one that is
#line 11 "bfs_levels.sp"
extern "C" void bfs_levels_min_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    int *level, const int *__restrict__ frontier_bits, int *frontier_next_bits,
    int *frontier_next_list, int *frontier_next_size
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(in_row_offsets, in_columns, level, frontier_bits, frontier_next_bits, \
            frontier_next_list, frontier_next_size)
    for (int w = 0; w < num_nodes; w++) {
        if (level[w] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[w]; e_in < in_row_offsets[w + 1]; e_in++) {
            const int v = in_columns[e_in];
            if ((frontier_bits[v / 32] & (1 << (v % 32))) != 0) {
                level[w] = add_inf(level[v], 1);
                enlist(w, frontier_next_bits, frontier_next_list, frontier_next_size);
                break;
            }
        }
    }
}

extern "C" void frontier_list_first(
    int *frontier_bits, int *frontier_list, int *frontier_size, int src
) {
    #pragma acc serial deviceptr(frontier_bits, frontier_list, frontier_size)
    {
        enlist(src, frontier_bits, frontier_list, frontier_size);
    }
}

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
// how many arcs the active nodes have
#line 11 "bfs_levels.sp"
extern "C" void arcs_of_frontier_list(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ frontier_list, int frontier_count,
    float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, frontier_list) reduction(+ : active_arcs_part)
    for (int place = 0; place < frontier_count; place++) {
        const int active_node = frontier_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

}  // namespace kernels
#line 123 "bfs_levels.cpp"

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
    Word<float> active_arcs_result(device);
    int frontier_count = 0;
    level.fill(INT_MAX);
    frontier_bits.fill(0);
    frontier_size.fill(0);
    level.write(src, 0);
    check_place(src, graph.num_nodes);
    kernels::frontier_list_first(frontier_bits, frontier_list, frontier_size, src);
    bool finished = false;
    // bfs_levels.sp:10 fixedPoint until (finished : !frontier)
    frontier_next_bits.fill(0);
    frontier_next_size.fill(0);
    frontier_count = frontier_size.read(0);
    do {
        bool pulls = frontier_count > graph.num_nodes / 16;
        if (frontier_count > 4096 && !pulls && frontier_count > graph.num_nodes / 64) {
            float active_arcs = 0.0f;
            active_arcs_result.set(0.0f);
            kernels::arcs_of_frontier_list(
                graph.row_offsets, frontier_list, frontier_count, active_arcs_result
            );
            active_arcs += active_arcs_result.read();
            pulls = active_arcs > (float)(graph.num_arcs / 8LL);
        }
        if (pulls) {
            kernels::bfs_levels_min_level_pull(
                graph.num_nodes, graph.in_row_offsets, graph.in_columns, level, frontier_bits,
                frontier_next_bits, frontier_next_list, frontier_next_size
            );
            frontier_bits.fill(0);
            frontier_size.fill(0);
        } else {
            kernels::bfs_levels_min_level(
                graph.row_offsets, graph.columns, frontier_list, frontier_bits, level, frontier_next_bits,
                frontier_next_list, frontier_next_size, frontier_count
            );
            frontier_size.fill(0);
        }
        std::swap(frontier_bits, frontier_next_bits);
        std::swap(frontier_list, frontier_next_list);
        std::swap(frontier_size, frontier_next_size);
        frontier_count = frontier_size.read(0);
        finished = frontier_count == 0;
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
