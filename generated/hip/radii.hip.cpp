// radii.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv radii.hip.cpp -o radii
// run:   ./radii GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

using namespace starplat;

// radii.sp:7 for (src in sources)
// lists the sources
#line 7 "radii.sp"
extern "C" __global__ void radii_list_sources(
    int num_nodes, const bool *__restrict__ sources, int *listed_, int *sources_in_turn
) {
    for (int source = blockIdx.x * blockDim.x + threadIdx.x; source < num_nodes; source += gridDim.x * blockDim.x) {
        if (!sources[source]) continue;
        const int place = atomicAdd(listed_, 1);
        sources_in_turn[place] = source;
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
extern "C" __global__ void __launch_bounds__(512) radii_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *level, int *bfs_level,
    unsigned *bfs_level_nodes_words, unsigned *bfs_level_next_words, int *radius, int src, unsigned *arrived
) {
    __shared__ int new_in_bfs_level_nodes[MOST_NEW + 1];
    Frontier bfs_level_nodes = frontier_in(bfs_level_nodes_words, num_nodes, new_in_bfs_level_nodes);
    __shared__ int new_in_bfs_level_next[MOST_NEW + 1];
    Frontier bfs_level_next = frontier_in(bfs_level_next_words, num_nodes, new_in_bfs_level_next);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = cell == src ? 0 : INT_MAX;
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
                    // radii.sp:11 iterateInBFS (v in g.nodes() from src)
                    // nodes that are not reached yet look for one that is
                    #line 11 "radii.sp"
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
                    // radii.sp:11 iterateInBFS (v in g.nodes() from src)
                    // finds the next BFS level
                    #line 11 "radii.sp"
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
                // radii.sp:11 iterateInBFS (v in g.nodes() from src)
                #line 11 "radii.sp"
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
                    const int candidate_2 = level[v];
                    if (candidate_2 > radius[v]) {
                        radius[v] = candidate_2;
                    }
                });
            }
            depth += 1;
            { auto other = bfs_level_nodes; bfs_level_nodes = bfs_level_next; bfs_level_next = other; }
            found = !is_empty(bfs_level_nodes);
        } while (found);
    }
}

