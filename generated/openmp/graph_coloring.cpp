// graph_coloring.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp graph_coloring.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// graph_coloring.sp:67 function rank(Graph g, node v)
#line 67 "graph_coloring.sp"
static long long rank(int v, const arc_t *__restrict__ row_offsets) {
    return multiply_long(row_offsets[v + 1] - row_offsets[v], 4294967296LL) + multiply_long(v,
        2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:58 function free_color(int taken, int least)
#line 58 "graph_coloring.sp"
static int free_color(int taken, int least) {
    int color = least;
    while (color < multiply(least / 32 + 1, 32) && ((taken >> (color & 31)) & 1) != 0) {
        color += 1;
    }
    return color;
}

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

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
extern "C" void graph_coloring_set_waits(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ wish,
    bool *waits
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (wish[v] < 0) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ wish,
    const bool *__restrict__ waits, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(wish[v] >= 0 && !waits[v])) continue;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                #pragma omp atomic update
                taken[u] |= 1 << (wish[v] & 31);
            }
        }
    }
}

// graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
#line 29 "graph_coloring.sp"
extern "C" void graph_coloring_set_waits_2(
    int num_nodes, int *wish, bool *waits, const int *__restrict__ taken, int *beyond_bits, int *beyond_list,
    int *beyond_size, int *color, long long *left
) {
    long long left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64) reduction(+ : left_part)
    for (int v = 0; v < num_nodes; v++) {
        if (wish[v] < 0) continue;
        if (waits[v]) {
            const int next = free_color(taken[v], wish[v]);
            waits[v] = false;
            if (next % 32 == 0 && next > wish[v]) {
                waits[v] = true;
                enlist(v, beyond_bits, beyond_list, beyond_size);
            }
            wish[v] = next;
        } else {
            color[v] = wish[v];
            wish[v] = -1;
            left_part -= 1;
        }
    }
    *left = left_part;
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
extern "C" void graph_coloring_set_beyond(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ beyond_list, int *beyond_bits, const int *__restrict__ color,
    const int *__restrict__ wish, int *taken, int beyond_count
) {
    #pragma omp parallel for schedule(dynamic, 64) if(beyond_count > 1000)
    for (int place = 0; place < beyond_count; place++) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
extern "C" void graph_coloring_set_beyond_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ beyond_bits, const int *__restrict__ color, const int *__restrict__ wish, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if ((beyond_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int seen = 0;
        const arc_t first_out = row_offsets[v];
        const arc_t outs = row_offsets[v + 1] - first_out;
        const arc_t first_in = in_row_offsets[v];
        const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
        for (arc_t i = 0; i < end; i++) {
            const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
#line 14 "graph_coloring.sp"
extern "C" void graph_coloring_set_waits_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ wish, bool *waits
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (wish[v] < 0) continue;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (wish[u] == wish[v] && rank(u, row_offsets) > rank(v, row_offsets)) {
                waits[v] = true;
                break;
            }
        }
    }
}

// graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
#line 22 "graph_coloring.sp"
extern "C" void graph_coloring_bit_or_taken_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ wish, const bool *__restrict__ waits, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if (!(wish[v] >= 0 && !waits[v])) continue;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (wish[u] >= 0 && wish[u] <= wish[v] && wish[u] / 32 == wish[v] / 32) {
                #pragma omp atomic update
                taken[u] |= 1 << (wish[v] & 31);
            }
        }
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
#line 44 "graph_coloring.sp"
extern "C" void graph_coloring_set_beyond_symmetric(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ beyond_list,
    int *beyond_bits, const int *__restrict__ color, const int *__restrict__ wish, int *taken, int beyond_count
) {
    #pragma omp parallel for schedule(dynamic, 64) if(beyond_count > 1000)
    for (int place = 0; place < beyond_count; place++) {
        const int v = beyond_list[place];
        beyond_bits[v / 32] = 0;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

// graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
// where many are active: goes over all, in their order
#line 44 "graph_coloring.sp"
extern "C" void graph_coloring_set_beyond_of_many_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ beyond_bits, const int *__restrict__ color, const int *__restrict__ wish, int *taken
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
        if ((beyond_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int seen = 0;
        for (arc_t i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            const int u = columns[i];
            if (color[u] >= wish[v] && color[u] < wish[v] + 32) {
                seen |= 1 << (color[u] & 31);
            }
        }
        taken[v] = seen;
    }
}

}  // namespace kernels
#line 260 "graph_coloring.cpp"

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
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<int> beyond_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> beyond_list(device, graph.num_nodes);
    Buffer<int> beyond_size(device, 1);
    Word<long long> left_result(device);
    int beyond_count = 0;
    color.fill(-1);
    wish.fill(0);
    taken.fill(0);
    waits.fill(false);
    beyond_bits.fill(0);
    beyond_size.fill(0);
    long long left = graph.num_nodes;
    while (left > 0) {
        // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
        kernels::graph_coloring_set_waits(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, wish, waits
        );
        // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
        kernels::graph_coloring_bit_or_taken(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, wish, waits,
            taken
        );
        // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
        left_result.set(0);
        kernels::graph_coloring_set_waits_2(
            graph.num_nodes, wish, waits, taken, beyond_bits, beyond_list, beyond_size, color, left_result
        );
        left += left_result.read();
        // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
        beyond_count = beyond_size.read(0);
        if (beyond_count > graph.num_nodes / 8) {
            kernels::graph_coloring_set_beyond_of_many(
                graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns,
                beyond_bits, color, wish, taken
            );
            beyond_bits.fill(0);
        } else {
            kernels::graph_coloring_set_beyond(
                graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, beyond_list, beyond_bits,
                color, wish, taken, beyond_count
            );
        }
        beyond_size.fill(0);
    }
}

