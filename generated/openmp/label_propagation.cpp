// label_propagation.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp label_propagation.cpp -o label_propagation
// run:   ./label_propagation GRAPH [--iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// label_propagation.sp:7 forall (v in g.nodes())
#line 7 "label_propagation.sp"
extern "C" void label_propagation_set_label(int num_nodes, int *label) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
extern "C" void label_propagation_set_label_nxt(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ label,
    int *label_nxt
) {
    #pragma omp parallel
    {
        std::vector<int> sum_of(num_nodes);
        #pragma omp for schedule(dynamic, 64) nowait
        for (int v = 0; v < num_nodes; v++) {
            const arc_t first_out = row_offsets[v];
            const arc_t outs = row_offsets[v + 1] - first_out;
            const arc_t first_in = in_row_offsets[v];
            int favourite = -1;
            int most = 0;
            const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
            for (arc_t i = 0; i < end; i++) {
                const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                const int key = label[u];
                if (key >= 0) {
                    const int sum = sum_of[key] + 1;
                    sum_of[key] = sum;
                    if (sum > most || (sum == most && key < favourite)) {
                        favourite = key;
                        most = sum;
                    }
                }
            }
            const arc_t end_2 = outs + (in_row_offsets[v + 1] - first_in);
            for (arc_t i_2 = 0; i_2 < end_2; i_2++) {
                const int u_2 = i_2 < outs ? columns[first_out + i_2] : in_columns[first_in + (i_2 - outs)];
                const int key_2 = label[u_2];
                if (key_2 >= 0) sum_of[key_2] = 0;
            }
            label_nxt[v] = favourite < 0 ? label[v] : favourite;
        }
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
extern "C" void label_propagation_set_label_nxt_symmetric_few_pairs(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ label, int *label_nxt
) {
    #pragma omp parallel
    {
        std::vector<int> sum_of(num_nodes);
        #pragma omp for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) nowait
        for (int v = 0; v < num_nodes; v++) {
            int favourite = -1;
            const arc_t first = row_offsets[v];
            const arc_t last = row_offsets[v + 1] - 1;
            if (first <= last && last - first < 4) {
                const int u_3 = columns[first];
                const int key_3 = label[u_3];
                const int u_4 = columns[smaller_long(first + 1, last)];
                const int key_4 = label[u_4];
                const int u_5 = columns[smaller_long(first + 2, last)];
                const int key_5 = label[u_5];
                const int u_6 = columns[last];
                const int key_6 = label[u_6];
                if ((key_3 != key_4 || last - first < 1) && ((key_3 != key_5 && key_4 != key_5) || last - first < 2)
                        && ((key_3 != key_6 && key_4 != key_6 && key_5 != key_6) || last - first < 3)) {
                    favourite = smaller_int(smaller_int(smaller_int(key_3, key_4), key_5), key_6);
                }
            }
            if (favourite < 0) {
                int most = 0;
                for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
                    const int u = columns[i];
                    const int key = label[u];
                    if (key >= 0) {
                        const int sum = sum_of[key] + 2;
                        sum_of[key] = sum;
                        if (sum > most || (sum == most && key < favourite)) {
                            favourite = key;
                            most = sum;
                        }
                    }
                }
                for (arc_t i_2 = row_offsets[v]; i_2 < row_offsets[v + 1]; i_2++) {
                    const int u_2 = columns[i_2];
                    const int key_2 = label[u_2];
                    if (key_2 >= 0) sum_of[key_2] = 0;
                }
            }
            label_nxt[v] = favourite < 0 ? label[v] : favourite;
        }
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
#line 11 "label_propagation.sp"
extern "C" void label_propagation_set_label_nxt_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ label, int *label_nxt
) {
    #pragma omp parallel
    {
        std::vector<int> sum_of(num_nodes);
        #pragma omp for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) nowait
        for (int v = 0; v < num_nodes; v++) {
            int favourite = -1;
            int most = 0;
            for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
                const int u = columns[i];
                const int key = label[u];
                if (key >= 0) {
                    const int sum = sum_of[key] + 2;
                    sum_of[key] = sum;
                    if (sum > most || (sum == most && key < favourite)) {
                        favourite = key;
                        most = sum;
                    }
                }
            }
            for (arc_t i_2 = row_offsets[v]; i_2 < row_offsets[v + 1]; i_2++) {
                const int u_2 = columns[i_2];
                const int key_2 = label[u_2];
                if (key_2 >= 0) sum_of[key_2] = 0;
            }
            label_nxt[v] = favourite < 0 ? label[v] : favourite;
        }
    }
}

}  // namespace kernels
#line 154 "label_propagation.cpp"

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
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    kernels::label_propagation_set_label(graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        kernels::label_propagation_set_label_nxt(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, label,
            label_nxt
        );
        label.copy_from(label_nxt);
    }
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation_symmetric_few_pairs(
    Device &device, Graph &graph, Buffer<int> &label, int iterations
) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    kernels::label_propagation_set_label(graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        kernels::label_propagation_set_label_nxt_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, label, label_nxt
        );
        label.copy_from(label_nxt);
    }
}

// label_propagation.sp:5 function label_propagation(Graph g, propNode<node> label, int iterations = 10)
static void label_propagation_symmetric(Device &device, Graph &graph, Buffer<int> &label, int iterations) {
    Buffer<int> label_nxt(device, graph.num_nodes);
    label_nxt.fill(-1);
    // label_propagation.sp:7 forall (v in g.nodes())
    kernels::label_propagation_set_label(graph.num_nodes, label);
    for (int round_ = 0; round_ < iterations; round_++) {
        // label_propagation.sp:11 forall (v in g.nodes())
        kernels::label_propagation_set_label_nxt_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, label, label_nxt
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
        const bool has_few_pairs = host.has_even_rows(8, 4);
        Buffer<int> label(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric && has_few_pairs
                ? label_propagation_symmetric_few_pairs(device, graph, label, iterations)
                : is_symmetric && !has_few_pairs
                ? label_propagation_symmetric(device, graph, label, iterations)
                : label_propagation(device, graph, label, iterations);
        });
        program.describe(host, device);
        program.results.add_of_nodes("label", host.original_ids(label.download()));
        program.finish(host);
    });
}
