"""Numbers of rounds that say which nodes have their turn next are flags in two buffers.

while (more) {                                        while (more) {
  forall (v in g.nodes().filter(turn == round)) {       forall (v in g.nodes().filter(turn)) {
    ... w.turn = round + 1; ...                           ... w.next = True; ...
  }                                                     }
  round++;                                              round++; turn = next; g.attachNodeProperty(next = False);
}                                                     }

Numbers may go with a winner, `<w.d, w.turn> = <Min(w.d, v.d + 1), round + 1>`, or be ahead of the round, as in
`turn == round - 1`. The round is counted up once a round, and all cells begin below the first but those of nodes that
are set to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, hosts, rebuilding, rising
from starplat.operators.canonical.counts import members

_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)


def with_turns(body: typed.Block) -> typed.Block:
    """A function's body with flags in place of such numbers."""
    for s in body.statements:
        if isinstance(s, typed.Declare) and s.symbol.type == members.NUMBER and s.symbol.role is typed.Role.LOCAL:
            marks = Marks(s.symbol, body)
            if marks.graph is not None and marks.are_only_compared():
                found = next((step for loop in hosts.surroundings(body).loops if (step := _step(loop, marks))), None)
                body = body if found is None else _flagged(marks, found)
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

    def are_only_compared(self) -> bool:
        """Whether cells are only assigned, or go with a winner, and tested for equality."""
        reads = sum(symbol is self.symbol for s in self.inside for symbol in walk.read(s))
        stored = all(isinstance(s, typed.Assign) or self.carried_by(s) for s in self.stores)
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


def _step(loop: hosts.HostLoop, marks: Marks) -> typed.Statement | None:
    """The statement that counts up the round that cells of the marks are asked for in a loop; None if they may be set
    to anything but the round after, or asked for elsewhere."""
    asked = {_of_round(value) for _, value in marks.comparisons}
    match [*asked]:
        case [(round_, ahead)]:
            build, around = Builder(), hosts.surroundings(marks.body)
        case _:
            return None
    first = around.known_before(loop).get(round_)
    steps = [s for s in loop.body.statements if s == build.add(build.variable(round_), 1)]
    inside = list(walk.statements(loop))
    one_counter = len(steps) == 1 and [s for s in inside if round_ in walk.written(s)] == steps
    if not one_counter or not isinstance(first, int) or hosts.may_leave(loop.body.statements):
        return None
    before = around.before(loop)
    compared = [part for part, _ in marks.comparisons]
    within = list(walk.all_parts(loop.body))
    given = [s for i in before for s in walk.statements(i) if any(s is store for store in marks.stores)]
    later = [s for s in marks.stores if not any(s is i for i in given)]
    fits = (
        bool(later)
        and all(any(part is p for p in within) for part in compared)
        and all(any(s is i for i in inside) and _of_round(_value(s, marks)) == (round_, ahead + 1) for s in later)
        and all(isinstance(s, typed.Assign) and rising.number(s.value) == first + ahead for s in given)
        and all(fill is not None and fill < first + ahead for fill in marks.filled)
        and not any(isinstance(s, typed.Attach) and marks.symbol in walk.written(s) for s in inside)
        and around.block_of(loop)[0] is marks.body
        and _is_asked_first(loop.body.statements, steps, compared, later)
    )
    return steps[0] if fits else None


def _is_asked_first(
    rounds: Sequence[typed.Statement],
    steps: Sequence[typed.Statement],
    compared: Sequence[typed.Binary],
    stores: Sequence[typed.Statement],
) -> bool:
    """Whether no cell is asked for between a store and the next step: it is not of this round any more then."""
    at = rounds.index(steps[0])
    order = (*rounds[at + 1 :], *rounds[:at])
    inside = [list(walk.statements(s)) for s in order]
    asks = [[c for c in compared for i in every if any(c is p for p in walk.own_parts(i))] for every in inside]
    place = next(place for place, every in enumerate(inside) if any(s is i for s in stores for i in every))
    if any(asks[place + 1 :]):
        return False
    match order[place]:
        case typed.ForEach(parallel=True) as loop if len(asks[place]) == 1:
            rest = tuple(s for s in loop.body.statements if not isinstance(s, typed.Declare))
            conditions, _ = effects.asked_by_loop(replace(loop, body=replace(loop.body, statements=rest)))
            return any(part == asks[place][0] for c in conditions for part in walk.within(c))
    return not asks[place]


def _value(s: typed.Statement, marks: Marks) -> typed.Expression | None:
    """The value that a statement stores to a cell."""
    carried = marks.carried_by(s)
    return carried[0].value if len(carried) == 1 else s.value if isinstance(s, typed.Assign) else None


def _of_round(value: typed.Expression | None) -> tuple[typed.Symbol, int] | None:
    """The number that a value is so much above."""
    match value:
        case typed.Variable(symbol):
            return symbol, 0
        case typed.Binary(typed.Operator.ADD, typed.Variable(symbol), right) if (
            by := rising.number(right)
        ) is not None:
            return symbol, by
        case typed.Binary(typed.Operator.SUBTRACT, typed.Variable(symbol), right) if (
            by := rising.number(right)
        ) is not None:
            return symbol, -by
    return None


def _flagged(marks: Marks, step: typed.Statement) -> typed.Block:
    """The body with the flags; they change buffers where the round is counted up."""
    build = Builder(step.span)
    now, later = replace(marks.symbol, type=members.FLAG), build.local(f"next_{marks.symbol.name}", members.FLAG)
    assert marks.graph is not None

    def change(part: Any) -> Any:
        match part:
            case typed.Binary() if marks.other(part) is not None:
                return marks.flagged(part, now)
            case typed.Assign(typed.Cell(symbol) as cell, value) if symbol is marks.symbol:
                flag = now if rising.number(value) is not None else later
                return replace(part, place=replace(cell, symbol=flag), value=build.truth(True))
            case typed.Carried(typed.Cell(symbol) as cell) if symbol is marks.symbol:
                return build.carried(replace(cell, symbol=later), True)
            case typed.Attach(items=items) if marks.symbol in walk.written(part):
                none = [(flag, build.truth(False)) for flag in (now, later)]
                others = [item for item in items if item[0] is not marks.symbol]
                return replace(part, items=(*others, *none))
            case typed.Block(every):
                return replace(part, statements=tuple(new for s in every for new in at(s)))
        return None

    def at(s: typed.Statement) -> Iterator[typed.Statement]:
        match s:
            case typed.Declare(symbol) if symbol is marks.symbol:
                yield from (replace(s, symbol=flag) for flag in (now, later))
            case _:
                yield rebuilding.rebuilt(s, change)
        if s is step:
            assert marks.graph is not None
            yield typed.CopyProperty(now, later, span=s.span)
            yield typed.Attach(marks.graph, ((later, build.truth(False)),), span=s.span)

    return rebuilding.rebuilt(marks.body, change)
