// radii.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv radii.hip.cpp -o radii
// run:   ./radii GRAPH --sources NODE,NODE,... [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
extern "C" __global__ void __launch_bounds__(256) radii_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *level,
    int *bfs_level, int *bfs_level_order, int *bfs_level_count, int *radius, int src, unsigned *arrived
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
                // radii.sp:11 iterateInBFS (v in g.nodes() from src)
                // finds the next BFS level
                #line 11 "radii.sp"
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
                // radii.sp:11 iterateInBFS (v in g.nodes() from src)
                #line 11 "radii.sp"
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
                    const int candidate_2 = level[v];
                    if (candidate_2 > radius[v]) {
                        radius[v] = candidate_2;
                    }
                }
            }
            depth += 1;
            bfs_level_begin = bfs_level_end;
            bfs_level_end = *bfs_level_count;
            found = bfs_level_begin < bfs_level_end;
        } while (found);
    }
}

#line 89 "radii.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// radii.sp:5 function radii(Graph g, propNode<int> radius, SetN<g> sources)
static void radii(Device &device, Graph &graph, Buffer<int> &radius, FixedSet &sources) {
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Buffer<unsigned> arrived(device, 1, 0);
    radius.fill(-1);
    // radii.sp:7 for (src in sources)
    for (const int src : sources.members()) {
        check_place(src, graph.num_nodes);
        device.launch_together(
            "radii_loop", radii_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes, graph.row_offsets,
            graph.columns, level, bfs_level, bfs_level_order, bfs_level_count, radius, src, arrived
        );
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--sources NODE,NODE,...", "nodes, as the file calls them; @FILE names a file that lists them"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_sources = program.arguments.numbers("sources");
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> radius(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { radii(device, graph, radius, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("radius", radius.download());
        program.finish(host);
    });
}
