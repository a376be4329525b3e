"""Checks expressions: looks names up and passes checked operands on.

`value` gives whatever an expression denotes, `expression` insists on a scalar, `condition` on a bool. All give None
after a mistake that has been reported.
"""

from starplat.frontend import ast, typed
from starplat.frontend.context import DEEPEST_EXPRESSION, Context, Thing, Value
from starplat.frontend.expressions import calls, conversions, lists, local_maps, members, methods, operators, truth
from starplat.frontend.typed import Infinity, Literal, Operator
from starplat.frontend.types import PropertyType, Scalar, Several, Void, is_list


def expression(context: Context, node: ast.Expression) -> typed.Expression | None:
    """The scalar that `node` denotes."""
    return calls.scalar(context, value(context, node))


def condition(context: Context, node: ast.Expression, what: str) -> typed.Expression | None:
    """The bool that `node` denotes; `what` names it in messages."""
    checked = expression(context, node)
    return None if checked is None else truth.require_truth(context, checked, what)


def value(context: Context, node: ast.Expression) -> Value | None:
    """What `node` denotes; noted as read if it is a cell or a variable."""
    if context.expression_depth >= DEEPEST_EXPRESSION:
        if context.first_time("E0411", ""):
            help = "give a part of it a name"
            message = f"this expression is nested more than {DEEPEST_EXPRESSION} deep"
            context.error("E0411", message, node.span, help=help)
        return None
    context.expression_depth += 1
    try:
        result = _value(context, node)
    finally:
        context.expression_depth -= 1
    if result is not None:
        context.scopes.noted.types[node.span] = result.type
    if isinstance(result, typed.Cell):
        context.mark_read(result.symbol)
    elif isinstance(result, typed.MapValue | typed.MapSize | typed.MapBest):
        local_maps.note_read(context, result.symbol, node.span)
    return result


def _value(context: Context, node: ast.Expression) -> Value | None:
    match node:
        case ast.Integer():
            return _integer(context, node)
        case ast.Real():
            return Literal(node.value, Scalar.FLOAT if node.single else Scalar.DOUBLE, span=node.span)
        case ast.Boolean():
            return Literal(node.value, Scalar.BOOL, span=node.span)
        case ast.Infinity():
            return Infinity(Scalar.INT, span=node.span)
        case ast.Text():
            help = "a text is an argument of 'print', or the second one of 'assert'"
            context.error("E0333", "a text is no value", node.span, help=help)
            return None
        case ast.Identifier():
            return _identifier(context, node)
        case ast.Attribute():
            base = value(context, node.value)
            return None if base is None else members.attribute(context, base, node.name, node.span)
        case ast.Index():
            return _index(context, node)
        case ast.Call():
            return call(context, node)
        case ast.Unary():
            return _unary(context, node)
        case ast.Incremented():
            return context.incremented(context, node)
        case ast.Binary():
            left, right = expression(context, node.left), expression(context, node.right)
            if left is None or right is None:
                return None
            return operators.binary(context, Operator(node.operator), left, right, node.span)
        case ast.Conditional():
            return _conditional(context, node)
    raise AssertionError(node)


def _integer(context: Context, node: ast.Integer, sign: int = 1) -> typed.Expression | None:
    number = sign * node.value
    for kind in (Scalar.INT, Scalar.LONG):
        if -conversions.LARGEST[kind] - 1 <= number <= conversions.LARGEST[kind]:
            return Literal(number, kind, span=node.span)
    help = f"the largest long is {conversions.LARGEST[Scalar.LONG]}; for no limit at all write INF"
    context.error("E0304", "this number does not fit in a long", node.span, help=help)
    return None


def _identifier(context: Context, node: ast.Identifier) -> Value | None:
    if (binding := context.find(node.name, node.span)) is None or binding.symbol is None:
        return None
    kind = binding.symbol.type
    if not isinstance(kind, PropertyType):
        binding.read = True
    if isinstance(kind, Scalar):
        return typed.Variable(binding.symbol, span=node.span)
    if is_list(kind) and not lists.is_at_hand(context, binding, node.span):
        return None
    assert not isinstance(kind, Void | Several)
    return Thing(kind, binding.symbol, node.name, node.span, context.updates.get(binding.symbol))


def _index(context: Context, node: ast.Index) -> Value | None:
    base, position = value(context, node.value), expression(context, node.index)
    if base is None or position is None:
        return None
    return members.index(context, base, position, node.span)


def _unary(context: Context, node: ast.Unary) -> typed.Expression | None:
    if node.operator == "-" and isinstance(node.operand, ast.Integer):
        literal = _integer(context, node.operand, -1)
        return Literal(literal.value, literal.type, span=node.span) if isinstance(literal, Literal) else None
    operand = expression(context, node.operand)
    return None if operand is None else operators.unary(context, node.operator, operand, node.span)


def _conditional(context: Context, node: ast.Conditional) -> typed.Expression | None:
    test = expression(context, node.condition)
    then, otherwise = expression(context, node.then), expression(context, node.otherwise)
    if test is None or then is None or otherwise is None:
        return None
    return operators.conditional(context, test, then, otherwise, node.span)


def call(context: Context, node: ast.Call) -> Value | None:
    """A call that gives a value (or, of a function of the program, nothing)."""
    match node.function:
        case ast.Identifier():
            name = ast.Name(node.function.name, span=node.function.span)
            return calls.function_call(context, name, arguments_of(context, node), node.span)
        case ast.Attribute():
            base = value(context, node.function.value)
            if base is None or not methods.known_method(context, base, node.function.name):
                arguments_of(context, node)
                return None
            assert isinstance(base, Thing)
            return methods.value_of_method(context, base, node.function.name, arguments_of(context, node), node.span)
        case _:
            context.error("E0205", "only a name can be called", node.function.span)
            return None


def arguments_of(context: Context, node: ast.Call) -> calls.Arguments:
    """The arguments of a call; only `attachNodeProperty` takes named ones, and looks at them itself."""
    values: list[Value | None] = []
    for argument in node.arguments:
        if isinstance(argument, ast.Keyword):
            context.error("E0212", "only attachNodeProperty and attachEdgeProperty take 'name = value'", argument.span)
            values.append(None)
        else:
            values.append(value(context, argument))
    return values
