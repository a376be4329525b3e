// betweenness.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp betweenness.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 21 "betweenness.sp"
extern "C" void betweenness_min_bfs_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order, int *bfs_level,
    int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    if (bfs_level_end - bfs_level_begin > 1000) {
        Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_bfs_level_order)
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                    to_bfs_level_order.add(neighbor);
                }
            }
        }
    } else {
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor]) {
                    bfs_level[neighbor] = candidate;
                    const int slot = *bfs_level_count;
                    *bfs_level_count += 1;
                    bfs_level_order[slot] = neighbor;
                }
            }
        }
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
#line 21 "betweenness.sp"
extern "C" void betweenness_add_paths(
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ bfs_level_order, double *paths, const int *__restrict__ bfs_level, int *power,
    int bfs_level_begin, int bfs_level_end, int depth, double many, double unit, double most
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        double paths_of_v = paths[v];
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (bfs_level[u] == depth - 1) paths_of_v += paths[u];
        }
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
                    sum += power[u_2] == highest ? paths[u_2] : power[u_2] == highest - 1 ? paths[u_2] * unit : 0.0;
                }
            }
            const bool carry = sum > most;
            paths[v] = carry ? sum * unit : sum;
            power[v] = carry ? highest + 1 : highest;
        }
    }
}

// betweenness.sp:40 iterateInReverse (v != src)
#line 40 "betweenness.sp"
extern "C" void betweenness_add_bc(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ bfs_level_order,
    const int *__restrict__ bfs_level, double *share, const int *__restrict__ power,
    const double *__restrict__ paths, double *bc, int bfs_level_begin, int bfs_level_end, int src, int depth,
    double sure, double unit
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        if (v == src) continue;
        double shares = 0.0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                shares += share[w] > sure || power[w] == power[v] ? share[w] : power[w] == power[v] + 1
                    ? share[w] * unit : 0.0;
            }
        }
        const double through = paths[v] * shares;
        share[v] = (1.0 + through) / paths[v];
        bc[v] += through;
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 21 "betweenness.sp"
extern "C" void betweenness_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *bfs_level,
    int *bfs_level_count, int *bfs_level_order, int depth
) {
    Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes)) \
        firstprivate(to_bfs_level_order)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                to_bfs_level_order.add(neighbor);
                break;
            }
        }
    }
}

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 21 "betweenness.sp"
extern "C" void arcs_of_bfs_level_order(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
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

// betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
#line 21 "betweenness.sp"
extern "C" void betweenness_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, double *paths, int *power, int *bfs_level_starts, bool found,
    int bfs_level_end, int bfs_level_begin, int few, int depth, double many, double unit, double most,
    int *depth_outcome, int *bfs_level_begin_outcome, int *bfs_level_end_outcome, int *found_outcome
) {
    do {
        {
            // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 21 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]) {
                        bfs_level[neighbor] = candidate;
                        const int slot = *bfs_level_count;
                        *bfs_level_count += 1;
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        {
            // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
            #line 21 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                double paths_of_v = paths[v];
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (bfs_level[u] == depth - 1) paths_of_v += paths[u];
                }
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
                            sum += power[u_2] == highest ? paths[u_2] : power[u_2] == highest - 1 ? paths[u_2] * unit
                                : 0.0;
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
        bfs_level_starts[depth] = bfs_level_begin;
        found = bfs_level_begin < bfs_level_end;
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
    *depth_outcome = depth;
    *bfs_level_begin_outcome = bfs_level_begin;
    *bfs_level_end_outcome = bfs_level_end;
    *found_outcome = found;
}

// betweenness.sp:40 iterateInReverse (v != src)
#line 40 "betweenness.sp"
extern "C" void betweenness_few_2(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ bfs_level_order,
    const int *__restrict__ bfs_level, double *share, const int *__restrict__ power,
    const double *__restrict__ paths, double *bc, const int *__restrict__ bfs_level_starts, bool goes_on,
    int bfs_level_end, int bfs_level_begin, int few_2, int src, int depth, double sure, double unit,
    int *goes_on_outcome, int *depth_outcome, int *bfs_level_end_outcome, int *bfs_level_begin_outcome
) {
    do {
        {
            // betweenness.sp:40 iterateInReverse (v != src)
            #line 40 "betweenness.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                if (v == src) continue;
                double shares = 0.0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        shares += share[w] > sure || power[w] == power[v] ? share[w] : power[w] == power[v] + 1
                            ? share[w] * unit : 0.0;
                    }
                }
                const double through = paths[v] * shares;
                share[v] = (1.0 + through) / paths[v];
                bc[v] += through;
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
#line 268 "betweenness.cpp"

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
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<int> goes_on_result(device);
    const double many = std::pow(2.0, 400.0);
    const double most = std::pow(2.0, 912.0);
    const double unit = std::pow(2.0, -512.0);
    const double sure = std::pow(2.0, -336.0);
    bc.fill(0.0);
    // betweenness.sp:15 for (src in sources)
    for (const int src : sources.members()) {
        paths.fill(0.0);
        power.fill(0);
        share.fill(0.0);
        paths.write(src, 1.0);
        // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
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
                        bfs_level_order, bfs_level, bfs_level_count, paths, power, bfs_level_starts, found,
                        bfs_level_end, bfs_level_begin, few, depth, many, unit, most, depth_result,
                        bfs_level_begin_result, bfs_level_end_result, found_result
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
                    kernels::betweenness_add_paths(
                        graph.in_row_offsets, graph.in_columns, bfs_level_order, paths, bfs_level, power,
                        bfs_level_begin, bfs_level_end, depth, many, unit, most
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
                        graph.row_offsets, graph.columns, bfs_level_order, bfs_level, share, power, paths, bc,
                        bfs_level_starts, goes_on, bfs_level_end, bfs_level_begin, few_2, src, depth, sure, unit,
                        goes_on_result, depth_result, bfs_level_end_result, bfs_level_begin_result
                    );
                    goes_on = goes_on_result.read();
                    depth = depth_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                } else {
                    kernels::betweenness_add_bc(
                        graph.row_offsets, graph.columns, bfs_level_order, bfs_level, share, power, paths, bc,
                        bfs_level_begin, bfs_level_end, src, depth, sure, unit
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
