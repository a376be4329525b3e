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

// strongly_connected_components.sp:42 function trim(Graph g, propNode<node> component)
static void trim(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<long long> trimmed_found(device, 1);
    alone.fill(false);
    device.launch_once("trim_begin", goes_on, trimmed_found);
    for (int ahead = 1;; ahead = ahead < 8 ? 2 * ahead : ahead) {
        for (int asked = 0; asked < ahead; asked++) {
            // strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
            device.launch(
                "trim_set_alone", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns,
                graph.in_row_offsets, graph.in_columns, goes_on, component, alone
            );
            // strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
            device.launch(
                "trim_set_component", graph.num_nodes, graph.num_nodes, goes_on, component, alone, trimmed_found
            );
            device.launch_once("trim_end_round", goes_on, trimmed_found);
        }
        if (!goes_on.read(0)) break;
    }
}

// strongly_connected_components.sp:5 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> color(device, graph.num_nodes);
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    Word<int> modified_count_result(device);
    Word<int> colored_result(device);
    Word<int> turned_result(device);
    Word<int> collected_result(device);
    Word<int> turned_2_result(device);
    Word<int> finished_result(device);
    int modified_count = 0;
    component.fill(-1);
    color.fill(-1);
    modified_bits.fill(0);
    modified_size.fill(0);
    bool finished = false;
    // strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
    do {
        finished = true;
        trim(device, graph, component);
        // strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
        device.launch(
            "strongly_connected_components_set_color", graph.num_nodes, graph.num_nodes, component, color,
            modified_bits, modified_list, modified_size
        );
        bool colored = false;
        // strongly_connected_components.sp:18 fixedPoint until (colored : !modified)
        modified_next_bits.fill(0);
        modified_next_size.fill(0);
        modified_count = modified_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_count < few && modified_count <= graph.num_nodes / 8) {
                bool turned = false;
                device.launch_group(
                    "strongly_connected_components_few", graph.num_nodes, graph.row_offsets, graph.columns,
                    modified_list, modified_bits, component, color, modified_next_bits, modified_next_list,
                    modified_next_size, modified_size, colored, modified_count, few, turned, modified_count_result,
                    colored_result, turned_result
                );
                modified_count = modified_count_result.read();
                colored = colored_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_bits, modified_next_bits);
                    std::swap(modified_list, modified_next_list);
                    std::swap(modified_size, modified_next_size);
                }
            } else {
                if (modified_count > graph.num_nodes / 8) {
                    device.launch(
                        "strongly_connected_components_min_color_of_many", device.busy(graph.num_nodes),
                        graph.num_nodes, graph.row_offsets, graph.columns, modified_bits, component, color,
                        modified_next_bits, modified_next_list, modified_next_size
                    );
                    modified_bits.fill(0);
                } else {
                    device.launch(
                        "strongly_connected_components_min_color", device.busy(modified_count), graph.row_offsets,
                        graph.columns, modified_list, modified_bits, component, color, modified_next_bits,
                        modified_next_list, modified_next_size, modified_count
                    );
                }
                modified_size.fill(0);
                std::swap(modified_bits, modified_next_bits);
                std::swap(modified_list, modified_next_list);
                std::swap(modified_size, modified_next_size);
                modified_count = modified_size.read(0);
                colored = modified_count == 0;
            }
        } while (!colored);
        // strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
        device.launch(
            "strongly_connected_components_set_component", graph.num_nodes, graph.num_nodes, component, color,
            modified_bits, modified_list, modified_size
        );
        bool collected = false;
        // strongly_connected_components.sp:31 fixedPoint until (collected : !modified)
        modified_next_bits.fill(0);
        modified_next_size.fill(0);
        modified_count = modified_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_count < few_2 && modified_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                device.launch_group(
                    "strongly_connected_components_few_2", graph.num_nodes, graph.in_row_offsets, graph.in_columns,
                    modified_list, modified_bits, color, component, modified_next_bits, modified_next_list,
                    modified_next_size, modified_size, collected, modified_count, few_2, turned_2,
                    modified_count_result, collected_result, turned_2_result
                );
                modified_count = modified_count_result.read();
                collected = collected_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_bits, modified_next_bits);
                    std::swap(modified_list, modified_next_list);
                    std::swap(modified_size, modified_next_size);
                }
            } else {
                if (modified_count > graph.num_nodes / 8) {
                    device.launch(
                        "strongly_connected_components_max_component_of_many", device.busy(graph.num_nodes),
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_bits, color, component,
                        modified_next_bits, modified_next_list, modified_next_size
                    );
                    modified_bits.fill(0);
                } else {
                    device.launch(
                        "strongly_connected_components_max_component", device.busy(modified_count),
                        graph.in_row_offsets, graph.in_columns, modified_list, modified_bits, color, component,
                        modified_next_bits, modified_next_list, modified_next_size, modified_count
                    );
                }
                modified_size.fill(0);
                std::swap(modified_bits, modified_next_bits);
                std::swap(modified_list, modified_next_list);
                std::swap(modified_size, modified_next_size);
                modified_count = modified_size.read(0);
                collected = modified_count == 0;
            }
        } while (!collected);
        finished_result.set(true);
        device.launch(
            "strongly_connected_components_find_finished", graph.num_nodes, graph.num_nodes, component,
            finished_result
        );
        finished = finished && finished_result.read();
    } while (!finished);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number, text_beside(program.path, "strongly_connected_components.cl"));
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> component(device, graph.num_nodes);
        program.repeat(device, [&] { strongly_connected_components(device, graph, component); });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
