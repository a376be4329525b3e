"""Lets the loops over levels that are listed find the next level from the other end of the arcs.

A cell that is lowered was INF and is lowered once, to the number of the next level, whichever node of this level does
it (see `level_loops`): so a node whose cell is INF may look for any node before it whose cell holds this level's
number, and append itself.
"""

from __future__ import annotations

from functools import reduce

from starplat.ir.conditions import both, conjuncts
from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    Element,
    Expression,
    FetchAdd,
    Kernel,
    KernelOp,
    Let,
    Load,
    Ref,
    Store,
)
from starplat.ir.visitor import walk_expression
from starplat.schedule.level_loops import Levels
from starplat.schedule.names import Taken
from starplat.schedule.pull_kernels import Spread, from_other_end, says_only_that, spread_in


def pulled_level(found: Kernel, levels: Levels, taken: Taken) -> Kernel | None:
    """The kernel that finds the next level by pulling, for one that finds it by going over the list; None where
    that does other things as well."""
    assert found.iterator is not None
    spread = spread_in(found.body, found.iterator)
    if spread is None or spread.lowering.carried or not says_only_that(_without_append(spread)):
        return None
    rest = [] if found.filter is None else list(conjuncts(found.filter))
    if any(isinstance(part, Load) and part.array == spread.cells for e in rest for part in walk_expression(e)):
        return None
    here: Expression = Binary(
        BinaryOperator.EQUAL, Load(spread.cells, Ref(found.iterator)), Ref(levels.depth), Element.BOOL
    )
    return from_other_end(found, spread, taken, reduce(both, rest, here), spread.lowering.also, by_value=True)


def _without_append(spread: Spread) -> tuple[KernelOp, ...]:
    """What is done beside a lowering, but for appending the node to the list."""
    match spread.lowering.also:
        case (*rest, Let(), FetchAdd(), Store(_, _, Ref(node))) if node == spread.loop.neighbor:
            return tuple(rest)
        case rest:
            return rest
