// pagerank.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv pagerank.hip.cpp -o pagerank
// run:   ./pagerank GRAPH [--damping DOUBLE] [--tolerance DOUBLE] [--max_iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// pagerank.sp:6 function pagerank(Graph g, propNode<double> rank, double damping = 0.85, double tolerance = 1e-6, int
// max_iterations = 100)
#line 6 "pagerank.sp"
extern "C" __global__ void __launch_bounds__(512) pagerank_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const arc_t *__restrict__ in_row_offsets,
    const int *__restrict__ in_columns, double *rank, double *contribution, double tolerance, int max_iterations,
    double damping, double *stranded_found, double *change_found, unsigned *arrived
) {
    int stranded_turn = 0;
    int change_turn = 0;
    const double n = (double)num_nodes;
    double change = INFINITY;
    int iterations = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        rank[cell] = 1.0 / n;
    }
    while (change > tolerance && iterations < max_iterations) {
        double stranded = 0.0;
        change = 0.0;
        {
            // pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
            // then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
            #line 14 "pagerank.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                stranded_found[stranded_turn == 2 ? 0 : stranded_turn + 1] = 0.0;
            }
            double stranded_part = 0.0;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (row_offsets[v + 1] - row_offsets[v] == 0) stranded_part += rank[v];
                contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
            }
            __shared__ double stranded_part_scratch[16];
            stranded_part = group_add_double(stranded_part, stranded_part_scratch);
            if (threadIdx.x == 0) atomicAdd(&stranded_found[stranded_turn], stranded_part);
        }
        grid_barrier(arrived);
        stranded += stranded_found[stranded_turn];
        stranded_turn = stranded_turn == 2 ? 0 : stranded_turn + 1;
        {
            // pagerank.sp:18 forall (v in g.nodes())
            // then rank = rank_nxt
            #line 18 "pagerank.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                change_found[change_turn == 2 ? 0 : change_turn + 1] = 0.0;
            }
            double change_part = 0.0;
            gather_rows(num_nodes, in_row_offsets, (double)0.0,
                [&](double a, double b) -> double { return a + b; },
                [&](arc_t in_e) -> double {
                    const int nbr = in_columns[in_e];
                    return contribution[nbr];
                },
                [&](int v, double inflow) {
                    const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + stranded / n);
                    const double old_rank = rank[v];
                    change_part += fabs(rank_nxt_of_v - old_rank);
                    if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) rank[v] = rank_nxt_of_v;
                });
            __shared__ double change_part_scratch[16];
            change_part = group_add_double(change_part, change_part_scratch);
            if (threadIdx.x == 0) atomicAdd(&change_found[change_turn], change_part);
        }
        grid_barrier(arrived);
        change += change_found[change_turn];
        change_turn = change_turn == 2 ? 0 : change_turn + 1;
        iterations += 1;
    }
}

#line 81 "pagerank.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// pagerank.sp:6 function pagerank(Graph g, propNode<double> rank, double damping = 0.85, double tolerance = 1e-6, int
// max_iterations = 100)
static void pagerank(
    Device &device, Graph &graph, Buffer<double> &rank, double damping, double tolerance, int max_iterations
) {
    Buffer<double> contribution(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<double> stranded_found(device, 3, 0.0);
        Buffer<double> change_found(device, 3, 0.0);
        device.launch_together(
            "pagerank_loop", pagerank_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes, graph.row_offsets,
            graph.in_row_offsets, graph.in_columns, rank, contribution, tolerance, max_iterations, damping,
            stranded_found, change_found, arrived
        );
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"[--damping DOUBLE]", "a double; 0.85 if not given"},
        {"[--tolerance DOUBLE]", "a double; 1e-06 if not given"},
        {"[--max_iterations INT]", "an int; 100 if not given"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto damping = program.arguments.number<double>("damping", 0.85);
        const auto tolerance = program.arguments.number<double>("tolerance", 1e-06);
        const auto max_iterations = program.arguments.number<int>("max_iterations", 100);
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> rank(device, graph.num_nodes);
        program.repeat(device, [&] { pagerank(device, graph, rank, damping, tolerance, max_iterations); });
        program.describe(host, device);
        program.results.add_of_nodes("rank", watched("rank", rank.download(), host));
        program.finish(host);
    });
}
