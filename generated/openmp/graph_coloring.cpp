// graph_coloring.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp graph_coloring.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// graph_coloring.sp:55 function lowest_free(int bits)
#line 55 "graph_coloring.sp"
static int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:69 function rank(Graph g, node v)
#line 69 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:60 function place(int bit)
#line 60 "graph_coloring.sp"
static int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
extern "C" void graph_coloring_add_window(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ color,
    const int *__restrict__ taken, int *wish, bool *waits, int *window, int *full
) {
    int full_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(|| : full_part)
    for (int v = 0; v < num_nodes; v++) {
        if (color[v] >= 0) continue;
        bool blocked = false;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                blocked = true;
                break;
            }
        }
        wish[v] = lowest_free(taken[v]);
        waits[v] = blocked || wish[v] == 0;
        if (wish[v] == 0) {
            window[v] += 1;
            full_part = 1;
        }
    }
    *full = full_part;
}

// graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
#line 30 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color,
    const bool *__restrict__ waits, const int *__restrict__ window, const int *__restrict__ wish, int *taken,
    long long *left
) {
    long long left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(+ : left_part)
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && !waits[v])) continue;
        color[v] = multiply(window[v], 32) + place(wish[v]);
        #pragma omp atomic update
        taken[v] |= -1;
        left_part -= 1;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (waits[u] && window[u] == window[v]) {
                #pragma omp atomic update
                taken[u] |= wish[v];
            }
        }
    }
    *left = left_part;
}

// graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
#line 41 "graph_coloring.sp"
extern "C" void graph_coloring_set_taken(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ color,
    const int *__restrict__ wish, const int *__restrict__ window, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && wish[v] == 0)) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >> 5 == window[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
extern "C" void graph_coloring_add_window_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ color, const int *__restrict__ taken, int *wish, bool *waits, int *window, int *full
) {
    int full_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(|| : full_part)
    for (int v = 0; v < num_nodes; v++) {
        if (color[v] >= 0) continue;
        bool blocked = false;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (lowest_free(taken[u]) == lowest_free(taken[v]) && rank(u, row_offsets) > rank(v, row_offsets)) {
                blocked = true;
                break;
            }
        }
        wish[v] = lowest_free(taken[v]);
        waits[v] = blocked || wish[v] == 0;
        if (wish[v] == 0) {
            window[v] += 1;
            full_part = 1;
        }
    }
    *full = full_part;
}

// graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
#line 30 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *color,
    const bool *__restrict__ waits, const int *__restrict__ window, const int *__restrict__ wish, int *taken,
    long long *left
) {
    long long left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(+ : left_part)
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && !waits[v])) continue;
        color[v] = multiply(window[v], 32) + place(wish[v]);
        #pragma omp atomic update
        taken[v] |= -1;
        left_part -= 1;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (waits[u] && window[u] == window[v]) {
                #pragma omp atomic update
                taken[u] |= wish[v];
            }
        }
    }
    *left = left_part;
}

// graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
#line 41 "graph_coloring.sp"
extern "C" void graph_coloring_set_taken_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ color, const int *__restrict__ wish, const int *__restrict__ window, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && wish[v] == 0)) continue;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >> 5 == window[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

}  // namespace kernels
#line 198 "graph_coloring.cpp"

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

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Word<int> full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    window.fill(0);
    taken.fill(0);
    wish.fill(0);
    waits.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        full_result.set(false);
        kernels::graph_coloring_add_window(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, taken,
            wish, waits, window, full_result
        );
        full = full || full_result.read();
        // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
        left_result.set(0);
        kernels::graph_coloring_bit_or_taken(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, waits,
            window, wish, taken, left_result
        );
        left += left_result.read();
        if (full) {
            // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
            kernels::graph_coloring_set_taken(
                graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color,
                wish, window, taken
            );
        }
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> window(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Word<int> full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    window.fill(0);
    taken.fill(0);
    wish.fill(0);
    waits.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        full_result.set(false);
        kernels::graph_coloring_add_window_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, color, taken, wish, waits, window, full_result
        );
        full = full || full_result.read();
        // graph_coloring.sp:30 forall (v in g.nodes().filter(color < 0 && !waits))
        left_result.set(0);
        kernels::graph_coloring_bit_or_taken_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, color, waits, window, wish, taken, left_result
        );
        left += left_result.read();
        if (full) {
            // graph_coloring.sp:41 forall (v in g.nodes().filter(color < 0 && wish == 0))
            kernels::graph_coloring_set_taken_symmetric(
                graph.num_nodes, graph.row_offsets, graph.columns, color, wish, window, taken
            );
        }
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? graph_coloring_symmetric(device, graph, color)
                : graph_coloring(device, graph, color);
        });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
