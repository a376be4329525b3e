"""Checks statements: dispatch, blocks, branches and plain loops, return, break and continue.

The loops of the language's own (`forall`, `fixedPoint`, `iterateInBFS` …) are in `loops`, assignments in `assignments`.
"""

from starplat.diagnostics import Severity
from starplat.frontend import ast, typed, types
from starplat.frontend.context import DEEPEST_STATEMENT, Context, Enclosure, Frame, Thing
from starplat.frontend.expressions.calls import scalar
from starplat.frontend.expressions.conversions import convert
from starplat.frontend.expressions.expressions import condition, value
from starplat.frontend.statements import assignments, declarations, increments, lists
from starplat.frontend.statements.calls import call_statement
from starplat.frontend.statements.loops import LoopChecker
from starplat.source import Span


def block(context: Context, node: ast.Block | ast.Statement) -> typed.Block:
    with context.block():
        return open_block(context, node)


def open_block(context: Context, node: ast.Block | ast.Statement) -> typed.Block:
    inner = node.statements if isinstance(node, ast.Block) else (node,)
    done = [typed_statement for part in inner for typed_statement in statement(context, part)]
    return typed.Block(tuple(done), span=node.span)


def statement(context: Context, node: ast.Statement) -> list[typed.Statement]:
    """The statements that `node` stands for: a declaration of several names is several."""
    if context.statement_depth >= DEEPEST_STATEMENT:
        message = f"this statement is nested more than {DEEPEST_STATEMENT} deep"
        if context.first_time("E0411", "statement"):
            context.error("E0411", message, node.span, help="move the inner part to a function")
        return [lists.broken_statement(node.span)]
    context.statement_depth += 1
    try:
        said = len(context.reporter.diagnostics)
        done = _statement(context, node)
        if context.increments and all(d.severity is not Severity.ERROR for d in context.reporter.diagnostics[said:]):
            increments.check_order(context, node)
        return done
    finally:
        context.statement_depth -= 1


def _statement(context: Context, node: ast.Statement) -> list[typed.Statement]:
    match node:
        case ast.Declaration():
            return declarations.declaration(context, node)
        case ast.Assignment():
            return [assignments.assignment(context, node)]
        case ast.Increment():
            return [assignments.increment(context, node)]
        case ast.MultiAssignment():
            return [assignments.multi_assignment(context, node)]
        case ast.CallStatement():
            return [call_statement(context, node)]
        case ast.Block():
            return [block(context, node)]
        case ast.If():
            return [_if(context, node)]
        case ast.While() | ast.DoWhile():
            return [_while(context, node)]
        case ast.Return():
            return [_return(context, node)]
        case ast.Break() | ast.Continue():
            return [_jump(context, node)]
    return [_LOOPS.statement(context, node)]


def _test(context: Context, node: ast.Expression, what: str) -> typed.Expression:
    checked = condition(context, node, what)
    return lists.broken_value(types.Scalar.BOOL, node.span) if checked is None else checked


def _if(context: Context, node: ast.If) -> typed.Statement:
    test = _test(context, node.condition, "the condition of 'if'")
    then = block(context, node.then)
    otherwise = None if node.otherwise is None else block(context, node.otherwise)
    return typed.If(test, then, otherwise, span=node.span)


def _while(context: Context, node: ast.While | ast.DoWhile) -> typed.Statement:
    frame = Frame(Enclosure.WHILE, node.span)
    if isinstance(node, ast.While):
        test = _test(context, node.condition, "the condition of 'while'")
        with context.inside(frame):
            return typed.While(test, block(context, node.body), span=node.span)
    with context.inside(frame):
        body = block(context, node.body)
    return typed.DoWhile(body, _test(context, node.condition, "the condition of 'while'"), span=node.span)


def _return(context: Context, node: ast.Return) -> typed.Statement:
    given = [_returned(context, part) for part in node.values]
    for frame in context.frames:
        if frame.kind not in (Enclosure.FOR, Enclosure.WHILE):
            _refuse_leaving(context, "return", frame, node.span)
            break
    if not node.values:
        context.empty_returns.append(node.span)
        return typed.Return(span=node.span)
    context.returns_value = True
    values = tuple(value for value in given if value is not None)
    if len(values) < len(given):
        return typed.Return(lists.broken_value(types.Scalar.INT, node.values[0].span), span=node.span)
    context.returns.append((node.span, values))
    match context.expected_result:
        case types.Several(types=kinds):
            values = tuple(convert(context, v, kind) or v for v, kind in zip(values, kinds, strict=True))
        case types.Scalar() as kind:
            values = (convert(context, values[0], kind) or values[0],)
    return typed.Return(values[0] if len(values) == 1 else typed.Together(values, span=node.span), span=node.span)


def _returned(context: Context, node: ast.Expression) -> typed.Expression | None:
    """A value that is returned: a scalar, or a whole list."""
    given = value(context, node)
    if isinstance(given, Thing) and given.symbol is not None and types.is_list(given.type):
        return typed.WholeList(given.symbol, span=node.span)
    return scalar(context, given)


def _refuse_leaving(context: Context, word: str, frame: Frame, span: Span) -> None:
    name = frame.kind.value
    helps = {
        Enclosure.FORALL: "its iterations run at once; set a variable, or use 'for' instead",
        Enclosure.FIXED_POINT: "it ends when its condition holds; set a variable and leave after it",
    }
    help = helps.get(frame.kind, "set a variable, and leave after it")
    context.error("E0404", f"'{word}' cannot leave a {name}", span, help=help)


def _jump(context: Context, node: ast.Break | ast.Continue) -> typed.Statement:
    word = "break" if isinstance(node, ast.Break) else "continue"
    made = typed.Break(span=node.span) if isinstance(node, ast.Break) else typed.Continue(span=node.span)
    if not context.frames:
        help = "'return' leaves the function" if word == "break" else None
        context.error("E0403", f"'{word}' outside a loop", node.span, help=help)
        return made
    frame = context.frames[-1]
    loops = (Enclosure.FOR, Enclosure.WHILE)
    continuable = (*loops, Enclosure.FORALL, Enclosure.BFS, Enclosure.ON_UPDATE)
    if isinstance(node, ast.Break) and frame.kind not in loops:
        _refuse_leaving(context, "break", frame, node.span)
    elif isinstance(node, ast.Continue) and frame.kind not in continuable:
        help = "its rounds end at the end of its body: use 'if'"
        context.error("E0404", f"'continue' has no meaning in a {frame.kind.value}", node.span, help=help)
    return made


_LOOPS = LoopChecker(block)
