// closeness.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in closeness.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv closeness.cpp -lOpenCL -o closeness
// run:   ./closeness GRAPH [OPTIONS]

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

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int src = 0; src < graph.num_nodes; src++) {
        level.fill(INT_MAX);
        level.write(src, 0);
        // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            bfs_level_order.write(0, src);
            bfs_level_count.write(0, 1);
            int bfs_level_begin = 0;
            int bfs_level_end = 1;
            int depth = 0;
            bool found = false;
            const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            do {
                if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                    device.launch_group(
                        "closeness_centrality_few", graph.num_nodes, graph.row_offsets, graph.columns,
                        bfs_level_order, bfs_level, bfs_level_count, level, farness, reached_by, found,
                        bfs_level_end, bfs_level_begin, few, depth, depth_result, bfs_level_begin_result,
                        bfs_level_end_result, found_result
                    );
                    depth = depth_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    found = found_result.read();
                } else {
                    bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
                    if (bfs_level_end - bfs_level_begin > 4096 && !pulls
                            && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                        float active_arcs = 0.0f;
                        active_arcs_result.set(0.0f);
                        device.launch(
                            "arcs_of_bfs_level_order", bfs_level_end - bfs_level_begin, graph.row_offsets,
                            bfs_level_order, bfs_level_begin, bfs_level_end, active_arcs_result
                        );
                        active_arcs += active_arcs_result.read();
                        pulls = active_arcs > (float)(graph.num_arcs / 8LL);
                    }
                    if (pulls) {
                        device.launch(
                            "closeness_centrality_min_bfs_level_pull", graph.num_nodes, graph.num_nodes,
                            graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count, bfs_level_order,
                            depth
                        );
                    } else {
                        device.launch(
                            "closeness_centrality_min_bfs_level", device.busy(bfs_level_end - bfs_level_begin),
                            graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                            bfs_level_begin, bfs_level_end, depth
                        );
                    }
                    device.launch(
                        "closeness_centrality_min_level", bfs_level_end - bfs_level_begin, graph.row_offsets,
                        graph.columns, bfs_level_order, bfs_level, level, farness, reached_by, bfs_level_begin,
                        bfs_level_end, depth
                    );
                    depth += 1;
                    bfs_level_begin = bfs_level_end;
                    bfs_level_end = bfs_level_count.read(0);
                    found = bfs_level_begin < bfs_level_end;
                }
            } while (found);
        }
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    device.launch(
        "closeness_centrality_set_closeness", graph.num_nodes, graph.num_nodes, farness, reached_by, closeness
    );
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "closeness.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> closeness(device, graph.num_nodes);
        program.repeat(device, [&] { closeness_centrality(device, graph, closeness); });
        program.describe(host, device);
        program.results.add_of_nodes("closeness", watched("closeness", closeness.download(), host, true));
        program.finish(host);
    });
}
