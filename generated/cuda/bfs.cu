// bfs.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs.cu -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

using namespace starplat;

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
extern "C" __global__ void __launch_bounds__(512, 2) bfs_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *level, int *parent,
    int *bfs_level, unsigned *bfs_level_nodes_words, unsigned *bfs_level_next_words, int src, unsigned *arrived
) {
    __shared__ int new_in_bfs_level_nodes[MOST_NEW + 1];
    Frontier bfs_level_nodes = frontier_in(bfs_level_nodes_words, num_nodes, new_in_bfs_level_nodes);
    __shared__ int new_in_bfs_level_next[MOST_NEW + 1];
    Frontier bfs_level_next = frontier_in(bfs_level_next_words, num_nodes, new_in_bfs_level_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = cell == src ? 0 : INT_MAX;
        parent[cell] = -1;
    }
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = cell == src ? 0 : INT_MAX;
        }
        begin_with(bfs_level_nodes, num_nodes, src);
        clear(bfs_level_next, num_nodes);
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            if (has_many(bfs_level_nodes, num_nodes)) {
                {
                    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
                    // nodes that are not reached yet look for one that is
                    #line 8 "bfs.sp"
                    search_all<true>(num_nodes, in_row_offsets,
                        [&](int neighbor) { return bfs_level[neighbor] == INT_MAX; },
                        [&](int neighbor, arc_t e_in) {
                            const int v = in_columns[e_in];
                            return contains(bfs_level_nodes, v);
                        },
                        [&](int neighbor, arc_t e_in) {
                            bfs_level[neighbor] = depth + 1;
                        }, bfs_level_next);
                    inserted(bfs_level_next, num_nodes, row_offsets);
                }
            } else {
                {
                    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
                    // finds the next BFS level
                    #line 8 "bfs.sp"
                    advance_and_keep(bfs_level_nodes, num_nodes, row_offsets, every_node,
                        [&](int v, arc_t e) {
                            const int neighbor = columns[e];
                            const int bfs_level_of_next = depth + 1;
                            if (bfs_level_of_next < bfs_level[neighbor]) {
                                bfs_level[neighbor] = bfs_level_of_next;
                                insert(bfs_level_next, neighbor);
                            }
                        });
                    inserted(bfs_level_next, num_nodes, row_offsets);
                }
            }
            grid_barrier(arrived);
            {
                // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
                #line 8 "bfs.sp"
                advance(bfs_level_nodes, num_nodes, row_offsets, every_node,
                    [&](int v, arc_t e) {
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
                    });
            }
            depth += 1;
            { auto other = bfs_level_nodes; bfs_level_nodes = bfs_level_next; bfs_level_next = other; }
            found = !is_empty(bfs_level_nodes);
        } while (found);
    }
}

#line 96 "bfs.cu"

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

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<unsigned> bfs_level_nodes(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> bfs_level_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    check_place(src, graph.num_nodes);
    device.launch_together(
        "bfs_loop", bfs_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets,
        graph.in_columns, level, parent, bfs_level, bfs_level_nodes, bfs_level_next, src, arrived
    );
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
        host.add_in_neighbors();
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
