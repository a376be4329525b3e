// vertex_cover.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv vertex_cover.hip.cpp -o vertex_cover
// run:   ./vertex_cover GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// vertex_cover.sp:35 function scatter(node v)
#line 35 "vertex_cover.sp"
static __device__ long long scatter(int v) {
    return multiply_long(v, 2654435761LL) % 4294967296LL;
}

// vertex_cover.sp:5 function vertex_cover(Graph g, propNode<bool> in_cover)
#line 5 "vertex_cover.sp"
extern "C" __global__ void __launch_bounds__(512) vertex_cover_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, bool *in_cover, int *partner,
    int *matched_found, unsigned *arrived
) {
    int matched_turn = 0;
    {
        // vertex_cover.sp:7 forall (v in g.nodes())
        #line 7 "vertex_cover.sp"
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
            in_cover[v] = find_arc(row_offsets, columns, v, v) >= 0;
        }
    }
    bool matched = true;
    grid_barrier(arrived);
    do {
        matched = false;
        {
            // vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
            // first partner = -1
            #line 14 "vertex_cover.sp"
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                partner[v] = -1;
                if (!in_cover[v]) {
                    long long most = -1;
                    const arc_t first_out = row_offsets[v];
                    const arc_t outs = row_offsets[v + 1] - first_out;
                    const arc_t first_in = in_row_offsets[v];
                    const arc_t end = outs + (in_row_offsets[v + 1] - first_in);
                    for (arc_t i = 0; i < end; i++) {
                        const int u = i < outs ? columns[first_out + i] : in_columns[first_in + (i - outs)];
                        if (!in_cover[u]) {
                            const long long worth = scatter(u) ^ scatter(v);
                            if (worth > most) {
                                most = worth;
                                partner[v] = u;
                            }
                        }
                    }
                }
            }
        }
        grid_barrier(arrived);
        {
            // vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
            #line 24 "vertex_cover.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                matched_found[matched_turn == 2 ? 0 : matched_turn + 1] = 0;
            }
            bool matched_part = false;
            each_kept(num_nodes,
                [&](int v) { return partner[v] != -1; },
                [&](int v) {
                    const int u = partner[v];
                    if (partner[u] == v) {
                        in_cover[v] = true;
                        matched_part = true;
                    }
                });
            if (__syncthreads_or(matched_part) && threadIdx.x == 0) {
                matched_found[matched_turn] = 1;
            }
        }
        grid_barrier(arrived);
        matched = matched || (matched_found[matched_turn] != 0);
        matched_turn = matched_turn == 2 ? 0 : matched_turn + 1;
    } while (matched);
}

#line 89 "vertex_cover.hip.cpp"

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

// vertex_cover.sp:5 function vertex_cover(Graph g, propNode<bool> in_cover)
static void vertex_cover(Device &device, Graph &graph, Buffer<unsigned char> &in_cover) {
    Buffer<int> partner(device, graph.num_nodes);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<int> matched_found(device, 3, 0);
        device.launch_together(
            "vertex_cover_loop", vertex_cover_loop, graph.num_arcs < 4194304 ? 2 : 4, graph.num_nodes,
            graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, in_cover, partner,
            matched_found, arrived
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
        Buffer<unsigned char> in_cover(device, graph.num_nodes);
        program.repeat(device, [&] { vertex_cover(device, graph, in_cover); });
        program.describe(host, device);
        program.results.add_of_nodes("in_cover", in_cover.download());
        program.finish(host);
    });
}
