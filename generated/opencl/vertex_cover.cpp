// vertex_cover.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in vertex_cover.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv vertex_cover.cpp -lOpenCL -o vertex_cover
// run:   ./vertex_cover GRAPH [OPTIONS]

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

// vertex_cover.sp:5 function vertex_cover(Graph g, propNode<bool> in_cover)
static void vertex_cover(Device &device, Graph &graph, Buffer<unsigned char> &in_cover) {
    Buffer<int> partner(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> matched_found(device, 1);
    // vertex_cover.sp:7 forall (v in g.nodes())
    device.launch(
        "vertex_cover_set_in_cover", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns, in_cover
    );
    device.launch_once("vertex_cover_begin", goes_on, matched_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
            device.launch(
                "vertex_cover_set_partner", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, goes_on, partner, in_cover
            );
            // vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
            device.launch(
                "vertex_cover_set_in_cover_2", graph.num_nodes, graph.num_nodes, goes_on, partner, in_cover,
                matched_found
            );
            device.launch_once("vertex_cover_end_round", goes_on, matched_found);
        }
        if (!goes_on.read(0)) break;
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "vertex_cover.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<unsigned char> in_cover(device, graph.num_nodes);
        program.repeat(device, [&] { vertex_cover(device, graph, in_cover); });
        program.describe(host, device);
        program.results.add_of_nodes("in_cover", in_cover.download());
        program.finish(host);
    });
}
