// betweenness.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv betweenness.hip.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// Joins to the total of the node that a thread brought the values of its arcs from `begin` to `end`: they lie in
// `values`, or have been joined by all threads, each in `joined` what it came by.
static __device__ double join_add_double(
    const GroupRows *rows, arc_t begin, arc_t end, double joined, double *values, double total
) {
    const int lane = threadIdx.x;
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = group_add_double(joined, values);
        if (lane == 0) values[0] = joined;
        __syncthreads();
        if (first <= begin && begin < last) {
            const double other = values[0];
            total = total + other;
        }
    } else {
        __syncthreads();
        const arc_t stop = min(last, end) - begin;
        for (arc_t i = max(first, begin) - begin; i < stop; i++) {
            const double other = values[i];
            total = total + other;
        }
    }
    __syncthreads();  // the next values may come
    return total;
}

// betweenness.sp:19 iterateInBFS (v in g.nodes() from src)
#line 19 "betweenness.sp"
extern "C" __global__ void __launch_bounds__(256) betweenness_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *paths, int *power,
    double *share, int *bfs_level, int *bfs_level_order, int *bfs_level_count, int *bfs_level_starts, double *bc,
    int src, double many, double unit, double most, unsigned *arrived
) {
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        paths[cell] = 0.0;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) paths[src] = 1.0;
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            power[cell] = 0;
        }
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            share[cell] = 0.0;
        }
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = INT_MAX;
        }
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level[src] = 0;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level_order[0] = src;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) *bfs_level_count = 1;
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level_starts[0] = 0;
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            {
                // betweenness.sp:19 iterateInBFS (v in g.nodes() from src)
                // finds the next BFS level
                #line 19 "betweenness.sp"
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int groups = groups_for_each(listed_count);
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
                    const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                    for (arc_t place = threadIdx.x; place < count; place += 256) {
                        const int owner = owner_of(&rows, place);
                        const arc_t e = place + rows.shift[owner];
                        const int neighbor = columns[e];
                        const int candidate = depth + 1;
                        if (candidate < bfs_level[neighbor] && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                            const int slot = atomicAdd(bfs_level_count, 1);
                            bfs_level_order[slot] = neighbor;
                        }
                    }
                }
            }
            grid_barrier(arrived);
            {
                // betweenness.sp:19 iterateInBFS (v in g.nodes() from src)
                #line 19 "betweenness.sp"
                auto &values = group_memory<double[1024]>();
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
                    const arc_t count = bring_rows(&rows, brought, in_row_offsets);
                    double paths_of_v_of_arcs = 0.0;
                    for (arc_t from = 0, to; from < count; from = to) {
                        to = end_of_piece(&rows, from, count);
                        double joined = 0.0;
                        #pragma unroll 4
                        for (arc_t place = from + threadIdx.x; place < to; place += 256) {
                            const int owner = owner_of(&rows, place);
                            const arc_t in_e = place + rows.shift[owner];
                            const int u = in_columns[in_e];
                            double value = 0.0;
                            if (bfs_level[u] == depth - 1) value = paths[u];
                            if (to - from > 1024) {
                                joined = joined + value;
                            } else {
                                values[place - from] = value;
                            }
                        }
                        paths_of_v_of_arcs = join_add_double(&rows, from, to, joined, values, paths_of_v_of_arcs);
                    }
                    if (brought < 0) continue;
                    const int v = brought;
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
                }
            }
            depth += 1;
            bfs_level_begin = bfs_level_end;
            bfs_level_end = *bfs_level_count;
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                bfs_level_starts[depth] = bfs_level_begin;
            }
            found = bfs_level_begin < bfs_level_end;
        } while (found);
        grid_barrier(arrived);
        bfs_level_begin = bfs_level_starts[depth];
        while (depth > 0) {
            depth -= 1;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
            grid_barrier(arrived);
            {
                // betweenness.sp:38 iterateInReverse (v != src)
                #line 38 "betweenness.sp"
                auto &values = group_memory<double[1024]>();
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
                    if (brought >= 0 && brought == src) brought = -1;
                    const arc_t count = bring_rows(&rows, brought, row_offsets);
                    double shares = 0.0;
                    for (arc_t from = 0, to; from < count; from = to) {
                        to = end_of_piece(&rows, from, count);
                        double joined = 0.0;
                        #pragma unroll 4
                        for (arc_t place = from + threadIdx.x; place < to; place += 256) {
                            const int owner = owner_of(&rows, place);
                            const int v = rows.node[owner];
                            const arc_t e = place + rows.shift[owner];
                            const int w = columns[e];
                            double value = 0.0;
                            if (bfs_level[w] == depth + 1) {
                                value = power[w] == power[v] ? share[w] : power[w] == power[v] + 1 ? share[w] * unit
                                    : 0.0;
                            }
                            if (to - from > 1024) {
                                joined = joined + value;
                            } else {
                                values[place - from] = value;
                            }
                        }
                        shares = join_add_double(&rows, from, to, joined, values, shares);
                    }
                    if (brought < 0) continue;
                    const int v = brought;
                    const double through = paths[v] * shares;
                    share[v] = (1.0 + through) / paths[v];
                    bc[v] += through;
                }
            }
        }
    }
}

#line 208 "betweenness.hip.cpp"

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

// betweenness.sp:8 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(Device &device, Graph &graph, Buffer<double> &bc, FixedSet &sources) {
    Buffer<double> paths(device, graph.num_nodes);
    Buffer<int> power(device, graph.num_nodes);
    Buffer<double> share(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    Buffer<unsigned> arrived(device, 1, 0);
    const double many = std::pow(2.0, 400.0);
    const double most = std::pow(2.0, 912.0);
    const double unit = std::pow(2.0, -512.0);
    bc.fill(0.0);
    // betweenness.sp:13 for (src in sources)
    for (const int src : sources.members()) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "betweenness_loop", betweenness_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes,
            graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, paths, power, share,
            bfs_level, bfs_level_order, bfs_level_count, bfs_level_starts, bc, src, many, unit, most, arrived
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
