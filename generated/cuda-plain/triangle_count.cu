// triangle_count.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv triangle_count.cu -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

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

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    long long *triangles
) {
    long long triangles_part = 0;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) {
                            triangles_part += 1;
                        }
                    }
                }
            }
        }
    }
    __shared__ long long triangles_scratch[8];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (threadIdx.x == 0) {
        atomic_add_long(triangles, triangles_part);
    }
}

#line 52 "triangle_count.cu"

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

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    triangle_count_find_triangles<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
    );
    check(cudaGetLastError(), "triangle_count_find_triangles");
    triangles += triangles_result.read();
    return triangles;
}

// What --help says.
static const char *const usage =
    "usage: triangle_count GRAPH [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number);
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        device.finish();
        const double upload = stopwatch.seconds();
        long long returned{};
        while (runs.are_left()) {
            Timer timer;
            returned = triangle_count(device, graph);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_returned(returned);
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
