"""Checks single assignments. Every way to write a reduction becomes `Update`, every `x = min(x, e)` `AssignExtreme`."""

from starplat.diagnostics import Label
from starplat.frontend import ast, typed, types
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import conversions, expressions, local_maps, operators
from starplat.frontend.expressions.lists import copied_list
from starplat.frontend.expressions.truth import number, truth
from starplat.frontend.statements import declarations, places, reductions
from starplat.frontend.statements.lists import assign_updates, broken_statement, broken_value
from starplat.frontend.typed import Assign, Operator, Place


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
