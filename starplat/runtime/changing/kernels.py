"""The kernels that merge updates with the rows of a graph, on every target that has kernels.

Updates come sorted by row, then neighbor, each pair of ends as one number. With each goes how many arcs it takes away:
those parallel to it, or -1 for an addition. The sums of these numbers say for every arc of the new graph, and for every
row, how far from there the old one lies; nothing else of the old arcs is looked at.
"""

from dataclasses import dataclass
from functools import cache

from starplat.ir import build, nodes as ir
from starplat.runtime.own_kernels import COUNT, first_that, kernel_of, module_of

PIECE = 256
"""New arcs of which one number of `pieces` tells how many updates lie before them."""

_ARC, _INT, _LONG, _NODE = ir.Element.ARC, ir.Element.INT, ir.Element.LONG, ir.Element.NODE


def of_updates(name: str, element: ir.Element) -> ir.Array:
    """A parameter with a cell for each update."""
    return ir.Array(name, element, ir.Extent.UPDATES, ir.Origin.PARAMETER)


KEYS = of_updates("keys", _LONG)
"""2 * (row * n + neighbor) of every deletion, one more of every addition, ascending."""
ROWS = of_updates("rows", _NODE)
"""Their rows."""
FIRST = of_updates("first", _ARC)
"""By update, the old number of the first arc that it takes away, or before which it adds one."""
GONE = of_updates("gone", _ARC)
"""By update, how many arcs it takes away; -1 for an addition."""
SHIFT = of_updates("shift", _ARC)
"""By number of updates, how many arcs the first so many take away."""
MARKS = of_updates("marks", _ARC)
"""By update, the new number of the arc that it adds, or before which it takes some away; ascending."""
PIECES = of_updates("pieces", _INT)
"""By piece of the new arcs, how many marks lie before it."""
OTHER_FIRST, OTHER_SHIFT = of_updates("other_first", _ARC), of_updates("other_shift", _ARC)
"""FIRST and SHIFT of the rows by which arcs are numbered."""
OFFSETS = ir.Array("offsets", _ARC, ir.Extent.NODES_AND_ONE, ir.Origin.PARAMETER)
NEIGHBORS = ir.Array("neighbors", _NODE, ir.Extent.SLOTS, ir.Origin.PARAMETER)
NEW_OFFSETS = ir.Array("new_offsets", _ARC, ir.Extent.NODES_AND_ONE, ir.Origin.PARAMETER)
"""The old rows, and where the new ones begin."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Cells of one kind: of the old arcs, of the added ones in their order, of the new arcs."""

    old: ir.Array
    added: ir.Array
    new: ir.Array

    @classmethod
    @cache
    def numbered(cls, number: int, element: ir.Element) -> "Carried":
        """The arrays of a number in a module."""
        return cls(
            ir.Array(f"old_{number}", element, ir.Extent.ARCS, ir.Origin.PARAMETER),
            of_updates(f"added_{number}", element),
            ir.Array(f"new_{number}", element, ir.Extent.ARCS, ir.Origin.PARAMETER),
        )


FIND, MOVE_ROWS, MOVE, RENUMBER = "find", "move_rows", "move", "renumber"
"""The kernels' names."""

NUMBERS = Carried.numbered(0, _ARC)
"""What the kernels that renumber take: the old arcs' numbers, where the added ones lie, the new numbers."""


@cache
def finding() -> ir.Module:
    """The module that finds where updates meet the rows, and moves the rows and the numbers of arcs."""
    return module_of(_found(), _moved_rows(), _moved(RENUMBER, (NUMBERS,), renumbers=True))


