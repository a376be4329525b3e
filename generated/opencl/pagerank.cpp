// pagerank.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in pagerank.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv pagerank.cpp -lOpenCL -o pagerank
// run:   ./pagerank GRAPH [--damping DOUBLE] [--tolerance DOUBLE] [--max_iterations INT] [OPTIONS]

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
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// pagerank.sp:6 function pagerank(Graph g, propNode<double> rank, double damping = 0.85, double tolerance = 1e-6, int
// max_iterations = 100)
static void pagerank(
    Device &device, Graph &graph, Buffer<double> &rank, double damping, double tolerance, int max_iterations
) {
    Buffer<double> contribution(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<int> iterations_cell(device, 1);
    Buffer<double> stranded_found(device, 1);
    Buffer<double> change_found(device, 1);
    const double n = (double)graph.num_nodes;
    const double change = INFINITY;
    const int iterations = 0;
    rank.fill(1.0 / n);
    if (change > tolerance && iterations < max_iterations) {
        device.launch_once("pagerank_begin", goes_on, iterations_cell, stranded_found, change_found, iterations);
        for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
            for (int asked = 0; asked < ahead; asked++) {
                // pagerank.sp:18 forall (v in g.nodes())
                device.launch(
                    "pagerank_find_stranded_and_set_contribution", graph.num_nodes, graph.num_nodes,
                    graph.row_offsets, goes_on, rank, contribution, stranded_found
                );
                device.launch(
                    "pagerank_set_rank_nxt", device.busy(graph.num_nodes), graph.num_nodes, graph.in_row_offsets,
                    graph.in_columns, goes_on, contribution, stranded_found, rank, damping, n, change_found
                );
                device.launch_once(
                    "pagerank_end_round", goes_on, change_found, iterations_cell, stranded_found, tolerance,
                    max_iterations
                );
            }
            if (!goes_on.read(0)) break;
        }
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"[--damping DOUBLE]", "a double; 0.85 if not given"},
        {"[--tolerance DOUBLE]", "a double; 1e-06 if not given"},
        {"[--max_iterations INT]", "an int; 100 if not given"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto damping = program.arguments.number<double>("damping", 0.85);
        const auto tolerance = program.arguments.number<double>("tolerance", 1e-06);
        const auto max_iterations = program.arguments.number<int>("max_iterations", 100);
        Device device(program.device_number, text_beside(program.path, "pagerank.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> rank(device, graph.num_nodes);
        program.repeat(device, [&] { pagerank(device, graph, rank, damping, tolerance, max_iterations); });
        program.describe(host, device);
        program.results.add_of_nodes("rank", watched("rank", rank.download(), host));
        program.finish(host);
    });
}
