"""Makes the persistent kernel of an `OnDevice` operation, as statements.

All threads follow the same path; `barriers` places the grid barriers on it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.legal.inside import replace_continue, without_unread
from starplat.backends.legal.one_thread import by_one_thread
from starplat.backends.one_launch.ahead import looking_ahead, needs_no_bits
from starplat.backends.one_launch.barriers import (
    Pending,
    Touches,
    after_swap,
    barrier_before,
    short_behind_walks,
    side_by_side,
)
from starplat.backends.one_launch.beside import asking_beside
from starplat.backends.one_launch.device_operations import DeviceOperations
from starplat.backends.one_launch.loads_at_once import ahead_of_barriers, rows_at_once
from starplat.backends.one_launch.nearest import nearest_first
from starplat.backends.one_launch.reached import all_found_new
from starplat.backends.one_launch.rings import collected, start_of
from starplat.backends.uses import names_taken
from starplat.ir import build, conditions, launches, nodes as ir, uses, visitor
from starplat.ir.access import LOOKED_AT, Access
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import reached_in
from starplat.ir.rewriter import Rewriter
from starplat.ir.shapes.members import set_rounds
from starplat.same import Same


def legal_loop(op: ir.OnDevice, module: ir.Module, capabilities: Capabilities) -> st.LegalLoop:
    """The operation as statements."""
    if op.cluster:
        shared = _Shared()
        op, module = shared.rebuild(op), replace(module, kernels=tuple(map(shared.kernel, module.kernels)))
    return Together(DeviceOperations(op, module, capabilities, FreshNames(names_taken(module)))).loop()


class _Shared(Rewriter):
    """Keeps sets as a cluster does."""

    def array(self, array: ir.Array) -> ir.Array:
        return replace(array, packed=ir.Packing.SHARED) if array.packed is ir.Packing.SWITCHED else array


class Together:
    """Rewrites one operation.

    Attributes:
        leaving: for every loop around, what was touched where it is left or goes on.
        touches: what the operations inside it touch.
        settled: the loops that are known, by what was touched before them.
    """

    def __init__(self, operations: DeviceOperations) -> None:
        self.operations = operations
        self.module = operations.module
        self.touches = Touches(operations)
        self.leaving: list[set[Access]] = []
        self.settled: dict[tuple[Same, Pending], tuple[st.Body, Pending]] = {}

    def loop(self) -> st.LegalLoop:
        op, names = self.operations.op, self.operations.names
        body, _ = self.block(op.body, frozenset())
        if op.cluster:
            changed = {array for inner in visitor.walk_host(op.body) for array in launches.changed(inner, self.module)}
            body = ahead_of_barriers(short_behind_walks(body), changed)
            body = side_by_side(asking_beside(body) if op.wide else body)
            body = looking_ahead(rows_at_once(body) if op.wide else body, changed, names, wide=op.wide)
        body = _without_last_swaps(body) if op.crossing is None else body
        outcomes = tuple(
            ir.Array(names.fresh(f"{v.name}_outcome"), st.result_element(v.element), ir.Extent.ONE, ir.Origin.TEMPORARY)
            for v in op.outcomes
        )
        stores = tuple(st.StoreCell(a, build.ZERO, ir.Ref(v)) for a, v in zip(outcomes, op.outcomes, strict=True))
        end: st.Body = (st.OnFirst(stores),) if stores else ()
        if self.operations.capabilities.structured_loops:
            assert op.one_group, "the threads of structured loops do not wait for each other"
            body, end = (by_one_thread(part, self.operations.module) for part in (body, end))
        elif op.one_group:
            body, end = _at_each_end(body, end), ()
        rings = self.operations.rings.used(body)
        turns = tuple(st.Declare(ring.turn, build.ZERO, constant=False) for ring in rings)
        found = tuple((ring.cells, start_of(ring)) for ring in rings)
        marked = op.traced or not needs_no_bits(body)
        return st.LegalLoop(op, found, outcomes, without_unread((*turns, *body, *end)), marked)

    def block(
        self, ops: Iterable[ir.HostOp], pending: Pending, then: Iterable[ir.HostOp] = ()
    ) -> tuple[st.Body, Pending]:
        """The operations as statements, from the cells touched since the last barrier, and the cells touched then; what
        comes `then`, if it is known, lets branches spare a barrier."""
        done: list[st.Statement] = []
        row = self.operations.merged(tuple(uses.stream(ops)))
        for place, op in enumerate(row):
            following = row[place + 1 :]
            if isinstance(op, ir.Launch) and op.members is not None:
                body, pending = self.push_or_pull(op, op.members, pending, following)
            elif isinstance(op, ir.HostIf):
                body, pending = self.branches(op, pending, (*following, *uses.stream(then)))
            else:
                body, pending = self.operation(op, pending)
            for statement in body:
                _append(done, statement)
        return tuple(done), pending

    def operation(self, op: ir.HostOp, pending: Pending) -> tuple[st.Body, Pending]:
        match op:
            case ir.Loop(driver=ir.NearestFirst() as driver):
                before: st.Body = (st.GridBarrier(),) if pending else ()
                rounds = set_rounds(op)
                assert rounds is not None
                sets = (rounds.now, driver.later)  # which some threads may still be asking whether they are empty
                asked = (ir.ReadEmpty(rounds.done.variable, members, True) for members in sets)
                pending = frozenset(cell for one in asked for cell in self.touches.touched(one))
                return (*before, *nearest_first(op, driver, self.operations)), pending
            case ir.Loop() if self.operations.op.cluster and (reached := reached_in(op)):
                before = (st.GridBarrier(),) if pending else ()
                body, pending = self.settled_loop(op, frozenset())
                return (*before, *map(st.NoteReached, reached), st.GridBarrier(), *body), pending
            case ir.Loop() | ir.HostForRange():
                return self.settled_loop(op, pending)
            case ir.HostBreak() | ir.HostContinue():
                self.leaving[-1].update(pending)
                return (st.Break() if isinstance(op, ir.HostBreak) else st.Continue(),), pending
            case ir.ExchangeCells() | ir.Together() | ir.TakeFirst():
                return self.operations.statements(op), frozenset()
            case ir.Launch(kernel) if pending and self.module.kernel(kernel).is_of_part:
                return self.plain(op, (st.GridBarrier(),), self.touches.still_after(op, self.touches.touched(op)))
            case ir.Swap(first_array, second_array):
                return (st.SwapPointers(first_array, second_array),), after_swap(pending, first_array, second_array)
            case _:
                touched = self.touches.touched(op)
                before = barrier_before(touched, pending)
                pending = touched if before == (st.GridBarrier(),) else pending | touched
                return self.plain(op, before, self.touches.still_after(op, pending))

    def branches(self, op: ir.HostIf, pending: Pending, following: Sequence[ir.HostOp]) -> tuple[st.Body, Pending]:
        """A branch ends with a barrier if what follows would wait for it, and would not, or later, without."""
        first, after = self.block(op.then, pending)
        second, other = self.block(op.otherwise, pending)
        place = self.touches.next_barrier(following, after | other)
        spares = place is not None and place != self.touches.next_barrier(following, other)
        if op.otherwise or not spares or isinstance(first[-1], st.Break | st.Continue):
            return (st.If(op.condition, first, second),), after | other
        return (st.If(op.condition, (*first, st.GridBarrier()), second),), other

    def push_or_pull(
        self, op: ir.Launch, members: ir.Array, pending: Pending, following: Sequence[ir.HostOp]
    ) -> tuple[st.Body, Pending]:
        """The choice needs the number of members, which walking does not change. A pull ends with a barrier, so that a
        push never waits for it, unless both wait at the same place of what follows anyway."""
        looked = Access(members, False, LOOKED_AT)
        waits = any(looked.disturbs(access) for access in pending)
        before: st.Body = (st.GridBarrier(),) if waits else ()
        if self.operations.op.in_parts:
            before = (*before, st.AgreeOn(members, self.operations.op.even_rows))
        begin = frozenset({looked}) if waits else pending | {looked}
        rows = ir.ROW_OFFSETS if op.dear else None
        many, left = self.block(op.pull, begin)
        if op.reaches is not None:
            many = all_found_new(many)
        few, after = self.operation(op, begin)
        if op.dear:
            few = _dear(few)
        if not left - after:
            return (*before, st.IfMany(members, many, few, rows)), after
        either = left | after
        if self.touches.next_barrier(following, either) == self.touches.next_barrier(following, after) is not None:
            return (*before, st.IfMany(members, many, few, rows)), either
        return (*before, st.IfMany(members, (*many, st.GridBarrier()), few, rows)), after

    def plain(self, op: ir.HostOp, before: st.Body, pending: Pending) -> tuple[st.Body, Pending]:
        body = (*before, *self.operations.points.before(op), *self.operations.statements(op))
        if isinstance(op, ir.Launch) and (rings := self.operations.rings.of(self.module.kernel(op.kernel))):
            return (*body, st.GridBarrier(), *(s for ring in rings for s in collected(ring))), frozenset()
        return body, pending

    def settled_loop(self, op: ir.Loop | ir.HostForRange, pending: Pending) -> tuple[st.Body, Pending]:
        """A loop, with a barrier before it if that spares one in every round. It is asked for anew in every attempt at
        the loops around it, which must not multiply: it is the same from the same beginning."""
        key = (Same(op), pending)
        if key not in self.settled:
            self.settled[key] = self._settled(op, pending)
        return self.settled[key]

    def _settled(self, op: ir.Loop | ir.HostForRange, pending: Pending) -> tuple[st.Body, Pending]:
        body, end = self.loop_from(op, pending)
        if not pending:
            return body, end
        fresh, after = self.loop_from(op, frozenset())
        if _barriers(fresh) < _barriers(body):
            return (st.GridBarrier(), *fresh), after
        return body, end

    def loop_from(self, op: ir.Loop | ir.HostForRange, begin: Pending) -> tuple[st.Body, Pending]:
        """A loop begins with the cells touched before it or at the end of a round."""
        while True:
            self.leaving.append(set())
            body, end = self.one_loop(op, begin)
            body = self.operations.points.in_loop(op, body)
            again = begin | end | self.leaving.pop()
            if again == begin:
                return body, begin
            begin = again

    def one_loop(self, op: ir.Loop | ir.HostForRange, begin: Pending) -> tuple[st.Body, Pending]:
        match op:
            case ir.Loop(before, condition, body, True):
                inner, end = self.block(body, begin, (*op.step, *before, *body))
                late, end = self.block((*op.step, *before), end | self.leaving[-1])
                if not late:
                    return (st.While(condition, inner, test_last=True),), end
                inner = replace_continue(inner, (*late, _unless(condition), st.Continue()))
                return (st.While(build.TRUE, (*inner, *late, _unless(condition))),), end
            case ir.Loop(before, condition, body):
                early, after = self.block(before, begin)
                inner, end = self.block(body, after, (*op.step, *before, *body))
                stepped, end = self.block(op.step, end | self.leaving[-1]) if op.step else ((), end)
                self.leaving[-1].update(after)
                inner = replace_continue(inner, (*stepped, st.Continue()))
                head: st.Body = (*early, _unless(condition)) if before else ()
                return (st.While(build.TRUE if before else condition, (*head, *inner, *stepped)),), end
            case ir.HostForRange(variable, first, last, body):
                inner, end = self.block(body, begin, body)
                stop = ir.Variable(self.operations.fresh(f"{variable.name}_end"), last.element)
                count = st.Count(variable, first, ir.Ref(stop), st.Stride.ONE, inner)
                return (st.Scope((), (st.Declare(stop, last, constant=True), count)),), end
        assert_never(op)


def _at_each_end(body: st.Body, end: st.Body) -> st.Body:
    """The statements in which a loop ends each round with some more. Behind the loop they would suffice, but the
    compiler of a CPU runtime fails on values that leave a loop of its threads."""
    *ahead, loop = body
    assert isinstance(loop, st.While)
    return (*ahead, replace(loop, body=(*loop.body, *end)))


def _append(done: list[st.Statement], statement: st.Statement) -> None:
    """Two loops in a row in which every thread stores to cells of its own, the same ones, become one."""
    match done[-1:], statement:
        case [st.Count() as last], st.Count() if _only_stores(last) and _only_stores(statement):
            if replace(last, body=()) == replace(statement, body=()):
                done[-1] = replace(last, body=(*last.body, *statement.body))
                return
    done.append(statement)


def _only_stores(loop: st.Count) -> bool:
    return all(isinstance(inner, st.StoreCell) for inner in loop.body)


def _without_last_swaps(body: st.Body) -> st.Body:
    """Drops the last swaps: which memory a name stands for at the end of a launch is not observable."""
    while body and _only_swaps(body[-1:]):
        body = body[:-1]
    return body


def _only_swaps(body: st.Body) -> bool:
    branches = (
        (s.then, s.otherwise) if isinstance(s, st.If) else () for s in body if not isinstance(s, st.SwapPointers)
    )
    return all(parts and all(map(_only_swaps, parts)) for parts in branches)


def _dear(body: st.Body) -> st.Body:
    """The statements of a push along whose arcs much is done."""
    return tuple(
        replace(inner, body=_dear(inner.body))
        if isinstance(inner, st.Scope)
        else replace(inner, dear=not inner.takes)
        if isinstance(inner, st.Advance)
        else inner
        for inner in body
    )


def _barriers(body: st.Body) -> int:
    return sum(isinstance(part, st.GridBarrier) for part in visitor.walk(body))


def _unless(condition: ir.Expression) -> st.Statement:
    return st.If(conditions.negated(condition), (st.Break(),))
