"""Checks a program: `ast.Program` in, `typed.Program` out, or all of its errors.

Functions are checked callees first, so that a call knows what it gives; that also finds recursion. What is checked of
one function is in `functions`.
"""

from itertools import pairwise

from starplat.diagnostics import Label, Reporter, Severity, sort
from starplat.frontend import ast, builtins, context, scope, typed
from starplat.frontend.parsing.syntax import syntax_within
from starplat.frontend.prelude import asked_for, called, prelude
from starplat.frontend.statements import held_arcs, remarks
from starplat.frontend.statements.functions import check_function
from starplat.source import SourceFile, Span


def check(program: ast.Program, source: SourceFile, noted: scope.Noted | None = None) -> typed.Program:
    """The typed program; names and expressions are left in `noted`, in a wrong program too. Raises DiagnosticError:
    with all mistakes, and the warnings among them, in the order of the text."""
    reporter = Reporter(source)
    own = _named(program, reporter)
    functions = {**asked_for(program.functions), **own}
    names = {name: _name_span(function) for name, function in functions.items()}
    signatures: dict[str, context.Signature] = {}
    done: dict[str, typed.FunctionDefinition] = {}
    noted = scope.Noted() if noted is None else noted
    for name in _callees_first(functions, reporter):
        notes = noted if name in own else scope.Noted()
        signature, definition = check_function(functions[name], name, signatures, names, reporter, notes)
        signatures[name] = signature
        done[name] = definition
    reporter.raise_errors()
    warnings = sort(d for d in reporter.diagnostics if d.severity is not Severity.ERROR)
    written_here = [done[name] for name in own if source.owns(own[name].span)]
    checked = typed.Program(source, _kept(written_here, done), tuple(warnings), span=program.span)
    remarks.refuse_changes(checked, reporter)
    held_arcs.refuse_held_arcs(checked, reporter)
    reporter.raise_errors()
    return checked


def _kept(
    functions: list[typed.FunctionDefinition], done: dict[str, typed.FunctionDefinition]
) -> tuple[typed.FunctionDefinition, ...]:
    """The program's own functions, and those that they call of the prelude and of imported files."""
    names = {function.name for function in functions}
    while missing := called(functions) - names:
        functions += [done[name] for name in sorted(missing)]
        names |= missing
    return tuple(functions)


def function_name(function: ast.Function) -> str:
    """A function's name; `Incremental` and `Decremental` are called by their own word."""
    return function.kind.value if function.name is None else function.name.text


def _name_span(function: ast.Function) -> Span:
    return function.span if function.name is None else function.name.span


def _named(program: ast.Program, reporter: Reporter) -> dict[str, ast.Function]:
    """The functions by name, the first of each."""
    functions: dict[str, ast.Function] = {}
    for function in program.functions:
        name, span = function_name(function), _name_span(function)
        if name in builtins.FUNCTION_NAMES or name in prelude():
            message = f"'{name}' is a function of the language"
            reporter.report("E0206", message, span, help="give yours another name")
        if name in functions:
            related = [Label(_name_span(functions[name]), "first defined here")]
            reporter.report("E0207", f"the function '{name}' is defined twice", span, related=related)
            name = f"{name} (again at {span.start})"
        functions[name] = function
    return functions


Calls = dict[str, Span]
"""The functions that a function calls, each with the first place where it does."""


def _calls(function: ast.Function, functions: dict[str, ast.Function]) -> Calls:
    calls: Calls = {}
    for node in syntax_within(function.body):
        if isinstance(node, ast.Call) and isinstance(node.function, ast.Identifier):
            name = node.function.name
            if name in functions and (name not in calls or node.span.start < calls[name].start):
                calls[name] = node.span
    return dict(sorted(calls.items(), key=lambda item: item[1].start))


def _callees_first(functions: dict[str, ast.Function], reporter: Reporter) -> list[str]:
    """The functions in an order in which callees precede their callers; reports cycles."""
    calls = {name: _calls(function, functions) for name, function in functions.items()}
    order: list[str] = []
    finished: set[str] = set()
    for root in functions:
        if root in finished:
            continue
        path = {root: iter(calls[root])}
        while path:
            name, pending = next(reversed(path.items()))
            if (callee := next((c for c in pending if c not in finished), None)) is None:
                path.popitem()
                finished.add(name)
                order.append(name)
            elif callee in path:
                names = list(path)
                _refuse_recursion(names[names.index(callee) :], calls, reporter)
            else:
                path[callee] = iter(calls[callee])
    return order


def _refuse_recursion(cycle: list[str], calls: dict[str, Calls], reporter: Reporter) -> None:
    back = calls[cycle[-1]][cycle[0]]
    if len(cycle) == 1:
        message = f"'{cycle[0]}' calls itself"
    else:
        message = "functions call each other in a circle: " + " → ".join([*cycle, cycle[0]])
    related = [Label(calls[a][b], f"'{a}' calls '{b}'") for a, b in pairwise(cycle)]
    help = "no target can recurse: use a loop, 'fixedPoint' or 'iterateInBFS'"
    reporter.report("E0208", message, back, "here the circle closes" if related else "", related=related, help=help)
