// minimum_spanning_tree.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp minimum_spanning_tree.cpp -o minimum_spanning_tree
// run:   ./minimum_spanning_tree GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
#line 15 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_find_sum(
    arc_t num_arcs, const int *__restrict__ weight, float limit, long long *sum, long long *light
) {
    long long sum_part = 0;
    long long light_part = 0;
    #pragma omp parallel for schedule(static) reduction(+ : sum_part, light_part)
    for (arc_t e = 0; e < num_arcs; e++) {
        sum_part += multiply_long(weight[e], (long long)((float)weight[e] <= limit));
        light_part += (long long)((float)weight[e] <= limit);
    }
    *sum = sum_part;
    *light = light_part;
}

// minimum_spanning_tree.sp:28 forall (e in g.edges())
#line 28 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_set_open(
    arc_t num_arcs, bool *open_, const int *__restrict__ weight, float limit
) {
    #pragma omp parallel for schedule(static)
    for (arc_t e = 0; e < num_arcs; e++) {
        open_[e] = (float)weight[e] <= limit;
    }
}

// minimum_spanning_tree.sp:31 forall (v in g.nodes())
#line 31 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_set_component(int num_nodes, int *component, int *joins) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        component[v] = v;
        joins[v] = v;
    }
}

// minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
#line 40 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_min_lightest(
    arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources, int *open_left,
    arc_t *open_arcs, const int *__restrict__ component, bool *open_, int *lightest, const int *__restrict__ weight
) {
    #pragma omp parallel for schedule(static)
    for (int block = 0; block < (int)(num_arcs / 256) + 1; block++) {
        const arc_t first = (arc_t)block * 256;
        const arc_t end = first + (arc_t)open_left[block];
        arc_t stays = first;
        for (arc_t place = first; place < end; place++) {
            const arc_t e = open_arcs[place];
            const int a = component[arc_sources[e]];
            const int b = component[columns[e]];
            if (a == b) {
                open_[e] = false;
            } else {
                const int candidate = weight[e];
                if (candidate < lightest[a]) {
                    atomic_min_int(&lightest[a], candidate);
                }
                const int candidate_2 = weight[e];
                if (candidate_2 < lightest[b]) {
                    atomic_min_int(&lightest[b], candidate_2);
                }
            }
            open_arcs[stays] = e;
            stays += (arc_t)open_[e];
        }
        open_left[block] = (int)(stays - first);
    }
}

// minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
#line 50 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_max_choice(
    arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources,
    const int *__restrict__ open_left, const arc_t *__restrict__ open_arcs, const int *__restrict__ component,
    const int *__restrict__ weight, const int *__restrict__ lightest, arc_t *choice
) {
    #pragma omp parallel for schedule(static)
    for (int block = 0; block < (int)(num_arcs / 256) + 1; block++) {
        const arc_t first = (arc_t)block * 256;
        const arc_t end = first + (arc_t)open_left[block];
        for (arc_t place = first; place < end; place++) {
            const arc_t e = open_arcs[place];
            const int a = component[arc_sources[e]];
            const int b = component[columns[e]];
            if (weight[e] == lightest[a]) {
                if (e > choice[a]) {
                    atomic_max_arc(&choice[a], e);
                }
            }
            if (weight[e] == lightest[b]) {
                if (e > choice[b]) {
                    atomic_max_arc(&choice[b], e);
                }
            }
        }
    }
}

// minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
#line 60 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_set_joins(
    int num_nodes, const int *__restrict__ columns, const int *__restrict__ arc_sources,
    const arc_t *__restrict__ choice, const int *__restrict__ component, int *joins, bool *in_tree,
    const int *__restrict__ weight, long long *total, int *growing
) {
    long long total_part = 0;
    int growing_part = 0;
    #pragma omp parallel for schedule(static) reduction(+ : total_part) reduction(|| : growing_part)
    for (int a = 0; a < num_nodes; a++) {
        if (choice[a] == -1) continue;
        const arc_t e = choice[a];
        int b = component[arc_sources[e]];
        if (b == a) b = component[columns[e]];
        if (choice[b] != e || b < a) {
            joins[a] = b;
            in_tree[e] = true;
            total_part += weight[e];
            growing_part = 1;
        }
    }
    *total = total_part;
    *growing = growing_part;
}

// minimum_spanning_tree.sp:73 forall (v in g.nodes())
#line 73 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_set_component_2(
    int num_nodes, int *component, const int *__restrict__ joins
) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512)
    for (int v = 0; v < num_nodes; v++) {
        int root = component[v];
        while (joins[root] != root) {
            root = joins[root];
        }
        component[v] = root;
    }
}