// graph_coloring.sp:6 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring_symmetric(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> wish(device, graph.num_nodes);
    Buffer<int> taken(device, graph.num_nodes);
    Buffer<unsigned char> waits(device, graph.num_nodes);
    Buffer<int> beyond_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> beyond_list(device, graph.num_nodes);
    Buffer<int> beyond_size(device, 1);
    Word<long long> left_result(device);
    int beyond_count = 0;
    color.fill(-1);
    wish.fill(0);
    taken.fill(0);
    waits.fill(false);
    beyond_bits.fill(0);
    beyond_size.fill(0);
    long long left = graph.num_nodes;
    while (left > 0) {
        // graph_coloring.sp:14 forall (v in g.nodes().filter(wish >= 0))
        kernels::graph_coloring_set_waits_symmetric(graph.num_nodes, graph.row_offsets, graph.columns, wish, waits);
        // graph_coloring.sp:22 forall (v in g.nodes().filter(wish >= 0 && !waits))
        kernels::graph_coloring_bit_or_taken_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, wish, waits, taken
        );
        // graph_coloring.sp:29 forall (v in g.nodes().filter(wish >= 0))
        left_result.set(0);
        kernels::graph_coloring_set_waits_2(
            graph.num_nodes, wish, waits, taken, beyond_bits, beyond_list, beyond_size, color, left_result
        );
        left += left_result.read();
        // graph_coloring.sp:44 forall (v in g.nodes().filter(beyond))
        beyond_count = beyond_size.read(0);
        if (beyond_count > graph.num_nodes / 8) {
            kernels::graph_coloring_set_beyond_of_many_symmetric(
                graph.num_nodes, graph.row_offsets, graph.columns, beyond_bits, color, wish, taken
            );
            beyond_bits.fill(0);
        } else {
            kernels::graph_coloring_set_beyond_symmetric(
                graph.row_offsets, graph.columns, beyond_list, beyond_bits, color, wish, taken, beyond_count
            );
        }
        beyond_size.fill(0);
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
