// strongly_connected_components.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv strongly_connected_components.hip.cpp -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

using namespace starplat;

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to itself
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void my_join_both_ways_cluster_start(int num_nodes, int *cluster) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        cluster[v] = v;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the trees at the ends of arcs that have their reverse
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) my_join_both_ways_cluster_join(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *cluster
) {
    advance_arcs(num_nodes, in_row_offsets,
        [&](int v, arc_t e) {
            const int u = in_columns[e];
            if (u < v && cluster[v] != cluster[u]) {
                if (find_arc(row_offsets, columns, v, u) >= 0) {
                    int a = cluster[v];
                    int b = cluster[u];
                    while (a != b) {
                        const int low = min(a, b);
                        const int high = max(a, b);
                        int held = cluster[high];
                        if (held == high) {
                            held = atomicCAS(&cluster[high], high, low);
                            if (held == high) break;
                        }
                        if (held == low) break;
                        const int above = cluster[held];
                        if (above != held) atomicMin(&cluster[high], above);
                        a = above;
                        b = cluster[low];
                    }
                }
            }
        });
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to the root of its tree
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void my_join_both_ways_cluster_flatten(int num_nodes, int *cluster) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        int held = cluster[v];
        int above = cluster[held];
        while (held != above) {
            atomicMin(&cluster[v], above);
            held = above;
            above = cluster[held];
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to its best neighbor
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void my_join_both_ways_cluster_start_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *cluster
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = min(v, columns[first]);
        cluster[v] = best;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins every node to a second neighbor
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void my_join_both_ways_cluster_sample_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *cluster
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = cluster[v];
            int above_own = cluster[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomicMin(&cluster[v], above_own);
                own = above_own;
                above_own = cluster[own];
                steps_own += 1;
            }
            int a = cluster[v];
            int b = cluster[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = atomicCAS(&cluster[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) atomicMin(&cluster[high], above);
                a = above;
                b = cluster[low];
                steps += 1;
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the other trees along their arcs
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(256) my_join_both_ways_cluster_join_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ cluster_apart, int *cluster
) {
    advance_all(num_nodes, row_offsets,
        [&](int v) { return cluster_apart[v]; },
        [&](int v, arc_t e) {
            const int u = columns[e];
            int a = cluster[v];
            int b = cluster[u];
            while (a != b) {
                const int low = min(a, b);
                const int high = max(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = atomicCAS(&cluster[high], high, low);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) atomicMin(&cluster[high], above);
                a = above;
                b = cluster[low];
            }
        });
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 21 "strongly_connected_components.sp"
extern "C" __global__ void my_join_both_ways_cluster_set_apart_symmetric(
    int num_nodes, int *cluster, bool *cluster_apart, int middle
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        int held = cluster[v];
        int above = cluster[held];
        int steps = 0;
        while (held != above && steps < 64) {
            atomicMin(&cluster[v], above);
            held = above;
            above = cluster[held];
            steps += 1;
        }
        int great = cluster[middle];
        int above_great = cluster[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomicMin(&cluster[middle], above_great);
            great = above_great;
            above_great = cluster[great];
            steps_great += 1;
        }
        cluster_apart[v] = held != great;
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
#line 51 "strongly_connected_components.sp"
extern "C" __global__ void __launch_bounds__(512) settle_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *open_,
    const int *__restrict__ cluster, int *component, bool *alone, int *color, unsigned *modified_2_words,
    unsigned *modified_2_next_words, long long *trimmed_found, int *finished_found, unsigned *arrived
) {
    __shared__ int new_in_modified_2[MOST_NEW + 1];
    Frontier modified_2 = frontier_in(modified_2_words, num_nodes, new_in_modified_2);
    __shared__ int new_in_modified_2_next[MOST_NEW + 1];
    Frontier modified_2_next = frontier_in(modified_2_next_words, num_nodes, new_in_modified_2_next);
    int trimmed_turn = 0;
    int finished_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        open_[cell] = false;
    }
    grid_barrier(arrived);
    {
        // strongly_connected_components.sp:33 forall (v in g.nodes())
        #line 33 "strongly_connected_components.sp"
        advance_arcs(num_nodes, row_offsets,
            [&](int v, arc_t e) {
                const int w = columns[e];
                if (cluster[w] != cluster[v]) {
                    const int own = cluster[v];
                    open_[own] = true;
                }
            });
    }
    grid_barrier(arrived);
    {
        // strongly_connected_components.sp:39 forall (v in g.nodes())
        // first component = -1
        #line 39 "strongly_connected_components.sp"
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
            component[v] = -1;
            const int own = cluster[v];
            if (!open_[own]) component[v] = own;
        }
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        alone[cell] = false;
        color[cell] = -1;
    }
    clear(modified_2, num_nodes);
    bool finished = false;
    grid_barrier(arrived);
    do {
        finished = true;
        long long trimmed = 1;
        do {
            trimmed = 0;
            {
                // strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
                #line 55 "strongly_connected_components.sp"
                ask_all(num_nodes, in_row_offsets,
                    [&](int v) { return component[v] == -1; },
                    [&](int v, arc_t in_e) {
                        const int u = in_columns[in_e];
                        return component[u] == -1 && u != v;
                    },
                    [&](int v, bool led_to) {
                        bool leads_on = false;
                        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                            const int w = columns[e];
                            if (component[w] == -1 && w != v) {
                                leads_on = true;
                                break;
                            }
                        }
                        alone[v] = !(led_to && leads_on);
                    });
            }
            grid_barrier(arrived);
            {
                // strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
                #line 68 "strongly_connected_components.sp"
                if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                    trimmed_found[trimmed_turn == 2 ? 0 : trimmed_turn + 1] = 0;
                }
                long long trimmed_part = 0;
                each_kept(num_nodes,
                    [&](int v) { return component[v] == -1 && alone[v]; },
                    [&](int v) {
                        component[v] = v;
                        trimmed_part += 1;
                    });
                __shared__ long long trimmed_part_scratch[16];
                trimmed_part = group_add_long(trimmed_part, trimmed_part_scratch);
                if (threadIdx.x == 0) {
                    atomic_add_long(&trimmed_found[trimmed_turn], trimmed_part);
                }
            }
            grid_barrier(arrived);
            trimmed += trimmed_found[trimmed_turn];
            trimmed_turn = trimmed_turn == 2 ? 0 : trimmed_turn + 1;
        } while (trimmed > 0);
        {
            // strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
            #line 74 "strongly_connected_components.sp"
            each_kept(num_nodes,
                [&](int v) { return component[v] == -1; },
                [&](int v) {
                    color[v] = cluster[v];
                    insert(modified_2, v);
                });
            inserted(modified_2);
        }
        bool colored = false;
        clear(modified_2_next, num_nodes);
        grid_barrier(arrived);
        do {
            {
                // strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
                #line 80 "strongly_connected_components.sp"
                advance(modified_2, num_nodes, row_offsets, every_node,
                    [&](int v, arc_t e) {
                        const int w = columns[e];
                        if (component[w] == -1) {
                            const int candidate = color[v];
                            if (candidate < color[w] && candidate < atomicMin(&color[w], candidate)) {
                                insert(modified_2_next, w);
                            }
                        }
                    });
                inserted(modified_2_next);
            }
            { auto other = modified_2; modified_2 = modified_2_next; modified_2_next = other; }
            grid_barrier(arrived);
            colored = is_empty(modified_2);
        } while (!colored);
        grid_barrier(arrived);
        {
            // strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
            #line 87 "strongly_connected_components.sp"
            each_kept(num_nodes,
                [&](int v) { return component[v] == -1 && color[v] == cluster[v]; },
                [&](int v) {
                    component[v] = color[v];
                    insert(modified_2, v);
                });
            inserted(modified_2);
        }
        bool collected = false;
        clear(modified_2_next, num_nodes);
        grid_barrier(arrived);
        do {
            {
                // strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
                #line 93 "strongly_connected_components.sp"
                advance(modified_2, num_nodes, in_row_offsets, every_node,
                    [&](int v, arc_t in_e) {
                        const int u = in_columns[in_e];
                        if (color[u] == color[v]) {
                            const int candidate = color[v];
                            if (candidate > component[u] && candidate > atomicMax(&component[u], candidate)) {
                                insert(modified_2_next, u);
                            }
                        }
                    });
                inserted(modified_2_next);
            }
            { auto other = modified_2; modified_2 = modified_2_next; modified_2_next = other; }
            grid_barrier(arrived);
            collected = is_empty(modified_2);
        } while (!collected);
        {
            // strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
            #line 51 "strongly_connected_components.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                finished_found[finished_turn == 2 ? 0 : finished_turn + 1] = 1;
            }
            bool finished_part = true;
            for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
                if (component[node] < 0) finished_part = false;
            }
            if (__syncthreads_or(!finished_part) && threadIdx.x == 0) {
                finished_found[finished_turn] = 0;
            }
        }
        grid_barrier(arrived);
        finished = finished && (finished_found[finished_turn] != 0);
        finished_turn = finished_turn == 2 ? 0 : finished_turn + 1;
    } while (!finished);
}

