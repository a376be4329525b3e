// betweenness.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv betweenness.hip.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

using namespace starplat;

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
#line 21 "betweenness.sp"
extern "C" __global__ void __launch_bounds__(512) betweenness_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *paths, int *power,
    double *share, int *bfs_level, unsigned *bfs_level_nodes_words, unsigned *bfs_level_next_words,
    bool *bfs_level_marks, int *bfs_level_starts, int *bfs_level_order, double *bc, int src, double many,
    double unit, double most, double sure, unsigned *arrived
) {
    __shared__ int new_in_bfs_level_nodes[MOST_NEW + 1];
    Frontier bfs_level_nodes = frontier_in(bfs_level_nodes_words, num_nodes, new_in_bfs_level_nodes);
    __shared__ int new_in_bfs_level_next[MOST_NEW + 1];
    Frontier bfs_level_next = frontier_in(bfs_level_next_words, num_nodes, new_in_bfs_level_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        paths[cell] = cell == src ? 1.0 : 0.0;
    }
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            power[cell] = 0;
            share[cell] = 0.0;
            bfs_level[cell] = cell == src ? 0 : INT_MAX;
        }
        begin_with(bfs_level_nodes, num_nodes, src);
        clear(bfs_level_next, num_nodes);
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level_marks[cell] = false;
        }
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level_starts[0] = 0;
        int bfs_level_size = 0;
        int bfs_level_end_next = 0;
        bool few = false;
        int depth = 0;
        bool found = false;
        grid_barrier(arrived);
        do {
            list_members(bfs_level_nodes, num_nodes, bfs_level_order + bfs_level_begin);
            if (has_many(bfs_level_nodes, num_nodes)) {
                {
                    // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
                    // nodes that are not reached yet look for one that is
                    #line 21 "betweenness.sp"
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
                grid_barrier(arrived);
            } else {
                {
                    // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
                    // finds the next BFS level
                    #line 21 "betweenness.sp"
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
            if (listed(bfs_level_nodes) < 0) grid_barrier(arrived);
            {
                // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
                #line 21 "betweenness.sp"
                gather(bfs_level_nodes, bfs_level_order + bfs_level_begin, num_nodes, in_row_offsets, (double)0.0,
                    every_node,
                    [&](double a, double b) -> double { return a + b; },
                    [&](int v, arc_t in_e) -> double {
                        const int u = in_columns[in_e];
                        if (bfs_level[u] == depth - 1) return paths[u];
                        return 0.0;
                    },
                    [&](int v, double paths_of_v_of_arcs) {
                        double paths_of_v = paths[v];
                        paths_of_v += paths_of_v_of_arcs;
                        paths[v] = paths_of_v;
                        if (paths[v] > many) {
                            double sum = 0.0;
                            int highest = 0;
                            for (arc_t in_e_2 = in_row_offsets[v]; in_e_2 < in_row_offsets[v + 1]; in_e_2++) {
                                const int u_2 = in_columns[in_e_2];
                                if (bfs_level[u_2] == depth - 1) {
                                    if (power[u_2] > highest) {
                                        sum = power[u_2] == highest + 1 ? sum * unit : 0.0;
                                        highest = power[u_2];
                                    }
                                    sum += power[u_2] == highest ? paths[u_2] : power[u_2] == highest - 1
                                        ? paths[u_2] * unit : 0.0;
                                }
                            }
                            const bool carry = sum > most;
                            paths[v] = carry ? sum * unit : sum;
                            power[v] = carry ? highest + 1 : highest;
                        }
                    });
            }
            depth += 1;
            { auto other = bfs_level_nodes; bfs_level_nodes = bfs_level_next; bfs_level_next = other; }
            grid_barrier(arrived);
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
            bfs_level_end_next = bfs_level_end;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
            few = bfs_level_end_next - bfs_level_end <= (bfs_level_end - bfs_level_begin) / 8
                && bfs_level_end - bfs_level_begin >= 65536;
            if (few) {
                grid_barrier(arrived);
                {
                    // betweenness.sp:40 iterateInReverse (v != src)
                    // nodes of the next level mark those before them
                    #line 40 "betweenness.sp"
                    advance_listed(
                        bfs_level_order + bfs_level_end, bfs_level_end_next - bfs_level_end, in_row_offsets, every_node,
                        [&](int reached, arc_t e) {
                            const int w = in_columns[e];
                            if (bfs_level[w] == depth) bfs_level_marks[w] = true;
                        });
                }
                grid_barrier(arrived);
                {
                    // betweenness.sp:40 iterateInReverse (v != src)
                    #line 40 "betweenness.sp"
                    for (int place = bfs_level_begin + blockIdx.x * blockDim.x + threadIdx.x; place < bfs_level_end;
                            place += gridDim.x * blockDim.x) {
                        const int v = bfs_level_order[place];
                        if (!(v != src && !bfs_level_marks[v])) continue;
                        const double shares = 0.0;
                        const double through = paths[v] * shares;
                        share[v] = (1.0 + through) / paths[v];
                        bc[v] += through;
                    }
                }
            }
            grid_barrier(arrived);
            {
                // betweenness.sp:40 iterateInReverse (v != src)
                #line 40 "betweenness.sp"
                gather_listed(
                    bfs_level_order + bfs_level_begin, bfs_level_end - bfs_level_begin, num_nodes, row_offsets,
                        (double)0.0,
                    [&](int v) { return v != src && (!few || bfs_level_marks[v]); },
                    [&](double a, double b) -> double { return a + b; },
                    [&](int v, arc_t e) -> double {
                        const int w = columns[e];
                        if (bfs_level[w] == depth + 1) return share[w] > sure || power[w] == power[v] ? share[w]
                            : power[w] == power[v] + 1 ? share[w] * unit : 0.0;
                        return 0.0;
                    },
                    [&](int v, double shares) {
                        const double through = paths[v] * shares;
                        share[v] = (1.0 + through) / paths[v];
                        bc[v] += through;
                    });
            }
        }
    }
}

#line 194 "betweenness.hip.cpp"

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

// betweenness.sp:9 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(Device &device, Graph &graph, Buffer<double> &bc, FixedSet &sources) {
    Buffer<double> paths(device, graph.num_nodes);
    Buffer<int> power(device, graph.num_nodes);
    Buffer<double> share(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<unsigned> bfs_level_nodes(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> bfs_level_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<unsigned char> bfs_level_marks(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    const double many = std::pow(2.0, 400.0);
    const double most = std::pow(2.0, 912.0);
    const double unit = std::pow(2.0, -512.0);
    const double sure = std::pow(2.0, -336.0);
    bc.fill(0.0);
    // betweenness.sp:15 for (src in sources)
    for (const int src : sources.members()) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "betweenness_loop", betweenness_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, paths, power, share, bfs_level, bfs_level_nodes, bfs_level_next,
            bfs_level_marks, bfs_level_starts, bfs_level_order, bc, src, many, unit, most, sure, arrived
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
