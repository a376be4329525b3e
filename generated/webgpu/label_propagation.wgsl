// The kernels of label_propagation.sp in WGSL.

@group(0) @binding(0) var<storage, read_write> label: array<i32>;
@group(0) @binding(1) var<storage, read> row_offsets: array<i32>;
@group(0) @binding(2) var<storage, read> columns: array<i32>;
@group(0) @binding(3) var<storage, read> in_row_offsets: array<i32>;
@group(0) @binding(4) var<storage, read> in_columns: array<i32>;
@group(0) @binding(5) var<storage, read_write> votes_keys: array<i32>;
@group(0) @binding(6) var<storage, read_write> votes_sums: array<i32>;
@group(0) @binding(7) var<storage, read_write> label_nxt: array<i32>;

// adds to the sum of a key
fn add_to_map(first: i32, end: i32, key: i32, value: i32) {
    if (key < 0) { return; }
    var slot = first
        + (((key * -1640531535) & 2147483647) - (((key * -1640531535) & 2147483647) >> 15u)) % (end - first);
    while (votes_keys[slot] != key && votes_keys[slot] != -1) {
        slot = select(first, slot + 1, slot + 1 < end);
    }
    votes_sums[slot] = select(0, votes_sums[slot], votes_keys[slot] == key) + value;
    votes_keys[slot] = key;
}

// the key with the largest sum, the smallest of equals
fn best_of_map(first: i32, end: i32) -> i32 {
    var best = -1;
    var most = 0;
    for (var slot = first; slot < end; slot++) {
        if (votes_keys[slot] != -1
                && (best < 0 || (votes_sums[slot] > most || (votes_sums[slot] == most && votes_keys[slot] < best)))) {
            best = votes_keys[slot];
            most = votes_sums[slot];
        }
    }
    return best;
}

// label_propagation.sp:7 forall (v in g.nodes())
struct Given { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given: Given;
@compute @workgroup_size(256)
fn label_propagation_set_label(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        label[v] = v;
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
struct Given_2 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_2: Given_2;
@compute @workgroup_size(256)
fn label_propagation_set_label_nxt(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_2.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        let first_slot = (2 * (row_offsets[v] + in_row_offsets[v]));
        let end_slot = (2 * (row_offsets[v + 1] + in_row_offsets[v + 1]));
        for (var slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        let first_out = row_offsets[v];
        let outs = row_offsets[v + 1] - first_out;
        let first_in = in_row_offsets[v];
        let end = outs + (in_row_offsets[v + 1] - first_in);
        for (var i = 0; i < end; i++) {
            let u = select(in_columns[first_in + (i - outs)], columns[first_out + i], i < outs);
            add_to_map(first_slot, end_slot, label[u], 1);
        }
        let favourite = best_of_map(first_slot, end_slot);
        label_nxt[v] = select(favourite, label[v], favourite < 0);
    }
}

// label_propagation.sp:11 forall (v in g.nodes())
struct Given_3 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_3: Given_3;
@compute @workgroup_size(256)
fn label_propagation_set_label_nxt_symmetric(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_3.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        let first_slot = (2 * row_offsets[v]);
        let end_slot = (2 * row_offsets[v + 1]);
        for (var slot = first_slot; slot < end_slot; slot++) {
            votes_keys[slot] = -1;
        }
        for (var i = row_offsets[v]; i < row_offsets[v + 1]; i++) {
            let u = columns[i];
            add_to_map(first_slot, end_slot, label[u], 2);
        }
        let favourite = best_of_map(first_slot, end_slot);
        label_nxt[v] = select(favourite, label[v], favourite < 0);
    }
}