#line 373 "strongly_connected_components.hip.cpp"

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

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways(Device &device, Graph &graph, Buffer<int> &cluster) {
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    my_join_both_ways_cluster_start<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, cluster);
    check(hipGetLastError(), "my_join_both_ways_cluster_start");
    my_join_both_ways_cluster_join<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, cluster
    );
    check(hipGetLastError(), "my_join_both_ways_cluster_join");
    my_join_both_ways_cluster_flatten<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, cluster);
    check(hipGetLastError(), "my_join_both_ways_cluster_flatten");
}

// strongly_connected_components.sp:30 function settle(Graph g, propNode<node> cluster, propNode<node> component)
static void settle(Device &device, Graph &graph, Buffer<int> &cluster, Buffer<int> &component) {
    Buffer<unsigned char> open_(device, graph.num_nodes);
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<int> color(device, graph.num_nodes);
    Buffer<unsigned> modified_2(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> modified_2_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> trimmed_found(device, 3, 0);
        Buffer<int> finished_found(device, 3, 1);
        device.launch_together(
            "settle_loop", settle_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets,
            graph.in_columns, open_, cluster, component, alone, color, modified_2, modified_2_next, trimmed_found,
            finished_found, arrived
        );
    }
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways(device, graph, cluster);
    settle(device, graph, cluster, component);
}

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways_symmetric(Device &device, Graph &graph, Buffer<int> &cluster) {
    Buffer<unsigned char> cluster_apart(device, graph.num_nodes);
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    const int middle = graph.host.columns[graph.num_arcs / 2];
    my_join_both_ways_cluster_start_symmetric<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, cluster
    );
    check(hipGetLastError(), "my_join_both_ways_cluster_start_symmetric");
    my_join_both_ways_cluster_sample_symmetric<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, cluster
    );
    check(hipGetLastError(), "my_join_both_ways_cluster_sample_symmetric");
    my_join_both_ways_cluster_set_apart_symmetric<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, cluster, cluster_apart, middle
    );
    check(hipGetLastError(), "my_join_both_ways_cluster_set_apart_symmetric");
    my_join_both_ways_cluster_join_symmetric<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
        graph.num_nodes, graph.row_offsets, graph.columns, cluster_apart, cluster
    );
    check(hipGetLastError(), "my_join_both_ways_cluster_join_symmetric");
    my_join_both_ways_cluster_flatten<<<device.blocks(graph.num_nodes), 256>>>(graph.num_nodes, cluster);
    check(hipGetLastError(), "my_join_both_ways_cluster_flatten");
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways_symmetric(device, graph, cluster);
    settle(device, graph, cluster, component);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        const auto before = [&] {
            component.fill(0);
        };
        program.repeat(device, before, [&] {
            is_symmetric
                ? strongly_connected_components_symmetric(device, graph, component)
                : strongly_connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
