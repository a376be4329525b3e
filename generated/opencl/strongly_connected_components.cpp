// strongly_connected_components.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in strongly_connected_components.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv strongly_connected_components.cpp -lOpenCL -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

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

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways(Device &device, Graph &graph, Buffer<int> &cluster) {
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    device.launch("my_join_both_ways_cluster_start", graph.num_nodes, graph.num_nodes, cluster);
    device.launch(
        "my_join_both_ways_cluster_join", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
        graph.columns, graph.in_row_offsets, graph.in_columns, cluster
    );
    device.launch("my_join_both_ways_cluster_flatten", graph.num_nodes, graph.num_nodes, cluster);
}

// strongly_connected_components.sp:30 function settle(Graph g, propNode<node> cluster, propNode<node> component)
static void settle(Device &device, Graph &graph, Buffer<int> &cluster, Buffer<int> &component) {
    Buffer<unsigned char> open_(device, graph.num_nodes);
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<int> color(device, graph.num_nodes);
    Buffer<int> modified_2_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_2_list(device, graph.num_nodes);
    Buffer<int> modified_2_size(device, 1);
    Buffer<int> modified_2_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_2_next_list(device, graph.num_nodes);
    Buffer<int> modified_2_next_size(device, 1);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<long long> trimmed_found(device, 1);
    Word<int> modified_2_count_result(device);
    Word<int> colored_result(device);
    Word<int> turned_result(device);
    Word<int> collected_result(device);
    Word<int> turned_2_result(device);
    Word<int> finished_result(device);
    int modified_2_count = 0;
    open_.fill(false);
    // strongly_connected_components.sp:33 forall (v in g.nodes())
    device.launch(
        "settle_set_open", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets, graph.columns, cluster,
        open_
    );
    // strongly_connected_components.sp:39 forall (v in g.nodes())
    device.launch("settle_set_component", graph.num_nodes, graph.num_nodes, component, cluster, open_);
    alone.fill(false);
    color.fill(-1);
    modified_2_bits.fill(0);
    modified_2_size.fill(0);
    bool finished = false;
    // strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
    do {
        finished = true;
        device.launch_once("settle_begin", goes_on, trimmed_found);
        for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
            for (int asked = 0; asked < ahead; asked++) {
                // strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
                device.launch(
                    "settle_set_alone", device.busy(graph.num_nodes), graph.num_nodes, graph.row_offsets,
                    graph.columns, graph.in_row_offsets, graph.in_columns, goes_on, component, alone
                );
                // strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
                device.launch(
                    "settle_set_component_2", graph.num_nodes, graph.num_nodes, goes_on, component, alone,
                    trimmed_found
                );
                device.launch_once("settle_end_round", goes_on, trimmed_found);
            }
            if (!goes_on.read(0)) break;
        }
        // strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
        device.launch(
            "settle_set_color", graph.num_nodes, graph.num_nodes, component, color, cluster, modified_2_bits,
            modified_2_list, modified_2_size
        );
        bool colored = false;
        // strongly_connected_components.sp:79 fixedPoint until (colored : !modified)
        modified_2_next_bits.fill(0);
        modified_2_next_size.fill(0);
        modified_2_count = modified_2_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_2_count < few && modified_2_count <= graph.num_nodes / 8) {
                bool turned = false;
                device.launch_group(
                    "settle_few", graph.num_nodes, graph.row_offsets, graph.columns, modified_2_list,
                    modified_2_bits, component, color, modified_2_next_bits, modified_2_next_list,
                    modified_2_next_size, modified_2_size, colored, modified_2_count, few, turned,
                    modified_2_count_result, colored_result, turned_result
                );
                modified_2_count = modified_2_count_result.read();
                colored = colored_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_2_bits, modified_2_next_bits);
                    std::swap(modified_2_list, modified_2_next_list);
                    std::swap(modified_2_size, modified_2_next_size);
                }
            } else {
                if (modified_2_count > graph.num_nodes / 8) {
                    device.launch(
                        "settle_min_color_of_many", device.busy(graph.num_nodes), graph.num_nodes,
                        graph.row_offsets, graph.columns, modified_2_bits, component, color, modified_2_next_bits,
                        modified_2_next_list, modified_2_next_size
                    );
                    modified_2_bits.fill(0);
                } else {
                    device.launch(
                        "settle_min_color", device.busy(modified_2_count), graph.row_offsets, graph.columns,
                        modified_2_list, modified_2_bits, component, color, modified_2_next_bits,
                        modified_2_next_list, modified_2_next_size, modified_2_count
                    );
                }
                modified_2_size.fill(0);
                std::swap(modified_2_bits, modified_2_next_bits);
                std::swap(modified_2_list, modified_2_next_list);
                std::swap(modified_2_size, modified_2_next_size);
                modified_2_count = modified_2_size.read(0);
                colored = modified_2_count == 0;
            }
        } while (!colored);
        // strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
        device.launch(
            "settle_set_component_3", graph.num_nodes, graph.num_nodes, component, color, cluster, modified_2_bits,
            modified_2_list, modified_2_size
        );
        bool collected = false;
        // strongly_connected_components.sp:92 fixedPoint until (collected : !modified)
        modified_2_next_bits.fill(0);
        modified_2_next_size.fill(0);
        modified_2_count = modified_2_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_2_count < few_2 && modified_2_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                device.launch_group(
                    "settle_few_2", graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_2_list,
                    modified_2_bits, color, component, modified_2_next_bits, modified_2_next_list,
                    modified_2_next_size, modified_2_size, collected, modified_2_count, few_2, turned_2,
                    modified_2_count_result, collected_result, turned_2_result
                );
                modified_2_count = modified_2_count_result.read();
                collected = collected_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_2_bits, modified_2_next_bits);
                    std::swap(modified_2_list, modified_2_next_list);
                    std::swap(modified_2_size, modified_2_next_size);
                }
            } else {
                if (modified_2_count > graph.num_nodes / 8) {
                    device.launch(
                        "settle_max_component_of_many", device.busy(graph.num_nodes), graph.num_nodes,
                        graph.in_row_offsets, graph.in_columns, modified_2_bits, color, component,
                        modified_2_next_bits, modified_2_next_list, modified_2_next_size
                    );
                    modified_2_bits.fill(0);
                } else {
                    device.launch(
                        "settle_max_component", device.busy(modified_2_count), graph.in_row_offsets,
                        graph.in_columns, modified_2_list, modified_2_bits, color, component, modified_2_next_bits,
                        modified_2_next_list, modified_2_next_size, modified_2_count
                    );
                }
                modified_2_size.fill(0);
                std::swap(modified_2_bits, modified_2_next_bits);
                std::swap(modified_2_list, modified_2_next_list);
                std::swap(modified_2_size, modified_2_next_size);
                modified_2_count = modified_2_size.read(0);
                collected = modified_2_count == 0;
            }
        } while (!collected);
        finished_result.set(true);
        device.launch("settle_find_finished", graph.num_nodes, graph.num_nodes, component, finished_result);
        finished = finished && finished_result.read();
    } while (!finished);
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways(device, graph, cluster);
    settle(device, graph, cluster, component);
}

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways_symmetric(Device &device, Graph &graph, Buffer<int> &cluster) {
    Buffer<unsigned char> cluster_apart(device, graph.num_nodes);
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    const int middle = graph.host.columns[graph.num_arcs / 2];
    device.launch(
        "my_join_both_ways_cluster_start_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, cluster
    );
    device.launch(
        "my_join_both_ways_cluster_sample_symmetric", graph.num_nodes, graph.num_nodes, graph.row_offsets,
        graph.columns, cluster
    );
    device.launch(
        "my_join_both_ways_cluster_set_apart_symmetric", graph.num_nodes, graph.num_nodes, cluster, cluster_apart,
        middle
    );
    device.launch(
        "my_join_both_ways_cluster_join_symmetric", device.busy(graph.num_nodes), graph.num_nodes,
        graph.row_offsets, graph.columns, cluster_apart, cluster
    );
    device.launch("my_join_both_ways_cluster_flatten", graph.num_nodes, graph.num_nodes, cluster);
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways_symmetric(device, graph, cluster);
    settle(device, graph, cluster, component);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "strongly_connected_components.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        const auto before = [&] {
            component.fill(0);
        };
        program.repeat(device, before, [&] {
            is_symmetric
                ? strongly_connected_components_symmetric(device, graph, component)
                : strongly_connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
