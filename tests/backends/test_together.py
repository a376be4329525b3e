"""Barriers stand where they must: on no way through a launch does a thread touch what another may still be at.

The statements that are made of random host operations are walked on every way, loops round and round until nothing new
comes. What has been touched since the last barrier is known by who touches it: the thread that has a number of a range,
the first thread, or anybody. This reads what is emitted and knows nothing of how it came about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st

from starplat.backends import BACKENDS
from starplat.backends.one_launch.together import legal_loop
from starplat.backends.statements import (
    Accumulate,
    Assign,
    AtomicCell,
    Break,
    CombineCell,
    CombineGroup,
    Continue,
    Count,
    Declare,
    EachKept,
    GridBarrier,
    If,
    IfBeyond,
    Leave,
    LegalLoop,
    OnFirst,
    Scope,
    Statement,
    StoreCell,
    Stride,
    SwapPointers,
    While,
)
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_expression
from tests.ir.building import NBR, E, V, array, binary, for_neighbors, kernel, module, number

CUDA = BACKENDS["cuda"].capabilities

# --- who touches what ----------------------------------------------------------------------------------------------

ANYBODY, FIRST = "anybody", "the first thread"


@dataclass(frozen=True)
class Touch:
    """Cells of an array, and which threads touch them: those that have a cell's number, the first one, or anybody."""

    array: ir.Array
    writes: bool
    who: str

    def clashes(self, other: Touch) -> bool:
        same_thread = self.who == other.who and self.who != ANYBODY
        return self.array == other.array and (self.writes or other.writes) and not same_thread


State = frozenset[Touch]
NOTHING: State = frozenset()


@dataclass
class Ways:
    """What may be pending after a statement: where it goes on, and where it leaves or repeats the loop around it."""

    on: State | None
    breaks: set[Touch] = field(default_factory=set)
    continues: set[Touch] = field(default_factory=set)


