// connected_components.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv connected_components.hip.cpp -o connected_components
// run:   ./connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
extern "C" __global__ void connected_components_component_start(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *component
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = min(v, columns[first]);
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
extern "C" __global__ void connected_components_component_sample(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *component
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = component[v];
            int above_own = component[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomicMin(&component[v], above_own);
                own = above_own;
                above_own = component[own];
                steps_own += 1;
            }
            int a = component[v];
            int b = component[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = component[high];
                if (held == high) {
                    held = atomicCAS(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomicMin(&component[high], above);
                a = above;
                b = component[low];
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) connected_components_component_join(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *component
) {
    advance_arcs(num_nodes, row_offsets,
        [&](int v, arc_t e) {
            const int u = columns[e];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = component[high];
                if (held == high) {
                    held = atomicCAS(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomicMin(&component[high], above);
                a = above;
                b = component[low];
            }
        });
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
extern "C" __global__ void connected_components_component_flatten(int num_nodes, int *component) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        int held = component[v];
        int above = component[held];
        while (held != above) {
            atomicMin(&component[v], above);
            held = above;
            above = component[held];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) connected_components_component_join_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ component_apart, int *component
) {
    advance_all(num_nodes, row_offsets,
        [&](int v) { return component_apart[v]; },
        [&](int v, arc_t e) {
            const int u = columns[e];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = component[high];
                if (held == high) {
                    held = atomicCAS(&component[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) atomicMin(&component[high], above);
                a = above;
                b = component[low];
            }
        });
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
extern "C" __global__ void connected_components_component_set_apart_symmetric(
    int num_nodes, int *component, bool *component_apart, int middle
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        int held = component[v];
        int above = component[held];
        int steps = 0;
        while (held != above && steps < 64) {
            atomicMin(&component[v], above);
            held = above;
            above = component[held];
            steps += 1;
        }
        int great = component[middle];
        int above_great = component[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomicMin(&component[middle], above_great);
            great = above_great;
            above_great = component[great];
            steps_great += 1;
        }
        component_apart[v] = held != great;
    }
}

#line 171 "connected_components.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    // connected_components.sp:6 forall (v in g.nodes())
    connected_components_component_start<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component
    );
    check(hipGetLastError(), "connected_components_component_start");
    connected_components_component_sample<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component
    );
    check(hipGetLastError(), "connected_components_component_sample");
    connected_components_component_flatten<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, component);
    check(hipGetLastError(), "connected_components_component_flatten");
    connected_components_component_join<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component
    );
    check(hipGetLastError(), "connected_components_component_join");
    connected_components_component_flatten<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, component);
    check(hipGetLastError(), "connected_components_component_flatten");
}

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> component_apart(device, graph.num_nodes);
    // connected_components.sp:6 forall (v in g.nodes())
    const int middle = graph.host.columns[graph.num_arcs / 2];
    connected_components_component_start<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component
    );
    check(hipGetLastError(), "connected_components_component_start");
    connected_components_component_sample<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component
    );
    check(hipGetLastError(), "connected_components_component_sample");
    connected_components_component_set_apart_symmetric<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, component, component_apart, middle
    );
    check(hipGetLastError(), "connected_components_component_set_apart_symmetric");
    connected_components_component_join_symmetric<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, component_apart, component
    );
    check(hipGetLastError(), "connected_components_component_join_symmetric");
    connected_components_component_flatten<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, component);
    check(hipGetLastError(), "connected_components_component_flatten");
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? connected_components_symmetric(device, graph, component)
                : connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
