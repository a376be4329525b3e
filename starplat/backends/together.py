"""Makes one kernel of an `OnDevice` operation: the host operations in it become what every thread of the launch does.

All threads follow the same path: scalars are computed by each of them from the same values, cells that the host would
write are written by one of them, and a grid barrier stands wherever a thread would otherwise touch a cell too early. A
barrier is left out where every cell is touched by the same thread before and after.

What a reduction finds comes together in a ring of three cells: one that is added to, one that everybody reads, and one
that is made ready for the next time. So nobody needs to wait for the making ready.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import assert_never

from starplat.backends.comments import comment, origin
from starplat.backends.launch import THREADS_TOGETHER
from starplat.backends.legalise import Legaliser, negated
from starplat.backends.nearest import nearest_first
from starplat.backends.recording import Points
from starplat.backends.statements import (
    Accumulate,
    AskEmpty,
    AskSize,
    Assign,
    Break,
    Clear,
    CombineCell,
    CombineGroup,
    Continue,
    Count,
    Declare,
    GridBarrier,
    If,
    IfMany,
    Insert,
    Inserted,
    LegalLoop,
    NoteMembers,
    OnFirst,
    Scope,
    Statement,
    StoreCell,
    Stride,
    SwapPointers,
    While,
    result_element,
)
from starplat.backends.unread import without_unread
from starplat.backends.uses import arrays_in, assigned_in, variables_in, walk
from starplat.ir.access import LOOKED_AT, Access, accesses
from starplat.ir.arithmetic import identity
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    CopyArray,
    DeclareVariable,
    Direction,
    Element,
    Expression,
    Extent,
    Fill,
    ForNeighbors,
    HostBlock,
    HostBreak,
    HostContinue,
    HostFor,
    HostForRange,
    HostIf,
    HostOp,
    HostWhile,
    Kernel,
    Launch,
    ListMembers,
    Load,
    Module,
    NearestFirst,
    NumArcs,
    NumNodes,
    Once,
    OnDevice,
    Origin,
    PushOrPull,
    ReadCell,
    ReadEmpty,
    ReadSize,
    Reduction,
    Ref,
    Select,
    SetVariable,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
    WriteCell,
)
from starplat.ir.visitor import walk_host, walk_kernel

RING = 3

_ONE, _ZERO = Const(1, Element.INT), Const(0, Element.INT)

Pending = frozenset[Access]
Body = tuple[Statement, ...]


def legal_loop(op: OnDevice, module: Module, capabilities: Capabilities) -> LegalLoop:
    """The operation as statements."""
    everything = (module.functions, module.kernels)
    taken = {array.name for array in arrays_in(everything)} | {v.name for v in variables_in(everything)}
    return Together(op, module, capabilities, taken).loop()


@dataclass(frozen=True, slots=True)
class Ring:
    """Where the contributions to a reduction come together: `turn` says which cell is in use."""

    cells: Array
    turn: Variable
    reduction: Reduction


class Together:
    """Works on one operation."""

    def __init__(self, op: OnDevice, module: Module, capabilities: Capabilities, taken: set[str]) -> None:
        self.op = op
        self.module = module
        self.capabilities = capabilities
        self.taken = taken
        self.rings: dict[tuple[str, Variable], Ring] = {}
        launched = dict.fromkeys(inner.kernel for inner in walk_host(op.body) if isinstance(inner, Launch))
        for kernel in map(module.kernel, launched):
            for reduction in kernel.reductions:
                self.rings[kernel.name, reduction.variable] = self.ring(reduction)
        self.rows: dict[Array, Array] = {}
        for either in (inner for inner in walk_host(op.body) if isinstance(inner, PushOrPull)):
            self.share_rings(either)
            self.weigh(either)
        changed = {r.variable for kernel in map(module.kernel, launched) for r in kernel.reductions}
        reads = ReadCell | ReadEmpty | ReadSize
        changed |= {inner.variable for inner in walk_host(op.body) if isinstance(inner, reads)}
        self.changing = assigned_in(op.body) | changed
        self.leaving: list[set[Access]] = []
        self.points = Points(op, module)

    def share_rings(self, op: PushOrPull) -> None:
        """What pulls contributes where what pushes does: only one of them runs at a time."""
        for push, pull in product(op.push, op.pull):
            if isinstance(push, Launch) and isinstance(pull, Launch):
                for reduction in self.module.kernel(pull.kernel).reductions:
                    if (push.kernel, reduction.variable) in self.rings:
                        self.rings[pull.kernel, reduction.variable] = self.rings[push.kernel, reduction.variable]

    def weigh(self, op: PushOrPull) -> None:
        """Notes that the arcs of the members count, and of the sets that they change places with."""
        launched = (self.module.kernel(inner.kernel) for inner in walk_host(op.push) if isinstance(inner, Launch))
        walks = [part for kernel in launched for part in walk_kernel(kernel.body) if isinstance(part, ForNeighbors)]
        rows = ROW_OFFSETS if walks[0].direction is Direction.OUT else IN_ROW_OFFSETS
        weighed = {op.members}
        for swap in (inner for inner in walk_host(self.op.body) if isinstance(inner, Swap)):
            if weighed & {swap.first, swap.second}:
                weighed |= {swap.first, swap.second}
        self.rows |= dict.fromkeys(weighed, rows)

    def ring(self, reduction: Reduction) -> Ring:
        name, element = reduction.variable.name, result_element(reduction.variable.element)
        cells = Array(self.fresh(f"{name}_found"), element, Extent.ONE, Origin.TEMPORARY)
        return Ring(cells, Variable(self.fresh(f"{name}_turn"), Element.INT), reduction)

    def fresh(self, name: str) -> str:
        number, candidate = 2, name
        while candidate in self.taken:
            candidate, number = f"{name}_{number}", number + 1
        self.taken.add(candidate)
        return candidate

    def loop(self) -> LegalLoop:
        body, _ = self.block(self.op.body, frozenset())
        outcomes = tuple(
            Array(self.fresh(f"{v.name}_outcome"), result_element(v.element), Extent.ONE, Origin.TEMPORARY)
            for v in self.op.outcomes
        )
        stores = tuple(StoreCell(a, _ZERO, Ref(v)) for a, v in zip(outcomes, self.op.outcomes, strict=True))
        end = (OnFirst(stores),) if stores else ()
        used = arrays_in(body)
        rings = [ring for ring in dict.fromkeys(self.rings.values()) if ring.cells in used]
        turns = tuple(Declare(ring.turn, _ZERO, constant=False) for ring in rings)
        found = tuple((ring.cells, self.start(ring)) for ring in rings)
        return LegalLoop(self.op, found, outcomes, without_unread((*turns, *body, *end)))

    def start(self, ring: Ring) -> Const:
        start = identity(ring.reduction.combine, ring.reduction.variable.element)
        return Const(int(start.value), Element.INT) if start.element is Element.BOOL else start

    # --- barriers ----------------------------------------------------------------------------------------------------

    def block(self, ops: Iterable[HostOp], pending: Pending) -> tuple[Body, Pending]:
        """The operations as statements, from what has been touched since the last barrier, and what has been then."""
        done: list[Statement] = []
        for op in ops:
            body, pending = self.operation(op, pending)
            done += body
        return tuple(done), pending

    def operation(self, op: HostOp, pending: Pending) -> tuple[Body, Pending]:
        match op:
            case HostBlock(body):
                return self.block(body, pending)
            case HostIf(condition, then, otherwise):
                first, after = self.block(then, pending)
                second, other = self.block(otherwise, pending)
                return (If(condition, first, second),), after | other
            case HostWhile() | HostFor() | HostForRange():
                return self.settled_loop(op, pending)
            case PushOrPull():
                return self.push_or_pull(op, pending)
            case NearestFirst():
                before: Body = (GridBarrier(),) if pending else ()
                return (*before, *nearest_first(op, self)), frozenset()
            case HostBreak() | HostContinue():
                self.leaving[-1].update(pending)
                return (Break() if isinstance(op, HostBreak) else Continue(),), pending
            case Swap(first_array, second_array):
                return (SwapPointers(first_array, second_array),), _swapped(pending, first_array, second_array)
            case _:
                touched = accesses(op, self.module)
                waits = any(a.disturbs(b) for a in touched for b in pending)
                before = (GridBarrier(),) if waits else ()
                pending = touched if waits else pending | touched
                return self.plain(op, before, pending)

    def push_or_pull(self, op: PushOrPull, pending: Pending) -> tuple[Body, Pending]:
        """The choice needs to know how many members there are, which walking does not change; who pulls ends with a
        barrier, so that who pushes never waits for it."""
        looked = Access(op.members, False, LOOKED_AT)
        waits = any(looked.disturbs(access) for access in pending)
        before: Body = (GridBarrier(),) if waits else ()
        begin = frozenset({looked}) if waits else pending | {looked}
        many, left = self.block(op.pull, begin)
        few, after = self.block(op.push, begin)
        if left - after:
            many = (*many, GridBarrier())
        return (*before, IfMany(op.members, many, few)), after

    def plain(self, op: HostOp, before: Body, pending: Pending) -> tuple[Body, Pending]:
        body = (*before, *self.points.before(op), *self.statements(op))
        if isinstance(op, Launch) and (reductions := self.module.kernel(op.kernel).reductions):
            rings = [self.rings[op.kernel, reduction.variable] for reduction in reductions]
            return (*body, GridBarrier(), *(s for ring in rings for s in _collected(ring))), frozenset()
        return body, pending

    def settled_loop(self, op: HostWhile | HostFor | HostForRange, pending: Pending) -> tuple[Body, Pending]:
        """A loop, with a barrier before it if that spares one in every round."""
        body, end = self.loop_from(op, pending)
        if not pending:
            return body, end
        fresh, after = self.loop_from(op, frozenset())
        if _barriers(fresh) < _barriers(body):
            return (GridBarrier(), *fresh), after
        return body, end

    def loop_from(self, op: HostWhile | HostFor | HostForRange, begin: Pending) -> tuple[Body, Pending]:
        """A loop begins with what was touched before it or at the end of a round."""
        while True:
            self.leaving.append(set())
            body, end = self.one_loop(op, begin)
            body = self.points.in_loop(op, body)
            again = begin | end | self.leaving.pop()
            if again == begin:
                return body, begin
            begin = again

    # --- statements --------------------------------------------------------------------------------------------------

    def one_loop(self, op: HostWhile | HostFor | HostForRange, begin: Pending) -> tuple[Body, Pending]:
        match op:
            case HostWhile(before, condition, body, True):
                inner, end = self.block(body, begin)
                late, end = self.block(before, end | self.leaving[-1])
                if not before:
                    return (While(condition, inner, test_last=True),), end
                inner = _before_continue(inner, (*late, _unless(condition)))
                return (While(_TRUE, (*inner, *late, _unless(condition))),), end
            case HostWhile(before, condition, body):
                early, after = self.block(before, begin)
                inner, end = self.block(body, after)
                if not before:
                    return (While(condition, inner),), end
                self.leaving[-1].update(after)
                return (While(_TRUE, (*early, _unless(condition), *inner)),), end
            case HostFor(before, condition, step, body):
                early, after = self.block(before, begin)
                inner, end = self.block(body, after)
                stepped, end = self.block(step, end | self.leaving[-1])
                self.leaving[-1].update(after)
                inner = _before_continue(inner, stepped)
                head: Body = (*early, _unless(condition)) if before else ()
                return (While(_TRUE if before else condition, (*head, *inner, *stepped)),), end
            case HostForRange(variable, first, last, body):
                inner, end = self.block(body, begin)
                stop = Variable(self.fresh(f"{variable.name}_end"), last.element)
                count = Count(variable, first, Ref(stop), Stride.ONE, inner)
                return (Scope((), (Declare(stop, last, constant=True), count)),), end
        assert_never(op)

    def statements(self, op: HostOp) -> Body:
        match op:
            case DeclareVariable(variable, value):
                return (Declare(variable, value, variable not in self.changing),)
            case SetVariable(variable, value):
                return (Assign(variable, value),)
            case Fill(array) if array.packed:
                return (Clear(array),)
            case Fill(array, value):
                return (self.every_cell(array, value),)
            case CopyArray(destination, source):
                return (self.every_cell(destination, None, source),)
            case ReadEmpty(variable, flags, when_empty):
                return (AskEmpty(variable, flags, when_empty),)
            case ReadSize(variable, flags):
                return (AskSize(variable, flags),)
            case ListMembers(flags, array, first):
                return (NoteMembers(flags, array, first),)
            case ReadCell(variable, array, index):
                return (Assign(variable, Load(array, index)),)
            case WriteCell(array, index) if array.packed:
                return (OnFirst((Insert(array, index, alone=True),)),)
            case WriteCell(array, index, value):
                return (OnFirst((StoreCell(array, index, value),)),)
            case Launch(kernel):
                return self.launch(self.module.kernel(kernel))
            case _:
                raise AssertionError(f"the schedule does not put {type(op).__name__} on the device")

    def every_cell(self, array: Array, value: Expression | None, source: Array | None = None) -> Statement:
        wide = array.extent is Extent.ARCS
        cell = Variable(self.fresh("cell"), Element.ARC if wide else Element.INT)
        self.taken.discard(cell.name)
        index = _ZERO if array.extent is Extent.ONE else Ref(cell)
        stored = value if source is None else Load(source, index)
        assert stored is not None
        if array.extent is Extent.ONE:
            return OnFirst((StoreCell(array, index, stored),))
        end: Expression = NumArcs() if wide else NumNodes()
        if array.extent is Extent.BITS:
            end = Binary(BinaryOperator.DIVIDE, end, Const(32, Element.INT), Element.INT)
        if array.extent in (Extent.NODES_AND_ONE, Extent.BITS):
            end = Binary(BinaryOperator.ADD, end, _ONE, Element.INT)
        return Count(cell, _ZERO, end, Stride.GRID, (StoreCell(array, Ref(cell), stored),))

    def comments(self, kernel: Kernel) -> tuple[str, ...]:
        """Where a kernel stems from, and what it is for."""
        return tuple(comment(text) for text in (origin(self.module, kernel.span), kernel.comment) if text)

    def walk(self, kernel: Kernel) -> Body:
        """The body of a kernel without reductions."""
        legaliser = Legaliser(kernel, self.module, self.capabilities)
        legaliser.taken |= self.taken
        return legaliser.over_all(kernel)

    def launch(self, kernel: Kernel) -> Body:
        """A kernel's body where it is launched, and what its threads found in the rings."""
        comments = self.comments(kernel)
        legaliser = Legaliser(kernel, self.module, self.capabilities)
        legaliser.taken |= self.taken
        rings = [self.rings[kernel.name, reduction.variable] for reduction in kernel.reductions]
        parts, body = _over_all(legaliser, kernel)
        declared = tuple(
            Declare(part, legaliser.start(ring.reduction), constant=False)
            for part, ring in zip(parts, rings, strict=True)
        )
        alone = isinstance(kernel.domain, Once)
        ready = tuple(StoreCell(r.cells, _next(r.turn), self.start(r)) for r in rings)
        ends = tuple(s for part, ring in zip(parts, rings, strict=True) for s in self.end(part, ring, legaliser, alone))
        added = dict.fromkeys(part.members for part in walk(body) if isinstance(part, Insert))
        sets = tuple(Inserted(members, self.rows.get(members)) for members in added)
        if alone:
            return (Scope(comments, (OnFirst((*ready, *declared, *body, *ends)), *sets)),)
        first: Body = (OnFirst(ready),) if ready else ()
        return (Scope(comments, (*first, *declared, *body, *sets, *ends)),)

    def end(self, part: Variable, ring: Ring, legaliser: Legaliser, alone: bool) -> Body:
        """What a thread found goes into the ring."""
        combine, here = ring.reduction.combine, Ref(ring.turn)
        if part.element is Element.BOOL and combine in (Combine.OR, Combine.BIT_OR, Combine.MAX, Combine.ADD):
            return (If(Ref(part), (StoreCell(ring.cells, here, _ONE),)),)
        if part.element is Element.BOOL and combine is not Combine.BIT_XOR:
            return (If(Unary(UnaryOperator.NOT, Ref(part)), (StoreCell(ring.cells, here, _ZERO),)),)
        if alone:
            return (CombineCell(combine, ring.cells, here, Ref(part)),)
        method = legaliser.method(combine, ring.cells.element)
        scratch = legaliser.fresh(f"{part.name}_scratch", ring.cells.element)
        return (CombineGroup(combine, part, ring.cells, scratch, method, THREADS_TOGETHER, here),)