// minimum_spanning_tree.sp:81 forall (e in g.edges())
#line 81 "minimum_spanning_tree.sp"
extern "C" void minimum_spanning_tree_set_open_2(
    arc_t num_arcs, bool *open_, const int *__restrict__ weight, float limit
) {
    #pragma omp parallel for schedule(static)
    for (arc_t e = 0; e < num_arcs; e++) {
        open_[e] = !((float)weight[e] <= limit);
    }
}

// lists the arcs for which 'open' says that they are left
extern "C" void list_open(arc_t num_arcs, arc_t *open_arcs, const bool *__restrict__ open_, int *open_left) {
    #pragma omp parallel for schedule(static)
    for (int block = 0; block < (int)(num_arcs / 256) + 1; block++) {
        const arc_t first = (arc_t)block * 256;
        const arc_t end = smaller_long(first + 256, num_arcs);
        arc_t stays = first;
        for (arc_t e_2 = first; e_2 < end; e_2++) {
            open_arcs[stays] = e_2;
            stays += (arc_t)open_[e_2];
        }
        open_left[block] = (int)(stays - first);
    }
}

}  // namespace kernels
#line 183 "minimum_spanning_tree.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
};

// minimum_spanning_tree.sp:6 function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight)
static long long minimum_spanning_tree(
    Device &device, Graph &graph, Buffer<unsigned char> &in_tree, Buffer<int> &weight
) {
    Buffer<int> component(device, graph.num_nodes);
    Buffer<int> joins(device, graph.num_nodes);
    Buffer<int> lightest(device, graph.num_nodes);
    Buffer<arc_t> choice(device, graph.num_nodes);
    Buffer<unsigned char> open_(device, graph.num_arcs);
    Buffer<arc_t> open_arcs(device, graph.num_arcs);
    Buffer<int> open_left(device, graph.num_arcs / 256 + 1);
    Word<long long> sum_result(device);
    Word<long long> light_result(device);
    Word<long long> total_result(device);
    Word<int> growing_result(device);
    float limit = INFINITY;
    float mean = INFINITY;
    long long light = graph.num_arcs;
    bool many = light > multiply(4, graph.num_nodes);
    while (many) {
        limit = mean;
        light = 0;
        long long sum = 0;
        // minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
        sum_result.set(0);
        light_result.set(0);
        kernels::minimum_spanning_tree_find_sum(graph.num_arcs, weight, limit, sum_result, light_result);
        sum += sum_result.read();
        light += light_result.read();
        mean = (float)((double)(float)sum / (double)light);
        many = light > multiply(4, graph.num_nodes) && mean < limit;
    }
    in_tree.fill(false);
    // minimum_spanning_tree.sp:28 forall (e in g.edges())
    kernels::minimum_spanning_tree_set_open(graph.num_arcs, open_, weight, limit);
    // minimum_spanning_tree.sp:31 forall (v in g.nodes())
    kernels::minimum_spanning_tree_set_component(graph.num_nodes, component, joins);
    long long total = 0;
    bool growing = true;
    kernels::list_open(graph.num_arcs, open_arcs, open_, open_left);
    do {
        growing = false;
        lightest.fill(INT_MAX);
        choice.fill(-1);
        // minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
        kernels::minimum_spanning_tree_min_lightest(
            graph.num_arcs, graph.columns, graph.arc_sources, open_left, open_arcs, component, open_, lightest,
            weight
        );
        // minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
        kernels::minimum_spanning_tree_max_choice(
            graph.num_arcs, graph.columns, graph.arc_sources, open_left, open_arcs, component, weight, lightest,
            choice
        );
        // minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
        total_result.set(0);
        growing_result.set(false);
        kernels::minimum_spanning_tree_set_joins(
            graph.num_nodes, graph.columns, graph.arc_sources, choice, component, joins, in_tree, weight,
            total_result, growing_result
        );
        total += total_result.read();
        growing = growing || growing_result.read();
        // minimum_spanning_tree.sp:73 forall (v in g.nodes())
        kernels::minimum_spanning_tree_set_component_2(graph.num_nodes, component, joins);
        if (!growing && limit < INFINITY) {
            // minimum_spanning_tree.sp:81 forall (e in g.edges())
            kernels::minimum_spanning_tree_set_open_2(graph.num_arcs, open_, weight, limit);
            kernels::list_open(graph.num_arcs, open_arcs, open_, open_left);
            limit = INFINITY;
            growing = true;
        }
    } while (growing);
    return total;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        Buffer<unsigned char> in_tree(device, graph.num_arcs);
        Buffer<int> weight(device, host.weights);
        long long returned{};
        program.repeat(device, [&] { returned = minimum_spanning_tree(device, graph, in_tree, weight); });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.results.add_of_arcs("in_tree", in_tree.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
