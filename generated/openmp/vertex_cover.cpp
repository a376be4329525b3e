// vertex_cover.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp vertex_cover.cpp -o vertex_cover
// run:   ./vertex_cover GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// vertex_cover.sp:35 function scatter(node v)
#line 35 "vertex_cover.sp"
static long long scatter(int v) {
    return multiply_long(v, 2654435761LL) % 4294967296LL;
}

// vertex_cover.sp:7 forall (v in g.nodes())
#line 7 "vertex_cover.sp"
extern "C" void vertex_cover_set_in_cover(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, bool *in_cover
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        in_cover[v] = find_arc(row_offsets, columns, v, v) >= 0;
    }
}

// vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
// first partner = -1
#line 14 "vertex_cover.sp"
extern "C" void vertex_cover_set_partner(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *partner,
    const bool *__restrict__ in_cover
) {
    #pragma omp parallel for schedule(dynamic, 64)
    for (int v = 0; v < num_nodes; v++) {
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

// vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
#line 24 "vertex_cover.sp"
extern "C" void vertex_cover_set_in_cover_2(
    int num_nodes, const int *__restrict__ partner, bool *in_cover, int *matched
) {
    int matched_part = 0;
    #pragma omp parallel for schedule(static) reduction(|| : matched_part)
    for (int v = 0; v < num_nodes; v++) {
        if (partner[v] == -1) continue;
        const int u = partner[v];
        if (partner[u] == v) {
            in_cover[v] = true;
            matched_part = 1;
        }
    }
    *matched = matched_part;
}

}  // namespace kernels
#line 82 "vertex_cover.cpp"

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
    Word<int> matched_result(device);
    // vertex_cover.sp:7 forall (v in g.nodes())
    kernels::vertex_cover_set_in_cover(graph.num_nodes, graph.row_offsets, graph.columns, in_cover);
    bool matched = true;
    do {
        matched = false;
        // vertex_cover.sp:14 forall (v in g.nodes().filter(!in_cover))
        kernels::vertex_cover_set_partner(
            graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, partner,
            in_cover
        );
        // vertex_cover.sp:24 forall (v in g.nodes().filter(partner != -1))
        matched_result.set(false);
        kernels::vertex_cover_set_in_cover_2(graph.num_nodes, partner, in_cover, matched_result);
        matched = matched || matched_result.read();
    } while (matched);
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
