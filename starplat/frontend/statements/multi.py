"""Checks the multi-assignment `<place, …> = <Min(place, candidate), …>`."""

from starplat.diagnostics import Label
from starplat.frontend import ast, typed, types, walk
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import conversions, local_maps
from starplat.frontend.expressions.expressions import expression, value
from starplat.frontend.statements import lists, places, reductions
from starplat.frontend.typed import Cell, Place, Symbol, Variable, scalar_of


def multi_assignment(context: Context, node: ast.MultiAssignment) -> typed.Statement:
    """`<place, …> = <Min(place, candidate), …>`."""
    if len(node.targets) != len(node.values):
        message = f"{len(node.targets)} on the left, {len(node.values)} on the right"
        context.error("E0317", message, node.span, help="each place needs its value")
    targets = [places.place(context, target) for target in node.targets]
    for target in targets:
        if isinstance(target, typed.MapValue):
            local_maps.refuse_change(context, target, "it is no place of a multi-assignment")
            return lists.broken_statement(node.span)
    first = _extreme_call(context, node.values[0])
    others = [expression(context, given) for given in node.values[1:]]
    main = targets[0]
    if first is None or not isinstance(main, Variable | Cell) or len(node.targets) != len(node.values):
        for argument in () if first is None else first[1]:
            value(context, argument)
        return lists.broken_statement(node.span)
    extreme, arguments = first
    decides = len(node.targets) > 1
    candidate = _candidate(context, main, node.targets[0], arguments, node.values[0], decides=decides)
    carried = _carried(context, node, targets, others)
    if candidate is None or len(carried) < len(others):
        started = typed.Assign(main, lists.broken_value(main.type, node.span), span=node.span)
        return typed.Block((started, lists.broken_statement(node.span)), span=node.span)
    return typed.AssignExtreme(extreme, main, candidate, tuple(carried), span=node.span)


def _extreme_call(
    context: Context, node: ast.Expression
) -> tuple[typed.Extreme, tuple[ast.Expression, ast.Expression]] | None:
    match node:
        case ast.Call(function=ast.Identifier(name="Min" | "Max" as name), arguments=(left, right)):
            if isinstance(left, ast.Expression) and isinstance(right, ast.Expression):
                return typed.Extreme(name), (left, right)
    value(context, node)
    help = "write '<a, b> = <Min(a, …), …>'; for independent assignments use two statements"
    context.error("E0318", "the first value must be Min(…) or Max(…) of two values", node.span, help=help)
    return None


def _candidate(
    context: Context,
    main: Place,
    target: ast.Expression,
    arguments: tuple[ast.Expression, ast.Expression],
    whole: ast.Expression,
    *,
    decides: bool,
) -> typed.Expression | None:
    """What competes with the first place: the argument of Min or Max that is not that place. The comparison is a use
    of the place only where it `decides` about other places too."""
    was_read = context.binding(main.symbol).read
    left, right = (expression(context, argument) for argument in arguments)
    if left is None or right is None:
        return None
    if main not in (left, right):
        related = [Label(target.span, "the place")]
        message = "the first place must be one of the two that are compared"
        context.error("E0318", message, whole.span, related=related, help="write '<a, …> = <Min(a, …), …>'")
        return None
    candidate = right if left == main else left
    if not decides and not _mentions(candidate, main.symbol):
        context.binding(main.symbol).read = was_read
    if not main.type.is_numeric and not main.type.is_index:
        context.error("E0316", "Min and Max need numbers, not a bool", whole.span, help="use '||=' or '&&='")
        return None
    because = Label(main.symbol.span, f"'{main.symbol.name}' is {types.indefinite(main.symbol.type)}")
    is_wider = scalar_of(candidate) is types.Scalar.LONG and main.type in (types.Scalar.INT, types.Scalar.NODE)
    if is_wider and not isinstance(candidate, typed.Literal | typed.Infinity):
        return reductions.saturated(candidate, main.type)
    return conversions.convert(context, candidate, main.type, (because,))


def _mentions(value: typed.Expression, symbol: Symbol) -> bool:

    return any(isinstance(part, Variable | Cell) and part.symbol is symbol for part in walk.within(value))


def _carried(
    context: Context,
    node: ast.MultiAssignment,
    targets: list[places.PlaceOrWhole | None],
    values: list[typed.Expression | None],
) -> list[typed.Carried]:
    carried: list[typed.Carried] = []
    for position, (target, given) in enumerate(zip(targets[1:], values, strict=True), 1):
        written = node.targets[position]
        if isinstance(target, Thing | typed.MapValue | typed.UnsupportedValue):
            context.error("E0318", "only variables and cells can be assigned together", written.span)
            continue
        if target is None or given is None:
            continue
        if any(target == other for other in targets[:position]):
            context.error("E0317", "the same place twice on the left", written.span)
            continue
        because = Label(target.symbol.span, f"'{target.symbol.name}' is {types.indefinite(target.symbol.type)}")
        if (converted := conversions.convert(context, given, target.type, (because,))) is not None:
            carried.append(typed.Carried(target, converted, span=written.span))
    return carried
