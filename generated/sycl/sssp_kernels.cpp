// The kernels of sssp.sp in SYCL 2020, as free functions:
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

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
KERNEL sssp_min_dist(
    const arc_t *__restrict row_offsets, const int *__restrict columns, const int *__restrict modified_list,
    int *modified_bits, int *dist, const int *__restrict weight, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_bits, int *modified_later_list, int *modified_later_size,
    int modified_count, int limit
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < modified_count; begin += item.get_global_range(0)) {
        const int groups = groups_for_each(item, modified_count);
        const int brought = listed_node(item, modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(item, &rows, brought, row_offsets, groups);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic(dist[nbr]).fetch_min(candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// the mean of some weights says how far apart near and far are
KERNEL sample_weight(int num_nodes, arc_t num_arcs, const int *__restrict weight, double *weight_total) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    double weight_total_part = 0.0;
    for (int node = item.get_global_id(0); node < num_nodes; node += item.get_global_range(0)) {
        if ((arc_t)node < num_arcs && (arc_t)node < 65536) {
            weight_total_part += (double)weight[(arc_t)node * sycl::max(num_arcs / sycl::min((arc_t)num_nodes,
                (arc_t)65536), (arc_t)1)];
        }
    }
    weight_total_part = sycl::reduce_over_group(item.get_group(), weight_total_part, sycl::plus<double>());
    if (item.get_local_id(0) == 0) {
        atomic(*weight_total).fetch_add(weight_total_part);
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// the far pile: near nodes join the next frontier, settled nodes are dropped
#line 12 "sssp.sp"
KERNEL sssp_min_dist_later(
    const int *__restrict modified_later_list, int *modified_later_bits, const int *__restrict dist,
    int *modified_bits, int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int modified_later_count, int settled, int limit
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int place = item.get_global_id(0); place < modified_later_count; place += item.get_global_range(0)) {
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

KERNEL modified_list_first(int *modified_bits, int *modified_list, int *modified_size, int src) {
    enlist(src, modified_bits, modified_list, modified_size);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
KERNEL sssp_min_dist_of_many(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const int *__restrict modified_bits, int *dist, const int *__restrict weight, int *modified_next_bits,
    int *modified_next_list, int *modified_next_size, int *modified_later_bits, int *modified_later_list,
    int *modified_later_size, int limit
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    auto &rows = group_memory<GroupRows>();
    for (int begin = 0; begin < num_nodes; begin += item.get_global_range(0)) {
        int brought = node_of_all(item, begin, num_nodes);
        if (brought >= 0 && (modified_bits[brought / 32] & (1 << (brought % 32))) == 0) brought = -1;
        const arc_t count = bring_rows(item, &rows, brought, row_offsets);
        for (arc_t place = item.get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic(dist[nbr]).fetch_min(candidate)) {
                if (candidate < limit) {
                    enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                } else {
                    enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                }
            }
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
#line 12 "sssp.sp"
KERNEL sssp_min_dist_later_of_many(
    int num_nodes, const int *__restrict modified_later_bits, const int *__restrict dist, int *modified_bits,
    int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int settled, int limit
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int node_2 = item.get_global_id(0); node_2 < num_nodes; node_2 += item.get_global_range(0)) {
        if ((modified_later_bits[node_2 / 32] & (1 << (node_2 % 32))) == 0) continue;
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

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
KERNEL sssp_few(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns, int *modified_list,
    int *modified_bits, int *dist, const int *__restrict weight, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_bits, int *modified_later_list, int *modified_later_size,
    int *modified_size, bool finished, int modified_count, int few, int limit, bool turned,
    int *modified_count_outcome, int *finished_outcome, int *turned_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        sycl::group_barrier(item.get_group());
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            #line 12 "sssp.sp"
            for (int place = item.get_global_id(0); place < modified_count; place += item.get_global_range(0)) {
                const int v = modified_list[place];
                modified_bits[v / 32] = 0;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr] && candidate < atomic(dist[nbr]).fetch_min(candidate)) {
                        if (candidate < limit) {
                            enlist(nbr, modified_next_bits, modified_next_list, modified_next_size);
                        } else {
                            enlist(nbr, modified_later_bits, modified_later_list, modified_later_size);
                        }
                    }
                }
            }
        }
        if (item.get_global_id(0) == 0) *modified_size = 0;
        { auto *other = modified_bits; modified_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_list; modified_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_size; modified_size = modified_next_size; modified_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_count = *modified_size;
        finished = modified_count == 0;
        turned = !turned;
        if (item.get_global_id(0) == 0) {
            *modified_count_outcome = modified_count;
            *finished_outcome = finished;
            *turned_outcome = turned;
        }
    } while (!finished && (modified_count < few && modified_count <= num_nodes / 8));
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
#line 12 "sssp.sp"
KERNEL sssp_few_2(
    int num_nodes, int *modified_later_list, int *modified_later_bits, const int *__restrict dist,
    int *modified_bits, int *modified_list, int *modified_size, int *modified_next_bits, int *modified_next_list,
    int *modified_next_size, int *modified_later_size, bool nobody_near, bool nobody_waits,
    int modified_later_count, int few_2, int limit, int rise, int settled, int modified_count, bool turned_2,
    int *settled_outcome, int *limit_outcome, int *rise_outcome, int *modified_count_outcome,
    int *nobody_near_outcome, int *modified_later_count_outcome, int *nobody_waits_outcome, int *turned_2_outcome
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    do {
        settled = limit;
        limit = limit > INT_MAX - rise ? INT_MAX : limit + rise;
        rise = rise > INT_MAX - rise ? INT_MAX : rise + rise;
        sycl::group_barrier(item.get_group());
        {
            // sssp.sp:12 forall (v in g.nodes().filter(modified == True))
            // the far pile: near nodes join the next frontier, settled nodes are dropped
            #line 12 "sssp.sp"
            for (int place = item.get_global_id(0); place < modified_later_count; place += item.get_global_range(0)) {
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
        if (item.get_global_id(0) == 0) *modified_later_size = 0;
        { auto *other = modified_later_bits; modified_later_bits = modified_next_bits; modified_next_bits = other; }
        { auto *other = modified_later_list; modified_later_list = modified_next_list; modified_next_list = other; }
        { auto *other = modified_later_size; modified_later_size = modified_next_size; modified_next_size = other; }
        sycl::group_barrier(item.get_group());
        modified_count = *modified_size;
        nobody_near = modified_count == 0;
        modified_later_count = *modified_later_size;
        nobody_waits = modified_later_count == 0;
        turned_2 = !turned_2;
        if (item.get_global_id(0) == 0) {
            *settled_outcome = settled;
            *limit_outcome = limit;
            *rise_outcome = rise;
            *modified_count_outcome = modified_count;
            *nobody_near_outcome = nobody_near;
            *modified_later_count_outcome = modified_later_count;
            *nobody_waits_outcome = nobody_waits;
            *turned_2_outcome = turned_2;
        }
    } while (nobody_near && !nobody_waits && (modified_later_count < few_2 && modified_later_count <= num_nodes / 8));
}
