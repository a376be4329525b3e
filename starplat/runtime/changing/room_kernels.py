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


class _Segment:
    """The variables of a thread that adds arcs to the slots from `first` up to `end`. An arc is to lie before that of
    slot `low`, in the empty slot `to`, or -1; `gap` begins as `low` and looks for that slot."""

    def __init__(self, carried: tuple[Carried, ...]) -> None:
        self.carried = carried
        self.place, self.number, self.added = variables(_INT, "place", "number", "added")
        self.neighbor = ir.Variable("neighbor", _NODE)
        self.first, self.end, self.low, self.gap, self.to = variables(_ARC, "first", "end", "low", "gap", "to")

    def update(self) -> ir.Expression:
        """The number in the slice of the addition at `place`."""
        return ir.Cast(ir.Load(ORDER, ir.Ref(self.place)), _INT)

    def ends(self, row: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Sets `end`; the last segment of a row ends where the row does."""
        left = build.minus(build.minus(ir.Ref(self.end), ir.Ref(self.first)), ir.Ref(LENGTH))
        cut = ir.SetLocal(self.end, build.plus(ir.Ref(self.first), ir.Ref(LENGTH)))
        of_row = ir.Load(OFFSETS, build.plus(ir.Ref(row), ir.Const(1, _NODE)))
        return (ir.Let(self.end, of_row), ir.KernelIf(build.denied(build.less(left, ir.Ref(LENGTH))), (cut,)))

    def add_one(self) -> tuple[ir.KernelOp, ...]:
        """Adds the arc at `place`, or notes that it is left over."""
        high, middle = variables(_ARC, "high", "middle")
        is_full = build.less(ir.Ref(self.to), _ZERO)
        stores = (ir.Store(one.old, ir.Ref(self.to), ir.Load(one.added, ir.Ref(self.number))) for one in self.carried)
        return (
            ir.Let(self.number, self.update()),
            ir.Let(self.neighbor, ir.Load(GOES, ir.Ref(self.number))),
            ir.Let(self.low, ir.Ref(self.first)),
            ir.Let(high, ir.Ref(self.end)),
            first_that(self.low, high, middle, _not_behind(ir.Ref(middle), self.neighbor)),
            ir.Let(self.gap, ir.Ref(self.low)),
            ir.Let(self.to, ir.Const(-1, _ARC)),
            self.find_slot(),
            ir.Store(LEFT_OVER, ir.Ref(self.place), ir.Select(is_full, build.ONE, build.ZERO)),
            ir.KernelIf(is_full, (ir.Contribute(FULL, build.ONE),), (*stores, plus_one(self.added))),
        )

    def find_slot(self) -> ir.KernelOp:
        """Makes `to` an empty slot, if the segment has one: the slot before `low`, else by moving the arcs up to the
        next empty slot behind it, else up to the last before it."""
        low, gap, to = ir.Ref(self.low), ir.Ref(self.gap), ir.Ref(self.to)
        before, in_segment = build.minus(low, _ONE), build.at_least(gap, ir.Ref(self.first))
        on, back = build.plus(gap, _ONE), build.minus(gap, _ONE)
        move_left = (
            ir.SetLocal(self.to, before),
            ir.KernelWhile(build.less(gap, to), (*self._moved(gap, on), plus_one(self.gap))),
        )
        look_left = (
            ir.SetLocal(self.gap, before),
            ir.KernelWhile(build.both(in_segment, is_arc(gap)), (_minus_one(self.gap),)),
            ir.KernelIf(in_segment, move_left),
        )
        move_right = (
            ir.SetLocal(self.to, low),
            ir.KernelWhile(build.greater(gap, to), (*self._moved(gap, back), _minus_one(self.gap))),
        )
        look_right = (
            ir.KernelWhile(build.both(build.less(gap, ir.Ref(self.end)), is_arc(gap)), (plus_one(self.gap),)),
            ir.KernelIf(build.less(gap, ir.Ref(self.end)), move_right, look_left),
        )
        is_empty_before = build.both(build.greater(low, ir.Ref(self.first)), build.denied(is_arc(before)))
        return ir.KernelIf(is_empty_before, (ir.SetLocal(self.to, before),), look_right)

    def _moved(self, to: ir.Expression, of: ir.Expression) -> tuple[ir.KernelOp, ...]:
        return tuple(ir.Store(one.old, to, ir.Load(one.old, of)) for one in self.carried)


@cache
def adding(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module whose kernel adds arcs, those of a segment by one thread; the first cells are the neighbors."""
    of = _Segment(tuple(Carried.numbered(number, element) for number, element in enumerate(elements)))
    i, more, row = ir.Variable("i", _INT), ir.Variable("more", _INT), ir.Variable("row", _NODE)
    segment_here = ir.Load(SEGMENT, ir.Ref(of.place))
    segment_before = ir.Load(SEGMENT, build.minus(ir.Ref(of.place), build.ONE))
    mine = build.equal(segment_here, ir.Ref(of.first))
    is_another = (ir.KernelIf(build.denied(mine), (ir.SetLocal(more, build.ZERO),)),)
    is_last = (ir.SetLocal(more, build.ZERO),)
    go_on = (plus_one(of.place), ir.KernelIf(build.less(ir.Ref(of.place), ir.Ref(COUNT)), is_another, is_last))
    of_segment = (
        ir.Let(of.first, segment_here),
        ir.Let(row, ir.Load(BEGINS, of.update())),
        *of.ends(row),
        ir.Let(of.added, build.ZERO),
        ir.Let(more, build.ONE),
        ir.KernelWhile(build.greater(ir.Ref(more), build.ZERO), (*of.add_one(), *go_on)),
        ir.UpdateCell(ir.Combine.ADD, ENDS, ir.Ref(row), ir.Cast(ir.Ref(of.added), _ARC), shared=True),
    )
    begins = build.either(build.equal(ir.Ref(i), build.ZERO), build.differs(segment_before, segment_here))
    body = (ir.Let(of.place, ir.Ref(i)), ir.KernelIf(begins, of_segment))
    kernel = kernel_of(ADD, ir.Numbers(ir.Ref(COUNT)), i, body, "adds arcs to rows that have room")
    return module_of(replace(kernel, reductions=(ir.Reduction(FULL, ir.Combine.ADD),)))
