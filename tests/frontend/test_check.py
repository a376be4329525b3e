"""What the checker promises: normal forms of the typed tree, one message per mistake, speed."""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.frontend import typed, walk
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.frontend.typed import Combine
from starplat.frontend.types import Scalar, Void
from starplat.resources import error_page_folder
from starplat.source import SourceFile

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.sp"))
PAGES = sorted(p for p in error_page_folder().glob("*.md") if re.match(r"[EW]0[234]", p.stem))


def checked(text: str) -> typed.Program:
    source = SourceFile("test.sp", text)
    return check(parse(source), source)


def diagnostics(text: str) -> list[Diagnostic]:
    try:
        return list(checked(text).warnings)
    except DiagnosticError as error:
        return list(error.diagnostics)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics(text)]


HEAD = "function f(Graph g, propNode<int> p, propNode<float> x, propNode<bool> b, node src)"


def statements(body: str, head: str = HEAD) -> list[typed.Statement]:
    """All statements of a function, inner ones included."""
    program = checked(f"{head} {{ {body} }}")
    return [s for s in walk.statements(program.functions[0].body) if not isinstance(s, typed.Block)]


def last(body: str, head: str = HEAD) -> typed.Statement:
    return statements(body, head)[-1]


# --- whole programs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_no_complaints(path: Path) -> None:
    assert diagnostics(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_its_mistake_and_then_no_mistake(page: Path) -> None:
    wrong, right = re.findall(r"```\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert codes(right) == []
    if "…" not in wrong:
        assert set(codes(wrong)) == {page.stem}


def test_several_mistakes_give_several_messages_in_the_order_of_the_text() -> None:
    text = "function f(Graph g) {\n  int a = 1 < True;\n  b = 2;\n  g.foo();\n  return c;\n}"
    assert codes(text) == ["E0303", "E0201", "E0204", "E0201"]


def test_a_mistake_gives_no_follow_up() -> None:
    body = "propNode<int> q; int a = q + 1; int c = unknown(a); c += unknown(a) * 2; if (nothing) { nothing = c; }"
    assert codes(f"function f(Graph g) {{ {body} }}") == ["E0308", "E0205", "E0201"]


def test_twenty_thousand_lines_are_checked_in_seconds() -> None:
    body = "  forall (v in g.nodes()) {\n    int a = v.p + 1;\n    v.p = a;\n  }\n"
    head = "function f{}(Graph g, propNode<int> p) {{\n"
    text = "".join(head.format(i) + body * 24 + "}\n" for i in range(200))
    source = SourceFile("long.sp", text)
    program = parse(source)
    start = process_time()
    check(program, source)
    assert process_time() - start < 10


# --- assignments and reductions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "combine"),
    [
        ("n += 2;", Combine.ADD),
        ("n = n + 2;", Combine.ADD),
        ("n = 2 + n;", Combine.ADD),
        ("n++;", Combine.ADD),
        ("n--;", Combine.ADD),
        ("n -= 2;", Combine.ADD),
        ("n = n - 2;", Combine.ADD),
        ("n = n + 1 + g.num_nodes();", Combine.ADD),
        ("n = 3 * n;", Combine.MULTIPLY),
        ("n *= 3;", Combine.MULTIPLY),
        ("n = n | 4;", Combine.BIT_OR),
        ("n ^= 4;", Combine.BIT_XOR),
        ("flag = flag && n > 0;", Combine.AND),
        ("flag = n > 0 || flag;", Combine.OR),
        ("flag ||= n > 0;", Combine.OR),
    ],
)
def test_every_spelling_of_a_reduction_is_an_update(text: str, combine: Combine) -> None:
    made = last(f"int n = 0; bool flag = True; if (flag && n == 0) {{ src.p = n; }} {text}")
    assert isinstance(made, typed.Update)
    assert made.combine is combine
    assert made.place.type is made.value.type


@pytest.mark.parametrize("text", ["n = n + n;", "n += n;", "n = 2 - n;", "n /= 2;", "n = n / 2;", "n = n * 2 + 1;"])
def test_what_is_no_reduction_stays_an_assignment(text: str) -> None:
    assert isinstance(last(f"int n = 0; {text}"), typed.Assign)


def test_an_integer_is_not_reduced_in_reals() -> None:
    made = last("int n = 0; n = floor(n + 0.5);")
    assert isinstance(made, typed.Assign)


def test_a_subtraction_adds_the_negative() -> None:
    made = last("int n = 0; n -= g.num_nodes();")
    assert isinstance(made, typed.Update)
    assert isinstance(made.value, typed.Unary)


def test_an_accumulation_from_a_neighbors_cell_is_an_update() -> None:
    made = last("for (w in g.neighbors(src)) { src.p = src.p + w.p; }")
    assert isinstance(made, typed.Update)


def test_min_of_a_place_and_something_is_one_operation() -> None:
    made = last("int n = 0; n = min(g.num_nodes(), n);")
    assert isinstance(made, typed.AssignExtreme)
    assert made.candidate == typed.GraphQuery(made.candidate.graph, typed.Query.NUM_NODES, (), Scalar.INT)


@pytest.mark.parametrize("spelt", ["min(y, 0.5 - n)", "min(0.5 - n, y)", "min(y, 2.0 * n - 0.5)"])
def test_min_of_a_float_and_a_double_is_one_operation(spelt: str) -> None:
    made = last(f"int n = 3; float y = 4; y = {spelt};")
    assert isinstance(made, typed.AssignExtreme)
    assert made.candidate.type is Scalar.FLOAT


def test_min_of_an_integer_and_a_real_is_none() -> None:
    assert isinstance(last("int n = 3; n = min(n, 0.5 - n);"), typed.Assign)
    assert isinstance(last("int n = 3; n = min(n, 0.5);"), typed.Assign)


def test_a_multi_assignment_carries_converted_values() -> None:
    made = last("for (w in g.neighbors(src)) { <w.x, w.p> = <Min(w.x, src.p + 1), src>; }")
    assert isinstance(made, typed.AssignExtreme)
    assert made.candidate.type is Scalar.FLOAT
    assert [carried.value.type for carried in made.carried] == [Scalar.INT]


# --- places --------------------------------------------------------------------------------------------------------


def test_the_three_spellings_of_a_cell_are_one() -> None:
    first, second, third = (s for s in statements("src.p = 1; p[src] = 1; g.p[src] = 1;"))
    assert first.place == second.place == third.place


def test_the_weight_is_the_property_of_that_name_where_there_is_one() -> None:
    body = "forall (e in g.edges()) { src.p += e.weight; }"
    loaded = last(body)
    given = last(body, "function f(Graph g, propNode<int> p, propEdge<int> weight, node src)")
    assert isinstance(loaded.value, typed.GraphWeight)
    assert isinstance(given.value, typed.Cell)


@pytest.mark.parametrize(
    ("domain", "arguments", "in_hand", "warned"),
    [
        ("neighbors(v)", "v, w", True, False),
        ("neighbors(v)", "w, v", False, False),
        ("nodes_to(v)", "w, v", True, False),
        ("nodes_to(v)", "v, w", True, True),
        ("inOutNbrs(v)", "v, w", False, False),
    ],
)
def test_the_arc_in_hand(domain: str, arguments: str, in_hand: bool, warned: bool) -> None:
    body = (
        f"forall (v in g.nodes()) {{ for (w in g.{domain}) {{ edge e = g.get_edge({arguments}); v.p += e.weight; }} }}"
    )
    program = checked(f"{HEAD} {{ {body} }}")
    edges = [s.value for s in walk.statements(program.functions[0].body) if isinstance(s, typed.Declare)]
    assert isinstance(edges[0], typed.ArcInHand) is in_hand
    assert ("W0302" in [d.code for d in program.warnings]) is warned


def test_an_arc_is_not_in_hand_once_the_loops_node_has_changed() -> None:
    body = "node v = src; for (w in g.neighbors(v)) { v = w; edge e = g.get_edge(v, w); v.p += e.weight; }"
    edges = [s.value for s in statements(body) if isinstance(s, typed.Declare)]
    assert isinstance(edges[1], typed.GraphQuery)


def test_the_direction_of_an_edge_is_known_when_it_is_compiled() -> None:
    body = "for (u in g.nodes_to(src)) { edge e = g.get_edge(u, src); src.p = e.dir; }"
    made = last(body)
    assert made.value == typed.Literal(0, Scalar.INT)


# --- conditions ----------------------------------------------------------------------------------------------------


def test_a_bare_property_in_a_filter_is_the_iterators_cell() -> None:
    loop = statements("forall (v in g.nodes().filter(b && p > 0)) { v.p = 1; }")[0]
    cells = [part for part in walk.within(loop.filter) if isinstance(part, typed.Cell)]
    assert [cell.index.symbol for cell in cells] == [loop.iterator, loop.iterator]


def test_a_fixed_points_condition_speaks_of_its_hidden_node() -> None:
    loop = statements("fixedPoint until (done : !b) { src.b = False; }")[0]
    assert isinstance(loop, typed.FixedPoint)
    assert loop.flag.role is typed.Role.FLAG
    assert loop.condition.operand.index.symbol is loop.node


def test_a_fixed_points_flag_may_be_declared_before() -> None:
    made = statements("bool done = False; fixedPoint until (done : !b) { src.b = False; }")
    assert made[1].flag is made[0].symbol


# --- types ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("long a = INF", typed.Infinity(Scalar.LONG)),
        ("float a = -INF", typed.Infinity(Scalar.FLOAT, negative=True)),
        ("node a = -1", typed.Literal(-1, Scalar.NODE)),
        ("float a = 1", typed.Literal(1.0, Scalar.FLOAT)),
        ("int a = 2.0", typed.Literal(2, Scalar.INT)),
        ("int a = -2147483648", typed.Literal(-2147483648, Scalar.INT)),
    ],
)
def test_constants_take_the_type_they_are_needed_in(expression: str, value: typed.Expression) -> None:
    assert statements(f"{expression}; src.p = a == a ? 1 : 0;")[0].value == value


