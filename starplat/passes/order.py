"""The list of passes in order, each with the reason for its place."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.passes import copies, fills
from starplat.passes.brief_arrays import brief_arrays
from starplat.passes.changed_cells import changed_cells
from starplat.passes.fuse_kernels import fuse_kernels
from starplat.passes.hoist_factors import hoist_factors
from starplat.passes.local_sums import local_sums
from starplat.passes.rotated_loops import rotated_loops


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewrite: its name, its effect in a sentence, the reason for its place."""

    name: str
    sentence: str
    reason: str
    rewrite: Callable[[ir.Module], ir.Module]


PASSES = (
    Pass(
        "rotated-loops",
        "a loop that is sure to run once is tested behind its body",
        "first: all others see one form of loop then",
        rotated_loops,
    ),
    Pass(
        "copies-to-swaps",
        "a copy whose source is overwritten next becomes a swap",
        "early: it leaves the fill that made it legal in place for the next pass to judge",
        copies.copies_to_swaps,
    ),
    Pass(
        "drop-dead-fills",
        "a fill vanishes if the array is overwritten before it is read",
        "before kernels are changed: lowering fills every property that is declared, and most are given values at once",
        fills.drop_dead_fills,
    ),
    Pass(
        "local-sums",
        "a cell that a loop adds to lives in a local until the loop ends",
        "before fusing: a fill in front of the loop then becomes the local's first value",
        local_sums,
    ),
    Pass(
        "hoist-factors",
        "a value of the neighbor alone is computed once per node before a loop over neighbors",
        "before fusing, which finds a place for the kernel that does so",
        hoist_factors,
    ),
    Pass(
        "fuse-kernels",
        "kernels, fills and copies in a row become one kernel where no iteration waits for another",
        "after all that leaves kernels, those of hoisted factors among them",
        fuse_kernels,
    ),
    Pass(
        "brief-arrays",
        "a property that every iteration stores before it reads it, and that is dead afterwards, becomes a local",
        "after fusing: the copy that follows a loop reads the property until it is part of the loop",
        brief_arrays,
    ),
    Pass(
        "changed-cells",
        "a cell that has been read is stored to only if that changes it",
        "last: what is stored is a value at hand by now",
        changed_cells,
    ),
)


def run(module: ir.Module) -> ir.Module:
    """The module after all passes."""
    for step in PASSES:
        module = step.rewrite(module)
    return module
