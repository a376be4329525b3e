"""A count of neighbors with a flag that nodes make anew in every round is kept in a property.

forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  int d = 0;                                            int d = v.degree;
  for (u in g.nodes_to(v).filter(alive)) { d++; }       if (d < k) { v.weak = True; }
  if (d < k) { v.weak = True; }                       }
}                                                     forall (v in g.nodes().filter(weak && alive)) {
forall (v in g.nodes().filter(weak)) {                  forall (w in g.neighbors(v)) { w.degree -= 1; }
  v.alive = False;                                    }
}                                                     forall (v in g.nodes().filter(weak)) { v.alive = False; }

Whoever changes a node's flag tells the neighbors whose count it is in; where the flags of all nodes are set at once,
all are counted. That pays where nodes count more often than flags are set at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts, mentions
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.canonical.effects import REVERSED
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_fresh_symbols

_FLAG = PropertyType(Carrier.NODE, Scalar.BOOL)
_NUMBER = PropertyType(Carrier.NODE, Scalar.INT)


@dataclass(frozen=True)
class _Count:
    """The declaration of a local that a node counts with, the row that it counts in, and the other conditions there,
    in words of the `node` and the row's iterator."""

    node: typed.Symbol
    declared: typed.Declare
    row: typed.ForEach
    others: tuple[typed.Expression, ...]

    def alike(self, other: _Count) -> bool:
        """Whether another node counts the same."""
        names = {other.node: self.node, other.row.iterator: self.row.iterator}
        return substituted((other.row.domain, other.others), names) == (self.row.domain, self.others)


def with_kept_counts(body: typed.Block) -> typed.Block:
    """A function's body with such counts kept."""
    for s in list(walk.statements(body)):
        if isinstance(s, typed.Declare) and s.symbol.type == _FLAG:
            body = _kept(body, s.symbol)
    return body


def _kept(body: typed.Block, flag: typed.Symbol) -> typed.Block:
    loops = [s for s in walk.statements(body) if isinstance(s, typed.ForEach) and _is_over_nodes(s)]
    counts = [count for loop in loops for count in _counts(loop, loop.body.statements, flag)]
    if not counts or not all(counts[0].alike(other) for other in counts):
        return body
    stores = {id(s): loop.iterator for loop in loops for s in walk.statements(loop.body) if _is_store(s, flag, loop)}
    if not all(_is_known(s, flag, stores) for s in walk.statements(body)) or not _pays(body, flag, counts):
        return body
    return rebuilt(body, _Keeping(flag, counts, stores).change)


def _is_over_nodes(loop: typed.ForEach) -> bool:
    return loop.parallel and isinstance(loop.domain, typed.AllNodes)


def _counts(loop: typed.ForEach, statements: Sequence[typed.Statement], flag: typed.Symbol) -> Iterator[_Count]:
    """The counts of a loop over nodes."""
    for place, s in enumerate(statements):
        match s:
            case typed.Declare(symbol=local, value=typed.Literal(value=0)) if place + 1 < len(statements):
                row = statements[place + 1]
                if isinstance(row, typed.ForEach) and local.type is Scalar.INT:
                    others = _others(row, loop.iterator, local, flag)
                    if others is not None:
                        yield _Count(loop.iterator, s, row, others)
            case typed.If():
                for block in walk.blocks(s):
                    assert isinstance(block, typed.Block)
                    yield from _counts(loop, block.statements, flag)
            case _:
                pass


def _others(
    row: typed.ForEach, node: typed.Symbol, local: typed.Symbol, flag: typed.Symbol
) -> tuple[typed.Expression, ...] | None:
    """The conditions beside the flag under which a row counts a neighbor; None if it does anything else."""
    match row.domain, row.body.statements:
        case (
            typed.Neighbors(node=typed.Variable(symbol=own), direction=typed.Direction.IN | typed.Direction.OUT),
            (typed.Update(combine=typed.Combine.ADD, place=place, value=typed.Literal(value=1)),),
        ) if own is node and place == typed.Variable(local) and row.filter is not None:
            asked = list(conjuncts(row.filter))
            others = tuple(c for c in asked if not _says(c, flag, row.iterator))
            plain = (typed.Variable, typed.Literal, typed.Binary, typed.Unary)
            known = {node, row.iterator}
            parts = [part for c in others for part in walk.within(c)]
            named = all(not isinstance(part, typed.Variable) or part.symbol in known for part in parts)
            is_plain = named and all(isinstance(part, plain) for part in parts)
            return others if len(others) == len(asked) - 1 and is_plain else None
        case _:
            return None


def _says(condition: typed.Expression, flag: typed.Symbol, node: typed.Symbol) -> bool:
    match condition:
        case typed.Binary(operator=typed.Operator.EQUAL, left=left, right=typed.Literal(value=True)):
            return _says(left, flag, node)
        case _:
            return condition == typed.Cell(flag, typed.Variable(node))


def _is_store(s: typed.Statement, flag: typed.Symbol, loop: typed.ForEach) -> bool:
    """Whether a statement gives the flag of a loop's own node a constant."""
    own = typed.Cell(flag, typed.Variable(loop.iterator))
    return isinstance(s, typed.Assign) and s.place == own and isinstance(s.value, typed.Literal)


