// strongly_connected_components.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp strongly_connected_components.cpp -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma omp atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) {
            int place;
            #pragma omp atomic capture
            { place = *size; *size += 1; }
            list[place] = node;
        }
    }
}

// strongly_connected_components.sp:13 forall (v in g.nodes().filter(component == -1))
#line 13 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_set_color(
    int num_nodes, const int *__restrict__ component, int *color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (component[v] != -1) continue;
        color[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_min_color(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ modified_list,
    int *modified_bits, const int *__restrict__ component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int modified_count
) {
    #pragma omp parallel for schedule(dynamic, 64) if(modified_count > 1000)
    for (int place = 0; place < modified_count; place++) {
        const int v = modified_list[place];
        modified_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomic_min_int(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:26 forall (v in g.nodes().filter(component == -1 && color == v))
#line 26 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_set_component(
    int num_nodes, int *component, const int *__restrict__ color, int *modified_bits, int *modified_list,
    int *modified_size
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(component[v] == -1 && color[v] == v)) continue;
        component[v] = v;
        enlist(v, modified_bits, modified_list, modified_size);
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_max_component(
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_list, int *modified_bits, const int *__restrict__ color, int *component,
    int *modified_next_bits, int *modified_next_list, int *modified_next_size, int modified_count
) {
    #pragma omp parallel for schedule(dynamic, 64) if(modified_count > 1000)
    for (int place = 0; place < modified_count; place++) {
        const int v = modified_list[place];
        modified_bits[v / 32] = 0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomic_max_int(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:10 fixedPoint until (finished : component >= 0)
#line 10 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_find_finished(
    int num_nodes, const int *__restrict__ component, int *finished
) {
    int finished_part = 1;
    #pragma omp parallel for schedule(static) reduction(&& : finished_part)
    for (int node = 0; node < num_nodes; node++) {
        if (component[node] < 0) finished_part = 0;
    }
    *finished = finished_part;
}

// strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
#line 48 "strongly_connected_components.sp"
extern "C" void trim_set_alone(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ component,
    bool *alone
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (component[v] != -1) continue;
        bool entered = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) entered = true;
        }
        bool leaves = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) leaves = true;
        }
        alone[v] = !(entered && leaves);
    }
}

// strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
#line 59 "strongly_connected_components.sp"
extern "C" void trim_set_component(
    int num_nodes, int *component, const bool *__restrict__ alone, long long *trimmed
) {
    long long trimmed_part = 0;
    #pragma omp parallel for schedule(static) reduction(+ : trimmed_part)
    for (int v = 0; v < num_nodes; v++) {
        if (!(component[v] == -1 && alone[v])) continue;
        component[v] = v;
        trimmed_part += 1;
    }
    *trimmed = trimmed_part;
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 19 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_min_color_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ modified_bits, const int *__restrict__ component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            if (component[nbr] == -1) {
                const int candidate = color[v];
                if (candidate < color[nbr] && candidate < atomic_min_int(&color[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 32 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_max_component_of_many(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_bits, const int *__restrict__ color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int nbr = in_columns[in_e];
            if (color[nbr] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[nbr] && candidate > atomic_max_int(&component[nbr], candidate)) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                }
            }
        }
    }
}

// strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
#line 19 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *modified_list,
    int *modified_bits, const int *__restrict__ component, int *color, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_size, bool colored, int modified_count, int few,
    bool turned, int *modified_count_outcome, int *colored_outcome, int *turned_outcome
) {
    do {
        {
            // strongly_connected_components.sp:19 forall (v in g.nodes().filter(modified))
            #line 19 "strongly_connected_components.sp"
            for (int place = 0; place < modified_count; place++) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    if (component[nbr] == -1) {
                        const int candidate = color[v];
                        if (candidate < color[nbr]) {
                            color[nbr] = candidate;
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        modified_count = *modified_size;
        colored = modified_count == 0;
        turned = !turned;
    } while (!colored && (modified_count < few && modified_count <= num_nodes / 8));
    *modified_count_outcome = modified_count;
    *colored_outcome = colored;
    *turned_outcome = turned;
}

// strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
#line 32 "strongly_connected_components.sp"
extern "C" void strongly_connected_components_few_2(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *modified_list,
    int *modified_bits, const int *__restrict__ color, int *component, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_size, bool collected, int modified_count,
    int few_2, bool turned_2, int *modified_count_outcome, int *collected_outcome, int *turned_2_outcome
) {
    do {
        {
            // strongly_connected_components.sp:32 forall (v in g.nodes().filter(modified))
            #line 32 "strongly_connected_components.sp"
            for (int place = 0; place < modified_count; place++) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int nbr = in_columns[in_e];
                    if (color[nbr] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > component[nbr]) {
                            component[nbr] = candidate;
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
        }
        *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        modified_count = *modified_size;
        collected = modified_count == 0;
        turned_2 = !turned_2;
    } while (!collected && (modified_count < few_2 && modified_count <= num_nodes / 8));
    *modified_count_outcome = modified_count;
    *collected_outcome = collected;
    *turned_2_outcome = turned_2;
}

}  // namespace kernels
#line 287 "strongly_connected_components.cpp"

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
    Word<long long> trimmed_result(device);
    alone.fill(false);
    long long trimmed = 1;
    do {
        trimmed = 0;
        // strongly_connected_components.sp:48 forall (v in g.nodes().filter(component == -1))
        kernels::trim_set_alone(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, component,
            alone
        );
        // strongly_connected_components.sp:59 forall (v in g.nodes().filter(component == -1 && alone))
        trimmed_result.set(0);
        kernels::trim_set_component(graph.num_nodes, component, alone, trimmed_result);
        trimmed += trimmed_result.read();
    } while (trimmed > 0);
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
        kernels::strongly_connected_components_set_color(
            graph.num_nodes, component, color, modified_bits, modified_list, modified_size
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
                kernels::strongly_connected_components_few(
                    graph.num_nodes, graph.row_offsets, graph.columns, modified_list, modified_bits, component,
                    color, modified_next_bits, modified_next_list, modified_next_size, modified_size, colored,
                    modified_count, few, turned, modified_count_result, colored_result, turned_result
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
                    kernels::strongly_connected_components_min_color_of_many(
                        graph.num_nodes, graph.row_offsets, graph.columns, modified_bits, component, color,
                        modified_next_bits, modified_next_list, modified_next_size
                    );
                    modified_bits.fill(0);
                } else {
                    kernels::strongly_connected_components_min_color(
                        graph.row_offsets, graph.columns, modified_list, modified_bits, component, color,
                        modified_next_bits, modified_next_list, modified_next_size, modified_count
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
        kernels::strongly_connected_components_set_component(
            graph.num_nodes, component, color, modified_bits, modified_list, modified_size
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
                kernels::strongly_connected_components_few_2(
                    graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_list, modified_bits, color,
                    component, modified_next_bits, modified_next_list, modified_next_size, modified_size, collected,
                    modified_count, few_2, turned_2, modified_count_result, collected_result, turned_2_result
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
                    kernels::strongly_connected_components_max_component_of_many(
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_bits, color, component,
                        modified_next_bits, modified_next_list, modified_next_size
                    );
                    modified_bits.fill(0);
                } else {
                    kernels::strongly_connected_components_max_component(
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
        kernels::strongly_connected_components_find_finished(graph.num_nodes, component, finished_result);
        finished = finished && finished_result.read();
    } while (!finished);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
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