class Walker:
    """Walks one launch. `rings` are the cells of reductions, three in turn, which have a test of their own."""

    def __init__(self, loop: LegalLoop) -> None:
        self.rings = {cells for cells, _ in loop.found} | set(loop.outcomes)
        self.clashes: set[tuple[Touch, Touch]] = set()

    def block(self, body: Iterable[Statement], state: State | None) -> Ways:
        ways = Ways(state)
        for statement in body:
            if ways.on is None:
                break
            after = self.statement(statement, ways.on)
            ways.on = after.on
            ways.breaks |= after.breaks
            ways.continues |= after.continues
        return ways

    def statement(self, statement: Statement, state: State) -> Ways:
        match statement:
            case GridBarrier():
                return Ways(NOTHING)
            case SwapPointers(first, second):
                names = {first: second, second: first}
                return Ways(frozenset(Touch(names.get(t.array, t.array), t.writes, t.who) for t in state))
            case If(condition, then, otherwise):
                state = self.touched(self.reads(condition), state)
                one, other = self.block(then, state), self.block(otherwise, state)
                on = None if one.on is None and other.on is None else (one.on or NOTHING) | (other.on or NOTHING)
                return Ways(on, one.breaks | other.breaks, one.continues | other.continues)
            case While(condition, body, test_last):
                return self.repeated(condition, body, state, at_once=not test_last)
            case Count(_, first, end, Stride.ONE, body):
                state = self.touched((*self.reads(first), *self.reads(end)), state)
                return self.repeated(None, body, state, at_once=True)
            case Break():
                return Ways(None, breaks=set(state))
            case Continue():
                return Ways(None, continues=set(state))
            case Scope(_, body) if any(isinstance(inner, While | Count) and is_of_the_host(inner) for inner in body):
                return self.block(body, state)
            case _:
                return Ways(self.touched(self.all_of(statement), state))

    def repeated(
        self, condition: ir.Expression | None, body: tuple[Statement, ...], state: State, *, at_once: bool
    ) -> Ways:
        asked = () if condition is None else self.reads(condition)
        begin, leaving = state, set(state) if at_once else set()
        while True:
            start = self.touched(asked, begin) if at_once else begin
            ways = self.block(body, start)
            leaving |= (set(start) if at_once else set()) | ways.breaks
            round_end = frozenset(set(ways.on or ()) | ways.continues)
            if not at_once:
                round_end = self.touched(asked, round_end)
            leaving |= round_end
            if round_end <= begin:
                return Ways(frozenset(leaving))
            begin |= round_end

    def touched(self, touches: Iterable[Touch], state: State) -> State:
        """What is pending afterwards; what clashes with what was pending is kept for the verdict."""
        found = frozenset(touches)
        self.clashes |= {(one, other) for one in found for other in state if one.clashes(other)}
        return state | found

    # --- one operation, all of whose threads may do it at once

    def all_of(self, statement: Statement) -> Iterator[Touch]:
        yield from self.inside((statement,), ANYBODY, None)

    def inside(self, body: Iterable[Statement], who: str, own: ir.Variable | None) -> Iterator[Touch]:
        for statement in body:
            match statement:
                case Scope(_, inner):
                    yield from self.inside(inner, who, own)
                case OnFirst(inner):
                    yield from self.inside(inner, FIRST, None)
                case Count(variable, _, ir.NumNodes(), Stride.GRID, inner):
                    yield from self.inside(inner, "nodes", variable)
                case Count(variable, _, ir.NumArcs(), Stride.GRID, inner):
                    yield from self.inside(inner, "arcs", variable)
                case EachKept(variable, ir.NumNodes(), keep, inner):
                    yield from self.reads(keep, "nodes", variable)
                    yield from self.inside(inner, "nodes", variable)
                case Count(_, first, end, _, inner):
                    yield from self.reads(first, who, own)
                    yield from self.reads(end, who, own)
                    yield from self.inside(inner, who, own)
                case If(condition, then, otherwise):
                    yield from self.reads(condition, who, own)
                    yield from self.inside((*then, *otherwise), who, own)
                case Declare(_, value) | Assign(_, value) | Accumulate(_, _, value):
                    yield from self.reads(value, who, own)
                case StoreCell(cells, index, value) | CombineCell(_, cells, index, value):
                    yield from self.write(cells, index, who, own)
                    yield from (*self.reads(index, who, own), *self.reads(value, who, own))
                case AtomicCell(_, cells, index, value):
                    yield from self.write(cells, index, who, own)
                    yield from (*self.reads(index, who, own), *self.reads(value, who, own))
                case IfBeyond(_, cells, index, candidate, _, inner):
                    yield from self.write(cells, index, who, own)
                    yield from self.reads(candidate, who, own)
                    yield from self.inside(inner, who, own)
                case CombineGroup() | Continue() | Leave():
                    pass
                case _:
                    raise AssertionError(f"this test does not know {type(statement).__name__}")

    def write(self, cells: ir.Array, index: ir.Expression, who: str, own: ir.Variable | None) -> Iterator[Touch]:
        if cells not in self.rings:
            yield Touch(cells, True, by(cells, index, who, own))

    def reads(self, expression: ir.Expression, who: str = ANYBODY, own: ir.Variable | None = None) -> Iterator[Touch]:
        for part in walk_expression(expression):
            if isinstance(part, ir.Load) and part.array.origin is not ir.Origin.GRAPH and part.array not in self.rings:
                yield Touch(part.array, False, by(part.array, part.index, who, own))


def by(cells: ir.Array, index: ir.Expression, who: str, own: ir.Variable | None) -> str:
    """Who touches a cell: the first thread, the one that has its number, or anybody."""
    if who == FIRST:
        return FIRST
    extent = {"nodes": ir.Extent.NODES, "arcs": ir.Extent.ARCS}.get(who)
    return who if own is not None and index == ir.Ref(own) and cells.extent is extent else ANYBODY


def is_of_the_host(loop: While | Count) -> bool:
    return isinstance(loop, While) or loop.stride is Stride.ONE


def clashes_in(loop: LegalLoop) -> set[tuple[Touch, Touch]]:
    walker = Walker(loop)
    walker.block(loop.body, NOTHING)
    return walker.clashes


# --- random launches -----------------------------------------------------------------------------------------------

