// maximal_independent_set.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm maximal_independent_set.cpp -o maximal_independent_set
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc maximal_independent_set.cpp -o maximal_independent_set
// run:   ./maximal_independent_set GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// maximal_independent_set.sp:36 function rank(Graph g, node v)
#line 36 "maximal_independent_set.sp"
#pragma acc routine seq
static long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_joins(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const bool *__restrict__ undecided, bool *joins, int *more
) {
    int more_part = 0;
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, in_row_offsets, in_columns, undecided, joins) \
        reduction(|| : more_part)
    for (int v = 0; v < num_nodes; v++) {
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
        if (!wins) more_part = 1;
    }
    *more = more_part;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_in_set(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *joins, bool *in_set,
    bool *undecided
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, in_row_offsets, in_columns, joins, in_set, undecided)
    for (int v = 0; v < num_nodes; v++) {
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

// maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
#line 13 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_joins_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ undecided, bool *joins, int *more
) {
    int more_part = 0;
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, undecided, joins) reduction(|| : more_part)
    for (int v = 0; v < num_nodes; v++) {
        if (!undecided[v]) continue;
        bool wins = true;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (undecided[u] && u != v) {
                if (rank(u, row_offsets) < rank(v, row_offsets)) {
                    wins = false;
                    break;
                }
            }
        }
        joins[v] = wins;
        if (!wins) more_part = 1;
    }
    *more = more_part;
}

// maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
#line 24 "maximal_independent_set.sp"
extern "C" void maximal_independent_set_set_in_set_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, bool *joins,
    bool *in_set, bool *undecided
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, joins, in_set, undecided)
    for (int v = 0; v < num_nodes; v++) {
        if (!joins[v]) continue;
        in_set[v] = true;
        joins[v] = false;
        undecided[v] = false;
        #pragma acc loop vector
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            undecided[u] = false;
        }
    }
}

}  // namespace kernels
#line 135 "maximal_independent_set.cpp"

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
    Word<int> more_result(device);
    in_set.fill(false);
    undecided.fill(true);
    joins.fill(false);
    bool more = true;
    do {
        more = false;
        // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
        more_result.set(false);
        kernels::maximal_independent_set_set_joins(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, undecided,
            joins, more_result
        );
        more = more || more_result.read();
        // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
        kernels::maximal_independent_set_set_in_set(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, joins,
            in_set, undecided
        );
    } while (more);
}

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set_symmetric(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Buffer<unsigned char> joins(device, graph.num_nodes);
    Word<int> more_result(device);
    in_set.fill(false);
    undecided.fill(true);
    joins.fill(false);
    bool more = true;
    do {
        more = false;
        // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
        more_result.set(false);
        kernels::maximal_independent_set_set_joins_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, undecided, joins, more_result
        );
        more = more || more_result.read();
        // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
        kernels::maximal_independent_set_set_in_set_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, joins, in_set, undecided
        );
    } while (more);
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
