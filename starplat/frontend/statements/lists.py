"""Checks declarations and assignments of lists of updates; what stands where a mistake was reported."""

from starplat.frontend import typed, types
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions.updates import numbers_of, whole
from starplat.frontend.typed import ALL, Symbol
from starplat.source import Span

BROKEN = "what could not be understood"


def broken_statement(span: Span) -> typed.Statement:
    """Stands where a mistake was reported, for the checks that follow; no finished program holds it."""
    return typed.Unsupported(BROKEN, span=span)


def broken_value(kind: types.Scalar, span: Span) -> typed.Expression:
    """A value of that type where a mistake was reported."""
    return typed.UnsupportedValue(BROKEN, kind, span=span)


def declare_updates(context: Context, symbol: Symbol, given: Thing | None, span: Span) -> typed.Statement:
    """`updates<g> d = given;`: the range and the kind of its updates become variables of their own."""
    known = given.updates if given is not None else _only_list(context)
    if known is None:
        if given is None:
            message = f"'{symbol.name}' is declared before it is known of which list its updates are"
            help = "declare it where it gets them, as in 'updates<g> d = U.currentBatch(0);'"
            context.error("E0320", message, symbol.span, help=help)
        return broken_statement(span)
    numbers = numbers_of(symbol)
    first = known.numbers if given is not None else (whole(0), whole(0), whole(ALL))
    begin, end, kind = map(typed.Variable, numbers)
    context.updates[symbol] = known.ranged(begin, end, kind)
    pairs = zip(numbers, first, strict=True)
    return typed.Block(tuple(typed.Declare(number, value, span=span) for number, value in pairs), span=span)


def assign_updates(context: Context, symbol: Symbol, given: Thing, span: Span) -> typed.Statement:
    """`d = given;`"""
    target, known = context.updates.get(symbol), given.updates
    if target is None or known is None:
        return broken_statement(span)
    if target.arrays != known.arrays:
        message = f"'{symbol.name}' holds updates of one list, and these are of another"
        context.error("E0315", message, given.span, help="declare another name for them")
        return broken_statement(span)
    if symbol.role is not typed.Role.LOCAL:
        message = f"'{symbol.name}' was given to the function and stays as it is"
        context.error("E0311", message, span, help="declare 'updates<g> d' for what changes")
        return broken_statement(span)
    places = (number for number in target.numbers if isinstance(number, typed.Variable))
    pairs = zip(places, known.numbers, strict=True)
    return typed.Block(tuple(typed.Assign(place, value, span=span) for place, value in pairs), span=span)


def _only_list(context: Context) -> typed.Updates | None:
    lists = {updates.arrays: updates for updates in context.updates.values()}
    return next(iter(lists.values())) if len(lists) == 1 else None
