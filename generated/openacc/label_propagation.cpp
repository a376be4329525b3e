// label_propagation.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm label_propagation.cpp -o label_propagation
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc label_propagation.cpp -o label_propagation
// run:   ./label_propagation GRAPH [--iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// adds to the sum of a key
#pragma acc routine seq
static void add_to_map(int *keys, int *sums, long long first, long long end, int key, int value) {
    if (key < 0) return;
    long long slot = first + (multiply_long(multiply(key, -1640531535) & INT_MAX, end - first) >> 31);
    while (keys[slot] != key && keys[slot] != -1) {
        slot = slot + 1 < end ? slot + 1 : first;
    }
    sums[slot] = (keys[slot] == key ? sums[slot] : 0) + value;
    keys[slot] = key;
}

// the key with the largest sum, the smallest of equals
#pragma acc routine seq
static int best_of_map(const int *keys, const int *sums, long long first, long long end) {
    int best = -1;
    int most = 0;
    for (long long slot = first; slot < end; slot++) {
        if (keys[slot] != -1 && (best < 0 || (sums[slot] > most || (sums[slot] == most && keys[slot] < best)))) {
            best = keys[slot];
            most = sums[slot];
        }
    }
    return best;
}

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
extern "C" void label_propagation_set_label(int num_nodes, int *label) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(label)
    for (int v = 0; v < num_nodes; v++) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
extern "C" void label_propagation_set_label_nxt(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *votes_keys, int *votes_sums,
    const int *__restrict__ label, int *label_nxt
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, in_row_offsets, in_columns, votes_keys, votes_sums, label, \
            label_nxt)
    for (int v = 0; v < num_nodes; v++) {
        const long long first_slot = multiply_long(2, (long long)row_offsets[v] + in_row_offsets[v]);
        const long long end_slot = multiply_long(2, (long long)row_offsets[v + 1] + in_row_offsets[v + 1]);
        for (long long slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            add_to_map(votes_keys, votes_sums, first_slot, end_slot, label[u], 1);
        }
        const int favourite = best_of_map(votes_keys, votes_sums, first_slot, end_slot);
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
extern "C" void label_propagation_set_label_nxt_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *votes_keys,
    int *votes_sums, const int *__restrict__ label, int *label_nxt
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, votes_keys, votes_sums, label, label_nxt)
    for (int v = 0; v < num_nodes; v++) {
        const long long first_slot = multiply_long(2, row_offsets[v]);
        const long long end_slot = multiply_long(2, row_offsets[v + 1]);
        for (long long slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            add_to_map(votes_keys, votes_sums, first_slot, end_slot, label[u], 2);
        }
        const int favourite = best_of_map(votes_keys, votes_sums, first_slot, end_slot);
        label_nxt[v] = favourite < 0 ? label[v] : favourite;
    }
}

}  // namespace kernels
#line 108 "label_propagation.cpp"

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
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    kernels::label_propagation_set_label(graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        kernels::label_propagation_set_label_nxt(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, votes_keys,
            votes_sums, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation_symmetric(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    Buffer<int> votes_keys(device, 4LL * graph.num_arcs);
    Buffer<int> votes_sums(device, 4LL * graph.num_arcs);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    kernels::label_propagation_set_label(graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        kernels::label_propagation_set_label_nxt_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, votes_keys, votes_sums, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
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