def _is_known(s: typed.Statement, flag: typed.Symbol, stores: dict[int, typed.Symbol]) -> bool:
    """Whether a statement leaves the flags alone, sets all at once to one value, or is one of the stores."""
    if isinstance(s, typed.FixedPoint) and mentions(s.condition, {flag}):
        return False  # its rounds may begin with other flags than they leave
    if flag not in walk.written(s):
        return True
    if isinstance(s, typed.Attach):
        values = [value for symbol, value in s.items if symbol is flag]
        return len(values) == 1 and isinstance(values[0], typed.Literal)
    return id(s) in stores


def _pays(body: typed.Block, flag: typed.Symbol, counts: Sequence[_Count]) -> bool:
    """Whether a loop of the host counts again and again between two times that all flags are set at once."""
    loops = [list(walk.statements(s)) for s in walk.statements(body) if isinstance(s, HostLoop)]
    for count in counts:
        around = [inside for inside in loops if any(s is count.row for s in inside)]
        if not around or any(isinstance(s, typed.Attach) and flag in walk.written(s) for s in around[-1]):
            return False
    return True


class _Keeping:
    """The changes that keep the count."""

    def __init__(self, flag: typed.Symbol, counts: Sequence[_Count], stores: dict[int, typed.Symbol]) -> None:
        self.flag = flag
        self.count = counts[0]
        self.declared = {id(count.declared): count for count in counts}
        self.rows = {id(count.row) for count in counts}
        self.stores = stores
        self.kept = replace(flag, name=f"number_of_{flag.name}", type=_NUMBER)

    def change(self, part: Any) -> Any:
        """As `rebuilt` takes it."""
        if not isinstance(part, typed.Block):
            return None
        return replace(part, statements=tuple(new for s in part.statements for new in self.statement(s)))

    def statement(self, s: typed.Statement) -> Iterator[typed.Statement]:
        match s:
            case typed.Declare(symbol=symbol) if symbol is self.flag:
                yield s
                yield replace(s, symbol=self.kept)
            case typed.Declare() if id(s) in self.declared:
                node = typed.Variable(self.declared[id(s)].node, span=s.span)
                yield replace(s, value=typed.Cell(self.kept, node, span=s.span))
            case typed.ForEach() if id(s) in self.rows:
                pass
            case typed.Attach(items=items) if self.flag in walk.written(s):
                yield replace(s, items=(*items, (self.kept, typed.Literal(0, Scalar.INT, span=s.span))))
                if (self.flag, typed.Literal(True, Scalar.BOOL)) in items:
                    yield self.all_counted(s)
            case typed.ForEach(body=typed.Block(statements=(typed.Assign() as store,))) if id(store) in self.stores:
                has, row = self.told(store, self.stores[id(store)])
                before = () if s.filter is None else (s.filter,)
                telling = replace(s, filter=all_of((*before, has)), body=replace(s.body, statements=(row,)))
                yield with_fresh_symbols(telling, (telling,))
                yield s
            case typed.Assign() if id(s) in self.stores:
                has, row = self.told(s, self.stores[id(s)])
                yield typed.If(has, typed.Block((s, row), span=s.span), span=s.span)
            case _:
                yield rebuilt(s, self.change)

    def all_counted(self, s: typed.Attach) -> typed.ForEach:
        """Every node counts its neighbors, all of which have the flag."""
        node, there = replace(self.count.node), replace(self.count.row.iterator)
        names = {self.count.node: node, self.count.row.iterator: there}
        domain, asked = substituted((self.count.row.domain, self.count.others), names)
        inner = typed.ForEach(False, there, domain, all_of(asked), self.adding(node, 1, s), span=s.span)
        return typed.ForEach(True, node, typed.AllNodes(s.graph), None, typed.Block((inner,), span=s.span), span=s.span)

    def told(self, s: typed.Assign, node: typed.Symbol) -> tuple[typed.Expression, typed.ForEach]:
        """The row in which a node whose flag changes tells those in whose counts it is, and the condition of that."""
        assert isinstance(s.value, typed.Literal)
        other = replace(self.count.node)
        domain = self.count.row.domain
        assert isinstance(domain, typed.Neighbors)
        arcs = replace(domain, node=typed.Variable(node, span=s.span), direction=REVERSED[domain.direction])
        asked = substituted(self.count.others, {self.count.node: other, self.count.row.iterator: node})
        amount = 1 if s.value.value else -1
        row = typed.ForEach(True, other, arcs, all_of(asked), self.adding(other, amount, s), span=s.span)
        has = s.place if amount < 0 else typed.Unary(typed.UnaryOperator.NOT, s.place, span=s.span)
        return has, row

    def adding(self, node: typed.Symbol, amount: int, s: typed.Statement) -> typed.Block:
        cell = typed.Cell(self.kept, typed.Variable(node, span=s.span), span=s.span)
        value = typed.Literal(amount, Scalar.INT, span=s.span)
        return typed.Block((typed.Update(typed.Combine.ADD, cell, value, span=s.span),), span=s.span)
