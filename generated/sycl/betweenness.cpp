// betweenness.sp as a program of its own, for SYCL 2020.
// Its kernels are in betweenness_kernels.cpp:
// the runtime's own compiler builds them, so that any C++ compiler will do for the rest.
//
// build: g++ -O2 -std=c++17 -fwrapv betweenness.cpp -I$SYCL/include -L$SYCL/lib -Wl,-rpath,$SYCL/lib -lsycl -o betweenness
//        where SYCL is the folder that "pip install intel-sycl-rt" fills, python -c "import sys; print(sys.prefix)";
//        with oneAPI installed:
//        icpx -fsycl -O2 -fwrapv -fp-model=precise betweenness.cpp -o betweenness
// run:   ./betweenness GRAPH --sources NODE,NODE,... [OPTIONS]

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

// betweenness.sp:9 function betweenness(Graph g, propNode<double> bc, SetN<g> sources)
static void betweenness(Device &device, Graph &graph, Buffer<double> &bc, FixedSet &sources) {
    Buffer<double> paths(device, graph.num_nodes);
    Buffer<int> power(device, graph.num_nodes);
    Buffer<double> share(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_starts(device, graph.num_nodes + 1);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<int> goes_on_result(device);
    const double many = std::pow(2.0, 400.0);
    const double most = std::pow(2.0, 912.0);
    const double unit = std::pow(2.0, -512.0);
    const double sure = std::pow(2.0, -336.0);
    bc.fill(0.0);
    // betweenness.sp:15 for (src in sources)
    for (const int src : sources.members()) {
        paths.fill(0.0);
        power.fill(0);
        share.fill(0.0);
        paths.write(src, 1.0);
        // betweenness.sp:21 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            bfs_level_order.write(0, src);
            bfs_level_count.write(0, 1);
            int bfs_level_begin = 0;
            int bfs_level_end = 1;
            bfs_level_starts.write(0, 0);
            int depth = 0;
            bool found = false;
            const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            do {
                if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                    device.launch_group(
                        "betweenness_few", graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets,
                        graph.in_columns, bfs_level_order, bfs_level, bfs_level_count, paths, power,
                        bfs_level_starts, found, bfs_level_end, bfs_level_begin, few, depth, many, unit, most,
                        depth_result, bfs_level_begin_result, bfs_level_end_result, found_result
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
                            "betweenness_min_bfs_level_pull", graph.num_nodes, graph.num_nodes,
                            graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count, bfs_level_order,
                            depth
                        );
                    } else {
                        device.launch(
                            "betweenness_min_bfs_level", device.busy(bfs_level_end - bfs_level_begin),
                            graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                            bfs_level_begin, bfs_level_end, depth
                        );
                    }
                    device.launch(
                        "betweenness_add_paths", device.busy(bfs_level_end - bfs_level_begin), graph.num_nodes,
                        graph.in_row_offsets, graph.in_columns, bfs_level_order, paths, bfs_level, power,
                        bfs_level_begin, bfs_level_end, depth, many, unit, most
                    );
                    depth += 1;
                    bfs_level_begin = bfs_level_end;
                    bfs_level_end = bfs_level_count.read(0);
                    bfs_level_starts.write(depth, bfs_level_begin);
                    found = bfs_level_begin < bfs_level_end;
                }
            } while (found);
            bfs_level_begin = bfs_level_starts.read(depth);
            const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
            bool goes_on = depth > 0;
            if (goes_on) {
                depth -= 1;
                bfs_level_end = bfs_level_begin;
                bfs_level_begin = bfs_level_starts.read(depth);
            }
            while (goes_on) {
                if (bfs_level_end - bfs_level_begin < few_2) {
                    device.launch_group(
                        "betweenness_few_2", graph.row_offsets, graph.columns, bfs_level_order, bfs_level, share,
                        power, paths, bc, bfs_level_starts, goes_on, bfs_level_end, bfs_level_begin, few_2, src,
                        depth, sure, unit, goes_on_result, depth_result, bfs_level_end_result,
                        bfs_level_begin_result
                    );
                    goes_on = goes_on_result.read();
                    depth = depth_result.read();
                    bfs_level_end = bfs_level_end_result.read();
                    bfs_level_begin = bfs_level_begin_result.read();
                } else {
                    device.launch(
                        "betweenness_add_bc", device.busy(bfs_level_end - bfs_level_begin), graph.num_nodes,
                        graph.row_offsets, graph.columns, bfs_level_order, bfs_level, share, power, paths, bc,
                        bfs_level_begin, bfs_level_end, src, depth, sure, unit
                    );
                    goes_on = depth > 0;
                    if (goes_on) {
                        depth -= 1;
                        bfs_level_end = bfs_level_begin;
                        bfs_level_begin = bfs_level_starts.read(depth);
                    }
                }
            }
        }
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--sources NODE,NODE,...", "nodes, as the file calls them; @FILE names a file that lists them"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_sources = program.arguments.numbers("sources");
        Device device(program.device_number, text_beside(program.path, "betweenness_kernels.cpp"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> bc(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { betweenness(device, graph, bc, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("bc", watched("bc", bc.download(), host));
        program.finish(host);
    });
}
