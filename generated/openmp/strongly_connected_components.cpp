// strongly_connected_components.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp strongly_connected_components.cpp -o strongly_connected_components
// run:   ./strongly_connected_components GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openmp.hpp"

using namespace starplat;

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, Additions &list) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma omp atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) list.add(node);
    }
}

// The same where no other thread runs.
static void enlist_alone(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        bits[node / 32] |= bit;
        list[*size] = node;
        *size += 1;
    }
}

// strongly_connected_components.sp:33 forall (v in g.nodes())
#line 33 "strongly_connected_components.sp"
extern "C" void settle_set_open(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ cluster, bool *open_
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (cluster[w] != cluster[v]) {
                const int own = cluster[v];
                open_[own] = true;
            }
        }
    }
}

// strongly_connected_components.sp:39 forall (v in g.nodes())
// first component = -1
#line 39 "strongly_connected_components.sp"
extern "C" void settle_set_component(
    int num_nodes, int *component, const int *__restrict__ cluster, const bool *__restrict__ open_
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        component[v] = -1;
        const int own = cluster[v];
        if (!open_[own]) component[v] = own;
    }
}

// strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
#line 55 "strongly_connected_components.sp"
extern "C" void settle_set_alone(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, const int *__restrict__ component,
    bool *alone
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        if (component[v] != -1) continue;
        bool led_to = false;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (component[u] == -1 && u != v) {
                led_to = true;
                break;
            }
        }
        bool leads_on = false;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1 && w != v) {
                leads_on = true;
                break;
            }
        }
        alone[v] = !(led_to && leads_on);
    }
}

// strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
#line 68 "strongly_connected_components.sp"
extern "C" void settle_set_component_2(
    int num_nodes, int *component, const bool *__restrict__ alone, long long *trimmed
) {
    long long trimmed_part = 0;
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes / 64 + 1) / 512) \
        reduction(+ : trimmed_part)
    for (int block = 0; block < num_nodes / 64 + 1; block++) {
        const int first = block * 64;
        const int end = block < num_nodes / 64 ? first + 64 : num_nodes;
        int some = 0;
        #pragma omp simd reduction(| : some)
        for (int v = first; v < end; v++) {
            some |= (component[v] == -1) & alone[v];
        }
        if (some == 0) continue;
        for (int v = first; v < end; v++) {
            if (!(component[v] == -1 && alone[v])) continue;
            component[v] = v;
            trimmed_part += 1;
        }
    }
    *trimmed = trimmed_part;
}

// strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
#line 74 "strongly_connected_components.sp"
extern "C" void settle_set_color(
    int num_nodes, const int *__restrict__ component, int *color, const int *__restrict__ cluster,
    int *modified_2_bits, int *modified_2_list, int *modified_2_size
) {
    Additions to_modified_2_list(modified_2_list, modified_2_size);
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512) \
        firstprivate(to_modified_2_list)
    for (int v = 0; v < num_nodes; v++) {
        if (component[v] != -1) continue;
        color[v] = cluster[v];
        enlist(v, modified_2_bits, to_modified_2_list);
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
extern "C" void settle_min_color(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ modified_2_list,
    int *modified_2_bits, const int *__restrict__ component, int *color, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int modified_2_count
) {
    Additions to_modified_2_next_list(modified_2_next_list, modified_2_next_size);
    #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_modified_2_next_list) \
        if(modified_2_count > 1000)
    for (int place = 0; place < modified_2_count; place++) {
        const int v = modified_2_list[place];
        modified_2_bits[v / 32] = 0;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = color[v];
                if (candidate < color[w] && candidate < atomic_min_int(&color[w], candidate)) {
                    enlist(w, modified_2_next_bits, to_modified_2_next_list);
                }
            }
        }
    }
}

// strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
#line 87 "strongly_connected_components.sp"
extern "C" void settle_set_component_3(
    int num_nodes, int *component, const int *__restrict__ color, const int *__restrict__ cluster,
    int *modified_2_bits, int *modified_2_list, int *modified_2_size
) {
    Additions to_modified_2_list(modified_2_list, modified_2_size);
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes / 64 + 1) / 512) \
        firstprivate(to_modified_2_list)
    for (int block = 0; block < num_nodes / 64 + 1; block++) {
        const int first = block * 64;
        const int end = block < num_nodes / 64 ? first + 64 : num_nodes;
        int some = 0;
        #pragma omp simd reduction(| : some)
        for (int v = first; v < end; v++) {
            some |= (component[v] == -1) & (color[v] == cluster[v]);
        }
        if (some == 0) continue;
        for (int v = first; v < end; v++) {
            if (!(component[v] == -1 && color[v] == cluster[v])) continue;
            component[v] = color[v];
            enlist(v, modified_2_bits, to_modified_2_list);
        }
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
extern "C" void settle_max_component(
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_2_list, int *modified_2_bits, const int *__restrict__ color, int *component,
    int *modified_2_next_bits, int *modified_2_next_list, int *modified_2_next_size, int modified_2_count
) {
    Additions to_modified_2_next_list(modified_2_next_list, modified_2_next_size);
    #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_modified_2_next_list) \
        if(modified_2_count > 1000)
    for (int place = 0; place < modified_2_count; place++) {
        const int v = modified_2_list[place];
        modified_2_bits[v / 32] = 0;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[u] && candidate > atomic_max_int(&component[u], candidate)) {
                    enlist(u, modified_2_next_bits, to_modified_2_next_list);
                }
            }
        }
    }
}

// strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
#line 51 "strongly_connected_components.sp"
extern "C" void settle_find_finished(int num_nodes, const int *__restrict__ component, int *finished) {
    int finished_part = 1;
    #pragma omp parallel for schedule(static) reduction(&& : finished_part)
    for (int node = 0; node < num_nodes; node++) {
        if (component[node] < 0) finished_part = 0;
    }
    *finished = finished_part;
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to itself
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_start(int num_nodes, int *cluster) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        cluster[v] = v;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the trees at the ends of arcs that have their reverse
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_join(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *cluster
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        arc_t back = row_offsets[v];
        const arc_t last_back = row_offsets[v + 1];
        for (arc_t e = in_row_offsets[v]; e < in_row_offsets[v + 1]; e++) {
            const int u = in_columns[e];
            if (u < v && cluster[v] != cluster[u]) {
                while (back < last_back && columns[back] < u) {
                    back += 1;
                }
                if (back < last_back && columns[back] == u) {
                    int a = cluster[v];
                    int b = cluster[u];
                    while (a != b) {
                        const int low = smaller_int(a, b);
                        const int high = larger_int(a, b);
                        int held = cluster[high];
                        if (held == high) {
                            held = high;
                            __atomic_compare_exchange_n(&cluster[high], &held, low, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
                            if (held == high) break;
                        }
                        if (held == low) break;
                        const int above = cluster[held];
                        if (above != held) cluster[high] = above;
                        a = above;
                        b = cluster[low];
                    }
                }
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to the root of its tree
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_flatten(int num_nodes, int *cluster) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512)
    for (int v = 0; v < num_nodes; v++) {
        int held = cluster[v];
        int above = cluster[held];
        while (held != above) {
            cluster[v] = above;
            held = above;
            above = cluster[held];
        }
    }
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 80 "strongly_connected_components.sp"
extern "C" void settle_min_color_of_many(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const int *__restrict__ modified_2_bits, const int *__restrict__ component, int *color,
    int *modified_2_next_bits, int *modified_2_next_list, int *modified_2_next_size
) {
    Additions to_modified_2_next_list(modified_2_next_list, modified_2_next_size);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes)) \
        firstprivate(to_modified_2_next_list)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_2_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (component[w] == -1) {
                const int candidate = color[v];
                if (candidate < color[w] && candidate < atomic_min_int(&color[w], candidate)) {
                    enlist(w, modified_2_next_bits, to_modified_2_next_list);
                }
            }
        }
    }
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
// where many are active: goes over all, in their order
#line 93 "strongly_connected_components.sp"
extern "C" void settle_max_component_of_many(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const int *__restrict__ modified_2_bits, const int *__restrict__ color, int *component,
    int *modified_2_next_bits, int *modified_2_next_list, int *modified_2_next_size
) {
    Additions to_modified_2_next_list(modified_2_next_list, modified_2_next_size);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes)) \
        firstprivate(to_modified_2_next_list)
    for (int v = 0; v < num_nodes; v++) {
        if ((modified_2_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
            const int u = in_columns[in_e];
            if (color[u] == color[v]) {
                const int candidate = color[v];
                if (candidate > component[u] && candidate > atomic_max_int(&component[u], candidate)) {
                    enlist(u, modified_2_next_bits, to_modified_2_next_list);
                }
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: every node points to its best neighbor
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_start_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *cluster
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        int best = v;
        if (first < end) best = smaller_int(v, columns[first]);
        cluster[v] = best;
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins every node to a second neighbor
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_sample_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *cluster
) {
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512)
    for (int v = 0; v < num_nodes; v++) {
        const arc_t first = row_offsets[v];
        const arc_t end = row_offsets[v + 1];
        if (first + 1 < end) {
            const int u = columns[first + 1];
            int own = cluster[v];
            int above_own = cluster[own];
            int steps_own = 0;
            while (own != above_own && steps_own < 64) {
                cluster[v] = above_own;
                own = above_own;
                above_own = cluster[own];
                steps_own += 1;
            }
            int a = cluster[v];
            int b = cluster[u];
            int steps = 0;
            while (a != b && steps < 64) {
                const int low = smaller_int(a, b);
                const int high = larger_int(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = high;
                    __atomic_compare_exchange_n(&cluster[high], &held, low, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) cluster[high] = above;
                a = above;
                b = cluster[low];
                steps += 1;
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: joins the other trees along their arcs
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_join_symmetric(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ cluster_apart, int *cluster
) {
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))
    for (int v = 0; v < num_nodes; v++) {
        if (!cluster_apart[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int u = columns[e];
            int a = cluster[v];
            int b = cluster[u];
            while (a != b) {
                const int low = smaller_int(a, b);
                const int high = larger_int(a, b);
                int held = cluster[high];
                if (held == high) {
                    held = high;
                    __atomic_compare_exchange_n(&cluster[high], &held, low, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
                    if (held == high) break;
                }
                if (held == low) break;
                const int above = cluster[held];
                if (above != held) cluster[high] = above;
                a = above;
                b = cluster[low];
            }
        }
    }
}

// strongly_connected_components.sp:21 forall (v in g.nodes().filter(modified))
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
#line 21 "strongly_connected_components.sp"
extern "C" void my_join_both_ways_cluster_set_apart_symmetric(
    int num_nodes, int *cluster, bool *cluster_apart, int middle, int *left
) {
    int left_part = 0;
    #pragma omp parallel for schedule(dynamic, 64 + (num_nodes) / 512) reduction(|| : left_part)
    for (int v = 0; v < num_nodes; v++) {
        int held = cluster[v];
        int above = cluster[held];
        int steps = 0;
        while (held != above && steps < 64) {
            cluster[v] = above;
            held = above;
            above = cluster[held];
            steps += 1;
        }
        int great = cluster[middle];
        int above_great = cluster[great];
        int steps_great = 0;
        while (great != above_great && steps_great < 64) {
            cluster[middle] = above_great;
            great = above_great;
            above_great = cluster[great];
            steps_great += 1;
        }
        cluster_apart[v] = held != great;
        if (held != great || great != above_great) left_part = 1;
    }
    *left = left_part;
}

// strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
#line 80 "strongly_connected_components.sp"
extern "C" void settle_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *modified_2_list,
    int *modified_2_bits, const int *__restrict__ component, int *color, int *modified_2_next_bits,
    int *modified_2_next_list, int *modified_2_next_size, int *modified_2_size, bool colored, int modified_2_count,
    int few, bool turned, int *modified_2_count_outcome, int *colored_outcome, int *turned_outcome
) {
    do {
        {
            // strongly_connected_components.sp:80 forall (v in g.nodes().filter(modified))
            #line 80 "strongly_connected_components.sp"
            for (int place = 0; place < modified_2_count; place++) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (component[w] == -1) {
                        const int candidate = color[v];
                        if (candidate < color[w]) {
                            color[w] = candidate;
                            enlist_alone(w, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        *modified_2_size = 0;
        { auto *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { auto *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { auto *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        modified_2_count = *modified_2_size;
        colored = modified_2_count == 0;
        turned = !turned;
    } while (!colored && (modified_2_count < few && modified_2_count <= num_nodes / 8));
    *modified_2_count_outcome = modified_2_count;
    *colored_outcome = colored;
    *turned_outcome = turned;
}

// strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
#line 93 "strongly_connected_components.sp"
extern "C" void settle_few_2(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    int *modified_2_list, int *modified_2_bits, const int *__restrict__ color, int *component,
    int *modified_2_next_bits, int *modified_2_next_list, int *modified_2_next_size, int *modified_2_size,
    bool collected, int modified_2_count, int few_2, bool turned_2, int *modified_2_count_outcome,
    int *collected_outcome, int *turned_2_outcome
) {
    do {
        {
            // strongly_connected_components.sp:93 forall (v in g.nodes().filter(modified))
            #line 93 "strongly_connected_components.sp"
            for (int place = 0; place < modified_2_count; place++) {
                const int v = modified_2_list[place];
                modified_2_bits[v / 32] = 0;
                for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
                    const int u = in_columns[in_e];
                    if (color[u] == color[v]) {
                        const int candidate = color[v];
                        if (candidate > component[u]) {
                            component[u] = candidate;
                            enlist_alone(u, modified_2_next_bits, modified_2_next_list, modified_2_next_size);
                        }
                    }
                }
            }
        }
        *modified_2_size = 0;
        { auto *other = modified_2_bits; modified_2_bits = modified_2_next_bits; modified_2_next_bits = other; }
        { auto *other = modified_2_list; modified_2_list = modified_2_next_list; modified_2_next_list = other; }
        { auto *other = modified_2_size; modified_2_size = modified_2_next_size; modified_2_next_size = other; }
        modified_2_count = *modified_2_size;
        collected = modified_2_count == 0;
        turned_2 = !turned_2;
    } while (!collected && (modified_2_count < few_2 && modified_2_count <= num_nodes / 8));
    *modified_2_count_outcome = modified_2_count;
    *collected_outcome = collected;
    *turned_2_outcome = turned_2;
}

}  // namespace kernels
#line 556 "strongly_connected_components.cpp"

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

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways(Device &, Graph &graph, Buffer<int> &cluster) {
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    kernels::my_join_both_ways_cluster_start(graph.num_nodes, cluster);
    kernels::my_join_both_ways_cluster_join(
        graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns, cluster
    );
    kernels::my_join_both_ways_cluster_flatten(graph.num_nodes, cluster);
}

// strongly_connected_components.sp:30 function settle(Graph g, propNode<node> cluster, propNode<node> component)
static void settle(Device &device, Graph &graph, Buffer<int> &cluster, Buffer<int> &component) {
    Buffer<unsigned char> open_(device, graph.num_nodes);
    Buffer<unsigned char> alone(device, graph.num_nodes);
    Buffer<int> color(device, graph.num_nodes);
    Buffer<int> modified_2_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_2_list(device, graph.num_nodes);
    Buffer<int> modified_2_size(device, 1);
    Buffer<int> modified_2_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> modified_2_next_list(device, graph.num_nodes);
    Buffer<int> modified_2_next_size(device, 1);
    Word<long long> trimmed_result(device);
    Word<int> modified_2_count_result(device);
    Word<int> colored_result(device);
    Word<int> turned_result(device);
    Word<int> collected_result(device);
    Word<int> turned_2_result(device);
    Word<int> finished_result(device);
    int modified_2_count = 0;
    open_.fill(false);
    // strongly_connected_components.sp:33 forall (v in g.nodes())
    kernels::settle_set_open(graph.num_nodes, graph.row_offsets, graph.columns, cluster, open_);
    // strongly_connected_components.sp:39 forall (v in g.nodes())
    kernels::settle_set_component(graph.num_nodes, component, cluster, open_);
    alone.fill(false);
    color.fill(-1);
    modified_2_bits.fill(0);
    modified_2_size.fill(0);
    bool finished = false;
    // strongly_connected_components.sp:51 fixedPoint until (finished : component >= 0)
    do {
        finished = true;
        long long trimmed = 1;
        do {
            trimmed = 0;
            // strongly_connected_components.sp:55 forall (v in g.nodes().filter(component == -1))
            kernels::settle_set_alone(
                graph.num_nodes, graph.row_offsets, graph.columns, graph.in_row_offsets, graph.in_columns,
                component, alone
            );
            // strongly_connected_components.sp:68 forall (v in g.nodes().filter(component == -1 && alone))
            trimmed_result.set(0);
            kernels::settle_set_component_2(graph.num_nodes, component, alone, trimmed_result);
            trimmed += trimmed_result.read();
        } while (trimmed > 0);
        // strongly_connected_components.sp:74 forall (v in g.nodes().filter(component == -1))
        kernels::settle_set_color(
            graph.num_nodes, component, color, cluster, modified_2_bits, modified_2_list, modified_2_size
        );
        bool colored = false;
        // strongly_connected_components.sp:79 fixedPoint until (colored : !modified)
        modified_2_next_bits.fill(0);
        modified_2_next_size.fill(0);
        modified_2_count = modified_2_size.read(0);
        const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_2_count < few && modified_2_count <= graph.num_nodes / 8) {
                bool turned = false;
                kernels::settle_few(
                    graph.num_nodes, graph.row_offsets, graph.columns, modified_2_list, modified_2_bits, component,
                    color, modified_2_next_bits, modified_2_next_list, modified_2_next_size, modified_2_size,
                    colored, modified_2_count, few, turned, modified_2_count_result, colored_result, turned_result
                );
                modified_2_count = modified_2_count_result.read();
                colored = colored_result.read();
                turned = turned_result.read();
                if (turned) {
                    std::swap(modified_2_bits, modified_2_next_bits);
                    std::swap(modified_2_list, modified_2_next_list);
                    std::swap(modified_2_size, modified_2_next_size);
                }
            } else {
                if (modified_2_count > graph.num_nodes / 8) {
                    kernels::settle_min_color_of_many(
                        graph.num_nodes, graph.row_offsets, graph.columns, modified_2_bits, component, color,
                        modified_2_next_bits, modified_2_next_list, modified_2_next_size
                    );
                    modified_2_bits.fill(0);
                } else {
                    kernels::settle_min_color(
                        graph.row_offsets, graph.columns, modified_2_list, modified_2_bits, component, color,
                        modified_2_next_bits, modified_2_next_list, modified_2_next_size, modified_2_count
                    );
                }
                modified_2_size.fill(0);
                std::swap(modified_2_bits, modified_2_next_bits);
                std::swap(modified_2_list, modified_2_next_list);
                std::swap(modified_2_size, modified_2_next_size);
                modified_2_count = modified_2_size.read(0);
                colored = modified_2_count == 0;
            }
        } while (!colored);
        // strongly_connected_components.sp:87 forall (v in g.nodes().filter(component == -1 && color == cluster))
        kernels::settle_set_component_3(
            graph.num_nodes, component, color, cluster, modified_2_bits, modified_2_list, modified_2_size
        );
        bool collected = false;
        // strongly_connected_components.sp:92 fixedPoint until (collected : !modified)
        modified_2_next_bits.fill(0);
        modified_2_next_size.fill(0);
        modified_2_count = modified_2_size.read(0);
        const int few_2 = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
        do {
            if (modified_2_count < few_2 && modified_2_count <= graph.num_nodes / 8) {
                bool turned_2 = false;
                kernels::settle_few_2(
                    graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_2_list, modified_2_bits,
                    color, component, modified_2_next_bits, modified_2_next_list, modified_2_next_size,
                    modified_2_size, collected, modified_2_count, few_2, turned_2, modified_2_count_result,
                    collected_result, turned_2_result
                );
                modified_2_count = modified_2_count_result.read();
                collected = collected_result.read();
                turned_2 = turned_2_result.read();
                if (turned_2) {
                    std::swap(modified_2_bits, modified_2_next_bits);
                    std::swap(modified_2_list, modified_2_next_list);
                    std::swap(modified_2_size, modified_2_next_size);
                }
            } else {
                if (modified_2_count > graph.num_nodes / 8) {
                    kernels::settle_max_component_of_many(
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, modified_2_bits, color, component,
                        modified_2_next_bits, modified_2_next_list, modified_2_next_size
                    );
                    modified_2_bits.fill(0);
                } else {
                    kernels::settle_max_component(
                        graph.in_row_offsets, graph.in_columns, modified_2_list, modified_2_bits, color, component,
                        modified_2_next_bits, modified_2_next_list, modified_2_next_size, modified_2_count
                    );
                }
                modified_2_size.fill(0);
                std::swap(modified_2_bits, modified_2_next_bits);
                std::swap(modified_2_list, modified_2_next_list);
                std::swap(modified_2_size, modified_2_next_size);
                modified_2_count = modified_2_size.read(0);
                collected = modified_2_count == 0;
            }
        } while (!collected);
        finished_result.set(true);
        kernels::settle_find_finished(graph.num_nodes, component, finished_result);
        finished = finished && finished_result.read();
    } while (!finished);
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways(device, graph, cluster);
    settle(device, graph, cluster, component);
}

// strongly_connected_components.sp:13 function join_both_ways(Graph g, propNode<node> cluster)
static void my_join_both_ways_symmetric(Device &device, Graph &graph, Buffer<int> &cluster) {
    Buffer<unsigned char> cluster_apart(device, graph.num_nodes);
    Word<int> left_result(device);
    // strongly_connected_components.sp:16 forall (v in g.nodes())
    // strongly_connected_components.sp:20 fixedPoint until (joined : !modified)
    const int middle = graph.host.columns[graph.num_arcs / 2];
    bool left = false;
    kernels::my_join_both_ways_cluster_start_symmetric(graph.num_nodes, graph.row_offsets, graph.columns, cluster);
    kernels::my_join_both_ways_cluster_sample_symmetric(graph.num_nodes, graph.row_offsets, graph.columns, cluster);
    left_result.set(false);
    kernels::my_join_both_ways_cluster_set_apart_symmetric(
        graph.num_nodes, cluster, cluster_apart, middle, left_result
    );
    left = left || left_result.read();
    if (left) {
        kernels::my_join_both_ways_cluster_join_symmetric(
            graph.num_nodes, graph.row_offsets, graph.columns, cluster_apart, cluster
        );
        kernels::my_join_both_ways_cluster_flatten(graph.num_nodes, cluster);
    }
}

// strongly_connected_components.sp:6 function strongly_connected_components(Graph g, propNode<node> component)
static void strongly_connected_components_symmetric(Device &device, Graph &graph, Buffer<int> &component) {
    Buffer<int> cluster(device, graph.num_nodes);
    cluster.fill(-1);
    my_join_both_ways_symmetric(device, graph, cluster);
    settle(device, graph, cluster, component);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        const bool is_symmetric = host.is_symmetric();
        Buffer<int> component(device, graph.num_nodes);
        const auto before = [&] {
            component.fill(0);
        };
        program.repeat(device, before, [&] {
            is_symmetric
                ? strongly_connected_components_symmetric(device, graph, component)
                : strongly_connected_components(device, graph, component);
        });
        program.describe(host, device);
        program.results.add_of_nodes("component", host.original_ids(component.download()));
        program.finish(host);
    });
}
