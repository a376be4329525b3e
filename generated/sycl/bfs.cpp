// bfs.sp as a program of its own, for SYCL 2020.
// Its kernels are in bfs_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv bfs.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o bfs
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise bfs.cpp -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

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

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
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
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                device.launch_group(
                    "bfs_few", graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order, bfs_level,
                    bfs_level_count, level, parent, found, bfs_level_end, bfs_level_begin, few, depth, depth_result,
                    bfs_level_begin_result, bfs_level_end_result, found_result
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
                        "bfs_min_bfs_level_pull", graph.num_nodes, graph.num_nodes, graph.in_row_offsets,
                        graph.in_columns, bfs_level, bfs_level_count, bfs_level_order, depth
                    );
                } else {
                    device.launch(
                        "bfs_min_bfs_level", device.busy(bfs_level_end - bfs_level_begin), graph.row_offsets,
                        graph.columns, bfs_level_order, bfs_level, bfs_level_count, bfs_level_begin, bfs_level_end,
                        depth
                    );
                }
                device.launch(
                    "bfs_min_level", device.busy(bfs_level_end - bfs_level_begin), graph.row_offsets, graph.columns,
                    bfs_level_order, bfs_level, level, parent, bfs_level_begin, bfs_level_end, depth
                );
                depth += 1;
                bfs_level_begin = bfs_level_end;
                bfs_level_end = bfs_level_count.read(0);
                found = bfs_level_begin < bfs_level_end;
            }
        } while (found);
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number, text_beside(program.path, "bfs_kernels.cpp"));
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
