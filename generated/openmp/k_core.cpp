// k_core.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp k_core.cpp -o k_core
// run:   ./k_core GRAPH [OPTIONS]

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

// k_core.sp:9 forall (v in g.nodes())
// first degree = 0
#line 9 "k_core.sp"
extern "C" void k_core_add_degree(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *degree
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        int degree_of_v = 0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            if (nbr != v) degree_of_v += 1;
        }
        degree[v] = degree_of_v;
    }
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
#line 18 "k_core.sp"
extern "C" void k_core_set_core(
    int num_nodes, int *core, const int *__restrict__ degree, int *peeling_bits, int *peeling_list,
    int *peeling_size, int k, long long *peeled
) {
    long long peeled_part = 0;
    Additions to_peeling_list(peeling_list, peeling_size);
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes / 64 + 1) / 512) \
        firstprivate(to_peeling_list) reduction(+ : peeled_part)
    for (int block = 0; block < num_nodes / 64 + 1; block++) {
        const int first = block * 64;
        const int end = block < num_nodes / 64 ? first + 64 : num_nodes;
        int some = 0;
        #pragma omp simd reduction(| : some)
        for (int v = first; v < end; v++) {
            some |= (core[v] == -1) & (degree[v] <= k);
        }
        if (some == 0) continue;
        for (int v = first; v < end; v++) {
            if (!(core[v] == -1 && degree[v] <= k)) continue;
            core[v] = k;
            enlist(v, peeling_bits, to_peeling_list);
            peeled_part += 1;
        }
    }
    *peeled = peeled_part;
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
#line 23 "k_core.sp"
extern "C" void k_core_add_degree_2(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ peeling_list,
    int *peeling_bits, int *degree, int *passing_bits, int *passing_list, int *passing_size, int peeling_count,
    int k
) {
    if (peeling_count > 1000) {
        Additions to_passing_list(passing_list, passing_size);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_passing_list)
        for (int place = 0; place < peeling_count; place++) {
            const int v = peeling_list[place];
            peeling_bits[v / 32] = 0;
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int nbr = columns[e];
                if (nbr != v) {
                    int old_degree;
                    #pragma omp atomic capture
                    { old_degree = degree[nbr]; degree[nbr] -= 1; }
                    if (old_degree - 1 == k) enlist(nbr, passing_bits, to_passing_list);
                }
            }
        }
    } else {
        for (int place = 0; place < peeling_count; place++) {
            const int v = peeling_list[place];
            peeling_bits[v / 32] = 0;
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int nbr = columns[e];
                if (nbr != v) {
                    const int old_degree = degree[nbr];
                    degree[nbr] -= 1;
                    if (old_degree - 1 == k) {
                        enlist_alone(nbr, passing_bits, passing_list, passing_size);
                    }
                }
            }
        }
    }
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
#line 18 "k_core.sp"
extern "C" void k_core_set_core_passing(
    const int *__restrict__ passing_list, int *passing_bits, int *core, const int *__restrict__ degree,
    int *peeling_bits, int *peeling_list, int *peeling_size, int passing_count, int k, long long *peeled
) {
    long long peeled_part = 0;
    if (passing_count > 1000) {
        Additions to_peeling_list(peeling_list, peeling_size);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_peeling_list) \
            reduction(+ : peeled_part)
        for (int place = 0; place < passing_count; place++) {
            const int v = passing_list[place];
            passing_bits[v / 32] = 0;
            if (core[v] == -1 && degree[v] <= k) {
                core[v] = k;
                enlist(v, peeling_bits, to_peeling_list);
                peeled_part += 1;
            }
        }
    } else {
        for (int place = 0; place < passing_count; place++) {
            const int v = passing_list[place];
            passing_bits[v / 32] = 0;
            if (core[v] == -1 && degree[v] <= k) {
                core[v] = k;
                enlist_alone(v, peeling_bits, peeling_list, peeling_size);
                peeled_part += 1;
            }
        }
    }
    *peeled = peeled_part;
}

