"""Checks calls of the program's functions and of mathematical functions, with checked arguments.

Methods are in `methods`.
"""

from collections.abc import Sequence

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, typed, types
from starplat.frontend.context import Context, Signature, Thing, Value
from starplat.frontend.expressions.conversions import cast, convert, meet, meeting_type
from starplat.frontend.expressions.truth import number
from starplat.frontend.mistakes import remedies
from starplat.frontend.typed import Aggregate, Aggregation, Apply, Function, Role, Symbol, scalar_of
from starplat.source import Span

Arguments = Sequence[Value | None]


def scalar(context: Context, value: Value | None) -> typed.Expression | None:
    """`value` as a scalar: a bare property is its value at the loop's own node where there is one."""
    if not isinstance(value, Thing):
        if value is not None and value.type is types.Void.VOID:
            assert isinstance(value, typed.Call)
            context.error("E0325", f"'{value.function}' returns nothing", value.span, "but a value is needed here")
            return None
        return value
    if isinstance(value.type, types.PropertyType) and value.symbol is not None:
        return _bare_property(context, value, value.type, value.symbol)
    context.error("E0308", f"'{value.construct}' is {types.described(value.type)}, not a value", value.span)
    return None


def _bare_property(context: Context, value: Thing, kind: types.PropertyType, symbol: Symbol) -> typed.Expression | None:
    node = context.bare_node
    if node is not None and (node.type is types.Scalar.NODE) is (kind.carrier is types.Carrier.NODE):
        context.mark_read(symbol)
        return typed.Cell(symbol, typed.Variable(node, span=value.span), span=value.span)
    letter, domain = ("v", "node") if kind.carrier is types.Carrier.NODE else ("e", "edge")
    message = f"'{symbol.name}' is {types.indefinite(kind)}, not a value"
    help = f"it has a value at each {domain}: '{letter}.{symbol.name}'"
    context.error("E0308", message, value.span, help=help)
    return None


def wrong_count(
    context: Context,
    what: str,
    wanted: str,
    found: int,
    span: Span,
    declared: Span | None = None,
    help: str | None = None,
) -> None:
    """Says that a call has too many or too few arguments."""
    given = "none is given" if found == 0 else f"{found} is given" if found == 1 else f"{found} are given"
    related = [Label(declared, "declared here")] if declared is not None else []
    context.error("E0314", f"{what} takes {wanted}, {given}", span, related=related, help=help)


def counted(number: int) -> str:
    """A number of arguments in words.

    >>> counted(1), counted(2)
    ('1 argument', '2 arguments')
    """
    return "no argument" if number == 0 else "1 argument" if number == 1 else f"{number} arguments"


def function_call(context: Context, function: ast.Name, arguments: Arguments, span: Span) -> typed.Expression | None:
    """`function(arguments)`."""
    name = function.text
    if name in context.function_names:
        signature = context.signatures.get(name)
        return None if signature is None else _own_function(context, signature, arguments, span)
    if name in builtins.AGGREGATES and (name not in builtins.FUNCTIONS or len(arguments) < 2):
        return _aggregate(context, builtins.AGGREGATES[name], arguments, span)
    if name in builtins.FUNCTIONS:
        return _mathematical(context, name, arguments, span)
    if name in builtins.CASTS:
        operand = scalar(context, arguments[0])
        return None if operand is None else cast(context, operand, builtins.CASTS[name], span)
    if name in builtins.REMARKS:
        help = f"write '{builtins.REMARKS[name]};' as a statement"
        context.error("E0325", f"'{name}' returns nothing", span, "but a value is needed here", help=help)
        return None
    _say_unknown(context, name, function.span)
    return None


def _say_unknown(context: Context, name: str, span: Span) -> None:
    if not context.first_time("E0205", name):
        return
    if (binding := context.scopes.find(name)) is not None and binding.symbol is not None:
        related = [Label(binding.span, f"'{name}' is {types.described(binding.symbol.type)}")]
        help = None
        if isinstance(binding.symbol.type, types.PropertyType):
            letter = "v" if binding.symbol.type.carrier is types.Carrier.NODE else "e"
            help = f"write '{letter}.{name}' or '{name}[{letter}]'"
        context.error("E0205", f"'{name}' is not a function", span, related=related, help=help)
        return
    help = remedies.of_function(name, context.graph_name) or remedies.did_you_mean(
        name, [*context.function_names, *builtins.FUNCTION_NAMES]
    )
    help = help or f"the functions are {remedies.FUNCTIONS}"
    context.error("E0205", f"no function '{name}'", span, "not defined", help=help)


