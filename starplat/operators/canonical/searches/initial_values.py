"""The values of a property when a loop begins: one fill for all cells, and cells that are then set one by one."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.hosts import Known, may_leave


@dataclass(frozen=True)
class InitialValues:
    """The `fill` of all cells, and the cells `set` one by one afterwards: (index, value), in order."""

    fill: typed.Expression
    set: tuple[tuple[typed.Expression, typed.Expression], ...]

    def symbols(self) -> Iterator[typed.Symbol]:
        """What the values and the indices read."""
        for value in (self.fill, *chain.from_iterable(self.set)):
            yield from (part.symbol for part in walk.within(value) if isinstance(part, typed.Variable | typed.Cell))


def initial_values(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> InitialValues | None:
    """The values of a property after some statements; None if any is unknown, or if what an index or a value reads has
    changed since."""
    found: InitialValues | None = None
    for s in before:
        written = walk.all_written(s)
        match s:
            case typed.Attach() | typed.ForEach() if symbol in written:
                value = given_to_all(s, symbol)
                is_one = isinstance(s, typed.Attach) or isinstance(value, typed.Literal | typed.Infinity)
                found = InitialValues(value, ()) if value is not None and is_one else None
            case typed.Assign(place=typed.Cell(symbol=target, index=index), value=value) if target is symbol:
                found = None if found is None else InitialValues(found.fill, (*found.set, (index, value)))
            case _ if symbol in written:
                found = None
            case _ if found is not None and written & set(found.symbols()):
                found = None
    return found


def opened(before: Sequence[typed.Statement]) -> tuple[typed.Statement, ...]:
    """The statements with stores made for sure that ask first whether their node is one, `if (s >= 0) { s.c = 0; }`;
    for questions about what no other cell holds."""
    return tuple(inner for s in before for inner in (_guarded(s) or (s,)))


def _guarded(s: typed.Statement) -> tuple[typed.Assign, ...]:
    """Such stores to the cells of one node; nothing for any other statement."""
    match s:
        case typed.If(
            typed.Binary(typed.Operator.GREATER_EQUAL, typed.Convert(typed.Variable() as node), typed.Literal(0)),
            typed.Block(stores),
            None,
        ):
            own = tuple(s for s in stores if isinstance(s, typed.Assign) and getattr(s.place, "index", None) == node)
            return own if len(own) == len(stores) else ()
    return ()


def given_to_all(s: typed.Statement, symbol: typed.Symbol) -> typed.Expression | None:
    """What a statement surely stores in the cell of every node."""
    match s:
        case typed.Attach(items=items):
            values = [value for target, value in items if target is symbol]
            return values[-1] if values and not isinstance(values[-1], typed.Symbol) else None
        case typed.ForEach(domain=typed.AllNodes(), filter=None, body=body):
            match walk.writers(symbol, body):
                case [typed.Assign(place, value) as store] if place == typed.Cell(symbol, typed.Variable(s.iterator)):
                    always = any(store is inner for inner in body.statements) and not may_leave(body.statements)
                    return value if always else None
    return None


def worst(
    symbol: typed.Symbol, extreme: typed.Extreme, before: Sequence[typed.Statement], known: Known
) -> typed.Expression | None:
    """The fill, if no cell is set to a worse value before a loop that only improves cells by `Min` or `Max`."""
    initial = initial_values(symbol, before)
    fill = None if initial is None else order(initial.fill)
    if initial is None or fill is None:
        return None
    sign = 1 if extreme is typed.Extreme.MAX else -1
    given = [order(constant(value, known)) for _, value in initial.set]
    return initial.fill if all(value is not None and sign * value >= sign * fill for value in given) else None


def order(value: typed.Expression) -> float | None:
    """A constant as a number; None if the value is not constant."""
    match value:
        case typed.Infinity(negative=negative):
            return -math.inf if negative else math.inf
        case typed.Literal(value=number):
            return number
    return None


def constant(value: typed.Expression, known: Known) -> typed.Expression:
    """The value, with a variable whose value is known replaced by that number."""
    match value:
        case typed.Variable(symbol=symbol) if symbol in known:
            return typed.Literal(known[symbol], symbol.scalar, span=value.span)
    return value