// radii.sp:5 function radii(Graph g, propNode<int> radius, SetN<g> sources)
#line 5 "radii.sp"
extern "C" __global__ void __launch_bounds__(512) radii_loop_2(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, long long *seen,
    long long *reached, unsigned *active_words, const int *__restrict__ sources_in_turn,
    unsigned *active_next_words, long long *alive, int *radius, int batch, int num_sources, int *more_found,
    unsigned *arrived
) {
    __shared__ int new_in_active[MOST_NEW + 1];
    Frontier active = frontier_in(active_words, num_nodes, new_in_active);
    __shared__ int new_in_active_next[MOST_NEW + 1];
    Frontier active_next = frontier_in(active_next_words, num_nodes, new_in_active_next);
    int more_turn = 0;
    const int first = multiply(batch, 256);
    const int last = min(first + 256, num_sources);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < multiply(num_nodes, 4);
            cell += gridDim.x * blockDim.x) {
        seen[cell] = 0;
        reached[cell] = 0;
    }
    clear(active, num_nodes);
    grid_barrier(arrived);
    {
        // radii.sp:7 for (src in sources)
        // gives each source of the batch its bit
        #line 7 "radii.sp"
        for (int number = blockIdx.x * blockDim.x + threadIdx.x; number < last - first;
                number += gridDim.x * blockDim.x) {
            const int place = first + number;
            const int source = sources_in_turn[place];
            reached[multiply(source, 4) + (place - first) / 64] = 1LL << ((place - first) % 64);
            insert(active, source);
        }
        inserted(active, num_nodes, row_offsets);
    }
    int steps = 0;
    bool more = false;
    grid_barrier(arrived);
    do {
        more = false;
        clear(active_next, num_nodes);
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < 4; cell += gridDim.x * blockDim.x) {
            alive[cell] = 0;
        }
        {
            // radii.sp:7 for (src in sources)
            #line 7 "radii.sp"
            each_member(active, num_nodes, [&](int v) {
                const int word = multiply(v, 4);
                const long long now = reached[word];
                const long long now_2 = reached[word + 1];
                const long long now_3 = reached[word + 2];
                const long long now_4 = reached[word + 3];
                seen[word] = now;
                seen[word + 1] = now_2;
                seen[word + 2] = now_3;
                seen[word + 3] = now_4;
                if (steps > radius[v]) {
                    radius[v] = steps;
                }
            });
        }
        if (has_some(active, num_nodes, row_offsets)) {
            grid_barrier(arrived);
            {
                // radii.sp:7 for (src in sources)
                // the bits that any node offers
                #line 7 "radii.sp"
                for (int number = blockIdx.x * blockDim.x + threadIdx.x; number < multiply(min(num_nodes, 32768), 4);
                        number += gridDim.x * blockDim.x) {
                    const int lane = number % 4;
                    const int first_2 = multiply(number / 4,
                        (num_nodes + min(num_nodes, 32768) - 1) / min(num_nodes, 32768));
                    long long offered = 0;
                    const int end = min(num_nodes,
                        first_2 + (num_nodes + min(num_nodes, 32768) - 1) / min(num_nodes, 32768));
                    for (int v_2 = first_2; v_2 < end; v_2++) {
                        if (contains(active, v_2)) {
                            offered |= seen[multiply(v_2, 4) + lane];
                            if (offered == -1) break;
                        }
                    }
                    if ((offered & ~alive[lane]) != 0) atomic_or_long(&alive[lane], offered);
                }
            }
            grid_barrier(arrived);
            {
                // radii.sp:7 for (src in sources)
                // nodes look for the bits that they lack
                #line 7 "radii.sp"
                if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                    more_found[more_turn == 2 ? 0 : more_turn + 1] = 0;
                }
                bool more_part = false;
                collect_all<4>(num_nodes, in_row_offsets, in_columns, seen,
                    [&](int word) -> long long {
                        const int lane = word % 4;
                        return alive[lane] & ~reached[word];
                    },
                    [&](int word, long long found_2) {
                        reached[word] |= found_2;
                        more_part = true;
                    }, active_next);
                inserted(active_next, num_nodes, row_offsets);
                if (more_part) more_found[more_turn] = 1;
            }
            grid_barrier(arrived);
            more = more || (more_found[more_turn] != 0);
            more_turn = more_turn == 2 ? 0 : more_turn + 1;
        } else {
            grid_barrier(arrived);
            {
                // radii.sp:7 for (src in sources)
                // neighbors take the bits that they lack
                #line 7 "radii.sp"
                if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                    more_found[more_turn == 2 ? 0 : more_turn + 1] = 0;
                }
                bool more_part = false;
                advance_in_parts(active, num_nodes, row_offsets, every_node,
                    [&](int v_2, arc_t e_2) {
                        const int w_2 = columns[e_2];
                        const int word = multiply(w_2, 4);
                        const long long fresh = seen[multiply(v_2, 4)] & ~reached[word];
                        const long long fresh_2 = seen[multiply(v_2, 4) + 1] & ~reached[word + 1];
                        const long long fresh_3 = seen[multiply(v_2, 4) + 2] & ~reached[word + 2];
                        const long long fresh_4 = seen[multiply(v_2, 4) + 3] & ~reached[word + 3];
                        if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                            if (fresh != 0) atomic_or_long(&reached[word], fresh);
                            if (fresh_2 != 0) atomic_or_long(&reached[word + 1], fresh_2);
                            if (fresh_3 != 0) atomic_or_long(&reached[word + 2], fresh_3);
                            if (fresh_4 != 0) atomic_or_long(&reached[word + 3], fresh_4);
                            insert(active_next, w_2);
                            more_part = true;
                        }
                    });
                inserted(active_next, num_nodes, row_offsets);
                if (more_part) more_found[more_turn] = 1;
            }
            grid_barrier(arrived);
            more = more || (more_found[more_turn] != 0);
            more_turn = more_turn == 2 ? 0 : more_turn + 1;
        }
        { auto other = active; active = active_next; active_next = other; }
        steps += 1;
    } while (more);
}

#line 259 "radii.hip.cpp"

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

// radii.sp:5 function radii(Graph g, propNode<int> radius, SetN<g> sources)
static void radii(Device &device, Graph &graph, Buffer<int> &radius, FixedSet &sources) {
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<unsigned> active(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> active_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<long long> alive(device, 4);
    Buffer<int> sources_in_turn(device, graph.num_nodes);
    Buffer<int> listed_(device, 1);
    Buffer<unsigned> bfs_level_nodes(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> bfs_level_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    radius.fill(-1);
    // radii.sp:7 for (src in sources)
    listed_.fill(0);
    radii_list_sources<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, sources, listed_, sources_in_turn);
    check(hipGetLastError(), "radii_list_sources");
    int num_sources = listed_.read(0);
    if (num_sources < 32) {
        for (const int src : sources.members()) {
            check_place(src, graph.num_nodes);
            device.launch_together(
                "radii_loop", radii_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, level, bfs_level, bfs_level_nodes, bfs_level_next, radius,
                src, arrived
            );
        }
    } else {
        for (int batch = 0, batch_end = (num_sources + 255) / 256; batch < batch_end; batch++) {
            {
                Buffer<int> more_found(device, 3, 0);
                device.launch_together(
                    "radii_loop_2", radii_loop_2, 2, graph.num_nodes, graph.row_offsets, graph.columns,
                    graph.in_row_offsets, graph.in_columns, seen, reached, active, sources_in_turn, active_next,
                    alive, radius, batch, num_sources, more_found, arrived
                );
            }
        }
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
        Buffer<int> radius(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { radii(device, graph, radius, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("radius", radius.download());
        program.finish(host);
    });
}
