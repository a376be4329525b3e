// clustering_coefficient.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv clustering_coefficient.cu -o clustering_coefficient
// run:   ./clustering_coefficient GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// clustering_coefficient.sp:27 function arcs_to_neighbors(Graph g, node u, node v)
#line 27 "clustering_coefficient.sp"
static __device__ long long arcs_to_neighbors(
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
extern "C" __global__ void clustering_coefficient_set_lcc(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *lcc
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        long long neighbors = 0;
        long long arcs = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u != v) {
                neighbors += 1;
                arcs += arcs_to_neighbors(u, v, row_offsets, columns);
            }
        }
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
// triangles: does every arc have its reverse, and none beside it? keeps the arcs to nodes of higher degree
#line 7 "clustering_coefficient.sp"
extern "C" __global__ void __launch_bounds__(256) clustering_coefficient_set_lcc_check(
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ arc_sources, int *kept_arcs, int *kept_columns, int *other_graph,
    long long *downward_excess
) {
    bool other_graph_part = false;
    long long downward_excess_part = 0;
    for (arc_t e = blockIdx.x * blockDim.x + threadIdx.x; e < num_arcs; e += gridDim.x * blockDim.x) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = true;
        }
        if (u < v) {
            downward_excess_part += 1;
            if (find_arc(row_offsets, columns, u, v) < 0) other_graph_part = true;
        }
        if (u > v) downward_excess_part -= 1;
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
        if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
            const int place = atomic_next(&kept_arcs[v]);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
    __shared__ long long downward_excess_scratch[8];
    downward_excess_part = group_add_long(downward_excess_part, downward_excess_scratch);
    if (threadIdx.x == 0) atomic_add_long(downward_excess, downward_excess_part);
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "clustering_coefficient.sp"
extern "C" __global__ void clustering_coefficient_set_lcc_intersect(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ kept_columns, const int *__restrict__ kept_arcs, long long *triangles_of
) {
    each_triangle<true>(num_nodes, row_offsets, columns, kept_columns, kept_arcs,
        [&](int v, long long number) {
            atomic_add_long(&triangles_of[v], number);
        });
}

// clustering_coefficient.sp:7 forall (v in g.nodes())
// from the triangles of nodes
#line 7 "clustering_coefficient.sp"
extern "C" __global__ void clustering_coefficient_set_lcc_from_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const long long *__restrict__ triangles_of, double *lcc
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
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
// triangles: is no arc twice? keeps the arcs to nodes of higher degree
#line 7 "clustering_coefficient.sp"
extern "C" __global__ void clustering_coefficient_set_lcc_check_symmetric(
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ arc_sources, int *kept_arcs, int *kept_columns, int *other_graph
) {
    bool other_graph_part = false;
    for (arc_t e = blockIdx.x * blockDim.x + threadIdx.x; e < num_arcs; e += gridDim.x * blockDim.x) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = true;
        }
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
        if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
            const int place = atomic_next(&kept_arcs[v]);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
}

#line 151 "clustering_coefficient.cu"

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
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    downward_excess_result.set(0);
    clustering_coefficient_set_lcc_check<<<device.blocks(graph.num_arcs), 256>>>(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, kept_arcs, kept_columns,
        other_graph_result, downward_excess_result
    );
    check(cudaGetLastError(), "clustering_coefficient_set_lcc_check");
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        triangles_of.fill(0);
        clustering_coefficient_set_lcc_intersect<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_of
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc_intersect");
        clustering_coefficient_set_lcc_from_triangles<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, lcc
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc_from_triangles");
    } else {
        clustering_coefficient_set_lcc<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc");
    }
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_few_pairs(Device &device, Graph &graph, Buffer<double> &lcc) {
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    clustering_coefficient_set_lcc<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
    );
    check(cudaGetLastError(), "clustering_coefficient_set_lcc");
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_symmetric(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    clustering_coefficient_set_lcc_check_symmetric<<<device.blocks(graph.num_arcs), 256>>>(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, kept_arcs, kept_columns,
        other_graph_result
    );
    check(cudaGetLastError(), "clustering_coefficient_set_lcc_check_symmetric");
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        triangles_of.fill(0);
        clustering_coefficient_set_lcc_intersect<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_of
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc_intersect");
        clustering_coefficient_set_lcc_from_triangles<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_of, lcc
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc_from_triangles");
    } else {
        clustering_coefficient_set_lcc<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, lcc
        );
        check(cudaGetLastError(), "clustering_coefficient_set_lcc");
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
        const bool has_few_pairs = host.has_even_rows(8, 4);
        Buffer<double> lcc(device, graph.num_nodes);
        const auto before = [&] {
            lcc.fill(0);
        };
        program.repeat(device, before, [&] {
            has_few_pairs
                ? clustering_coefficient_few_pairs(device, graph, lcc)
                : is_symmetric && !has_few_pairs
                ? clustering_coefficient_symmetric(device, graph, lcc)
                : clustering_coefficient(device, graph, lcc);
        });
        program.describe(host, device);
        program.results.add_of_nodes("lcc", watched("lcc", lcc.download(), host, true));
        program.finish(host);
    });
}
