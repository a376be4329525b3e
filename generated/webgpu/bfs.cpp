// bfs.sp as a program of its own, for WebGPU.
// Its kernels are in bfs.wgsl.
//
// build: g++ -O2 -std=c++17 -fwrapv bfs.cpp -lwgpu_native -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_webgpu.hpp"

using namespace starplat;


// The buffers of each kernel, by their numbers in its text, and whether they are written.
static const Bindings bindings = {
    {"bfs_min_bfs_level", {{0, false}, {1, false}, {2, true}, {3, true}, {4, true}}},
    {"bfs_min_level", {{0, false}, {1, false}, {2, true}, {3, true}, {5, true}, {6, true}}},
    {"bfs_min_bfs_level_pull", {{7, false}, {8, false}, {3, true}, {4, true}, {2, true}}},
    {"arcs_of_bfs_level_order", {{0, false}, {2, true}, {9, true}}},
};

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

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<float> active_arcs_result(device);
    level.fill(INT_MAX);
    parent.fill(-1);
    level.write(src, 0);
    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
    if (src >= 0) {
        bfs_level.fill(INT_MAX);
        bfs_level.write(src, 0);
        bfs_level_order.write(0, src);
        bfs_level_count.write(0, 1);
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        int depth = 0;
        bool found = false;
        do {
            bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
            if (bfs_level_end - bfs_level_begin > 4096 && !pulls
                    && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                float active_arcs = 0.0f;
                active_arcs_result.set(0.0f);
                device.launch(
                    "arcs_of_bfs_level_order", bfs_level_end - bfs_level_begin, graph.row_offsets, bfs_level_order,
                    bfs_level_begin, bfs_level_end, active_arcs_result
                );
                active_arcs += active_arcs_result.read();
                pulls = active_arcs > (float)(graph.num_arcs / 8LL);
            }
            if (pulls) {
                device.launch(
                    "bfs_min_bfs_level_pull", graph.num_nodes, graph.num_nodes, graph.in_row_offsets,
                    graph.in_columns, bfs_level, bfs_level_count, bfs_level_order, depth
                );
            } else {
                device.launch(
                    "bfs_min_bfs_level", bfs_level_end - bfs_level_begin, graph.row_offsets, graph.columns,
                    bfs_level_order, bfs_level, bfs_level_count, bfs_level_begin, bfs_level_end, depth
                );
            }
            device.launch(
                "bfs_min_level", bfs_level_end - bfs_level_begin, graph.row_offsets, graph.columns, bfs_level_order,
                bfs_level, level, parent, bfs_level_begin, bfs_level_end, depth
            );
            depth += 1;
            bfs_level_begin = bfs_level_end;
            bfs_level_end = bfs_level_count.read(0);
            found = bfs_level_begin < bfs_level_end;
        } while (found);
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number, text_beside(program.path, "bfs.wgsl"), bindings);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> level(device, graph.num_nodes);
        Buffer<int> parent(device, graph.num_nodes);
        const int src = host.node(given_src);
        program.repeat(device, [&] { bfs(device, graph, level, parent, src); });
        program.describe(host, device);
        program.results.add_of_nodes("level", level.download());
        program.results.add_of_nodes("parent", host.original_ids(parent.download()));
        program.finish(host);
    });
}
