"""CUDA C++ for compute capability 7.0 and newer: one file, for nvcc and NVRTC alike."""

from dataclasses import replace

from starplat.backends.c.set_forms import FORMS, set_helpers
from starplat.backends.cuda_family import CAPABILITIES, SIGNED_ATOMICS, SPELLING, Family
from starplat.backends.launch import THREADS_TOGETHER
from starplat.backends.text.helpers import Helper, made_of, named
from starplat.ir import nodes as ir

_SETS = {
    ir.Packing.SWITCHED: ("sets", "a bit for each node, and a list while they are few"),
    ir.Packing.LIST: ("lists", "a bit for each node, and a list"),
    ir.Packing.BITS: ("bits", "a bit for each node"),
    ir.Packing.LAYERS: ("layers", "a bit for each node, and a bit for each word of these"),
}
"""What the header for a kind of sets is called, and how such sets are kept."""


def _of_sets(packing: ir.Packing) -> tuple[str, str, tuple[str, ...], tuple[Helper, ...]]:
    """The header for sets of nodes that are kept in one way."""
    name, kept = _SETS[packing]
    says = f"CUDA C++: sets of nodes in the device's memory: {kept}. Needs C++17."
    return f"starplat_cuda_{name}.hpp", says, ('#include "starplat_cuda.hpp"',), set_helpers(packing)


CUDA = Family(
    "cuda",
    ".cu",
    added=SIGNED_ATOMICS,
    last_error="cudaGetLastError",
    capabilities=replace(CAPABILITIES, shared_arcs=True),
    spelling=replace(SPELLING, few_groups_kernel='extern "C" __global__ void __launch_bounds__({size}, {groups})'),
    helper_files=("helpers", "sets", "rows", "gathering", "records"),
    of_rows=(
        *named("warp_number", "sum_up_to", "every_node"),
        made_of("long_rows", threads=str(THREADS_TOGETHER)),
        *named("teams", "warp_arcs", "share_arcs", "advance_all", "advance_arcs", "advance_words", "advance_listed"),
        *named("search_all", "share_values", "gather_step", "long_values", "gather_all", "gather_rows"),
        *named("gather_each", "gather_listed"),
    ),
    of_sets=tuple(_of_sets(packing) for packing in FORMS),
)
