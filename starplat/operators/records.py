"""The records of a graph program."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.frontend import typed
from starplat.source import Span


@dataclass(frozen=True, slots=True, eq=False)
class EdgeEffect:
    """What every arc between a `source` and a `destination` does: `target[destination]` becomes the least (greatest) of
    itself and `value`, and what is `carried` goes with the winner.

    `direction` is where the destination lies, seen from the source. `when` are conditions that no round changes.
    `candidate` reads cells of the target at the source only. `frontier` is the flag of sources that have their turn,
    None if all have.
    """

    source: typed.Symbol
    destination: typed.Symbol
    direction: typed.Direction
    when: tuple[typed.Expression, ...]
    target: typed.Symbol
    extreme: typed.Extreme
    candidate: typed.Expression
    carried: tuple[typed.Carried, ...]
    frontier: typed.Symbol | None
    span: Span
