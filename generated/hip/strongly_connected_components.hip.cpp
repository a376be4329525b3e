// strongly_connected_components.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv strongly_connected_components.hip.cpp -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

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

// strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
#line 13 "strongly_connected_components.sp"
extern "C" __global__ void strongly_connected_components_set_color(
    int num_nodes, const int *__restrict__ component, int *color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (component[v] != -1) continue;
        color[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) strongly_connected_components_min_color(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ modified_list,
    int *modified_bits, const int *__restrict__ component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int modified_count
) {
    advance_listed(
        modified_list, modified_count, row_offsets,
        [&](int v) {
            modified_bits[v / 32] = 0;
            return true;
        },
        [&](int v, arc_t e) {
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomicMin(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        });
}

// strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
#line 26 "strongly_connected_components.sp"
extern "C" __global__ void strongly_connected_components_set_component(
    int num_nodes, int *component, const int *__restrict__ color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) strongly_connected_components_max_component(
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_list, int *modified_bits, const int *__restrict__ color, int *component,
    int *modified_next_bits, int *modified_next_list, int *modified_next_size, int modified_count
) {
    advance_listed(
        modified_list, modified_count, in_row_offsets,
        [&](int v) {
            modified_bits[v / 32] = 0;
            return true;
        },
        [&](int v, arc_t in_e) {
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomicMax(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        });
}

// strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
#line 10 "strongly_connected_components.sp"
extern "C" __global__ void strongly_connected_components_find_finished(
    int num_nodes, const int *__restrict__ component, int *finished
) {
    bool finished_part = true;
    for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
        if (component[node] < 0) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 19 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) strongly_connected_components_min_color_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ modified_bits, const int *__restrict__ component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    advance_all(num_nodes, row_offsets,
        [&](int v) { return (modified_bits[v / 32] & (1 << (v % 32))) != 0; },
        [&](int v, arc_t e) {
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomicMin(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        });
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 32 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) strongly_connected_components_max_component_of_many(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_bits, const int *__restrict__ color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    advance_all(num_nodes, in_row_offsets,
        [&](int v) { return (modified_bits[v / 32] & (1 << (v % 32))) != 0; },
        [&](int v, arc_t in_e) {
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomicMax(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        });
}

// strongly_connected_components.sp:42 function trim(Graph g, propNode<node> component)
#line 42 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(512) trim_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *alone, int *component,
    long long *trimmed_found, unsigned *arrived
) {
    int trimmed_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        alone[cell] = false;
    }
    long long trimmed = 1;
    do {
        trimmed = 0;
        {
            // strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
            #line 48 "strongly_connected_components.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (component[v] != -1) continue;
                bool entered = false;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (component[u] == -1 && u != v) entered = true;
                }
                bool leaves = false;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (component[w] == -1 && w != v) leaves = true;
                }
                alone[v] = !(entered && leaves);
            }
        }
        grid_barrier(arrived);
        {
            // strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
            #line 59 "strongly_connected_components.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                trimmed_found[trimmed_turn == 2 ? 0 : trimmed_turn + 1] = 0;
            }
            long long trimmed_part = 0;
            each_kept(num_nodes,
                [&](int v) { return component[v] == -1 && alone[v]; },
                [&](int v) {
                    component[v] = v;
                    trimmed_part += 1;
                });
            __shared__ long long trimmed_part_scratch[16];
            trimmed_part = group_add_long(trimmed_part, trimmed_part_scratch);
            if (threadIdx.x == 0) {
                atomic_add_long(&trimmed_found[trimmed_turn], trimmed_part);
            }
        }
        grid_barrier(arrived);
        trimmed += trimmed_found[trimmed_turn];
        trimmed_turn = trimmed_turn == 2 ? 0 : trimmed_turn + 1;
    } while (trimmed > 0);
}

#line 210 "strongly_connected_components.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// strongly_connected_components.sp:42 function trim(Graph g, propNode<node> component)
static void trim(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> trimmed_found(device, 3, 0);
        device.launch_together(
            "trim_loop", trim_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes, graph.row_offsets,
            graph.columns, graph.in_row_offsets, graph.in_columns, alone, component, trimmed_found, arrived
        );
    }
}

// strongly_connected_components.sp:5 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> color(device, graph.num_nodes);
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    Word<int> finished_result(device);
    int modified_count = 0;
    component.fill(-1);
    color.fill(-1);
    modified_bits.fill(0);
    modified_size.fill(0);
    bool finished = false;
    // strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
    do {
        finished = true;
        trim(device, graph, component);
        // strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
        strongly_connected_components_set_color<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, component, color, modified_bits, modified_list, modified_size
        );
        check(hipGetLastError(), "strongly_connected_components_set_color");
        bool colored = false;
        // strongly_connected_components.sp:18 fixedPoint until (colored : !modified)
        modified_next_bits.fill(0);
        modified_next_size.fill(0);
        modified_count = modified_size.read(0);
        do {
            if (modified_count > graph.num_nodes / 8) {
                strongly_connected_components_min_color_of_many<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
                    graph.num_nodes, graph.row_offsets, graph.columns, modified_bits, component, color,
                    modified_next_bits, modified_next_list, modified_next_size
                );
                check(hipGetLastError(), "strongly_connected_components_min_color_of_many");
                modified_bits.fill(0);
            } else {
                strongly_connected_components_min_color<<<device.blocks(device.busy(modified_count)), 256>>>(
                    graph.row_offsets, graph.columns, modified_list, modified_bits, component, color,
                    modified_next_bits, modified_next_list, modified_next_size, modified_count
                );
                check(hipGetLastError(), "strongly_connected_components_min_color");
            }
            modified_size.fill(0);
            std::swap(modified_bits, modified_next_bits);
            std::swap(modified_list, modified_next_list);
            std::swap(modified_size, modified_next_size);
            modified_count = modified_size.read(0);
            colored = modified_count == 0;
        } while (!colored);
        // strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
        strongly_connected_components_set_component<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, component, color, modified_bits, modified_list, modified_size
        );
        check(hipGetLastError(), "strongly_connected_components_set_component");
        bool collected = false;
        // strongly_connected_components.sp:31 fixedPoint until (collected : !modified)
        modified_next_bits.fill(0);
        modified_next_size.fill(0);
        modified_count = modified_size.read(0);
        do {
            if (modified_count > graph.num_nodes / 8) {
                strongly_connected_components_max_component_of_many<<<device.blocks(device.busy(graph.num_nodes)),
                    256>>>(
                    graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_bits, color, component,
                    modified_next_bits, modified_next_list, modified_next_size
                );
                check(hipGetLastError(), "strongly_connected_components_max_component_of_many");
                modified_bits.fill(0);
            } else {
                strongly_connected_components_max_component<<<device.blocks(device.busy(modified_count)), 256>>>(
                    graph.in_row_offsets, graph.in_columns, modified_list, modified_bits, color, component,
                    modified_next_bits, modified_next_list, modified_next_size, modified_count
                );
                check(hipGetLastError(), "strongly_connected_components_max_component");
            }
            modified_size.fill(0);
            std::swap(modified_bits, modified_next_bits);
            std::swap(modified_list, modified_next_list);
            std::swap(modified_size, modified_next_size);
            modified_count = modified_size.read(0);
            collected = modified_count == 0;
        } while (!collected);
        finished_result.set(true);
        strongly_connected_components_find_finished<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, component, finished_result
        );
        check(hipGetLastError(), "strongly_connected_components_find_finished");
        finished = finished && finished_result.read();
    } while (!finished);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> component(device, graph.num_nodes);
        program.repeat(device, [&] { strongly_connected_components(device, graph, component); });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
