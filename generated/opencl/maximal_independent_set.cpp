// maximal_independent_set.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in maximal_independent_set.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv maximal_independent_set.cpp -lOpenCL -o maximal_independent_set
// run:   ./maximal_independent_set GRAPH [OPTIONS]

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
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Buffer<unsigned char> joins(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> more_found(device, 1);
    in_set.fill(false);
    undecided.fill(true);
    joins.fill(false);
    device.launch_once("maximal_independent_set_begin", goes_on, more_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
            device.launch(
                "maximal_independent_set_set_joins", graph.num_nodes, graph.num_nodes, graph.row_offsets,
                graph.columns, graph.in_row_offsets, graph.in_columns, goes_on, undecided, joins, more_found
            );
            // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
            device.launch(
                "maximal_independent_set_set_in_set", graph.num_nodes, graph.num_nodes, graph.row_offsets,
                graph.columns, graph.in_row_offsets, graph.in_columns, goes_on, joins, in_set, undecided
            );
            device.launch_once("maximal_independent_set_end_round", goes_on, more_found);
        }
        if (!goes_on.read(0)) break;
    }
}

// maximal_independent_set.sp:6 function maximal_independent_set(Graph g, propNode<bool> in_set)
static void maximal_independent_set_symmetric(Device &device, Graph &graph, Buffer<unsigned char> &in_set) {
    Buffer<unsigned char> undecided(device, graph.num_nodes);
    Buffer<unsigned char> joins(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> more_found(device, 1);
    in_set.fill(false);
    undecided.fill(true);
    joins.fill(false);
    device.launch_once("maximal_independent_set_begin", goes_on, more_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // maximal_independent_set.sp:13 forall (v in g.nodes().filter(undecided))
            device.launch(
                "maximal_independent_set_set_joins_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, goes_on, undecided, joins, more_found
            );
            // maximal_independent_set.sp:24 forall (v in g.nodes().filter(joins))
            device.launch(
                "maximal_independent_set_set_in_set_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, goes_on, joins, in_set, undecided
            );
            device.launch_once("maximal_independent_set_end_round", goes_on, more_found);
        }
        if (!goes_on.read(0)) break;
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "maximal_independent_set.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<unsigned char> in_set(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? maximal_independent_set_symmetric(device, graph, in_set)
                : maximal_independent_set(device, graph, in_set);
        });
        program.describe(host, device);
        program.results.add_of_nodes("in_set", in_set.download());
        program.finish(host);
    });
}
