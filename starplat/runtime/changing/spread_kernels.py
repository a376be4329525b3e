"""The kernels that lay rows out anew, with empty slots between and behind their arcs.

The old rows may have empty slots themselves. So arcs are counted by piece of the old slots; the sums of these counts
say of every arc its place among the arcs of its row.
"""

from starplat.ir import build, nodes as ir
from starplat.runtime.changing.kernels import NEW_OFFSETS, OFFSETS, Carried
from starplat.runtime.changing.room_kernels import is_arc, neighbors, plus_one, turned, variables
from starplat.runtime.own_kernels import COUNT, first_that, kernel_of

_ARC, _INT, _NODE = ir.Element.ARC, ir.Element.INT, ir.Element.NODE

ARCS_OF_A_GAP = 16
"""Behind so many arcs of a row that is laid out anew lies an empty slot."""
NOTHING = -(2**31)
"""In a slot behind all arcs of its row."""
PIECE = 16
"""Slots that one thread lays out anew."""

OF_PIECES = ir.Extent.SLOTS // PIECE + 1
PIECES = ir.Array("pieces", _INT, OF_PIECES, ir.Origin.PARAMETER)
"""By piece of the old slots, how many arcs it has."""
ARCS_BEFORE = ir.Array("arcs_before", _ARC, OF_PIECES, ir.Origin.PARAMETER)
"""By piece of the old slots, how many arcs lie before it."""
SLOTS = ir.Variable("slots", _ARC)
"""How many slots there were."""
PACKED = ir.Array("packed", _ARC, ir.Extent.NODES_AND_ONE, ir.Origin.PARAMETER)
"""By row, how many arcs lie before it."""

TALLY = "tally"
"""The name of the kernel that counts."""

_ONE = ir.Const(1, _ARC)


def _each_slot(i: ir.Variable, slot: ir.Variable, body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
    """Goes over the slots of a piece."""
    first, end = variables(_ARC, "first_slot", "end_of_piece")
    return (
        ir.Let(first, build.times(ir.Cast(ir.Ref(i), _ARC), ir.Const(PIECE, _ARC))),
        ir.Let(end, build.plus(ir.Ref(first), ir.Const(PIECE, _ARC))),
        ir.KernelIf(build.greater(ir.Ref(end), ir.Ref(SLOTS)), (ir.SetLocal(end, ir.Ref(SLOTS)),)),
        ir.ForRange(slot, ir.Ref(first), ir.Ref(end), body),
    )


def tallying() -> ir.Kernel:
    """The kernel that counts the arcs of pieces."""
    i, arcs = variables(_INT, "i", "arcs")
    slot = ir.Variable("slot", _ARC)
    count = (ir.KernelIf(is_arc(ir.Ref(slot)), (plus_one(arcs),)),)
    body = (ir.Let(arcs, build.ZERO), *_each_slot(i, slot, count), ir.Store(PIECES, ir.Ref(i), ir.Ref(arcs)))
    return kernel_of(TALLY, ir.Numbers(ir.Ref(COUNT)), i, body, "arcs by piece")


def spread(number: int) -> str:
    """The name of the kernel that moves the cells of a number."""
    return f"spread_{number}"


def spreading(number: int, element: ir.Element) -> ir.Kernel:
    """The kernel that moves the cells of a number, 0 for the neighbors, into empty rows with room."""
    one = Carried.numbered(number, element)
    i = ir.Variable("i", _INT)
    row, low, high, middle = variables(_NODE, "row", "low", "high", "middle")
    slot, rank, place, to = variables(_ARC, "slot", "rank", "place", "to")
    node_one, every = ir.Const(1, _NODE), ir.Const(ARCS_OF_A_GAP, _ARC)

    def ends_before(row: ir.Variable) -> ir.Expression:
        return build.at_most(ir.Load(OFFSETS, build.plus(ir.Ref(row), node_one)), ir.Ref(slot))

    is_last_before_gap = build.equal(
        ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(place), every, _ARC), ir.Const(ARCS_OF_A_GAP - 1, _ARC)
    )
    gap = ir.Store(one.new, build.plus(ir.Ref(to), _ONE), turned(ir.Load(neighbors(), ir.Ref(slot))))
    move: tuple[ir.KernelOp, ...] = (
        ir.KernelWhile(ends_before(row), (plus_one(row),)),
        ir.Let(place, build.minus(ir.Ref(rank), ir.Load(PACKED, ir.Ref(row)))),
        ir.Let(
            to,
            build.plus(
                build.plus(ir.Load(NEW_OFFSETS, ir.Ref(row)), ir.Ref(place)), build.divided(ir.Ref(place), every)
            ),
        ),
        ir.Store(one.new, ir.Ref(to), ir.Load(one.old, ir.Ref(slot))),
        *(() if number else (ir.KernelIf(is_last_before_gap, (gap,)),)),
        plus_one(rank),
    )
    first = ir.Variable("first", _ARC)
    is_before = build.at_most(ir.Load(OFFSETS, build.plus(ir.Ref(middle), node_one)), ir.Ref(first))
    body = (
        ir.Let(first, build.times(ir.Cast(ir.Ref(i), _ARC), ir.Const(PIECE, _ARC))),
        ir.Let(low, ir.Const(0, _NODE)),
        ir.Let(high, ir.Cast(ir.NumNodes(), _NODE)),
        first_that(low, high, middle, is_before),
        ir.Let(row, ir.Ref(low)),
        ir.Let(rank, ir.Load(ARCS_BEFORE, ir.Ref(i))),
        *_each_slot(i, slot, (ir.KernelIf(is_arc(ir.Ref(slot)), move),)),
    )
    return kernel_of(spread(number), ir.Numbers(ir.Ref(COUNT)), i, body, "rows with room")
