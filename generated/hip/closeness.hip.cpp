// closeness.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv closeness.hip.cpp -o closeness
// run:   ./closeness GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
extern "C" __global__ void closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict__ farness, const int *__restrict__ reached_by, double *closeness
) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / long_to_double_inf(farness[v]) * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:13 iterateInBFS (v in g.nodes() from src)
#line 13 "closeness.sp"
extern "C" __global__ void __launch_bounds__(256) closeness_centrality_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *level,
    int *bfs_level, int *bfs_level_order, int *bfs_level_count, long long *farness, int *reached_by, int src,
    unsigned *arrived
) {
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        level[cell] = INT_MAX;
    }
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) level[src] = 0;
    if (src >= 0) {
        for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
            bfs_level[cell] = INT_MAX;
        }
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level[src] = 0;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) bfs_level_order[0] = src;
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) *bfs_level_count = 1;
        int bfs_level_begin = 0;
        int bfs_level_end = 1;
        int depth = 0;
        bool found = false;
        do {
            grid_barrier(arrived);
            {
                // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
                // finds the next BFS level
                #line 13 "closeness.sp"
                auto &rows = group_memory<GroupRows>();
                const int listed_count = bfs_level_end - bfs_level_begin;
                for (int begin = 0; begin < listed_count; begin += gridDim.x * blockDim.x) {
                    const int groups = groups_for_each(listed_count);
                    const int brought = listed_node(bfs_level_order + bfs_level_begin, begin, listed_count, groups);
                    const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                    for (arc_t place = threadIdx.x; place < count; place += 256) {
                        const int owner = owner_of(&rows, place);
                        const arc_t e = place + rows.shift[owner];
                        const int neighbor = columns[e];
                        const int candidate = depth + 1;
                        if (candidate < bfs_level[neighbor] && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                            const int slot = atomicAdd(bfs_level_count, 1);
                            bfs_level_order[slot] = neighbor;
                        }
                    }
                }
            }
            grid_barrier(arrived);
            {
                // closeness.sp:13 iterateInBFS (v in g.nodes() from src)
                #line 13 "closeness.sp"
                for (int place = bfs_level_begin + blockIdx.x * blockDim.x + threadIdx.x; place < bfs_level_end;
                        place += gridDim.x * blockDim.x) {
                    const int v = bfs_level_order[place];
                    for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                        const int w = columns[e];
                        if (bfs_level[w] == depth + 1) {
                            const int candidate = add_inf(level[v], 1);
                            if (candidate < level[w]) {
                                atomicMin(&level[w], candidate);
                            }
                        }
                    }
                    farness[v] += int_to_long_inf(level[v]);
                    reached_by[v] += 1;
                }
            }
            depth += 1;
            bfs_level_begin = bfs_level_end;
            bfs_level_end = *bfs_level_count;
            found = bfs_level_begin < bfs_level_end;
        } while (found);
    }
}

#line 100 "closeness.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Buffer<unsigned> arrived(device, 1, 0);
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int src = 0; src < graph.num_nodes; src++) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "closeness_centrality_loop", closeness_centrality_loop, graph.num_arcs < 4194304 ? 4 : 8,
            graph.num_nodes, graph.row_offsets, graph.columns, level, bfs_level, bfs_level_order, bfs_level_count,
            farness, reached_by, src, arrived
        );
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    closeness_centrality_set_closeness<<<device.blocks(graph.num_nodes), 256>>>(
        graph.num_nodes, farness, reached_by, closeness
    );
    check(hipGetLastError(), "closeness_centrality_set_closeness");
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> closeness(device, graph.num_nodes);
        program.repeat(device, [&] { closeness_centrality(device, graph, closeness); });
        program.describe(host, device);
        program.results.add_of_nodes("closeness", watched("closeness", closeness.download(), host, true));
        program.finish(host);
    });
}
