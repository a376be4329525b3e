"""Verifies index spaces: a slot of a layout is no arc's id, although both are numbers below m.

Takes a kernel; refuses an array that has a cell for every arc where it is indexed by a slot of another layout, and a
layout's array where it is indexed by an arc's id. Indices of which nothing is known pass.
"""

from starplat.ir import nodes as ir
from starplat.ir.verifying import bounds, wellformed
from starplat.ir.visitor import assigned_variables, walk, walk_kernel

_WORDS: dict[ir.Extent | None, str] = {ir.Extent.ARCS: "arc", ir.Extent.SLOTS: "slot"}
_GIVEN: dict[ir.Extent | None, str] = {ir.Extent.ARCS: "an arc", ir.Extent.SLOTS: "a slot"}
_INDEXED = (ir.Load, ir.Store, ir.UpdateCell, ir.ExtremeCell, ir.Carry, ir.FetchAdd, ir.FetchOr, ir.CompareSwap)


def verify_spaces(kernel: ir.Kernel, scope: wellformed.Scope) -> None:
    """Passes if no array is indexed by a number of another space."""
    known = _known(kernel)
    for part in walk((kernel.filter, kernel.body)):
        if isinstance(part, _INDEXED):
            wanted, given = part.array.extent, known.domain(part.index)
            if {wanted, given} == set(_WORDS):
                message = f"'{part.array.name}' has a cell for every {_WORDS[wanted]} and is indexed by {_GIVEN[given]}"
                scope.require(False, message)


def _known(kernel: ir.Kernel) -> bounds.Bounds:
    known = bounds.Bounds(assigned_variables(kernel.body))
    match kernel.domain:
        case ir.AllArcs() if kernel.iterator is not None:
            known.learn(kernel.iterator, ir.Extent.ARCS)
        case ir.NodeNeighbors(direction, _, position):
            known.learn(position, direction.layout.slots)
    for op in walk_kernel(kernel.body):
        match op:
            case ir.ForNeighbors():
                known.learn(op.position, op.layout.slots)
            case ir.ForRange():
                known.learn_range(op)
            case ir.Let(variable, value):
                known.learn_value(variable, value)
    return known