A, B, C = (array(name, ir.Element.INT, origin=ir.Origin.LOCAL) for name in "abc")
X, Y = (array(name, ir.Element.INT, ir.Extent.ARCS, ir.Origin.LOCAL) for name in "xy")
COUNTER, SUM = ir.Variable("i", ir.Element.INT), ir.Variable("sum", ir.Element.INT)
SRC = ir.Variable("src", ir.Element.NODE)
NODES, ARCS = (A, B, C), (X, Y)

KERNELS = tuple(
    kernel(*body, name=f"k{number_}", **more)  # type: ignore[arg-type]
    for number_, (body, more) in enumerate([
        *(((ir.Store(one, ir.Ref(V), ir.Load(other, ir.Ref(V))),), {}) for one in NODES for other in NODES),
        *(((for_neighbors(ir.UpdateCell(ir.Combine.ADD, one, ir.Ref(NBR), ir.Load(other, ir.Ref(V)), shared=True)),),
           {})
          for one in NODES for other in NODES if one != other),
        *(((for_neighbors(ir.ExtremeCell(ir.Combine.MIN, one, ir.Ref(NBR), ir.Load(one, ir.Ref(V)), (), shared=True)),),
           {})
          for one in NODES),
        *(((for_neighbors(ir.Store(one, ir.Ref(V), ir.Load(other, ir.Ref(NBR)))),),
           {"filter": binary("<", ir.Load(one, ir.Ref(V)), number(3))})
          for one in NODES for other in NODES if one != other),
        ((ir.Store(X, ir.Ref(E), ir.Load(Y, ir.Ref(E))),), {"domain": ir.AllArcs(), "iterator": E}),
        ((for_neighbors(ir.Store(Y, ir.Ref(E), ir.Load(A, ir.Ref(V)))),), {}),
        ((ir.Store(A, number(0), ir.Load(B, number(1))),), {"domain": ir.Once(), "iterator": None}),
        ((ir.Contribute(SUM, ir.Load(C, ir.Ref(V))),), {"reductions": [ir.Reduction(SUM, ir.Combine.ADD)]}),
    ])
)  # fmt: skip

plain = st.one_of(
    st.sampled_from(KERNELS).map(lambda one: ir.Launch(one.name)),
    st.sampled_from(KERNELS).map(lambda one: ir.Launch(one.name)),
    st.sampled_from((*NODES, *ARCS)).map(lambda one: ir.Fill(one, number(0))),
    st.permutations(NODES).map(lambda row: ir.CopyArray(row[0], row[1])),
    st.permutations(NODES).map(lambda row: ir.Swap(row[0], row[1])),
    st.sampled_from(NODES).map(lambda one: ir.WriteCell(one, ir.Ref(SRC), number(1))),
    st.sampled_from(NODES).map(lambda one: ir.ReadCell(COUNTER, one, ir.Ref(SRC))),
    st.just(ir.SetVariable(COUNTER, binary("+", ir.Ref(COUNTER), number(1)))),
)
SMALL = binary("<", ir.Ref(COUNTER), number(5))


@st.composite
def rows(draw: st.DrawFn, depth: int = 3, looped: bool = False) -> tuple[ir.HostOp, ...]:
    """Host operations, with loops in loops and steps out of them."""
    found: list[ir.HostOp] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 9))
        if depth == 0 or kind < 5:
            found.append(draw(plain))
        elif kind == 5:
            found.append(ir.HostIf(SMALL, draw(rows(depth - 1, looped)), draw(st.just(()) | rows(depth - 1, looped))))
        elif kind == 6 and looped:
            found.append(ir.HostIf(SMALL, (draw(st.sampled_from([ir.HostBreak(), ir.HostContinue()])),)))
        elif kind == 7:
            step = (*draw(rows(0)), ir.SetVariable(COUNTER, number(1)))
            before = draw(st.just(()) | rows(0))
            found.append(ir.Loop(before, SMALL, draw(rows(depth - 1, True)), draw(st.booleans()), step=step))
        elif kind == 8:
            found.append(
                ir.HostForRange(
                    ir.Variable(f"r{depth}", ir.Element.INT), number(0), ir.Ref(COUNTER), draw(rows(depth - 1, True))
                )
            )
        else:
            before = draw(st.just(()) | rows(0))
            found.append(ir.Loop(before, SMALL, draw(rows(depth - 1, True)), draw(st.booleans())))
    return tuple(found)


