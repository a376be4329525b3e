// k_core.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv k_core.hip.cpp -o k_core
// run:   ./k_core GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

using namespace starplat;

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
#line 5 "k_core.sp"
extern "C" __global__ void __launch_bounds__(512) k_core_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *core,
    unsigned *peeling_words, int *degree, long long *peeled_found, unsigned *arrived
) {
    __shared__ int new_in_peeling[MOST_NEW + 1];
    Frontier peeling = frontier_in(peeling_words, num_nodes, new_in_peeling);
    int peeled_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        core[cell] = -1;
    }
    clear(peeling, num_nodes);
    {
        // k_core.sp:9 forall (v in g.nodes())
        // first degree = 0
        #line 9 "k_core.sp"
        gather_all(num_nodes, in_row_offsets, (int)0, every_node,
            [&](int a, int b) -> int { return a + b; },
            [&](int v, arc_t in_e) -> int {
                const int nbr = in_columns[in_e];
                if (nbr != v) return 1;
                return 0;
            },
            [&](int v, int degree_of_v) {
                degree[v] = degree_of_v;
            });
    }
    long long left = num_nodes;
    int k = 0;
    while (left > 0) {
        long long peeled = 0;
        grid_barrier(arrived);
        {
            // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
            #line 18 "k_core.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                peeled_found[peeled_turn == 2 ? 0 : peeled_turn + 1] = 0;
            }
            long long peeled_part = 0;
            each_kept(num_nodes,
                [&](int v) { return core[v] == -1 && degree[v] <= k; },
                [&](int v) {
                    core[v] = k;
                    insert(peeling, v);
                    peeled_part += 1;
                });
            inserted(peeling);
            __shared__ long long peeled_part_scratch[16];
            peeled_part = group_add_long(peeled_part, peeled_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&peeled_found[peeled_turn], peeled_part);
        }
        grid_barrier(arrived);
        peeled += peeled_found[peeled_turn];
        peeled_turn = peeled_turn == 2 ? 0 : peeled_turn + 1;
        {
            // k_core.sp:23 forall (v in g.nodes().filter(peeling))
            #line 23 "k_core.sp"
            advance(peeling, num_nodes, row_offsets, every_node,
                [&](int v, arc_t e) {
                    const int nbr = columns[e];
                    if (nbr != v) atomicAdd(&degree[nbr], -1);
                });
        }
        left -= peeled;
        if (peeled == 0) k += 1;
    }
}

#line 83 "k_core.hip.cpp"

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
    Buffer<unsigned> peeling(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> peeled_found(device, 3, 0);
        device.launch_together(
            "k_core_loop", k_core_loop, 2, graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets,
            graph.in_columns, core, peeling, degree, peeled_found, arrived
        );
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
