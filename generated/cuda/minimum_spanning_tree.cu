// minimum_spanning_tree.sp as a program of its own, in CUDA C++.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv minimum_spanning_tree.cu -o minimum_spanning_tree
// run:   ./minimum_spanning_tree GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

// minimum_spanning_tree.sp:6 function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight)
#line 6 "minimum_spanning_tree.sp"
extern "C" __global__ void __launch_bounds__(512) minimum_spanning_tree_loop(
    int num_nodes, arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources,
    const int *__restrict__ weight, bool *in_tree, bool *open_, int *component, int *joins, int *lightest,
    arc_t *choice, long long total, long long *sum_found, long long *light_found, long long *total_found,
    int *growing_found, long long *total_outcome, unsigned *arrived
) {
    int sum_turn = 0;
    int light_turn = 0;
    int total_turn = 0;
    int growing_turn = 0;
    float limit = INFINITY;
    float mean = INFINITY;
    long long light = num_arcs;
    bool many = light > multiply(4, num_nodes);
    while (many) {
        limit = mean;
        light = 0;
        long long sum = 0;
        {
            // minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
            #line 15 "minimum_spanning_tree.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                sum_found[sum_turn == 2 ? 0 : sum_turn + 1] = 0;
                light_found[light_turn == 2 ? 0 : light_turn + 1] = 0;
            }
            long long sum_part = 0;
            long long light_part = 0;
            each_kept(num_arcs,
                [&](arc_t e) { return (float)weight[e] <= limit; },
                [&](arc_t e) {
                    sum_part += weight[e];
                    light_part += 1;
                });
            __shared__ long long sum_part_scratch[16];
            sum_part = group_add_long(sum_part, sum_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&sum_found[sum_turn], sum_part);
            __shared__ long long light_part_scratch[16];
            light_part = group_add_long(light_part, light_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&light_found[light_turn], light_part);
        }
        grid_barrier(arrived);
        sum += sum_found[sum_turn];
        sum_turn = sum_turn == 2 ? 0 : sum_turn + 1;
        light += light_found[light_turn];
        light_turn = light_turn == 2 ? 0 : light_turn + 1;
        mean = (float)((double)(float)sum / (double)light);
        many = light > multiply(4, num_nodes) && mean < limit;
    }
    for (arc_t cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_arcs; cell += gridDim.x * blockDim.x) {
        in_tree[cell] = false;
    }
    {
        // minimum_spanning_tree.sp:28 forall (e in g.edges())
        #line 28 "minimum_spanning_tree.sp"
        for (arc_t e = blockIdx.x * blockDim.x + threadIdx.x; e < num_arcs; e += gridDim.x * blockDim.x) {
            open_[e] = (float)weight[e] <= limit;
        }
    }
    {
        // minimum_spanning_tree.sp:31 forall (v in g.nodes())
        #line 31 "minimum_spanning_tree.sp"
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
            component[v] = v;
            joins[v] = v;
        }
    }
    total = 0;
    bool growing = true;
    do {
        growing = false;
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            lightest[cell] = INT_MAX;
            choice[cell] = -1;
        }
        grid_barrier(arrived);
        {
            // minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
            #line 40 "minimum_spanning_tree.sp"
            each_flagged(num_arcs, open_,
                [&](arc_t e) {
                    const int a = component[arc_sources[e]];
                    const int b = component[columns[e]];
                    if (a == b) {
                        open_[e] = false;
                    } else {
                        const int candidate = weight[e];
                        if (candidate < lightest[a]) {
                            atomicMin(&lightest[a], candidate);
                        }
                        const int candidate_2 = weight[e];
                        if (candidate_2 < lightest[b]) {
                            atomicMin(&lightest[b], candidate_2);
                        }
                    }
                });
        }
        grid_barrier(arrived);
        {
            // minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
            #line 50 "minimum_spanning_tree.sp"
            each_flagged(num_arcs, open_,
                [&](arc_t e) {
                    const int a = component[arc_sources[e]];
                    const int b = component[columns[e]];
                    if (weight[e] == lightest[a]) {
                        if (e > choice[a]) {
                            atomicMax(&choice[a], e);
                        }
                    }
                    if (weight[e] == lightest[b]) {
                        if (e > choice[b]) {
                            atomicMax(&choice[b], e);
                        }
                    }
                });
        }
        grid_barrier(arrived);
        {
            // minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
            #line 60 "minimum_spanning_tree.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                total_found[total_turn == 2 ? 0 : total_turn + 1] = 0;
                growing_found[growing_turn == 2 ? 0 : growing_turn + 1] = 0;
            }
            long long total_part = 0;
            bool growing_part = false;
            each_kept(num_nodes,
                [&](int a) { return choice[a] != -1; },
                [&](int a) {
                    const arc_t e = choice[a];
                    int b = component[arc_sources[e]];
                    if (b == a) b = component[columns[e]];
                    if (choice[b] != e || b < a) {
                        joins[a] = b;
                        in_tree[e] = true;
                        total_part += weight[e];
                        growing_part = true;
                    }
                });
            __shared__ long long total_part_scratch[16];
            total_part = group_add_long(total_part, total_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&total_found[total_turn], total_part);
            if (__syncthreads_or(growing_part) && threadIdx.x == 0) {
                growing_found[growing_turn] = 1;
            }
        }
        grid_barrier(arrived);
        total += total_found[total_turn];
        total_turn = total_turn == 2 ? 0 : total_turn + 1;
        growing = growing || (growing_found[growing_turn] != 0);
        growing_turn = growing_turn == 2 ? 0 : growing_turn + 1;
        {
            // minimum_spanning_tree.sp:73 forall (v in g.nodes())
            #line 73 "minimum_spanning_tree.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                int root = component[v];
                while (joins[root] != root) {
                    root = joins[root];
                }
                component[v] = root;
            }
        }
        if (!growing && limit < INFINITY) {
            {
                // minimum_spanning_tree.sp:81 forall (e in g.edges())
                #line 81 "minimum_spanning_tree.sp"
                for (arc_t e = blockIdx.x * blockDim.x + threadIdx.x; e < num_arcs; e += gridDim.x * blockDim.x) {
                    open_[e] = !((float)weight[e] <= limit);
                }
            }
            limit = INFINITY;
            growing = true;
        }
    } while (growing);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *total_outcome = total;
}

#line 191 "minimum_spanning_tree.cu"

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
    Buffer<unsigned> arrived(device, 1, 0);
    long long total = 0;
    {
        Buffer<long long> sum_found(device, 3, 0);
        Buffer<long long> light_found(device, 3, 0);
        Buffer<long long> total_found(device, 3, 0);
        Buffer<int> growing_found(device, 3, 0);
        Word<long long> total_outcome(device);
        device.launch_together(
            "minimum_spanning_tree_loop", minimum_spanning_tree_loop, graph.num_arcs < 4194304 ? 2 : 4,
            graph.num_nodes, graph.num_arcs, graph.columns, graph.arc_sources, weight, in_tree, open_, component,
            joins, lightest, choice, total, sum_found, light_found, total_found, growing_found, total_outcome,
            arrived
        );
        total = total_outcome.read();
    }
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
