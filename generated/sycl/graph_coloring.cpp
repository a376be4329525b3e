// graph_coloring.sp as a program of its own, for SYCL 2020.
// Its kernels are in graph_coloring_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv graph_coloring.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o graph_coloring
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise graph_coloring.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

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
    Buffer<int> columns{device, host.columns};
    Buffer<arc_t> in_row_offsets{device, host.in_row_offsets};
    Buffer<int> in_columns{device, host.in_columns};
};

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Word<int> full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    window.fill(0);
    taken.fill(0);
    wish.fill(0);
    waits.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        full_result.set(false);
        device.launch(
            "graph_coloring_add_window", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, color, taken, wish, waits, window, full_result
        );
        full = full || full_result.read();
        // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
        left_result.set(0);
        device.launch(
            "graph_coloring_bit_or_taken", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
            graph.in_row_offsets, graph.in_columns, color, waits, window, wish, taken, left_result
        );
        left += left_result.read();
        if (full) {
            // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
            device.launch(
                "graph_coloring_set_taken", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, color, wish, window, taken
            );
        }
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Word<int> full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    window.fill(0);
    taken.fill(0);
    wish.fill(0);
    waits.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        full_result.set(false);
        device.launch(
            "graph_coloring_add_window_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, color, taken, wish, waits, window, full_result
        );
        full = full || full_result.read();
        // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
        left_result.set(0);
        device.launch(
            "graph_coloring_bit_or_taken_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
            graph.columns, color, waits, window, wish, taken, left_result
        );
        left += left_result.read();
        if (full) {
            // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
            device.launch(
                "graph_coloring_set_taken_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
                graph.row_offsets, graph.columns, color, wish, window, taken
            );
        }
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "graph_coloring_kernels.cpp"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? graph_coloring_symmetric(device, graph, color)
                : graph_coloring(device, graph, color);
        });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
