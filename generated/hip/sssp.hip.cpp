// sssp.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv sssp.hip.cpp -o sssp
// run:   ./sssp GRAPH --src NODE [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

#ifdef ARC_64
#define atomic_max_arc atomic_max_long
#else
#define atomic_max_arc atomicMax
#endif

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static __device__ void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        const int held = atomicOr(&bits[node / 32], bit);
        if ((held & bit) == 0) {
            const int place = atomicAdd(size, 1);
            list[place] = node;
        }
    }
}

// sssp.sp:11 fixedPoint until (finished : !modified)
#line 11 "sssp.sp"
extern "C" __global__ void __launch_bounds__(256) sssp_loop(
    int num_nodes, arc_t num_arcs, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    int *dist, int *modified_bits, int *modified_size, int *modified_list, int *modified_next_bits,
    int *modified_next_size, const int *__restrict__ weight, int *modified_later_bits, int *modified_later_size,
    int *modified_next_list, int *modified_later_list, int src, double *weight_total_found,
    arc_t *longest_row_found, unsigned *arrived
) {
    int weight_total_turn = 0;
    int longest_row_turn = 0;
    int modified_count = 0;
    int modified_later_count = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        dist[cell] = INT_MAX;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        modified_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *modified_size = 0;
    grid_barrier(arrived);
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) dist[src] = 0;
    {
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            enlist(src, modified_bits, modified_list, modified_size);
        }
    }
    bool finished = false;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        modified_next_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *modified_next_size = 0;
    double weight_total = 0.0;
    arc_t longest_row = 0;
    {
        // one weight for each node, whose mean says how far apart near and far are
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
            weight_total_found[weight_total_turn == 2 ? 0 : weight_total_turn + 1] = 0.0;
            longest_row_found[longest_row_turn == 2 ? 0 : longest_row_turn + 1] = (-ARC_MAX - 1);
        }
        double weight_total_part = 0.0;
        arc_t longest_row_part = (-ARC_MAX - 1);
        for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < num_nodes; node += gridDim.x * blockDim.x) {
            if ((arc_t)node < num_arcs) {
                weight_total_part += (double)weight[(arc_t)node * max(num_arcs / (arc_t)num_nodes, (arc_t)1)];
            }
            longest_row_part = max(longest_row_part, row_offsets[node + 1] - row_offsets[node]);
        }
        __shared__ double weight_total_part_scratch[8];
        weight_total_part = group_add_double(weight_total_part, weight_total_part_scratch);
        if (threadIdx.x == 0) {
            atomicAdd(&weight_total_found[weight_total_turn], weight_total_part);
        }
        __shared__ arc_t longest_row_part_scratch[8];
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
    const double mean_weight = weight_total / fmin((double)num_nodes, (double)num_arcs);
    const double mean_degree = (double)num_arcs / (double)num_nodes;
    const int width = saturated<int>(fmax(1024.0 * mean_weight / (mean_degree * mean_degree)
        / ((double)longest_row <= 4.0 * mean_degree ? sqrt(mean_degree) : 1.0), 1.0));
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        modified_later_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *modified_later_size = 0;
    int limit = width;
    int rise = width;
    int settled = width;
    bool nobody_near = true;
    bool nobody_waits = true;
    grid_barrier(arrived);
    do {
        modified_count = *modified_size;
        do {
            grid_barrier(arrived);
            {
                // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
                #line 12 "sssp.sp"
                auto &rows = group_memory<GroupRows>();
                for (int begin = 0; begin < modified_count; begin += gridDim.x * blockDim.x) {
                    const int groups = groups_for_each(modified_count);
                    const int brought = listed_node(modified_list, begin, modified_count, groups);
                    if (brought >= 0) {
                        const int v = brought;
                        modified_bits[v / 32] = 0;
                    }
                    const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                    for (arc_t place = threadIdx.x; place < count; place += 256) {
                        const int owner = owner_of(&rows, place);
                        const int v = rows.node[owner];
                        const arc_t e = place + rows.shift[owner];
                        const int nbr = columns[e];
                        const int candidate = add_inf(dist[v], weight[e]);
                        if (candidate < dist[nbr] && candidate < atomicMin(&dist[nbr], candidate)) {
                            if (candidate < limit) {
                                enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                            } else {
                                enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                            }
                        }
                    }
                }
            }
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) *modified_size = 0;
            { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
            { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
            { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
            grid_barrier(arrived);
            modified_count = *modified_size;
            finished = modified_count == 0;
        } while (!finished);
        rise = width;
        modified_later_count = *modified_later_size;
        do {
            settled = limit;
            limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
            rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
            grid_barrier(arrived);
            {
                // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
                // those who wait: who is near now comes next, who has had his turn meanwhile is done
                #line 12 "sssp.sp"
                for (int place = blockIdx.x * blockDim.x + threadIdx.x; place < modified_later_count;
                        place += gridDim.x * blockDim.x) {
                    const int node_2 = modified_later_list[place];
                    modified_later_bits[node_2 / 32] = 0;
                    const int value = dist[node_2];
                    if (value >= settled) {
                        if (value < limit) {
                            enlist(node_2, modified_bits, modified_list, modified_size);
                        } else {
                            enlist(node_2, modified_next_bits, modified_next_list, modified_next_size);
                        }
                    }
                }
            }
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) *modified_later_size = 0;
            { auto *other = modified_later_bits; modified_later_bits = modified_next_bits; modified_next_bits = other; }
            { auto *other = modified_later_list; modified_later_list = modified_next_list; modified_next_list = other; }
            { auto *other = modified_later_size; modified_later_size = modified_next_size; modified_next_size = other; }
            grid_barrier(arrived);
            modified_count = *modified_size;
            nobody_near = modified_count == 0;
            modified_later_count = *modified_later_size;
            nobody_waits = modified_later_count == 0;
        } while (nobody_near && !nobody_waits);
        finished = nobody_near;
    } while (!finished);
}

#line 187 "sssp.hip.cpp"

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
    Buffer<int> modified_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_list(device, graph.num_nodes);
    Buffer<int> modified_size(device, 1);
    Buffer<int> modified_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_next_list(device, graph.num_nodes);
    Buffer<int> modified_next_size(device, 1);
    Buffer<int> modified_later_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_later_list(device, graph.num_nodes);
    Buffer<int> modified_later_size(device, 1);
    Buffer<unsigned> arrived(device, 1, 0);
    check_place(src, graph.num_nodes);
    {
        Buffer<double> weight_total_found(device, 3, 0.0);
        Buffer<arc_t> longest_row_found(device, 3, (-ARC_MAX - 1));
        device.launch_together(
            "sssp_loop", sssp_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes, graph.num_arcs,
            graph.row_offsets, graph.columns, dist, modified_bits, modified_size, modified_list, modified_next_bits,
            modified_next_size, weight, modified_later_bits, modified_later_size, modified_next_list,
            modified_later_list, src, weight_total_found, longest_row_found, arrived
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
