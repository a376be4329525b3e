"""Finds the next level of listed levels by pulling.

A cell that is lowered was INF and is lowered once, to the next level's number, whichever node of this level does it
(see `loops`): so a node whose cell is INF may search its in-neighbors for this level's number, and append itself.
"""

from starplat.ir import build, conditions, fresh_names
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_expression
from starplat.schedule.direction.pull_kernels import Spread, from_other_end, says_only_that, spread_in
from starplat.schedule.levels.loops import Levels


def pulled_level(found: ir.Kernel, levels: Levels, taken: fresh_names.FreshNames) -> ir.Kernel | None:
    """The pull kernel for one that finds the next level by walking the list; None where that does other things as
    well."""
    spread = spread_in(found.body, found.index)
    if spread is None or spread.lowering.carried or not says_only_that(_without_append(spread)):
        return None
    rest = [] if found.filter is None else list(conditions.conjuncts(found.filter))
    if any(isinstance(part, ir.Load) and part.array == spread.cells for e in rest for part in walk_expression(e)):
        return None
    here: ir.Expression = build.equal(ir.Load(spread.cells, ir.Ref(found.index)), ir.Ref(levels.depth))
    return from_other_end(found, spread, taken, build.both(here, *rest), spread.lowering.also, by_value=True)


def _without_append(spread: Spread) -> tuple[ir.KernelOp, ...]:
    """What is done beside a lowering, apart from appending the node to the list."""
    match spread.lowering.also:
        case (*rest, ir.Let(), ir.FetchAdd(), ir.Store(_, _, ir.Ref(node))) if node == spread.loop.neighbor:
            return tuple(rest)
        case rest:
            return rest
