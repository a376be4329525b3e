// sssp.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in sssp.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv sssp.cpp -lOpenCL -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_opencl.hpp"

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// sssp.sp:5 function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)
static void sssp(Device &device, Graph &graph, Buffer<int> &dist, Buffer<int> &weight, int src) {
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    Buffer<int> modified_later_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_later_list(device, graph.num_nodes);
    Buffer<int> modified_later_size(device, 1);
    Word<double> weight_total_result(device);
    Word<int> modified_count_result(device);
    Word<int> finished_result(device);
    Word<int> turned_result(device);
    Word<int> settled_result(device);
    Word<int> limit_result(device);
    Word<int> rise_result(device);
    Word<int> nobody_near_result(device);
    Word<int> modified_later_count_result(device);
    Word<int> nobody_waits_result(device);
    Word<int> turned_2_result(device);
    int modified_count = 0;
    int modified_later_count = 0;
    dist.fill(INT_MAX);
    modified_bits.fill(0);
    modified_size.fill(0);
    dist.write(src, 0);
    check_place(src, graph.num_nodes);
    device.launch_once("modified_list_first", modified_bits, modified_list, modified_size, src);
    bool finished = false;
    // sssp.sp:11 fixedPoint until (finished : !modified)
    modified_next_bits.fill(0);
    modified_next_size.fill(0);
    double weight_total = 0.0;
    weight_total_result.set(0.0);
    device.launch("sample_weight", graph.num_nodes, graph.num_nodes, graph.num_arcs, weight, weight_total_result);
    weight_total += weight_total_result.read();
    const double mean_weight = weight_total / std::fmin(std::fmin((double)graph.num_nodes, (double)graph.num_arcs),
        65536.0);
    const double mean_degree = (double)graph.num_arcs / (double)graph.num_nodes;
    const int width = saturated<int>(std::fmax(96.0 * mean_weight / mean_degree, 1.0));
    modified_later_bits.fill(0);
    modified_later_size.fill(0);
    int limit = width;
    int rise = width;
    int settled = width;
    bool nobody_near = true;
    bool nobody_waits = true;
    do {
        modified_count = modified_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_count < few && modified_count <= graph.num_nodes / 8) {
                bool turned = false;
                device.launch_group(
                    "sssp_few", graph.num_nodes, graph.row_offsets, graph.columns, modified_list, modified_bits,
                    dist, weight, modified_next_bits, modified_next_list, modified_next_size, modified_later_bits,
                    modified_later_list, modified_later_size, modified_size, finished, modified_count, few, limit,
                    turned, modified_count_result, finished_result, turned_result
                );
                modified_count = modified_count_result.read();
                finished = finished_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_bits, modified_next_bits);
                    std::swap(modified_list, modified_next_list);
                    std::swap(modified_size, modified_next_size);
                }
            } else {
                if (modified_count > graph.num_nodes / 8) {
                    device.launch(
                        "sssp_min_dist_of_many", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
                        graph.columns, modified_bits, dist, weight, modified_next_bits, modified_next_list,
                        modified_next_size, modified_later_bits, modified_later_list, modified_later_size, limit
                    );
                    modified_bits.fill(0);
                } else {
                    device.launch(
                        "sssp_min_dist", device.busy(modified_count), graph.row_offsets, graph.columns,
                        modified_list, modified_bits, dist, weight, modified_next_bits, modified_next_list,
                        modified_next_size, modified_later_bits, modified_later_list, modified_later_size,
                        modified_count, limit
                    );
                }
                modified_size.fill(0);
                std::swap(modified_bits, modified_next_bits);
                std::swap(modified_list, modified_next_list);
                std::swap(modified_size, modified_next_size);
                modified_count = modified_size.read(0);
                finished = modified_count == 0;
            }
        } while (!finished);
        rise = width;
        modified_later_count = modified_later_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_later_count < few_2 && modified_later_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                device.launch_group(
                    "sssp_few_2", graph.num_nodes, modified_later_list, modified_later_bits, dist, modified_bits,
                    modified_list, modified_size, modified_next_bits, modified_next_list, modified_next_size,
                    modified_later_size, nobody_near, nobody_waits, modified_later_count, few_2, limit, rise,
                    settled, modified_count, turned_2, settled_result, limit_result, rise_result,
                    modified_count_result, nobody_near_result, modified_later_count_result, nobody_waits_result,
                    turned_2_result
                );
                settled = settled_result.read();
                limit = limit_result.read();
                rise = rise_result.read();
                modified_count = modified_count_result.read();
                nobody_near = nobody_near_result.read();
                modified_later_count = modified_later_count_result.read();
                nobody_waits = nobody_waits_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_later_bits, modified_next_bits);
                    std::swap(modified_later_list, modified_next_list);
                    std::swap(modified_later_size, modified_next_size);
                }
            } else {
                settled = limit;
                limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
                rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
                if (modified_later_count > graph.num_nodes / 8) {
                    device.launch(
                        "sssp_min_dist_later_of_many", graph.num_nodes, graph.num_nodes, modified_later_bits, dist,
                        modified_bits, modified_list, modified_size, modified_next_bits, modified_next_list,
                        modified_next_size, settled, limit
                    );
                    modified_later_bits.fill(0);
                } else {
                    device.launch(
                        "sssp_min_dist_later", modified_later_count, modified_later_list, modified_later_bits, dist,
                        modified_bits, modified_list, modified_size, modified_next_bits, modified_next_list,
                        modified_next_size, modified_later_count, settled, limit
                    );
                }
                modified_later_size.fill(0);
                std::swap(modified_later_bits, modified_next_bits);
                std::swap(modified_later_list, modified_next_list);
                std::swap(modified_later_size, modified_next_size);
                modified_count = modified_size.read(0);
                nobody_near = modified_count == 0;
                modified_later_count = modified_later_size.read(0);
                nobody_waits = modified_later_count == 0;
            }
        } while (nobody_near && !nobody_waits);
        finished = nobody_near;
    } while (!finished);
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number, text_beside(program.path, "sssp.cl"));
        program.lap("compile");
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        const int src = host.node(given_src);
        program.repeat(device, [&] { sssp(device, graph, dist, weight, src); });
        program.describe(host, device);
        program.results.add_of_nodes("dist", dist.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
