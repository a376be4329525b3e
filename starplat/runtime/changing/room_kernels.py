"""The kernels that change rows with room in place.

A slot without an arc holds ~node, of a node that an arc there might lead to: read so, rows ascend. A deletion turns the
neighbor of its arcs over, so nothing moves. An addition takes the slot before its place if that is empty; else the arcs
up to the next empty slot move by one. Long rows are shared out as segments, whose empty slots are their own.

Nothing is sorted: the additions to a segment make a list, found by the segment in a table with open addressing, and one
thread takes the list. Only those that find no room are sorted, for rows that are laid out anew then.
"""

from dataclasses import replace

from starplat.ir import build, nodes as ir
from starplat.runtime.changing.kernels import OFFSETS, Carried, of_updates
from starplat.runtime.own_kernels import COUNT, first_that, kernel_of

_ARC, _INT, _LONG, _NODE = ir.Element.ARC, ir.Element.INT, ir.Element.LONG, ir.Element.NODE


ENDS = ir.Array("ends", _ARC, ir.Extent.NODES, ir.Origin.PARAMETER)
"""Where rows would end whose arcs lay one behind the other: what their degrees are taken from."""
BEGINS, GOES = of_updates("begins", _NODE), of_updates("goes", _NODE)
"""The ends of additions, in the order of the slice; the row is that of the first."""
GONE_BEGINS, GONE_GOES = of_updates("gone_begins", _NODE), of_updates("gone_goes", _NODE)
"""Those of deletions."""
FIRST_SLOTS, HEADS = of_updates("first_slots", _LONG), of_updates("heads", _INT)
"""By cell of the table, the first slot of a segment and the number of the addition that begins its list; -1 where the
cell is free. They all are between two batches."""
NEXT = of_updates("next", _INT)
"""By addition, the one behind it in its list; -1 behind the last."""
LEFT_OVER = of_updates("left_over", ir.Element.BOOL)
"""By addition, whether its segment has no slot for the arc."""
ORDER = of_updates("order", _LONG)
"""Numbers of the additions that are left over, by row, neighbor and number."""
DELETIONS = ir.Variable("deletions", _INT)
"""How many deletions there are."""
CELLS = ir.Variable("cells", _INT)
"""Cells of the table."""
FULL = ir.Variable("full", _INT)
"""How many additions are left over."""

SEGMENT = 512
"""Slots of a segment of a long row; the last of a row has up to twice as many."""
LONGEST_LIST = 64
"""Longer lists are left over: hardly any segment has as many empty slots."""

FIND, ADD, ADD_BY_ROW = "find", "add", "add_by_row"
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


