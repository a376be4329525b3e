// closeness.sp as a program of its own, in C++ with OpenACC.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenacc -foffload-options=nvptx-none=-misa=sm_80 -foffload-options=-lm closeness.cpp -o closeness
//        offloads where g++ has its compiler for NVIDIA's GPUs beside it (gcc-12-offload-nvptx); else, and without
//        a GPU, everything runs on the host. With NVIDIA's compiler:
//        nvc++ -O2 -std=c++17 -acc closeness.cpp -o closeness
// run:   ./closeness GRAPH [OPTIONS]

#include "starplat_program.hpp"
#include "starplat_openacc.hpp"

using namespace starplat;

namespace kernels {

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
#pragma acc routine seq
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        int held;
        {
            int *const captured = &bits[node / 32];
            #pragma acc atomic capture
            { held = *captured; *captured |= bit; }
        }
        if ((held & bit) == 0) {
            int place;
            #pragma acc atomic capture
            { place = *size; *size += 1; }
            list[place] = node;
        }
    }
}

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
extern "C" void closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict__ farness, const int *__restrict__ reached_by, double *closeness
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(farness, reached_by, closeness)
    for (int v = 0; v < num_nodes; v++) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / (double)farness[v] * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:9 for (src in g.nodes())
// gives each source of the batch its bit
#line 9 "closeness.sp"
extern "C" void closeness_centrality_begin(
    long long *reached, int *active_bits, int *active_list, int *active_size, int last, int first
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(reached, active_bits, active_list, active_size)
    for (int number = 0; number < last - first; number++) {
        const int place = first + number;
        const int source = place;
        reached[multiply(source, 4) + (place - first) / 64] = 1LL << ((place - first) % 64);
        enlist(source, active_bits, active_list, active_size);
    }
}

