// The kernels of radii.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
static void enlist(int node, int *bits, int *list, int *size) {
    const int bit = 1 << (node % 32);
    if ((bits[node / 32] & bit) == 0) {
        const int held = atomic(bits[node / 32]).fetch_or(bit);
        if ((held & bit) == 0) {
            const int place = atomic(*size).fetch_add(1);
            list[place] = node;
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
#line 11 "radii.sp"
KERNEL radii_min_bfs_level(
    const arc_t *__restrict row_offsets, const int *__restrict columns, int *bfs_level_order, int *bfs_level,
    int *bfs_level_count, int bfs_level_begin, int bfs_level_end, int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    const int listed_count = bfs_level_end - bfs_level_begin;
    for (int begin = 0; begin < listed_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, listed_count);
        const int brought = listed_node(item, bfs_level_order + bfs_level_begin, begin, listed_count, groups);
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const arc_t e = place + rows.shift[owner];
            const int neighbor = columns[e];
            const int candidate = depth + 1;
            if (candidate < bfs_level[neighbor] && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                const int slot = atomic(*bfs_level_count).fetch_add(1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
KERNEL radii_min_level(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict bfs_level_order,
    const int *__restrict bfs_level, int *level, int *radius, int bfs_level_begin, int bfs_level_end, int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
            place += item.get_global_range(0)) {
        const int v = bfs_level_order[place];
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int w = columns[e];
            if (bfs_level[w] == depth + 1) {
                const int candidate = level[v] + 1;
                if (candidate < level[w]) {
                    atomic(level[w]).fetch_min(candidate);
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
KERNEL radii_begin(
    const int *__restrict sources_in_turn, long long *reached, int *active_bits, int *active_list, int *active_size,
    int last, int first
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int number = item.get_global_id(0); number < last - first; number += item.get_global_range(0)) {
        const int place = first + number;
        const int source = sources_in_turn[place];
        reached[multiply(source, 4) + (place - first) / 64] = 1LL << ((place - first) % 64);
        enlist(source, active_bits, active_list, active_size);
    }
}

// radii.sp:7 for (src in sources)
#line 7 "radii.sp"
KERNEL radii_visit(
    const int *__restrict active_list, const long long *__restrict reached, long long *seen, int *radius,
    int active_count, int steps
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < active_count; place += item.get_global_range(0)) {
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
KERNEL radii_offer_bits(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict active_list,
    const long long *__restrict seen, long long *reached, int *active_next_bits, int *active_next_list,
    int *active_next_size, int active_count, int *more
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool more_part = false;
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < active_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, active_count);
        const int brought = listed_node(item, active_list, begin, active_count, groups);
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v_2 = rows.node[owner];
            const arc_t e_2 = place + rows.shift[owner];
            const int w_2 = columns[e_2];
            const int word = multiply(w_2, 4);
            const long long fresh = seen[multiply(v_2, 4)] & ~reached[word];
            const long long fresh_2 = seen[multiply(v_2, 4) + 1] & ~reached[word + 1];
            const long long fresh_3 = seen[multiply(v_2, 4) + 2] & ~reached[word + 2];
            const long long fresh_4 = seen[multiply(v_2, 4) + 3] & ~reached[word + 3];
            if ((fresh | fresh_2 | fresh_3 | fresh_4) != 0) {
                if (fresh != 0) atomic(reached[word]).fetch_or(fresh);
                if (fresh_2 != 0) atomic(reached[word + 1]).fetch_or(fresh_2);
                if (fresh_3 != 0) atomic(reached[word + 2]).fetch_or(fresh_3);
                if (fresh_4 != 0) atomic(reached[word + 3]).fetch_or(fresh_4);
                enlist(w_2, active_next_bits, active_next_list, active_next_size);
                more_part = true;
            }
        }
    }
    if (more_part) *more = 1;
}

// radii.sp:7 for (src in sources)
// the bits that any node offers
#line 7 "radii.sp"
KERNEL radii_join_bits(
    int num_nodes, const int *__restrict active_bits, const long long *__restrict seen, long long *alive
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int number = item.get_global_id(0); number < multiply(sycl::min(num_nodes, 32768), 4);
            number += item.get_global_range(0)) {
        const int lane = number % 4;
        const int first_2 = multiply(number / 4,
            (num_nodes + sycl::min(num_nodes, 32768) - 1) / sycl::min(num_nodes, 32768));
        long long offered = 0;
        const int end = sycl::min(num_nodes,
            first_2 + (num_nodes + sycl::min(num_nodes, 32768) - 1) / sycl::min(num_nodes, 32768));
        for (int v_2 = first_2; v_2 < end; v_2++) {
            if ((active_bits[v_2 / 32] & (1 << (v_2 % 32))) != 0) {
                offered |= seen[multiply(v_2, 4) + lane];
                if (offered == -1) break;
            }
        }
        if ((offered & ~alive[lane]) != 0) atomic(alive[lane]).fetch_or(offered);
    }
}

// radii.sp:7 for (src in sources)
// nodes look for the bits that they lack
#line 7 "radii.sp"
KERNEL radii_look_for_bits(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns,
    const long long *__restrict alive, long long *reached, const int *__restrict active_bits,
    const long long *__restrict seen, int *active_next_bits, int *active_next_list, int *active_next_size,
    int *more
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    bool more_part = false;
    for (int word = item.get_global_id(0); word < num_nodes; word += item.get_global_range(0)) {
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
                more_part = true;
            }
        }
    }
    if (more_part) *more = 1;
}

// radii.sp:7 for (src in sources)
// lists the sources
#line 7 "radii.sp"
KERNEL radii_list_sources(int num_nodes, const bool *__restrict sources, int *listed_, int *sources_in_turn) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int source = item.get_global_id(0); source < num_nodes; source += item.get_global_range(0)) {
        if (!sources[source]) continue;
        const int place = atomic(*listed_).fetch_add(1);
        sources_in_turn[place] = source;
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
#line 11 "radii.sp"
KERNEL radii_min_bfs_level_pull(
    int num_nodes, const arc_t *__restrict in_row_offsets, const int *__restrict in_columns, int *bfs_level,
    int *bfs_level_count, int *bfs_level_order, int depth
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int neighbor = item.get_global_id(0); neighbor < num_nodes; neighbor += item.get_global_range(0)) {
        if (bfs_level[neighbor] != INT_MAX) continue;
        for (arc_t e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            const int v = in_columns[e_in];
            if (bfs_level[v] == depth) {
                atomic(bfs_level[neighbor]).fetch_min(depth + 1);
                const int slot = atomic(*bfs_level_count).fetch_add(1);
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
#line 11 "radii.sp"
KERNEL arcs_of_bfs_level_order(
    const arc_t *__restrict row_offsets, const int *__restrict bfs_level_order, int bfs_level_begin,
    int bfs_level_end, float *active_arcs
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    float active_arcs_part = 0.0f;
    for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
            place += item.get_global_range(0)) {
        const int active_node = bfs_level_order[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    active_arcs_part = sycl::reduce_over_group(item.get_group(), active_arcs_part, sycl::plus<float>());
    if (item.get_local_id(0) == 0) atomic(*active_arcs).fetch_add(active_arcs_part);
}

// radii.sp:7 for (src in sources)
// where many are active: goes over all, in their order
#line 7 "radii.sp"
KERNEL radii_visit_of_many(
    int num_nodes, const int *__restrict active_bits, const long long *__restrict reached, long long *seen,
    int *radius, int steps
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
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
KERNEL arcs_of_active_list(
    const arc_t *__restrict row_offsets, const int *__restrict active_list, int active_count, float *active_arcs_2
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    float active_arcs_2_part = 0.0f;
    for (int place = item.get_global_id(0); place < active_count; place += item.get_global_range(0)) {
        const int active_node_2 = active_list[place];
        active_arcs_2_part += (float)(row_offsets[active_node_2 + 1] - row_offsets[active_node_2]);
    }
    active_arcs_2_part = sycl::reduce_over_group(item.get_group(), active_arcs_2_part, sycl::plus<float>());
    if (item.get_local_id(0) == 0) {
        atomic(*active_arcs_2).fetch_add(active_arcs_2_part);
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
#line 11 "radii.sp"
KERNEL radii_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *bfs_level_order,
    int *bfs_level, int *bfs_level_count, int *level, int *radius, bool found, int bfs_level_end,
    int bfs_level_begin, int few, int depth, int *depth_outcome, int *bfs_level_begin_outcome,
    int *bfs_level_end_outcome, int *found_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            // finds the next BFS level
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin + item.get_global_id(0); place_2 < bfs_level_end;
                    place_2 += item.get_global_range(0)) {
                const int v = bfs_level_order[place_2];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int neighbor = columns[e];
                    const int candidate = depth + 1;
                    if (candidate < bfs_level[neighbor]
                            && candidate < atomic(bfs_level[neighbor]).fetch_min(candidate)) {
                        const int slot = atomic(*bfs_level_count).fetch_add(1);
                        bfs_level_order[slot] = neighbor;
                    }
                }
            }
        }
        sycl::group_barrier(item.get_group());
        {
            // radii.sp:11 iterateInBFS (v in g.nodes() from src)
            #line 11 "radii.sp"
            for (int place_2 = bfs_level_begin + item.get_global_id(0); place_2 < bfs_level_end;
                    place_2 += item.get_global_range(0)) {
                const int v = bfs_level_order[place_2];
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int w = columns[e];
                    if (bfs_level[w] == depth + 1) {
                        const int candidate = level[v] + 1;
                        if (candidate < level[w]) {
                            atomic(level[w]).fetch_min(candidate);
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
        if (item.get_global_id(0) == 0) {
            *depth_outcome = depth;
            *bfs_level_begin_outcome = bfs_level_begin;
            *bfs_level_end_outcome = bfs_level_end;
            *found_outcome = found;
        }
    } while (found && (bfs_level_end - bfs_level_begin < few && bfs_level_end - bfs_level_begin <= num_nodes / 16));
}