def _is_property(argument: Value | None) -> bool:
    return isinstance(argument, Thing) and isinstance(argument.type, types.PropertyType)


def _mathematical(context: Context, name: str, arguments: Arguments, span: Span) -> typed.Expression | None:
    function, count = builtins.FUNCTIONS[name]
    if len(arguments) != count:
        help = f"take two at a time: '{name}(a, {name}(b, c))'" if len(arguments) > count == 2 else None
        if len(arguments) == 1 and _is_property(arguments[0]) and name in ("min", "max"):
            help = f"of a whole property: '{name.title()}(…)'"
        wrong_count(context, f"'{name}'", counted(count), len(arguments), span, help=help)
        return None
    operands = [scalar(context, argument) for argument in arguments]
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if all(scalar_of(operand) is types.Scalar.BOOL for operand in known):
        message = f"'{name}' needs numbers, not a bool"
        context.error("E0316", message, known[0].span, "this is a bool", help="for bools use && and ||")
        return None
    known = [number(context, operand) for operand in known]
    if function in (Function.MIN, Function.MAX, Function.ABS):
        return _keeping(context, function, known, span)
    return _real(context, function, known, span)


def _keeping(
    context: Context, function: Function, operands: list[typed.Expression], span: Span
) -> typed.Expression | None:
    """`min`, `max` and `abs`, whose result has their operands' type."""
    if (kind := meeting_type(operands[0], operands[-1])) is None:
        first, second = (types.indefinite(scalar_of(operand)) for operand in operands)
        context.error("E0324", f"{first} cannot be compared with {second}", span)
        return None
    kind = types.as_number(kind) if function is Function.ABS else kind
    if len(operands) == 1:
        operand = convert(context, operands[0], kind)
        return None if operand is None else Apply(function, (operand,), kind, span=span)
    both = meet(context, operands[0], operands[1], kind)
    return None if both is None else Apply(function, both, kind, span=span)


def _real(
    context: Context, function: Function, operands: list[typed.Expression], span: Span
) -> typed.Expression | None:
    """The functions whose result is a real: float where every operand is float or a constant beside one."""
    kind = meeting_type(operands[0], operands[-1])
    kind = types.Scalar.FLOAT if kind is types.Scalar.FLOAT else types.Scalar.DOUBLE
    converted = [convert(context, operand, kind) for operand in operands]
    return Apply(function, tuple(c for c in converted if c is not None), kind, span=span)


def _aggregate(context: Context, aggregation: Aggregation, arguments: Arguments, span: Span) -> typed.Expression | None:
    name = aggregation.value
    if len(arguments) != 1:
        wanted = "1 argument" if name not in builtins.FUNCTIONS else "a property or 2 numbers"
        wrong_count(context, f"'{name}'", wanted, len(arguments), span)
        return None
    value = arguments[0]
    if value is None:
        return None
    if not isinstance(value, Thing) or not isinstance(value.type, types.PropertyType) or value.symbol is None:
        what = types.described(value.type)
        context.error("E0322", f"'{name}' takes a whole property, not {what}", value.span, f"this is {what}")
        return None
    context.mark_read(value.symbol)
    element = value.type.element
    if aggregation is not Aggregation.COUNT and not element.is_numeric:
        help = f"'Count({value.symbol.name})' counts the cells that are True" if element is types.Scalar.BOOL else None
        message = f"'{name}' needs a property of numbers, not {types.indefinite(value.type)}"
        context.error("E0316", message, value.span, help=help)
        return None
    context.note_host_only(span, f"'{name}' over a whole property")
    return Aggregate(aggregation, value.symbol, _aggregate_type(aggregation, element), span=span)


def _aggregate_type(aggregation: Aggregation, element: types.Scalar) -> types.Scalar:
    if aggregation is Aggregation.COUNT or (aggregation is Aggregation.SUM and element is types.Scalar.INT):
        return types.Scalar.LONG
    return element


