// minimum_spanning_tree.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in minimum_spanning_tree.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv minimum_spanning_tree.cpp -lOpenCL -o minimum_spanning_tree
// run:   ./minimum_spanning_tree GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_opencl.hpp"

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
};

// Multiplication that wraps around.
static int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// minimum_spanning_tree.sp:6 function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight)
static long long minimum_spanning_tree(
    Device &device, Graph &graph, Buffer<unsigned char> &in_tree, Buffer<int> &weight
) {
    Buffer<int> component(device, graph.num_nodes);
    Buffer<int> joins(device, graph.num_nodes);
    Buffer<int> lightest(device, graph.num_nodes);
    Buffer<arc_t> choice(device, graph.num_nodes);
    Buffer<unsigned char> open_(device, graph.num_arcs);
    Word<long long> sum_result(device);
    Word<long long> light_result(device);
    Word<long long> total_result(device);
    Word<int> growing_result(device);
    float limit = INFINITY;
    float mean = INFINITY;
    long long light = graph.num_arcs;
    bool many = light > multiply(4, graph.num_nodes);
    while (many) {
        limit = mean;
        light = 0;
        long long sum = 0;
        // minimum_spanning_tree.sp:15 forall (e in g.edges().filter(weight <= limit))
        sum_result.set(0);
        light_result.set(0);
        device.launch(
            "minimum_spanning_tree_find_sum", graph.num_arcs, graph.num_arcs, weight, limit, sum_result,
            light_result
        );
        sum += sum_result.read();
        light += light_result.read();
        mean = (float)((double)(float)sum / (double)light);
        many = light > multiply(4, graph.num_nodes) && mean < limit;
    }
    in_tree.fill(false);
    // minimum_spanning_tree.sp:28 forall (e in g.edges())
    device.launch("minimum_spanning_tree_set_open", graph.num_arcs, graph.num_arcs, open_, weight, limit);
    // minimum_spanning_tree.sp:31 forall (v in g.nodes())
    device.launch("minimum_spanning_tree_set_component", graph.num_nodes, graph.num_nodes, component, joins);
    long long total = 0;
    bool growing = true;
    do {
        growing = false;
        lightest.fill(INT_MAX);
        choice.fill(-1);
        // minimum_spanning_tree.sp:40 forall (e in g.edges().filter(open))
        device.launch(
            "minimum_spanning_tree_min_lightest", graph.num_arcs, graph.num_arcs, graph.columns, graph.arc_sources,
            open_, component, lightest, weight
        );
        // minimum_spanning_tree.sp:50 forall (e in g.edges().filter(open))
        device.launch(
            "minimum_spanning_tree_max_choice", graph.num_arcs, graph.num_arcs, graph.columns, graph.arc_sources,
            open_, component, weight, lightest, choice
        );
        // minimum_spanning_tree.sp:60 forall (a in g.nodes().filter(choice != -1))
        total_result.set(0);
        growing_result.set(false);
        device.launch(
            "minimum_spanning_tree_set_joins", graph.num_nodes, graph.num_nodes, graph.columns, graph.arc_sources,
            choice, component, joins, in_tree, weight, total_result, growing_result
        );
        total += total_result.read();
        growing = growing || growing_result.read();
        // minimum_spanning_tree.sp:73 forall (v in g.nodes())
        device.launch("minimum_spanning_tree_set_component_2", graph.num_nodes, graph.num_nodes, component, joins);
        if (!growing && limit < INFINITY) {
            // minimum_spanning_tree.sp:81 forall (e in g.edges())
            device.launch("minimum_spanning_tree_set_open_2", graph.num_arcs, graph.num_arcs, open_, weight, limit);
            limit = INFINITY;
            growing = true;
        }
    } while (growing);
    return total;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "minimum_spanning_tree.cl"));
        program.lap("compile");
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        Buffer<unsigned char> in_tree(device, graph.num_arcs);
        Buffer<int> weight(device, host.weights);
        long long returned{};
        program.repeat(device, [&] { returned = minimum_spanning_tree(device, graph, in_tree, weight); });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.results.add_of_arcs("in_tree", in_tree.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
