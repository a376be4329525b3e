// clustering_coefficient.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm clustering_coefficient.cpp -o clustering_coefficient
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc clustering_coefficient.cpp -o clustering_coefficient
// run:   ./clustering_coefficient GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// clustering_coefficient.sp:27 function arcs_to_neighbors(Graph g, node u, node v)
#line 27 "clustering_coefficient.sp"
#pragma acc routine seq
static long long arcs_to_neighbors(
    int u, int v, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns
) {
    long long arcs = 0;
    for (arc_t e = row_offsets[u]; e < row_offsets[u + 1]; e++) {
        const int w = columns[e];
        if (w != u && w != v) {
            if (find_arc(row_offsets, columns, v, w) >= 0 || find_arc(row_offsets, columns, w, v) >= 0) {
                arcs += 1;
            }
        }
    }
    return arcs;
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *lcc
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, in_row_offsets, in_columns, lcc)
    for (int v = 0; v < num_nodes; v++) {
        long long neighbors = 0;
        long long arcs = 0;
        #pragma acc loop vector reduction(+ : neighbors, arcs)
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u != v) {
                neighbors += 1;
                arcs += arcs_to_neighbors(u, v, row_offsets, columns);
            }
        }
        #pragma acc loop vector reduction(+ : neighbors, arcs)
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u_2 = in_columns[in_e];
            if (u_2 != v && find_arc(row_offsets, columns, v, u_2) < 0) {
                neighbors += 1;
                arcs += arcs_to_neighbors(u_2, v, row_offsets, columns);
            }
        }
        lcc[v] = 0.0;
        if (neighbors > 1) {
            const double pairs = (double)multiply_long(neighbors, neighbors - 1);
            lcc[v] = (double)arcs / pairs;
        }
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_check(
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ arc_sources, int *other_graph, long long *downward_excess
) {
    int other_graph_part = 0;
    long long downward_excess_part = 0;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, arc_sources) reduction(|| : other_graph_part) \
        reduction(+ : downward_excess_part)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = 1;
        }
        if (u < v) {
            downward_excess_part += 1;
            if (find_arc(row_offsets, columns, u, v) < 0) other_graph_part = 1;
        }
        if (u > v) downward_excess_part -= 1;
    }
    *other_graph = other_graph_part;
    *downward_excess = downward_excess_part;
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: keeps the arcs to nodes of higher degree
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_orient(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *kept_columns,
    arc_t *kept_ends
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, kept_columns, kept_ends)
    for (int v = 0; v < num_nodes; v++) {
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        arc_t next = row_offsets[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
            if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
                kept_columns[next] = u;
                next += 1;
            }
        }
        kept_ends[v] = next;
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_intersect(
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ arc_sources,
    const arc_t *__restrict__ kept_ends, const int *__restrict__ kept_columns, long long *triangles_of
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, arc_sources, kept_ends, kept_columns, triangles_of)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const arc_t end = kept_ends[v];
        if (e < end) {
            const int u = kept_columns[e];
            arc_t i = row_offsets[v];
            arc_t j = row_offsets[u];
            const arc_t last = kept_ends[u];
            long long here = 0;
            while (i < end && j < last) {
                const int one = kept_columns[i];
                const int other = kept_columns[j];
                if (one == other) {
                    here += 1;
                    #pragma acc atomic update
                    triangles_of[one] += 1;
                }
                if (one <= other) i += 1;
                if (one >= other) j += 1;
            }
            if (here > 0) {
                #pragma acc atomic update
                triangles_of[v] += here;
                #pragma acc atomic update
                triangles_of[u] += here;
            }
        }
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// from the triangles of nodes
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_from_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const long long *__restrict__ triangles_of, double *lcc
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, triangles_of, lcc)
    for (int v = 0; v < num_nodes; v++) {
        long long neighbors = 0;
        long long arcs = 0;
        neighbors += row_offsets[v + 1] - row_offsets[v] - (find_arc(row_offsets, columns, v, v) >= 0 ? 1 : 0);
        arcs += multiply_long(2, triangles_of[v]);
        lcc[v] = 0.0;
        if (neighbors > 1) {
            const double pairs = (double)multiply_long(neighbors, neighbors - 1);
            lcc[v] = (double)arcs / pairs;
        }
    }
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between neighbors before a node and behind it
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_intersect_symmetric_few_pairs(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles_of,
    int *other_graph, int *has_loops
) {
    int other_graph_part = 0;
    int has_loops_part = 0;
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, triangles_of) \
        reduction(|| : other_graph_part, has_loops_part)
    for (int v = 0; v < num_nodes; v++) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (e > row_offsets[v] && columns[e - 1] == u) other_graph_part = 1;
            if (u == v) has_loops_part = 1;
            if (u < v) {
                long long here = 0;
                arc_t i = row_offsets[u + 1] - 1;
                arc_t j = row_offsets[v + 1] - 1;
                while (columns[i] > v && columns[j] > v) {
                    const int one = columns[i];
                    const int other = columns[j];
                    if (one == other) {
                        here += 1;
                        #pragma acc atomic update
                        triangles_of[one] += 1;
                    }
                    if (one >= other) i -= 1;
                    if (one <= other) j -= 1;
                }
                if (here > 0) {
                    #pragma acc atomic update
                    triangles_of[v] += here;
                    #pragma acc atomic update
                    triangles_of[u] += here;
                }
            }
        }
    }
    *other_graph = other_graph_part;
    *has_loops = has_loops_part;
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// from the triangles of nodes
#line 7 "clustering_coefficient.sp"
extern "C" void clustering_coefficient_set_lcc_from_triangles_symmetric_few_pairs(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const long long *__restrict__ triangles_of, double *lcc, bool has_loops
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, triangles_of, lcc)
    for (int v = 0; v < num_nodes; v++) {
        long long neighbors = 0;
        long long arcs = 0;
        neighbors += row_offsets[v + 1] - row_offsets[v] - (has_loops && find_arc(row_offsets, columns, v, v) >= 0 ? 1
            : 0);
        arcs += multiply_long(2, triangles_of[v]);
        lcc[v] = 0.0;
        if (neighbors > 1) {
            const double pairs = (double)multiply_long(neighbors, neighbors - 1);
            lcc[v] = (double)arcs / pairs;
        }
    }
}

}  // namespace kernels
#line 255 "clustering_coefficient.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<arc_t> kept_ends(device, graph.num_nodes);
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    other_graph_result.set(false);
    downward_excess_result.set(0);
    kernels::clustering_coefficient_set_lcc_check(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, other_graph_result,
        downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        kernels::clustering_coefficient_set_lcc_orient(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_ends
        );
        triangles_of.fill(0);
        kernels::clustering_coefficient_set_lcc_intersect(
            graph.num_arcs, graph.row_offsets, graph.arc_sources, kept_ends, kept_columns, triangles_of
        );
        kernels::clustering_coefficient_set_lcc_from_triangles(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, lcc
        );
    } else {
        kernels::clustering_coefficient_set_lcc(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
        );
    }
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_symmetric_few_pairs(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<int> has_loops_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    bool has_loops = false;
    triangles_of.fill(0);
    other_graph_result.set(false);
    has_loops_result.set(false);
    kernels::clustering_coefficient_set_lcc_intersect_symmetric_few_pairs(
        graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, other_graph_result, has_loops_result
    );
    other_graph = other_graph || other_graph_result.read();
    has_loops = has_loops || has_loops_result.read();
    if (!other_graph) {
        kernels::clustering_coefficient_set_lcc_from_triangles_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, lcc, has_loops
        );
    } else {
        kernels::clustering_coefficient_set_lcc(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
        );
    }
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_few_pairs(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<int> has_loops_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    other_graph_result.set(false);
    downward_excess_result.set(0);
    kernels::clustering_coefficient_set_lcc_check(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, other_graph_result,
        downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        bool has_loops = false;
        triangles_of.fill(0);
        other_graph_result.set(false);
        has_loops_result.set(false);
        kernels::clustering_coefficient_set_lcc_intersect_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, other_graph_result, has_loops_result
        );
        other_graph = other_graph || other_graph_result.read();
        has_loops = has_loops || has_loops_result.read();
        kernels::clustering_coefficient_set_lcc_from_triangles_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, lcc, has_loops
        );
    } else {
        kernels::clustering_coefficient_set_lcc(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
        );
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        const bool has_few_pairs = host.has_even_rows(48, 4);
        Buffer<double> lcc(device, graph.num_nodes);
        const auto before = [&] {
            lcc.fill(0);
        };
        program.repeat(device, before, [&] {
            is_symmetric && has_few_pairs
                ? clustering_coefficient_symmetric_few_pairs(device, graph, lcc)
                : !is_symmetric && has_few_pairs
                ? clustering_coefficient_few_pairs(device, graph, lcc)
                : clustering_coefficient(device, graph, lcc);
        });
        program.describe(host, device);
        program.results.add_of_nodes("lcc", watched("lcc", lcc.download(), host, true));
        program.finish(host);
    });
}
