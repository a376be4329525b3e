// bfs.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp bfs.cpp -o bfs
// run:   ./bfs GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 8 "bfs.sp"
extern "C" void bfs_min_bfs_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order, int *bfs_level,
    int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    if (bfs_level_end - bfs_level_begin > 1000) {
        Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_bfs_level_order)
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                    to_bfs_level_order.add(neighbor);
                }
            }
        }
    } else {
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor]) {
                    bfs_level[neighbor] = candidate;
                    const int slot = *bfs_level_count;
                    *bfs_level_count += 1;
                    bfs_level_order[slot] = neighbor;
                }
            }
        }
    }
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
extern "C" void bfs_min_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ bfs_level_order,
    const int *__restrict__ bfs_level, int *level, int *parent, int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = level[v] + 1;
                if (candidate < level[w]) {
                    atomic_min_int(&level[w], candidate);
                }
                if (v > parent[w]) {
                    atomic_max_int(&parent[w], v);
                }
            }
        }
    }
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 8 "bfs.sp"
extern "C" void bfs_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *bfs_level,
    int *bfs_level_count, int *bfs_level_order, int depth
) {
    Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes)) \
        firstprivate(to_bfs_level_order)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                to_bfs_level_order.add(neighbor);
                break;
            }
        }
    }
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 8 "bfs.sp"
extern "C" void arcs_of_bfs_level_order(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma omp parallel for schedule(static) if(bfs_level_end - bfs_level_begin > 1000) \
        reduction(+ : active_arcs_part)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

// bfs.sp:8 iterateInBFS (v in g.nodes() from src)
#line 8 "bfs.sp"
extern "C" void bfs_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, int *level, int *parent, bool found, int bfs_level_end,
    int bfs_level_begin, int few, int depth, int *depth_outcome, int *bfs_level_begin_outcome,
    int *bfs_level_end_outcome, int *found_outcome
) {
    do {
        {
            // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 8 "bfs.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]) {
                        bfs_level[neighbor] = candidate;
                        const int slot = *bfs_level_count;
                        *bfs_level_count += 1;
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        {
            // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
            #line 8 "bfs.sp"
            for (int place = bfs_level_begin; place < bfs_level_end; place++) {
                const int v = bfs_level_order[place];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        const int candidate = level[v] + 1;
                        if (candidate < level[w]) {
                            level[w] = candidate;
                        }
                        if (v > parent[w]) {
                            parent[w] = v;
                        }
                    }
                }
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        found = bfs_level_begin < bfs_level_end;
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
    *depth_outcome = depth;
    *bfs_level_begin_outcome = bfs_level_begin;
    *bfs_level_end_outcome = bfs_level_end;
    *found_outcome = found;
}

}  // namespace kernels
#line 174 "bfs.cpp"

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

// bfs.sp:5 function bfs(Graph g, propNode<int> level, propNode<node> parent, node src)
static void bfs(Device &device, Graph &graph, Buffer<int> &level, Buffer<int> &parent, int src) {
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    level.fill(INT_MAX);
    parent.fill(-1);
    level.write(src, 0);
    // bfs.sp:8 iterateInBFS (v in g.nodes() from src)
    if (src >= 0) {
        bfs_level.fill(INT_MAX);
        bfs_level.write(src, 0);
        bfs_level_order.write(0, src);
        bfs_level_count.write(0, 1);
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        int depth = 0;
        bool found = false;
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                kernels::bfs_few(
                    graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                    level, parent, found, bfs_level_end, bfs_level_begin, few, depth, depth_result,
                    bfs_level_begin_result, bfs_level_end_result, found_result
                );
                depth = depth_result.read();
                bfs_level_begin = bfs_level_begin_result.read();
                bfs_level_end = bfs_level_end_result.read();
                found = found_result.read();
            } else {
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
                    kernels::bfs_min_bfs_level_pull(
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count,
                        bfs_level_order, depth
                    );
                } else {
                    kernels::bfs_min_bfs_level(
                        graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                        bfs_level_begin, bfs_level_end, depth
                    );
                }
                kernels::bfs_min_level(
                    graph.row_offsets, graph.columns, bfs_level_order, bfs_level, level, parent, bfs_level_begin,
                    bfs_level_end, depth
                );
                depth += 1;
                bfs_level_begin = bfs_level_end;
                bfs_level_end = bfs_level_count.read(0);
                found = bfs_level_begin < bfs_level_end;
            }
        } while (found);
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> level(device, graph.num_nodes);
        Buffer<int> parent(device, graph.num_nodes);
        const int src = host.node(given_src);
        program.repeat(device, [&] { bfs(device, graph, level, parent, src); });
        program.describe(host, device);
        program.results.add_of_nodes("level", level.download());
        program.results.add_of_nodes("parent", host.original_ids(parent.download()));
        program.finish(host);
    });
}
