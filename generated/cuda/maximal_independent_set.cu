// maximal_independent_set.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv maximal_independent_set.cu -o maximal_independent_set
// run:   ./maximal_independent_set GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// maximal_independent_set.sp:36 function rank(Graph g, node v)
#line 36 "maximal_independent_set.sp"
static __device__ long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
#line 6 "maximal_independent_set.sp"
extern "C" __global__ void __launch_bounds__(512) maximal_independent_set_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *in_set, bool *undecided,
    bool *joins, int *more_found, unsigned *arrived
) {
    int more_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        in_set[cell] = false;
        undecided[cell] = true;
        joins[cell] = false;
    }
    bool more = true;
    do {
        more = false;
        grid_barrier(arrived);
        {
            // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
            #line 13 "maximal_independent_set.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                more_found[more_turn == 2 ? 0 : more_turn + 1] = 0;
            }
            bool more_part = false;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!undecided[v]) continue;
                bool wins = true;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (undecided[u] && u != v) {
                        if (rank(u, row_offsets) < rank(v, row_offsets)) {
                            wins = false;
                            break;
                        }
                    }
                }
                joins[v] = wins;
                if (!wins) more_part = true;
            }
            if (__syncthreads_or(more_part) && threadIdx.x == 0) more_found[more_turn] = 1;
        }
        grid_barrier(arrived);
        more = more || (more_found[more_turn] != 0);
        more_turn = more_turn == 2 ? 0 : more_turn + 1;
        {
            // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
            #line 24 "maximal_independent_set.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!joins[v]) continue;
                in_set[v] = true;
                joins[v] = false;
                undecided[v] = false;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    undecided[u] = false;
                }
            }
        }
    } while (more);
}

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
#line 6 "maximal_independent_set.sp"
extern "C" __global__ void __launch_bounds__(512) maximal_independent_set_loop_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, bool *in_set,
    bool *undecided, bool *joins, int *more_found, unsigned *arrived
) {
    int more_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        in_set[cell] = false;
        undecided[cell] = true;
        joins[cell] = false;
    }
    bool more = true;
    do {
        more = false;
        grid_barrier(arrived);
        {
            // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
            #line 13 "maximal_independent_set.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                more_found[more_turn == 2 ? 0 : more_turn + 1] = 0;
            }
            bool more_part = false;
            ask_all(num_nodes, row_offsets,
                [&](int v) { return undecided[v]; },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    return undecided[u] && u != v && rank(u, row_offsets) < rank(v, row_offsets);
                },
                [&](int v, bool not_wins) {
                    bool wins = !not_wins;
                    joins[v] = wins;
                    if (!wins) more_part = true;
                });
            if (__syncthreads_or(more_part) && threadIdx.x == 0) more_found[more_turn] = 1;
        }
        grid_barrier(arrived);
        more = more || (more_found[more_turn] != 0);
        more_turn = more_turn == 2 ? 0 : more_turn + 1;
        {
            // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
            #line 24 "maximal_independent_set.sp"
            advance_visited(num_nodes, row_offsets,
                [&](int v) { return joins[v]; },
                [&](int v) {
                    in_set[v] = true;
                    joins[v] = false;
                    undecided[v] = false;
                },
                [&](int v, arc_t i) {
                    const int u = columns[i];
                    undecided[u] = false;
                });
        }
    } while (more);
}

#line 145 "maximal_independent_set.cu"

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

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Buffer<unsigned char> joins(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> more_found(device, 3, 0);
        device.launch_together(
            "maximal_independent_set_loop", maximal_independent_set_loop, graph.num_arcs < 4194304 ? 2 : 4,
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, in_set,
            undecided, joins, more_found, arrived
        );
    }
}

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set_symmetric(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Buffer<unsigned char> joins(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> more_found(device, 3, 0);
        device.launch_together(
            "maximal_independent_set_loop_symmetric", maximal_independent_set_loop_symmetric,
            graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes, graph.row_offsets, graph.columns, in_set, undecided,
            joins, more_found, arrived
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
        Buffer<unsigned char> in_set(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? maximal_independent_set_symmetric(device, graph, in_set)
                : maximal_independent_set(device, graph, in_set);
        });
        program.describe(host, device);
        program.results.add_of_nodes("in_set", in_set.download());
        program.finish(host);
    });
}
