"""Reads a program that may be half written: which names mean the same thing, and the type of each expression.

The checker itself notes them, so that editors see names as the compiler does. A text that does not parse is read as far
as the parser understands it.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from starplat import pipeline
from starplat.diagnostics import DiagnosticError, Reporter
from starplat.frontend import ast, builtins, typed
from starplat.frontend.check import check
from starplat.frontend.parsing.syntax import syntax_within
from starplat.frontend.scope import Noted
from starplat.frontend.types import GraphType, Type
from starplat.imports import with_imports
from starplat.source import SourceFile, Span

Meaning = typed.Symbol | ast.Function
"""What a name stands for: a declared thing, or a function of the program."""

_SCOPES = (ast.Function, ast.Block, ast.ForEach, ast.For, ast.Loop, ast.FixedPoint, ast.IterateInBFS, ast.OnUpdate)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A program as its editor has it: `meanings` of the names by their places, `types` of the expressions by theirs.
    Imported files are part of it, where they can be read; the editor's own text is `source.text`."""

    source: SourceFile
    tree: ast.Program
    meanings: dict[Span, Meaning]
    types: dict[Span, Type]

    def name_at(self, offset: int) -> Span | None:
        """The place of the name at a character, or just before it, that means something."""
        return next((span for span in self.meanings if span.start <= offset <= span.end), None)

    def places_of(self, meaning: Meaning) -> list[Span]:
        """Where a thing is named, its declaration included, in the order of the text."""
        return sorted((span for span, found in self.meanings.items() if found is meaning), key=lambda span: span.start)

    def visible(self, offset: int) -> list[typed.Symbol]:
        """The symbols that are declared before a character and may be named there, the innermost of each name."""
        scopes = [node.span for node in syntax_within(self.tree) if isinstance(node, _SCOPES)]
        found: dict[str, tuple[Span, typed.Symbol]] = {}
        for symbol in dict.fromkeys(m for m in self.meanings.values() if isinstance(m, typed.Symbol)):
            around = [scope for scope in scopes if _holds(scope, symbol.span.start)]
            scope = min(around, key=lambda scope: scope.end - scope.start, default=None)
            if scope is None or symbol.span.end > offset or not _holds(scope, offset):
                continue
            if symbol.name not in found or scope.start > found[symbol.name][0].start:
                found[symbol.name] = scope, symbol
        return [symbol for _, symbol in found.values()]


def declared(meaning: Meaning) -> Span:
    """Where a thing is declared: its name, if it has one."""
    return meaning.name.span if isinstance(meaning, ast.Function) and meaning.name is not None else meaning.span


def _holds(scope: Span, offset: int) -> bool:
    return scope.start <= offset < scope.end


def read(source: SourceFile) -> Reading:
    """What can be understood of a text, whatever is wrong with it."""
    reporter, noted = Reporter(source), Noted()
    tree = pipeline.parse(source, reporter)
    with suppress(DiagnosticError):  # `pipeline.check` tells what is wrong; what was understood is noted all the same
        tree, source = with_imports(tree, source)
    with suppress(DiagnosticError):
        check(tree, source, noted)
    return Reading(source, tree, {**dict(_functions(tree)), **noted.symbols}, noted.types)


def _functions(tree: ast.Program) -> Iterator[tuple[Span, ast.Function]]:
    named = {function.name.text: function for function in reversed(tree.functions) if function.name is not None}
    yield from ((f.name.span, f) for f in tree.functions if f.name is not None)
    for node in syntax_within(tree):
        if isinstance(node, ast.Call) and isinstance(node.function, ast.Identifier) and node.function.name in named:
            yield node.function.span, named[node.function.name]


def of_symbol(symbol: typed.Symbol) -> str:
    """A declaration.

    >>> of_symbol(typed.Symbol("g", GraphType(), typed.Role.PARAMETER))
    'Graph g'
    """
    return f"{symbol.type} {symbol.name}"


def of_function(function: ast.Function, source: SourceFile) -> str:
    """The head of a function, as it is written."""
    return source.piece(Span(function.span.start, function.body.span.start))


def signature(kind: Type, method: str) -> str:
    """How a method is called, and the type that it gives.

    >>> signature(GraphType(), "get_edge"), signature(GraphType(), "neighbors")
    ('get_edge(node, node) -> edge', 'neighbors(node)')
    """
    given: tuple[object, ...] = ()
    gives: object = None
    if isinstance(kind, GraphType):
        if (query := builtins.GRAPH_QUERIES.get(method)) is not None:
            given, gives = query.parameters, query.result
        elif method in builtins.NEIGHBOR_DOMAINS:
            given = ("node",)
        elif method in (builtins.ATTACH_NODE, builtins.ATTACH_EDGE):
            given = ("property = value, …",)
        elif method in builtins.DYNAMIC_METHODS:
            given = (builtins.DYNAMIC_METHODS[method],)
    elif (own := builtins.collection_methods(kind).get(method)) is not None:
        given, gives = own.parameters, own.result
    return f"{method}({', '.join(map(str, given))})" + (f" -> {gives}" if gives is not None else "")
