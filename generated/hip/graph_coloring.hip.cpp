// graph_coloring.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv graph_coloring.hip.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// graph_coloring.sp:35 function priority(node v)
#line 35 "graph_coloring.sp"
static __device__ long long priority(int v) {
    return multiply_long(v, 2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
#line 9 "graph_coloring.sp"
extern "C" __global__ void __launch_bounds__(512) graph_coloring_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *color, int *color_nxt,
    int *finished_found, unsigned *arrived
) {
    int finished_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color[cell] = -1;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        color_nxt[cell] = -1;
    }
    bool finished = false;
    grid_barrier(arrived);
    do {
        finished = true;
        {
            // graph_coloring.sp:10 forall (v in g.nodes().filter(color == -1))
            #line 10 "graph_coloring.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (color[v] != -1) continue;
                bool wins = true;
                const arc_t first_out = row_offsets[v];
                const arc_t outs = row_offsets[v + 1] - first_out;
                const arc_t first_in = in_row_offsets[v];
                const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                for (arc_t i = 0; i < end; i++) {
                    const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                    if (color[u] == -1 && u != v) {
                        if (priority(u) > priority(v)) wins = false;
                    }
                }
                if (wins) {
                    int free_ = -1;
                    bool taken = true;
                    while (taken) {
                        free_ += 1;
                        taken = false;
                        const arc_t first_out_2 = row_offsets[v];
                        const arc_t outs_2 = row_offsets[v + 1] - first_out_2;
                        const arc_t first_in_2 = in_row_offsets[v];
                        const arc_t end_2 = outs_2 + (in_row_offsets[v + 1] - first_in_2);
                        for (arc_t i_2 = 0; i_2 < end_2; i_2++) {
                            const int u_2 = i_2 < outs_2 ? columns[first_out_2 + i_2]
                                : in_columns[first_in_2 + (i_2 - outs_2)];
                            if (color[u_2] == free_) taken = true;
                        }
                    }
                    color_nxt[v] = free_;
                }
            }
        }
        grid_barrier(arrived);
        {
            // graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
            // first color = color_nxt
            #line 9 "graph_coloring.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                finished_found[finished_turn == 2 ? 0 : finished_turn + 1] = 1;
            }
            bool finished_part = true;
            for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
                color[node] = color_nxt[node];
                if (color[node] < 0) finished_part = false;
            }
            if (!finished_part) finished_found[finished_turn] = 0;
        }
        grid_barrier(arrived);
        finished = finished && (finished_found[finished_turn] != 0);
        finished_turn = finished_turn == 2 ? 0 : finished_turn + 1;
    } while (!finished);
}

#line 93 "graph_coloring.hip.cpp"

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

// graph_coloring.sp:5 function graph_coloring(Graph g, propNode<int> color)
static void graph_coloring(Device &device, Graph &graph, Buffer<int> &color) {
    Buffer<int> color_nxt(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> finished_found(device, 3, 1);
        device.launch_together(
            "graph_coloring_loop", graph_coloring_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes,
            graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color, color_nxt,
            finished_found, arrived
        );
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
        Buffer<int> color(device, graph.num_nodes);
        program.repeat(device, [&] { graph_coloring(device, graph, color); });
        program.describe(host, device);
        program.results.add_of_nodes("color", color.download());
        program.finish(host);
    });
}
