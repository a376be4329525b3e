// The kernels of radii.sp in SYCL 2020, as free functions:
// for the compiler in oneAPI's runtime, and for icpx.
#include "starplat_sycl_kernels.hpp"

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
            for (int place = bfs_level_begin + item.get_global_id(0); place < bfs_level_end;
                    place += item.get_global_range(0)) {
                const int v = bfs_level_order[place];
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
