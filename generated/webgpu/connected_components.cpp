// connected_components.sp as a program of its own, for WebGPU.
// Its kernels are in connected_components.wgsl.
//
// build: g++ -O2 -std=c++17 -fwrapv connected_components.cpp -lwgpu_native -o connected_components
// run:   ./connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_webgpu.hpp"

using namespace starplat;


// The buffers of each kernel, by their numbers in its text, and whether they are written.
static const Bindings bindings = {
    {"connected_components_component_start", {{0, false}, {1, false}, {2, true}}},
    {"connected_components_component_sample", {{0, false}, {1, false}, {2, true}}},
    {"connected_components_component_join", {{1, false}, {3, false}, {2, true}}},
    {"connected_components_component_flatten", {{2, true}}},
    {"connected_components_component_join_symmetric", {{0, false}, {1, false}, {4, true}, {2, true}}},
    {"connected_components_component_set_apart_symmetric", {{2, true}, {4, true}}},
};

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
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
        "connected_components_component_join", graph.num_arcs, graph.num_arcs, graph.columns, graph.arc_sources,
        component
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
        "connected_components_component_join_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, component_apart, component
    );
    device.launch("connected_components_component_flatten", graph.num_nodes, graph.num_nodes, component);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "connected_components.wgsl"), bindings);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
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
