// radii.sp as a program of its own, in C++ with OpenMP.
// OMP_NUM_THREADS says how many threads it uses.
//
// build: g++ -O2 -std=c++17 -fwrapv -fopenmp radii.cpp -o radii
// run:   ./radii GRAPH --sources NODE,NODE,... [OPTIONS]

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

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 11 "radii.sp"
extern "C" void radii_min_bfs_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order, int *bfs_level,
    int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    if (bfs_level_end - bfs_level_begin > 1000) {
        Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_bfs_level_order)
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor] && candidate < atomic_min_int(&bfs_level[neighbor], candidate)) {
                    to_bfs_level_order.add(neighbor);
                }
            }
        }
    } else {
        for (int place = bfs_level_begin; place < bfs_level_end; place++) {
            const int v = bfs_level_order[place];
            for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                const int neighbor = columns[e];
                const int candidate = depth + 1;
                if (candidate < bfs_level[neighbor]) {
                    bfs_level[neighbor] = candidate;
                    const int slot = *bfs_level_count;
                    *bfs_level_count += 1;
                    bfs_level_order[slot] = neighbor;
                }
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
extern "C" void radii_min_level(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ bfs_level_order,
    const int *__restrict__ bfs_level, int *level, int *radius, int bfs_level_begin, int bfs_level_end, int depth
) {
    #pragma omp parallel for schedule(dynamic, 64) if(bfs_level_end - bfs_level_begin > 1000)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = level[v] + 1;
                if (candidate < level[w]) {
                    atomic_min_int(&level[w], candidate);
                }
            }
        }
        const int candidate_2 = level[v];
        if (candidate_2 > radius[v]) {
            radius[v] = candidate_2;
        }
    }
}

// radii.sp:7 for (src in sources)
// gives each source of the batch its bit
#line 7 "radii.sp"
extern "C" void radii_begin(
    const int *__restrict__ sources_in_turn, long long *reached, int *active_bits, int *active_list,
    int *active_size, int last, int first
) {
    Additions to_active_list(active_list, active_size);
    #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_active_list) \
        if(last - first > 1000)
    for (int number = 0; number < last - first; number++) {
        const int place = first + number;
        const int source = sources_in_turn[place];
        reached[multiply(source, 4) + (place - first) / 64] = 1LL << ((place - first) % 64);
        enlist(source, active_bits, to_active_list);
    }
}

// radii.sp:7 for (src in sources)
#line 7 "radii.sp"
extern "C" void radii_visit(
    const int *__restrict__ active_list, const long long *__restrict__ reached, long long *seen, int *radius,
    int active_count, int steps
) {
    #pragma omp parallel for schedule(static) if(active_count > 1000)
    for (int place = 0; place < active_count; place++) {
        const int v = active_list[place];
        const int word = multiply(v, 4);
        const long long now = reached[word];
        const long long now_2 = reached[word + 1];
        const long long now_3 = reached[word + 2];
        const long long now_4 = reached[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        if (steps > radius[v]) {
            radius[v] = steps;
        }
    }
}

// radii.sp:7 for (src in sources)
// neighbors take the bits that they lack
#line 7 "radii.sp"
extern "C" void radii_offer_bits(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, const int *__restrict__ active_list,
    const long long *__restrict__ seen, long long *reached, int *active_next_bits, int *active_next_list,
    int *active_next_size, int active_count, int *more
) {
    int more_part = 0;
    if (active_count > 1000) {
        Additions to_active_next_list(active_next_list, active_next_size);
        #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_active_next_list) \
            reduction(|| : more_part)
        for (int place = 0; place < active_count; place++) {
            const int v_2 = active_list[place];
            for (arc_t e_2 = row_offsets[v_2]; e_2 < row_offsets[v_2 + 1]; e_2++) {
                const int w_2 = columns[e_2];
                const int word = multiply(w_2, 4);
                const long long fresh = seen[multiply(v_2, 4)] & ~reached[word];
                const long long fresh_2 = seen[multiply(v_2, 4) + 1] & ~reached[word + 1];
                const long long fresh_3 = seen[multiply(v_2, 4) + 2] & ~reached[word + 2];
                const long long fresh_4 = seen[multiply(v_2, 4) + 3] & ~reached[word + 3];
                if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                    if (fresh != 0) {
                        #pragma omp atomic update
                        reached[word] |= fresh;
                    }
                    if (fresh_2 != 0) {
                        #pragma omp atomic update
                        reached[word + 1] |= fresh_2;
                    }
                    if (fresh_3 != 0) {
                        #pragma omp atomic update
                        reached[word + 2] |= fresh_3;
                    }
                    if (fresh_4 != 0) {
                        #pragma omp atomic update
                        reached[word + 3] |= fresh_4;
                    }
                    enlist(w_2, active_next_bits, to_active_next_list);
                    more_part = 1;
                }
            }
        }
    } else {
        for (int place = 0; place < active_count; place++) {
            const int v_2 = active_list[place];
            for (arc_t e_2 = row_offsets[v_2]; e_2 < row_offsets[v_2 + 1]; e_2++) {
                const int w_2 = columns[e_2];
                const int word = multiply(w_2, 4);
                const long long fresh = seen[multiply(v_2, 4)] & ~reached[word];
                const long long fresh_2 = seen[multiply(v_2, 4) + 1] & ~reached[word + 1];
                const long long fresh_3 = seen[multiply(v_2, 4) + 2] & ~reached[word + 2];
                const long long fresh_4 = seen[multiply(v_2, 4) + 3] & ~reached[word + 3];
                if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                    if (fresh != 0) reached[word] |= fresh;
                    if (fresh_2 != 0) reached[word + 1] |= fresh_2;
                    if (fresh_3 != 0) reached[word + 2] |= fresh_3;
                    if (fresh_4 != 0) reached[word + 3] |= fresh_4;
                    enlist_alone(w_2, active_next_bits, active_next_list, active_next_size);
                    more_part = 1;
                }
            }
        }
    }
    *more = more_part;
}

