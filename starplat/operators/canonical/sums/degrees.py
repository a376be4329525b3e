"""A property that only says what follows from degrees, of its node or its arc's source, is computed where it is asked
for.

forall (v in g.nodes()) {                             forall (v in g.nodes()) {
  forall (w in g.neighbors(v)) {                        for (u in g.nodes_to(v)) {
    edge e = g.get_edge(v, w);                            sum += u.rank / g.count_outNbrs(u);
    e.share = 1.0 / g.count_outNbrs(v);                 }
  }                                                   }
}
forall (v in g.nodes()) {
  for (u in g.nodes_to(v)) {
    edge e = g.get_edge(u, v); sum += u.rank * e.share;
  }
}

Rounds then share what a node gives among its arcs, as they do where it is written so. In place of a product with 1 / x
stands the quotient, which is rounded once and not twice. Nodes may be left out that have no such neighbor, if only
neighbors are asked: `v.inverse = 1.0 / g.count_outNbrs(v)` where there are any. If the others hold 0, then
`v.inverse == 0.0` asks whether there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType
from starplat.operators.build import Builder
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_statements, without
from starplat.operators.canonical.unread import without_stores

_DEGREES = {typed.Query.OUT_DEGREE: typed.Direction.IN, typed.Query.IN_DEGREE: typed.Direction.OUT}
"""The degree of which a neighbor has at least 1, by the way in which it is looked for."""
_OTHERWISE = {typed.Operator.EQUAL: typed.Operator.NOT_EQUAL, typed.Operator.LESS_EQUAL: typed.Operator.GREATER}
_PARTS = (typed.Literal, typed.Binary, typed.Convert, typed.Variable, typed.GraphQuery)


def without_degrees(body: typed.Block, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body without such properties of its own."""
    for s in body.statements:
        match s:
            case typed.Declare(typed.Symbol(type=PropertyType()) as symbol) if symbol not in results:
                if (found := _stored(symbol, body.statements)) is not None and (
                    done := found.computed(body)
                ) is not None:
                    return without_degrees(done, results)
    return body


def _stored(symbol: typed.Symbol, statements: Sequence[typed.Statement]) -> _Stored | None:
    """What a property holds, if one loop over nodes stores it, and nothing else but a fill before it."""
    touching = [s for s in statements if walk.touches(s, symbol) and not isinstance(s, typed.Declare)]
    is_zero = True
    if touching and isinstance(fill := touching[0], typed.Attach):
        touching, is_zero = touching[1:], (symbol, typed.Literal(0, symbol.property.element)) in fill.items
    match [(by_rows(s, of_arcs=True) or s) for s in touching]:
        case [typed.ForEach(parallel=True, domain=typed.AllNodes(), iterator=node) as loop, *later]:
            stores, (conditions, inner) = walk.writers(symbol, loop), asked_by_loop(loop)
        case _:
            return None
    match stores:
        case [typed.Assign(typed.Cell(index=index), value) as store]:
            value, chosen = _chosen(value)
            is_zero, conditions = (is_zero or not conditions) if chosen else is_zero, (*conditions, *chosen)
            parts = list(walk.within(value))
        case _:
            return None
    asks = any(isinstance(p, typed.GraphQuery) for p in parts) and symbol.property.element.is_numeric
    plain = asks and all(isinstance(p, _PARTS) and _is_known(p, node) for p in parts)
    if not plain or walk.leaves(loop) or any(symbol in walk.all_written(s) for s in later):
        return None
    if symbol in _reads(loop) and (conditions or not _is_read_behind(store, loop)):
        return None
    rows = [s for s in loop.body.statements if isinstance(s, typed.ForEach) and symbol in walk.all_written(s)]
    match symbol.type, rows:
        case PropertyType(carrier=Carrier.NODE), [] if index == typed.Variable(node) and store in inner:
            return _Stored(symbol, node, value, conditions, is_zero)
        case PropertyType(carrier=Carrier.EDGE), [typed.ForEach(domain=typed.Neighbors() as row, filter=None) as arcs]:
            of_all = (
                loop.filter is None
                and not chosen
                and row.node == typed.Variable(node)
                and row.direction is typed.Direction.OUT
            )
            is_arc = _arcs(loop).get(index, index) == typed.ArcInHand(arcs.iterator)
            return _Stored(symbol, node, value, ()) if of_all and is_arc and store in arcs.body.statements else None
    return None


def _is_read_behind(store: typed.Assign, loop: typed.ForEach) -> bool:
    """Whether a node reads what it has stored behind that, and reads no other's."""
    statements, symbol = loop.body.statements, store.place.symbol
    ahead = statements[: statements.index(store)] if store in statements else statements
    cells = [p for p in walk.all_parts(loop.body) if isinstance(p, typed.Cell) and p.symbol is symbol]
    return all(p == store.place for p in cells) and not any(walk.touches(s, symbol) for s in ahead)


def _chosen(value: typed.Expression) -> tuple[typed.Expression, tuple[typed.Expression, ...]]:
    """What a value is but 0, and the condition of that."""
    match value:
        case typed.Conditional(condition, then, typed.Literal(0)):
            return then, (condition,)
        case typed.Conditional(typed.Binary(operator) as condition, typed.Literal(0), otherwise) if (
            operator in _OTHERWISE
        ):
            return otherwise, (replace(condition, operator=_OTHERWISE[operator]),)
    return value, ()


def _is_known(part: typed.Expression, node: typed.Symbol) -> bool:
    match part:
        case typed.GraphQuery(query=query):
            return query in _DEGREES or query is typed.Query.NUM_NODES
        case typed.Variable(symbol):
            return symbol is node
    return True


