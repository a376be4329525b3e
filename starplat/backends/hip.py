"""HIP for AMD's GPUs: CUDA with other names, wavefronts of 32 or 64 threads, and fewer 64-bit atomic functions."""

from __future__ import annotations

from dataclasses import replace

from starplat.backends.cgroups import MOST_VALUES
from starplat.backends.cuda_family import CAPABILITIES, SIGNED_ATOMICS, SPELLING, Family
from starplat.backends.headers import made_of, named
from starplat.backends.helpers import Helper
from starplat.ir.nodes import Combine, Element


def _signed_extreme(name: str, beyond: str) -> Helper:
    return Helper(
        "swap_extreme",
        (("name", name), ("type", "long long"), *SPELLING.cell_words[Element.LONG].items(), ("beyond", beyond)),
    )


_EXTREMES = {(Combine.MIN, Element.LONG): "atomic_min_long", (Combine.MAX, Element.LONG): "atomic_max_long"}

HIP = Family(
    "hip",
    ".hip.cpp",
    added={
        **SIGNED_ATOMICS,
        "atomic_min_long": _signed_extreme("atomic_min_long", "<"),
        "atomic_max_long": _signed_extreme("atomic_max_long", ">"),
    },
    last_error="hipGetLastError",
    capabilities=replace(CAPABILITIES, group_rows=True, quick_groups=True),
    spelling=replace(SPELLING, atomics={**SPELLING.atomics, **_EXTREMES}),
    language="HIP",
    includes=("#include <hip/hip_runtime.h>",),
    of_rows=(
        *named("group_memory", "group_rows", "owner_of", "bring_arcs", "bring_rows", "bring_part", "node_of_all"),
        *named("node_of_words", "groups_for_each", "listed_node"),
        made_of("end_of_piece", most_values=str(MOST_VALUES)),
    ),
)
