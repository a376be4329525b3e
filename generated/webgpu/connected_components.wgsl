// The kernels of connected_components.sp in WGSL.

@group(0) @binding(0) var<storage, read> row_offsets: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read_write> component: array<atomic<i32>>;
@group(0) @binding(3) var<storage, read> arc_sources: array<i32>;
@group(0) @binding(4) var<storage, read_write> component_apart: array<i32>;

// Replaces a cell that holds what is expected, and returns what it held.
fn swap_component(at: i32, expected: i32, value: i32) -> i32 {
    loop {
        let swap = atomicCompareExchangeWeak(&component[at], expected, value);
        if (swap.exchanged || swap.old_value != expected) { return swap.old_value; }
    }
    return expected;
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to its best neighbor
struct Given { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given: Given;
@compute @workgroup_size(256)
fn connected_components_component_start(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        let first = row_offsets[v];
        let end = row_offsets[v + 1];
        var best = v;
        if (first < end) {
            best = min(v, columns[first]);
        }
        atomicStore(&component[v], best);
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins every node to a second neighbor
struct Given_2 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_2: Given_2;
@compute @workgroup_size(256)
fn connected_components_component_sample(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_2.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        let first = row_offsets[v];
        let end = row_offsets[v + 1];
        if (first + 1 < end) {
            let u = columns[first + 1];
            var own = atomicLoad(&component[v]);
            var above_own = atomicLoad(&component[own]);
            var steps_own = 0;
            while (own != above_own && steps_own < 64) {
                atomicMin(&component[v], above_own);
                own = above_own;
                above_own = atomicLoad(&component[own]);
                steps_own += 1;
            }
            var a = atomicLoad(&component[v]);
            var b = atomicLoad(&component[u]);
            var steps = 0;
            while (a != b && steps < 64) {
                let low = min(a, b);
                let high = max(a, b);
                var held = atomicLoad(&component[high]);
                if (held == high) {
                    held = swap_component(high, high, low);
                    if (held == high) { break; }
                }
                if (held == low) { break; }
                let above = atomicLoad(&component[held]);
                if (above != held) {
                    atomicMin(&component[high], above);
                }
                a = above;
                b = atomicLoad(&component[low]);
                steps += 1;
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the trees at the ends of every arc
struct Given_3 { num_arcs: i32 }
@group(1) @binding(0) var<uniform> given_3: Given_3;
@compute @workgroup_size(256)
fn connected_components_component_join(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_arcs = given_3.num_arcs;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var e = item; e < num_arcs; e += items) {
        let v = arc_sources[e];
        let u = columns[e];
        var a = atomicLoad(&component[v]);
        var b = atomicLoad(&component[u]);
        while (a != b) {
            let low = min(a, b);
            let high = max(a, b);
            var held = atomicLoad(&component[high]);
            if (held == high) {
                held = swap_component(high, high, low);
                if (held == high) { break; }
            }
            if (held == low) { break; }
            let above = atomicLoad(&component[held]);
            if (above != held) {
                atomicMin(&component[high], above);
            }
            a = above;
            b = atomicLoad(&component[low]);
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: every node points to the root of its tree
struct Given_4 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_4: Given_4;
@compute @workgroup_size(256)
fn connected_components_component_flatten(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_4.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        var held = atomicLoad(&component[v]);
        var above = atomicLoad(&component[held]);
        while (held != above) {
            atomicMin(&component[v], above);
            held = above;
            above = atomicLoad(&component[held]);
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: joins the other trees along their arcs
struct Given_5 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_5: Given_5;
@compute @workgroup_size(256)
fn connected_components_component_join_symmetric(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_5.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        if (component_apart[v] == 0) { continue; }
        for (var e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            let u = columns[e];
            var a = atomicLoad(&component[v]);
            var b = atomicLoad(&component[u]);
            while (a != b) {
                let low = min(a, b);
                let high = max(a, b);
                var held = atomicLoad(&component[high]);
                if (held == high) {
                    held = swap_component(high, high, low);
                    if (held == high) { break; }
                }
                if (held == low) { break; }
                let above = atomicLoad(&component[held]);
                if (above != held) {
                    atomicMin(&component[high], above);
                }
                a = above;
                b = atomicLoad(&component[low]);
            }
        }
    }
}

// connected_components.sp:12 forall (e in g.edges())
// union-find: shortens paths, and tells which trees are not that of the node that the middle arc leads to
struct Given_6 { num_nodes: i32, middle: i32 }
@group(1) @binding(0) var<uniform> given_6: Given_6;
@compute @workgroup_size(256)
fn connected_components_component_set_apart_symmetric(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_6.num_nodes;
    let middle = given_6.middle;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        var held = atomicLoad(&component[v]);
        var above = atomicLoad(&component[held]);
        var steps = 0;
        while (held != above && steps < 64) {
            atomicMin(&component[v], above);
            held = above;
            above = atomicLoad(&component[held]);
            steps += 1;
        }
        var great = atomicLoad(&component[middle]);
        var above_great = atomicLoad(&component[great]);
        var steps_great = 0;
        while (great != above_great && steps_great < 64) {
            atomicMin(&component[middle], above_great);
            great = above_great;
            above_great = atomicLoad(&component[great]);
            steps_great += 1;
        }
        component_apart[v] = i32(held != great);
    }
}
