// closeness.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv closeness.hip.cpp -o closeness
// run:   ./closeness GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

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

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
#line 5 "closeness.sp"
extern "C" __global__ void __launch_bounds__(512) closeness_centrality_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, long long *seen,
    long long *reached, unsigned *active_words, unsigned *active_next_words, long long *alive, long long *farness,
    int *reached_by, int batch, int *more_found, unsigned *arrived
) {
    __shared__ int new_in_active[MOST_NEW + 1];
    Frontier active = frontier_in(active_words, num_nodes, new_in_active);
    __shared__ int new_in_active_next[MOST_NEW + 1];
    Frontier active_next = frontier_in(active_next_words, num_nodes, new_in_active_next);
    int more_turn = 0;
    const int first = multiply(batch, 256);
    const int last = min(first + 256, num_nodes);
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < multiply(num_nodes, 4);
            cell += gridDim.x * blockDim.x) {
        seen[cell] = 0;
        reached[cell] = 0;
    }
    clear(active, num_nodes);
    grid_barrier(arrived);
    {
        // closeness.sp:9 for (src in g.nodes())
        // gives each source of the batch its bit
        #line 9 "closeness.sp"
        for (int number = blockIdx.x * blockDim.x + threadIdx.x; number < last - first;
                number += gridDim.x * blockDim.x) {
            const int place = first + number;
            const int source = place;
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
            // closeness.sp:9 for (src in g.nodes())
            #line 9 "closeness.sp"
            each_member(active, num_nodes, [&](int v) {
                int count = 0;
                const int word = multiply(v, 4);
                const long long now = reached[word];
                const long long now_2 = reached[word + 1];
                const long long now_3 = reached[word + 2];
                const long long now_4 = reached[word + 3];
                const long long fresh = now & ~seen[word];
                const long long fresh_2 = now_2 & ~seen[word + 1];
                const long long fresh_3 = now_3 & ~seen[word + 2];
                const long long fresh_4 = now_4 & ~seen[word + 3];
                seen[word] = now;
                seen[word + 1] = now_2;
                seen[word + 2] = now_3;
                seen[word + 3] = now_4;
                count = count + (int)__popcll(fresh) + (int)__popcll(fresh_2) + (int)__popcll(fresh_3)
                    + (int)__popcll(fresh_4);
                farness[v] += multiply_long(count, steps);
                reached_by[v] += count;
            });
        }
        if (has_some(active, num_nodes, row_offsets)) {
            grid_barrier(arrived);
            {
                // closeness.sp:9 for (src in g.nodes())
                // the bits that any node offers
                #line 9 "closeness.sp"
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
                // closeness.sp:9 for (src in g.nodes())
                // nodes look for the bits that they lack
                #line 9 "closeness.sp"
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
                // closeness.sp:9 for (src in g.nodes())
                // neighbors take the bits that they lack
                #line 9 "closeness.sp"
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

#line 179 "closeness.hip.cpp"

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
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<unsigned> active(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> active_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<long long> alive(device, 4);
    Buffer<unsigned> arrived(device, 1, 0);
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int batch = 0, batch_end = (graph.num_nodes + 255) / 256; batch < batch_end; batch++) {
        {
            Buffer<int> more_found(device, 3, 0);
            device.launch_together(
                "closeness_centrality_loop", closeness_centrality_loop, 2, graph.num_nodes, graph.row_offsets,
                graph.columns, graph.in_row_offsets, graph.in_columns, seen, reached, active, active_next, alive,
                farness, reached_by, batch, more_found, arrived
            );
        }
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    closeness_centrality_set_closeness<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, farness, reached_by, closeness
    );
    check(hipGetLastError(), "closeness_centrality_set_closeness");
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
