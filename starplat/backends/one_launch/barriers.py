"""Places the grid barriers of a persistent kernel.

A barrier stands wherever a thread would otherwise touch a cell too early. It is left out where the same thread touches
every cell before and after. `together` makes the statements between barriers.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.backends import statements as st
from starplat.backends.one_launch.device_operations import DeviceOperations
from starplat.backends.uses import counters_in, variables_set
from starplat.ir import nodes as ir, visitor
from starplat.ir.access import Access, accesses
from starplat.same import Same

LISTED_WHILE_FEW = (ir.Packing.SWITCHED, ir.Packing.SHARED)
"""How sets are kept whose list may lack members."""

Pending = frozenset[Access]
"""The cells touched since the last barrier."""


class Touches:
    """The cells touched by the operations inside one.

    Attributes:
        known: what operations touch.
        counters: the variables in terms of which cells may be known; none on targets where no thread may look at a cell
            that another one writes.
    """

    def __init__(self, operations: DeviceOperations) -> None:
        self.module = operations.module
        self.noted = operations.noted
        op = operations.op
        self.counters = frozenset[ir.Variable]() if op.one_group else counters_in(op.body, self.module)
        self.known: dict[Same, Pending] = {}

    def touched(self, op: ir.HostOp) -> Pending:
        """The cells that one operation touches, where other threads may run at the same time. Loops ask again."""
        if Same(op) not in self.known:
            self.known[Same(op)] = self._newly_touched(op)
        return self.known[Same(op)]

    def _newly_touched(self, op: ir.HostOp) -> Pending:
        touched = accesses(op, self.module)
        lists = self.noted.get(Same(op))
        if lists is not None and lists.flags.packed is not ir.Packing.LIST:
            lacking = lists.flags if lists.flags.packed in LISTED_WHILE_FEW else None
            touched |= {Access(lists.array, False, None, lacking=lacking)}
        return self.still(touched)

    def still(self, touched: Pending) -> Pending:
        """The touched cells, of which only what counters say is kept."""
        return frozenset(access.in_terms_of(self.counters) for access in touched)

    def still_after(self, op: ir.HostOp, touched: Pending) -> Pending:
        """The same, for counters that the operation does not change."""
        left = self.counters - variables_set((op,), self.module)
        return frozenset(access.in_terms_of(left) for access in touched)

    def next_barrier(self, following: Sequence[ir.HostOp], pending: Pending) -> tuple[int, st.GridBarrier] | None:
        """The first of the following operations that needs a barrier, and its kind; None if none does before the first
        that contains others."""
        for place, op in enumerate(following):
            if isinstance(op, ir.Swap):
                pending = after_swap(pending, op.first, op.second)
                continue
            if visitor.blocks_of(op) or isinstance(op, ir.HostBreak | ir.HostContinue):
                return None
            touched = self.touched(op)
            for barrier in barrier_before(touched, pending):
                return place, barrier
            pending = self.still_after(op, pending | touched)
        return None


def barrier_before(touched: Pending, pending: Pending) -> tuple[st.GridBarrier, ...]:
    """The barrier before an operation that touches cells others have touched: unconditional, or only if the list of a
    set lacks some members."""
    disturbed = [(a, b) for a in touched for b in pending if a.disturbs(b)]
    if not disturbed:
        return ()
    sets = sorted({a.array for a in touched if a.array.packed in LISTED_WHILE_FEW}, key=lambda array: array.name)
    spared = (members for members in sets if not any(a.disturbs(b, listed=members) for a, b in disturbed))
    return (st.GridBarrier(next(spared, None)),)


def after_swap(pending: Pending, first: ir.Array, second: ir.Array) -> Pending:
    """The touched cells, under the names after a swap."""
    names = {first: second, second: first}

    def renamed(access: Access) -> Access:
        lacking = None if access.lacking is None else names.get(access.lacking, access.lacking)
        return replace(access, array=names.get(access.array, access.array), lacking=lacking)

    return frozenset(map(renamed, pending))


def short_behind_walks(body: st.Body) -> st.Body:
    """The statements of a cluster, with short barriers where its groups have just left a walk together."""
    made: list[st.Statement] = []
    together = False
    for statement in body:
        if isinstance(statement, st.GridBarrier) and statement.lacking is None:
            made.append(replace(statement, together=together))
        else:
            made.append(st.with_blocks(statement, short_behind_walks, st.While))
        together = _leaves_together(statement) or (together and isinstance(statement, _WITHOUT_WRITES))
    return tuple(made)


def side_by_side(body: st.Body) -> st.Body:
    """The statements of a cluster, where two walks over a set that need no barrier between them share its threads."""
    made: list[st.Statement] = []
    for statement in body:
        both = _both(made[-2], made[-1], statement) if len(made) > 1 else None
        if both is not None:
            made[-2:] = [both]
        elif isinstance(statement, st.While):
            made.append(replace(statement, body=side_by_side(statement.body)))
        else:
            made.append(statement)
    return tuple(made)


def _both(first: st.Statement, between: st.Statement, second: st.Statement) -> st.Scope | None:
    """A walk over the arcs of a set and a sum over its members as one, if only a list that lacks some parts them."""
    match first, between, second:
        case (
            st.Scope(comments, (st.Advance(keep=None, takes=False) as walk, *ends)),
            st.GridBarrier(ir.Array() as members),
            st.Scope(_, (st.Gather(keep=None, takes=True, noted=ir.ListMembers()) as gather,)),
        ) if members == walk.members == gather.members:
            return st.Scope(comments, (st.AdvanceAndGather(walk, gather), *ends))
    return None


_WITHOUT_WRITES = st.SwapPointers | st.Assign | st.Declare


def _leaves_together(statement: st.Statement) -> bool:
    """Whether a statement ends with a walk that the threads of a group leave together, or with sums of a cluster."""
    match statement:
        case st.Scope(_, (*_, st.Inserted(together=True))):
            return True
        case st.Scope(_, (*_, st.Gather(early=early))):
            return early is not None
    return False
