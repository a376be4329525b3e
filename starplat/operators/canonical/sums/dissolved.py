"""A property whose cells are only added up is the sum itself, whoever adds them up.

g.attachNodeProperty(corner = 0);                     long corner = 0;
forall (v in g.nodes()) { ... v.corner += 1; ... }    forall (v in g.nodes()) { ... corner += 1; ... }
return Sum(corner) / 3;                               return corner / 3;

forall (e in g.edges()) { ... e.support = n; }        long sum = 0;
long sum = 0;                                         forall (e in g.edges()) { ... sum += n; }
forall (e in g.edges()) { sum += e.support; }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import PropertyType
from starplat.operators.canonical.hosts import read
from starplat.operators.canonical.rebuilding import rebuilt

_LEAVES = (typed.Return, typed.Break, typed.Continue)


def dissolved(body: typed.Block) -> typed.Block:
    """A function's body with sums in place of such properties, where all that is done to them stands in one block."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block():
                inner = rebuilt(part.statements, change)
                done = _block(inner)
                return part if done is part.statements else replace(part, statements=done)
            case _:
                return None

    return rebuilt(body, change)


def _block(statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    for place, s in enumerate(statements):
        match s:
            case typed.Declare(symbol=typed.Symbol(type=PropertyType(element=element))) if element.is_numeric:
                after = statements[place + 1 :]
                if (done := _as_sum(s, after) or _as_part_of_sum(s.symbol, after)) is not None:
                    return _block((*statements[:place], *done))
            case _:
                pass
    return statements


def _as_sum(declared: typed.Declare, after: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """What follows the declaration of a property, with a sum in its place; None if it is more than added up."""
    symbol = declared.symbol
    uses = [place for place, s in enumerate(after) if any(_uses(inner, symbol) for inner in walk.statements(s))]
    if len(uses) != 3:
        return None
    fill, loop, last = (after[place] for place in uses)
    if not isinstance(fill, typed.Attach) or not isinstance(loop, typed.ForEach) or not loop.parallel:
        return None
    sums = [
        part
        for value in walk.values(last)
        for part in walk.within(value)
        if isinstance(part, typed.Aggregate) and part.property is symbol
    ]
    if len(sums) != 1 or sums[0].aggregation is not typed.Aggregation.SUM or not _begins_at_zero(fill, symbol):
        return None
    if sum(_uses(inner, symbol) for inner in walk.statements(last)) != 1 or symbol in walk.written(last):
        return None
    total = replace(symbol, type=sums[0].type)
    if not all(_only_adds(inner, symbol) for inner in walk.statements(loop) if _uses(inner, symbol)):
        return None

    def change(part: Any) -> Any:
        match part:
            case typed.Update(place=typed.Cell(symbol=cell)) if cell is symbol:
                value = part.value if symbol.property.element is total.scalar else _wider(part.value, total)
                return replace(part, place=typed.Variable(total, span=part.place.span), value=value)
            case typed.Aggregate(property=asked) if asked is symbol:
                return typed.Variable(total, span=part.span)
            case _:
                return None

    zero = typed.Declare(total, typed.Literal(0 if total.scalar.is_integer else 0.0, total.scalar), span=declared.span)
    rest = tuple(item for item in fill.items if item[0] is not symbol)
    changed = {uses[1]: rebuilt(loop, change), uses[2]: rebuilt(last, change)}
    filled = (replace(fill, items=rest),) if rest else ()
    others = [
        new for place, s in enumerate(after) for new in (filled if place == uses[0] else (changed.get(place, s),))
    ]
    return (zero, *others)


def _as_part_of_sum(symbol: typed.Symbol, after: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """What follows the declaration of a property that one loop stores and the next, over the same domain, adds to a
    scalar, with one loop for both; None if it is more than that."""
    uses = [place for place, s in enumerate(after) if any(_uses(inner, symbol) for inner in walk.statements(s))]
    match [after[place] for place in uses]:
        case [
            typed.ForEach(parallel=True, filter=None) as loop,
            typed.ForEach(parallel=True, filter=None, body=typed.Block(statements=(typed.Update() as added,))) as last,
        ] if loop.domain == last.domain and isinstance(added.place, typed.Variable):
            total = added.place.symbol
        case _:
            return None
    between = after[uses[0] + 1 : uses[1]]
    stores = [s for s in loop.body.statements if isinstance(s, typed.Assign) and s.place == _cell(symbol, loop)]
    inside = list(walk.statements(loop.body))
    if len(stores) != 1 or sum(_uses(s, symbol) for s in inside) != 1 or any(_uses(s, total) for s in inside):
        return None
    if any(isinstance(s, _LEAVES) for s in inside) or not all(_is_constant(s) for s in between):
        return None
    if added.value != _cell(symbol, last) and added.value != typed.Convert(_cell(symbol, last), total.scalar):
        return None
    value = rebuilt(added.value, lambda part: stores[0].value if part == _cell(symbol, last) else None)
    body = rebuilt(loop.body, lambda part: replace(added, value=value) if part is stores[0] else None)
    return (*after[: uses[0]], *between, replace(loop, body=body), *after[uses[1] + 1 :])


def _cell(symbol: typed.Symbol, loop: typed.ForEach) -> typed.Cell:
    return typed.Cell(symbol, typed.Variable(loop.iterator))


def _is_constant(s: typed.Statement) -> bool:
    return isinstance(s, typed.Declare) and isinstance(s.value, typed.Literal)


def _wider(value: typed.Expression, total: typed.Symbol) -> typed.Expression:
    if isinstance(value, typed.Literal):
        return replace(value, type=total.scalar)
    return typed.Convert(value, total.scalar, span=value.span)


def _uses(s: typed.Statement, symbol: typed.Symbol) -> bool:
    return symbol in read(s) or symbol in walk.written(s)


def _begins_at_zero(fill: typed.Attach, symbol: typed.Symbol) -> bool:
    values = [value for filled, value in fill.items if filled is symbol]
    return (
        len(values) == 1
        and isinstance(values[0], typed.Literal)
        and values[0].value == 0
        and all(value is not symbol for _, value in fill.items)
    )


def _only_adds(s: typed.Statement, symbol: typed.Symbol) -> bool:
    """Whether a statement adds to a cell, and does not read one for it."""
    match s:
        case typed.Update(combine=typed.Combine.ADD, place=typed.Cell(symbol=cell)) if cell is symbol:
            parts = (part for value in walk.expressions(s) for part in walk.within(value))
            return not any(isinstance(part, typed.Cell) and part.symbol is symbol for part in parts)
        case _:
            return False
