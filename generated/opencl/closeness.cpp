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

// Multiplication that wraps around.
static int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<int> active_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_list(device, graph.num_nodes);
    Buffer<int> active_size(device, 1);
    Buffer<int> active_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_next_list(device, graph.num_nodes);
    Buffer<int> active_next_size(device, 1);
    Buffer<long long> alive(device, 4);
    Word<float> active_arcs_result(device);
    Word<int> more_result(device);
    int active_count = 0;
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int batch = 0, batch_end = (graph.num_nodes + 255) / 256; batch < batch_end; batch++) {
        const int first = multiply(batch, 256);
        const int last = std::min<int>(first + 256, graph.num_nodes);
        seen.fill(0);
        reached.fill(0);
        active_bits.fill(0);
        active_size.fill(0);
        device.launch(
            "closeness_centrality_begin", last - first, reached, active_bits, active_list, active_size, last, first
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
                    "closeness_centrality_visit_of_many", graph.num_nodes, graph.num_nodes, active_bits, reached,
                    seen, farness, reached_by, steps
                );
            } else {
                device.launch(
                    "closeness_centrality_visit", active_count, active_list, reached, seen, farness, reached_by,
                    active_count, steps
                );
            }
            bool pulls = active_count > graph.num_nodes / 16;
            if (active_count > 4096 && !pulls && active_count > graph.num_nodes / 64) {
                float active_arcs = 0.0f;
                active_arcs_result.set(0.0f);
                device.launch(
                    "arcs_of_active_list", active_count, graph.row_offsets, active_list, active_count,
                    active_arcs_result
                );
                active_arcs += active_arcs_result.read();
                pulls = active_arcs > (float)(graph.num_arcs / 8LL);
            }
            if (pulls) {
                device.launch(
                    "closeness_centrality_join_bits", multiply(std::min<int>(graph.num_nodes, 32768), 4),
                    graph.num_nodes, active_bits, seen, alive
                );
                more_result.set(false);
                device.launch(
                    "closeness_centrality_look_for_bits", device.busy(graph.num_nodes), graph.num_nodes,
                    graph.in_row_offsets, graph.in_columns, alive, reached, active_bits, seen, active_next_bits,
                    active_next_list, active_next_size, more_result
                );
                more = more || more_result.read();
            } else {
                more_result.set(false);
                device.launch(
                    "closeness_centrality_offer_bits", device.busy(active_count), graph.row_offsets, graph.columns,
                    active_list, seen, reached, active_next_bits, active_next_list, active_next_size, active_count,
                    more_result
                );
                more = more || more_result.read();
            }
            std::swap(active_bits, active_next_bits);
            std::swap(active_list, active_next_list);
            std::swap(active_size, active_next_size);
            steps += 1;
        } while (more);
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
