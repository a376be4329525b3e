"""HIP for AMD's GPUs: CUDA with other names, wavefronts of 32 or 64 threads, fewer 64-bit atomics."""

from dataclasses import replace

from starplat.backends.c.groups import ROWS_OF_GROUPS
from starplat.backends.cuda_family import CAPABILITIES, SIGNED_ATOMICS, SPELLING, Family
from starplat.backends.text.helpers import Helper, named
from starplat.ir import nodes as ir


def _signed_extreme(name: str, beyond: str) -> Helper:
    return Helper(
        "swap_extreme",
        (("name", name), ("type", "long long"), *SPELLING.cell_words[ir.Element.LONG].items(), ("beyond", beyond)),
    )


_EXTREMES = {(ir.Combine.MIN, ir.Element.LONG): "atomic_min_long", (ir.Combine.MAX, ir.Element.LONG): "atomic_max_long"}

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
    of_rows=(*named("group_memory"), *ROWS_OF_GROUPS),
)
