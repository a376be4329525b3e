"""A property of the function's own that only becomes a result in the end is the result.

propNode<bool> seen;                                  g.attachNodeProperty(reached = False);
g.attachNodeProperty(seen = False);                   src.reached = True;
src.seen = True;                                      ...
...
forall (v in g.nodes()) { v.reached = v.seen; }

So is a flag of which the result is the opposite, `v.reached = !v.far`, with its truths turned.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed, types
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.rebuilding import rebuilt, substituted
from starplat.operators.canonical.rising import is_filled
from starplat.operators.canonical.searches.initial_values import InitialValues, initial_values

_NONE = InitialValues(typed.FALSE, ())


def as_results(body: typed.Block) -> typed.Block:
    """A function's body with results in the place of such properties."""
    statements = body.statements
    if any(isinstance(i, typed.Return | typed.Unsupported) for s in statements[:-1] for i in walk.statements(s)):
        return body
    for place, s in enumerate(statements):
        before, after = statements[:place], statements[place + 1 :]
        if (copied := _copy(s, before)) is None:
            continue
        result, own = copied
        if _is_copied(own, before):
            continue  # two buffers change places, which a result cannot do
        filled = any(isinstance(s, typed.Declare) and s.symbol is own and is_filled(s, body) for s in before)
        if filled and not _touched(own, after) and (kept := _without(result, before)):
            turned = _turned(kept, own) if _is_opposite(s) else kept
            if turned:
                turned = substituted(tuple(s for s in turned if not walk.declares(s, own)), {own: result})
                return as_results(replace(body, statements=(*turned, *after)))
    return body


def _is_opposite(s: typed.Statement) -> bool:
    """Whether a loop stores the opposite of a flag."""
    match s:
        case typed.ForEach(body=typed.Block((typed.Assign(value=typed.Unary()),))):
            return True
    return False


def _turned(statements: tuple[typed.Statement, ...], flag: typed.Symbol) -> tuple[typed.Statement, ...]:
    """The statements with the opposite in a flag; none if it is given more than constants, or used as a whole."""
    inside = [inner for s in statements for inner in walk.statements(s)]
    as_a_whole = False

    def change(part: Any) -> Any:
        nonlocal as_a_whole
        match part:
            case typed.Unary(typed.UnaryOperator.NOT, typed.Cell(symbol) as cell) if symbol is flag:
                return cell
            case typed.Cell(symbol) if symbol is flag:
                return typed.Unary(typed.UnaryOperator.NOT, part, span=part.span)
            case typed.Assign(typed.Cell(symbol), typed.Literal() as value) if symbol is flag:
                return replace(part, value=replace(value, value=not value.value))
            case typed.Attach(items=items) if flag in walk.written(part):
                other = {symbol: replace(v, value=not v.value) for symbol, v in items if isinstance(v, typed.Literal)}
                return replace(part, items=tuple((of, other[of] if of is flag else value) for of, value in items))
            case typed.Declare(symbol) if symbol is flag:
                return part
            case typed.Symbol() if part is flag:
                as_a_whole = True
        return None

    waits = any(isinstance(s, typed.FixedPoint) and mentions(s.condition, {flag}) for s in inside)
    if waits or not all(_is_constant(s, flag) for s in inside if flag in walk.written(s)):
        return ()
    turned = rebuilt(statements, change)
    return () if as_a_whole else turned


def _is_constant(s: typed.Statement, flag: typed.Symbol) -> bool:
    """Whether a statement gives a flag a constant, and nothing else."""
    match s:
        case typed.Assign(value=value):
            return isinstance(value, typed.Literal)
        case typed.Attach(items=items):
            return all(isinstance(value, typed.Literal) for symbol, value in items if symbol is flag)
    return False


def _copy(s: typed.Statement, before: tuple[typed.Statement, ...]) -> tuple[typed.Symbol, typed.Symbol] | None:
    """The parameter that becomes what a local is. Truths may be set for those that have it, where all are False."""
    match s:
        case typed.CopyProperty(to, of):
            pass
        case typed.ForEach(domain=typed.AllNodes()):
            node = typed.Variable(s.iterator)
            match asked_by_loop(s):
                case (), (typed.Assign(typed.Cell(to, at), value),) if (cell := _told(value)) is not None:
                    of, own = cell.symbol, cell.index
                case (typed.Cell(of, own),), (typed.Assign(typed.Cell(to, at), typed.Literal(True)),) if (
                    initial_values(to, before) == _NONE
                ):
                    pass
                case _:
                    return None
            if not at == own == node:
                return None
        case _:
            return None
    roles = to.role is typed.Role.PARAMETER and of.role is typed.Role.LOCAL
    return (to, of) if roles and to.type == of.type and isinstance(to.type, types.PropertyType) else None


def _told(value: typed.Expression) -> typed.Cell | None:
    """The cell that a value is, or is the opposite of."""
    match value:
        case (typed.Cell() as cell) | typed.Unary(typed.UnaryOperator.NOT, typed.Cell() as cell):
            return cell
    return None


def _is_copied(own: typed.Symbol, before: tuple[typed.Statement, ...]) -> bool:
    """Whether all cells of a local become those of another property, or the other way round."""
    return any(own in copy for outer in before for s in walk.statements(outer) for copy in walk.copies(s))


def _touched(symbol: typed.Symbol, statements: tuple[typed.Statement, ...]) -> bool:
    return any(walk.touches(s, symbol) for s in statements)


def _without(result: typed.Symbol, before: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    """The statements without fills of the result; none if they do anything else with it."""
    kept = tuple(new for s in before for new in _unfilled(s, result))
    return () if _touched(result, kept) else kept


def _unfilled(s: typed.Statement, result: typed.Symbol) -> Iterator[typed.Statement]:
    match s:
        case typed.Attach(items=items):
            rest = tuple(item for item in items if item[0] is not result or isinstance(item[1], typed.Symbol))
            if rest:
                yield s if len(rest) == len(items) else replace(s, items=rest)
        case _:
            yield s
