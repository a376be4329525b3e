// triangle_count.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm triangle_count.cpp -o triangle_count
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc triangle_count.cpp -o triangle_count
// run:   ./triangle_count GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// triangle_count.sp:7 forall (v in g.nodes())
#line 7 "triangle_count.sp"
extern "C" void triangle_count_find_triangles(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, long long *triangles
) {
    long long triangles_part = 0;
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns) reduction(+ : triangles_part)
    for (int v = 0; v < num_nodes; v++) {
        #pragma acc loop vector reduction(+ : triangles_part)
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
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, arc_sources) reduction(|| : other_graph_part) \
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
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, kept_columns, kept_ends)
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
    arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ arc_sources,
    const arc_t *__restrict__ kept_ends, const int *__restrict__ kept_columns, long long *triangles
) {
    long long triangles_part = 0;
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, arc_sources, kept_ends, kept_columns) reduction(+ : triangles_part)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const arc_t end = kept_ends[v];
        if (e < end) {
            const int u = kept_columns[e];
            arc_t i = row_offsets[v];
            arc_t j = row_offsets[u];
            const arc_t last = kept_ends[u];
            while (i < end && j < last) {
                const int one = kept_columns[i];
                const int other = kept_columns[j];
                if (one == other) triangles_part += 1;
                if (one <= other) i += 1;
                if (one >= other) j += 1;
            }
        }
    }
    *triangles = triangles_part;
}

}  // namespace kernels
#line 127 "triangle_count.cpp"

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
        triangles_result.set(0);
        kernels::triangle_count_find_triangles_intersect(
            graph.num_arcs, graph.row_offsets, graph.arc_sources, kept_ends, kept_columns, triangles_result
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
    Word<long long> triangles_result(device);
    long long triangles = 0;
    // triangle_count.sp:7 forall (v in g.nodes())
    triangles_result.set(0);
    kernels::triangle_count_find_triangles(graph.num_nodes, graph.row_offsets, graph.columns, triangles_result);
    triangles += triangles_result.read();
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
        const bool has_few_pairs = host.has_even_rows(48, 4);
        long long returned{};
        program.repeat(device, [&] {
            returned = has_few_pairs
                ? triangle_count_few_pairs(device, graph)
                : triangle_count(device, graph);
        });
        program.describe(host, device);
        program.results.add_returned(returned);
        program.finish(host);
    });
}
