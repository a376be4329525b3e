// bfs_levels.sp as a program of its own, in CUDA C++ with NCCL, a thread for each GPU.
//
// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv bfs_levels.cu -o bfs_levels -lnccl
// run:   ./bfs_levels GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_nccl.hpp"
#include "starplat_threads.hpp"
#include "starplat_cuda.hpp"

using namespace starplat;

using Parts = Exchanging<OnGpu<Thread>>;

// bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
#line 11 "bfs_levels.sp"
extern "C" __global__ void __launch_bounds__(256) bfs_levels_min_level(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ frontier, int *level, bool *frontier_next, int part_first, int part_end, int *finished
) {
    bool finished_part = true;
    advance_all(part_end - part_first, row_offsets + part_first,
        [&](int place) { return frontier[part_first + place]; },
        [&](int place, arc_t e) {
            const int v = part_first + place;
            const int w = columns[e];
            const int candidate = add_inf(level[v], 1);
            if (candidate < level[w] && candidate < atomicMin(&level[w], candidate)) {
                frontier_next[w] = true;
                finished_part = false;
            }
        });
    if (!finished_part) *finished = 0;
}

#line 37 "bfs_levels.cu"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    Parts &parts;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{parts.own_rows<Buffer<int>>(device, host.columns, parts.arcs)};
};

// bfs_levels.sp:4 function bfs_levels(Graph g, propNode<int> level, node src)
static void bfs_levels(Device &device, Graph &graph, Buffer<int> &level, int src) {
    Buffer<unsigned char> frontier(device, graph.num_nodes);
    Buffer<unsigned char> frontier_next(device, graph.num_nodes);
    Word<int> finished_result(device);
    const int part_first = graph.parts.first_node();
    const int part_end = graph.parts.end_node();
    level.fill(INT_MAX);
    frontier.fill(false);
    level.write(src, 0);
    frontier.write(src, true);
    bool finished = false;
    // bfs_levels.sp:10 fixedPoint until (finished : !frontier)
    do {
        finished = true;
        frontier_next.fill(false);
        // bfs_levels.sp:11 forall (v in g.nodes().filter(frontier == True))
        const bool finished_before = finished;
        finished = true;
        finished_result.set(true);
        bfs_levels_min_level<<<device.blocks(device.busy(graph.num_nodes)), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, frontier, level, frontier_next, part_first, part_end,
            finished_result
        );
        check(cudaGetLastError(), "bfs_levels_min_level");
        finished = finished && finished_result.read();
        graph.parts.combine<Least>(level, graph.parts.nodes);
        graph.parts.combine<Or>(frontier_next, graph.parts.nodes);
        finished = graph.parts.together<And>(finished_before, finished);
        std::swap(frontier, frontier_next);
    } while (!finished);
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--src NODE", "a node, as the file calls it"},
        {"[--devices NUMBER]", "so many GPUs, from --device on; all if not given"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_src = program.arguments.number<long long>("src");
        const std::vector<int> gpus = gpus_from(program.device_number, program.arguments, "devices");
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        program.lap("load");
        in_parts<Parts>(program, gpus, host, [&](Program &program, Parts &parts) {
            Device device(parts.gpu());
            Graph graph{device, host, parts};
            Buffer<int> level(device, graph.num_nodes);
            const int src = host.node(given_src);
            parts.begin(program, device);
            program.repeat(device, [&] { bfs_levels(device, graph, level, src); });
            if (!parts.is_first()) return;  // all have the whole result
            program.describe(host, device);
            parts.describe();
            program.results.add_of_nodes("level", level.download());
            program.finish(host);
        });
    });
}
