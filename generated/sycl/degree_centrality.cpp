// degree_centrality.sp as a program of its own, for SYCL 2020.
// Its kernels are in degree_centrality_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv degree_centrality.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o degree_centrality
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise degree_centrality.cpp -o degree_centrality
// run:   ./degree_centrality GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_sycl.hpp"

using namespace starplat;


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
    Device &device, Graph &graph, Buffer<double> &out_centrality, Buffer<double> &in_centrality
) {
    const double others = (double)std::max<int>(graph.num_nodes - 1, 1);
    // degree_centrality.sp:6 forall (v in g.nodes())
    device.launch(
        "degree_centrality_set_out_centrality", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.in_row_offsets, out_centrality, in_centrality, others
    );
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "degree_centrality_kernels.cpp"));
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
