// connected_components.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp connected_components.cpp -o connected_components
// run:   ./connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
#line 12 "connected_components.sp"
extern "C" void connected_components_component_start(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *component
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = smaller_int(v, columns[first]);
        component[v] = best;
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
#line 12 "connected_components.sp"
extern "C" void connected_components_component_sample(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *component
) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512)
    for (int v = 0; v < num_nodes; v++) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = component[v];
            int above_own = component[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                component[v] = above_own;
                own = above_own;
                above_own = component[own];
                steps_own += 1;
            }
            int a = component[v];
            int b = component[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = smaller_int(a, b);
                const int high = larger_int(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    __atomic_compare_exchange_n(&component[high], &held, low, false, __ATOMIC_ACQ_REL,
                        __ATOMIC_ACQUIRE);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) component[high] = above;
                a = above;
                b = component[low];
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
#line 12 "connected_components.sp"
extern "C" void connected_components_component_join(
    arc_t num_arcs, const int *__restrict__ columns, const int *__restrict__ arc_sources, int *component
) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_arcs) / 512)
    for (arc_t e = 0; e < num_arcs; e++) {
        const int v = arc_sources[e];
        const int u = columns[e];
        int a = component[v];
        int b = component[u];
        while (a != b) {
            const int low = smaller_int(a, b);
            const int high = larger_int(a, b);
            int held = component[high];
            if (held == high) {
                held = high;
                __atomic_compare_exchange_n(&component[high], &held, low, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
                if (held == high) break;
            }
            if (held == low) break;
            const int above = component[held];
            if (above != held) component[high] = above;
            a = above;
            b = component[low];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
#line 12 "connected_components.sp"
extern "C" void connected_components_component_flatten(int num_nodes, int *component) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512)
    for (int v = 0; v < num_nodes; v++) {
        int held = component[v];
        int above = component[held];
        while (held != above) {
            component[v] = above;
            held = above;
            above = component[held];
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
#line 12 "connected_components.sp"
extern "C" void connected_components_component_join_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ component_apart, int *component
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        if (!component_apart[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            int a = component[v];
            int b = component[u];
            while (a != b) {
                const int low = smaller_int(a, b);
                const int high = larger_int(a, b);
                int held = component[high];
                if (held == high) {
                    held = high;
                    __atomic_compare_exchange_n(&component[high], &held, low, false, __ATOMIC_ACQ_REL,
                        __ATOMIC_ACQUIRE);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = component[held];
                if (above != held) component[high] = above;
                a = above;
                b = component[low];
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 12 "connected_components.sp"
extern "C" void connected_components_component_set_apart_symmetric(
    int num_nodes, int *component, bool *component_apart, int middle, int *left
) {
    int left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512) reduction(|| : left_part)
    for (int v = 0; v < num_nodes; v++) {
        int held = component[v];
        int above = component[held];
        int steps = 0;
        while (held != above && steps < 64) {
            component[v] = above;
            held = above;
            above = component[held];
            steps += 1;
        }
        int great = component[middle];
        int above_great = component[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            component[middle] = above_great;
            great = above_great;
            above_great = component[great];
            steps_great += 1;
        }
        component_apart[v] = held != great;
        if (held != great || great != above_great) left_part = 1;
    }
    *left = left_part;
}

}  // namespace kernels
#line 190 "connected_components.cpp"

// The graph's arrays that kernels use, on the device; `host` is the graph as it was read.
struct Graph {
    Device &device;
    const HostGraph &host;
    const int num_nodes = host.num_nodes;
    const arc_t num_arcs = host.num_arcs;
    Buffer<arc_t> row_offsets{device, host.row_offsets};
    Buffer<int> columns{device, host.columns};
    Buffer<int> arc_sources{device, host.arc_sources};
};

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components(Device &, Graph &graph, Buffer<int> &component) {
    // connected_components.sp:6 forall (v in g.nodes())
    kernels::connected_components_component_start(graph.num_nodes, graph.row_offsets, graph.columns, component);
    kernels::connected_components_component_sample(graph.num_nodes, graph.row_offsets, graph.columns, component);
    kernels::connected_components_component_flatten(graph.num_nodes, component);
    kernels::connected_components_component_join(graph.num_arcs, graph.columns, graph.arc_sources, component);
    kernels::connected_components_component_flatten(graph.num_nodes, component);
}

// connected_components.sp:5 function connected_components(Graph g, propNode<node> component)
static void connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<unsigned char> component_apart(device, graph.num_nodes);
    Word<int> left_result(device);
    // connected_components.sp:6 forall (v in g.nodes())
    const int middle = graph.host.columns[graph.num_arcs / 2];
    bool left = false;
    kernels::connected_components_component_start(graph.num_nodes, graph.row_offsets, graph.columns, component);
    kernels::connected_components_component_sample(graph.num_nodes, graph.row_offsets, graph.columns, component);
    left_result.set(false);
    kernels::connected_components_component_set_apart_symmetric(
        graph.num_nodes, component, component_apart, middle, left_result
    );
    left = left || left_result.read();
    if (left) {
        kernels::connected_components_component_join_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, component_apart, component
        );
        kernels::connected_components_component_flatten(graph.num_nodes, component);
    }
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_sources();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        program.repeat(device, [&] {
            is_symmetric
                ? connected_components_symmetric(device, graph, component)
                : connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
