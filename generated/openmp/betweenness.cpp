// betweenness.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp betweenness.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_openmp.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;

namespace kernels {

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 12 "betweenness.sp"
extern "C" void betweenness_min_bfs_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                int slot;
                #pragma omp atomic capture
                { slot = *bfs_level_count; *bfs_level_count += 1; }
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
#line 12 "betweenness.sp"
extern "C" void betweenness_add_sigma(
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ bfs_level_order, double *sigma, const int *__restrict__ bfs_level,
    int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        double sigma_of_v = sigma[v];
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int w = in_columns[in_e];
            if (bfs_level[w] == depth - 1) {
                sigma_of_v += sigma[w];
            }
        }
        sigma[v] = sigma_of_v;
    }
}

// betweenness.sp:17 iterateInReverse (v != src)
#line 17 "betweenness.sp"
extern "C" void betweenness_add_delta(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level_order, double *delta, const int *__restrict__ bfs_level,
    const double *__restrict__ sigma, double *bc, int bfs_level_begin, int bfs_level_end, int src,
    int depth
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        if (v == src) continue;
        double delta_of_v = delta[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
            }
        }
        delta[v] = delta_of_v;
        bc[v] += delta_of_v;
    }
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 12 "betweenness.sp"
extern "C" void betweenness_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    int *bfs_level, int *bfs_level_count, int *bfs_level_order, int depth
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                int slot;
                #pragma omp atomic capture
                { slot = *bfs_level_count; *bfs_level_count += 1; }
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 12 "betweenness.sp"
extern "C" void arcs_of_bfs_level_order(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ bfs_level_order,
    int bfs_level_begin, int bfs_level_end, float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma omp parallel for schedule(static) if(bfs_level_end - bfs_level_begin > 1000) \
        reduction(+ : active_arcs_part)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
#line 12 "betweenness.sp"
extern "C" void betweenness_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    int *bfs_level_order, int *bfs_level, int *bfs_level_count, double *sigma, int *bfs_level_starts,
    bool found, int bfs_level_end, int bfs_level_begin, int few, int depth, int *depth_outcome,
    int *bfs_level_begin_outcome, int *bfs_level_end_outcome, int *found_outcome
) {
    do {
        {
            // betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 12 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]
                            && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                        int slot;
                        #pragma omp atomic capture
                        { slot = *bfs_level_count; *bfs_level_count += 1; }
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        {
            // betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
            #line 12 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                double sigma_of_v = sigma[v];
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int w = in_columns[in_e];
                    if (bfs_level[w] == depth - 1) {
                        sigma_of_v += sigma[w];
                    }
                }
                sigma[v] = sigma_of_v;
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        bfs_level_starts[depth] = bfs_level_begin;
        found = bfs_level_begin < bfs_level_end;
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
    *depth_outcome = depth;
    *bfs_level_begin_outcome = bfs_level_begin;
    *bfs_level_end_outcome = bfs_level_end;
    *found_outcome = found;
}

// betweenness.sp:17 iterateInReverse (v != src)
#line 17 "betweenness.sp"
extern "C" void betweenness_few_2(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level_order, double *delta, const int *__restrict__ bfs_level,
    const double *__restrict__ sigma, double *bc, const int *__restrict__ bfs_level_starts,
    bool goes_on, int bfs_level_end, int bfs_level_begin, int few_2, int src, int depth,
    int *goes_on_outcome, int *depth_outcome, int *bfs_level_end_outcome,
    int *bfs_level_begin_outcome
) {
    do {
        {
            // betweenness.sp:17 iterateInReverse (v != src)
            #line 17 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                if (v == src) continue;
                double delta_of_v = delta[v];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        delta_of_v += sigma[v] / sigma[w] * (1.0 + delta[w]);
                    }
                }
                delta[v] = delta_of_v;
                bc[v] += delta_of_v;
            }
        }
        goes_on = depth > 0;
        if (goes_on) {
            depth -= 1;
            bfs_level_end = bfs_level_begin;
            bfs_level_begin = bfs_level_starts[depth];
        }
    } while (goes_on && bfs_level_end - bfs_level_begin < few_2);
    *goes_on_outcome = goes_on;
    *depth_outcome = depth;
    *bfs_level_end_outcome = bfs_level_end;
    *bfs_level_begin_outcome = bfs_level_begin;
}

}  // namespace kernels
#line 233 "betweenness.cpp"

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
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<int> goes_on_result(device);
    bc.fill(0.0);
    // betweenness.sp:7 for (src in sources)
    for (const int src : sources.members()) {
        sigma.fill(0.0);
        delta.fill(0.0);
        sigma.write(src, 1.0);
        // betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            bfs_level_order.write(0, src);
            bfs_level_count.write(0, 1);
            int bfs_level_begin = 0;
            int bfs_level_end = 1;
            bfs_level_starts.write(0, 0);
            int depth = 0;
            bool found = false;
            const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            do {
                if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                    kernels::betweenness_few(
                        graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns,
                        bfs_level_order, bfs_level, bfs_level_count, sigma, bfs_level_starts, found, bfs_level_end,
                        bfs_level_begin, few, depth, depth_result, bfs_level_begin_result, bfs_level_end_result,
                        found_result
                    );
                    depth = depth_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    found = found_result.read();
                } else {
                    bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
                    if (bfs_level_end - bfs_level_begin > 4096 && !pulls
                            && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                        float active_arcs = 0.0f;
                        active_arcs_result.set(0.0f);
                        kernels::arcs_of_bfs_level_order(
                            graph.row_offsets, bfs_level_order, bfs_level_begin, bfs_level_end, active_arcs_result
                        );
                        active_arcs += active_arcs_result.read();
                        pulls = active_arcs > (float)(graph.num_arcs / 8LL);
                    }
                    if (pulls) {
                        kernels::betweenness_min_bfs_level_pull(
                            graph.num_nodes, graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count,
                            bfs_level_order, depth
                        );
                    } else {
                        kernels::betweenness_min_bfs_level(
                            graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                            bfs_level_begin, bfs_level_end, depth
                        );
                    }
                    kernels::betweenness_add_sigma(
                        graph.in_row_offsets, graph.in_columns, bfs_level_order, sigma, bfs_level, bfs_level_begin,
                        bfs_level_end, depth
                    );
                    depth += 1;
                    bfs_level_begin = bfs_level_end;
                    bfs_level_end = bfs_level_count.read(0);
                    bfs_level_starts.write(depth, bfs_level_begin);
                    found = bfs_level_begin < bfs_level_end;
                }
            } while (found);
            bfs_level_begin = bfs_level_starts.read(depth);
            const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            bool goes_on = depth > 0;
            if (goes_on) {
                depth -= 1;
                bfs_level_end = bfs_level_begin;
                bfs_level_begin = bfs_level_starts.read(depth);
            }
            while (goes_on) {
                if (bfs_level_end - bfs_level_begin < few_2) {
                    kernels::betweenness_few_2(
                        graph.row_offsets, graph.columns, bfs_level_order, delta, bfs_level, sigma, bc,
                        bfs_level_starts, goes_on, bfs_level_end, bfs_level_begin, few_2, src, depth,
                        goes_on_result, depth_result, bfs_level_end_result, bfs_level_begin_result
                    );
                    goes_on = goes_on_result.read();
                    depth = depth_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                } else {
                    kernels::betweenness_add_delta(
                        graph.row_offsets, graph.columns, bfs_level_order, delta, bfs_level, sigma, bc,
                        bfs_level_begin, bfs_level_end, src, depth
                    );
                    goes_on = depth > 0;
                    if (goes_on) {
                        depth -= 1;
                        bfs_level_end = bfs_level_begin;
                        bfs_level_begin = bfs_level_starts.read(depth);
                    }
                }
            }
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
            device.finish();
            stopwatch.seconds();
            betweenness(device, graph, bc, sources);
            device.finish();
            runs.add(stopwatch.seconds());
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
