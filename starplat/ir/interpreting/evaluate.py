"""Evaluates the expressions of host operations, with the same meaning as in kernels.

An expression is compiled to a Python function when it is first evaluated. Values are Python's bool, int and float.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.ir import nodes as ir, visitor
from starplat.ir.python import arithmetic, expressions
from starplat.ir.python.text import Names
from starplat.ir.verifying.bounds import Bounds
from starplat.source import SourceFile, Span

_COMPILED: dict[int, tuple[ir.Expression, Callable[..., Any], Callable[[Any], arithmetic.Value]]] = {}
"""By the identity of the expression, which is kept alive here: hashing a tree at every evaluation would cost more."""

_MOST_COMPILED = 10_000


def evaluate(
    expression: ir.Expression,
    variables: Mapping[str, arithmetic.Value],
    graph_arrays: Mapping[str, np.ndarray[Any, np.dtype[Any]]],
    num_nodes: int,
    num_arcs: int,
    *,
    source: SourceFile | None = None,
    span: Span | None = None,
) -> arithmetic.Value:
    """The value of a host expression; `graph_arrays` by `Array.name`, `source` and `span` for messages.

    Raises:
        DiagnosticError: E0703, an integer is divided by zero; E0704, an index is outside its array; E0705, the
            expression is nested too deeply.
    """
    _, function, settle = _COMPILED.get(id(expression)) or _compile(expression)
    try:
        value = function(num_nodes, num_arcs, variables, graph_arrays)
    except arithmetic.Fault as fault:
        raise fault.diagnosed("code between the loops", source, span) from fault
    return settle(value)


def _compile(expression: ir.Expression) -> tuple[ir.Expression, Callable[..., Any], Callable[[Any], arithmetic.Value]]:
    """The expression with its function, and what makes of that one's result a value of the right element."""
    if len(_COMPILED) >= _MOST_COMPILED:
        _COMPILED.clear()
    scope: dict[str, Any] = {**arithmetic.OPERATIONS, "__builtins__": {}}
    try:
        text = expressions.Expressions(_names(expression), Bounds()).exact(expression).text
        function: Callable[..., Any] = eval(compile(f"lambda n, m, V, G: {text}", "<host>", "eval"), scope)
    except (RecursionError, MemoryError, SyntaxError) as error:
        message = "an expression is nested too deeply to be interpreted"
        help = "give a part of the expression a name"
        raise DiagnosticError(Diagnostic("E0705", message, help=help)) from error
    _COMPILED[id(expression)] = found = (expression, function, arithmetic.SETTLED[expression.element])
    return found


def _names(expression: ir.Expression) -> Names:
    """Names of the program stand only inside string literals."""
    variables: dict[str, str] = {}
    arrays: dict[str, str] = {}
    for inner in visitor.walk_expression(expression):
        match inner:
            case ir.Ref(variable):
                variables[variable.name] = f"V[{variable.name!r}]"
            case ir.Load(array):
                arrays[array.name] = f"G[{array.name!r}]"
            case ir.FindArc():
                arrays |= {array.name: f"G[{array.name!r}]" for array in ir.CSR.row_arrays}
    return Names(variables, arrays, {}, load="{array}.item({index})")
