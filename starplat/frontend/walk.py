"""Generic walks over the typed tree: the parts of a node, and everything below it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any

from starplat.frontend import typed, types
from starplat.same import remembered

_PARTS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((typed.Unary, typed.Convert, typed.Cast), ("operand",)),
    **dict.fromkeys((typed.GraphWeight, typed.EdgeEnd), ("edge",)),
    **dict.fromkeys((typed.Cell, typed.ListItem), ("index",)),
    **dict.fromkeys((typed.GraphQuery, typed.Apply, typed.Call), ("arguments",)),
    typed.SetContains: ("member",),
    typed.Incremented: ("place",),
    typed.MapValue: ("key",),
    typed.Together: ("values",),
    typed.Binary: ("left", "right"),
    typed.Conditional: ("condition", "then", "otherwise"),
}
"""The fields with expressions, or tuples of some, of each kind of expression that has such."""


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[typed.Expression, ...]]:
    parts: Callable[[Any], Any] = attrgetter(*names)
    return parts if len(names) > 1 or names[0] in ("arguments", "values") else lambda node: (parts(node),)


_CHILDREN: dict[type, Callable[[Any], tuple[typed.Expression, ...]]] = {
    **{kind: _getter(names) for kind, names in _PARTS.items()},
    typed.Call: lambda call: tuple(a for a in call.arguments if not isinstance(a, typed.Symbol)),
}


def children(node: typed.Expression) -> tuple[typed.Expression, ...]:
    """The expressions directly inside an expression, left to right."""
    parts = _CHILDREN.get(type(node))
    return () if parts is None else parts(node)


def with_children(e: typed.Expression, parts: Sequence[typed.Expression]) -> typed.Expression:
    """The expression with other parts, in the order of `children`."""
    given = iter(parts)

    def other(old: Any) -> Any:
        if isinstance(old, tuple):
            return tuple(part if isinstance(part, typed.Symbol) else next(given) for part in old)
        return next(given)

    changed = {name: other(getattr(e, name)) for name in _PARTS.get(type(e), ())}
    return replace(e, **changed) if changed else e


def within(node: typed.Expression) -> Iterator[typed.Expression]:
    """The expression and everything inside it."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if (parts := _CHILDREN.get(type(current))) is not None:
            pending.extend(parts(current)[::-1])


def symbol_of(part: typed.Expression) -> typed.Symbol | None:
    """The symbol whose value an expression reads itself, if it does."""
    match part:
        case typed.Variable() | typed.Cell() | typed.SetSize() | typed.SetContains():
            return part.symbol
        case typed.ListItem() | typed.ListSize() | typed.WholeList():
            return part.symbol
        case typed.Aggregate():
            return part.property
    return None


def as_named(node: typed.Expression) -> typed.Expression:
    """A node without the conversions between `int` and `node`, which change nothing."""
    while isinstance(node, typed.Convert) and {node.type, node.operand.type} == {types.Scalar.INT, types.Scalar.NODE}:
        node = node.operand
    return node


def blocks(statement: typed.Statement) -> tuple[typed.Statement, ...]:
    """The statements directly inside a statement."""
    match statement:
        case typed.Block():
            return statement.statements
        case typed.If():
            return (statement.then,) if statement.otherwise is None else (statement.then, statement.otherwise)
        case typed.While() | typed.DoWhile() | typed.ForEach() | typed.FixedPoint():
            return (statement.body,)
        case typed.CountedLoop():
            return (statement.body, statement.step)
        case typed.IterateInBFS():
            return (statement.body,) if statement.reverse is None else (statement.body, statement.reverse.body)
        case typed.Unsupported():
            return statement.parts
    return ()


def statements(statement: typed.Statement) -> Iterator[typed.Statement]:
    """The statement and everything inside it, in the order of the text."""
    return iter(_all_statements(statement))


@remembered()
def _all_statements(statement: typed.Statement) -> tuple[typed.Statement, ...]:
    inner = blocks(statement)
    return (statement, *chain.from_iterable(map(_all_statements, inner))) if inner else (statement,)


