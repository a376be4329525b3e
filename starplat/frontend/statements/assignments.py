"""Checks assignments, also `<place, …> = <Min(place, candidate), …>`. Every way to write a reduction becomes `Update`,
every `x = min(x, e)` `AssignExtreme`.
"""

from starplat.diagnostics import Label
from starplat.frontend import ast, typed, types, walk
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import conversions, expressions, local_maps, operators
from starplat.frontend.expressions.expressions import expression, value
from starplat.frontend.expressions.lists import copied_list
from starplat.frontend.expressions.truth import number, truth
from starplat.frontend.statements import declarations, lists, places, reductions
from starplat.frontend.statements.lists import assign_updates, broken_statement, broken_value
from starplat.frontend.typed import Assign, Cell, Operator, Place, Symbol, Variable, scalar_of


def assignment(context: Context, node: ast.Assignment) -> typed.Statement:
    """`target operator value;`"""
    target = places.place(context, node.target)
    match target:
        case None:
            expressions.value(context, node.value)
            return broken_statement(node.span)
        case Thing():
            return _assign_whole(context, node, target)
        case typed.MapValue():
            given = expressions.expression(context, node.value)
            added = None if given is None else local_maps.add_to_map(context, node, target, given)
            return broken_statement(node.span) if added is None else added
        case typed.UnsupportedValue():
            if (given := expressions.expression(context, node.value)) is not None:
                conversions.convert(context, given, target.type)
            return typed.Unsupported(target.construct, span=node.span)
    return _assign_scalar(context, node, target)


def _assign_whole(context: Context, node: ast.Assignment, target: Thing) -> typed.Statement:
    if (given := expressions.value(context, node.value)) is None:
        return broken_statement(node.span)
    if not isinstance(target.type, types.PropertyType):
        if given.type != target.type:
            message = f"expected {types.described(target.type)}, found {types.described(given.type)}"
            context.error("E0315", message, node.value.span)
        elif isinstance(given, Thing) and target.symbol is not None and types.is_list(target.type):
            return _assign_list(context, node, target.symbol, given)
        elif isinstance(given, Thing) and target.symbol is not None and target.symbol in context.updates:
            return assign_updates(context, target.symbol, given, node.span)
        return typed.Unsupported(f"{target.construct} =", span=node.span)
    assert target.symbol is not None
    if node.operator != "=":
        message = f"'{node.operator}' needs a cell, not the whole property '{target.symbol.name}'"
        context.error(
            "E0312", message, target.span, help=f"change it in a loop, as in 'v.{target.symbol.name} {node.operator} …'"
        )
        return broken_statement(node.span)
    context.note_host_only(node.span, "copies a whole property")
    copied = declarations.copy_property(context, target.symbol, given, node.value, node.span)
    if isinstance(copied, typed.CopyProperty) and copied.source is copied.destination:
        context.warn("W0404", f"'{target.symbol.name}' is assigned to itself", node.span, "this changes nothing")
    return copied or broken_statement(node.span)


def _assign_list(context: Context, node: ast.Assignment, target: typed.Symbol, given: Thing) -> typed.Statement:
    if node.operator != "=":
        help = f"add elements with '{target.name}.push(…)', or change one, as in '{target.name}[0] {node.operator} …'"
        context.error("E0309", f"a whole list is changed by '=' only, not '{node.operator}'", node.span, help=help)
        return broken_statement(node.span)
    copied = copied_list(target, given, node.span)
    return copied or typed.Unsupported(f"{target.name} =", span=node.span)


def _assign_scalar(context: Context, node: ast.Assignment, target: Place) -> typed.Statement:
    if (given := expressions.expression(context, node.value)) is None:
        return Assign(target, broken_value(target.type, node.value.span), span=node.span)
    because = (Label(target.symbol.span, f"'{target.symbol.name}' is {types.indefinite(target.symbol.type)}"),)
    if node.operator != "=":
        return _compound(context, node, target, given, because)
    if given == target:
        context.warn("W0404", "this is assigned to itself", node.span, "this changes nothing")
    if (reduced := reductions.as_update(target, given, node.span)) is not None:
        conversions.warn_of_lost_bits(context, given, target.type, because)
        return reduced
    if (extreme := reductions.as_extreme(target, given, node.span)) is not None:
        return extreme
    converted = conversions.convert(context, given, target.type, because)
    return Assign(target, converted or broken_value(target.type, node.value.span), span=node.span)


def _compound(
    context: Context, node: ast.Assignment, target: Place, given: typed.Expression, because: tuple[Label, ...]
) -> typed.Statement:
    """`target op= given`: an `Update` where the operator commutes, else `target = target op given`."""
    if (operator := Operator(node.operator[:-1])) in operators.ARITHMETIC and target.type is types.Scalar.BOOL:
        operators.refuse(context, node.operator, "a number", target)
        return Assign(target, broken_value(target.type, node.span), span=node.span)
    given = _operand(context, operator, target, given)
    if (result := operators.binary(context, operator, target, given, node.span)) is None:
        return Assign(target, broken_value(target.type, node.span), span=node.span)
    if (reduced := reductions.update(target, operator, given, node.span)) is not None:
        conversions.warn_of_lost_bits(context, result, target.type, because)
        return reduced
    converted = conversions.convert(context, result, target.type, because)
    return Assign(target, converted or broken_value(target.type, node.span), span=node.span)


def _operand(context: Context, operator: Operator, target: Place, given: typed.Expression) -> typed.Expression:
    """What is combined with the target: a bool as a number, an integer as a condition, where the operator asks so."""
    if operator in operators.ARITHMETIC:
        return number(context, given)
    if operator in operators.LOGICAL and target.type is types.Scalar.BOOL:
        return truth(context, given) or given
    return given


def increment(context: Context, node: ast.Increment) -> typed.Statement:
    """`target++` and `target--`."""
    one = ast.Integer(1, span=node.span)
    return assignment(context, ast.Assignment(node.target, f"{node.operator[0]}=", one, span=node.span))


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
