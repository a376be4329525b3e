// The kernels of closeness.sp in SYCL 2020, as free functions:
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

// closeness.sp:21 forall (v in g.nodes().filter(farness > 0))
#line 21 "closeness.sp"
KERNEL closeness_centrality_set_closeness(
    int num_nodes, const long long *__restrict farness, const int *__restrict reached_by, double *closeness
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (farness[v] <= 0) continue;
        const double others = (double)(reached_by[v] - 1);
        closeness[v] = others / (double)farness[v] * (others / (double)(num_nodes - 1));
    }
}

// closeness.sp:9 for (src in g.nodes())
// gives each source of the batch its bit
#line 9 "closeness.sp"
KERNEL closeness_centrality_begin(
    long long *reached, int *active_bits, int *active_list, int *active_size, int last, int first
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int number = item.get_global_id(0); number < last - first; number += item.get_global_range(0)) {
        const int place = first + number;
        const int source = place;
        reached[multiply(source, 4) + (place - first) / 64] = 1LL << ((place - first) % 64);
        enlist(source, active_bits, active_list, active_size);
    }
}

// closeness.sp:9 for (src in g.nodes())
#line 9 "closeness.sp"
KERNEL closeness_centrality_visit(
    const int *__restrict active_list, const long long *__restrict reached, long long *seen, long long *farness,
    int *reached_by, int active_count, int steps
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < active_count; place += item.get_global_range(0)) {
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
        count = count + (int)sycl::popcount(fresh) + (int)sycl::popcount(fresh_2) + (int)sycl::popcount(fresh_3)
            + (int)sycl::popcount(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// neighbors take the bits that they lack
#line 9 "closeness.sp"
KERNEL closeness_centrality_offer_bits(
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

// closeness.sp:9 for (src in g.nodes())
// the bits that any node offers
#line 9 "closeness.sp"
KERNEL closeness_centrality_join_bits(
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

// closeness.sp:9 for (src in g.nodes())
// nodes look for the bits that they lack
#line 9 "closeness.sp"
KERNEL closeness_centrality_look_for_bits(
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

// closeness.sp:9 for (src in g.nodes())
// where many are active: goes over all, in their order
#line 9 "closeness.sp"
KERNEL closeness_centrality_visit_of_many(
    int num_nodes, const int *__restrict active_bits, const long long *__restrict reached, long long *seen,
    long long *farness, int *reached_by, int steps
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
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
        count = count + (int)sycl::popcount(fresh) + (int)sycl::popcount(fresh_2) + (int)sycl::popcount(fresh_3)
            + (int)sycl::popcount(fresh_4);
        farness[v] += multiply_long(count, steps);
        reached_by[v] += count;
    }
}

// closeness.sp:9 for (src in g.nodes())
// how many arcs the active nodes have
#line 9 "closeness.sp"
KERNEL arcs_of_active_list(
    const arc_t *__restrict row_offsets, const int *__restrict active_list, int active_count, float *active_arcs
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    float active_arcs_part = 0.0f;
    for (int place = item.get_global_id(0); place < active_count; place += item.get_global_range(0)) {
        const int active_node = active_list[place];
        active_arcs_part += (float)(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    active_arcs_part = sycl::reduce_over_group(item.get_group(), active_arcs_part, sycl::plus<float>());
    if (item.get_local_id(0) == 0) atomic(*active_arcs).fetch_add(active_arcs_part);
}
