"""Checks calls as statements: functions, methods without a value, `attachNodeProperty` with named arguments."""

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, typed, types
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import calls, conversions, members, methods
from starplat.frontend.expressions.expressions import arguments_of, call, value
from starplat.frontend.statements import declarations, lists, remarks
from starplat.frontend.typed import Symbol
from starplat.source import Span


def call_statement(context: Context, node: ast.CallStatement) -> typed.Statement:
    """`f(…);` or `x.method(…);`"""
    function = node.call.function
    if isinstance(function, ast.Attribute):
        base = value(context, function.value)
        if base is None or not methods.known_method(context, base, function.name):
            return lists.broken_statement(node.span)
        assert isinstance(base, Thing)
        name = function.name.text
        if name in (builtins.ATTACH_NODE, builtins.ATTACH_EDGE):
            return _attach(context, base, node.call)
        if not _gives_value(base, name):
            done = methods.method_statement(context, base, function.name, arguments_of(context, node.call), node.span)
            return done or lists.broken_statement(node.span)
    if isinstance(function, ast.Identifier) and function.name in builtins.REMARKS:
        return remarks.remark(context, node, function.name)
    if (result := call(context, node.call)) is None:
        return lists.broken_statement(node.span)
    if isinstance(result, typed.Call):
        return typed.CallStatement(result, span=node.span)
    context.warn("W0404", "this statement does nothing", node.span, "its value is not used")
    return typed.Block((), span=node.span)


def _gives_value(base: Thing, name: str) -> bool:

    match base.type:
        case types.GraphType():
            return name not in builtins.DYNAMIC_METHODS
        case types.SetType():
            return name != "add"
    return builtins.collection_methods(base.type)[name].result is not None


def _attach(context: Context, base: Thing, node: ast.Call) -> typed.Statement:
    assert base.symbol is not None
    assert isinstance(node.function, ast.Attribute)
    carrier = types.Carrier.NODE if node.function.name.text == builtins.ATTACH_NODE else types.Carrier.EDGE
    context.note_host_only(node.span, "attaches a property")
    items: list[tuple[Symbol, typed.Expression | Symbol]] = []
    seen: dict[str, Span] = {}
    if not node.arguments:
        context.error("E0212", f"'{node.function.name.text}' needs a property", node.span, help="write '(p = 0)'")
    for argument in node.arguments:
        if not isinstance(argument, ast.Keyword):
            message = f"'{node.function.name.text}' takes 'property = value'"
            context.error("E0212", message, argument.span, help="write '(p = 0)'")
            continue
        if argument.name.text in seen:
            related = [Label(seen[argument.name.text], "first here")]
            context.error("E0212", f"'{argument.name.text}' is attached twice", argument.name.span, related=related)
        seen[argument.name.text] = argument.name.span
        if (item := _attached(context, argument, carrier)) is not None:
            items.append(item)
    whole = len(items) == len(node.arguments)
    attached = typed.Attach(base.symbol, tuple(items), span=node.span)
    return attached if whole else typed.Block((attached, lists.broken_statement(node.span)), span=node.span)


def _attached(
    context: Context, argument: ast.Keyword, carrier: types.Carrier
) -> tuple[Symbol, typed.Expression | Symbol] | None:
    given = value(context, argument.value)
    if (binding := _attached_property(context, argument.name, carrier)) is None:
        return None
    context.mark_written(binding)
    if given is None:
        return binding, lists.broken_value(binding.property.element, argument.value.span)
    if isinstance(given, Thing) and isinstance(given.type, types.PropertyType):
        copied = declarations.copy_property(context, binding, given, argument.value, argument.span)
        return (binding, copied.source) if isinstance(copied, typed.CopyProperty) else None
    filled = calls.scalar(context, given)
    because = Label(binding.span, f"'{binding.name}' is {types.indefinite(binding.type)}")
    element = binding.property.element
    converted = None if filled is None else conversions.convert(context, filled, element, (because,))
    return binding, converted or lists.broken_value(element, argument.value.span)


def _attached_property(context: Context, name: ast.Name, carrier: types.Carrier) -> Symbol | None:
    if (binding := context.scopes.find(name.text, name.span)) is None:
        related, help = context.suggestion(name.text, context.scopes.properties(carrier))
        help = help or f"declare it: '{carrier.value}<int> {name.text};'"
        if context.first_time("E0203", name.text):
            message = f"no property '{name.text}' to attach"
            context.error("E0203", message, name.span, "not declared", related=related, help=help)
        return None
    if binding.symbol is None:
        return None
    kind = binding.symbol.type
    if not isinstance(kind, types.PropertyType):
        related = [Label(binding.span, f"'{name.text}' is {types.described(kind)}")]
        context.error("E0212", f"'{name.text}' is not a property", name.span, related=related)
        return None
    if kind.carrier is not carrier:
        members.wrong_carrier(context, name.text, kind, name.span, binding.span)
        return None
    return binding.symbol