class _Update:
    """The variables of a thread that finds the place of an update in its row."""

    def __init__(self) -> None:
        self.row, self.neighbor, self.seen = variables(_NODE, "row", "neighbor", "seen")
        self.first, self.low, self.high, self.middle, self.end = variables(
            _ARC, "first", "low", "high", "middle", "end"
        )

    def found(self, begins: ir.Array, goes: ir.Array, number: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Sets the ends of the update, and the slots of the row."""
        return (
            ir.Let(self.row, ir.Load(begins, ir.Ref(number))),
            ir.Let(self.neighbor, ir.Load(goes, ir.Ref(number))),
            ir.Let(self.first, ir.Load(OFFSETS, ir.Ref(self.row))),
            ir.Let(self.low, ir.Ref(self.first)),
            ir.Let(self.end, ir.Load(OFFSETS, build.plus(ir.Ref(self.row), ir.Const(1, _NODE)))),
            ir.Let(self.high, ir.Ref(self.end)),
        )

    def deleted(self) -> tuple[ir.KernelOp, ...]:
        """Deletes the arc with those that are parallel to it."""
        gone = ir.Variable("gone", _INT)
        held, empty = ir.Load(neighbors(), ir.Ref(self.low)), turned(ir.Ref(self.neighbor))
        is_the_same = build.either(build.equal(held, ir.Ref(self.neighbor)), build.equal(held, empty))
        emptied = ir.CompareSwap(self.seen, neighbors(), ir.Ref(self.low), ir.Ref(self.neighbor), empty)
        counted = ir.KernelIf(build.equal(ir.Ref(self.seen), ir.Ref(self.neighbor)), (plus_one(gone),))
        fewer = build.minus(_ZERO, ir.Cast(ir.Ref(gone), _ARC))
        return (
            first_that(self.low, self.high, self.middle, _before(ir.Ref(self.middle), self.neighbor)),
            ir.Let(gone, build.ZERO),
            ir.Let(self.seen, _MINUS_ONE),
            ir.KernelWhile(
                build.both(build.less(ir.Ref(self.low), ir.Ref(self.end)), is_the_same),
                (emptied, counted, plus_one(self.low)),
            ),
            ir.KernelIf(
                build.greater(ir.Ref(gone), build.ZERO),
                (ir.UpdateCell(ir.Combine.ADD, ENDS, ir.Ref(self.row), fewer, shared=True),),
            ),
        )

    def segment(self, key: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Lets `key` be the first slot of the segment in which the arc is to lie."""
        last, segment = variables(_ARC, "last", "segment")
        length = ir.Const(SEGMENT, _ARC)
        return (
            first_that(self.low, self.high, self.middle, _not_behind(ir.Ref(self.middle), self.neighbor)),
            ir.Let(last, build.minus(build.divided(build.minus(ir.Ref(self.end), ir.Ref(self.first)), length), _ONE)),
            ir.Let(segment, build.divided(build.minus(ir.Ref(self.low), ir.Ref(self.first)), length)),
            ir.KernelIf(build.greater(ir.Ref(segment), ir.Ref(last)), (ir.SetLocal(segment, ir.Ref(last)),)),
            ir.KernelIf(build.less(ir.Ref(segment), _ZERO), (ir.SetLocal(segment, _ZERO),)),
            ir.Let(key, ir.Cast(build.plus(ir.Ref(self.first), build.times(ir.Ref(segment), length)), _LONG)),
        )


def _listed(i: ir.Variable, key: ir.Variable) -> tuple[ir.KernelOp, ...]:
    """Puts the addition `i` into the list of the segment `key`."""
    cell, behind, found = variables(_INT, "cell", "behind", "found")
    held, free = ir.Variable("held", _LONG), ir.Const(-1, _LONG)
    start = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(key), ir.Cast(ir.Ref(CELLS), _LONG), _LONG)
    claim = ir.CompareSwap(held, FIRST_SLOTS, ir.Ref(cell), free, ir.Ref(key))
    is_another = build.both(build.differs(ir.Ref(held), free), build.differs(ir.Ref(held), ir.Ref(key)))
    begin_anew = ir.KernelIf(build.equal(ir.Ref(cell), ir.Ref(CELLS)), (ir.SetLocal(cell, build.ZERO),))
    push = ir.CompareSwap(found, HEADS, ir.Ref(cell), ir.Ref(behind), ir.Ref(i))
    return (
        ir.Let(cell, ir.Cast(start, _INT)),
        ir.Let(held, free),
        claim,
        ir.KernelWhile(is_another, (plus_one(cell), begin_anew, claim)),
        ir.Let(behind, ir.Const(-1, _INT)),
        ir.Let(found, build.ZERO),
        push,
        ir.KernelWhile(build.differs(ir.Ref(found), ir.Ref(behind)), (ir.SetLocal(behind, ir.Ref(found)), push)),
        ir.Store(NEXT, ir.Ref(i), ir.Ref(behind)),
    )


