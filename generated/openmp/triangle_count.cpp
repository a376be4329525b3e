// triangle_count.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp triangle_count.cpp -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles
) {
    long long triangles_part = 0;
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        reduction(+ : triangles_part)
    for (int v = 0; v < num_nodes; v++) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                for (arc_t e_2 = row_offsets[v]; e_2 < row_offsets[v + 1]; e_2++) {
                    const int w = columns[e_2];
                    if (w > v) {
                        if (find_arc(row_offsets, columns, u, w) >= 0) triangles_part += 1;
                    }
                }
            }
        }
    }
    *triangles = triangles_part;
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: does every arc have its reverse, and none beside it?
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles_check(
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ arc_sources, int *other_graph, long long *downward_excess
) {
    int other_graph_part = 0;
    long long downward_excess_part = 0;
    #pragma omp parallel for schedule(static) reduction(|| : other_graph_part) \
        reduction(+ : downward_excess_part)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = 1;
        }
        if (u < v) {
            downward_excess_part += 1;
            if (find_arc(row_offsets, columns, u, v) < 0) other_graph_part = 1;
        }
        if (u > v) downward_excess_part -= 1;
    }
    *other_graph = other_graph_part;
    *downward_excess = downward_excess_part;
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: keeps the arcs to nodes of higher degree
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles_orient(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *kept_columns,
    arc_t *kept_ends
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        const arc_t degree = row_offsets[v + 1] - row_offsets[v];
        arc_t next = row_offsets[v];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            const arc_t neighbor_degree = row_offsets[u + 1] - row_offsets[u];
            if (neighbor_degree > degree || (neighbor_degree == degree && u > v)) {
                kept_columns[next] = u;
                next += 1;
            }
        }
        kept_ends[v] = next;
    }
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between the ends of arcs that a node keeps
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles_intersect(
    int num_nodes, const arc_t *__restrict__ row_offsets, const arc_t *__restrict__ kept_ends, int *marked,
    const int *__restrict__ kept_columns, long long *triangles
) {
    long long triangles_part = 0;
    #pragma omp parallel for schedule(dynamic) reduction(+ : triangles_part)
    for (int worker = 0; worker < 64; worker++) {
        const long long mine = multiply_long(worker, num_nodes / 32 + 1);
        for (int first = multiply(worker, 64); first < num_nodes; first += 4096) {
            const int end_3 = smaller_int(first + 64, num_nodes);
            for (int v = first; v < end_3; v++) {
                const arc_t begin = row_offsets[v];
                const arc_t end = kept_ends[v];
                if (end - begin > 1) {
                    for (arc_t place = begin; place < end; place++) {
                        marked[mine + (kept_columns[place] >> 5)] |= 1 << (kept_columns[place] & 31);
                    }
                    for (arc_t e = begin; e < end; e++) {
                        const int u = kept_columns[e];
                        const arc_t end_2 = kept_ends[u];
                        for (arc_t i = row_offsets[u]; i < end_2; i++) {
                            const int w = kept_columns[i];
                            if ((marked[mine + (w >> 5)] & (1 << (w & 31))) != 0) triangles_part += 1;
                        }
                    }
                    for (arc_t old = begin; old < end; old++) {
                        marked[mine + (kept_columns[old] >> 5)] = 0;
                    }
                }
            }
        }
    }
    *triangles = triangles_part;
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: is no arc twice?
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles_check_symmetric_few_pairs(
    arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources, int *other_graph
) {
    int other_graph_part = 0;
    #pragma omp parallel for schedule(static) reduction(|| : other_graph_part)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const int u = columns[e];
        if (e > 0 && arc_sources[e - 1] == v && columns[e - 1] == u) {
            other_graph_part = 1;
        }
    }
    *other_graph = other_graph_part;
}

