"""Walks over the checked tree: the expressions of a statement, the statements inside it, everything below it."""

from __future__ import annotations

from collections.abc import Iterator

from starplat.frontend import typed
from starplat.frontend import walk as parts

operands = parts.children
"""The expressions directly inside an expression."""

expressions = parts.within
"""The expression and all below it, outermost first."""

children = parts.blocks
"""The statements directly inside a statement."""

statements = parts.statements
"""The statement and all below it, in the order of the text."""


def values(statement: typed.Statement) -> tuple[typed.Expression, ...]:
    """The expressions that a statement itself evaluates, those of statements inside it left out; of a place, its
    index."""
    match statement:
        case typed.Declare():
            return () if statement.value is None else (statement.value,)
        case typed.Assign() | typed.Update():
            return (*_index(statement.place), statement.value)
        case typed.AssignExtreme():
            carried = [e for c in statement.carried for e in (*_index(c.place), c.value)]
            return (*_index(statement.place), statement.candidate, *carried)
        case typed.Attach():
            return tuple(value for _, value in statement.items if not isinstance(value, typed.Symbol))
        case typed.AddToSet():
            return (statement.member,)
        case typed.CallStatement():
            return (statement.call,)
        case typed.Return():
            return () if statement.value is None else (statement.value,)
        case typed.If() | typed.While() | typed.DoWhile() | typed.FixedPoint():
            return (statement.condition,)
        case typed.CountedLoop():
            return (statement.first, statement.condition)
        case typed.ForEach():
            over = (statement.domain.node,) if isinstance(statement.domain, typed.Neighbors) else ()
            return over if statement.filter is None else (*over, statement.filter)
        case typed.IterateInBFS():
            return (statement.source,) if statement.filter is None else (statement.source, statement.filter)
        case _:
            return ()


def _index(place: typed.Place) -> tuple[typed.Expression, ...]:
    return (place.index,) if isinstance(place, typed.Cell) else ()


def all_values(statement: typed.Statement) -> Iterator[typed.Expression]:
    """Every expression evaluated anywhere below a statement, outermost only."""
    for inner in statements(statement):
        yield from values(inner)
        if isinstance(inner, typed.IterateInBFS) and inner.reverse is not None and inner.reverse.filter is not None:
            yield inner.reverse.filter


def written_places(statement: typed.Statement) -> tuple[typed.Place, ...]:
    """The places that a statement itself writes."""
    match statement:
        case typed.Assign() | typed.Update():
            return (statement.place,)
        case typed.AssignExtreme():
            return (statement.place, *(carried.place for carried in statement.carried))
        case _:
            return ()


def calls(statement: typed.Statement) -> Iterator[typed.Call]:
    """Every call of a function of the program below a statement."""
    for value in all_values(statement):
        yield from (e for e in expressions(value) if isinstance(e, typed.Call))


def declared(statement: typed.Statement) -> Iterator[typed.Symbol]:
    """Every symbol that comes to be inside a statement, iterators included."""
    for inner in statements(statement):
        match inner:
            case typed.Declare():
                yield inner.symbol
            case typed.CountedLoop() if inner.declares:
                yield inner.symbol
            case typed.ForEach() | typed.IterateInBFS():
                yield inner.iterator
            case typed.FixedPoint():
                yield inner.node
                yield inner.flag
            case _:
                pass
