"""Removes stores to local properties that are never read, as rewrites of their readers leave them."""

from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import with_each_statement


def without_unread(body: typed.Block, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body without stores of constants to properties of its own that it does not read."""
    inside = list(walk.statements(body))
    own = {s.symbol for s in inside if isinstance(s, typed.Declare) and isinstance(s.symbol.type, types.PropertyType)}
    dead = own - results - {symbol for s in inside for symbol in walk.read(s)}
    stored = {symbol for s in inside if not _is_plain(s) for symbol in walk.written(s)}
    return without_stores(body, dead - stored) if dead - stored else body


def _is_plain(s: typed.Statement) -> bool:
    """Whether a statement may be left out, or a part of it, where its property is not read."""
    match s:
        case typed.Attach() | typed.CopyProperty():
            return True
        case typed.Assign(typed.Cell(index=index), value):
            value = value.operand if isinstance(value, typed.Convert) else value
            return isinstance(index, typed.Variable) and isinstance(
                value, typed.Literal | typed.Infinity | typed.Variable
            )
    return False


def without_stores(body: typed.Block, dead: set[typed.Symbol]) -> typed.Block:
    """A body without the declarations of properties, without fills of and stores to these."""

    def left(s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        match s:
            case typed.Declare(symbol) | typed.CopyProperty(symbol) | typed.Assign(typed.Cell(symbol)) if (
                symbol in dead
            ):
                return ()
            case typed.Attach(items=items) if any(symbol in dead for symbol, _ in items):
                rest = tuple(item for item in items if item[0] not in dead)
                return (replace(s, items=rest),) if rest else ()
        return None

    return with_each_statement(body, left)
