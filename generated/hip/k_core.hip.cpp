// k_core.sp as a program of its own, in HIP.
//
// build: hipcc -O3 -std=c++17 -fwrapv k_core.hip.cpp -o k_core
// run:   ./k_core GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_hip.hpp"

using namespace starplat;

// Joins to the total of the node that a thread brought the values of its arcs from `begin` to `end`: they lie in
// `values`, or have been joined by all threads, each in `joined` what it came by.
static __device__ int join_add_int(
    const GroupRows *rows, arc_t begin, arc_t end, int joined, int *values, int total
) {
    const int lane = threadIdx.x;
    const arc_t last = rows->last[lane], first = lane == 0 ? 0 : rows->last[lane - 1];
    if (end - begin > 1024) {
        joined = group_add_int(joined, values);
        if (lane == 0) values[0] = joined;
        __syncthreads();
        if (first <= begin && begin < last) {
            const int other = values[0];
            total = total + other;
        }
    } else {
        __syncthreads();
        const arc_t stop = min(last, end) - begin;
        for (arc_t i = max(first, begin) - begin; i < stop; i++) {
            const int other = values[i];
            total = total + other;
        }
    }
    __syncthreads();  // the next values may come
    return total;
}

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

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
#line 5 "k_core.sp"
extern "C" __global__ void __launch_bounds__(256) k_core_loop(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *core, int *peeling_bits,
    int *peeling_size, int *degree, int *peeling_list, long long *peeled_found, unsigned *arrived
) {
    int peeled_turn = 0;
    int peeling_count = 0;
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes; cell += gridDim.x * blockDim.x) {
        core[cell] = -1;
    }
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < num_nodes / 32 + 1; cell += gridDim.x * blockDim.x) {
        peeling_bits[cell] = 0;
    }
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *peeling_size = 0;
    {
        // k_core.sp:9 forall (v in g.nodes())
        // first degree = 0
        #line 9 "k_core.sp"
        auto &values = group_memory<int[1024]>();
        auto &rows = group_memory<GroupRows>();
        for (int begin = 0; begin < num_nodes; begin += gridDim.x * blockDim.x) {
            const int brought = node_of_all(begin, num_nodes);
            const arc_t count = bring_rows(&rows, brought, in_row_offsets);
            int degree_of_v = 0;
            for (arc_t from = 0, to; from < count; from = to) {
                to = end_of_piece(&rows, from, count);
                int joined = 0;
                #pragma unroll 4
                for (arc_t place = from + threadIdx.x; place < to; place += 256) {
                    const int owner = owner_of(&rows, place);
                    const int v = rows.node[owner];
                    const arc_t in_e = place + rows.shift[owner];
                    const int nbr = in_columns[in_e];
                    int value = 0;
                    if (nbr != v) value = 1;
                    if (to - from > 1024) {
                        joined = joined + value;
                    } else {
                        values[place - from] = value;
                    }
                }
                degree_of_v = join_add_int(&rows, from, to, joined, values, degree_of_v);
            }
            if (brought < 0) continue;
            const int v = brought;
            degree[v] = degree_of_v;
        }
    }
    long long left = num_nodes;
    int k = 0;
    while (left > 0) {
        long long peeled = 0;
        grid_barrier(arrived);
        {
            // k_core.sp:18 forall (v in g.nodes().filter(core == -1 && degree <= k))
            #line 18 "k_core.sp"
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
                peeled_found[peeled_turn == 2 ? 0 : peeled_turn + 1] = 0;
            }
            long long peeled_part = 0;
            for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < num_nodes; v += gridDim.x * blockDim.x) {
                if (!(core[v] == -1 && degree[v] <= k)) continue;
                core[v] = k;
                enlist(v, peeling_bits, peeling_list, peeling_size);
                peeled_part += 1;
            }
            __shared__ long long peeled_part_scratch[8];
            peeled_part = group_add_long(peeled_part, peeled_part_scratch);
            if (threadIdx.x == 0) atomic_add_long(&peeled_found[peeled_turn], peeled_part);
        }
        grid_barrier(arrived);
        peeled += peeled_found[peeled_turn];
        peeled_turn = peeled_turn == 2 ? 0 : peeled_turn + 1;
        peeling_count = *peeling_size;
        {
            // k_core.sp:23 forall (v in g.nodes().filter(peeling))
            #line 23 "k_core.sp"
            auto &rows = group_memory<GroupRows>();
            for (int begin = 0; begin < peeling_count; begin += gridDim.x * blockDim.x) {
                const int groups = groups_for_each(peeling_count);
                const int brought = listed_node(peeling_list, begin, peeling_count, groups);
                if (brought >= 0) {
                    const int v = brought;
                    peeling_bits[v / 32] = 0;
                }
                const arc_t count = bring_part(&rows, brought, row_offsets, groups);
                for (arc_t place = threadIdx.x; place < count; place += 256) {
                    const int owner = owner_of(&rows, place);
                    const int v = rows.node[owner];
                    const arc_t e = place + rows.shift[owner];
                    const int nbr = columns[e];
                    if (nbr != v) atomicAdd(&degree[nbr], -1);
                }
            }
        }
        grid_barrier(arrived);
        if (blockIdx.x * blockDim.x + threadIdx.x == 0) *peeling_size = 0;
        left -= peeled;
        if (peeled == 0) k += 1;
    }
}

#line 155 "k_core.hip.cpp"

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

// k_core.sp:5 function k_core(Graph g, propNode<int> core)
static void k_core(Device &device, Graph &graph, Buffer<int> &core) {
    Buffer<int> degree(device, graph.num_nodes);
    Buffer<int> peeling_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> peeling_list(device, graph.num_nodes);
    Buffer<int> peeling_size(device, 1);
    Buffer<unsigned> arrived(device, 1, 0);
    {
        Buffer<long long> peeled_found(device, 3, 0);
        device.launch_together(
            "k_core_loop", k_core_loop, graph.num_arcs < 4194304 ? 4 : 8, graph.num_nodes, graph.row_offsets,
            graph.columns, graph.in_row_offsets, graph.in_columns, core, peeling_bits, peeling_size, degree,
            peeling_list, peeled_found, arrived
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
        Buffer<int> core(device, graph.num_nodes);
        program.repeat(device, [&] { k_core(device, graph, core); });
        program.describe(host, device);
        program.results.add_of_nodes("core", core.download());
        program.finish(host);
    });
}
