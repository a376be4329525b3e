// graph_coloring.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in graph_coloring.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv graph_coloring.cpp -lOpenCL -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

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

// graph_coloring.sp:5 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> color_nxt(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> finished_found(device, 1);
    color.fill(-1);
    color_nxt.fill(-1);
    // graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
    device.launch_once("graph_coloring_begin", goes_on, finished_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // graph_coloring.sp:10 forall (v in g.nodes().filter(color == -1))
            device.launch(
                "graph_coloring_set_color_nxt", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, goes_on, color, color_nxt
            );
            device.launch(
                "graph_coloring_find_finished", graph.num_nodes, graph.num_nodes, goes_on, color, color_nxt,
                finished_found
            );
            device.launch_once("graph_coloring_end_round", goes_on, finished_found);
        }
        if (!goes_on.read(0)) break;
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "graph_coloring.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] { graph_coloring(device, graph, color); });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
