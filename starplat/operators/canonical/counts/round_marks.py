"""Replaces numbers that mark nodes for one round by flags that are cleared in every round.

forall (v in g.nodes().filter(degree <= k)) {         forall (v in g.nodes().filter(degree <= k)) {
  v.turn = round;                                       v.turn = True;
}                                                     }
forall (v in g.nodes().filter(turn == round)) {       forall (v in g.nodes().filter(turn)) {
  forall (w in g.neighbors(v)) { w.degree -= 1; }       forall (w in g.neighbors(v)) { w.degree -= 1; }
}                                                     }
round++;                                              round++; g.attachNodeProperty(turn = False);

forall (v in g.nodes()) {                             g.attachNodeProperty(turn = False);
  if (v.state == 1) { v.state = 2; }                  forall (v in g.nodes()) {
  if (v.state == 0 && v.degree <= k) {                  if (v.state == 0 && v.degree <= k) {
    v.state = 1;                                          v.state = 2; v.turn = True;
  }                                                     }
}                                                     }
... v.state == 1 ...                                  ... v.turn ...

In the first form the number of the round only rises, so no cell holds the next one. In the second all nodes in a state
leave it at one place for another that is never tested: they may enter the second state at once, with a flag for the
first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical import rebuilding, rising
from starplat.operators.canonical.counts import counting, members

_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)


def with_flags_for_marks(body: typed.Block) -> typed.Block:
    """A function's body with flags in place of such numbers."""
    for s in body.statements:
        if isinstance(s, typed.Declare) and s.symbol.type == members.NUMBER and s.symbol.role is typed.Role.LOCAL:
            marks = Marks(s.symbol, body)
            if marks.graph is not None and marks.are_only_compared():
                body = _by_number(marks) or _by_step(marks) or body
    return body


@dataclass(frozen=True)
class Marks:
    """A local property of integers."""

    symbol: typed.Symbol
    body: typed.Block

    @property
    def inside(self) -> list[typed.Statement]:
        return list(walk.statements(self.body))

    @property
    def graph(self) -> typed.Symbol | None:
        """The graph of the fill that is the first statement to touch the property; None if another is the first."""
        touched = (s for s in self.inside if self.symbol in (*walk.written(s), *walk.read(s)))
        first = next(touched, None)
        return (
            first.graph if isinstance(first, typed.Attach) and any(first is s for s in self.body.statements) else None
        )

    @property
    def comparisons(self) -> list[tuple[typed.Binary, typed.Expression]]:
        """The equality tests of a cell, each with the other operand."""
        parts = [part for s in self.inside for part in walk.own_parts(s)]
        found = [(part, self.other(part)) for part in parts if isinstance(part, typed.Binary)]
        return [(part, other) for part, other in found if other is not None]

    def other(self, part: typed.Binary) -> typed.Expression | None:
        """The other operand of an equality test of a cell; None for other expressions."""
        for cell, other in ((part.left, part.right), (part.right, part.left)):
            if part.operator in _EQUALITY and isinstance(cell, typed.Cell) and cell.symbol is self.symbol:
                return other
        return None

    @property
    def stores(self) -> list[typed.Statement]:
        return [s for s in self.inside if self.symbol in walk.written(s) and not isinstance(s, typed.Attach)]

    @property
    def filled(self) -> list[int | None]:
        """The values of fills; None for one that is not constant."""
        fills = [
            value for s in self.inside if isinstance(s, typed.Attach) for name, value in s.items if name is self.symbol
        ]
        return [rising.number(value) if isinstance(value, typed.Expression) else None for value in fills]

    def are_only_compared(self, *, or_carried: bool = False) -> bool:
        """Whether cells are only assigned, or go with a winner, and tested for equality."""
        reads = sum(symbol is self.symbol for s in self.inside for symbol in walk.read(s))
        stored = all(isinstance(s, typed.Assign) or (or_carried and self.carried_by(s)) for s in self.stores)
        return reads == len(self.comparisons) and stored

    def carried_by(self, s: typed.Statement) -> list[typed.Carried]:
        """What is stored to a cell with the winner of a statement, which stores nothing else to it."""
        if not isinstance(s, typed.AssignExtreme) or s.place.symbol is self.symbol:
            return []
        return [c for c in s.carried if c.place.symbol is self.symbol]

    def flagged(self, part: typed.Binary, flag: typed.Symbol) -> typed.Expression:
        """A test of the flag, in place of an equality test."""
        (cell,) = [c for c in (part.left, part.right) if isinstance(c, typed.Cell) and c.symbol is self.symbol]
        has = replace(cell, symbol=flag)
        same = part.operator is typed.Operator.EQUAL
        return has if same else typed.Unary(typed.UnaryOperator.NOT, has, span=part.span)


