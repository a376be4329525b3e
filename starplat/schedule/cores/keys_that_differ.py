"""Finds the best key of a short row without adding anything up: where no two arcs have the same key, all keys have the
same sum, and the smallest is the best.

  first, last = the row's first and last arc;
  if (first <= last && last - first < 4) {
    a, b, c, d = the keys of `first`, of the next two arcs and of `last`, which stands for arcs that are missing;
    if (those of different arcs all differ) best = min(a, b, c, d);
  }
  if (best < 0) { ... }  // two are the same, one is no node, or the row is long or empty: adds values up

That takes a few comparisons of numbers in registers, while a sum is a cell that is read, written and cleared. Slots
are counted, so rows must have no room (`schedule.updates.room`).
"""

from collections.abc import Iterator

from starplat.ir import build, nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.rewriter import Renamer, Replacer
from starplat.ir.visitor import declared_by, walk_kernel

_FEW = 4
"""The most arcs of a short row: among four arcs there are six pairs, among eight 28."""
MOST_ARCS_IN_MEAN = 8
"""Up to so many arcs in a row in the mean, it is worth the test of all rows: as on grids, meshes and roads."""


def smallest_of_few(
    loop: ir.KernelOp, key: ir.Expression, best: ir.Variable, names: FreshNames
) -> tuple[ir.KernelOp, ...]:
    """What sets `best` to the smallest key of a short row whose keys are nodes that all differ, and else leaves it;
    nothing if the loop is not over each arc of the row. Each adds the same to `key`, which may be -1."""
    if not isinstance(loop, ir.ForNeighbors) or not _takes_each_arc(loop):
        return ()
    first, last = names.variables(ir.Element.ARC, "first", "last")
    begin, end = ir.Ref(first), ir.Ref(last)
    arcs = [_least(build.plus(begin, _arc(step)), end) for step in range(1, _FEW - 1)]
    ops, keys = list[ir.KernelOp](), list[ir.Expression]()
    for arc in (begin, *arcs, end):
        copied = _Copied(loop, key, arc, names)
        ops += copied.ops
        keys.append(copied.key)
    smallest = keys[0]
    for other in keys[1:]:
        smallest = _least(smallest, other)
    few = build.both(build.at_most(begin, end), build.less(build.minus(end, begin), _arc(_FEW)))
    taken = ir.KernelIf(build.both(*_differ(keys, build.minus(end, begin))), (ir.SetLocal(best, smallest),))
    return (
        ir.Let(first, loop.layout.first(loop.node)),
        ir.Let(last, build.minus(loop.layout.end(loop.node), _arc(1))),
        ir.KernelIf(few, (*ops, taken)),
    )


def _takes_each_arc(loop: ir.ForNeighbors) -> bool:
    """Whether the loop adds to a key for each slot of a row of the graph, without a condition."""
    return (
        loop.layout in ir.LAYOUTS.values()
        and not loop.counts
        and not any(isinstance(op, ir.KernelIf) for op in walk_kernel(loop.body))
    )


def _differ(keys: list[ir.Expression], further: ir.Expression) -> Iterator[ir.Expression]:
    """Tests that no two keys are equal, of the first and the arcs `further` on."""
    for place, key in enumerate(keys[1:], 1):
        differs = build.both(*(build.differs(before, key) for before in keys[:place]))
        yield build.either(differs, build.less(further, _arc(place)))


class _Copied:
    """What works out the key of one arc, under fresh names: `ops`, and the local `key`."""

    def __init__(self, loop: ir.ForNeighbors, key: ir.Expression, arc: ir.Expression, names: FreshNames) -> None:
        declared = [variable for op in loop.body for variable in declared_by(op)]
        fresh = {one: names.variable(one.name, one.element) for one in (loop.neighbor, *declared)}
        renamed, placed = Renamer(fresh), Replacer({ir.Ref(loop.position): arc})
        found = names.variable("key", ir.Element.NODE)
        lets = (op for op in loop.body if isinstance(op, ir.Let))
        self.ops = (
            ir.Let(fresh[loop.neighbor], loop.layout.neighbor(arc)),
            *renamed.kernel_block(placed.kernel_block(lets)),
            ir.Let(found, renamed.expression(placed.expression(key))),
        )
        self.key = ir.Ref(found)


def _least(one: ir.Expression, other: ir.Expression) -> ir.Expression:
    return ir.Apply(ir.MathFunction.MIN, (one, other), one.element)


def _arc(number: int) -> ir.Const:
    return ir.Const(number, ir.Element.ARC)
