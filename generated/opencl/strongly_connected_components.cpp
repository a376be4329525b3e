// strongly_connected_components.sp as a program of its own, for OpenCL 1.2.
// Its kernels are in strongly_connected_components.cl.
//
// build: g++ -O2 -std=c++17 -fwrapv strongly_connected_components.cpp -lOpenCL -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_read_graph.hpp"
#include "starplat_results.hpp"
#include "starplat_opencl.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace starplat;


// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    const HostGraph &host;
    const int num_nodes;
    const arc_t num_arcs;
    Buffer<arc_t> row_offsets;
    Buffer<int> columns;
    Buffer<arc_t> in_row_offsets;
    Buffer<int> in_columns;

    Graph(Device &device, const HostGraph &graph)
        : host(graph),
          num_nodes(graph.num_nodes),
          num_arcs(graph.num_arcs),
          row_offsets(device, graph.row_offsets),
          columns(device, graph.columns),
          in_row_offsets(device, graph.in_row_offsets),
          in_columns(device, graph.in_columns) {}
};

// strongly_connected_components.sp:42 function trim(Graph g, propNode<node> component)
static void trim(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<unsigned char> goes_on(device, 1);
    Buffer<long long> trimmed_found(device, 1);
    alone.fill(false);
    const long long trimmed = 1;
    if (trimmed > 0) {
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
                    "trim_set_component", graph.num_nodes, graph.num_nodes, goes_on, component, alone,
                    trimmed_found
                );
                device.launch_once("trim_end_round", goes_on, trimmed_found);
            }
            if (!goes_on.read(0)) break;
        }
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
            "strongly_connected_components_set_color", graph.num_nodes, graph.num_nodes, component,
            color, modified_bits, modified_list, modified_size
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
                    modified_next_size, modified_size, colored, modified_count, few, turned,
                    modified_count_result, colored_result, turned_result
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
            "strongly_connected_components_set_component", graph.num_nodes, graph.num_nodes, component,
            color, modified_bits, modified_list, modified_size
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
                    "strongly_connected_components_few_2", graph.num_nodes, graph.in_row_offsets,
                    graph.in_columns, modified_list, modified_bits, color, component, modified_next_bits,
                    modified_next_list, modified_next_size, modified_size, collected, modified_count, few_2,
                    turned_2, modified_count_result, collected_result, turned_2_result
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

// What --help says.
static const char *const usage =
    "usage: strongly_connected_components GRAPH [OPTIONS]\n"
    "  GRAPH            an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed\n"
    "  --undirected     adds the other direction of every arc that lacks it\n"
    "  --out FILE       writes the results to a .npz or .csv file\n"
    "  --repeat TIMES   runs so often, after once to warm up, and says how long that took\n"
    "  --device NUMBER  which device, by number; 0 is the first\n"
    "  --help           says this\n";

int main(int argc, char **argv) {
    try {
        const Arguments arguments(argc, argv, {"out", "repeat", "device"});
        if (arguments.wants_help) {
            std::cout << usage;
            return 0;
        }
        const auto device_number = arguments.number<std::size_t>("device", 0);
        Runs runs(arguments, "repeat");
        Results results(arguments.text("out", ""));
        Stopwatch stopwatch;
        Device device(device_number, text_beside(argv[0], "strongly_connected_components.cl"));
        const double compile = stopwatch.seconds();
        HostGraph host = read_graph(arguments.graph_file, arguments.has("undirected"));
        host.add_in_neighbors();
        const double load = stopwatch.seconds();
        Graph graph(device, host);
        Buffer<int> component(device, graph.num_nodes);
        device.finish();
        const double upload = stopwatch.seconds();
        while (runs.are_left()) {
            device.finish();
            stopwatch.seconds();
            strongly_connected_components(device, graph, component);
            device.finish();
            runs.add(stopwatch.seconds());
        }
        stopwatch.seconds();
        std::cout.precision(10);
        std::cout << arguments.graph_file << ": " << host.num_nodes << " nodes, " << host.num_arcs << " arcs, on "
                  << device.name() << "\n";
        results.add_of_nodes("component", host.original_ids(component.download()));
        const double download = stopwatch.seconds();
        results.write(host);
        std::cout << "seconds: load " << load << ", compile " << compile << ", upload " << upload << ", run " << runs
                  << ", download " << download << "\n";
    } catch (const UsageError &error) {
        std::cerr << "error: " << error.what() << "; --help says more\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
