// triangle_count.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in triangle_count.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv triangle_count.cpp -lOpenCL -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

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
};

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    downward_excess_result.set(0);
    device.launch(
        "triangle_count_find_triangles_check", graph.num_arcs, graph.num_arcs, graph.row_offsets, graph.columns,
        graph.arc_sources, kept_arcs, kept_columns, other_graph_result, downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles_intersect", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
            graph.columns, triangles_result
        );
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_few_pairs(Device &device, Graph &graph) {
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    device.launch(
        "triangle_count_find_triangles_few_pairs", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, triangles_result
    );
    triangles += triangles_result.read();
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_symmetric(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<int> kept_arcs(device, graph.num_nodes);
    Word<int> other_graph_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    kept_arcs.fill(0);
    other_graph_result.set(false);
    device.launch(
        "triangle_count_find_triangles_check_symmetric", graph.num_arcs, graph.num_arcs, graph.row_offsets,
        graph.columns, graph.arc_sources, kept_arcs, kept_columns, other_graph_result
    );
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles_intersect", device.busy(graph.num_nodes), graph.num_nodes,
            graph.row_offsets, graph.columns, kept_columns, kept_arcs, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        device.launch(
            "triangle_count_find_triangles", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
            graph.columns, triangles_result
        );
        triangles += triangles_result.read();
    }
    return triangles;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "triangle_count.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        const bool has_few_pairs = host.has_even_rows(8, 4);
        long long returned{};
        program.repeat(device, [&] {
            returned = has_few_pairs
                ? triangle_count_few_pairs(device, graph)
                : is_symmetric && !has_few_pairs
                ? triangle_count_symmetric(device, graph)
                : triangle_count(device, graph);
        });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.finish(host);
    });
}
