// bfs.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs.cu -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 8 "bfs.sp"
extern "C" __global__ void bfs_min_bfs_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level,
    int depth, int *found
) {
    bool found_part = false;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (bfs_level[v] != depth) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                found_part = true;
            }
        }
    }
    if (found_part) *found = 1;
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
extern "C" __global__ void bfs_min_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level, int *level, int *parent, int depth
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (bfs_level[v] != depth) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = level[v] + 1;
                if (candidate < level[w]) {
                    atomicMin(&level[w], candidate);
                }
                if (v > parent[w]) {
                    atomicMax(&parent[w], v);
                }
            }
        }
    }
}

#line 56 "bfs.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Word<int> found_result(device);
    level.fill(INT_MAX);
    parent.fill(-1);
    level.write(src, 0);
    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
    if (src >= 0) {
        bfs_level.fill(INT_MAX);
        bfs_level.write(src, 0);
        int depth = 0;
        bool found = false;
        do {
            found = false;
            found_result.set(false);
            bfs_min_bfs_level<<<device.blocks(graph.num_nodes), 256>>>(
                graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, depth, found_result
            );
            check(cudaGetLastError(), "bfs_min_bfs_level");
            found = found || found_result.read();
            bfs_min_level<<<device.blocks(graph.num_nodes), 256>>>(
                graph.num_nodes, graph.row_offsets, graph.columns, bfs_level, level, parent, depth
            );
            check(cudaGetLastError(), "bfs_min_level");
            depth += 1;
        } while (found);
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> level(device, graph.num_nodes);
        Buffer<int> parent(device, graph.num_nodes);
        const int src = host.node(given_src);
        program.repeat(device, [&] { bfs(device, graph, level, parent, src); });
        program.describe(host, device);
        program.results.add_of_nodes("level", level.download());
        program.results.add_of_nodes("parent", host.original_ids(parent.download()));
        program.finish(host);
    });
}