def test_a_constant_beside_a_float_is_a_float() -> None:
    made = last("src.x = 0.85 * src.x + 1;")
    assert {scalar.type for scalar in walk.within(made.value)} <= {Scalar.FLOAT, Scalar.NODE}


def test_other_conversions_are_spelt_out() -> None:
    made = last("double d = src.p; src.x = d * src.p;")
    assert isinstance(made.value, typed.Convert)
    assert made.value.operand.right.type is Scalar.DOUBLE


def test_returns_meet_in_one_type() -> None:
    program = checked("function f(Graph g, node v) { if (v == 0) { return 1; } return g.num_edges() * 0.5; }")
    function = program.functions[0]
    returns = [s.value for s in walk.statements(function.body) if isinstance(s, typed.Return)]
    assert function.result is Scalar.DOUBLE
    assert {value.type for value in returns} == {Scalar.DOUBLE}


def test_a_function_without_a_value_returns_nothing() -> None:
    assert (
        checked("function f(Graph g, propNode<int> p) { g.attachNodeProperty(p = 0); }").functions[0].result
        is Void.VOID
    )


def test_a_node_and_minus_one_return_a_node() -> None:
    program = checked("function f(Graph g) { for (v in g.nodes()) { return v; } return -1; }")
    assert program.functions[0].result is Scalar.NODE