def launch_of(body: tuple[ir.HostOp, ...]) -> tuple[ir.OnDevice, ir.Module]:
    inside = (ir.DeclareVariable(COUNTER, number(0)), ir.DeclareVariable(SUM, number(0)), *body)
    op = ir.OnDevice("f_loop", inside, (*NODES, *ARCS), (SRC,), ())
    host = ir.HostFunction("f", (ir.Parameter(SRC),), (*NODES, *ARCS), None, (op,))
    return op, module(*KERNELS, host=host)


@given(rows())
def test_no_thread_touches_what_another_may_still_be_at(body: tuple[ir.HostOp, ...]) -> None:
    op, whole = launch_of(body)
    assert clashes_in(legal_loop(op, whole, CUDA)) == set()


def _never_clashes(body: tuple[ir.HostOp, ...]) -> None:
    op, whole = launch_of(body)
    assert clashes_in(legal_loop(op, whole, CUDA)) == set()


@pytest.mark.campaign
def test_no_thread_ever_touches_what_another_may_still_be_at() -> None:
    given(rows(4))(_never_clashes)()


# --- that the walker would see what is missing ------------------------------------------------------------------------


def without(body: tuple[Statement, ...], number_: int) -> tuple[tuple[Statement, ...], int]:
    """The statements without one of their barriers, counted through all blocks; how many are left to count."""
    result: list[Statement] = []
    for statement in body:
        match statement:
            case GridBarrier():
                number_ -= 1
                if number_ != -1:
                    result.append(statement)
            case While(condition, inner, test_last):
                inner, number_ = without(inner, number_)
                result.append(While(condition, inner, test_last))
            case If(condition, then, otherwise):
                then, number_ = without(then, number_)
                otherwise, number_ = without(otherwise, number_)
                result.append(If(condition, then, otherwise))
            case _:
                result.append(statement)
    return tuple(result), number_


PUSHES = (
    ir.Fill(A, number(0)), ir.WriteCell(A, ir.Ref(SRC), number(1)), ir.Fill(B, number(0)),
    ir.Loop((), SMALL, (ir.Launch(next(k.name for k in KERNELS if k.body and "UpdateCell" in repr(k.body[0])
                                      and {a.name for a in k.arrays} >= {"a", "b"})),
                          ir.CopyArray(A, B), ir.SetVariable(COUNTER, number(9)))),
)  # fmt: skip


def test_every_barrier_of_a_simple_loop_is_needed() -> None:
    op, whole = launch_of(PUSHES)
    loop = legal_loop(op, whole, CUDA)
    assert clashes_in(loop) == set()
    total = sum(map(count_of, loop.body))
    assert total >= 2
    for number_ in range(total):
        body, _ = without(loop.body, number_)
        assert clashes_in(LegalLoop(op, loop.found, loop.outcomes, body)), f"barrier {number_} stands for nothing"


def count_of(statement: Statement) -> int:
    match statement:
        case GridBarrier():
            return 1
        case While(_, body):
            return sum(map(count_of, body))
        case If(_, then, otherwise):
            return sum(map(count_of, (*then, *otherwise)))
        case _:
            return 0


# --- reductions ----------------------------------------------------------------------------------------------------


@given(rows())
def test_a_barrier_stands_between_what_threads_find_and_its_reading(body: tuple[ir.HostOp, ...]) -> None:
    """A ring's cell is read right after the barrier that follows the launch that filled it."""
    op, whole = launch_of(body)
    loop = legal_loop(op, whole, CUDA)
    rings = {cells for cells, _ in loop.found}

    def looked_at(statements: tuple[Statement, ...]) -> None:
        for place, statement in enumerate(statements):
            match statement:
                case Accumulate(_, _, ir.Load(cells)) if cells in rings:
                    before = [s for s in statements[:place] if not isinstance(s, Accumulate | Assign)]
                    assert isinstance(before[-1], GridBarrier)
                case While(_, inner) | Scope(_, inner) | Count(_, _, _, _, inner):
                    looked_at(inner)
                case If(_, then, otherwise):
                    looked_at(then)
                    looked_at(otherwise)
                case _:
                    pass

    looked_at(loop.body)
