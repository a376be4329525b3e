// closeness.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm closeness.cpp -o closeness
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc closeness.cpp -o closeness
// run:   ./closeness GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 13 "closeness.sp"
extern "C" void closeness_centrality_min_bfs_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order, int *bfs_level,
    int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(4) vector_length(128) \
        deviceptr(row_offsets, columns, bfs_level_order, bfs_level, bfs_level_count)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        #pragma acc loop vector
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                int slot;
                #pragma acc atomic capture
                { slot = *bfs_level_count; *bfs_level_count += 1; }
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
extern "C" void closeness_centrality_min_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ bfs_level_order,
    const int *__restrict__ bfs_level, int *level, long long *farness, int *reached_by, int bfs_level_begin,
    int bfs_level_end, int depth
) {
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(4) vector_length(128) \
        deviceptr(row_offsets, columns, bfs_level_order, bfs_level, level, farness, reached_by)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        #pragma acc loop vector
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = level[v] + 1;
                if (candidate < level[w]) {
                    atomic_min_int(&level[w], candidate);
                }
            }
        }
        farness[v] += level[v];
        reached_by[v] += 1;
    }
}

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
extern "C" void closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict__ farness, const int *__restrict__ reached_by, double *closeness
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(farness, reached_by, closeness)
    for (int v = 0; v < num_nodes; v++) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / (double)farness[v] * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 13 "closeness.sp"
extern "C" void closeness_centrality_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *bfs_level,
    int *bfs_level_count, int *bfs_level_order, int depth
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(in_row_offsets, in_columns, bfs_level, bfs_level_count, bfs_level_order)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                int slot;
                #pragma acc atomic capture
                { slot = *bfs_level_count; *bfs_level_count += 1; }
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 13 "closeness.sp"
extern "C" void arcs_of_bfs_level_order(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, bfs_level_order) reduction(+ : active_arcs_part)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

}  // namespace kernels
#line 126 "closeness.cpp"

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

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<float> active_arcs_result(device);
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int src = 0; src < graph.num_nodes; src++) {
        level.fill(INT_MAX);
        level.write(src, 0);
        // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
        if (src >= 0) {
            bfs_level.fill(INT_MAX);
            bfs_level.write(src, 0);
            bfs_level_order.write(0, src);
            bfs_level_count.write(0, 1);
            int bfs_level_begin = 0;
            int bfs_level_end = 1;
            int depth = 0;
            bool found = false;
            do {
                bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
                if (bfs_level_end - bfs_level_begin > 4096 && !pulls
                        && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                    float active_arcs = 0.0f;
                    active_arcs_result.set(0.0f);
                    kernels::arcs_of_bfs_level_order(
                        graph.row_offsets, bfs_level_order, bfs_level_begin, bfs_level_end, active_arcs_result
                    );
                    active_arcs += active_arcs_result.read();
                    pulls = active_arcs > (float)(graph.num_arcs / 8LL);
                }
                if (pulls) {
                    kernels::closeness_centrality_min_bfs_level_pull(
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count,
                        bfs_level_order, depth
                    );
                } else {
                    kernels::closeness_centrality_min_bfs_level(
                        graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                        bfs_level_begin, bfs_level_end, depth
                    );
                }
                kernels::closeness_centrality_min_level(
                    graph.row_offsets, graph.columns, bfs_level_order, bfs_level, level, farness, reached_by,
                    bfs_level_begin, bfs_level_end, depth
                );
                depth += 1;
                bfs_level_begin = bfs_level_end;
                bfs_level_end = bfs_level_count.read(0);
                found = bfs_level_begin < bfs_level_end;
            } while (found);
        }
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    kernels::closeness_centrality_set_closeness(graph.num_nodes, farness, reached_by, closeness);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> closeness(device, graph.num_nodes);
        program.repeat(device, [&] { closeness_centrality(device, graph, closeness); });
        program.describe(host, device);
        program.results.add_of_nodes("closeness", watched("closeness", closeness.download(), host, true));
        program.finish(host);
    });
}
