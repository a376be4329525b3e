"""The passes in their order, each with the reason for its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir.nodes import Module
from starplat.passes.copies import copies_to_swaps
from starplat.passes.fills import drop_dead_fills


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewrite: its name, what it does in a sentence, why it stands where it stands."""

    name: str
    sentence: str
    reason: str
    rewrite: Callable[[Module], Module]


PASSES = (
    Pass(
        "copies-to-swaps",
        "a copy whose source is overwritten next becomes a swap",
        "first: it leaves the fill that made it legal in place for the next pass to judge",
        copies_to_swaps,
    ),
    Pass(
        "drop-dead-fills",
        "a fill vanishes if the array is overwritten before anybody looks",
        "last: lowering fills every property that is declared, and most are given values at once",
        drop_dead_fills,
    ),
)


def run(module: Module) -> Module:
    """The module after all passes."""
    for step in PASSES:
        module = step.rewrite(module)
    return module
