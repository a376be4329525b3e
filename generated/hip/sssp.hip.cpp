// sssp.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv sssp.hip.cpp -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"
#include "starplat_hip_sets.hpp"

using namespace starplat;

#ifdef ARC_64
#define atomic_max_arc atomic_max_long
#else
#define atomic_max_arc atomicMax
#endif

// sssp.sp:11 fixedPoint until (finished : !modified)
#line 11 "sssp.sp"
extern "C" __global__ void __launch_bounds__(512) sssp_loop(
    int num_nodes, arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    int *dist, unsigned *modified_words, unsigned *modified_next_words, const int *__restrict__ weight,
    unsigned *modified_later_words, int src, double *weight_total_found, arc_t *longest_row_found,
    unsigned *arrived
) {
    __shared__ int new_in_modified[MOST_NEW + 1];
    Frontier modified = frontier_in(modified_words, num_nodes, new_in_modified);
    __shared__ int new_in_modified_next[MOST_NEW + 1];
    Frontier modified_next = frontier_in(modified_next_words, num_nodes, new_in_modified_next);
    __shared__ int new_in_modified_later[MOST_NEW + 1];
    Frontier modified_later = frontier_in(modified_later_words, num_nodes, new_in_modified_later);
    int weight_total_turn = 0;
    int longest_row_turn = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        dist[cell] = cell == src ? 0 : INT_MAX;
    }
    begin_with(modified, num_nodes, src);
    clear(modified_next, num_nodes);
    double weight_total = 0.0;
    arc_t longest_row = 0;
    {
        // the mean of some weights says how far apart near and far are
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            weight_total_found[weight_total_turn == 2 ? 0 : weight_total_turn + 1] = 0.0;
            longest_row_found[longest_row_turn == 2 ? 0 : longest_row_turn + 1] = (-ARC_MAX - 1);
        }
        double weight_total_part = 0.0;
        arc_t longest_row_part = (-ARC_MAX - 1);
        for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
            if ((arc_t)node < num_arcs && (arc_t)node < 65536) {
                weight_total_part += (double)weight[(arc_t)node * max(num_arcs / min((arc_t)num_nodes, (arc_t)65536),
                    (arc_t)1)];
            }
            longest_row_part = max(longest_row_part, row_offsets[node + 1] - row_offsets[node]);
        }
        __shared__ double weight_total_part_scratch[16];
        weight_total_part = group_add_double(weight_total_part, weight_total_part_scratch);
        if (threadIdx.x == 0) {
            atomicAdd(&weight_total_found[weight_total_turn], weight_total_part);
        }
        __shared__ arc_t longest_row_part_scratch[16];
        longest_row_part = group_max_arc(longest_row_part, longest_row_part_scratch);
        if (threadIdx.x == 0) {
            atomic_max_arc(&longest_row_found[longest_row_turn], longest_row_part);
        }
    }
    grid_barrier(arrived);
    weight_total += weight_total_found[weight_total_turn];
    weight_total_turn = weight_total_turn == 2 ? 0 : weight_total_turn + 1;
    longest_row = max(longest_row, longest_row_found[longest_row_turn]);
    longest_row_turn = longest_row_turn == 2 ? 0 : longest_row_turn + 1;
    const double mean_weight = weight_total / fmin(fmin((double)num_nodes, (double)num_arcs), 65536.0);
    const double mean_degree = (double)num_arcs / (double)num_nodes;
    const int width = saturated<int>(fmax(1024.0 * mean_weight / (mean_degree * mean_degree)
        / ((double)longest_row <= 4.0 * mean_degree ? sqrt(mean_degree) : 1.0), 1.0));
    const int least_width = saturated<int>(fmax((double)longest_row <= 4.0 * mean_degree ? (double)width
        : (double)width / fmin(fmax(sqrt((double)num_arcs / 32768.0), 1.0), 32.0), 1.0));
    const int enough = saturated<int>((double)longest_row <= 4.0 * mean_degree
        ? (mean_degree < 8.0 ? 1.0 : fmax((double)num_arcs / 65536.0, 1.0)) : (double)num_arcs < 16777216.0
        ? fmin(fmax((double)num_arcs / 8192.0, 1.0), 200.0) : 1.0);
    clear(modified_later, num_nodes);
    grid_barrier(arrived);
    int limit = least_width;
    __shared__ int enough_near;
    if (threadIdx.x == 0) enough_near = enough;
    int rise = least_width;
    int stride = least_width;
    int modified_later_size = 0;
    int modified_later_before = 0;
    while (true) {
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            #line 12 "sssp.sp"
            advance_near(modified, num_nodes, row_offsets, every_node,
                [&](int v, arc_t e) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr] && candidate < atomicMin(&dist[nbr], candidate)) {
                        if (candidate < limit) {
                            insert(modified_next, nbr);
                        } else {
                            insert(modified_later, nbr);
                        }
                    }
                });
            inserted(modified_next);
            inserted(modified_later);
        }
        grid_barrier(arrived);
        { auto other = modified; modified = modified_next; modified_next = other; }
        int modified_size = 0;
        modified_size = size_of(modified);
        if (modified_size >= enough_near) continue;
        if (is_empty(modified)) {
            if (is_empty(modified_later)) {
                break;
            }
        }
        modified_later_size = size_of(modified_later);
        while (true) {
            grid_barrier(arrived);
            const int settled = limit;
            limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
            rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
            take_members(modified_later, num_nodes, [&](int node_2) {
                if (dist[node_2] < settled) return;
                if (dist[node_2] < limit) {
                    insert(modified, node_2);
                } else {
                    insert(modified_next, node_2);
                }
            });
            inserted(modified);
            inserted(modified_next);
            grid_barrier(arrived);
            { auto other = modified_later; modified_later = modified_next; modified_next = other; }
            if (!is_empty(modified)) {
                break;
            }
            if (is_empty(modified_later)) {
                break;
            }
        }
        stride = modified_later_size < modified_later_before
            ? min(stride > INT_MAX - stride ? INT_MAX : stride + stride, width) : least_width;
        rise = stride;
        modified_later_before = modified_later_size;
        if (is_empty(modified)) {
            break;
        }
    }
}

#line 155 "sssp.hip.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const WeightedGraph<int> &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
};

// sssp.sp:5 function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)
static void sssp(Device &device, Graph &graph, Buffer<int> &dist, Buffer<int> &weight, int src) {
    Buffer<unsigned> modified(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> modified_next(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> modified_later(device, (graph.num_nodes + 31) / 32 + 7 + 131072);
    Buffer<unsigned> arrived(device, 1, 0);
    check_place(src, graph.num_nodes);
    {
        Buffer<double> weight_total_found(device, 3, 0.0);
        Buffer<arc_t> longest_row_found(device, 3, (-ARC_MAX - 1));
        device.launch_together(
            "sssp_loop", sssp_loop, graph.num_arcs < 4194304 || graph.num_arcs / 8 < graph.num_nodes ? 2 : 3,
            graph.num_nodes, graph.num_arcs, graph.row_offsets, graph.columns, dist, modified, modified_next,
            weight, modified_later, src, weight_total_found, longest_row_found, arrived
        );
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
        WeightedGraph<int> host = read_weighted_graph<int>(program.graph_file, program.undirected);
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> dist(device, graph.num_nodes);
        Buffer<int> weight(device, host.weights);
        const int src = host.node(given_src);
        program.repeat(device, [&] { sssp(device, graph, dist, weight, src); });
        program.describe(host, device);
        program.results.add_of_nodes("dist", dist.download());
        program.results.add_of_arcs("weight", weight.download());
        program.finish(host);
    });
}
