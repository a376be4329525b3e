// The kernels of radii.sp in WGSL.

@group(0) @binding(0) var<storage, read> row_offsets: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read_write> bfs_level_order: array<i32>;
@group(0) @binding(3) var<storage, read_write> bfs_level: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> bfs_level_count: array<atomic<i32>>;
@group(0) @binding(5) var<storage, read_write> level: array<atomic<i32>>;
@group(0) @binding(6) var<storage, read_write> radius: array<i32>;
@group(0) @binding(7) var<storage, read> in_row_offsets: array<i32>;
@group(0) @binding(8) var<storage, read> in_columns: array<i32>;
@group(0) @binding(9) var<storage, read_write> active_arcs_2: array<atomic<i32>>;

// What all threads of a group have, combined.
var<workgroup> values_of_add_of_group_f32: array<f32, 256>;
fn add_of_group_f32(value: f32, lane: u32) -> f32 {
    values_of_add_of_group_f32[lane] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (lane < half) {
            let own = values_of_add_of_group_f32[lane];
            let other = values_of_add_of_group_f32[lane + half];
            values_of_add_of_group_f32[lane] = own + other;
        }
        workgroupBarrier();
    }
    let joined = values_of_add_of_group_f32[0];
    workgroupBarrier();
    return joined;
}

// Returns what the cell held before; tried again until no other thread has come between reading and writing.
fn add_active_arcs_2(at: i32, value: f32) -> f32 {
    var old = atomicLoad(&active_arcs_2[at]);
    loop {
        let held = bitcast<f32>(old);
        let swap = atomicCompareExchangeWeak(&active_arcs_2[at], old, bitcast<i32>(held + value));
        if (swap.exchanged) { return held; }
        old = swap.old_value;
    }
    return value;
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// finds the next BFS level
struct Given { bfs_level_begin: i32, bfs_level_end: i32, depth: i32 }
@group(1) @binding(0) var<uniform> given: Given;
@compute @workgroup_size(256)
fn radii_min_bfs_level(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let bfs_level_begin = given.bfs_level_begin;
    let bfs_level_end = given.bfs_level_end;
    let depth = given.depth;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var place = bfs_level_begin + item; place < bfs_level_end; place += items) {
        let v = bfs_level_order[place];
        for (var e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            let neighbor = columns[e];
            let candidate = depth + 1;
            if (candidate < atomicLoad(&bfs_level[neighbor])
                    && candidate < atomicMin(&bfs_level[neighbor], candidate)) {
                let slot = atomicAdd(&bfs_level_count[0], 1);
                bfs_level_order[slot] = neighbor;
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
struct Given_2 { bfs_level_begin: i32, bfs_level_end: i32, depth: i32 }
@group(1) @binding(0) var<uniform> given_2: Given_2;
@compute @workgroup_size(256)
fn radii_min_level(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let bfs_level_begin = given_2.bfs_level_begin;
    let bfs_level_end = given_2.bfs_level_end;
    let depth = given_2.depth;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var place = bfs_level_begin + item; place < bfs_level_end; place += items) {
        let v = bfs_level_order[place];
        for (var e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            let w = columns[e];
            if (atomicLoad(&bfs_level[w]) == depth + 1) {
                let candidate = atomicLoad(&level[v]) + 1;
                if (candidate < atomicLoad(&level[w])) {
                    atomicMin(&level[w], candidate);
                }
            }
        }
        let candidate_2 = atomicLoad(&level[v]);
        if (candidate_2 > radius[v]) {
            radius[v] = candidate_2;
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// nodes that are not reached yet look for one that is
struct Given_3 { num_nodes: i32, depth: i32 }
@group(1) @binding(0) var<uniform> given_3: Given_3;
@compute @workgroup_size(256)
fn radii_min_bfs_level_pull(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_3.num_nodes;
    let depth = given_3.depth;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var neighbor = item; neighbor < num_nodes; neighbor += items) {
        if (atomicLoad(&bfs_level[neighbor]) != 2147483647) { continue; }
        for (var e_in = in_row_offsets[neighbor]; e_in < in_row_offsets[neighbor + 1]; e_in++) {
            let v = in_columns[e_in];
            if (atomicLoad(&bfs_level[v]) == depth) {
                atomicMin(&bfs_level[neighbor], depth + 1);
                let slot = atomicAdd(&bfs_level_count[0], 1);
                bfs_level_order[slot] = neighbor;
                break;
            }
        }
    }
}

// radii.sp:11 iterateInBFS (v in g.nodes() from src)
// how many arcs the active nodes have
struct Given_4 { bfs_level_begin: i32, bfs_level_end: i32 }
@group(1) @binding(0) var<uniform> given_4: Given_4;
@compute @workgroup_size(256)
fn arcs_of_bfs_level_order(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32
) {
    let bfs_level_begin = given_4.bfs_level_begin;
    let bfs_level_end = given_4.bfs_level_end;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    var active_arcs_part = 0.0f;
    for (var place = bfs_level_begin + item; place < bfs_level_end; place += items) {
        let active_node = bfs_level_order[place];
        active_arcs_part += f32(row_offsets[active_node + 1] - row_offsets[active_node]);
    }
    active_arcs_part = add_of_group_f32(active_arcs_part, lane);
    if (lane == 0u) { add_active_arcs_2(0, active_arcs_part); }
}