def test_inf_that_cannot_overflow_is_allowed() -> None:
    assert codes(f"{HEAD} {{ g.attachNodeProperty(x = INF + 1.0, p = INF - 1); src.b = INF / 2 > 0; }}") == []


@pytest.mark.parametrize("text", ["INF + 1", "INF * 2", "-INF - 1", "2147483647 + 1"])
def test_constants_that_overflow_are_refused(text: str) -> None:
    assert codes(f"{HEAD} {{ src.p = {text}; src.x = 0; src.b = True; g.num_nodes(); }}")[0] == "E0305"


# --- functions -----------------------------------------------------------------------------------------------------


def test_defaults_are_filled_in_and_references_are_symbols() -> None:
    program = checked(
        "function add(int & total, int by = 2) { total += by; }"
        "function main(Graph g) { int n = g.num_nodes(); add(n); return n; }"
    )
    call = next(s.call for s in walk.statements(program.functions[1].body) if isinstance(s, typed.CallStatement))
    assert isinstance(call.arguments[0], typed.Symbol)
    assert call.arguments[1] == typed.Literal(2, Scalar.INT)


def test_functions_may_be_defined_after_their_callers() -> None:
    program = checked("function main(int n) { return half(n); } function half(int n) { return n / 2; }")
    assert [function.name for function in program.functions] == ["main", "half"]
    assert program.functions[0].result is Scalar.INT