def expressions(statement: typed.Statement) -> tuple[typed.Expression, ...]:
    """The expressions that a statement itself holds, without those of the statements inside it.

    What it assigns to is not among them, but the indices of the cells it assigns to are.
    """
    match statement:
        case typed.Declare() | typed.Return():
            return () if statement.value is None else (statement.value,)
        case typed.Assign() | typed.Update():
            return (*children(statement.place), statement.value)
        case typed.AssignExtreme():
            carried = tuple(e for c in statement.carried for e in (*children(c.place), c.value))
            return (*children(statement.place), statement.candidate, *carried)
        case typed.Attach():
            return tuple(v for _, v in statement.items if not isinstance(v, typed.Symbol))
        case typed.AddToSet():
            return (statement.member,)
        case typed.AddToMap():
            return (statement.key, statement.value)
        case typed.ChangeList():
            return statement.arguments
        case typed.CallStatement():
            return (statement.call,)
        case typed.Print():
            return tuple(part for part in statement.parts if not isinstance(part, str))
        case typed.If() | typed.While() | typed.DoWhile() | typed.FixedPoint() | typed.Assert():
            return (statement.condition,)
        case typed.CountedLoop():
            return (statement.first, statement.condition)
        case typed.ForEach():
            node = _of_domain(statement.domain)
            return node if statement.filter is None else (*node, statement.filter)
        case typed.TakeBatch():
            return (statement.first, statement.size, statement.limit)
        case typed.ChangeGraph():
            return statement.updates.numbers
        case typed.IterateInBFS():
            filters = (statement.filter, statement.reverse.filter if statement.reverse is not None else None)
            return (statement.source, *(f for f in filters if f is not None))
    return ()


def own_calls(statement: typed.Statement) -> list[typed.Call]:
    """The calls in the expressions that a statement itself holds."""
    return [e for value in expressions(statement) for e in within(value) if isinstance(e, typed.Call)]


def _of_domain(domain: typed.Domain) -> tuple[typed.Expression, ...]:
    match domain:
        case typed.Neighbors(node=node):
            return (node,)
        case typed.Numbers(count=count):
            return (count,)
    return ()


def written_places(statement: typed.Statement) -> tuple[typed.Place, ...]:
    """The places that a statement itself writes."""
    match statement:
        case typed.Assign() | typed.Update():
            return (statement.place,)
        case typed.AssignExtreme():
            return (statement.place, *(carried.place for carried in statement.carried))
    return ()


@remembered()
def written(statement: typed.Statement) -> tuple[typed.Symbol, ...]:
    """The symbols that a statement itself may change, calls by reference included."""
    return tuple(_each_written(statement))


def _each_written(statement: typed.Statement) -> Iterator[typed.Symbol]:
    yield from (place.symbol for place in written_places(statement))
    match statement:
        case typed.Attach():
            yield from (symbol for symbol, _ in statement.items)
        case typed.CopyProperty():
            yield statement.destination
        case typed.AddToSet() | typed.AddToMap() | typed.ChangeList() | typed.CountedLoop():
            yield statement.symbol
        case typed.FixedPoint():
            yield statement.flag
        case typed.TakeBatch():
            yield statement.end
        case typed.ChangeGraph():
            yield from statement.properties
    for expression in expressions(statement):
        for part in within(expression):
            if isinstance(part, typed.Call):
                yield from (a for a in part.arguments if isinstance(a, typed.Symbol))
            elif isinstance(part, typed.Incremented):
                yield part.place.symbol


def all_written(*given: typed.Statement) -> set[typed.Symbol]:
    """The symbols that statements may change, or any statement inside them."""
    return {symbol for statement in given for inner in statements(statement) for symbol in written(inner)}


def writers(symbol: typed.Symbol, *given: typed.Statement) -> list[typed.Statement]:
    """The statements, among these and all inside them, that may change a symbol, in the order of the text."""
    return [inner for statement in given for inner in statements(statement) if symbol in written(inner)]
