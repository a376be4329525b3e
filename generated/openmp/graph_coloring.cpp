// graph_coloring.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp graph_coloring.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// graph_coloring.sp:57 function lowest_free(int bits)
#line 57 "graph_coloring.sp"
static int lowest_free(int bits) {
    return ~bits & (bits + 1);
}

// graph_coloring.sp:71 function rank(Graph g, node v)
#line 71 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:62 function place(int bit)
#line 62 "graph_coloring.sp"
static int place(int bit) {
    int place_ = 0;
    while (((bit >> (place_ & 31)) & 1) == 0) {
        place_ += 1;
    }
    return place_;
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
extern "C" void graph_coloring_add_color(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color,
    const int *__restrict__ taken, bool *full, bool *wins, int *some_full, long long *left
) {
    int some_full_part = 0;
    long long left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(|| : some_full_part) \
        reduction(+ : left_part)
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
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = 1;
        } else if (!blocked) {
            color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
            left_part -= 1;
        }
    }
    *some_full = some_full_part;
    *left = left_part;
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *wins, int *taken,
    const int *__restrict__ color
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!wins[v]) continue;
        wins[v] = false;
        #pragma omp atomic update
        taken[v] |= -1;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] == ~(color[v] >> 5)) {
                #pragma omp atomic update
                taken[u] |= 1 << (color[v] & 31);
            }
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
extern "C" void graph_coloring_set_taken(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ color,
    const bool *__restrict__ full, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && full[v])) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >> 5 == ~color[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
#line 15 "graph_coloring.sp"
extern "C" void graph_coloring_add_color_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *color,
    const int *__restrict__ taken, bool *full, bool *wins, int *some_full, long long *left
) {
    int some_full_part = 0;
    long long left_part = 0;
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        reduction(|| : some_full_part) reduction(+ : left_part)
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
        full[v] = taken[v] == -1;
        wins[v] = !(blocked || taken[v] == -1);
        if (taken[v] == -1) {
            color[v] -= 1;
            some_full_part = 1;
        } else if (!blocked) {
            color[v] = multiply(~color[v], 32) + place(lowest_free(taken[v]));
            left_part -= 1;
        }
    }
    *some_full = some_full_part;
    *left = left_part;
}

// graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
#line 33 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, bool *wins, int *taken,
    const int *__restrict__ color
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        if (!wins[v]) continue;
        wins[v] = false;
        #pragma omp atomic update
        taken[v] |= -1;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] == ~(color[v] >> 5)) {
                #pragma omp atomic update
                taken[u] |= 1 << (color[v] & 31);
            }
        }
    }
}

// graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
#line 43 "graph_coloring.sp"
extern "C" void graph_coloring_set_taken_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ color, const bool *__restrict__ full, int *taken
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        if (!(color[v] < 0 && full[v])) continue;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >> 5 == ~color[v]) seen |= 1 << (color[u] & 31);
        }
        taken[v] = seen;
    }
}

}  // namespace kernels
#line 202 "graph_coloring.cpp"

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

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Word<int> some_full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    taken.fill(0);
    wins.fill(false);
    full.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool some_full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        some_full_result.set(false);
        left_result.set(0);
        kernels::graph_coloring_add_color(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, taken,
            full, wins, some_full_result, left_result
        );
        some_full = some_full || some_full_result.read();
        left += left_result.read();
        // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
        kernels::graph_coloring_bit_or_taken(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, wins, taken,
            color
        );
        if (some_full) {
            // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
            kernels::graph_coloring_set_taken(
                graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color,
                full, taken
            );
        }
    }
}

// graph_coloring.sp:7 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> wins(device, graph.num_nodes);
    Buffer<unsigned char> full(device, graph.num_nodes);
    Word<int> some_full_result(device);
    Word<long long> left_result(device);
    color.fill(-1);
    taken.fill(0);
    wins.fill(false);
    full.fill(false);
    long long left = graph.num_nodes;
    while (left > 0) {
        bool some_full = false;
        // graph_coloring.sp:15 forall (v in g.nodes().filter(color < 0))
        some_full_result.set(false);
        left_result.set(0);
        kernels::graph_coloring_add_color_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, color, taken, full, wins, some_full_result,
            left_result
        );
        some_full = some_full || some_full_result.read();
        left += left_result.read();
        // graph_coloring.sp:33 forall (v in g.nodes().filter(wins))
        kernels::graph_coloring_bit_or_taken_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, wins, taken, color
        );
        if (some_full) {
            // graph_coloring.sp:43 forall (v in g.nodes().filter(color < 0 && full))
            kernels::graph_coloring_set_taken_symmetric(
                graph.num_nodes, graph.row_offsets, graph.columns, color, full, taken
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