def test_parallel_depth_counts_the_foralls_around() -> None:
    made = statements(
        "int a = 0; forall (v in g.nodes()) { int c = a; forall (w in g.neighbors(v)) { int d = c; w.p = d; } }"
    )
    depths = {s.symbol.name: s.symbol.parallel_depth for s in made if isinstance(s, typed.Declare)}
    assert depths == {"a": 0, "c": 1, "d": 2}


# --- loops ---------------------------------------------------------------------------------------------------------


def test_a_loop_leaves_out_its_end() -> None:
    loop = statements("loop (i in 0 to 10 by 2) { src.p = i; }")[0]
    assert isinstance(loop, typed.CountedLoop)
    assert loop.condition.operator is typed.Operator.LESS


def test_a_for_over_a_variable_declared_before_does_not_declare_it() -> None:
    made = statements("int i; for (i = 0; i < 3; i++) { src.p = i; }")
    assert isinstance(made[1], typed.CountedLoop)
    assert not made[1].declares


def test_a_variable_set_on_one_branch_only_counts_as_unset() -> None:
    unset = "int a; if (src.b) { a = 1; } src.p = a;"
    both = "int a; if (src.b) { a = 1; } else { a = 2; } src.p = a;"
    assert codes(f"function f(propNode<int> p, propNode<bool> b, node src) {{ {unset} }}") == ["W0402"]
    assert codes(f"function f(propNode<int> p, propNode<bool> b, node src) {{ {both} }}") == []


# --- what only later targets run -----------------------------------------------------------------------------------

DYNAMIC = """
Incremental(Graph g, propNode<int> dist, propNode<bool> modified) {
  fixedPoint until (done : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) { <w.dist, w.modified> = <Min(w.dist, v.dist + 1), True>; }
    }
  }
}
Dynamic main(Graph g, updates<g> U, propNode<int> dist, int size) {
  Batch (U : size) {
    propNode<bool> modified;
    g.attachNodeProperty(modified = False);
    OnDelete (u in U.currentBatch(0)) : { node d = u.destination; d.dist = INF; d.modified = True; }
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    g.propagateNodeFlags(modified);
    Incremental(g, dist, modified);
  }
}
"""


def test_dynamic_programs_are_taken_apart() -> None:
    program = checked(DYNAMIC)
    kinds = (typed.TakeBatch, typed.EndBatch, typed.ChangeGraph)
    marked = [type(s).__name__ for s in walk.statements(program.function("main").body) if isinstance(s, kinds)]
    assert marked == ["TakeBatch", "ChangeGraph", "ChangeGraph", "EndBatch"]
    parts = [symbol.name for symbol in program.function("main").parameters]
    assert parts[1:8] == ["U_adds", "U_sources", "U_destinations", "U_weights", "U_first", "U_end", "U_kind"]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("u.destination", "u.destinatoin", "E0211"),
        ("currentBatch(0)", "currentBatch(dist)", "E0308"),
        ("currentBatch", "curentBatch", "E0204"),
        ("updateCSRDel(U)", "updateCSRDel(dist)", "E0315"),
        ("Batch (U", "Batch (dist", "E0412"),
    ],
)
def test_mistakes_in_dynamic_programs_are_found(before: str, after: str, code: str) -> None:
    assert code in codes(DYNAMIC.replace(before, after))


