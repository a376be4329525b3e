"""Random programs: syntactically right, as a parser would build them, and not meant to mean anything."""

from __future__ import annotations

from hypothesis import strategies as st

from starplat.frontend import ast
from starplat.frontend.mistakes.wording import STATEMENT_WORDS, TYPE_WORDS

_RESERVED = {
    *("function", "Static", "Dynamic", "else", "iterateInReverse", "True", "true", "False", "false", "INF", "INT_MAX"),
    *(*TYPE_WORDS, *STATEMENT_WORDS, "filter"),
}
_SOFT = ["in", "from", "to", "by", "until", "Incremental", "Decremental", "import"]
_STEPS = st.sampled_from(["++", "--"])
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_BINARY = [operator for level in _LEVELS for operator in level]

words = st.one_of(
    st.sampled_from(["g", "v", "dist", "x1", "_y", *_SOFT]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True),
).filter(lambda word: word not in _RESERVED)
names = st.builds(ast.Name, words)
identifiers = st.builds(ast.Identifier, words)
cells = st.builds(ast.Attribute, identifiers, names)
literals = st.one_of(
    st.builds(ast.Integer, st.integers(0, 2**70)),
    st.builds(ast.Real, st.floats(0, allow_nan=False, allow_infinity=False), st.booleans()),
    st.builds(ast.Boolean, st.booleans()),
    st.just(ast.Infinity()),
)


texts = st.builds(ast.Text, st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=9))


