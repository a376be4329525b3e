"""The kernels that change rows with room in place, and those that give rows room.

Updates come sorted, as for the kernels that merge. Those of one row belong together: the arcs between two of them move
by as many slots as the updates before take away.
"""

from functools import cache

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.runtime.changing.kernels import (
    COUNT,
    NEW_OFFSETS,
    OFFSETS,
    ROWS,
    Carried,
    kernel_of,
    module_of,
    of_updates,
)

_ARC, _INT, _NODE = ir.Element.ARC, ir.Element.INT, ir.Element.NODE

ENDS = ir.Array("ends", _ARC, ir.Extent.NODES, ir.Origin.PARAMETER)
NEW_ENDS = ir.Array("new_ends", _ARC, ir.Extent.NODES, ir.Origin.PARAMETER)
"""Where the arcs of rows end."""
OWNERS = ir.Array("owners", _NODE, ir.Extent.SLOTS, ir.Origin.PARAMETER)
"""By slot, the node of its row."""
ROW_END, ROOM_END = of_updates("row_end", _ARC), of_updates("room_end", _ARC)
"""By update, where the arcs of its row end, and where its room does."""
STARTS = of_updates("starts", _INT)
"""By row that changes, its first update; then how many updates there are."""
BEGIN, END, BACK = of_updates("begin", _ARC), of_updates("end", _ARC), of_updates("back", _ARC)
"""By update, the arcs behind it up to the next one of its row, and by how many slots these move back."""
PLACES = of_updates("places", _ARC)
"""By update, the slot of the arc that it adds; -1 if it adds none."""
END_BEFORE, END_NOW = of_updates("end_before", _ARC), of_updates("end_now", _ARC)
"""By row that changes, where its arcs ended and where they end."""

LOOK, SPREAD, OWN, CHANGE = "look", "spread", "own", "change"
"""The kernels' names."""


@cache
def looking() -> ir.Module:
    """The module that looks up the rows of updates, and writes down whose slots are."""
    i, row, node, slot = (ir.Variable(*what) for what in (("i", _INT), ("row", _NODE), ("node", _NODE), ("slot", _ARC)))
    one = ir.Const(1, _NODE)
    look = (
        ir.Let(row, ir.Load(ROWS, ir.Ref(i))),
        ir.Store(ROW_END, ir.Ref(i), ir.Load(ENDS, ir.Ref(row))),
        ir.Store(ROOM_END, ir.Ref(i), ir.Load(OFFSETS, build.plus(ir.Ref(row), one))),
    )
    slots = ir.Load(NEW_OFFSETS, ir.Ref(node)), ir.Load(NEW_OFFSETS, build.plus(ir.Ref(node), one))
    own = (ir.ForRange(slot, *slots, (ir.Store(OWNERS, ir.Ref(slot), ir.Ref(node)),)),)
    return module_of(
        kernel_of(LOOK, ir.Numbers(ir.Ref(COUNT)), i, look, "where the rows of updates end"),
        kernel_of(OWN, ir.AllNodes(), node, own, "each slot is its node's"),
    )


@cache
def spreading(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module that lays rows out anew. The first cells that move are the neighbors, of which slots without arcs have
    none."""
    carried = tuple(Carried.numbered(number, element) for number, element in enumerate(elements))
    node = ir.Variable("node", _NODE)
    begin, to, size, place, gap = (ir.Variable(word, _ARC) for word in ("begin", "to", "size", "place", "gap"))
    here, zero = ir.Ref(node), ir.Const(0, _ARC)
    at = build.plus(ir.Ref(to), ir.Ref(place))
    old = build.plus(ir.Ref(begin), ir.Ref(place))
    body = (
        ir.Let(begin, ir.Load(OFFSETS, here)),
        ir.Let(to, ir.Load(NEW_OFFSETS, here)),
        ir.Let(size, build.minus(ir.Load(ENDS, here), ir.Ref(begin))),
        ir.Store(NEW_ENDS, here, build.plus(ir.Ref(to), ir.Ref(size))),
        ir.ForRange(place, zero, ir.Ref(size), tuple(ir.Store(one.new, at, ir.Load(one.old, old)) for one in carried)),
        ir.ForRange(
            gap,
            build.plus(ir.Ref(to), ir.Ref(size)),
            ir.Load(NEW_OFFSETS, build.plus(here, ir.Const(1, _NODE))),
            (ir.Store(carried[0].new, ir.Ref(gap), ir.NO_NODE),),
        ),
    )
    return module_of(kernel_of(SPREAD, ir.AllNodes(), node, body, "rows with room"))


@cache
def changing(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module that changes rows in place, each by one thread; the first cells are the neighbors.

    Arcs that move back do so from the left to the right, then those that move on from the right to the left: so none is
    overwritten before it has moved, since arcs keep their order.
    """
    carried = tuple(Carried.numbered(number, element) for number, element in enumerate(elements))
    words = ("i", "first", "last", "left", "step", "right", "addition")
    i, first, last, left, step, right, addition = (ir.Variable(word, _INT) for word in words)
    slot, steps, slot_on, gap = (ir.Variable(word, _ARC) for word in ("slot", "steps", "slot_on", "gap"))
    zero = ir.Const(0, _ARC)

    def of(array: ir.Array, number: ir.Variable) -> ir.Expression:
        return ir.Load(array, ir.Ref(number))

    def moved(slot: ir.Variable, update: ir.Variable) -> tuple[ir.KernelOp, ...]:
        to = build.minus(ir.Ref(slot), of(BACK, update))
        return tuple(ir.Store(one.old, to, of(one.old, slot)) for one in carried)

    arcs_behind = of(BEGIN, left), of(END, left)
    back = ir.KernelIf(build.greater(of(BACK, left), zero), (ir.ForRange(slot, *arcs_behind, moved(slot, left)),))
    from_end = build.minus(build.minus(of(END, right), ir.Const(1, _ARC)), ir.Ref(steps))
    count = build.minus(of(END, right), of(BEGIN, right))
    on = ir.KernelIf(
        build.less(of(BACK, right), zero),
        (ir.ForRange(steps, zero, count, (ir.Let(slot_on, from_end), *moved(slot_on, right))),),
    )
    added = ir.KernelIf(
        build.at_least(of(PLACES, addition), zero),
        tuple(ir.Store(one.old, of(PLACES, addition), of(one.added, addition)) for one in carried),
    )
    updates = ir.Ref(first), ir.Ref(last)
    last_first = build.minus(build.minus(ir.Ref(last), build.ONE), ir.Ref(step))
    body = (
        ir.Let(first, of(STARTS, i)),
        ir.Let(last, ir.Load(STARTS, build.plus(ir.Ref(i), build.ONE))),
        ir.ForRange(left, *updates, (back,)),
        ir.ForRange(step, build.ZERO, build.minus(ir.Ref(last), ir.Ref(first)), (ir.Let(right, last_first), on)),
        ir.ForRange(addition, *updates, (added,)),
        ir.ForRange(gap, of(END_NOW, i), of(END_BEFORE, i), (ir.Store(carried[0].old, ir.Ref(gap), ir.NO_NODE),)),
        ir.Store(ENDS, of(ROWS, first), of(END_NOW, i)),
    )
    return module_of(kernel_of(CHANGE, ir.Numbers(ir.Ref(COUNT)), i, body, "rows change in place"))
