// minimum_spanning_tree.sp as a program of its own, for SYCL 2020.
// Its kernels are in minimum_spanning_tree_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv minimum_spanning_tree.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o minimum_spanning_tree
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise minimum_spanning_tree.cpp -o minimum_spanning_tree
// run:   ./minimum_spanning_tree GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_sycl.hpp"

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

// minimum_spanning_tree.sp:5 function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight)
static long long minimum_spanning_tree(
    Device &device, Graph &graph, Buffer<unsigned char> &in_tree, Buffer<int> &weight
) {
    Buffer<int> component(device, graph.num_nodes);
    Buffer<int> joins(device, graph.num_nodes);
    Buffer<int> lightest(device, graph.num_nodes);
    Buffer<arc_t> choice(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> growing_found(device, 1);
    Word<long long> total_result(device);
    in_tree.fill(false);
    // minimum_spanning_tree.sp:11 forall (v in g.nodes())
    device.launch("minimum_spanning_tree_set_component", graph.num_nodes, graph.num_nodes, component, joins);
    device.launch_once("minimum_spanning_tree_begin", goes_on, growing_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            device.launch(
                "minimum_spanning_tree_fill_lightest", graph.num_nodes, graph.num_nodes, goes_on, lightest
            );
            device.launch("minimum_spanning_tree_fill_choice", graph.num_nodes, graph.num_nodes, goes_on, choice);
            // minimum_spanning_tree.sp:19 forall (e in g.edges())
            device.launch(
                "minimum_spanning_tree_min_lightest", graph.num_arcs, graph.num_arcs, graph.columns,
                graph.arc_sources, goes_on, component, lightest, weight
            );
            // minimum_spanning_tree.sp:27 forall (e in g.edges())
            device.launch(
                "minimum_spanning_tree_max_choice", graph.num_arcs, graph.num_arcs, graph.columns,
                graph.arc_sources, goes_on, component, weight, lightest, choice
            );
            // minimum_spanning_tree.sp:37 forall (a in g.nodes().filter(choice != -1))
            device.launch(
                "minimum_spanning_tree_set_joins", graph.num_nodes, graph.num_nodes, graph.columns,
                graph.arc_sources, goes_on, choice, component, joins, in_tree, growing_found
            );
            // minimum_spanning_tree.sp:49 forall (v in g.nodes())
            device.launch(
                "minimum_spanning_tree_set_component_2", graph.num_nodes, graph.num_nodes, goes_on, component,
                joins
            );
            device.launch_once("minimum_spanning_tree_end_round", goes_on, growing_found);
        }
        if (!goes_on.read(0)) break;
    }
    long long total = 0;
    // minimum_spanning_tree.sp:58 forall (e in g.edges().filter(in_tree))
    total_result.set(0);
    device.launch(
        "minimum_spanning_tree_find_total", graph.num_arcs, graph.num_arcs, in_tree, weight, total_result
    );
    total += total_result.read();
    return total;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "minimum_spanning_tree_kernels.cpp"));
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
