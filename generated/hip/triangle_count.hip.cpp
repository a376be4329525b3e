// triangle_count.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv triangle_count.hip.cpp -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles
) {
    long long triangles_part = 0;
    advance_arcs(num_nodes, row_offsets,
        [&](int v, arc_t e) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) triangles_part += 1;
                    }
                }
            }
        });
    __shared__ long long triangles_scratch[8];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (threadIdx.x == 0) atomic_add_long(triangles, triangles_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it? keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles_check(
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
            const int place = atomicAdd(&kept_arcs[v], 1);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
    __shared__ long long downward_excess_scratch[8];
    downward_excess_part = group_add_long(downward_excess_part, downward_excess_scratch);
    if (threadIdx.x == 0) atomic_add_long(downward_excess, downward_excess_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles_intersect(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ kept_columns, const int *__restrict__ kept_arcs, long long *triangles
) {
    long long triangles_part = 0;
    each_triangle<false>(num_nodes, row_offsets, columns, kept_columns, kept_arcs,
        [&](int v, long long number) {
            triangles_part += number;
        });
    __shared__ long long triangles_scratch[8];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (threadIdx.x == 0) atomic_add_long(triangles, triangles_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles_few_pairs(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles
) {
    long long triangles_part = 0;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) triangles_part += 1;
                    }
                }
            }
        }
    }
    __shared__ long long triangles_scratch[8];
    triangles_part = group_add_long(triangles_part, triangles_scratch);
    if (threadIdx.x == 0) atomic_add_long(triangles, triangles_part);
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: is no arc twice? keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
extern "C" __global__ void triangle_count_find_triangles_check_symmetric(
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
            const int place = atomicAdd(&kept_arcs[v], 1);
            kept_columns[row_offsets[v] + (arc_t)place] = u;
        }
    }
    if (other_graph_part) *other_graph = 1;
}

#line 134 "triangle_count.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
};

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    downward_excess_result.set(0);
    triangle_count_find_triangles_check<<<device.blocks(graph.num_arcs), 256>>>(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, kept_arcs, kept_columns,
        other_graph_result, downward_excess_result
    );
    check(hipGetLastError(), "triangle_count_find_triangles_check");
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        triangles_result.set(0);
        triangle_count_find_triangles_intersect<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_result
        );
        check(hipGetLastError(), "triangle_count_find_triangles_intersect");
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        triangle_count_find_triangles<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
        );
        check(hipGetLastError(), "triangle_count_find_triangles");
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_few_pairs(Device &device, Graph &graph) {
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    triangle_count_find_triangles_few_pairs<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
    );
    check(hipGetLastError(), "triangle_count_find_triangles_few_pairs");
    triangles += triangles_result.read();
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_symmetric(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    triangle_count_find_triangles_check_symmetric<<<device.blocks(graph.num_arcs), 256>>>(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, kept_arcs, kept_columns,
        other_graph_result
    );
    check(hipGetLastError(), "triangle_count_find_triangles_check_symmetric");
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        triangles_result.set(0);
        triangle_count_find_triangles_intersect<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_result
        );
        check(hipGetLastError(), "triangle_count_find_triangles_intersect");
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        triangle_count_find_triangles<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
        );
        check(hipGetLastError(), "triangle_count_find_triangles");
        triangles += triangles_result.read();
    }
    return triangles;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        const bool has_few_pairs = host.has_even_rows(8, 4);
        long long returned{};
        program.repeat(device, [&] {
            returned = has_few_pairs
                ? triangle_count_few_pairs(device, graph)
                : is_symmetric && !has_few_pairs
                ? triangle_count_symmetric(device, graph)
                : triangle_count(device, graph);
        });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.finish(host);
    });
}
