"""Checks `print` and `assert`, the statements that only checked runs and `reference` carry out.

A program means the same without them: what they evaluate changes nothing.
"""

from collections.abc import Iterable

from starplat.diagnostics import Reporter
from starplat.frontend import ast, typed, walk
from starplat.frontend.context import Context
from starplat.frontend.expressions import calls, expressions
from starplat.frontend.expressions.acting import Acting
from starplat.frontend.statements.lists import broken_statement


def remark(context: Context, node: ast.CallStatement, name: str) -> typed.Statement:
    """`print(…);` or `assert(…);`"""
    given = node.call.arguments
    named = [argument for argument in given if isinstance(argument, ast.Keyword)]
    for argument in named:
        context.error("E0212", "only attachNodeProperty and attachEdgeProperty take 'name = value'", argument.span)
    values = tuple(argument for argument in given if isinstance(argument, ast.Expression))
    if named:
        return broken_statement(node.span)
    return _print(context, values, node) if name == "print" else _assert(context, values, node)


def _print(context: Context, values: tuple[ast.Expression, ...], node: ast.CallStatement) -> typed.Statement:
    parts = [value.value if isinstance(value, ast.Text) else expressions.expression(context, value) for value in values]
    known = tuple(part for part in parts if part is not None)
    return typed.Print(known, span=node.span) if len(known) == len(parts) else broken_statement(node.span)


def _assert(context: Context, values: tuple[ast.Expression, ...], node: ast.CallStatement) -> typed.Statement:
    if len(values) not in (1, 2):
        calls.wrong_count(context, "'assert'", "a condition and perhaps a text", len(values), node.span)
        return broken_statement(node.span)
    holds = expressions.condition(context, values[0], "what is asserted")
    message = values[1] if len(values) == 2 else None
    if message is not None and not isinstance(message, ast.Text):
        help = "print(…) shows values; a failed assert shows those of its condition by itself"
        context.error("E0315", "what 'assert' says is a text in double quotes", message.span, help=help)
        return broken_statement(node.span)
    if holds is None:
        return broken_statement(node.span)
    return typed.Assert(holds, None if message is None else message.value, span=node.span)


def remarks(functions: Iterable[typed.FunctionDefinition]) -> list[typed.Remark]:
    """All of them, in the order of the text."""
    found = (s for function in functions for s in walk.statements(function.body))
    return [s for s in found if isinstance(s, typed.Remark)]


def refuse_changes(program: typed.Program, reporter: Reporter) -> None:
    """Reports what `print` and `assert` would change: without them the program would mean something else."""
    acting = Acting(program)
    for statement in remarks(program.functions):
        for value in walk.expressions(statement):
            if acting.acts(value):
                word = "print" if isinstance(statement, typed.Print) else "assert"
                message = f"this changes something, but '{word}' is left out of most runs"
                help = "change it in a statement of its own, before"
                reporter.report("E0419", message, value.span, help=help)
