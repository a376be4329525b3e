"""Builds syntax tree nodes from matched grammar rules.

A rule has a method or a row of a table, for the rule's children, tokens included; an optional piece that is absent is
None.
What the grammar lets through and the language does not (a target that is no place, a domain that is no call …) is
reported here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lark import Token, Transformer

from starplat.diagnostics import Reporter
from starplat.frontend import ast
from starplat.frontend.parsing import lexer
from starplat.source import NOWHERE, SourceFile, Span

Children = list[Any]

_KINDS = {kind.value: kind for kind in ast.FunctionKind}
_NO_STATEMENT = "this computes a value and does nothing with it"


def _span(children: Children) -> Span:
    """From the first child that was written to the last."""
    first = next(child for child in children if child is not None)
    last = next(child for child in reversed(children) if child is not None)
    start = lexer.span_of(first).start if isinstance(first, Token) else first.span.start
    end = lexer.span_of(last).end if isinstance(last, Token) else last.span.end
    return Span(start, end)


def _nodes(children: Children) -> Children:
    return [child for child in children if isinstance(child, ast.Syntax)]


_PICKED: dict[str, tuple[type[ast.Syntax], dict[str, int]]] = {
    "plain_type": (ast.TypeName, {"name": 0}),
    "property_type": (ast.TypeName, {"name": 0, "element": 2, "graph": 4}),
    "graph_type": (ast.TypeName, {"name": 0, "graph": 2}),
    "element_type": (ast.TypeName, {"name": 0, "element": 2}),
    "map_type": (ast.TypeName, {"name": 0, "key": 2, "element": 4}),
    "declarator": (ast.Declarator, {"name": 0, "graph": 2, "value": 5}),
    "break_": (ast.Break, {}),
    "continue_": (ast.Continue, {}),
    "if_": (ast.If, {"condition": 2, "then": 4, "otherwise": 6}),
    "while_": (ast.While, {"condition": 2, "body": 4}),
    "do_while": (ast.DoWhile, {"body": 1, "condition": 4}),
    "for_": (ast.For, {"type": 2, "name": 3, "start": 5, "condition": 7, "step": 9, "body": 11}),
    "loop": (ast.Loop, {"name": 2, "first": 4, "last": 6, "step": 8, "body": 10}),
    "fixed_point": (ast.FixedPoint, {"flag": 3, "condition": 5, "body": 7}),
    "reverse": (ast.Reverse, {"filter": 2, "body": 4}),
    "batch": (ast.Batch, {"updates": 2, "size": 4, "body": 6}),
    "ternary": (ast.Conditional, {"condition": 0, "then": 2, "otherwise": 4}),
    "unary": (ast.Unary, {"operator": 0, "operand": 1}),
    "keyword": (ast.Keyword, {"name": 0, "value": 2}),
    "infinity": (ast.Infinity, {}),
}
"""The rules whose node only picks some children, by the field that each becomes; a word becomes its text."""


class Builder(Transformer[Token, ast.Program]):
    """`reporter` is exchanged for every program; building keeps nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.reporter = Reporter(SourceFile("", ""))

    # --- program -------------------------------------------------------------------------------------------------

    def program(self, children: Children) -> ast.Program:
        imports = tuple(child for child in children if isinstance(child, ast.Import))
        functions = tuple(child for child in children if isinstance(child, ast.Function))
        return ast.Program(functions, imports, span=_span(children) if children else NOWHERE)

    def import_(self, children: Children) -> ast.Import:
        file = ast.Text(lexer.unquoted(children[1].value), span=lexer.span_of(children[1]))
        return ast.Import(file, span=_span(children))

    def named_function(self, children: Children) -> ast.Function:
        kind, *name, parameters, body = children
        return ast.Function(_KINDS[kind.value], name[0] if name else None, parameters, body, span=_span(children))

    unnamed_function = named_function

    def parameters(self, children: Children) -> tuple[ast.Parameter, ...]:
        return tuple(_nodes(children))

    def parameter(self, children: Children) -> ast.Parameter:
        type, reference, name, _, graph, _, _, default = children
        return ast.Parameter(type, name, reference is not None, graph, default, span=_span(children))

    # --- types ---------------------------------------------------------------------------------------------------

    def container_type(self, children: Children) -> ast.TypeName:
        word, _, element, *sizes = children
        return ast.TypeName(word.value, element, None, tuple(_nodes(sizes)), span=_span(children))

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, children: Children) -> ast.Block:
        return ast.Block(tuple(children[1:-1]), span=_span(children))

    def declaration(self, children: Children) -> ast.Declaration:
        type, *declarators = _nodes(children)
        return ast.Declaration(type, tuple(declarators), span=_span(children))

    def assignment(self, children: Children) -> ast.Assignment:
        target, operator, value = children
        self._require_place(target)
        return ast.Assignment(target, operator.value, value, span=_span(children))

    def change_statement(self, children: Children) -> ast.Statement:
        change: ast.Statement = children[0]
        return replace(change, span=_span(children))

    def expression_statement(self, children: Children) -> ast.Statement:
        value = children[0]
        if isinstance(value, ast.Call):
            return ast.CallStatement(value, span=_span(children))
        if isinstance(value, ast.Incremented):
            return ast.Increment(value.target, value.operator, span=_span(children))
        advice = "a statement is a declaration, an assignment, a call or a loop"
        if isinstance(value, ast.Binary) and value.operator == "==" and _is_place(value.left):
            advice = "write '=' to assign"
        self.reporter.report("E0117", _NO_STATEMENT, value.span, help=advice)
        return ast.Block((), span=_span(children))

    def expressions_between(self, children: Children) -> tuple[ast.Expression, ...]:
        return tuple(_nodes(children))

    def multi_assignment(self, children: Children) -> ast.MultiAssignment:
        targets, values = (child for child in children if isinstance(child, tuple))
        for target in targets:
            self._require_place(target)
        return ast.MultiAssignment(targets, values, span=_span(children))

    def return_(self, children: Children) -> ast.Return:
        return ast.Return(tuple(_nodes(children)), span=_span(children))

    def for_each(self, children: Children) -> ast.ForEach:
        word, _, iterator, _, over, _, body = children
        return ast.ForEach(word == "forall", iterator, self._domain(over), body, span=_span(children))

    def step(self, children: Children) -> ast.Statement:
        value = children[0]
        if isinstance(value, ast.Incremented):
            return ast.Increment(value.target, value.operator, span=value.span)
        self.reporter.report("E0117", _NO_STATEMENT, value.span, help="the step of a 'for' is written i++ or i += 2")
        return ast.Block((), span=value.span)

    def bfs(self, children: Children) -> ast.IterateInBFS:
        _, _, iterator, _, domain, _, source, _, _, _, _, filter, _, body, reverse = children
        graph = self._graph_of_nodes(domain)
        return ast.IterateInBFS(iterator, graph, source, filter, body, reverse, span=_span(children))

    def on_update(self, children: Children) -> ast.OnUpdate:
        word, _, iterator, _, over, _, _, body = children
        return ast.OnUpdate(ast.UpdateKind(word.value), iterator, self._domain(over), body, span=_span(children))

    # --- expressions ---------------------------------------------------------------------------------------------

    def binary(self, children: Children) -> ast.Binary:
        left, operator, right = children
        return ast.Binary(operator.value, left, right, span=Span(left.span.start, right.span.end))

    def increment_before(self, children: Children) -> ast.Incremented:
        operator, target = children
        return self._incremented(target, operator, before=True, span=_span(children))

    def increment_after(self, children: Children) -> ast.Incremented:
        target, operator = children
        return self._incremented(target, operator, before=False, span=_span(children))

    def _incremented(self, target: ast.Expression, operator: Token, *, before: bool, span: Span) -> ast.Incremented:
        if before and operator.value == "--" and not _is_place(target):
            advice = "for the negative of a negative, write '- -'"
            self.reporter.report("E0120", "'--' changes a variable or a cell, and this is neither", span, help=advice)
        else:
            self._require_place(target)
        return ast.Incremented(target, operator.value, before, span=span)

    def group(self, children: Children) -> ast.Expression:
        inner: ast.Expression = children[1]
        return replace(inner, span=_span(children))

    def attribute(self, children: Children) -> ast.Attribute:
        value, _, name = children
        return ast.Attribute(value, name, span=Span(value.span.start, name.span.end))

    def index(self, children: Children) -> ast.Index:
        value, _, index, _ = children
        return ast.Index(value, index, span=_span(children))

    def call(self, children: Children) -> ast.Call:
        function, _, *arguments = children
        if not isinstance(function, ast.Identifier | ast.Attribute):
            self.reporter.report("E0119", "only a function or a method can be called", function.span)
        return ast.Call(function, tuple(_nodes(arguments)), span=_span(children))

    def cast(self, children: Children) -> ast.Call:
        word, _, value, _ = children
        return ast.Call(ast.Identifier(word.value, span=lexer.span_of(word)), (value,), span=_span(children))

    def identifier(self, children: Children) -> ast.Identifier:
        name = children[0]
        return ast.Identifier(name.text, span=name.span)

    def integer(self, children: Children) -> ast.Integer:
        text = children[0].value
        return ast.Integer(int(text) if text.isdigit() and len(text) < 1000 else 0, span=_span(children))

    def real(self, children: Children) -> ast.Real:
        text = children[0].value
        return ast.Real(float(text.rstrip("f")), text.endswith("f"), span=_span(children))

    def text(self, children: Children) -> ast.Text:
        return ast.Text(lexer.unquoted(children[0].value), span=_span(children))

    def true(self, children: Children) -> ast.Boolean:
        return ast.Boolean(True, span=_span(children))

    def false(self, children: Children) -> ast.Boolean:
        return ast.Boolean(False, span=_span(children))

    def name(self, children: Children) -> ast.Name:
        word = children[0]
        return ast.Name(word.value, span=lexer.span_of(word))

    # --- what the grammar leaves to us ---------------------------------------------------------------------------

    def _require_place(self, target: ast.Expression) -> None:
        if not _is_place(target):
            advice = "a place is written x, v.dist, dist[v] or g.dist[v]"
            self.reporter.report("E0112", "this is no place that a value can be stored in", target.span, help=advice)

    def _domain(self, over: ast.Expression) -> ast.Domain:
        match over:
            case ast.Call(ast.Attribute(inner, ast.Name("filter")), (ast.Expression() as condition,)):
                domain = ast.Domain(inner, condition, span=over.span)
            case _:
                domain = ast.Domain(over, span=over.span)
        if not isinstance(domain.over, ast.Identifier | ast.Attribute | ast.Call | ast.Index):
            advice = "a loop runs over a call such as g.nodes() or g.neighbors(v), or over a set or a container"
            self.reporter.report("E0118", "a loop cannot run over this", domain.over.span, help=advice)
        return domain

    def _graph_of_nodes(self, domain: ast.Expression) -> ast.Name:
        match domain:
            case ast.Call(ast.Attribute(ast.Identifier(graph) as value, ast.Name("nodes")), ()):
                return ast.Name(graph, span=value.span)
        advice = "write iterateInBFS (v in g.nodes() from source)"
        self.reporter.report("E0118", "iterateInBFS runs over the nodes of a graph", domain.span, help=advice)
        return ast.Name("", span=domain.span)


def _picker(kind: type[ast.Syntax], places: dict[str, int]) -> Callable[[Builder, Children], ast.Syntax]:
    def build(_: Builder, children: Children) -> ast.Syntax:
        given = {}
        for field, place in places.items():
            child = children[place]
            given[field] = child.value if isinstance(child, Token) else child
        return kind(**given, span=_span(children))

    return build


for _rule, _row in _PICKED.items():
    setattr(Builder, _rule, _picker(*_row))


def _is_place(target: ast.Expression) -> bool:
    match target:
        case ast.Identifier() | ast.Attribute(ast.Identifier()):
            return True
        case ast.Index(ast.Identifier() | ast.Attribute(ast.Identifier())):
            return True
    return False
