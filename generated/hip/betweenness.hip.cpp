// betweenness.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv betweenness.hip.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_hip.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
#line 12 "betweenness.sp"
extern "C" __global__ void __launch_bounds__(256) betweenness_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, double *sigma,
    double *delta, int *bfs_level, int *bfs_level_order, int *bfs_level_count, int *bfs_level_starts,
    double *bc, int src, unsigned *arrived
) {
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        sigma[cell] = 0.0;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        sigma[src] = 1.0;
    }
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            delta[cell] = 0.0;
        }
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = INT_MAX;
        }
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            bfs_level[src] = 0;
        }
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            bfs_level_order[0] = src;
        }
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            *bfs_level_count = 1;
        }
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            bfs_level_starts[0] = 0;
        }
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            {
                // betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
                // finds the next BFS level
                #line 12 "betweenness.sp"
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
                // betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
                #line 12 "betweenness.sp"
                auto &values = group_memory<double[1024]>();
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
                    const arc_t count = bring_rows(&rows, brought, in_row_offsets);
                    double sigma_of_v_of_arcs = 0.0;
                    for (arc_t from = 0, to; from < count; from = to) {
                        to = end_of_piece(&rows, from, count);
                        double joined = 0.0;
                        #pragma unroll 4
                        for (arc_t place = from + threadIdx.x; place < to; place += 256) {
                            const int owner = owner_of(&rows, place);
                            const arc_t in_e = place + rows.shift[owner];
                            const int w = in_columns[in_e];
                            double value = 0.0;
                            if (bfs_level[w] == depth - 1) {
                                value = sigma[w];
                            }
                            if (to - from > 1024) {
                                joined = joined + value;
                            } else {
                                values[place - from] = value;
                            }
                        }
                        sigma_of_v_of_arcs = join_add_double(&rows, from, to, joined, values, sigma_of_v_of_arcs);
                    }
                    if (brought < 0) continue;
                    const int v = brought;
                    double sigma_of_v = sigma[v];
                    sigma_of_v += sigma_of_v_of_arcs;
                    sigma[v] = sigma_of_v;
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
                // betweenness.sp:17 iterateInReverse (v != src)
                #line 17 "betweenness.sp"
                auto &values = group_memory<double[1024]>();
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, 1);
                    if (brought >= 0 && brought == src) brought = -1;
                    const arc_t count = bring_rows(&rows, brought, row_offsets);
                    double delta_of_v_of_arcs = 0.0;
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
                                value = sigma[v] / sigma[w] * (1.0 + delta[w]);
                            }
                            if (to - from > 1024) {
                                joined = joined + value;
                            } else {
                                values[place - from] = value;
                            }
                        }
                        delta_of_v_of_arcs = join_add_double(&rows, from, to, joined, values, delta_of_v_of_arcs);
                    }
                    if (brought < 0) continue;
                    const int v = brought;
                    double delta_of_v = delta[v];
                    delta_of_v += delta_of_v_of_arcs;
                    delta[v] = delta_of_v;
                    bc[v] += delta_of_v;
                }
            }
        }
    }
}

#line 210 "betweenness.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns),
          in_row_offsets(device, graph.in_row_offsets),
          in_columns(device, graph.in_columns) {}
};

// betweenness.sp:5 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(
    Device &device, Graph &graph, Buffer<double> &bc, Buffer<unsigned char> &sources
) {
    Buffer<double> sigma(device, graph.num_nodes);
    Buffer<double> delta(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    bc.fill(0.0);
    // betweenness.sp:7 for (src in sources)
    for (const int src : sources.members()) {
        check_place(src, graph.num_nodes);
        {
            Buffer<unsigned> arrived(device, 1, 0);
            device.launch_together(
                "betweenness_loop", betweenness_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes,
                graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, sigma, delta,
                bfs_level, bfs_level_order, bfs_level_count, bfs_level_starts, bc, src, arrived
            );
        }
    }
}

// What --help says.
static const char *const usage =
    "usage: betweenness GRAPH --sources NODE,NODE,... [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --sources        nodes, as the file calls them; @FILE names a file that lists them\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"sources", "out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto given_sources = arguments.numbers("sources");
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number);
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<double> bc(device, graph.num_nodes);
        Buffer<unsigned char> sources(device, host.marked_nodes(given_sources));
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            Timer timer;
            betweenness(device, graph, bc, sources);
            runs.add(timer.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("bc", watched("bc", bc.download(), host));
        const double download = stopwatch.seconds();
        results.write(host);
        std::cout << "seconds: load " << load << ", compile " << compile << ", upload " << upload << ", run " << runs
                  << ", download " << download << "\n";
    } catch (const UsageError &error) {
        std::cerr << "error: " << error.what() << "; --help says more\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