def _by_number(marks: Marks) -> typed.Block | None:
    """The body with a flag for nodes that hold a number of the host that only rises."""
    values = {value for _, value in marks.comparisons} | {s.value for s in marks.stores if isinstance(s, typed.Assign)}
    if len(values) != 1 or not marks.comparisons:
        return None
    (value,) = values
    body = marks.body
    if not isinstance(value, typed.Variable) or value.type is not Scalar.INT or not _only_rises(value.symbol, marks):
        return None
    first = rising.least(value.symbol, body)
    if first is None or any(given is None or given >= first for given in marks.filled):
        return None
    flag = replace(marks.symbol, type=members.FLAG)
    assert marks.graph is not None
    cleared = typed.Attach(marks.graph, ((flag, typed.FALSE),))

    def change(part: Any) -> Any:
        match part:
            case typed.Binary() if marks.other(part) is not None:
                return marks.flagged(part, flag)
            case typed.Declare(symbol) if symbol is marks.symbol:
                return replace(part, symbol=flag)
            case typed.Attach(items=items) if marks.symbol in walk.written(part):
                filled = ((flag, typed.FALSE) if s is marks.symbol else (s, v) for s, v in items)
                return replace(part, items=tuple(filled))
            case typed.Assign(typed.Cell(symbol) as cell) if symbol is marks.symbol:
                return replace(part, place=replace(cell, symbol=flag), value=typed.TRUE)
            case typed.Block(every):
                new = tuple(n for s in every for n in (rebuilding.rebuilt(s, change), *raised(s)))
                return replace(part, statements=new)
        return None

    def raised(s: typed.Statement) -> Sequence[typed.Statement]:
        return (replace(cleared, span=s.span),) if rising.added(s) and value.symbol in walk.written(s) else ()

    return rebuilding.rebuilt(body, change)


def _only_rises(symbol: typed.Symbol, marks: Marks) -> bool:
    """Whether a scalar is declared at the top of a function and only rises, on the host, in rounds that test the mark
    of every node anyway, so that clearing all flags costs little."""
    body = marks.body
    declared = any(isinstance(s, typed.Declare) and s.symbol is symbol for s in body.statements)
    writers = walk.writers(symbol, body)
    kernels = [i for s in walk.statements(body) if isinstance(s, typed.ForEach) for i in walk.statements(s)]
    host = all(rising.added(s) is not None and not any(s is i for i in kernels) for s in writers)
    rounds = [loop for s in writers for loop in counting.loops_around(body, s)[-1:]]
    asked = all(any(_cells_asked(s, marks) for s in members.loops_over_nodes(loop.body)) for loop in rounds)
    steps = [s.step for s in walk.statements(body) if isinstance(s, typed.CountedLoop)]
    return declared and host and asked and not any(step is s for step in steps for s in writers)


def _cells_asked(loop: typed.ForEach, marks: Marks) -> bool:
    return loop.filter is not None and marks.symbol in walk.read(loop)


# --- states


def _by_step(marks: Marks) -> typed.Block | None:
    """The body with a flag for a state that all nodes leave at one place."""
    for loop in members.loops_over_nodes(marks.body):
        own = typed.Cell(marks.symbol, typed.Variable(loop.iterator))
        match loop.filter, loop.body.statements:
            case None, (typed.If(asked, typed.Block((step,)), None), *_):
                pass
            case typed.Binary() as asked, (step,):
                pass
            case _:
                continue
        now = _asked(asked, own)
        later = rising.number(step.value) if isinstance(step, typed.Assign) and step.place == own else None
        if now is not None and later is not None and _is_only_step(marks, loop, step, now, later):
            return _stepped(marks, loop, now, later)
    return None


def _asked(condition: typed.Expression, own: typed.Cell) -> int | None:
    match condition:
        case typed.Binary(typed.Operator.EQUAL, left, right) if left == own:
            return rising.number(right)
    return None


def _is_only_step(marks: Marks, loop: typed.ForEach, step: typed.Statement, now: int, later: int) -> bool:
    """Whether nodes leave state `now` only there, and nothing tests for state `later`."""
    others = [s.value for s in marks.stores if isinstance(s, typed.Assign) and s is not step]
    compared = [rising.number(value) for _, value in marks.comparisons]
    indices = [cell.index for cell in _cells(loop, marks.symbol)]
    return (
        now != later
        and bool(others)
        and all(rising.number(value) == now for value in others)
        and None not in compared
        and later not in compared
        and len(marks.filled) == 1
        and marks.filled[0] not in (None, now)
        and all(index == typed.Variable(loop.iterator) for index in indices)
    )


def _cells(loop: typed.Statement, symbol: typed.Symbol) -> Iterator[typed.Cell]:
    """The cells of a property that a statement reads."""
    return (part for part in walk.all_parts(loop) if isinstance(part, typed.Cell) and part.symbol is symbol)


def _stepped(marks: Marks, loop: typed.ForEach, now: int, later: int) -> typed.Block:
    flag = typed.Symbol(f"turn_of_{marks.symbol.name}", members.FLAG, typed.Role.LOCAL, marks.symbol.span)
    assert marks.graph is not None
    cleared = typed.Attach(marks.graph, ((flag, typed.FALSE),), span=loop.span)
    rest = loop.body.statements[1:]

    def change(part: Any) -> Any:
        match part:
            case typed.Binary() if (other := marks.other(part)) is not None and rising.number(other) == now:
                return marks.flagged(part, flag)
            case typed.Block(every):
                return replace(part, statements=tuple(new for s in every for new in at(s)))
        return None

    def at(s: typed.Statement) -> Iterator[typed.Statement]:
        match s:
            case typed.ForEach() if s is loop:
                yield cleared
                if rest:
                    yield replace(loop, body=change(replace(loop.body, statements=rest)))
            case typed.Declare(symbol) if symbol is marks.symbol:
                yield s
                yield replace(s, symbol=flag)
            case typed.Assign(typed.Cell(symbol) as cell) if symbol is marks.symbol:
                yield replace(s, value=typed.Literal(later, Scalar.INT, span=s.span))
                yield replace(s, place=replace(cell, symbol=flag), value=typed.TRUE)
            case _:
                yield rebuilding.rebuilt(s, change)

    return rebuilding.rebuilt(marks.body, change)
