"""Rewrites a program so that it maintains a count of neighbors in a set: inserted and removed nodes update the counts.

`kept` decides which counts are maintained.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, filters, rebuilding
from starplat.operators.canonical.counts.counting import Count
from starplat.operators.canonical.counts.members import FLAG, are_part_of, constant
from starplat.same import Same

ZERO = typed.Literal(0, types.Scalar.INT)


@dataclass(frozen=True)
class Store:
    """A statement that inserts the node of a loop into a set (`joins`) or removes it."""

    statement: typed.Assign
    loop: typed.ForEach
    joins: bool


@dataclass(frozen=True)
class Keeping:
    """The changes that maintain a count in the property `kept`, from the statement `first` on.

    `marks` are flags of the nodes that a loop inserted or removed, for loops after which counts are updated; `sure`
    are the stores that surely change membership.
    """

    counts: Sequence[Count]
    stores: dict[Same, Store]
    marks: dict[tuple[Same, bool], typed.Symbol]
    sure: set[Same]
    kept: typed.Symbol
    first: typed.Statement

    @property
    def count(self) -> Count:
        return self.counts[0]

    def change(self, part: Any) -> Any:
        """The replacement of a part, as `rebuilt` expects it."""
        match part:
            case typed.Block(every):
                new = tuple(n for i, s in enumerate(every) for n in self.statement(s, every[:i]))
                return replace(part, statements=new)
            case typed.Cell(symbol) if symbol is self.count.property:
                return rebuilding.rebuilt(replace(part, symbol=self.kept), self.change)
        return None

    def statement(self, s: typed.Statement, before: Sequence[typed.Statement]) -> Iterator[typed.Statement]:
        if s is self.first:
            yield from (Builder(s.span).declare(new) for new in (self.kept, *self.marks.values()))
        gone = self.count.property
        made = next((c for c in self.counts if any(s is part for part in c.parts)), None)
        own = [store for store in self.stores.values() if store.loop is s]
        match s:
            case typed.Declare(symbol) if symbol is gone:
                pass
            case typed.Declare() if made is not None:
                yield replace(s, value=Builder(s.span).cell(self.kept, made.node))
            case typed.ForEach() if made is not None:
                pass
            case typed.Attach(items=items):
                yield from self.filled(s, tuple(item for item in items if item[0] is not gone))
            case typed.ForEach() if own and s.body.statements == (own[0].statement,) and not self.marked_in(s):
                yield from self.updated_before(s, own[0], before)
            case typed.ForEach() if own:
                yield replace(s, filter=rebuilding.rebuilt(s.filter, self.change), body=self.change(s.body))
                yield from map(self.updated_after, {store.joins: store for store in own if self.marked_in(s)}.values())
            case typed.Assign() if Same(s) in self.stores:
                yield from self.stored(self.stores[Same(s)])
            case _:
                yield rebuilding.rebuilt(s, self.change)

    def filled(
        self, s: typed.Attach, items: tuple[tuple[typed.Symbol, typed.Expression | typed.Symbol], ...]
    ) -> Iterator[typed.Statement]:
        """A fill; if it inserts all nodes, a recount follows."""
        members = self.count.members
        values = [value for symbol, value in items if symbol is members.symbol]
        if values:
            none = [(mark, typed.FALSE) for mark in self.marks.values() if s is self.first]
            yield replace(s, items=(*items, (self.kept, ZERO), *none))
            if any(isinstance(value, typed.Expression) and members.value == constant(value) for value in values):
                yield self.recount(s)
        elif items:
            yield replace(s, items=items)

    def recount(self, s: typed.Attach) -> typed.ForEach:
        node, there = replace(self.count.node), replace(self.count.there)
        names = {self.count.node: node, self.count.there: there}
        row, others = rebuilding.substituted((self.count.row, self.count.others), names)
        inner = typed.ForEach(False, there, row, filters.all_of(others), self.addition(node, 1, s), span=s.span)
        return Builder(s.span).over(node, typed.AllNodes(s.graph), inner)

    def updated_before(
        self, loop: typed.ForEach, store: Store, before: Sequence[typed.Statement]
    ) -> Iterator[typed.Statement]:
        """A loop that only changes a set, after one that updates the counts of the neighbors."""
        members = self.count.members
        conditions = list(all_asked(loop.filter))
        if store.joins:
            conditions.append(members.has_not(loop.iterator))
        elif not any(
            members.asked(c, loop.iterator) or are_part_of(c, loop.iterator, members, before) for c in conditions
        ):
            conditions.append(members.has(loop.iterator))
        body = typed.Block((self.update(store),), span=loop.span)
        updating = replace(loop, filter=filters.all_of(conditions), body=body)
        yield rebuilding.with_fresh_symbols(updating, (updating,))
        yield loop

    def updated_after(self, store: Store) -> typed.ForEach:
        """The loop in which nodes marked by a store update the counts of their neighbors."""
        mark = self.marked(store)
        loop, span = store.loop, store.statement.span
        body = typed.Block((replace(mark, value=typed.FALSE), self.update(store)), span=span)
        updating = replace(loop, filter=mark.place, body=body, span=span)
        return rebuilding.with_fresh_symbols(updating, (updating,))

    def stored(self, store: Store) -> Iterator[typed.Statement]:
        """A store among other statements, with the update or with a mark for it, if it changes membership."""
        s, members, node = store.statement, self.count.members, store.loop.iterator
        update = self.marked(store) if self.marked_in(store.loop) else self.update(store)
        if Same(s) in self.sure:
            yield from (s, update)
            return
        changes = members.has_not(node) if store.joins else members.has(node)
        gives_others = not store.joins and members.symbol.type != FLAG
        inside = (update,) if gives_others else (s, update)
        yield Builder(s.span).when(changes, *inside)
        if gives_others:
            yield s

    def marked_in(self, loop: typed.ForEach) -> bool:
        """Whether counts are updated after a loop rather than in it."""
        return any(place == Same(loop) for place, _ in self.marks)

    def marked(self, store: Store) -> typed.Assign:
        span = store.statement.span
        mark = self.marks[Same(store.loop), store.joins]
        return Builder(span).assign(Builder(span).cell(mark, store.loop.iterator), True)

    def update(self, store: Store) -> typed.ForEach:
        """The loop in which a node updates the counts that include it."""
        span, other = store.statement.span, replace(self.count.node)
        way = effects.REVERSED[self.count.row.direction]
        arcs = replace(self.count.row, node=typed.Variable(store.loop.iterator, span=span), direction=way)
        names = {self.count.node: other, self.count.there: store.loop.iterator}
        conditions = rebuilding.substituted(self.count.others, names)
        amount = 1 if store.joins else -1
        return typed.ForEach(
            True, other, arcs, filters.all_of(conditions), self.addition(other, amount, store.statement), span=span
        )

    def addition(self, node: typed.Symbol, amount: int, s: typed.Statement) -> typed.Block:
        build = Builder(s.span)
        return build.block(build.add(build.cell(self.kept, node), amount))
