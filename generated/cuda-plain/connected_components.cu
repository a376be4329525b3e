// connected_components.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv connected_components.cu -o connected_components
// run:   ./connected_components GRAPH [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]

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

// connected_components.sp:6 forall (v in g.nodes())
#line 6 "connected_components.sp"
extern "C" __global__ void connected_components_set_component(int num_nodes, int *component) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        component[v] = v;
    }
}

// connected_components.sp:12 forall (e in g.edges())
#line 12 "connected_components.sp"
extern "C" __global__ void connected_components_min_component(
    arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources,
    int *component, int *hooked
) {
    bool hooked_part = false;
    for (arc_t e = blockIdx.x * blockDim.x + threadIdx.x; e < num_arcs; e += gridDim.x * blockDim.x) {
        const int a = component[arc_sources[e]];
        const int b = component[columns[e]];
        if (a != b) {
            hooked_part = true;
            if (b < component[a]) {
                atomicMin(&component[a], b);
            }
            if (a < component[b]) {
                atomicMin(&component[b], a);
            }
        }
    }
    if (hooked_part) {
        *hooked = 1;
    }
}

// connected_components.sp:21 forall (v in g.nodes())
#line 21 "connected_components.sp"
extern "C" __global__ void connected_components_min_component_2(int num_nodes, int *component) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        int root = component[v];
        while (component[root] != root) {
            root = component[root];
        }
        if (root < component[v]) {
            atomicMin(&component[v], root);
        }
    }
}

#line 70 "connected_components.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<int> columns;
    Buffer<int> arc_sources;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          columns(device, graph.columns),
          arc_sources(device, graph.arc_sources) {}
};

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Word<int> hooked_result(device);
    // connected_components.sp:6 forall (v in g.nodes())
    connected_components_set_component<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, component
    );
    check(cudaGetLastError(), "connected_components_set_component");
    bool hooked = true;
    while (hooked) {
        hooked = false;
        // connected_components.sp:12 forall (e in g.edges())
        hooked_result.set(false);
        connected_components_min_component<<<device.blocks(graph.num_arcs), 256>>>(
            graph.num_arcs, graph.columns, graph.arc_sources, component, hooked_result
        );
        check(cudaGetLastError(), "connected_components_min_component");
        hooked = hooked || hooked_result.read();
        // connected_components.sp:21 forall (v in g.nodes())
        connected_components_min_component_2<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, component
        );
        check(cudaGetLastError(), "connected_components_min_component_2");
    }
}

// What --help says.
static const char *const usage =
    "usage: connected_components GRAPH [--undirected] [--out FILE] [--repeat TIMES] [--device NUMBER]\n"
    "  GRAPH         an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected  adds the other direction of every arc that lacks it\n"
    "  --out         writes the results to a .npz or .csv file\n"
    "  --repeat      runs so often, after once to warm up, and says how long that took\n"
    "  --device      which device, by number; 0 is the first\n"
    "  --help        says this\n";

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
        host.add_sources();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> component(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            component.fill(0);
            Timer timer;
            connected_components(device, graph, component);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("component", host.original_ids(component.download()));
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