// radii.sp:7 for (src in sources)
// the bits that any node offers
#line 7 "radii.sp"
extern "C" void radii_join_bits(
    int num_nodes, const int *__restrict__ active_bits, const long long *__restrict__ seen, long long *alive
) {
    #pragma omp parallel for schedule(dynamic, 64) \
        if(multiply(smaller_int(num_nodes, 32768), 4) > 1000)
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
            #pragma omp atomic update
            alive[lane] |= offered;
        }
    }
}

// radii.sp:7 for (src in sources)
// nodes look for the bits that they lack
#line 7 "radii.sp"
extern "C" void radii_look_for_bits(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns,
    const long long *__restrict__ alive, long long *reached, const int *__restrict__ active_bits,
    const long long *__restrict__ seen, int *active_next_bits, int *active_next_list, int *active_next_size,
    int *more
) {
    int more_part = 0;
    Additions to_active_next_list(active_next_list, active_next_size);
    #pragma omp parallel for schedule(dynamic, 64) firstprivate(to_active_next_list) \
        if(num_nodes > 1000) reduction(|| : more_part)
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
                enlist(w_2, active_next_bits, to_active_next_list);
                more_part = 1;
            }
        }
    }
    *more = more_part;
}

// radii.sp:7 for (src in sources)
// lists the sources
#line 7 "radii.sp"
extern "C" void radii_list_sources(
    int num_nodes, const bool *__restrict__ sources, int *listed_, int *sources_in_turn
) {
    Additions to_sources_in_turn(sources_in_turn, listed_);
    #pragma omp parallel for schedule(static) firstprivate(to_sources_in_turn)
    for (int source = 0; source < num_nodes; source++) {
        if (!sources[source]) continue;
        to_sources_in_turn.add(source);
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 11 "radii.sp"
extern "C" void radii_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict__ in_row_offsets, const int *__restrict__ in_columns, int *bfs_level,
    int *bfs_level_count, int *bfs_level_order, int depth
) {
    Additions to_bfs_level_order(bfs_level_order, bfs_level_count);
    #pragma omp parallel for schedule(dynamic, rows_at_a_time(in_row_offsets, num_nodes)) \
        firstprivate(to_bfs_level_order)
    for (int neighbor = 0; neighbor < num_nodes; neighbor++) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic_min_int(&bfs_level[neighbor], depth + 1);
                to_bfs_level_order.add(neighbor);
                break;
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 11 "radii.sp"
extern "C" void arcs_of_bfs_level_order(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
) {
    float active_arcs_part = 0.0f;
    #pragma omp parallel for schedule(static) if(bfs_level_end - bfs_level_begin > 1000) \
        reduction(+ : active_arcs_part)
    for (int place = bfs_level_begin; place < bfs_level_end; place++) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    *active_arcs = active_arcs_part;
}

// radii.sp:7 for (src in sources)
// where many are active: goes over all, in their order
#line 7 "radii.sp"
extern "C" void radii_visit_of_many(
    int num_nodes, const int *__restrict__ active_bits, const long long *__restrict__ reached, long long *seen,
    int *radius, int steps
) {
    #pragma omp parallel for schedule(static)
    for (int v = 0; v < num_nodes; v++) {
        if ((active_bits[v / 32] & (1 << (v % 32))) == 0) continue;
        const int word = multiply(v, 4);
        const long long now = reached[word];
        const long long now_2 = reached[word + 1];
        const long long now_3 = reached[word + 2];
        const long long now_4 = reached[word + 3];
        seen[word] = now;
        seen[word + 1] = now_2;
        seen[word + 2] = now_3;
        seen[word + 3] = now_4;
        if (steps > radius[v]) {
            radius[v] = steps;
        }
    }
}

// radii.sp:7 for (src in sources)
// how many arcs the active nodes have
#line 7 "radii.sp"
extern "C" void arcs_of_active_list(
    const arc_t *__restrict__ row_offsets, const int *__restrict__ active_list, int active_count,
    float *active_arcs_2
) {
    float active_arcs_2_part = 0.0f;
    #pragma omp parallel for schedule(static) if(active_count > 1000) \
        reduction(+ : active_arcs_2_part)
    for (int place = 0; place < active_count; place++) {
        const int active_node_2 = active_list[place];
        active_arcs_2_part += (float)(row_offsets[active_node_2 + 1] - row_offsets[active_node_2]);
    }
    *active_arcs_2 = active_arcs_2_part;
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
extern "C" void radii_few(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, int *level, int *radius, bool found, int bfs_level_end,
    int bfs_level_begin, int few, int depth, int *depth_outcome, int *bfs_level_begin_outcome,
    int *bfs_level_end_outcome, int *found_outcome
) {
    do {
        {
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin; place_2 < bfs_level_end; place_2++) {
                const int v = bfs_level_order[place_2];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]) {
                        bfs_level[neighbor] = candidate;
                        const int slot = *bfs_level_count;
                        *bfs_level_count += 1;
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        {
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin; place_2 < bfs_level_end; place_2++) {
                const int v = bfs_level_order[place_2];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        const int candidate = level[v] + 1;
                        if (candidate < level[w]) {
                            level[w] = candidate;
                        }
                    }
                }
                const int candidate_2 = level[v];
                if (candidate_2 > radius[v]) {
                    radius[v] = candidate_2;
                }
            }
        }
        depth += 1;
        bfs_level_begin = bfs_level_end;
        bfs_level_end = *bfs_level_count;
        found = bfs_level_begin < bfs_level_end;
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
    *depth_outcome = depth;
    *bfs_level_begin_outcome = bfs_level_begin;
    *bfs_level_end_outcome = bfs_level_end;
    *found_outcome = found;
}

}  // namespace kernels
#line 446 "radii.cpp"

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