def test_a_filter_asks_the_arcs_of_the_graph_as_it_is_in_every_batch() -> None:
    changed = "g.updateCSRAdd(U); forall (e in g.edges().filter(mark > 2)) { e.mark = 0; }"
    text = DYNAMIC.replace("g.updateCSRAdd(U);", changed).replace("int size)", "propEdge<int> mark, int size)")
    assert checked(text).functions


def test_collections_that_cannot_run_are_checked_and_marked() -> None:
    body = (
        "list<list<int>> l; container<container<int>>(10) c; c[0].push(l.size()); nodeMap(int) m; for (i in m) { n++; }"
    )
    program = checked(f"function f(Graph g) {{ int n = 0; {body} return n + g.num_nodes(); }}")
    marked = [s.construct for s in walk.statements(program.functions[0].body) if isinstance(s, typed.Unsupported)]
    assert marked == [
        "list<list<int>>",
        "container<container<int>>(10)",
        "list.push",
        "nodeMap(int)",
        "for over a nodeMap",
    ]


def test_lists_are_checked() -> None:
    body = "list<int> l; l.push(3); container<int>(10, 0) c; c[0] = l.size(); int n = c[1]; for (i in l) { n += i; }"
    program = checked(f"function f(Graph g) {{ {body} return n + g.num_nodes(); }}")
    inside = list(walk.statements(program.functions[0].body))
    changes = [(s.symbol.name, s.change.value) for s in inside if isinstance(s, typed.ChangeList)]
    assert changes == [("l", "push"), ("c", "resize")]
    assert any(isinstance(s, typed.ForEach) and isinstance(s.domain, typed.Items) for s in inside)
    assert codes("function f(Graph g) { list<int> l; l.push(g); l.psuh(1); }") == ["E0308", "E0204"]


WAITING = """function f(Graph g, propNode<bool> seen, propNode<int> d, node s) {{
  bool done = False;
  s.seen = True;
  s.d = 0;
  fixedPoint until (done : {condition}) {{
    forall (v in g.nodes().filter(seen)) {{
      {body}
    }}
  }}
}}"""


@pytest.mark.parametrize(
    ("condition", "body", "expected"),
    [
        ("seen", "forall (w in g.neighbors(v)) { w.seen = True; }", ["W0406"]),
        ("seen", "forall (w in g.neighbors(v)) { <w.d, w.seen> = <Min(w.d, v.d + 1), True>; }", ["W0406"]),
        ("seen", "v.seen = True;", []),
        ("!seen", "forall (w in g.neighbors(v)) { w.seen = True; }", []),
        ("d > 3", "forall (w in g.neighbors(v)) { if (v.d < w.d) { done = False; } }", []),
        ("d > 3", "v.seen = True;", ["E0405"]),
    ],
)
def test_how_a_fixed_point_ends(condition: str, body: str, expected: list[str]) -> None:
    assert codes(WAITING.format(condition=condition, body=body)) == expected


def test_a_property_that_decides_what_a_min_carries_is_used() -> None:
    text = """function f(Graph g, propNode<node> who) {{
      propNode<int> least;
      g.attachNodeProperty(least = INF);
      forall (v in g.nodes()) {{ forall (w in g.neighbors(v)) {{ {} }} }}
    }}"""
    assert codes(text.format("<w.least, w.who> = <Min(w.least, 2 * v), v>;")) == []
    assert "W0202" in codes(text.format("<w.least> = <Min(w.least, 2 * v)>; w.who = 1;"))
