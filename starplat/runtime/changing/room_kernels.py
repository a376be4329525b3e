"""The kernels that change rows with room in place.

A slot without an arc holds ~node, of a node that an arc there might lead to: read so, rows ascend. A deletion turns the
neighbor of its arcs over, so nothing moves. An addition takes the slot before its place if that is empty; else the arcs
up to the next empty slot move by one. Long rows are shared out as segments, whose empty slots are their own.
"""

from dataclasses import replace
from functools import cache

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.runtime.changing.kernels import COUNT, OFFSETS, Carried, first_that, kernel_of, module_of, of_updates

_ARC, _INT, _LONG, _NODE = ir.Element.ARC, ir.Element.INT, ir.Element.LONG, ir.Element.NODE


ENDS = ir.Array("ends", _ARC, ir.Extent.NODES, ir.Origin.PARAMETER)
"""Where rows would end whose arcs lay one behind the other: what their degrees are taken from."""
BEGINS, GOES = of_updates("begins", _NODE), of_updates("goes", _NODE)
"""The ends of updates, in the order of the slice; the row is that of the first."""
ORDER = of_updates("order", _LONG)
"""Numbers of additions in the slice, by row, neighbor and number."""
SEGMENT = of_updates("segment", _ARC)
"""By place in ORDER, the first slot of the segment in which the arc is to lie."""
LEFT_OVER = of_updates("left_over", _INT)
"""By place in ORDER, whether the segment has no slot for the arc."""
LENGTH = ir.Variable("length", _ARC)
"""Slots of a segment; the last of a row has up to twice as many."""
FULL = ir.Variable("full", _INT)
"""How many additions were left over."""

DELETE, SEEK, ADD = "delete", "seek", "add"
"""The kernels' names."""

_ZERO, _ONE = ir.Const(0, _ARC), ir.Const(1, _ARC)
_MINUS_ONE = ir.Const(-1, _NODE)


def variables(element: ir.Element, *names: str) -> tuple[ir.Variable, ...]:
    return tuple(ir.Variable(name, element) for name in names)


def turned(node: ir.Expression) -> ir.Expression:
    """`~node`."""
    return build.minus(_MINUS_ONE, node)


def _before(slot: ir.Expression, node: ir.Variable) -> ir.Expression:
    """Whether a slot lies before all that lead to the node or might: read as a neighbor, it is less."""
    held = ir.Load(neighbors(), slot)
    return build.both(build.less(held, ir.Ref(node)), build.greater(held, turned(ir.Ref(node))))


def _not_behind(slot: ir.Expression, node: ir.Variable) -> ir.Expression:
    held = ir.Load(neighbors(), slot)
    return build.both(build.at_most(held, ir.Ref(node)), build.at_least(held, turned(ir.Ref(node))))


def is_arc(slot: ir.Expression) -> ir.Expression:
    return build.at_least(ir.Load(neighbors(), slot), ir.Const(0, _NODE))


def neighbors() -> ir.Array:
    """The cells by which rows are ordered: the first that move."""
    return Carried.numbered(0, _NODE).old


def plus_one(variable: ir.Variable) -> ir.SetLocal:
    return ir.SetLocal(variable, build.plus(ir.Ref(variable), ir.Const(1, variable.element)))


def _minus_one(variable: ir.Variable) -> ir.SetLocal:
    return ir.SetLocal(variable, build.minus(ir.Ref(variable), ir.Const(1, variable.element)))


@cache
def deleting() -> ir.Module:
    """The module whose kernel deletes arcs, in any order."""
    i, gone = variables(_INT, "i", "gone")
    row, neighbor, seen = variables(_NODE, "row", "neighbor", "seen")
    low, high, end, middle = variables(_ARC, "low", "high", "end", "middle")
    held, empty = ir.Load(neighbors(), ir.Ref(low)), turned(ir.Ref(neighbor))
    is_the_same = build.either(build.equal(held, ir.Ref(neighbor)), build.equal(held, empty))
    emptied = ir.CompareSwap(seen, neighbors(), ir.Ref(low), ir.Ref(neighbor), empty)
    counted = ir.KernelIf(build.equal(ir.Ref(seen), ir.Ref(neighbor)), (plus_one(gone),))
    fewer = build.minus(_ZERO, ir.Cast(ir.Ref(gone), _ARC))
    body = (
        *_row_of(ir.Ref(i), row, neighbor, low, high, end),
        first_that(low, high, middle, _before(ir.Ref(middle), neighbor)),
        ir.Let(gone, build.ZERO),
        ir.Let(seen, _MINUS_ONE),
        ir.KernelWhile(
            build.both(build.less(ir.Ref(low), ir.Ref(end)), is_the_same), (emptied, counted, plus_one(low))
        ),
        ir.KernelIf(
            build.greater(ir.Ref(gone), build.ZERO),
            (ir.UpdateCell(ir.Combine.ADD, ENDS, ir.Ref(row), fewer, shared=True),),
        ),
    )
    what = "deletes arcs, each with those parallel to it"
    return module_of(kernel_of(DELETE, ir.Numbers(ir.Ref(COUNT)), i, body, what))