def finding() -> ir.Kernel:
    """The kernel that deletes arcs, in any order, and lists additions by segment. Neither minds the other: a slot that
    is emptied meanwhile is read as the same node. Deletions come first, so that few warps have both."""
    gone, of = _Update(), _Update()
    i, number, key = *variables(_INT, "i", "number"), ir.Variable("key", _LONG)
    delete = (*gone.found(GONE_BEGINS, GONE_GOES, i), *gone.deleted())
    list_one = (
        ir.Let(number, build.minus(ir.Ref(i), ir.Ref(DELETIONS))),
        *of.found(BEGINS, GOES, number),
        *of.segment(key),
        *_listed(number, key),
        ir.Store(LEFT_OVER, ir.Ref(number), build.FALSE),
    )
    body = (ir.KernelIf(build.less(ir.Ref(i), ir.Ref(DELETIONS)), delete, list_one),)
    what = "deletes arcs, each with those parallel to it, and lists additions by segment"
    return kernel_of(FIND, ir.Numbers(ir.Ref(COUNT)), i, body, what)


class _Segment:
    """The variables of a thread that adds arcs to the slots from `first` up to `end` of a row. An arc is to lie before
    that of slot `low`, in the empty slot `to`, or -1; `gap` begins as `low` and looks for that slot."""

    def __init__(self, elements: tuple[ir.Element, ...]) -> None:
        self.carried = tuple(Carried.numbered(number, element) for number, element in enumerate(elements))
        self.number, self.added = variables(_INT, "number", "added")
        self.row, self.neighbor = variables(_NODE, "row", "neighbor")
        self.first, self.end, self.low, self.gap, self.to = variables(_ARC, "first", "end", "low", "gap", "to")

    def begins(self, number: ir.Expression, first: ir.Expression | None = None) -> tuple[ir.KernelOp, ...]:
        """Sets what is the same for all arcs; `first` is that of the row if not given."""
        self_row = ir.Ref(self.row)
        return (
            ir.Let(self.row, ir.Load(BEGINS, number)),
            ir.Let(self.first, ir.Load(OFFSETS, self_row) if first is None else first),
            ir.Let(self.end, ir.Load(OFFSETS, build.plus(self_row, ir.Const(1, _NODE)))),
            ir.Let(self.added, build.ZERO),
        )

    def cut(self) -> ir.KernelOp:
        """Lets the slots end where the segment does; the last segment of a row ends where the row does."""
        length = ir.Const(SEGMENT, _ARC)
        left = build.minus(build.minus(ir.Ref(self.end), ir.Ref(self.first)), length)
        end = ir.SetLocal(self.end, build.plus(ir.Ref(self.first), length))
        return ir.KernelIf(build.at_least(left, length), (end,))

    def ends(self) -> ir.KernelOp:
        """Tells the row how many arcs it has got."""
        return ir.UpdateCell(ir.Combine.ADD, ENDS, ir.Ref(self.row), ir.Cast(ir.Ref(self.added), _ARC), shared=True)

    def add_one(self, left_over: tuple[ir.KernelOp, ...] = ()) -> tuple[ir.KernelOp, ...]:
        """Adds the arc `number`; does `left_over` if there is no slot for it."""
        high, middle = variables(_ARC, "high", "middle")
        is_full = build.less(ir.Ref(self.to), _ZERO)
        stores = (ir.Store(one.old, ir.Ref(self.to), ir.Load(one.added, ir.Ref(self.number))) for one in self.carried)
        return (
            ir.Let(self.neighbor, ir.Load(GOES, ir.Ref(self.number))),
            ir.Let(self.low, ir.Ref(self.first)),
            ir.Let(high, ir.Ref(self.end)),
            first_that(self.low, high, middle, _not_behind(ir.Ref(middle), self.neighbor)),
            ir.Let(self.gap, ir.Ref(self.low)),
            ir.Let(self.to, ir.Const(-1, _ARC)),
            self.find_slot(),
            ir.KernelIf(is_full, left_over, (*stores, plus_one(self.added))),
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


def adding(elements: tuple[ir.Element, ...]) -> ir.Kernel:
    """The kernel that adds arcs, those of a list by one thread; the first cells are the neighbors."""
    of = _Segment(elements)
    cell, head, many, last, one = variables(_INT, "cell", "head", "many", "last", "one")

    def each_listed(body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        go_on = ir.SetLocal(one, ir.Load(NEXT, ir.Ref(one)))
        return (ir.Let(one, ir.Ref(head)), ir.KernelWhile(build.at_least(ir.Ref(one), build.ZERO), (*body, go_on)))

    def leave_over(number: ir.Variable) -> tuple[ir.KernelOp, ...]:
        return (ir.Store(LEFT_OVER, ir.Ref(number), build.TRUE), ir.Contribute(FULL, build.ONE))

    is_next = build.both(build.greater(ir.Ref(one), ir.Ref(last)), build.less(ir.Ref(one), ir.Ref(of.number)))
    add_next = (
        ir.Let(of.number, ir.Ref(COUNT)),
        *each_listed((ir.KernelIf(is_next, (ir.SetLocal(of.number, ir.Ref(one)),)),)),
        *of.add_one(leave_over(of.number)),
        ir.SetLocal(last, ir.Ref(of.number)),
        _minus_one(many),
    )
    add_all = (
        *of.begins(ir.Ref(head), ir.Cast(ir.Load(FIRST_SLOTS, ir.Ref(cell)), _ARC)),
        of.cut(),
        ir.Let(last, ir.Const(-1, _INT)),
        ir.KernelWhile(build.greater(ir.Ref(many), build.ZERO), add_next),
        of.ends(),
    )
    of_list = (
        ir.Let(many, build.ZERO),
        *each_listed((plus_one(many),)),
        ir.KernelIf(build.greater(ir.Ref(many), build.number(LONGEST_LIST)), each_listed(leave_over(one)), add_all),
        ir.Store(HEADS, ir.Ref(cell), ir.Const(-1, _INT)),
        ir.Store(FIRST_SLOTS, ir.Ref(cell), ir.Const(-1, _LONG)),
    )
    body = (ir.Let(head, ir.Load(HEADS, ir.Ref(cell))), ir.KernelIf(build.at_least(ir.Ref(head), build.ZERO), of_list))
    kernel = kernel_of(ADD, ir.Numbers(ir.Ref(CELLS)), cell, body, "adds arcs to rows that have room")
    return replace(kernel, reductions=(ir.Reduction(FULL, ir.Combine.ADD),))


def adding_by_row(elements: tuple[ir.Element, ...]) -> ir.Kernel:
    """The kernel that adds sorted arcs to rows with room for them, those of a row by one thread."""
    of = _Segment(elements)
    i, place, more = variables(_INT, "i", "place", "more")

    def number(place: ir.Expression) -> ir.Expression:
        return ir.Cast(ir.Load(ORDER, place), _INT)

    row = ir.Load(BEGINS, number(ir.Ref(place)))
    stop = (ir.SetLocal(more, build.ZERO),)
    is_another = (ir.KernelIf(build.differs(row, ir.Ref(of.row)), stop),)
    of_row = (
        *of.begins(number(ir.Ref(i))),
        ir.Let(place, ir.Ref(i)),
        ir.Let(more, build.ONE),
        ir.KernelWhile(
            build.greater(ir.Ref(more), build.ZERO),
            (
                ir.Let(of.number, number(ir.Ref(place))),
                *of.add_one(),
                plus_one(place),
                ir.KernelIf(build.less(ir.Ref(place), ir.Ref(COUNT)), is_another, stop),
            ),
        ),
        of.ends(),
    )
    before = ir.Load(BEGINS, number(build.minus(ir.Ref(i), build.ONE)))
    begins = build.either(build.equal(ir.Ref(i), build.ZERO), build.differs(before, ir.Load(BEGINS, number(ir.Ref(i)))))
    body = (ir.KernelIf(begins, of_row),)
    return kernel_of(ADD_BY_ROW, ir.Numbers(ir.Ref(COUNT)), i, body, "adds sorted arcs to rows")