// radii.sp:5 function radii(Graph g, propNode<int> radius, SetN<g> sources)
static void radii(Device &device, Graph &graph, Buffer<int> &radius, FixedSet &sources) {
    check_sizes(4ULL * graph.num_nodes, 0);
    Buffer<int> level(device, graph.num_nodes);
    Buffer<int> bfs_level(device, graph.num_nodes);
    Buffer<long long> reached(device, graph.num_nodes * 4LL);
    Buffer<long long> seen(device, graph.num_nodes * 4LL);
    Buffer<int> active_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_list(device, graph.num_nodes);
    Buffer<int> active_size(device, 1);
    Buffer<int> active_next_bits(device, graph.num_nodes / 32 + 1);
    Buffer<int> active_next_list(device, graph.num_nodes);
    Buffer<int> active_next_size(device, 1);
    Buffer<long long> alive(device, 4);
    Buffer<int> sources_in_turn(device, graph.num_nodes);
    Buffer<int> listed_(device, 1);
    Buffer<int> bfs_level_order(device, graph.num_nodes);
    Buffer<int> bfs_level_count(device, 1);
    Word<int> depth_result(device);
    Word<int> bfs_level_begin_result(device);
    Word<int> bfs_level_end_result(device);
    Word<int> found_result(device);
    Word<float> active_arcs_result(device);
    Word<float> active_arcs_2_result(device);
    Word<int> more_result(device);
    int active_count = 0;
    radius.fill(-1);
    // radii.sp:7 for (src in sources)
    listed_.fill(0);
    kernels::radii_list_sources(graph.num_nodes, sources, listed_, sources_in_turn);
    int num_sources = listed_.read(0);
    if (num_sources < 32) {
        for (const int src : sources.members()) {
            level.fill(INT_MAX);
            level.write(src, 0);
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            if (src >= 0) {
                bfs_level.fill(INT_MAX);
                bfs_level.write(src, 0);
                bfs_level_order.write(0, src);
                bfs_level_count.write(0, 1);
                int bfs_level_begin = 0;
                int bfs_level_end = 1;
                int depth = 0;
                bool found = false;
                const int few = graph.num_arcs / 8 > graph.num_nodes ? 0 : 4096;
                do {
                    if (bfs_level_end - bfs_level_begin < few
                            && bfs_level_end - bfs_level_begin <= graph.num_nodes / 16) {
                        kernels::radii_few(
                            graph.num_nodes, graph.row_offsets, graph.columns, bfs_level_order, bfs_level,
                            bfs_level_count, level, radius, found, bfs_level_end, bfs_level_begin, few, depth,
                            depth_result, bfs_level_begin_result, bfs_level_end_result, found_result
                        );
                        depth = depth_result.read();
                        bfs_level_begin = bfs_level_begin_result.read();
                        bfs_level_end = bfs_level_end_result.read();
                        found = found_result.read();
                    } else {
                        bool pulls = bfs_level_end - bfs_level_begin > graph.num_nodes / 16;
                        if (bfs_level_end - bfs_level_begin > 4096 && !pulls
                                && bfs_level_end - bfs_level_begin > graph.num_nodes / 64) {
                            float active_arcs = 0.0f;
                            active_arcs_result.set(0.0f);
                            kernels::arcs_of_bfs_level_order(
                                graph.row_offsets, bfs_level_order, bfs_level_begin, bfs_level_end,
                                active_arcs_result
                            );
                            active_arcs += active_arcs_result.read();
                            pulls = active_arcs > (float)(graph.num_arcs / 8LL);
                        }
                        if (pulls) {
                            kernels::radii_min_bfs_level_pull(
                                graph.num_nodes, graph.in_row_offsets, graph.in_columns, bfs_level, bfs_level_count,
                                bfs_level_order, depth
                            );
                        } else {
                            kernels::radii_min_bfs_level(
                                graph.row_offsets, graph.columns, bfs_level_order, bfs_level, bfs_level_count,
                                bfs_level_begin, bfs_level_end, depth
                            );
                        }
                        kernels::radii_min_level(
                            graph.row_offsets, graph.columns, bfs_level_order, bfs_level, level, radius,
                            bfs_level_begin, bfs_level_end, depth
                        );
                        depth += 1;
                        bfs_level_begin = bfs_level_end;
                        bfs_level_end = bfs_level_count.read(0);
                        found = bfs_level_begin < bfs_level_end;
                    }
                } while (found);
            }
        }
    } else {
        for (int batch = 0, batch_end = (num_sources + 255) / 256; batch < batch_end; batch++) {
            const int first = multiply(batch, 256);
            const int last = std::min<int>(first + 256, num_sources);
            seen.fill(0);
            reached.fill(0);
            active_bits.fill(0);
            active_size.fill(0);
            kernels::radii_begin(sources_in_turn, reached, active_bits, active_list, active_size, last, first);
            int steps = 0;
            bool more = false;
            do {
                more = false;
                active_next_bits.fill(0);
                active_next_size.fill(0);
                alive.fill(0);
                active_count = active_size.read(0);
                if (active_count > graph.num_nodes / 8) {
                    kernels::radii_visit_of_many(graph.num_nodes, active_bits, reached, seen, radius, steps);
                } else {
                    kernels::radii_visit(active_list, reached, seen, radius, active_count, steps);
                }
                bool pulls_2 = active_count > graph.num_nodes / 16;
                if (active_count > 4096 && !pulls_2 && active_count > graph.num_nodes / 64) {
                    float active_arcs_2 = 0.0f;
                    active_arcs_2_result.set(0.0f);
                    kernels::arcs_of_active_list(
                        graph.row_offsets, active_list, active_count, active_arcs_2_result
                    );
                    active_arcs_2 += active_arcs_2_result.read();
                    pulls_2 = active_arcs_2 > (float)(graph.num_arcs / 8LL);
                }
                if (pulls_2) {
                    kernels::radii_join_bits(graph.num_nodes, active_bits, seen, alive);
                    more_result.set(false);
                    kernels::radii_look_for_bits(
                        graph.num_nodes, graph.in_row_offsets, graph.in_columns, alive, reached, active_bits, seen,
                        active_next_bits, active_next_list, active_next_size, more_result
                    );
                    more = more || more_result.read();
                } else {
                    more_result.set(false);
                    kernels::radii_offer_bits(
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
    }
}

int main(int argc, char **argv) {
    const std::vector<Option> options = {
        {"--sources NODE,NODE,...", "nodes, as the file calls them; @FILE names a file that lists them"},
    };
    return run_program(argc, argv, options, [](Program &program) {
        const auto given_sources = program.arguments.numbers("sources");
        Device device(program.device_number);
        program.lap("compile");
        HostGraph host = read_graph(program.graph_file, program.undirected);
        host.add_in_neighbors();
        program.lap("load");
        Graph graph{device, host};
        Buffer<int> radius(device, graph.num_nodes);
        FixedSet sources(device, host.marked_nodes(given_sources));
        program.repeat(device, [&] { radii(device, graph, radius, sources); });
        program.describe(host, device);
        program.results.add_of_nodes("radius", radius.download());
        program.finish(host);
    });
}
