// label_propagation.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv label_propagation.cu -o label_propagation
// run:   ./label_propagation GRAPH [--iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_maps.hpp"

using namespace starplat;

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
#line 5 "label_propagation.sp"
extern "C" __global__ void __launch_bounds__(512) label_propagation_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *label, int *own_label,
    int *votes_keys, int *votes_sums, int *label_nxt, int iterations, unsigned *arrived
) {
    {
        // label_propagation.sp:7 forall (v in g.nodes())
        #line 7 "label_propagation.sp"
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
            label[v] = v;
        }
    }
    int round_ = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        own_label[cell] = label[cell];
    }
    while (round_ < iterations) {
        grid_barrier(arrived);
        {
            // label_propagation.sp:11 forall (v in g.nodes())
            #line 11 "label_propagation.sp"
            count_rows(num_nodes, votes_keys, votes_sums, every_node,
                [&](int v) { return (long long)row_offsets[v] + in_row_offsets[v]; },
                [&](int v, arc_t i) -> KeyAndValue {
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    return {own_label[u], 1};
                },
                [&](int v, int favourite) {
                    label_nxt[v] = favourite < 0 ? own_label[v] : favourite;
                });
        }
        { auto *other = own_label; own_label = label_nxt; label_nxt = other; }
        round_ += 1;
    }
    grid_barrier(arrived);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        label[cell] = own_label[cell];
    }
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
#line 5 "label_propagation.sp"
extern "C" __global__ void __launch_bounds__(512) label_propagation_loop_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *label,
    int *own_label, int *votes_keys, int *votes_sums, int *label_nxt, int iterations, unsigned *arrived
) {
    {
        // label_propagation.sp:7 forall (v in g.nodes())
        #line 7 "label_propagation.sp"
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
            label[v] = v;
        }
    }
    int round_ = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        own_label[cell] = label[cell];
    }
    while (round_ < iterations) {
        grid_barrier(arrived);
        {
            // label_propagation.sp:11 forall (v in g.nodes())
            #line 11 "label_propagation.sp"
            count_rows(num_nodes, votes_keys, votes_sums, every_node,
                [&](int v) { return row_offsets[v]; },
                [&](int v, arc_t place) -> KeyAndValue {
                    const arc_t i = row_offsets[v] + place;
                    const int u = columns[i];
                    return {own_label[u], 2};
                },
                [&](int v, int favourite) {
                    label_nxt[v] = favourite < 0 ? own_label[v] : favourite;
                });
        }
        { auto *other = own_label; own_label = label_nxt; label_nxt = other; }
        round_ += 1;
    }
    grid_barrier(arrived);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        label[cell] = own_label[cell];
    }
}

#line 100 "label_propagation.cu"

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

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    Buffer<int> votes_keys(device, 4LL * graph.num_arcs);
    Buffer<int> votes_sums(device, 4LL * graph.num_arcs);
    Buffer<int> own_label(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    device.launch_together(
        "label_propagation_loop", label_propagation_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes,
        graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, label, own_label, votes_keys,
        votes_sums, label_nxt, iterations, arrived
    );
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation_symmetric(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    Buffer<int> votes_keys(device, 4LL * graph.num_arcs);
    Buffer<int> votes_sums(device, 4LL * graph.num_arcs);
    Buffer<int> own_label(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    device.launch_together(
        "label_propagation_loop_symmetric", label_propagation_loop_symmetric, graph.num_arcs < 4194304 ? 2 : 4,
        graph.num_nodes, graph.row_offsets, graph.columns, label, own_label, votes_keys, votes_sums, label_nxt,
        iterations, arrived
    );
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"[--iterations INT]", "an int; 10 if not given"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto iterations = program.arguments.number<int>("iterations", 10);
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> label(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? label_propagation_symmetric(device, graph, label, iterations)
                : label_propagation(device, graph, label, iterations);
        });
        program.describe(host, device);
        program.results.add_of_nodes("label", host.original_ids(label.download()));
        program.finish(host);
    });
}
