"""What the parser accepts, the tree it makes, where it says nodes stand, and that mistakes are diagnostics."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError, Reporter
from starplat.frontend import ast
from starplat.frontend.parser import parse, tokens
from starplat.frontend.unparse import unparse
from starplat.source import SourceFile
from tests.strategies import programs

SSSP = """function sssp(Graph g, propNode<int> dist, propEdge<int, g> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}
"""


def program(text: str) -> ast.Program:
    return parse(SourceFile("test.sp", text))


def statement(text: str) -> ast.Statement:
    [function] = program(f"function f() {{ {text} }}").functions
    [found] = function.body.statements
    return found


def expression(text: str) -> ast.Expression:
    found = statement(f"x = {text};")
    assert isinstance(found, ast.Assignment)
    return found.value


def codes(text: str) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        program(text)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def complaints(text: str) -> list[str]:
    """The codes of what is wrong, which may be nothing."""
    try:
        program(text)
    except DiagnosticError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    return []


A, B, C = (ast.Identifier(name) for name in "abc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a-1", ast.Binary("-", A, ast.Integer(1))),
        ("a -1", ast.Binary("-", A, ast.Integer(1))),
        ("a - -1", ast.Binary("-", A, ast.Unary("-", ast.Integer(1)))),
        ("-a", ast.Unary("-", A)),
        ("a - b - c", ast.Binary("-", ast.Binary("-", A, B), C)),
        ("a || b && c", ast.Binary("||", A, ast.Binary("&&", B, C))),
        ("a & b == c", ast.Binary("&", A, ast.Binary("==", B, C))),
        ("-a.b", ast.Unary("-", ast.Attribute(A, ast.Name("b")))),
        ("-INF", ast.Unary("-", ast.Infinity())),
        ("INT_MAX", ast.Infinity()),
        ("1.0f", ast.Real(1.0, single=True)),
        (".5", ast.Real(0.5)),
        ("1e-6", ast.Real(1e-6)),
        ("9223372036854775808", ast.Integer(2**63)),
        ("a ? b : c ? a : b", ast.Conditional(A, B, ast.Conditional(C, A, B))),
        ("a(b = c)", ast.Call(A, (ast.Keyword(ast.Name("b"), C),))),
        (
            "in + to.filter",
            ast.Binary("+", ast.Identifier("in"), ast.Attribute(ast.Identifier("to"), ast.Name("filter"))),
        ),
    ],
)
def test_expressions(text: str, tree: ast.Expression) -> None:
    assert expression(text) == tree


@pytest.mark.parametrize(
    "text",
    [
        "propNode<list<int>> p;",
        "container<int>(n, 0) c; container<node> d; nodeMap(int) m; list l; updates<g> u; SetN<g> s; SetE<g> t;",
        "<a.b, c>=<Min(a.b, 3), True>;",
        "for (i = 0; i < 3; i++) x = 1; for (int i = 0; i < 3; i += 2) { }",
        "for (in in in) { } for (v in g.nodes()) { } loop (to in to to by by in) { }",
        "if (a) if (b) x = 1; else x = 2; else x = 3;",
        "do x++; while (x < 3);",
        "iterateInBFS (v in g.nodes() from s).filter(v != s) { } iterateInReverse (v != s) { }",
        "iterateInBFS (v in g.nodes() from s) { } iterateInReverse { }",
        "Batch (U : k) { OnAdd (u in U.currentBatch(1)): { } OnDelete (u in U.currentBatch()) { } Incremental(g); }",
        "int Batch = 3; Batch = filter; x = Batch(3);",
        "v.dist[3] = 1; dist[v] = 1; x &&= True;",
        "/**/ x /* a */ = // b\n 3;",
    ],
)
def test_statements_parse(text: str) -> None:
    text = f"function f() {{ {text} }}"
    assert program(text) == program(unparse(program(text)))


def test_every_kind_of_function_and_parameter() -> None:
    text = """Static s(Graph g, propNode<int> d(g), int & n, float x = -0.5, bool b = True) { }
    Dynamic d(propNode<int, g> p, long m = +INF) { } Incremental(Graph g) { } Decremental() { }"""
    static, dynamic, incremental, _ = program(text).functions
    assert static.parameters[1].graph == ast.Name("g")
    assert static.parameters[2].by_reference
    assert static.parameters[3].default == ast.Unary("-", ast.Real(0.5))
    assert dynamic.parameters[0].type.graph == ast.Name("g")
    assert incremental.name is None


def test_a_filter_is_split_from_its_domain() -> None:
    found = statement("forall (v in g.nodes().filter(a)) { }")
    assert isinstance(found, ast.ForEach)
    assert found.domain == ast.Domain(ast.Call(ast.Attribute(ast.Identifier("g"), ast.Name("nodes")), ()), A)


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_line_ends_and_marks_do_not_matter(ending: str) -> None:
    text = "\ufeff" + SSSP.strip().replace("\n", ending or "\n") + ending
    assert program(text) == program(SSSP)
    assert program("") == ast.Program(())


def test_spans_are_the_text_of_their_nodes() -> None:
    text = "function f(Graph g) {\n  x.y[2] = (a + b) * g(c, 1);\n  if (a) { } else b++;\n}\n"
    source = SourceFile("test.sp", text)
    [function] = parse(source).functions

    def written(node: ast.Syntax) -> str:
        return text[node.span.start : node.span.end]

    assignment, branch = function.body.statements
    assert isinstance(assignment, ast.Assignment)
    assert isinstance(assignment.value, ast.Binary)
    assert isinstance(branch, ast.If)
    assert written(function) == text.strip()
    assert written(function.parameters[0]) == "Graph g"
    assert written(assignment) == "x.y[2] = (a + b) * g(c, 1);"
    assert written(assignment.target) == "x.y[2]"
    assert written(assignment.value) == "(a + b) * g(c, 1)"
    assert written(assignment.value.left) == "(a + b)"
    assert written(assignment.value.right) == "g(c, 1)"
    assert written(branch) == "if (a) { } else b++;"


def test_tokens_are_named_and_placed() -> None:
    found = tokens(SourceFile("test.sp", "int x = 1.5; // c"))
    assert [(token.kind, token.text) for token in found] == [
        ("keyword", "int"),
        ("name", "x"),
        ("operator", "="),
        ("real", "1.5"),
        ("operator", ";"),
    ]
    assert found[3].span.start == 8


@pytest.mark.parametrize(
    "text",
    [
        "function f() { x = 1 }",
        "function f() { if (a = b) { } }",
        "function f() { x = ; }",
        "function f() { forall (v in ) { } }",
        "function f() { } }",
        "function f(int) { }",
        "function f() { x = 1.2.3; }",
        "function f() { x = a § b; }",
        "function f() { for (int i = 0, i < 3; i++) { } }",
        "function f() { while x { } }",
        "function f() { do { } x = 1; }",
        "function f() { g.nodes( }",
        "function f() { return return 1; }",
        "function f() { /* x = 1; }",
        "function f() { int 3x = 1; }",
    ],
)
def test_one_mistake_is_one_message(text: str) -> None:
    assert len(codes(text)) <= (2 if "/*" in text else 1)


def test_three_mistakes_are_three_messages() -> None:
    bad = SSSP.replace("!modified)", "!modified").replace("forall (v", "foral (v").replace("False);", "False)")
    assert codes(bad) == ["E0106", "E0107", "E0114"]
    reporter = Reporter(SourceFile("test.sp", bad))
    assert parse(reporter.source, reporter) == program(SSSP)
    assert len(reporter.errors) == 3


@pytest.mark.parametrize(
    "text",
    [
        "{" * 5000 + "}" * 5000,
        "x = " + "-" * 1 + "- " * 5000 + "a;",
        "x = a" + " + a" * 5000 + ";",
        "x = " + "f(" * 5000 + "a" + ")" * 5000 + ";",
        "if (a) x = 1; else " * 5000 + "x = 2;",
        "x = a" + ".b" * 5000 + ";",
        "x = " + "a ? b : " * 5000 + "c;",
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    assert codes(f"function f() {{ {text} }}") in (["E0111"], ["E0120", "E0111"])


def test_brackets_alone_do_not_nest() -> None:
    assert expression("(" * 5000 + "a" + ")" * 5000) == A


@pytest.mark.parametrize("text", ["(" * 3000, "{" * 3000, "function f() {" + "if (a) {" * 2000, "}" * 3000, "<" * 2000])
def test_unclosed_depths_are_diagnostics(text: str) -> None:
    assert codes(text)
    assert codes("function f() { x = " + text)


@given(programs(), st.randoms(use_true_random=False))
def test_spoilt_programs_give_diagnostics_only(right: ast.Program, random: Random) -> None:
    words = [token.text for token in tokens(SourceFile("", unparse(right) + SSSP))]
    for _ in range(random.randrange(1, 6)):
        place = random.randrange(len(words))
        match random.randrange(4):
            case 0:
                del words[place]
            case 1:
                words.insert(place, random.choice([*words, "$", "12ab", '"', "}", "{", "(", "for", "int"]))
            case 2:
                words[place] = random.choice(words)
            case _:
                other = random.randrange(len(words))
                words[place], words[other] = words[other], words[place]
    assert all(code.startswith("E01") for code in complaints(" ".join(words)))


@given(st.text())
def test_any_text_gives_diagnostics_only(text: str) -> None:
    assert all(code.startswith("E01") for code in complaints(text))


def test_parsing_is_fast_and_linear() -> None:
    text = SSSP * (20_000 // SSSP.count("\n"))
    program(SSSP)
    start = process_time()
    program(text)
    assert process_time() - start < 8
