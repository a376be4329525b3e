// betweenness.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm betweenness.cpp -o betweenness
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc betweenness.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_openacc.hpp"

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
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(4) vector_length(128) \
        deviceptr(row_offsets, columns, bfs_level_order, bfs_level, bfs_level_count)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        #pragma acc loop vector
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                int slot;
                #pragma acc atomic capture
                { slot = *bfs_level_count; *bfs_level_count += 1; }
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// betweenness.sp:12 iterateInBFS (v in g.nodes() from src)
#line 12 "betweenness.sp"
extern "C" void betweenness_add_sigma(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ bfs_level_order, double *sigma, const int *__restrict__ bfs_level,
    int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(in_row_offsets, in_columns, bfs_level_order, sigma, bfs_level)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        double sigma_of_v = sigma[v];
        #pragma acc loop vector reduction(+ : sigma_of_v)
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
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ bfs_level_order, double *delta, const int *__restrict__ bfs_level,
    const double *__restrict__ sigma, double *bc, int bfs_level_begin, int bfs_level_end, int src,
    int depth
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, bfs_level_order, delta, bfs_level, sigma, bc)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        if (v == src) continue;
        double delta_of_v = delta[v];
        #pragma acc loop vector reduction(+ : delta_of_v)
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
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(in_row_offsets, in_columns, bfs_level, bfs_level_count, bfs_level_order)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                int slot;
                #pragma acc atomic capture
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
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, bfs_level_order) reduction(+ : active_arcs_part)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

}  // namespace kernels
#line 146 "betweenness.cpp"

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
    std::vector<int> bfs_level_starts(graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    Word<float> active_arcs_result(device);
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
            bfs_level_starts[0] = 0;
            int depth = 0;
            bool found = false;
            do {
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
                    graph.num_nodes, graph.in_row_offsets, graph.in_columns, bfs_level_order, sigma, bfs_level,
                    bfs_level_begin, bfs_level_end, depth
                );
                depth += 1;
                bfs_level_begin = bfs_level_end;
                bfs_level_end = bfs_level_count.read(0);
                bfs_level_starts[depth] = bfs_level_begin;
                found = bfs_level_begin < bfs_level_end;
            } while (found);
            bfs_level_begin = bfs_level_starts[depth];
            while (depth > 0) {
                depth -= 1;
                bfs_level_end = bfs_level_begin;
                bfs_level_begin = bfs_level_starts[depth];
                kernels::betweenness_add_delta(
                    graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order, delta, bfs_level, sigma,
                    bc, bfs_level_begin, bfs_level_end, src, depth
                );
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
