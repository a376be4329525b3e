// graph_coloring.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv graph_coloring.cu -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

using namespace starplat;

// graph_coloring.sp:67 function rank(Graph g, node v)
#line 67 "graph_coloring.sp"
static __device__ long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:58 function free_color(int taken, int least)
#line 58 "graph_coloring.sp"
static __device__ int free_color(int taken, int least) {
    int color = least;
    while (color < multiply(least / 32 + 1, 32) && ((taken >> (color & 31)) & 1) != 0) {
        color += 1;
    }
    return color;
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
#line 6 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512, 2) graph_coloring_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color, int *wish, int *taken,
    bool *waits, unsigned *beyond_words, long long *left_found, unsigned *arrived
) {
    __shared__ int new_in_beyond[MOST_NEW + 1];
    Frontier beyond = frontier_in(beyond_words, num_nodes, new_in_beyond);
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        wish[cell] = 0;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        taken[cell] = 0;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        waits[cell] = false;
    }
    clear(beyond, num_nodes);
    long long left = num_nodes;
    while (left > 0) {
        grid_barrier(arrived);
        {
            // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
            #line 14 "graph_coloring.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (wish[v] < 0) continue;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                        waits[v] = true;
                        break;
                    }
                }
            }
        }
        {
            // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
            #line 22 "graph_coloring.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!(wish[v] >= 0 && !waits[v])) continue;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                        atomicOr(&taken[u], 1 << (wish[v] & 31));
                    }
                }
            }
        }
        grid_barrier(arrived);
        {
            // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
            #line 29 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            long long left_part = 0;
            each_kept(num_nodes,
                [&](int v) { return wish[v] >= 0; },
                [&](int v) {
                    if (waits[v]) {
                        const int next = free_color(taken[v], wish[v]);
                        waits[v] = false;
                        if (next % 32 == 0 && next > wish[v]) {
                            waits[v] = true;
                            insert(beyond, v);
                        }
                        wish[v] = next;
                    } else {
                        color[v] = wish[v];
                        wish[v] = -1;
                        left_part -= 1;
                    }
                });
            inserted(beyond);
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        {
            // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
            #line 44 "graph_coloring.sp"
            take_members(beyond, num_nodes, [&](int v) {
                int seen = 0;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                        seen |= 1 << (color[u] & 31);
                    }
                }
                taken[v] = seen;
            });
        }
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
#line 6 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512, 2) graph_coloring_loop_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *color, int *wish,
    int *taken, bool *waits, unsigned *beyond_words, long long *left_found, unsigned *arrived
) {
    __shared__ int new_in_beyond[MOST_NEW + 1];
    Frontier beyond = frontier_in(beyond_words, num_nodes, new_in_beyond);
    int left_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        wish[cell] = 0;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        taken[cell] = 0;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        waits[cell] = false;
    }
    clear(beyond, num_nodes);
    long long left = num_nodes;
    grid_barrier(arrived);
    while (left > 0) {
        {
            // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
            #line 14 "graph_coloring.sp"
            search_all(num_nodes, row_offsets,
                [&](int v) { return wish[v] >= 0; },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    return wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets);
                },
                [&](int v, arc_t i) {
                    waits[v] = true;
                });
        }
        grid_barrier(arrived);
        {
            // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
            #line 22 "graph_coloring.sp"
            advance_all(num_nodes, row_offsets,
                [&](int v) { return wish[v] >= 0 && !waits[v]; },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                        atomicOr(&taken[u], 1 << (wish[v] & 31));
                    }
                });
        }
        grid_barrier(arrived);
        {
            // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
            #line 29 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                left_found[left_turn == 2 ? 0 : left_turn + 1] = 0;
            }
            long long left_part = 0;
            each_kept(num_nodes,
                [&](int v) { return wish[v] >= 0; },
                [&](int v) {
                    if (waits[v]) {
                        const int next = free_color(taken[v], wish[v]);
                        waits[v] = false;
                        if (next % 32 == 0 && next > wish[v]) {
                            waits[v] = true;
                            insert(beyond, v);
                        }
                        wish[v] = next;
                    } else {
                        color[v] = wish[v];
                        wish[v] = -1;
                        left_part -= 1;
                    }
                });
            inserted(beyond);
            __shared__ long long left_part_scratch[16];
            left_part = group_add_long(left_part, left_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&left_found[left_turn], left_part);
        }
        grid_barrier(arrived);
        left += left_found[left_turn];
        left_turn = left_turn == 2 ? 0 : left_turn + 1;
        {
            // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
            #line 44 "graph_coloring.sp"
            gather(beyond, num_nodes, row_offsets, (int)0, every_node,
                [&](int a, int b) -> int { return a | b; },
                [&](int v, arc_t i) -> int {
                    const int u = columns[i];
                    if (color[u] >= wish[v] && color[u] < wish[v] + 32) return 1 << (color[u] & 31);
                    return 0;
                },
                [&](int v, int seen) {
                    taken[v] = seen;
                });
        }
    }
}

#line 246 "graph_coloring.cu"

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
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<unsigned> beyond(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop", graph_coloring_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, color, wish, taken, waits, beyond, left_found, arrived
        );
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<unsigned> beyond(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> left_found(device, 3, 0);
        device.launch_together(
            "graph_coloring_loop_symmetric", graph_coloring_loop_symmetric, 2, graph.num_nodes, graph.row_offsets,
            graph.columns, color, wish, taken, waits, beyond, left_found, arrived
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