def _larger_expressions(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    attribute = st.builds(ast.Attribute, inner, names)
    argument = st.one_of(inner, texts, st.builds(ast.Keyword, names, inner))
    return st.one_of(
        st.builds(ast.Binary, st.sampled_from(_BINARY), inner, inner),
        st.builds(ast.Unary, st.sampled_from("!-~+"), inner),
        st.builds(ast.Conditional, inner, inner, inner),
        st.builds(ast.Incremented, st.one_of(identifiers, cells), _STEPS, st.booleans()),
        attribute,
        st.builds(ast.Index, inner, inner),
        st.builds(ast.Call, st.one_of(identifiers, attribute), st.lists(argument, max_size=3).map(tuple)),
    )


_expressions = st.recursive(st.one_of(identifiers, literals), _larger_expressions, max_leaves=8)


@st.composite
def _an_expression(draw: st.DrawFn) -> ast.Expression:
    return draw(_expressions)


expressions = _an_expression()
"""Drawn through a function, as are `types` and `statements`: the strategy's own description is megabytes long."""

methods = st.builds(ast.Attribute, expressions, names)
calls = st.builds(ast.Call, st.one_of(identifiers, methods), st.lists(expressions, max_size=2).map(tuple))
places = st.one_of(identifiers, cells, st.builds(ast.Index, st.one_of(identifiers, cells), expressions))

_plain_types = st.sampled_from(["int", "long", "float", "double", "bool", "Graph", "dirGraph", "node", "edge", "list"])


def _larger_types(inner: st.SearchStrategy[ast.TypeName]) -> st.SearchStrategy[ast.TypeName]:
    sizes = st.one_of(st.just(()), st.tuples(expressions), st.tuples(expressions, expressions))
    return st.one_of(
        st.builds(ast.TypeName, st.sampled_from(["propNode", "propEdge"]), inner, st.none() | names),
        st.builds(ast.TypeName, st.sampled_from(["list", "nodeMap"]), inner),
        st.builds(ast.TypeName, st.just("container"), inner, st.none(), sizes),
    )


_types = st.recursive(
    st.one_of(
        st.builds(ast.TypeName, _plain_types),
        st.builds(ast.TypeName, st.sampled_from(["SetN", "SetE", "updates"]), st.none(), names),
    ),
    _larger_types,
    max_leaves=2,
)


@st.composite
def _a_type(draw: st.DrawFn) -> ast.TypeName:
    return draw(_types)


types = _a_type()

elements = st.builds(ast.Index, identifiers, expressions)
domains = st.builds(ast.Domain, st.one_of(identifiers, calls, elements), st.none() | expressions)
assignments = st.builds(
    ast.Assignment,
    places,
    st.sampled_from(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&=", "||="]),
    expressions,
)
changes = st.one_of(assignments, st.builds(ast.Increment, places, _STEPS))
_declarator = st.builds(ast.Declarator, names, st.none() | expressions, st.none() | names)
_declarators = st.lists(_declarator, min_size=1, max_size=2).map(tuple)
_simple = st.one_of(
    st.builds(ast.Declaration, types, _declarators),
    changes,
    st.builds(
        ast.MultiAssignment,
        st.lists(places, min_size=1, max_size=2).map(tuple),
        st.lists(expressions, min_size=1, max_size=2).map(tuple),
    ),
    st.builds(ast.CallStatement, calls),
    st.builds(ast.Return, st.lists(expressions, max_size=2).map(tuple)),
    st.just(ast.Break()),
    st.just(ast.Continue()),
)


def _ends_open(node: ast.Statement | None) -> bool:
    """Whether a following `else` would belong to `node`."""
    match node:
        case ast.If(otherwise=None):
            return True
        case ast.If(otherwise=last):
            return _ends_open(last)
        case ast.While(body=last) | ast.ForEach(body=last) | ast.For(body=last) | ast.Loop(body=last):
            return _ends_open(last)
    return False


def _larger_statements(inner: st.SearchStrategy[ast.Statement]) -> st.SearchStrategy[ast.Statement]:
    blocks = st.builds(ast.Block, st.lists(inner, max_size=3).map(tuple))
    bodies = st.one_of(blocks, inner)
    whole = st.builds(ast.If, expressions, bodies, bodies).filter(lambda node: not _ends_open(node.then))
    reverse = st.none() | st.builds(ast.Reverse, st.none() | expressions, blocks)
    return st.one_of(
        blocks,
        whole,
        st.builds(ast.If, expressions, bodies),
        st.builds(ast.While, expressions, bodies),
        st.builds(ast.DoWhile, bodies, expressions),
        st.builds(ast.ForEach, st.booleans(), names, domains, bodies),
        st.builds(ast.For, st.none() | types, names, expressions, expressions, changes, bodies),
        st.builds(ast.Loop, names, expressions, expressions, expressions, bodies),
        st.builds(ast.FixedPoint, names, expressions, blocks),
        st.builds(ast.IterateInBFS, names, names, expressions, st.none() | expressions, blocks, reverse),
        st.builds(ast.Batch, names, expressions, blocks),
        st.builds(ast.OnUpdate, st.sampled_from(ast.UpdateKind), names, domains, blocks),
    )


_statements = st.recursive(_simple, _larger_statements, max_leaves=5)


@st.composite
def _a_statement(draw: st.DrawFn) -> ast.Statement:
    return draw(_statements)


statements = _a_statement()
_blocks = st.builds(ast.Block, st.lists(statements, max_size=3).map(tuple))
_defaults = st.one_of(st.none(), literals, st.builds(ast.Unary, st.sampled_from("+-"), literals))
_parameters = st.builds(ast.Parameter, types, names, st.booleans(), st.none() | names, _defaults)
_many_parameters = st.lists(_parameters, max_size=2).map(tuple)
_NAMED = [ast.FunctionKind.FUNCTION, ast.FunctionKind.STATIC, ast.FunctionKind.DYNAMIC]
_UNNAMED = [ast.FunctionKind.INCREMENTAL, ast.FunctionKind.DECREMENTAL]
_functions = st.one_of(
    st.builds(ast.Function, st.sampled_from(_NAMED), names, _many_parameters, _blocks),
    st.builds(
        ast.Function, st.sampled_from(_UNNAMED), st.none(), st.lists(_parameters, max_size=2).map(tuple), _blocks
    ),
)


def programs() -> st.SearchStrategy[ast.Program]:
    """Programs that can be written down and read back."""
    imports = st.lists(st.builds(ast.Import, texts), max_size=2).map(tuple)
    return st.builds(ast.Program, st.lists(_functions, max_size=2).map(tuple), imports)
