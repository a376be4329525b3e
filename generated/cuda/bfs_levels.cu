// bfs_levels.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs_levels.cu -o bfs_levels
// run:   ./bfs_levels GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

using namespace starplat;

// bfs_levels.sp:10 fixedPoint until (finished : !frontier)
#line 10 "bfs_levels.sp"
extern "C" __global__ void __launch_bounds__(512, 2) bfs_levels_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *level,
    unsigned *frontier_words, unsigned *frontier_next_words, int src, unsigned *arrived
) {
    __shared__ int new_in_frontier[MOST_NEW + 1];
    Frontier frontier = frontier_in(frontier_words, num_nodes, new_in_frontier);
    __shared__ int new_in_frontier_next[MOST_NEW + 1];
    Frontier frontier_next = frontier_in(frontier_next_words, num_nodes, new_in_frontier_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = cell == src ? 0 : INT_MAX;
    }
    begin_with(frontier, num_nodes, src);
    bool finished = false;
    clear(frontier_next, num_nodes);
    int depth = 0;
    grid_barrier(arrived);
    do {
        if (has_many(frontier, num_nodes)) {
            {
                // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
                // nodes that are not reached yet look for one that is
                #line 11 "bfs_levels.sp"
                search_all<true>(num_nodes, in_row_offsets,
                    [&](int w) { return level[w] == INT_MAX; },
                    [&](int w, arc_t e_in) {
                        const int v = in_columns[e_in];
                        return contains(frontier, v);
                    },
                    [&](int w, arc_t e_in) {
                        level[w] = depth + 1;
                    }, frontier_next);
                inserted(frontier_next, num_nodes, row_offsets);
            }
            grid_barrier(arrived);
            clear(frontier, num_nodes);
        } else {
            {
                // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
                #line 11 "bfs_levels.sp"
                advance(frontier, num_nodes, row_offsets, every_node,
                    [&](int v, arc_t e) {
                        const int w = columns[e];
                        const int level_of_next = depth + 1;
                        if (level_of_next < level[w]) {
                            level[w] = level_of_next;
                            insert(frontier_next, w);
                        }
                    });
                inserted(frontier_next, num_nodes, row_offsets);
            }
        }
        depth += 1;
        { auto other = frontier; frontier = frontier_next; frontier_next = other; }
        grid_barrier(arrived);
        finished = is_empty(frontier);
    } while (!finished);
}

#line 74 "bfs_levels.cu"

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

// bfs_levels.sp:4 function bfs_levels(Graph g, propNode<int> level, node src)
static void bfs_levels(Device &device, Graph &graph, Buffer<int> &level, int src) {
    Buffer<unsigned> frontier(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> frontier_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    check_place(src, graph.num_nodes);
    device.launch_together(
        "bfs_levels_loop", bfs_levels_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
        graph.in_row_offsets, graph.in_columns, level, frontier, frontier_next, src, arrived
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
        const int src = host.node(given_src);
        program.repeat(device, [&] { bfs_levels(device, graph, level, src); });
        program.describe(host, device);
        program.results.add_of_nodes("level", level.download());
        program.finish(host);
    });
}
