// betweenness_push.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv betweenness_push.cu -o betweenness_push
// run:   ./betweenness_push GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"
#include "starplat_cuda_sets.hpp"

using namespace starplat;

// betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
#line 9 "betweenness_push.sp"
extern "C" __global__ void __launch_bounds__(512, 2) betweenness_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *sigma, double *delta,
    int *bfs_level, unsigned *bfs_level_nodes_words, unsigned *bfs_level_next_words, int *bfs_level_starts,
    int *bfs_level_order, double *bc, int src, unsigned *arrived
) {
    __shared__ int new_in_bfs_level_nodes[MOST_NEW + 1];
    Frontier bfs_level_nodes = frontier_in(bfs_level_nodes_words, num_nodes, new_in_bfs_level_nodes);
    __shared__ int new_in_bfs_level_next[MOST_NEW + 1];
    Frontier bfs_level_next = frontier_in(bfs_level_next_words, num_nodes, new_in_bfs_level_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        sigma[cell] = cell == src ? 1.0 : 0.0;
    }
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            delta[cell] = 0.0;
            bfs_level[cell] = cell == src ? 0 : INT_MAX;
        }
        begin_with(bfs_level_nodes, num_nodes, src);
        clear(bfs_level_next, num_nodes);
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level_starts[0] = 0;
        int bfs_level_size = 0;
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            list_members(bfs_level_nodes, num_nodes, bfs_level_order + bfs_level_begin);
            if (has_many(bfs_level_nodes, num_nodes)) {
                {
                    // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
                    // nodes that are not reached yet look for one that is
                    #line 9 "betweenness_push.sp"
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
                    // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
                    // finds the next BFS level
                    #line 9 "betweenness_push.sp"
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
                // betweenness_push.sp:9 iterateInBFS (v in g.nodes() from src)
                #line 9 "betweenness_push.sp"
                advance(bfs_level_nodes, num_nodes, row_offsets, every_node,
                    [&](int v, arc_t e) {
                        const int w = columns[e];
                        if (bfs_level[w] == depth + 1) atomicAdd(&sigma[w], sigma[v]);
                    });
            }
            depth += 1;
            { auto other = bfs_level_nodes; bfs_level_nodes = bfs_level_next; bfs_level_next = other; }
            bfs_level_size = size_of(bfs_level_nodes);
            bfs_level_begin = bfs_level_end;
            bfs_level_end += bfs_level_size;
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                bfs_level_starts[depth] = bfs_level_begin;
            }
            found = !is_empty(bfs_level_nodes);
        } while (found);
        grid_barrier(arrived);
        bfs_level_begin = bfs_level_starts[depth];
        while (depth > 0) {
            depth -= 1;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
            grid_barrier(arrived);
            {
                // betweenness_push.sp:14 iterateInReverse (v != src)
                #line 14 "betweenness_push.sp"
                gather_listed(
                    bfs_level_order + bfs_level_begin, bfs_level_end - bfs_level_begin, num_nodes, row_offsets,
                        (double)0.0,
                    [&](int v) { return v != src; },
                    [&](double a, double b) -> double { return a + b; },
                    [&](int v, arc_t e) -> double {
                        const int w = columns[e];
                        if (bfs_level[w] == depth + 1) return sigma[v] / sigma[w] * (1.0 + delta[w]);
                        return 0.0;
                    },
                    [&](int v, double delta_of_v_of_arcs) {
                        double delta_of_v = delta[v];
                        delta_of_v += delta_of_v_of_arcs;
                        delta[v] = delta_of_v;
                        bc[v] += delta_of_v;
                    });
            }
        }
    }
}

#line 128 "betweenness_push.cu"

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

// betweenness_push.sp:2 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(Device &device, Graph &graph, Buffer<double> &bc, FixedSet &sources) {
    Buffer<double> sigma(device, graph.num_nodes);
    Buffer<double> delta(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<unsigned> bfs_level_nodes(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> bfs_level_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<unsigned> arrived(device, 1, 0);
    bc.fill(0.0);
    // betweenness_push.sp:4 for (src in sources)
    for (const int src : sources.members()) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "betweenness_loop", betweenness_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, sigma, delta, bfs_level, bfs_level_nodes, bfs_level_next,
            bfs_level_starts, bfs_level_order, bc, src, arrived
        );
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--sources NODE,NODE,...", "nodes, as the file calls them; @FILE names a file that lists them"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_sources = program.arguments.numbers("sources");
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> bc(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { betweenness(device, graph, bc, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("bc", watched("bc", bc.download(), host));
        program.finish(host);
    });
}
