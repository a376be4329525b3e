// Fills a buffer of 32-bit cells with one value.
struct Filling { value: u32, cells: u32 }
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(1) @binding(0) var<uniform> filling: Filling;

@compute @workgroup_size(256)
fn fill(@builtin(global_invocation_id) place: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var cell = place.x; cell < filling.cells; cell += groups.x * 256u) {
        cells[cell] = filling.value;
    }
}
