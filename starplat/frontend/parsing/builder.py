"""Builds syntax tree nodes from matched grammar rules.

One method a rule, each called with the rule's children, tokens included; an optional piece that is absent is None.
What the grammar lets through and the language does not (a target that is no place, a domain that is no call …) is
reported here.
"""

from dataclasses import replace
from typing import Any

from lark import Token, Transformer

from starplat.diagnostics import Reporter
from starplat.frontend import ast
from starplat.frontend.parsing import lexer, quotes
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
        file = ast.Text(quotes.unquoted(children[1].value), span=lexer.span_of(children[1]))
        return ast.Import(file, span=_span(children))

    def named_function(self, children: Children) -> ast.Function:
        kind, name, parameters, body = children
        return ast.Function(_KINDS[kind.value], name, parameters, body, span=_span([kind, body]))

    def unnamed_function(self, children: Children) -> ast.Function:
        kind, parameters, body = children
        return ast.Function(_KINDS[kind.value], None, parameters, body, span=_span([kind, body]))

    def parameters(self, children: Children) -> tuple[ast.Parameter, ...]:
        return tuple(_nodes(children))

    def parameter(self, children: Children) -> ast.Parameter:
        type, reference, name, _, graph, _, _, default = children
        return ast.Parameter(type, name, reference is not None, graph, default, span=_span(children))

    # --- types ---------------------------------------------------------------------------------------------------

    def plain_type(self, children: Children) -> ast.TypeName:
        return ast.TypeName(children[0].value, span=_span(children))

    def property_type(self, children: Children) -> ast.TypeName:
        word, _, element, _, graph, _ = children
        return ast.TypeName(word.value, element, graph, span=_span(children))

    def graph_type(self, children: Children) -> ast.TypeName:
        word, _, graph, _ = children
        return ast.TypeName(word.value, None, graph, span=_span(children))

    def element_type(self, children: Children) -> ast.TypeName:
        word, _, element, _ = children
        return ast.TypeName(word.value, element, span=_span(children))

    def map_type(self, children: Children) -> ast.TypeName:
        word, _, key, _, element, _ = children
        return ast.TypeName(word.value, element, key=key, span=_span(children))

    def container_type(self, children: Children) -> ast.TypeName:
        word, _, element, *sizes = children
        return ast.TypeName(word.value, element, None, tuple(_nodes(sizes)), span=_span(children))

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, children: Children) -> ast.Block:
        return ast.Block(tuple(children[1:-1]), span=_span(children))

    def declarator(self, children: Children) -> ast.Declarator:
        name, _, graph, _, _, value = children
        return ast.Declarator(name, value, graph, span=_span(children))

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

    def break_(self, children: Children) -> ast.Break:
        return ast.Break(span=_span(children))

    def continue_(self, children: Children) -> ast.Continue:
        return ast.Continue(span=_span(children))

    def if_(self, children: Children) -> ast.If:
        _, _, condition, _, then, _, otherwise = children
        return ast.If(condition, then, otherwise, span=_span(children))

    def while_(self, children: Children) -> ast.While:
        return ast.While(children[2], children[4], span=_span(children))

    def do_while(self, children: Children) -> ast.DoWhile:
        return ast.DoWhile(children[1], children[4], span=_span(children))

    def for_each(self, children: Children) -> ast.ForEach:
        word, _, iterator, _, over, _, body = children
        return ast.ForEach(word == "forall", iterator, self._domain(over), body, span=_span(children))

    def for_(self, children: Children) -> ast.For:
        _, _, type, name, _, start, _, condition, _, step, _, body = children
        return ast.For(type, name, start, condition, step, body, span=_span(children))

    def step(self, children: Children) -> ast.Statement:
        value = children[0]
        if isinstance(value, ast.Incremented):
            return ast.Increment(value.target, value.operator, span=value.span)
        self.reporter.report("E0117", _NO_STATEMENT, value.span, help="the step of a 'for' is written i++ or i += 2")
        return ast.Block((), span=value.span)

    def loop(self, children: Children) -> ast.Loop:
        _, _, name, _, first, _, last, _, step, _, body = children
        return ast.Loop(name, first, last, step, body, span=_span(children))

    def fixed_point(self, children: Children) -> ast.FixedPoint:
        _, _, _, flag, _, condition, _, body = children
        return ast.FixedPoint(flag, condition, body, span=_span(children))

    def bfs(self, children: Children) -> ast.IterateInBFS:
        _, _, iterator, _, domain, _, source, _, _, _, _, filter, _, body, reverse = children
        graph = self._graph_of_nodes(domain)
        return ast.IterateInBFS(iterator, graph, source, filter, body, reverse, span=_span(children))

    def reverse(self, children: Children) -> ast.Reverse:
        _, _, filter, _, body = children
        return ast.Reverse(filter, body, span=_span(children))

    def batch(self, children: Children) -> ast.Batch:
        _, _, updates, _, size, _, body = children
        return ast.Batch(updates, size, body, span=_span(children))

    def on_update(self, children: Children) -> ast.OnUpdate:
        word, _, iterator, _, over, _, _, body = children
        return ast.OnUpdate(ast.UpdateKind(word.value), iterator, self._domain(over), body, span=_span(children))

    # --- expressions ---------------------------------------------------------------------------------------------

    def ternary(self, children: Children) -> ast.Conditional:
        condition, _, then, _, otherwise = children
        return ast.Conditional(condition, then, otherwise, span=_span(children))

    def binary(self, children: Children) -> ast.Binary:
        left, operator, right = children
        return ast.Binary(operator.value, left, right, span=Span(left.span.start, right.span.end))

    def unary(self, children: Children) -> ast.Unary:
        operator, operand = children
        return ast.Unary(operator.value, operand, span=_span(children))

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

    def keyword(self, children: Children) -> ast.Keyword:
        name, _, value = children
        return ast.Keyword(name, value, span=_span(children))

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
        return ast.Text(quotes.unquoted(children[0].value), span=_span(children))

    def true(self, children: Children) -> ast.Boolean:
        return ast.Boolean(True, span=_span(children))

    def false(self, children: Children) -> ast.Boolean:
        return ast.Boolean(False, span=_span(children))

    def infinity(self, children: Children) -> ast.Infinity:
        return ast.Infinity(span=_span(children))

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


def _is_place(target: ast.Expression) -> bool:
    match target:
        case ast.Identifier() | ast.Attribute(ast.Identifier()):
            return True
        case ast.Index(ast.Identifier() | ast.Attribute(ast.Identifier())):
            return True
    return False