// triangle_count.sp:7 forall (v in g.nodes())
// triangles: looks for arcs between neighbors before a node and behind it
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles_intersect_symmetric_few_pairs(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles
) {
    long long triangles_part = 0;
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        reduction(+ : triangles_part)
    for (int v = 0; v < num_nodes; v++) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            if (u < v) {
                arc_t i = row_offsets[u + 1] - 1;
                arc_t j = row_offsets[v + 1] - 1;
                while (columns[i] > v && columns[j] > v) {
                    const int one = columns[i];
                    const int other = columns[j];
                    if (one == other) triangles_part += 1;
                    if (one >= other) i -= 1;
                    if (one <= other) j -= 1;
                }
            }
        }
    }
    *triangles = triangles_part;
}

}  // namespace kernels
#line 174 "triangle_count.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
};

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<arc_t> kept_ends(device, graph.num_nodes);
    Buffer<int> marked(device, 64 * (graph.num_nodes / 32 + 1LL));
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    other_graph_result.set(false);
    downward_excess_result.set(0);
    kernels::triangle_count_find_triangles_check(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, other_graph_result,
        downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        kernels::triangle_count_find_triangles_orient(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_ends
        );
        marked.fill(0);
        triangles_result.set(0);
        kernels::triangle_count_find_triangles_intersect(
            graph.num_nodes, graph.row_offsets, kept_ends, marked, kept_columns, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles(graph.num_nodes, graph.row_offsets, graph.columns, triangles_result);
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_symmetric_few_pairs(Device &device, Graph &graph) {
    Word<int> other_graph_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    other_graph_result.set(false);
    kernels::triangle_count_find_triangles_check_symmetric_few_pairs(
        graph.num_arcs, graph.columns, graph.arc_sources, other_graph_result
    );
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles_intersect_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles(graph.num_nodes, graph.row_offsets, graph.columns, triangles_result);
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_few_pairs(Device &device, Graph &graph) {
    Word<int> other_graph_result(device);
    Word<long long> downward_excess_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    long long downward_excess = 0;
    other_graph_result.set(false);
    downward_excess_result.set(0);
    kernels::triangle_count_find_triangles_check(
        graph.num_arcs, graph.row_offsets, graph.columns, graph.arc_sources, other_graph_result,
        downward_excess_result
    );
    other_graph = other_graph || other_graph_result.read();
    downward_excess += downward_excess_result.read();
    if (!other_graph && downward_excess == 0) {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles_intersect_symmetric_few_pairs(
            graph.num_nodes, graph.row_offsets, graph.columns, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles(graph.num_nodes, graph.row_offsets, graph.columns, triangles_result);
        triangles += triangles_result.read();
    }
    return triangles;
}

// triangle_count.sp:5 function triangle_count(Graph g)
static long long triangle_count_symmetric(Device &device, Graph &graph) {
    Buffer<int> kept_columns(device, graph.num_arcs);
    Buffer<arc_t> kept_ends(device, graph.num_nodes);
    Buffer<int> marked(device, 64 * (graph.num_nodes / 32 + 1LL));
    Word<int> other_graph_result(device);
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    bool other_graph = false;
    other_graph_result.set(false);
    kernels::triangle_count_find_triangles_check_symmetric_few_pairs(
        graph.num_arcs, graph.columns, graph.arc_sources, other_graph_result
    );
    other_graph = other_graph || other_graph_result.read();
    if (!other_graph) {
        kernels::triangle_count_find_triangles_orient(
            graph.num_nodes, graph.row_offsets, graph.columns, kept_columns, kept_ends
        );
        marked.fill(0);
        triangles_result.set(0);
        kernels::triangle_count_find_triangles_intersect(
            graph.num_nodes, graph.row_offsets, kept_ends, marked, kept_columns, triangles_result
        );
        triangles += triangles_result.read();
    } else {
        triangles_result.set(0);
        kernels::triangle_count_find_triangles(graph.num_nodes, graph.row_offsets, graph.columns, triangles_result);
        triangles += triangles_result.read();
    }
    return triangles;
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        const bool has_few_pairs = host.has_even_rows(8, 4);
        long long returned{};
        program.repeat(device, [&] {
            returned = is_symmetric && has_few_pairs
                ? triangle_count_symmetric_few_pairs(device, graph)
                : !is_symmetric && has_few_pairs
                ? triangle_count_few_pairs(device, graph)
                : is_symmetric && !has_few_pairs
                ? triangle_count_symmetric(device, graph)
                : triangle_count(device, graph);
        });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.finish(host);
    });
}
