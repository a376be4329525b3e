// The kernels of sssp.sp in WGSL.

@group(0) @binding(0) var<storage, read> row_offsets: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read_write> modified_list: array<i32>;
@group(0) @binding(3) var<storage, read_write> modified_bits: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> dist: array<atomic<i32>>;
@group(0) @binding(5) var<storage, read> weight: array<i32>;
@group(0) @binding(6) var<storage, read_write> modified_next_bits: array<atomic<i32>>;
@group(0) @binding(7) var<storage, read_write> modified_next_list: array<i32>;
@group(0) @binding(8) var<storage, read_write> modified_next_size: array<atomic<i32>>;
@group(0) @binding(9) var<storage, read_write> modified_size: array<atomic<i32>>;

// Addition in which infinity plus anything is infinity.
fn add_inf(a: i32, b: i32) -> i32 {
    return select(a + b, 2147483647, a == 2147483647 || b == 2147483647);
}

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
fn enlist(node: i32) {
    let bit = 1 << u32(node % 32);
    if ((atomicLoad(&modified_next_bits[node / 32]) & bit) == 0) {
        let held = atomicOr(&modified_next_bits[node / 32], bit);
        if ((held & bit) == 0) {
            let place = atomicAdd(&modified_next_size[0], 1);
            modified_next_list[place] = node;
        }
    }
}

// Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order.
fn enlist_2(node: i32) {
    let bit = 1 << u32(node % 32);
    if ((atomicLoad(&modified_bits[node / 32]) & bit) == 0) {
        let held = atomicOr(&modified_bits[node / 32], bit);
        if ((held & bit) == 0) {
            let place = atomicAdd(&modified_size[0], 1);
            modified_list[place] = node;
        }
    }
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
struct Given { modified_count: i32 }
@group(1) @binding(0) var<uniform> given: Given;
@compute @workgroup_size(256)
fn sssp_min_dist(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let modified_count = given.modified_count;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var place = item; place < modified_count; place += items) {
        let v = modified_list[place];
        atomicStore(&modified_bits[v / 32], 0);
        for (var e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            let nbr = columns[e];
            let candidate = add_inf(atomicLoad(&dist[v]), weight[e]);
            if (candidate < atomicLoad(&dist[nbr]) && candidate < atomicMin(&dist[nbr], candidate)) {
                enlist(nbr);
            }
        }
    }
}

struct Given_2 { src: i32 }
@group(1) @binding(0) var<uniform> given_2: Given_2;
@compute @workgroup_size(1)
fn modified_list_first() {
    let src = given_2.src;
    enlist_2(src);
}

// sssp.sp:12 forall (v in g.nodes().filter(modified == True))
// where many are active: goes over all, in their order
struct Given_3 { num_nodes: i32 }
@group(1) @binding(0) var<uniform> given_3: Given_3;
@compute @workgroup_size(256)
fn sssp_min_dist_of_many(
    @builtin(global_invocation_id) place_in_grid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>
) {
    let num_nodes = given_3.num_nodes;
    let item = i32(place_in_grid.x);
    let items = i32(groups.x) * 256;
    for (var v = item; v < num_nodes; v += items) {
        if ((atomicLoad(&modified_bits[v / 32]) & (1 << u32(v % 32))) == 0) { continue; }
        for (var e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            let nbr = columns[e];
            let candidate = add_inf(atomicLoad(&dist[v]), weight[e]);
            if (candidate < atomicLoad(&dist[nbr]) && candidate < atomicMin(&dist[nbr], candidate)) {
                enlist(nbr);
            }
        }
    }
}
