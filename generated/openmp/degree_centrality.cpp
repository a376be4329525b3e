// degree_centrality.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp degree_centrality.cpp -o degree_centrality
// run:   ./degree_centrality GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// degree_centrality.sp:6 forall (v in g.nodes())
#line 6 "degree_centrality.sp"
extern "C" void degree_centrality_set_out_centrality(
    int num_nodes, const arc_t *__restrict__ row_offsets, const arc_t *__restrict__ in_row_offsets,
    double *out_centrality, double *in_centrality, double others
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        out_centrality[v] = (double)(row_offsets[v + 1] - row_offsets[v]) / others;
        in_centrality[v] = (double)(in_row_offsets[v + 1] - in_row_offsets[v]) / others;
    }
}

}  // namespace kernels
#line 29 "degree_centrality.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
};

// degree_centrality.sp:4 function degree_centrality(Graph g, propNode<double> out_centrality, propNode<double>
// in_centrality)
static void degree_centrality(
    Device &, Graph &graph, Buffer<double> &out_centrality, Buffer<double> &in_centrality
) {
    const double others = (double)std::max<int>(graph.num_nodes - 1, 1);
    // degree_centrality.sp:6 forall (v in g.nodes())
    kernels::degree_centrality_set_out_centrality(
        graph.num_nodes, graph.row_offsets, graph.in_row_offsets, out_centrality, in_centrality, others
    );
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> out_centrality(device, graph.num_nodes);
        Buffer<double> in_centrality(device, graph.num_nodes);
        program.repeat(device, [&] { degree_centrality(device, graph, out_centrality, in_centrality); });
        program.describe(host, device);
        program.results.add_of_nodes("out_centrality", watched("out_centrality", out_centrality.download(), host));
        program.results.add_of_nodes("in_centrality", watched("in_centrality", in_centrality.download(), host));
        program.finish(host);
    });
}