// k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
// where many are active: goes over all, in their order
#line 18 "k_core.sp"
extern "C" void k_core_set_core_passing_of_many(
    int num_nodes, const int *__restrict__ passing_bits, int *core, const int *__restrict__ degree,
    int *peeling_bits, int *peeling_list, int *peeling_size, int k, long long *peeled
) {
    long long peeled_part = 0;
    Additions to_peeling_list(peeling_list, peeling_size);
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512) firstprivate(to_peeling_list) \
        reduction(+ : peeled_part)
    for (int v = 0; v < num_nodes; v++) {
        if ((passing_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        if (core[v] == -1 && degree[v] <= k) {
            core[v] = k;
            enlist(v, peeling_bits, to_peeling_list);
            peeled_part += 1;
        }
    }
    *peeled = peeled_part;
}

// k_core.sp:23 forall (v in g.nodes().filter(peeling))
// where many are active: goes over all, in their order
#line 23 "k_core.sp"
extern "C" void k_core_add_degree_2_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ peeling_bits, int *degree, int *passing_bits, int *passing_list, int *passing_size,
    int k
) {
    Additions to_passing_list(passing_list, passing_size);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        firstprivate(to_passing_list)
    for (int v = 0; v < num_nodes; v++) {
        if ((peeling_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (nbr != v) {
                int old_degree;
                #pragma omp atomic capture
                { old_degree = degree[nbr]; degree[nbr] -= 1; }
                if (old_degree - 1 == k) enlist(nbr, passing_bits, to_passing_list);
            }
        }
    }
}

}  // namespace kernels
#line 208 "k_core.cpp"

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

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
static void k_core(Device &device, Graph &graph, Buffer<int> &core) {
    Buffer<int> degree(device, graph.num_nodes);
    Buffer<int> peeling_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> peeling_list(device, graph.num_nodes);
    Buffer<int> peeling_size(device, 1);
    Buffer<int> passing_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> passing_list(device, graph.num_nodes);
    Buffer<int> passing_size(device, 1);
    Word<long long> peeled_result(device);
    int peeling_count = 0;
    int passing_count = 0;
    core.fill(-1);
    peeling_bits.fill(0);
    peeling_size.fill(0);
    // k_core.sp:9 forall (v in g.nodes())
    kernels::k_core_add_degree(graph.num_nodes, graph.in_row_offsets, graph.in_columns, degree);
    long long left = graph.num_nodes;
    int k = 0;
    bool whole = true;
    passing_bits.fill(0);
    passing_size.fill(0);
    while (left > 0) {
        long long peeled = 0;
        // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
        if (whole) {
            passing_bits.fill(0);
            passing_size.fill(0);
            peeled_result.set(0);
            kernels::k_core_set_core(
                graph.num_nodes, core, degree, peeling_bits, peeling_list, peeling_size, k, peeled_result
            );
            peeled += peeled_result.read();
        } else {
            passing_count = passing_size.read(0);
            if (passing_count > graph.num_nodes / 8) {
                peeled_result.set(0);
                kernels::k_core_set_core_passing_of_many(
                    graph.num_nodes, passing_bits, core, degree, peeling_bits, peeling_list, peeling_size, k,
                    peeled_result
                );
                peeled += peeled_result.read();
                passing_bits.fill(0);
            } else {
                peeled_result.set(0);
                kernels::k_core_set_core_passing(
                    passing_list, passing_bits, core, degree, peeling_bits, peeling_list, peeling_size,
                    passing_count, k, peeled_result
                );
                peeled += peeled_result.read();
            }
            passing_size.fill(0);
        }
        whole = k == -1;
        // k_core.sp:23 forall (v in g.nodes().filter(peeling))
        peeling_count = peeling_size.read(0);
        if (peeling_count > graph.num_nodes / 8) {
            kernels::k_core_add_degree_2_of_many(
                graph.num_nodes, graph.row_offsets, graph.columns, peeling_bits, degree, passing_bits, passing_list,
                passing_size, k
            );
            peeling_bits.fill(0);
        } else {
            kernels::k_core_add_degree_2(
                graph.row_offsets, graph.columns, peeling_list, peeling_bits, degree, passing_bits, passing_list,
                passing_size, peeling_count, k
            );
        }
        peeling_size.fill(0);
        left -= peeled;
        if (peeled == 0) {
            k += 1;
            whole = true;
        }
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> core(device, graph.num_nodes);
        program.repeat(device, [&] { k_core(device, graph, core); });
        program.describe(host, device);
        program.results.add_of_nodes("core", core.download());
        program.finish(host);
    });
}