// closeness.sp:9 for (src in g.nodes())
#line 9 "closeness.sp"
extern "C" void closeness_centrality_visit(
    const int *__restrict__ active_list, const long long *__restrict__ reached, long long *seen, long long *farness,
    int *reached_by, int active_count, int steps
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(active_list, reached, seen, farness, reached_by)
    for (int place = 0; place < active_count; place++) {
        const int v = active_list[place];
        int count = 0;
        const int word = multiply(v, 4);
        const long long now = reached[word];
        const long long now_2 = reached[word + 1];
        const long long now_3 = reached[word + 2];
        const long long now_4 = reached[word + 3];
        const long long fresh = now & ~seen[word];
        const long long fresh_2 = now_2 & ~seen[word + 1];
        const long long fresh_3 = now_3 & ~seen[word + 2];
        const long long fresh_4 = now_4 & ~seen[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        count = count + (int)__builtin_popcountll(fresh) + (int)__builtin_popcountll(fresh_2)
            + (int)__builtin_popcountll(fresh_3) + (int)__builtin_popcountll(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// neighbors take the bits that they lack
#line 9 "closeness.sp"
extern "C" void closeness_centrality_offer_bits(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ active_list,
    const long long *__restrict__ seen, long long *reached, int *active_next_bits, int *active_next_list,
    int *active_next_size, int active_count, int *more
) {
    int more_part = 0;
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, columns, active_list, seen, reached, active_next_bits, \
            active_next_list, active_next_size) reduction(|| : more_part)
    for (int place = 0; place < active_count; place++) {
        const int v_2 = active_list[place];
        #pragma acc loop vector reduction(|| : more_part)
        for (arc_t e_2 = row_offsets[v_2]; e_2 < row_offsets[v_2 + 1]; e_2++) {
            const int w_2 = columns[e_2];
            const int word = multiply(w_2, 4);
            const long long fresh = seen[multiply(v_2, 4)] & ~reached[word];
            const long long fresh_2 = seen[multiply(v_2, 4) + 1] & ~reached[word + 1];
            const long long fresh_3 = seen[multiply(v_2, 4) + 2] & ~reached[word + 2];
            const long long fresh_4 = seen[multiply(v_2, 4) + 3] & ~reached[word + 3];
            if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                if (fresh != 0) {
                    #pragma acc atomic update
                    reached[word] |= fresh;
                }
                if (fresh_2 != 0) {
                    #pragma acc atomic update
                    reached[word + 1] |= fresh_2;
                }
                if (fresh_3 != 0) {
                    #pragma acc atomic update
                    reached[word + 2] |= fresh_3;
                }
                if (fresh_4 != 0) {
                    #pragma acc atomic update
                    reached[word + 3] |= fresh_4;
                }
                enlist(w_2, active_next_bits, active_next_list, active_next_size);
                more_part = 1;
            }
        }
    }
    *more = more_part;
}

// closeness.sp:9 for (src in g.nodes())
// the bits that any node offers
#line 9 "closeness.sp"
extern "C" void closeness_centrality_join_bits(
    int num_nodes, const int *__restrict__ active_bits, const long long *__restrict__ seen, long long *alive
) {
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) deviceptr(active_bits, seen, alive)
    for (int number = 0; number < multiply(smaller_int(num_nodes, 32768), 4); number++) {
        const int lane = number % 4;
        const int first_2 = multiply(number / 4,
            (num_nodes + smaller_int(num_nodes, 32768) - 1) / smaller_int(num_nodes, 32768));
        long long offered = 0;
        const int end = smaller_int(num_nodes,
            first_2 + (num_nodes + smaller_int(num_nodes, 32768) - 1) / smaller_int(num_nodes, 32768));
        for (int v_2 = first_2; v_2 < end; v_2++) {
            if ((active_bits[v_2 / 32] & (1 << (v_2 % 32))) != 0) {
                offered |= seen[multiply(v_2, 4) + lane];
                if (offered == -1) break;
            }
        }
        if ((offered & ~alive[lane]) != 0) {
            #pragma acc atomic update
            alive[lane] |= offered;
        }
    }
}

// closeness.sp:9 for (src in g.nodes())
// nodes look for the bits that they lack
#line 9 "closeness.sp"
extern "C" void closeness_centrality_look_for_bits(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const long long *__restrict__ alive, long long *reached, const int *__restrict__ active_bits,
    const long long *__restrict__ seen, int *active_next_bits, int *active_next_list, int *active_next_size,
    int *more
) {
    int more_part = 0;
    #pragma acc parallel loop gang(static:1) worker vector \
        num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(in_row_offsets, in_columns, alive, reached, active_bits, seen, active_next_bits, \
            active_next_list, active_next_size) reduction(|| : more_part)
    for (int word = 0; word < num_nodes; word++) {
        const int w_2 = word;
        const long long missing = alive[0] & ~reached[multiply(word, 4)];
        const long long missing_2 = alive[1] & ~reached[multiply(word, 4) + 1];
        const long long missing_3 = alive[2] & ~reached[multiply(word, 4) + 2];
        const long long missing_4 = alive[3] & ~reached[multiply(word, 4) + 3];
        if ((missing | missing_2 | missing_3 | missing_4) != 0) {
            long long found_2 = 0;
            long long found_3 = 0;
            long long found_4 = 0;
            long long found_5 = 0;
            for (arc_t in_e = in_row_offsets[w_2]; in_e < in_row_offsets[w_2 + 1]; in_e++) {
                const int v_2 = in_columns[in_e];
                if ((active_bits[v_2 / 32] & (1 << (v_2 % 32))) != 0) {
                    found_2 |= seen[multiply(v_2, 4)];
                    found_3 |= seen[multiply(v_2, 4) + 1];
                    found_4 |= seen[multiply(v_2, 4) + 2];
                    found_5 |= seen[multiply(v_2, 4) + 3];
                    if (((missing & ~found_2) | (missing_2 & ~found_3) | (missing_3 & ~found_4)
                        | (missing_4 & ~found_5)) == 0) break;
                }
            }
            found_2 &= missing;
            found_3 &= missing_2;
            found_4 &= missing_3;
            found_5 &= missing_4;
            if ((found_2 | found_3 | found_4 | found_5) != 0) {
                reached[multiply(word, 4)] |= found_2;
                reached[multiply(word, 4) + 1] |= found_3;
                reached[multiply(word, 4) + 2] |= found_4;
                reached[multiply(word, 4) + 3] |= found_5;
                enlist(w_2, active_next_bits, active_next_list, active_next_size);
                more_part = 1;
            }
        }
    }
    *more = more_part;
}

// closeness.sp:9 for (src in g.nodes())
// where many are active: goes over all, in their order
#line 9 "closeness.sp"
extern "C" void closeness_centrality_visit_of_many(
    int num_nodes, const int *__restrict__ active_bits, const long long *__restrict__ reached, long long *seen,
    long long *farness, int *reached_by, int steps
) {
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(active_bits, reached, seen, farness, reached_by)
    for (int v = 0; v < num_nodes; v++) {
        if ((active_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        int count = 0;
        const int word = multiply(v, 4);
        const long long now = reached[word];
        const long long now_2 = reached[word + 1];
        const long long now_3 = reached[word + 2];
        const long long now_4 = reached[word + 3];
        const long long fresh = now & ~seen[word];
        const long long fresh_2 = now_2 & ~seen[word + 1];
        const long long fresh_3 = now_3 & ~seen[word + 2];
        const long long fresh_4 = now_4 & ~seen[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        count = count + (int)__builtin_popcountll(fresh) + (int)__builtin_popcountll(fresh_2)
            + (int)__builtin_popcountll(fresh_3) + (int)__builtin_popcountll(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// how many arcs the active nodes have
#line 9 "closeness.sp"
extern "C" void arcs_of_active_list(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ active_list, int active_count,
    float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \
        deviceptr(row_offsets, active_list) reduction(+ : active_arcs_part)
    for (int place = 0; place < active_count; place++) {
        const int active_node = active_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

}  // namespace kernels
#line 277 "closeness.cpp"

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

// closeness.sp:5 function closeness_centrality(Graph g, propNode<double> closeness)
static void closeness_centrality(Device &device, Graph &graph, Buffer<double> &closeness) {
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<long long> farness(device, graph.num_nodes);
    Buffer<int> reached_by(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<int> active_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_list(device, graph.num_nodes);
    Buffer<int> active_size(device, 1);
    Buffer<int> active_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_next_list(device, graph.num_nodes);
    Buffer<int> active_next_size(device, 1);
    Buffer<long long> alive(device, 4);
    Word<float> active_arcs_result(device);
    Word<int> more_result(device);
    int active_count = 0;
    closeness.fill(0.0);
    farness.fill(0);
    reached_by.fill(0);
    // closeness.sp:9 for (src in g.nodes())
    for (int batch = 0, batch_end = (graph.num_nodes + 255) / 256; batch < batch_end; batch++) {
        const int first = multiply(batch, 256);
        const int last = std::min<int>(first + 256, graph.num_nodes);
        seen.fill(0);
        reached.fill(0);
        active_bits.fill(0);
        active_size.fill(0);
        kernels::closeness_centrality_begin(reached, active_bits, active_list, active_size, last, first);
        int steps = 0;
        bool more = false;
        do {
            more = false;
            active_next_bits.fill(0);
            active_next_size.fill(0);
            alive.fill(0);
            active_count = active_size.read(0);
            if (active_count > graph.num_nodes / 8) {
                kernels::closeness_centrality_visit_of_many(
                    graph.num_nodes, active_bits, reached, seen, farness, reached_by, steps
                );
            } else {
                kernels::closeness_centrality_visit(
                    active_list, reached, seen, farness, reached_by, active_count, steps
                );
            }
            bool pulls = active_count > graph.num_nodes / 16;
            if (active_count > 4096 && !pulls && active_count > graph.num_nodes / 64) {
                float active_arcs = 0.0f;
                active_arcs_result.set(0.0f);
                kernels::arcs_of_active_list(graph.row_offsets, active_list, active_count, active_arcs_result);
                active_arcs += active_arcs_result.read();
                pulls = active_arcs > (float)(graph.num_arcs / 8LL);
            }
            if (pulls) {
                kernels::closeness_centrality_join_bits(graph.num_nodes, active_bits, seen, alive);
                more_result.set(false);
                kernels::closeness_centrality_look_for_bits(
                    graph.num_nodes, graph.in_row_offsets, graph.in_columns, alive, reached, active_bits, seen,
                    active_next_bits, active_next_list, active_next_size, more_result
                );
                more = more || more_result.read();
            } else {
                more_result.set(false);
                kernels::closeness_centrality_offer_bits(
                    graph.row_offsets, graph.columns, active_list, seen, reached, active_next_bits,
                    active_next_list, active_next_size, active_count, more_result
                );
                more = more || more_result.read();
            }
            std::swap(active_bits, active_next_bits);
            std::swap(active_list, active_next_list);
            std::swap(active_size, active_next_size);
            steps += 1;
        } while (more);
    }
    // closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
    kernels::closeness_centrality_set_closeness(graph.num_nodes, farness, reached_by, closeness);
}

int main(int argc, char **argv) {
    return run_program(argc, argv, {}, [](Program &program) {
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<double> closeness(device, graph.num_nodes);
        program.repeat(device, [&] { closeness_centrality(device, graph, closeness); });
        program.describe(host, device);
        program.results.add_of_nodes("closeness", watched("closeness", closeness.download(), host, true));
        program.finish(host);
    });
}
