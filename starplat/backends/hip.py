"""HIP for AMD's GPUs: CUDA with other names, wavefronts of 32 or 64 threads, fewer 64-bit atomics."""

from dataclasses import replace

from starplat.backends.cuda_family import SIGNED_ATOMICS, SPELLING, Family
from starplat.backends.text.helpers import Helper
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
    spelling=replace(SPELLING, atomics={**SPELLING.atomics, **_EXTREMES}),
    language="HIP",
    includes=("#include <hip/hip_runtime.h>",),
)
