// closeness.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv closeness.cu -o closeness
// run:   ./closeness GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

using namespace starplat;

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
extern "C" __global__ void closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict__ farness, const int *__restrict__ reached_by, double *closeness
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / (double)farness[v] * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
extern "C" __global__ void __launch_bounds__(512, 2) closeness_centrality_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *level, int *bfs_level,
    unsigned *bfs_level_nodes_words, unsigned *bfs_level_next_words, long long *farness, int *reached_by, int src,
    unsigned *arrived
) {
    __shared__ int new_in_bfs_level_nodes[MOST_NEW + 1];
    Frontier bfs_level_nodes = frontier_in(bfs_level_nodes_words, num_nodes, new_in_bfs_level_nodes);
    __shared__ int new_in_bfs_level_next[MOST_NEW + 1];
    Frontier bfs_level_next = frontier_in(bfs_level_next_words, num_nodes, new_in_bfs_level_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = INT_MAX;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) level[src] = 0;
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = INT_MAX;
        }
        clear(bfs_level_nodes, num_nodes);
        clear(bfs_level_next, num_nodes);
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level[src] = 0;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            insert_alone(bfs_level_nodes, src);
        }
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            if (has_many(bfs_level_nodes, num_nodes)) {
                {
                    // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
                    // nodes that are not reached yet look for one that is
                    #line 13 "closeness.sp"
                    search_all(num_nodes, in_row_offsets,
                        [&](int neighbor) { return bfs_level[neighbor] == INT_MAX; },
                        [&](int neighbor, arc_t e_in) {
                            const int v = in_columns[e_in];
                            return contains(bfs_level_nodes, v);
                        },
                        [&](int neighbor, arc_t e_in) {
                            bfs_level[neighbor] = depth + 1;
                            insert(bfs_level_next, neighbor);
                        });
                    inserted(bfs_level_next, num_nodes, row_offsets);
                }
            } else {
                {
                    // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
                    // finds the next BFS level
                    #line 13 "closeness.sp"
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
                // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
                #line 13 "closeness.sp"
                take_members(bfs_level_nodes, num_nodes, [&](int v) {
                    for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                        const int w = columns[e];
                        if (bfs_level[w] == depth + 1) {
                            const int candidate = level[v] + 1;
                            if (candidate < level[w]) {
                                atomicMin(&level[w], candidate);
                            }
                        }
                    }
                    farness[v] += level[v];
                    reached_by[v] += 1;
                });
            }
            depth += 1;
            { auto other = bfs_level_nodes; bfs_level_nodes = bfs_level_next; bfs_level_next = other; }
            found = !is_empty(bfs_level_nodes);
        } while (found);
    }
}

#line 116 "closeness.cu"

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

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<unsigned> bfs_level_nodes(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> bfs_level_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int src = 0; src < graph.num_nodes; src++) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "closeness_centrality_loop", closeness_centrality_loop, 2, graph.num_nodes, graph.row_offsets,
            graph.columns, graph.in_row_offsets, graph.in_columns, level, bfs_level, bfs_level_nodes,
            bfs_level_next, farness, reached_by, src, arrived
        );
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    closeness_centrality_set_closeness<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, farness, reached_by, closeness
    );
    check(cudaGetLastError(), "closeness_centrality_set_closeness");
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> closeness(device, graph.num_nodes);
        program.repeat(device, [&] { closeness_centrality(device, graph, closeness); });
        program.describe(host, device);
        program.results.add_of_nodes("closeness", watched("closeness", closeness.download(), host, true));
        program.finish(host);
    });
}