def _row_of(
    number: ir.Expression,
    row: ir.Variable,
    neighbor: ir.Variable,
    low: ir.Variable,
    high: ir.Variable,
    end: ir.Variable,
) -> tuple[ir.KernelOp, ...]:
    """The ends of an update, and the slots of the row."""
    return (
        ir.Let(row, ir.Load(BEGINS, number)),
        ir.Let(neighbor, ir.Load(GOES, number)),
        ir.Let(low, ir.Load(OFFSETS, ir.Ref(row))),
        ir.Let(end, ir.Load(OFFSETS, build.plus(ir.Ref(row), ir.Const(1, _NODE)))),
        ir.Let(high, ir.Ref(end)),
    )


@cache
def seeking() -> ir.Module:
    """The module whose kernel finds the segments of additions."""
    i, number = variables(_INT, "i", "number")
    row, neighbor = variables(_NODE, "row", "neighbor")
    low, high, end, middle = variables(_ARC, "low", "high", "end", "middle")
    first, last, segment = variables(_ARC, "first", "last", "segment_in_row")
    body = (
        ir.Let(number, ir.Cast(ir.Load(ORDER, ir.Ref(i)), _INT)),
        *_row_of(ir.Ref(number), row, neighbor, low, high, end),
        ir.Let(first, ir.Ref(low)),
        first_that(low, high, middle, _not_behind(ir.Ref(middle), neighbor)),
        ir.Let(last, build.minus(build.divided(build.minus(ir.Ref(end), ir.Ref(first)), ir.Ref(LENGTH)), _ONE)),
        ir.Let(segment, build.divided(build.minus(ir.Ref(low), ir.Ref(first)), ir.Ref(LENGTH))),
        ir.KernelIf(build.greater(ir.Ref(segment), ir.Ref(last)), (ir.SetLocal(segment, ir.Ref(last)),)),
        ir.KernelIf(build.less(ir.Ref(segment), _ZERO), (ir.SetLocal(segment, _ZERO),)),
        ir.Store(SEGMENT, ir.Ref(i), build.plus(ir.Ref(first), build.times(ir.Ref(segment), ir.Ref(LENGTH)))),
    )
    return module_of(kernel_of(SEEK, ir.Numbers(ir.Ref(COUNT)), i, body, "where arcs are to be added"))


