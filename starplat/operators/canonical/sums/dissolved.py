"""Replaces a property whose cells are only summed up by the sum itself.

g.attachNodeProperty(corner = 0);                     long corner = 0;
forall (v in g.nodes()) { ... v.corner += 1; ... }    forall (v in g.nodes()) { ... corner += 1; ... }
return Sum(corner) / 3;                               return corner / 3;

forall (e in g.edges()) { ... e.support = n; }        long sum = 0;
long sum = 0;                                         forall (e in g.edges()) { ... sum += n; }
forall (e in g.edges()) { sum += e.support; }

Cells start at 0 and are added to, or each is stored once; `Sum` or a loop sums them up.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import rebuilt, with_host_blocks
from starplat.operators.canonical.searches.initial_values import given_to_all


def dissolved(body: typed.Block) -> typed.Block:
    """A function's body with sums in place of such properties, where all that is done to them stands in one block."""
    return with_host_blocks(body, _block)


def _block(statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    for place, s in enumerate(statements):
        match s:
            case typed.Declare(typed.Symbol(type=types.PropertyType(element=element))) if element.is_numeric:
                if (done := _as_sum(s.symbol, statements[place + 1 :])) is not None:
                    return _block((*statements[:place], *done))
    return statements


def _as_sum(symbol: typed.Symbol, after: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """What follows the declaration of a property, with a sum in its place; None if it is more than added up."""
    uses = [place for place, s in enumerate(after) if any(_uses(inner, symbol) for inner in walk.statements(s))]
    match [after[place] for place in uses]:
        case [typed.ForEach(parallel=True) as loop, last]:
            filled = None
        case [typed.Attach() as filled, typed.ForEach(parallel=True) as loop, last]:
            pass
        case _:
            return None
    between = after[uses[-2] + 1 : uses[-1]]
    if (added := _added_up(symbol, last)) is not None:
        total, ahead = added, between
        behind: tuple[typed.Statement, ...] = ()
        if not all(isinstance(s, typed.Declare) and isinstance(s.value, typed.Literal) for s in between):
            return None
    elif (summed := _summed(symbol, last)) is not None:
        total = replace(symbol, type=summed.type)
        zero = typed.Literal(0 if total.scalar.is_integer else 0.0, total.scalar)
        ahead = (typed.Declare(total, zero, span=symbol.span),)
        of_total = typed.Variable(total, span=summed.span)
        behind = (*between, rebuilt(last, lambda part: of_total if part is summed else None))
    else:
        return None
    adding = _adding(symbol, total, loop, cleared=filled is not None and _begins_at_zero(filled, symbol))
    if adding is None:
        return None
    before = [s for s in after[: uses[-2]] if s is not filled]
    if filled is not None and (rest := tuple(item for item in filled.items if item[0] is not symbol)):
        before.insert(uses[0], replace(filled, items=rest))
    return (*before, *ahead, adding, *behind, *after[uses[-1] + 1 :])


def _summed(symbol: typed.Symbol, s: typed.Statement) -> typed.Aggregate | None:
    """The sum of a property, of a statement that does nothing else with it."""
    parts = [part for value in walk.values(s) for part in walk.within(value)]
    sums = [part for part in parts if isinstance(part, typed.Aggregate) and part.property is symbol]
    alone = sum(_uses(inner, symbol) for inner in walk.statements(s)) == 1 and symbol not in walk.written(s)
    return sums[0] if alone and [part.aggregation for part in sums] == [typed.Aggregation.SUM] else None


def _added_up(symbol: typed.Symbol, s: typed.Statement) -> typed.Symbol | None:
    """What a loop adds all cells of a property to, if it does nothing else."""
    match s:
        case typed.ForEach(
            parallel=True,
            filter=None,
            body=typed.Block((typed.Update(typed.Combine.ADD, typed.Variable(total), value),)),
        ) if _covers(s, symbol):
            whole = total.scalar.is_integer and symbol.property.element.is_integer
            cell = value.operand if isinstance(value, typed.Convert) and whole else value
            return total if cell == _cell(symbol, s) else None
    return None


def _adding(symbol: typed.Symbol, total: typed.Symbol, loop: typed.ForEach, *, cleared: bool) -> typed.ForEach | None:
    """A loop with additions to a total in place of those to cells that were `cleared`, or of a store to each cell."""
    inside = list(walk.statements(loop))
    touching = [s for s in inside if _uses(s, symbol)]
    stores = [s for s in loop.body.statements if isinstance(s, typed.Assign) and s.place == _cell(symbol, loop)]
    if not (cleared and all(_only_adds(s, symbol) for s in touching)):
        whole = loop.filter is None and _covers(loop, symbol) and not walk.leaves(loop)
        if not whole or len(touching) != 1 or touching != stores:
            return None
    if any(_uses(s, total) for s in inside):
        return None

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Update | typed.Assign) or part.place.symbol is not symbol:
            return None
        value = part.value if symbol.property.element is total.scalar else _wider(part.value, total)
        return typed.Update(typed.Combine.ADD, typed.Variable(total, span=part.place.span), value, span=part.span)

    return rebuilt(loop, change)


def _covers(loop: typed.ForEach, symbol: typed.Symbol) -> bool:
    """Whether a loop is over all that a property has cells for."""
    of_nodes = symbol.property.carrier is types.Carrier.NODE
    return isinstance(loop.domain, typed.AllNodes if of_nodes else typed.AllEdges)


def _cell(symbol: typed.Symbol, loop: typed.ForEach) -> typed.Cell:
    return typed.Cell(symbol, typed.Variable(loop.iterator))


def _wider(value: typed.Expression, total: typed.Symbol) -> typed.Expression:
    if isinstance(value, typed.Literal):
        return replace(value, type=total.scalar)
    return typed.Convert(value, total.scalar, span=value.span)


def _uses(s: typed.Statement, symbol: typed.Symbol) -> bool:
    return symbol in walk.read(s) or symbol in walk.written(s)


def _begins_at_zero(fill: typed.Attach, symbol: typed.Symbol) -> bool:
    given = given_to_all(fill, symbol)
    return isinstance(given, typed.Literal) and given.value == 0 and all(value is not symbol for _, value in fill.items)


def _only_adds(s: typed.Statement, symbol: typed.Symbol) -> bool:
    """Whether a statement adds to a cell, and does not read one for it."""
    match s:
        case typed.Update(typed.Combine.ADD, typed.Cell(cell)) if cell is symbol:
            parts = walk.own_parts(s)
            return not any(isinstance(part, typed.Cell) and part.symbol is symbol for part in parts)
    return False
