"""Checks the heads of counting loops: `for (i = …; …; …)` and `loop (i in … to … by …)`."""

from starplat.diagnostics import Label
from starplat.frontend import ast, scope, typed, types
from starplat.frontend.context import Context
from starplat.frontend.expressions.conversions import convert
from starplat.frontend.statements import assignments, declarations
from starplat.frontend.typed import Literal, Operator, Role, Variable, scalar_of


def counter_of(context: Context, node: ast.For) -> scope.Binding | None:
    """The variable of `for (…; …; …)`: a new one where its type is given, else one declared before."""
    if node.type is not None:
        what = declarations.meaning(context, node.type)
        if what is None or not isinstance(what.type, types.Scalar) or what.type is types.Scalar.BOOL:
            message = "a loop counter must be a number or a node"
            context.error("E0320", message, node.type.span, help="write 'for (int i = 0; …'")
            return None
        return context.binding(context.declare(node.name, what.type, Role.LOCAL))
    if context.scopes.find(node.name.text) is None:
        help = f"declare it: 'for (int {node.name.text} = …'"
        context.error(
            "E0201", f"'{node.name.text}' is not declared", node.name.span, "not found in this scope", help=help
        )
        return None
    binding = context.scopes.find(node.name.text, node.name.span)
    if binding is None or binding.symbol is None:
        return None
    if not isinstance(binding.symbol.type, types.Scalar) or binding.symbol.role is Role.ITERATOR or binding.fixed:
        related = [Label(binding.span, "declared here")]
        context.error("E0311", f"'{node.name.text}' cannot count a loop", node.name.span, related=related)
        return None
    binding.written = True
    return binding


def step_of(context: Context, node: ast.Statement) -> typed.Statement:
    """What happens after every round."""
    match node:
        case ast.Assignment():
            return assignments.assignment(context, node)
        case ast.Increment():
            return assignments.increment(context, node)
    raise AssertionError(node)


def as_whole_number(context: Context, end: typed.Expression | None) -> typed.Expression | None:
    """An end or the step of a `loop` as the integer that it must be."""
    if end is None or scalar_of(end).is_integer:
        return end
    return convert(context, end, types.Scalar.INT)


def before_end(counter: Variable, last: typed.Expression, step: typed.Expression) -> typed.Expression:
    """The condition under which a `loop` goes on; the end itself is left out, and the step's sign says where it is."""
    up = typed.Binary(Operator.LESS, counter, last, types.Scalar.BOOL, span=last.span)
    down = typed.Binary(Operator.GREATER, counter, last, types.Scalar.BOOL, span=last.span)
    if isinstance(step, Literal):
        return up if step.value > 0 else down
    rising = typed.Binary(Operator.GREATER, step, Literal(0, scalar_of(step)), types.Scalar.BOOL, span=step.span)
    return typed.Conditional(rising, up, down, span=last.span)