_TRUE = Const(True, Element.BOOL)


def _over_all(legaliser: Legaliser, kernel: Kernel) -> tuple[list[Variable], Body]:
    body = legaliser.over_all(kernel)
    return [legaliser.parts[reduction.variable] for reduction in kernel.reductions], body


def _barriers(body: Body) -> int:
    return sum(isinstance(part, GridBarrier) for part in walk(body))


def _unless(condition: Expression) -> Statement:
    return If(negated(condition), (Break(),))


def _next(turn: Variable) -> Expression:
    """The cell of a ring after the one in use."""
    last = Binary(BinaryOperator.EQUAL, Ref(turn), Const(RING - 1, Element.INT), Element.BOOL)
    return Select(last, _ZERO, Binary(BinaryOperator.ADD, Ref(turn), _ONE, Element.INT))


def _collected(ring: Ring) -> Body:
    """What all threads found, combined with what the variable was; the ring turns."""
    variable, combine = ring.reduction.variable, ring.reduction.combine
    found: Expression = Load(ring.cells, Ref(ring.turn))
    if variable.element is Element.BOOL:
        found = Binary(BinaryOperator.NOT_EQUAL, found, _ZERO, Element.BOOL)
    return Accumulate(variable, combine, found), Assign(ring.turn, _next(ring.turn))


def _swapped(pending: Pending, first: Array, second: Array) -> Pending:
    names = {first: second, second: first}
    return frozenset(replace(access, array=names.get(access.array, access.array)) for access in pending)


def _before_continue(body: Body, step: Body) -> Body:
    """`body` where every step to the next round of this very loop does `step` first."""
    if not step:
        return body
    result: list[Statement] = []
    for statement in body:
        match statement:
            case Continue():
                result += (*step, statement)
            case If(condition, then, otherwise):
                result.append(If(condition, _before_continue(then, step), _before_continue(otherwise, step)))
            case _:
                result.append(statement)
    return tuple(result)
