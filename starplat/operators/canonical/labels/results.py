"""A property of the function's own that only becomes a result in the end is the result.

propNode<bool> seen;                                  g.attachNodeProperty(reached = False);
g.attachNodeProperty(seen = False);                   src.reached = True;
src.seen = True;                                      ...
...
forall (v in g.nodes()) { v.reached = v.seen; }
"""

from collections.abc import Iterator
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.rebuilding import substituted
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
        if _is_filled_first(own, before) and not _touched(own, after) and (kept := _without(result, before)):
            return as_results(replace(body, statements=(*substituted(_undeclared(own, kept), {own: result}), *after)))
    return body


def _copy(s: typed.Statement, before: tuple[typed.Statement, ...]) -> tuple[typed.Symbol, typed.Symbol] | None:
    """The parameter that becomes what a local is. Truths may be set for those that have it, where all are False."""
    match s:
        case typed.CopyProperty(destination=to, source=of):
            pass
        case typed.ForEach(
            domain=typed.AllNodes(),
            filter=None,
            body=typed.Block(
                statements=(
                    typed.Assign(
                        place=typed.Cell(symbol=to, index=typed.Variable(symbol=at)),
                        value=typed.Cell(symbol=of, index=typed.Variable(symbol=own)),
                    ),
                )
            ),
        ) if at is own is s.iterator:
            pass
        case typed.ForEach(domain=typed.AllNodes()):
            node = typed.Variable(s.iterator)
            match asked_by_loop(s):
                case (
                    (typed.Cell(symbol=of, index=asked),),
                    (typed.Assign(place=typed.Cell(symbol=to, index=index), value=typed.Literal(value=True)),),
                ) if asked == node == index and initial_values(to, before) == _NONE:
                    pass
                case _:
                    return None
        case _:
            return None
    roles = to.role is typed.Role.PARAMETER and of.role is typed.Role.LOCAL
    return (to, of) if roles and to.type == of.type and isinstance(to.type, types.PropertyType) else None


def _is_copied(own: typed.Symbol, before: tuple[typed.Statement, ...]) -> bool:
    """Whether all cells of a local become those of another property, or the other way round."""
    for s in (inner for outer in before for inner in walk.statements(outer)):
        match s:
            case typed.CopyProperty(destination=to, source=of) if own in (to, of):
                return True
            case typed.Attach(items=items) if any(
                isinstance(value, typed.Symbol) and own in (to, value) for to, value in items
            ):
                return True
    return False


def _touched(symbol: typed.Symbol, statements: tuple[typed.Statement, ...]) -> bool:
    return any(walk.touches(s, symbol) for s in statements)


def _is_filled_first(own: typed.Symbol, before: tuple[typed.Statement, ...]) -> bool:
    """Whether a local is declared in the function's own block, and nothing is done with it before it is filled."""
    declared = any(isinstance(s, typed.Declare) and s.symbol is own and s.value is None for s in before)
    first = next((s for s in before if walk.touches(s, own)), None)
    fills = isinstance(first, typed.Attach) and all(value is not own for _, value in first.items)
    return declared and fills


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


def _undeclared(own: typed.Symbol, statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    return tuple(s for s in statements if not (isinstance(s, typed.Declare) and s.symbol is own))
