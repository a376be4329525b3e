// pagerank.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp pagerank.cpp -o pagerank
// run:   ./pagerank GRAPH [--damping DOUBLE] [--tolerance DOUBLE] [--max_iterations INT] [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// pagerank.sp:14 forall (v in g.nodes().filter(g.count_outNbrs(v) == 0))
// then what a node gives to each of its neighbors in 'pagerank_set_rank_nxt'
#line 14 "pagerank.sp"
extern "C" void pagerank_find_stranded_and_set_contribution(
    int num_nodes, const arc_t *__restrict__ row_offsets, const double *__restrict__ rank, double *contribution,
    double *stranded
) {
    double stranded_part = 0.0;
    #pragma omp parallel for schedule(static) reduction(+ : stranded_part)
    for (int v = 0; v < num_nodes; v++) {
        if (row_offsets[v + 1] - row_offsets[v] == 0) stranded_part += rank[v];
        contribution[v] = rank[v] / (double)(row_offsets[v + 1] - row_offsets[v]);
    }
    *stranded = stranded_part;
}

// pagerank.sp:18 forall (v in g.nodes())
// then rank = rank_nxt
#line 18 "pagerank.sp"
extern "C" void pagerank_set_rank_nxt(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const double *__restrict__ contribution, double *rank, double damping, double n, double stranded,
    double *change
) {
    double change_part = 0.0;
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes)) \
        reduction(+ : change_part)
    for (int v = 0; v < num_nodes; v++) {
        double inflow = 0.0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            inflow += contribution[nbr];
        }
        const double rank_nxt_of_v = (1.0 - damping) / n + damping * (inflow + stranded / n);
        const double old_rank = rank[v];
        change_part += fabs(rank_nxt_of_v - old_rank);
        if (old_rank != rank_nxt_of_v || rank_nxt_of_v == 0.0) rank[v] = rank_nxt_of_v;
    }
    *change = change_part;
}

}  // namespace kernels
#line 57 "pagerank.cpp"

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
    Word<double> stranded_result(device);
    Word<double> change_result(device);
    const double n = (double)graph.num_nodes;
    double change = INFINITY;
    int iterations = 0;
    rank.fill(1.0 / n);
    while (change > tolerance && iterations < max_iterations) {
        double stranded = 0.0;
        change = 0.0;
        // pagerank.sp:18 forall (v in g.nodes())
        stranded_result.set(0.0);
        kernels::pagerank_find_stranded_and_set_contribution(
            graph.num_nodes, graph.row_offsets, rank, contribution, stranded_result
        );
        stranded += stranded_result.read();
        change_result.set(0.0);
        kernels::pagerank_set_rank_nxt(
            graph.num_nodes, graph.in_row_offsets, graph.in_columns, contribution, rank, damping, n, stranded,
            change_result
        );
        change += change_result.read();
        iterations += 1;
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
