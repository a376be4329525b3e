"""Says in a line of the language what a name stands for."""

from __future__ import annotations

from starplat.frontend import ast, builtins, typed
from starplat.frontend.types import GraphType, Type
from starplat.source import SourceFile, Span


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
