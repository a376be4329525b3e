// triangle_count.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv triangle_count.cu -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" __global__ void __launch_bounds__(256) triangle_count_find_triangles(
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

#line 36 "triangle_count.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    triangle_count_find_triangles<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
    );
    check(cudaGetLastError(), "triangle_count_find_triangles");
    triangles += triangles_result.read();
    return triangles;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        long long returned{};
        program.repeat(device, [&] { returned = triangle_count(device, graph); });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.finish(host);
    });
}
