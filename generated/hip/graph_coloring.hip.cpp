// graph_coloring.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv graph_coloring.hip.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// graph_coloring.sp:55 function lowest_free(int bits)
#line 55 "graph_coloring.sp"
static __device__ int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:69 function rank(Graph g, node v)
#line 69 "graph_coloring.sp"
static __device__ long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:60 function place(int bit)
#line 60 "graph_coloring.sp"
static __device__ int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
#line 6 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512) graph_coloring_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color, int *window,
    int *taken, int *wish, bool *waits, int *full_found, long long *left_found, unsigned *arrived
) {
    int full_turn = 0;
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
        window[cell] = 0;
        taken[cell] = 0;
        wish[cell] = 0;
        waits[cell] = false;
    }
    long long left = num_nodes;
    grid_barrier(arrived);
    while (left > 0) {
        bool full = false;
        {
            // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
            #line 15 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                full_found[full_turn == 2 ? 0 : full_turn + 1] = 0;
            }
            bool full_part = false;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (color[v] >= 0) continue;
                bool blocked = false;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                        blocked = true;
                        break;
                    }
                }
                wish[v] = lowest_free(taken[v]);
                waits[v] = blocked || wish[v] == 0;
                if (wish[v] == 0) {
                    window[v] += 1;
                    full_part = true;
                }
            }
            if (full_part) full_found[full_turn] = 1;
        }
        grid_barrier(arrived);
        full = full || (full_found[full_turn] != 0);
        full_turn = full_turn == 2 ? 0 : full_turn + 1;
        {
            // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
            #line 30 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            long long left_part = 0;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!(color[v] < 0 && !waits[v])) continue;
                color[v] = multiply(window[v], 32) + place(wish[v]);
                atomicOr(&taken[v], -1);
                left_part -= 1;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (waits[u] && window[u] == window[v]) atomicOr(&taken[u], wish[v]);
                }
            }
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        if (full) {
            {
                // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
                #line 41 "graph_coloring.sp"
                for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                    if (!(color[v] < 0 && wish[v] == 0)) continue;
                    int seen = 0;
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                    for (arc_t i = 0; i < end; i++) {
                        const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                        if (color[u] >> 5 == window[v]) seen |= 1 << (color[u] & 31);
                    }
                    taken[v] = seen;
                }
            }
            grid_barrier(arrived);
        }
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
#line 6 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512) graph_coloring_loop_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *color, int *window,
    int *taken, int *wish, bool *waits, int *full_found, long long *left_found, unsigned *arrived
) {
    int full_turn = 0;
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
        window[cell] = 0;
        taken[cell] = 0;
        wish[cell] = 0;
        waits[cell] = false;
    }
    long long left = num_nodes;
    grid_barrier(arrived);
    while (left > 0) {
        bool full = false;
        {
            // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
            #line 15 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                full_found[full_turn == 2 ? 0 : full_turn + 1] = 0;
            }
            bool full_part = false;
            ask_all(num_nodes, row_offsets,
                [&](int v) { return color[v] < 0; },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    return lowest_free(taken[u]) == lowest_free(taken[v])
                        && rank(u, row_offsets) > rank(v, row_offsets);
                },
                [&](int v, bool blocked) {
                    wish[v] = lowest_free(taken[v]);
                    waits[v] = blocked || wish[v] == 0;
                    if (wish[v] == 0) {
                        window[v] += 1;
                        full_part = true;
                    }
                });
            if (full_part) full_found[full_turn] = 1;
        }
        grid_barrier(arrived);
        full = full || (full_found[full_turn] != 0);
        full_turn = full_turn == 2 ? 0 : full_turn + 1;
        {
            // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
            #line 30 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            long long left_part = 0;
            advance_all(num_nodes, row_offsets,
                [&](int v) {
                    if (!(color[v] < 0 && !waits[v])) return false;
                    color[v] = multiply(window[v], 32) + place(wish[v]);
                    atomicOr(&taken[v], -1);
                    left_part -= 1;
                    return true;
                },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    if (waits[u] && window[u] == window[v]) atomicOr(&taken[u], wish[v]);
                });
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        if (full) {
            {
                // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
                #line 41 "graph_coloring.sp"
                gather_all(num_nodes, row_offsets, (int)0,
                    [&](int v) { return color[v] < 0 && wish[v] == 0; },
                    [&](int a, int b) -> int { return a | b; },
                    [&](int v, arc_t i) -> int {
                        const int u = columns[i];
                        if (color[u] >> 5 == window[v]) return 1 << (color[u] & 31);
                        return 0;
                    },
                    [&](int v, int seen) {
                        taken[v] = seen;
                    });
            }
            grid_barrier(arrived);
        }
    }
}

#line 232 "graph_coloring.hip.cpp"

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

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> full_found(device, 3, 0);
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop", graph_coloring_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes,
            graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, window, taken, wish,
            waits, full_found, left_found, arrived
        );
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> full_found(device, 3, 0);
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop_symmetric", graph_coloring_loop_symmetric, graph.num_arcs < 4194304 ? 2 : 4,
            graph.num_nodes, graph.row_offsets, graph.columns, color, window, taken, wish, waits, full_found,
            left_found, arrived
        );
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? graph_coloring_symmetric(device, graph, color)
                : graph_coloring(device, graph, color);
        });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