@cache
def moving(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module that moves cells of these types together, each with its arc."""
    carried = tuple(Carried.numbered(number, element) for number, element in enumerate(elements))
    return module_of(_moved(MOVE, carried))


def _found() -> ir.Kernel:
    """By update, its place in its row. Of deletions of one pair of ends the first alone takes arcs away."""
    i, key, pair = ir.Variable("i", _INT), ir.Variable("key", _LONG), ir.Variable("pair", _LONG)
    row, neighbor = ir.Variable("row", _NODE), ir.Variable("neighbor", _NODE)
    low, high, last, end = (ir.Variable(word, _ARC) for word in ("low", "high", "last", "end"))
    middle, behind = ir.Variable("middle", _ARC), ir.Variable("behind", _ARC)
    nodes, at, two = ir.NumNodes(_LONG), ir.Ref(i), ir.Const(2, _LONG)
    is_addition = build.equal(ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(key), two, _LONG), ir.Const(1, _LONG))
    before = ir.Load(KEYS, build.minus(at, build.ONE))
    repeats = build.both(build.greater(at, build.ZERO), build.equal(before, ir.Ref(key)))
    body = (
        ir.Let(key, ir.Load(KEYS, at)),
        ir.Let(pair, build.half(ir.Ref(key))),
        ir.Let(row, ir.Cast(build.divided(ir.Ref(pair), nodes), _NODE)),
        ir.Let(neighbor, ir.Cast(ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(pair), nodes, _LONG), _NODE)),
        ir.Store(ROWS, at, ir.Ref(row)),
        ir.Let(low, ir.Load(OFFSETS, ir.Ref(row))),
        ir.Let(high, ir.Load(OFFSETS, build.plus(ir.Ref(row), ir.Const(1, _NODE)))),
        ir.Let(end, ir.Ref(high)),
        first_that(low, high, middle, build.less(ir.Load(NEIGHBORS, ir.Ref(middle)), ir.Ref(neighbor))),
        ir.Let(last, ir.Ref(low)),
        first_that(last, end, behind, build.at_most(ir.Load(NEIGHBORS, ir.Ref(behind)), ir.Ref(neighbor))),
        ir.KernelIf(
            is_addition,
            (ir.Store(FIRST, at, ir.Ref(last)), ir.Store(GONE, at, ir.Const(-1, _ARC))),
            (
                ir.KernelIf(repeats, (ir.SetLocal(low, ir.Ref(last)),)),
                ir.Store(FIRST, at, ir.Ref(low)),
                ir.Store(GONE, at, build.minus(ir.Ref(last), ir.Ref(low))),
            ),
        ),
    )
    what = "the arcs that are deleted, each with those parallel to it, and where arcs are added: behind these"
    return kernel_of(FIND, ir.Numbers(ir.Ref(COUNT)), i, body, what)


def _moved_rows() -> ir.Kernel:
    """Where the next row begins: earlier by as many arcs as the updates of the rows up to this one take away."""
    node = ir.Variable("node", _NODE)
    low, high, middle = (ir.Variable(word, _INT) for word in ("low", "high", "middle"))
    behind = build.plus(ir.Ref(node), ir.Const(1, _NODE))
    body = (
        ir.Let(low, build.ZERO),
        ir.Let(high, ir.Ref(COUNT)),
        first_that(low, high, middle, build.at_most(ir.Load(ROWS, ir.Ref(middle)), ir.Ref(node))),
        ir.Store(NEW_OFFSETS, behind, build.minus(ir.Load(OFFSETS, behind), ir.Load(SHIFT, ir.Ref(low)))),
        ir.KernelIf(
            build.equal(ir.Ref(node), ir.Const(0, _NODE)),
            (ir.Store(NEW_OFFSETS, ir.Const(0, _NODE), ir.Const(0, _ARC)),),
        ),
    )
    return kernel_of(MOVE_ROWS, ir.AllNodes(), node, body, "where rows begin")


def _moved(name: str, carried: tuple[Carried, ...], *, renumbers: bool = False) -> ir.Kernel:
    """By new arc, what the old one had, or what was added."""
    arc, was, number = ir.Variable("arc", _ARC), ir.Variable("was", _ARC), ir.Variable("number", _ARC)
    low, high, middle = (ir.Variable(word, _INT) for word in ("low", "high", "middle"))
    piece = build.divided(ir.Ref(arc), ir.Const(PIECE, _ARC))
    last = build.minus(ir.Ref(low), build.ONE)
    is_old: tuple[ir.KernelOp, ...] = (ir.Let(was, build.plus(ir.Ref(arc), ir.Load(SHIFT, ir.Ref(low)))),)
    if renumbers:
        is_old = (*is_old, *_renumbered(number, was), ir.Store(NUMBERS.new, ir.Ref(arc), ir.Ref(number)))
    else:
        is_old += tuple(ir.Store(one.new, ir.Ref(arc), ir.Load(one.old, ir.Ref(was))) for one in carried)
    is_added = build.both(
        build.greater(ir.Ref(low), build.ZERO),
        build.equal(ir.Load(MARKS, last), ir.Ref(arc)),
        build.equal(ir.Load(GONE, last), ir.Const(-1, _ARC)),
    )
    body = (
        ir.Let(low, ir.Load(PIECES, piece)),
        ir.Let(high, ir.Load(PIECES, build.plus(piece, ir.Const(1, _ARC)))),
        first_that(low, high, middle, build.at_most(ir.Load(MARKS, ir.Ref(middle)), ir.Ref(arc))),
        ir.KernelIf(
            is_added, tuple(ir.Store(one.new, ir.Ref(arc), ir.Load(one.added, last)) for one in carried), is_old
        ),
    )
    what = "the numbers of arcs, each in its place and as it is now" if renumbers else "cells, each with its arc"
    return kernel_of(name, ir.AllArcs(), arc, body, what)


def _renumbered(number: ir.Variable, before: ir.Variable) -> tuple[ir.KernelOp, ...]:
    """The number that an old arc has now: less by as many as the updates at and before it take away."""
    left, right, half = (ir.Variable(word, _INT) for word in ("left", "right", "between"))
    return (
        ir.Let(number, ir.Load(NUMBERS.old, ir.Ref(before))),
        ir.Let(left, build.ZERO),
        ir.Let(right, ir.Ref(COUNT)),
        first_that(left, right, half, build.at_most(ir.Load(OTHER_FIRST, ir.Ref(half)), ir.Ref(number))),
        ir.SetLocal(number, build.minus(ir.Ref(number), ir.Load(OTHER_SHIFT, ir.Ref(left)))),
    )