def _reads(s: typed.Statement) -> set[typed.Symbol]:
    return {symbol for i in walk.statements(s) for symbol in walk.read(i)}


def _arcs(s: typed.Statement) -> dict[typed.Expression, typed.Expression]:
    """The locals that hold the arc in hand."""
    inside = (i for i in walk.statements(s) if isinstance(i, typed.Declare) and isinstance(i.value, typed.ArcInHand))
    return {typed.Variable(i.symbol): i.value for i in inside if i.value is not None}


@dataclass(frozen=True)
class _Stored:
    """The `value` that a property holds for a node, or for arcs from it, if all of `when` hold for the node; others may
    hold 0."""

    symbol: typed.Symbol
    node: typed.Symbol
    value: typed.Expression
    when: tuple[typed.Expression, ...]
    is_zero: bool = False

    def computed(self, body: typed.Block) -> typed.Block | None:
        """The function's body with the value where the property is asked for; None if that is not known everywhere."""
        arcs = _arcs(body)
        rows = {i.iterator: i for i in walk.statements(body) if isinstance(i, typed.ForEach)}

        def change(part: Any) -> Any:
            match part:
                case typed.Block(statements):
                    done = [rebuilt(s, change) for s in statements]
                    return with_statements(part, [s for s in done if not _is_empty(s)])
                case typed.Binary(typed.Operator.MULTIPLY, left, right):
                    return divided(part, left, right) or divided(part, right, left)
                case typed.Binary(operator, left, right) if operator in MIRRORED:
                    return beside_zero(part, operator, left, right) or beside_zero(
                        part, MIRRORED[operator], right, left
                    )
                case typed.Cell(symbol, index) if symbol is self.symbol:
                    source = self._source(arcs.get(index, index), rows)
                    return None if source is None else substituted(self.value, {self.node: source})
            return None

        def divided(product: typed.Binary, one: typed.Expression, other: typed.Expression) -> typed.Binary | None:
            is_own = isinstance(one, typed.Cell) and one.symbol is self.symbol
            match change(one) if is_own else None:
                case typed.Binary(typed.Operator.DIVIDE, typed.Literal(1), by) as inverse if (
                    inverse.type is product.type and typed.scalar_of(inverse).is_real
                ):
                    return replace(product, operator=typed.Operator.DIVIDE, left=rebuilt(other, change), right=by)
            return None

        def beside_zero(
            asked: typed.Binary, operator: typed.Operator, one: typed.Expression, other: typed.Expression
        ) -> typed.Binary | None:
            """A comparison of the degree itself, whose sign is that of the real."""
            match one, other:
                case typed.Cell(symbol, index), typed.Literal(0) if symbol is self.symbol:
                    held = self._inverse(index) or change(one)
                case _:
                    return None
            match held:
                case typed.Convert(typed.GraphQuery() as degree):
                    zero = Builder(other.span).number(0, degree.type)
                    return replace(asked, operator=operator, left=degree, right=zero)
            return None

        done = rebuilt(without_stores(body, {self.symbol}), change)
        return None if any(walk.touches(s, self.symbol) for s in done.statements) else _without_names(done, arcs)

    def _inverse(self, node: typed.Expression) -> typed.Expression | None:
        """The degree of a node whose cell holds 1 by it, or 0 as it does."""
        match self.value:
            case typed.Binary(typed.Operator.DIVIDE, typed.Literal(1), typed.Convert(typed.GraphQuery() as q) as by):
                same = self.is_zero and {asked_for_arcs(c, self.node) for c in self.when} == {q.query}
                return substituted(by, {self.node: node}) if same else None
        return None

    def _source(self, index: typed.Expression, rows: Mapping[typed.Symbol, typed.ForEach]) -> typed.Expression | None:
        """The node whose value a cell holds."""
        match index:
            case typed.ArcInHand(there) if isinstance(row := rows[there].domain, typed.Neighbors):
                ends = {typed.Direction.OUT: row.node, typed.Direction.IN: typed.Variable(there)}
                return ends.get(row.direction)
            case typed.Variable(node) if self.symbol.property.carrier is Carrier.NODE:
                domain = rows[node].domain if node in rows else None
                way = domain.direction if isinstance(domain, typed.Neighbors) else None
                return index if all(self._has_one(c, way) for c in self.when) else None
        return None

    def _has_one(self, condition: typed.Expression, way: typed.Direction | None) -> bool:
        """Whether a condition asks for an arc of a node that is found by one."""
        query = asked_for_arcs(condition, self.node)
        return query is not None and _DEGREES[query] is way


def asked_for_arcs(condition: typed.Expression, node: typed.Symbol) -> typed.Query | None:
    """The degree of a node that a condition asks to be more than 0."""
    match condition:
        case typed.Binary(
            typed.Operator.GREATER | typed.Operator.NOT_EQUAL,
            typed.GraphQuery(query=query, arguments=(typed.Variable(own),)),
            typed.Literal(0),
        ) if own is node and query in _DEGREES:
            return query
    return None


def _without_names(body: typed.Block, arcs: Mapping[typed.Expression, typed.Expression]) -> typed.Block:
    """A function's body without those names of arcs that nothing asks for."""
    unread = {name.symbol for name in arcs if isinstance(name, typed.Variable)} - _reads(body)
    return without(body, lambda s: isinstance(s, typed.Declare) and s.symbol in unread)


def _is_empty(s: typed.Statement) -> bool:
    """Whether a loop does nothing but name arcs."""
    return isinstance(s, typed.ForEach) and all(
        _is_empty(i) or (isinstance(i, typed.Declare) and isinstance(i.value, typed.ArcInHand))
        for i in s.body.statements
    )