@cache
def adding(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module whose kernel adds arcs, those of a segment by one thread; the first cells are the neighbors."""
    carried = tuple(Carried.numbered(number, element) for number, element in enumerate(elements))
    i, place, more, number, added = variables(_INT, "i", "place", "more", "number", "added")
    row, neighbor = variables(_NODE, "row", "neighbor")
    segment, end, low, high, middle, gap, to = variables(_ARC, "first", "end", "low", "high", "middle", "gap", "to")
    mine = build.equal(ir.Load(SEGMENT, ir.Ref(place)), ir.Ref(segment))
    ends_here = build.less(build.minus(build.minus(ir.Ref(end), ir.Ref(segment)), ir.Ref(LENGTH)), ir.Ref(LENGTH))

    def of_update(place: ir.Expression) -> ir.Expression:
        return ir.Cast(ir.Load(ORDER, place), _INT)

    one = (
        ir.Let(number, of_update(ir.Ref(place))),
        ir.Let(neighbor, ir.Load(GOES, ir.Ref(number))),
        ir.Let(low, ir.Ref(segment)),
        ir.Let(high, ir.Ref(end)),
        first_that(low, high, middle, _not_behind(ir.Ref(middle), neighbor)),
        ir.Let(gap, ir.Ref(low)),
        ir.Let(to, ir.Const(-1, _ARC)),
        _slot_for_one(carried, segment, end, low, gap, to),
        ir.Store(LEFT_OVER, ir.Ref(place), ir.Select(build.less(ir.Ref(to), _ZERO), build.ONE, build.ZERO)),
        ir.KernelIf(
            build.less(ir.Ref(to), _ZERO),
            (ir.Contribute(FULL, build.ONE),),
            (
                *(ir.Store(cells.old, ir.Ref(to), ir.Load(cells.added, ir.Ref(number))) for cells in carried),
                plus_one(added),
            ),
        ),
        plus_one(place),
        ir.KernelIf(
            build.less(ir.Ref(place), ir.Ref(COUNT)),
            (ir.KernelIf(build.denied(mine), (ir.SetLocal(more, build.ZERO),)),),
            (ir.SetLocal(more, build.ZERO),),
        ),
    )
    begins = build.either(
        build.equal(ir.Ref(i), build.ZERO),
        build.differs(ir.Load(SEGMENT, build.minus(ir.Ref(place), build.ONE)), ir.Load(SEGMENT, ir.Ref(place))),
    )
    body = (
        ir.Let(place, ir.Ref(i)),
        ir.KernelIf(
            begins,
            (
                ir.Let(segment, ir.Load(SEGMENT, ir.Ref(place))),
                ir.Let(row, ir.Load(BEGINS, of_update(ir.Ref(place)))),
                ir.Let(end, ir.Load(OFFSETS, build.plus(ir.Ref(row), ir.Const(1, _NODE)))),
                ir.KernelIf(build.denied(ends_here), (ir.SetLocal(end, build.plus(ir.Ref(segment), ir.Ref(LENGTH))),)),
                ir.Let(added, build.ZERO),
                ir.Let(more, build.ONE),
                ir.KernelWhile(build.greater(ir.Ref(more), build.ZERO), one),
                ir.UpdateCell(ir.Combine.ADD, ENDS, ir.Ref(row), ir.Cast(ir.Ref(added), _ARC), shared=True),
            ),
        ),
    )
    kernel = kernel_of(ADD, ir.Numbers(ir.Ref(COUNT)), i, body, "adds arcs to rows that have room")
    return module_of(replace(kernel, reductions=(ir.Reduction(FULL, ir.Combine.ADD),)))


def _slot_for_one(
    carried: tuple[Carried, ...],
    segment: ir.Variable,
    end: ir.Variable,
    low: ir.Variable,
    gap: ir.Variable,
    to: ir.Variable,
) -> ir.KernelOp:
    """Makes `to` an empty slot for an arc that is to lie before that of slot `low`, if the segment has one: the slot
    before it, else by moving the arcs up to the next empty slot behind it, else up to the last before it. `gap` begins
    as `low`."""

    def moved(to: ir.Expression, of: ir.Expression) -> tuple[ir.KernelOp, ...]:
        return tuple(ir.Store(one.old, to, ir.Load(one.old, of)) for one in carried)

    def beside(slot: ir.Variable, by: int) -> ir.Expression:
        return build.minus(ir.Ref(slot), _ONE) if by < 0 else build.plus(ir.Ref(slot), _ONE)

    in_segment = build.at_least(ir.Ref(gap), ir.Ref(segment))
    move_left = (
        ir.SetLocal(to, beside(low, -1)),
        ir.KernelWhile(build.less(ir.Ref(gap), ir.Ref(to)), (*moved(ir.Ref(gap), beside(gap, 1)), plus_one(gap))),
    )
    look_left = (
        ir.SetLocal(gap, beside(low, -1)),
        ir.KernelWhile(build.both(in_segment, is_arc(ir.Ref(gap))), (_minus_one(gap),)),
        ir.KernelIf(in_segment, move_left),
    )
    move_right = (
        ir.SetLocal(to, ir.Ref(low)),
        ir.KernelWhile(build.greater(ir.Ref(gap), ir.Ref(to)), (*moved(ir.Ref(gap), beside(gap, -1)), _minus_one(gap))),
    )
    look_right = (
        ir.KernelWhile(build.both(build.less(ir.Ref(gap), ir.Ref(end)), is_arc(ir.Ref(gap))), (plus_one(gap),)),
        ir.KernelIf(build.less(ir.Ref(gap), ir.Ref(end)), move_right, look_left),
    )
    is_empty_before = build.both(build.greater(ir.Ref(low), ir.Ref(segment)), build.denied(is_arc(beside(low, -1))))
    return ir.KernelIf(is_empty_before, (ir.SetLocal(to, beside(low, -1)),), look_right)