def _own_function(context: Context, signature: Signature, arguments: Arguments, span: Span) -> typed.Expression | None:
    least = sum(default is None for default in signature.defaults)
    most = len(signature.parameters)
    if not least <= len(arguments) <= most:
        wanted = counted(most) if least == most else f"{least} to {most} arguments"
        wrong_count(context, f"'{signature.name}'", wanted, len(arguments), span, declared=signature.span)
        return None
    if isinstance(signature.result, types.Several):
        help = "its further results can be parameters with '&'"
        related = [Label(signature.span, f"'{signature.name}' returns {signature.result}")]
        message = "a function that returns several values is called by no other"
        context.error("E0325", message, span, related=related, help=help)
        return None
    if isinstance(signature.result, types.ListType):
        help = f"give it the list as a parameter, '{signature.result} …', which it fills"
        related = [Label(signature.span, f"'{signature.name}' returns {types.indefinite(signature.result)}")]
        context.error("E0325", "a function that returns a list is called by no other", span, related=related, help=help)
        return None
    _check_allowed_in_forall(context, signature, span)
    passed: list[typed.Expression | Symbol] = []
    understood = 0
    for parameter, value in zip(signature.parameters, arguments, strict=False):
        argument = None if value is None else _argument(context, signature.name, parameter, value)
        if argument is not None:
            passed.extend(_taken_apart(value, argument))
            understood += 1
    if understood < len(arguments) or signature.result is None:
        return None
    passed.extend(default for default in signature.defaults[len(arguments) :] if default is not None)
    return typed.Call(signature.name, tuple(passed), signature.result, span=span)


def _taken_apart(value: Value | None, argument: typed.Expression | Symbol) -> tuple[typed.Expression | Symbol, ...]:
    """An argument as the called function takes it: a list of updates by its parts."""
    updates = value.updates if isinstance(value, Thing) else None
    return (argument,) if updates is None else (*updates.arrays, *updates.numbers)


def _check_allowed_in_forall(context: Context, signature: Signature, span: Span) -> None:
    """Inside a `forall` a function may touch scalars and own cells only; what it does its caller does too."""
    if signature.host_only is not None:
        if context.parallel_depth:
            message = f"'{signature.name}' cannot be called inside a forall"
            help = "a function called there may only touch scalars and own cells: call it outside"
            related = [Label(signature.host_only.span, signature.host_only.text)]
            context.error("E0407", message, span, related=related, help=help)
        context.note_host_only(signature.host_only.span, signature.host_only.text)
    if signature.foreign_write is not None:
        if context.parallel_depth:
            message = f"'{signature.name}' writes cells of other nodes and cannot be called inside a forall"
            help = "a function called there may write its own node's cells only: write the others in the forall itself"
            context.error("E0408", message, span, related=[signature.foreign_write], help=help)
        context.note_foreign_write(signature.foreign_write.span, signature.foreign_write.text)


def _argument(context: Context, function: str, parameter: Symbol, value: Value) -> typed.Expression | Symbol | None:
    because = Label(parameter.span, f"parameter '{parameter.name}' of '{function}'")
    if parameter.role is Role.REFERENCE:
        return _reference(context, parameter, value, because)
    if isinstance(parameter.type, types.Scalar):
        argument = scalar(context, value)
        return None if argument is None else convert(context, argument, parameter.type, (because,))
    if not isinstance(value, Thing) or not _same_type(value.type, parameter.type):
        needed, found = types.described(parameter.type), types.described(value.type)
        context.error("E0315", f"expected {needed}, found {found}", value.span, f"this is {found}", related=[because])
        return None
    if value.symbol is None and value.updates is not None:
        return value.updates.first
    if value.symbol is None:  # out of a collection, which nothing runs yet
        return typed.UnsupportedValue(value.construct, types.Scalar.INT, span=value.span)
    context.mark_read(value.symbol)
    context.mark_written(value.symbol)
    return value.symbol


def _same_type(found: types.Type, needed: types.Type) -> bool:
    """Whether one may be passed for the other; `Graph` and `dirGraph` are the same to a callee, and so are properties
    of `int` and `node`.
    """
    if isinstance(found, types.PropertyType) and isinstance(needed, types.PropertyType):
        return found.holds_as_much_as(needed)
    return found == needed or (isinstance(found, types.GraphType) and isinstance(needed, types.GraphType))


def _reference(context: Context, parameter: Symbol, value: Value, because: Label) -> Symbol | None:
    if not isinstance(value, typed.Variable):
        message = f"'{parameter.name}' is passed by reference and needs a variable"
        context.error("E0315", message, value.span, related=[because])
        return None
    if value.symbol.role is Role.ITERATOR or context.binding(value.symbol).fixed:
        message = f"'{value.symbol.name}' belongs to its loop and cannot be passed by reference"
        context.error("E0311", message, value.span, related=[because])
        return None
    if value.type is not parameter.type and {value.type, parameter.type} != {types.Scalar.INT, types.Scalar.NODE}:
        message = f"expected {types.indefinite(parameter.type)} variable, found {types.indefinite(value.type)}"
        help = "what is passed by reference is not converted"
        context.error("E0315", message, value.span, related=[because], help=help)
        return None
    context.mark_written(value.symbol)
    return value.symbol
