// radii.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in radii.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv radii.cpp -lOpenCL -o radii
// run:   ./radii GRAPH --sources NODE,NODE,... [OPTIONS]

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

// Multiplication that wraps around.
static int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// radii.sp:5 function radii(Graph g, propNode<int> radius, SetN<g> sources)
static void radii(Device &device, Graph &graph, Buffer<int> &radius, FixedSet &sources) {
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<int> active_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_list(device, graph.num_nodes);
    Buffer<int> active_size(device, 1);
    Buffer<int> active_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_next_list(device, graph.num_nodes);
    Buffer<int> active_next_size(device, 1);
    Buffer<long long> alive(device, 4);
    Buffer<int> sources_in_turn(device, graph.num_nodes);
    Buffer<int> listed_(device, 1);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<float> active_arcs_2_result(device);
    Word<int> more_result(device);
    int active_count = 0;
    radius.fill(-1);
    // radii.sp:7 for (src in sources)
    listed_.fill(0);
    device.launch("radii_list_sources", graph.num_nodes, graph.num_nodes, sources, listed_, sources_in_turn);
    int num_sources = listed_.read(0);
    if (num_sources < 32) {
        for (const int src : sources.members()) {
            level.fill(INT_MAX);
            level.write(src, 0);
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
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
                    if (bfs_level_end - bfs_level_begin < few
                            && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                        device.launch_group(
                            "radii_few", graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order,
                            bfs_level, bfs_level_count, level, radius, found, bfs_level_end, bfs_level_begin, few,
                            depth, depth_result, bfs_level_begin_result, bfs_level_end_result, found_result
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
                                "radii_min_bfs_level_pull", graph.num_nodes, graph.num_nodes, graph.in_row_offsets,
                                graph.in_columns, bfs_level, bfs_level_count, bfs_level_order, depth
                            );
                        } else {
                            device.launch(
                                "radii_min_bfs_level", device.busy(bfs_level_end - bfs_level_begin),
                                graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                                bfs_level_begin, bfs_level_end, depth
                            );
                        }
                        device.launch(
                            "radii_min_level", bfs_level_end - bfs_level_begin, graph.row_offsets, graph.columns,
                            bfs_level_order, bfs_level, level, radius, bfs_level_begin, bfs_level_end, depth
                        );
                        depth += 1;
                        bfs_level_begin = bfs_level_end;
                        bfs_level_end = bfs_level_count.read(0);
                        found = bfs_level_begin < bfs_level_end;
                    }
                } while (found);
            }
        }
    } else {
        for (int batch = 0, batch_end = (num_sources + 255) / 256; batch < batch_end; batch++) {
            const int first = multiply(batch, 256);
            const int last = std::min<int>(first + 256, num_sources);
            seen.fill(0);
            reached.fill(0);
            active_bits.fill(0);
            active_size.fill(0);
            device.launch(
                "radii_begin", last - first, sources_in_turn, reached, active_bits, active_list, active_size, last,
                first
            );
            int steps = 0;
            bool more = false;
            do {
                more = false;
                active_next_bits.fill(0);
                active_next_size.fill(0);
                alive.fill(0);
                active_count = active_size.read(0);
                if (active_count > graph.num_nodes / 8) {
                    device.launch(
                        "radii_visit_of_many", graph.num_nodes, graph.num_nodes, active_bits, reached, seen, radius,
                        steps
                    );
                } else {
                    device.launch(
                        "radii_visit", active_count, active_list, reached, seen, radius, active_count, steps
                    );
                }
                bool pulls_2 = active_count > graph.num_nodes / 16;
                if (active_count > 4096 && !pulls_2 && active_count > graph.num_nodes / 64) {
                    float active_arcs_2 = 0.0f;
                    active_arcs_2_result.set(0.0f);
                    device.launch(
                        "arcs_of_active_list", active_count, graph.row_offsets, active_list, active_count,
                        active_arcs_2_result
                    );
                    active_arcs_2 += active_arcs_2_result.read();
                    pulls_2 = active_arcs_2 > (float)(graph.num_arcs / 8LL);
                }
                if (pulls_2) {
                    device.launch(
                        "radii_join_bits", multiply(std::min<int>(graph.num_nodes, 32768), 4), graph.num_nodes,
                        active_bits, seen, alive
                    );
                    more_result.set(false);
                    device.launch(
                        "radii_look_for_bits", device.busy(graph.num_nodes), graph.num_nodes, graph.in_row_offsets,
                        graph.in_columns, alive, reached, active_bits, seen, active_next_bits, active_next_list,
                        active_next_size, more_result
                    );
                    more = more || more_result.read();
                } else {
                    more_result.set(false);
                    device.launch(
                        "radii_offer_bits", device.busy(active_count), graph.row_offsets, graph.columns,
                        active_list, seen, reached, active_next_bits, active_next_list, active_next_size,
                        active_count, more_result
                    );
                    more = more || more_result.read();
                }
                std::swap(active_bits, active_next_bits);
                std::swap(active_list, active_next_list);
                std::swap(active_size, active_next_size);
                steps += 1;
            } while (more);
        }
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--sources NODE,NODE,...", "nodes, as the file calls them; @FILE names a file that lists them"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_sources = program.arguments.numbers("sources");
        Device device(program.device_number, text_beside(program.path, "radii.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> radius(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { radii(device, graph, radius, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("radius", radius.download());
        program.finish(host);
    });
}
