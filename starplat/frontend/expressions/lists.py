"""Checks what is done with lists of scalars, `list<node>` or `container<int>`, which the host has.

Lists of lists and node maps are type-checked by the modules around, and refused by name when they are to run.
"""

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, scope, typed, types
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import calls, conversions
from starplat.frontend.typed import ChangeList, ListChange, ListItem, ListSize, Symbol
from starplat.source import Span

_HELP = (
    "read what is needed into variables before it; or mark nodes in a 'propNode<bool>', and push them after it, "
    "in a 'for' over 'g.nodes().filter(…)'"
)


def is_at_hand(context: Context, binding: scope.Binding, span: Span) -> bool:
    """Whether the list of a name can be used here, where the host is; says so once if not."""
    context.note_host_only(span, "uses a list")
    if context.parallel_depth == 0 and not context.judging:
        return True
    if context.first_time("E0422", binding.name):
        where = "inside a forall" if context.parallel_depth else "in a condition that all nodes are asked"
        message = f"the list '{binding.name}' cannot be used {where}"
        related = [Label(binding.span, "a list is the host's")]
        context.error("E0422", message, span, "this is evaluated on the device", related=related, help=_HELP)
    return False


def may_be_declared(context: Context, name: ast.Name, kind: types.Type) -> bool:
    """Whether a list can be declared here; says so if not."""
    if context.parallel_depth == 0:
        return True
    message = f"{types.indefinite(kind)} cannot be declared inside a forall"
    help = "a list is the host's: declare it outside; inside, use scalars, or a 'map' of the iteration"
    context.error("E0422", message, name.span, "this is evaluated on the device", help=help)
    return False


def item(context: Context, symbol: Symbol, position: typed.Expression, span: Span) -> typed.Expression | None:
    """`path[position]`."""
    place = conversions.convert(context, position, types.Scalar.INT)
    return None if place is None else ListItem(symbol, place, span=span)


def size(context: Context, symbol: Symbol, arguments: calls.Arguments, span: Span) -> typed.Expression | None:
    """`path.size()`."""
    given = arguments_of_change(context, symbol, "size", arguments, span)
    return None if given is None else ListSize(symbol, span=span)


def change(
    context: Context, symbol: Symbol, name: ast.Name, arguments: calls.Arguments, span: Span
) -> typed.Statement | None:
    """`path.push(v);` and the like."""
    if (given := arguments_of_change(context, symbol, name.text, arguments, span)) is None:
        return None
    context.mark_written(symbol)
    if (done := ListChange(name.text)) is ListChange.RESIZE and len(given) == 1:
        given = (*given, nothing(symbol.element, span))
    return ChangeList(symbol, done, given, span=span)


def arguments_of_change(
    context: Context, symbol: Symbol, name: str, arguments: calls.Arguments, span: Span
) -> tuple[typed.Expression, ...] | None:
    """The arguments of a method of a list as what it takes."""
    row = builtins.collection_methods(symbol.type)[name]
    most = len(row.parameters)
    if not most - row.optional <= len(arguments) <= most:
        wanted = calls.counted(most) if not row.optional else f"{most - row.optional} or {most} arguments"
        calls.wrong_count(context, f"'{name}'", wanted, len(arguments), span)
        return None
    because = Label(symbol.span, f"'{symbol.name}' is {types.indefinite(symbol.type)}")
    given = []
    for parameter, argument in zip(row.parameters, arguments, strict=False):
        needed = parameter if isinstance(parameter, types.Scalar) else symbol.element
        value = None if argument is None else calls.scalar(context, argument)
        converted = None if value is None else conversions.convert(context, value, needed, (because,))
        if converted is not None:
            given.append(converted)
    return tuple(given) if len(given) == len(arguments) else None


def copied_list(symbol: Symbol, given: Thing, span: Span) -> typed.Statement | None:
    """`path = other`, of two lists of one type; None where the other is no list of its own."""
    if given.symbol is None:
        return None
    return ChangeList(symbol, ListChange.COPY, (typed.WholeList(given.symbol, span=given.span),), span=span)


def nothing(kind: types.Scalar, span: Span) -> typed.Expression:
    """The value of an element that none was given for: 0, False, no node."""
    value = False if kind is types.Scalar.BOOL else 0.0 if kind.is_real else -1 if kind.is_index else 0
    return typed.Literal(value, kind, span=span)
