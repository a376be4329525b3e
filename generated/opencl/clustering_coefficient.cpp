// clustering_coefficient.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in clustering_coefficient.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv clustering_coefficient.cpp -lOpenCL -o clustering_coefficient
// run:   ./clustering_coefficient GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_opencl.hpp"

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    downward_excess_result.set(0);
    device.launch(
        "clustering_coefficient_set_lcc_check", graph.num_arcs, graph.num_arcs, graph.row_offsets, graph.columns,
        graph.arc_sources, kept_arcs, kept_columns, other_graph_result, downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        triangles_of.fill(0);
        device.launch(
            "clustering_coefficient_set_lcc_intersect", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_of
        );
        device.launch(
            "clustering_coefficient_set_lcc_from_triangles", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, triangles_of, lcc
        );
    } else {
        device.launch(
            "clustering_coefficient_set_lcc", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, lcc
        );
    }
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_few_pairs(Device &device, Graph &graph, Buffer<double> &lcc) {
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    device.launch(
        "clustering_coefficient_set_lcc", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
        graph.in_row_offsets, graph.in_columns, lcc
    );
}

// clustering_coefficient.sp:6 function clustering_coefficient(Graph g, propNode<double> lcc)
static void clustering_coefficient_symmetric(Device &device, Graph &graph, Buffer<double> &lcc) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Buffer<long long> triangles_of(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    // clustering_coefficient.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    device.launch(
        "clustering_coefficient_set_lcc_check_symmetric", graph.num_arcs, graph.num_arcs, graph.row_offsets,
        graph.columns, graph.arc_sources, kept_arcs, kept_columns, other_graph_result
    );
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        triangles_of.fill(0);
        device.launch(
            "clustering_coefficient_set_lcc_intersect", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_of
        );
        device.launch(
            "clustering_coefficient_set_lcc_from_triangles", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, triangles_of, lcc
        );
    } else {
        device.launch(
            "clustering_coefficient_set_lcc", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, lcc
        );
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "clustering_coefficient.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        const bool has_few_pairs = host.has_even_rows(8, 4);
        Buffer<double> lcc(device, graph.num_nodes);
        const auto before = [&] {
            lcc.fill(0);
        };
        program.repeat(device, before, [&] {
            has_few_pairs
                ? clustering_coefficient_few_pairs(device, graph, lcc)
                : is_symmetric && !has_few_pairs
                ? clustering_coefficient_symmetric(device, graph, lcc)
                : clustering_coefficient(device, graph, lcc);
        });
        program.describe(host, device);
        program.results.add_of_nodes("lcc", watched("lcc", lcc.download(), host, true));
        program.finish(host);
    });
}
