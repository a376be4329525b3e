// sssp.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp sssp.cpp -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, Additions &list) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma omp atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) list.add(node);
    }
}

// The same where no other thread runs.
static void enlist_alone(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        bits[node / 32] |= bit;
        list[*size] = node;
        *size += 1;
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
extern "C" void sssp_min_dist(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ modified_list,
    int *modified_bits, int *dist, const int *__restrict__ weight, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_bits, int *modified_later_list, int *modified_later_size,
    int modified_count, int limit
) {
    Additions to_modified_next_list(modified_next_list, modified_next_size);
    Additions to_modified_later_list(modified_later_list, modified_later_size);
    #pragma omp parallel for schedule(dynamic, 64) \
        firstprivate(to_modified_next_list, to_modified_later_list) if(modified_count > 1000)
    for (int place = 0; place < modified_count; place++) {
        const int v = modified_list[place];
        modified_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, to_modified_next_list);
                } else {
                    enlist(nbr, modified_later_bits, to_modified_later_list);
                }
            }
        }
    }
}

// the mean of some weights says how far apart near and far are
extern "C" void sample_weight(int num_nodes, arc_t num_arcs, const int *__restrict__ weight, double *weight_total) {
    double weight_total_part = 0.0;
    #pragma omp parallel for schedule(static) reduction(+ : weight_total_part)
    for (int node = 0; node < num_nodes; node++) {
        if ((arc_t)node < num_arcs && (arc_t)node < 65536) {
            weight_total_part += (double)weight[(arc_t)node * larger_long(num_arcs / smaller_long((arc_t)num_nodes,
                (arc_t)65536), (arc_t)1)];
        }
    }
    *weight_total = weight_total_part;
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// the far pile: near nodes join the next frontier, settled nodes are dropped
#line 12 "sssp.sp"
extern "C" void sssp_min_dist_later(
    const int *__restrict__ modified_later_list, int *modified_later_bits, const int *__restrict__ dist,
    int *modified_bits, int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int modified_later_count, int settled, int limit
) {
    if (modified_later_count > 1000) {
        Additions to_modified_list(modified_list, modified_size);
        Additions to_modified_next_list(modified_next_list, modified_next_size);
        #pragma omp parallel for schedule(dynamic, 64) \
            firstprivate(to_modified_list, to_modified_next_list)
        for (int place = 0; place < modified_later_count; place++) {
            const int node_2 = modified_later_list[place];
            modified_later_bits[node_2 / 32] = 0;
            const int value = dist[node_2];
            if (value >= settled) {
                if (value < limit) {
                    enlist(node_2, modified_bits, to_modified_list);
                } else {
                    enlist(node_2, modified_next_bits, to_modified_next_list);
                }
            }
        }
    } else {
        for (int place = 0; place < modified_later_count; place++) {
            const int node_2 = modified_later_list[place];
            modified_later_bits[node_2 / 32] = 0;
            const int value = dist[node_2];
            if (value >= settled) {
                if (value < limit) {
                    enlist_alone(node_2, modified_bits, modified_list, modified_size);
                } else {
                    enlist_alone(node_2, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

extern "C" void modified_list_first(int *modified_bits, int *modified_list, int *modified_size, int src) {
    enlist_alone(src, modified_bits, modified_list, modified_size);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
extern "C" void sssp_min_dist_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ modified_bits, int *dist, const int *__restrict__ weight, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_later_bits, int *modified_later_list,
    int *modified_later_size, int limit
) {
    Additions to_modified_next_list(modified_next_list, modified_next_size);
    Additions to_modified_later_list(modified_later_list, modified_later_size);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        firstprivate(to_modified_next_list, to_modified_later_list)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, to_modified_next_list);
                } else {
                    enlist(nbr, modified_later_bits, to_modified_later_list);
                }
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
extern "C" void sssp_min_dist_later_of_many(
    int num_nodes, const int *__restrict__ modified_later_bits, const int *__restrict__ dist, int *modified_bits,
    int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int settled, int limit
) {
    Additions to_modified_list(modified_list, modified_size);
    Additions to_modified_next_list(modified_next_list, modified_next_size);
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512) \
        firstprivate(to_modified_list, to_modified_next_list)
    for (int node_2 = 0; node_2 < num_nodes; node_2++) {
        if ((modified_later_bits[node_2 / 32] & (1 << (node_2 % 32))) == 0) continue;
        const int value = dist[node_2];
        if (value >= settled) {
            if (value < limit) {
                enlist(node_2, modified_bits, to_modified_list);
            } else {
                enlist(node_2, modified_next_bits, to_modified_next_list);
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
extern "C" void sssp_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *modified_list,
    int *modified_bits, int *dist, const int *__restrict__ weight, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_bits, int *modified_later_list, int *modified_later_size,
    int *modified_size, bool finished, int modified_count, int few, int limit, bool turned,
    int *modified_count_outcome, int *finished_outcome, int *turned_outcome
) {
    do {
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            #line 12 "sssp.sp"
            for (int place = 0; place < modified_count; place++) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr]) {
                        dist[nbr] = candidate;
                        if (candidate < limit) {
                            enlist_alone(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        } else {
                            enlist_alone(nbr, modified_later_bits, modified_later_list, modified_later_size);
                        }
                    }
                }
            }
        }
        *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        modified_count = *modified_size;
        finished = modified_count == 0;
        turned = !turned;
    } while (!finished && (modified_count < few && modified_count <= num_nodes / 8));
    *modified_count_outcome = modified_count;
    *finished_outcome = finished;
    *turned_outcome = turned;
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
extern "C" void sssp_few_2(
    int num_nodes, int *modified_later_list, int *modified_later_bits, const int *__restrict__ dist,
    int *modified_bits, int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_size, bool nobody_near, bool nobody_waits,
    int modified_later_count, int few_2, int limit, int rise, int settled, int modified_count, bool turned_2,
    int *settled_outcome, int *limit_outcome, int *rise_outcome, int *modified_count_outcome,
    int *nobody_near_outcome, int *modified_later_count_outcome, int *nobody_waits_outcome, int *turned_2_outcome
) {
    do {
        settled = limit;
        limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
        rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            // the far pile: near nodes join the next frontier, settled nodes are dropped
            #line 12 "sssp.sp"
            for (int place = 0; place < modified_later_count; place++) {
                const int node_2 = modified_later_list[place];
                modified_later_bits[node_2 / 32] = 0;
                const int value = dist[node_2];
                if (value >= settled) {
                    if (value < limit) {
                        enlist_alone(node_2, modified_bits, modified_list, modified_size);
                    } else {
                        enlist_alone(node_2, modified_next_bits, modified_next_list, modified_next_size);
                    }
                }
            }
        }
        *modified_later_size = 0;
        { auto *other = modified_later_bits; modified_later_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_later_list; modified_later_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_later_size; modified_later_size = modified_next_size; modified_next_size = other; }
        modified_count = *modified_size;
        nobody_near = modified_count == 0;
        modified_later_count = *modified_later_size;
        nobody_waits = modified_later_count == 0;
        turned_2 = !turned_2;
    } while (nobody_near && !nobody_waits && (modified_later_count < few_2 && modified_later_count <= num_nodes / 8));
    *settled_outcome = settled;
    *limit_outcome = limit;
    *rise_outcome = rise;
    *modified_count_outcome = modified_count;
    *nobody_near_outcome = nobody_near;
    *modified_later_count_outcome = modified_later_count;
    *nobody_waits_outcome = nobody_waits;
    *turned_2_outcome = turned_2;
}

}  // namespace kernels
#line 275 "sssp.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// sssp.sp:5 function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)
static void sssp(Device &device, Graph &graph, Buffer<int> &dist, Buffer<int> &weight, int src) {
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    Buffer<int> modified_later_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_later_list(device, graph.num_nodes);
    Buffer<int> modified_later_size(device, 1);
    Word<double> weight_total_result(device);
    Word<int> modified_count_result(device);
    Word<int> finished_result(device);
    Word<int> turned_result(device);
    Word<int> settled_result(device);
    Word<int> limit_result(device);
    Word<int> rise_result(device);
    Word<int> nobody_near_result(device);
    Word<int> modified_later_count_result(device);
    Word<int> nobody_waits_result(device);
    Word<int> turned_2_result(device);
    int modified_count = 0;
    int modified_later_count = 0;
    dist.fill(INT_MAX);
    modified_bits.fill(0);
    modified_size.fill(0);
    dist.write(src, 0);
    check_place(src, graph.num_nodes);
    kernels::modified_list_first(modified_bits, modified_list, modified_size, src);
    bool finished = false;
    // sssp.sp:11 fixedPoint until (finished : !modified)
    modified_next_bits.fill(0);
    modified_next_size.fill(0);
    double weight_total = 0.0;
    weight_total_result.set(0.0);
    kernels::sample_weight(graph.num_nodes, graph.num_arcs, weight, weight_total_result);
    weight_total += weight_total_result.read();
    const double mean_weight = weight_total / std::fmin(std::fmin((double)graph.num_nodes, (double)graph.num_arcs),
        65536.0);
    const double mean_degree = (double)graph.num_arcs / (double)graph.num_nodes;
    const int width = saturated<int>(std::fmax(96.0 * mean_weight / mean_degree, 1.0));
    modified_later_bits.fill(0);
    modified_later_size.fill(0);
    int limit = width;
    int rise = width;
    int settled = width;
    bool nobody_near = true;
    bool nobody_waits = true;
    do {
        modified_count = modified_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_count < few && modified_count <= graph.num_nodes / 8) {
                bool turned = false;
                kernels::sssp_few(
                    graph.num_nodes, graph.row_offsets, graph.columns, modified_list, modified_bits, dist, weight,
                    modified_next_bits, modified_next_list, modified_next_size, modified_later_bits,
                    modified_later_list, modified_later_size, modified_size, finished, modified_count, few, limit,
                    turned, modified_count_result, finished_result, turned_result
                );
                modified_count = modified_count_result.read();
                finished = finished_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_bits, modified_next_bits);
                    std::swap(modified_list, modified_next_list);
                    std::swap(modified_size, modified_next_size);
                }
            } else {
                if (modified_count > graph.num_nodes / 8) {
                    kernels::sssp_min_dist_of_many(
                        graph.num_nodes, graph.row_offsets, graph.columns, modified_bits, dist, weight,
                        modified_next_bits, modified_next_list, modified_next_size, modified_later_bits,
                        modified_later_list, modified_later_size, limit
                    );
                    modified_bits.fill(0);
                } else {
                    kernels::sssp_min_dist(
                        graph.row_offsets, graph.columns, modified_list, modified_bits, dist, weight,
                        modified_next_bits, modified_next_list, modified_next_size, modified_later_bits,
                        modified_later_list, modified_later_size, modified_count, limit
                    );
                }
                modified_size.fill(0);
                std::swap(modified_bits, modified_next_bits);
                std::swap(modified_list, modified_next_list);
                std::swap(modified_size, modified_next_size);
                modified_count = modified_size.read(0);
                finished = modified_count == 0;
            }
        } while (!finished);
        rise = width;
        modified_later_count = modified_later_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_later_count < few_2 && modified_later_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                kernels::sssp_few_2(
                    graph.num_nodes, modified_later_list, modified_later_bits, dist, modified_bits, modified_list,
                    modified_size, modified_next_bits, modified_next_list, modified_next_size, modified_later_size,
                    nobody_near, nobody_waits, modified_later_count, few_2, limit, rise, settled, modified_count,
                    turned_2, settled_result, limit_result, rise_result, modified_count_result, nobody_near_result,
                    modified_later_count_result, nobody_waits_result, turned_2_result
                );
                settled = settled_result.read();
                limit = limit_result.read();
                rise = rise_result.read();
                modified_count = modified_count_result.read();
                nobody_near = nobody_near_result.read();
                modified_later_count = modified_later_count_result.read();
                nobody_waits = nobody_waits_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_later_bits, modified_next_bits);
                    std::swap(modified_later_list, modified_next_list);
                    std::swap(modified_later_size, modified_next_size);
                }
            } else {
                settled = limit;
                limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
                rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
                if (modified_later_count > graph.num_nodes / 8) {
                    kernels::sssp_min_dist_later_of_many(
                        graph.num_nodes, modified_later_bits, dist, modified_bits, modified_list, modified_size,
                        modified_next_bits, modified_next_list, modified_next_size, settled, limit
                    );
                    modified_later_bits.fill(0);
                } else {
                    kernels::sssp_min_dist_later(
                        modified_later_list, modified_later_bits, dist, modified_bits, modified_list, modified_size,
                        modified_next_bits, modified_next_list, modified_next_size, modified_later_count, settled,
                        limit
                    );
                }
                modified_later_size.fill(0);
                std::swap(modified_later_bits, modified_next_bits);
                std::swap(modified_later_list, modified_next_list);
                std::swap(modified_later_size, modified_next_size);
                modified_count = modified_size.read(0);
                nobody_near = modified_count == 0;
                modified_later_count = modified_later_size.read(0);
                nobody_waits = modified_later_count == 0;
            }
        } while (nobody_near && !nobody_waits);
        finished = nobody_near;
    } while (!finished);
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number);
        program.lap("compile");
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        const int src = host.node(given_src);
        program.repeat(device, [&] { sssp(device, graph, dist, weight, src); });
        program.describe(host, device);
        program.results.add_of_nodes("dist", dist.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
