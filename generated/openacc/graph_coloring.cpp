// graph_coloring.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm graph_coloring.cpp -o graph_coloring
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc graph_coloring.cpp -o graph_coloring
// run:   ./graph_coloring GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// graph_coloring.sp:35 function priority(node v)
#line 35 "graph_coloring.sp"
#pragma acc routine seq
static long long priority(int v) {
    return multiply_long(v, 2654435761LL) % 4294967296LL;
}

// graph_coloring.sp:10 forall (v in g.nodes().filter(color == -1))
#line 10 "graph_coloring.sp"
extern "C" void graph_coloring_set_color_nxt(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ color,
    int *color_nxt
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, in_row_offsets, in_columns, color, color_nxt)
    for (int v = 0; v < num_nodes; v++) {
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
                    const int u_2 = i_2 < outs_2 ? columns[first_out_2 + i_2] : in_columns[first_in_2 + (i_2 - outs_2)];
                    if (color[u_2] == free_) taken = true;
                }
            }
            color_nxt[v] = free_;
        }
    }
}

// graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
// first color = color_nxt
#line 9 "graph_coloring.sp"
extern "C" void graph_coloring_find_finished(
    int num_nodes, int *color, const int *__restrict__ color_nxt, int *finished
) {
    int finished_part = 1;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(color, color_nxt) reduction(&& : finished_part)
    for (int node = 0; node < num_nodes; node++) {
        color[node] = color_nxt[node];
        if (color[node] < 0) finished_part = 0;
    }
    *finished = finished_part;
}

}  // namespace kernels
#line 84 "graph_coloring.cpp"

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
    Word<int> finished_result(device);
    color.fill(-1);
    color_nxt.fill(-1);
    bool finished = false;
    // graph_coloring.sp:9 fixedPoint until (finished : color >= 0)
    do {
        finished = true;
        // graph_coloring.sp:10 forall (v in g.nodes().filter(color == -1))
        kernels::graph_coloring_set_color_nxt(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, color,
            color_nxt
        );
        finished_result.set(true);
        kernels::graph_coloring_find_finished(graph.num_nodes, color, color_nxt, finished_result);
        finished = finished && finished_result.read();
    } while (!finished);
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
