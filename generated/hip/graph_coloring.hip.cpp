// graph_coloring.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv graph_coloring.hip.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// graph_coloring.sp:57 function lowest_free(int bits)
#line 57 "graph_coloring.sp"
static __device__ int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:71 function rank(Graph g, node v)
#line 71 "graph_coloring.sp"
static __device__ long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:62 function place(int bit)
#line 62 "graph_coloring.sp"
static __device__ int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
#line 7 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512) graph_coloring_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color, int *taken,
    bool *wins, bool *full, int *some_full_found, long long *left_found, unsigned *arrived
) {
    int some_full_turn = 0;
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
        taken[cell] = 0;
        wins[cell] = false;
        full[cell] = false;
    }
    long long left = num_nodes;
    while (left > 0) {
        bool some_full = false;
        grid_barrier(arrived);
        {
            // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
            #line 15 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                some_full_found[some_full_turn == 2 ? 0 : some_full_turn + 1] = 0;
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            bool some_full_part = false;
            long long left_part = 0;
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
                full[v] = taken[v] == -1;
                wins[v] = !(blocked || taken[v] == -1);
                if (taken[v] == -1) {
                    color[v] -= 1;
                    some_full_part = true;
                } else if (!blocked) {
                    color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
                    left_part -= 1;
                }
            }
            if (__syncthreads_or(some_full_part) && threadIdx.x == 0) {
                some_full_found[some_full_turn] = 1;
            }
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        some_full = some_full || (some_full_found[some_full_turn] != 0);
        some_full_turn = some_full_turn == 2 ? 0 : some_full_turn + 1;
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        {
            // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
            #line 33 "graph_coloring.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!wins[v]) continue;
                wins[v] = false;
                atomicOr(&taken[v], -1);
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (color[u] == ~(color[v] >> 5)) atomicOr(&taken[u], 1 << (color[v] & 31));
                }
            }
        }
        if (some_full) {
            grid_barrier(arrived);
            {
                // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
                #line 43 "graph_coloring.sp"
                for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                    if (!(color[v] < 0 && full[v])) continue;
                    int seen = 0;
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                    for (arc_t i = 0; i < end; i++) {
                        const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                        if (color[u] >> 5 == ~color[v]) seen |= 1 << (color[u] & 31);
                    }
                    taken[v] = seen;
                }
            }
        }
    }
}

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
#line 7 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512) graph_coloring_loop_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *color, int *taken,
    bool *wins, bool *full, int *some_full_found, long long *left_found, unsigned *arrived
) {
    int some_full_turn = 0;
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
        taken[cell] = 0;
        wins[cell] = false;
        full[cell] = false;
    }
    long long left = num_nodes;
    while (left > 0) {
        bool some_full = false;
        grid_barrier(arrived);
        {
            // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
            #line 15 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                some_full_found[some_full_turn == 2 ? 0 : some_full_turn + 1] = 0;
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            bool some_full_part = false;
            long long left_part = 0;
            ask_all(num_nodes, row_offsets,
                [&](int v) { return color[v] < 0; },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    return lowest_free(taken[u]) == lowest_free(taken[v])
                        && rank(u, row_offsets) > rank(v, row_offsets);
                },
                [&](int v, bool blocked) {
                    full[v] = taken[v] == -1;
                    wins[v] = !(blocked || taken[v] == -1);
                    if (taken[v] == -1) {
                        color[v] -= 1;
                        some_full_part = true;
                    } else if (!blocked) {
                        color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
                        left_part -= 1;
                    }
                });
            if (__syncthreads_or(some_full_part) && threadIdx.x == 0) {
                some_full_found[some_full_turn] = 1;
            }
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        some_full = some_full || (some_full_found[some_full_turn] != 0);
        some_full_turn = some_full_turn == 2 ? 0 : some_full_turn + 1;
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        {
            // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
            #line 33 "graph_coloring.sp"
            advance_visited(num_nodes, row_offsets,
                [&](int v) { return wins[v]; },
                [&](int v) {
                    wins[v] = false;
                    atomicOr(&taken[v], -1);
                },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    if (color[u] == ~(color[v] >> 5)) atomicOr(&taken[u], 1 << (color[v] & 31));
                });
        }
        if (some_full) {
            grid_barrier(arrived);
            {
                // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
                #line 43 "graph_coloring.sp"
                gather_all(num_nodes, row_offsets, (int)0,
                    [&](int v) { return color[v] < 0 && full[v]; },
                    [&](int a, int b) -> int { return a | b; },
                    [&](int v, arc_t i) -> int {
                        const int u = columns[i];
                        if (color[u] >> 5 == ~color[v]) return 1 << (color[u] & 31);
                        return 0;
                    },
                    [&](int v, int seen) {
                        taken[v] = seen;
                    });
            }
        }
    }
}

#line 231 "graph_coloring.hip.cpp"

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

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> some_full_found(device, 3, 0);
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop", graph_coloring_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes,
            graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, taken, wins, full,
            some_full_found, left_found, arrived
        );
    }
}

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> some_full_found(device, 3, 0);
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop_symmetric", graph_coloring_loop_symmetric, graph.num_arcs < 4194304 ? 2 : 4,
            graph.num_nodes, graph.row_offsets, graph.columns, color, taken, wins, full, some_full_found,
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
