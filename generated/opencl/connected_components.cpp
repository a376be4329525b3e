// connected_components.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in connected_components.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv connected_components.cpp -lOpenCL -o connected_components
// run:   ./connected_components GRAPH [OPTIONS]

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
};

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    // connected_components.sp:6 forall (v in g.nodes())
    device.launch(
        "connected_components_component_start", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
        component
    );
    device.launch(
        "connected_components_component_sample", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
        component
    );
    device.launch("connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component);
    device.launch(
        "connected_components_component_join", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
        graph.columns, component
    );
    device.launch("connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component);
}

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> component_apart(device, graph.num_nodes);
    // connected_components.sp:6 forall (v in g.nodes())
    const int middle = graph.host.columns[graph.num_arcs / 2];
    device.launch(
        "connected_components_component_start", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
        component
    );
    device.launch(
        "connected_components_component_sample", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
        component
    );
    device.launch(
        "connected_components_component_set_apart_symmetric", graph.num_nodes, graph.num_nodes, component,
        component_apart, middle
    );
    device.launch(
        "connected_components_component_join_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
        graph.row_offsets, graph.columns, component_apart, component
    );
    device.launch("connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "connected_components.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? connected_components_symmetric(device, graph, component)
                : connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
