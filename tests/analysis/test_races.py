"""Every written cell set gets the class that the language promises, with any names and in any order."""

from __future__ import annotations

import pytest

from starplat.analysis import Facts, analyse
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.source import SourceFile


def facts_of(text: str) -> Facts:
    source = SourceFile("test.sp", text)
    return analyse(check(parse(source), source))


def classes(body: str, *, parameters: str = "propNode<int> x, propNode<int> y, propNode<bool> flag") -> dict[str, str]:
    """The classes of the first parallel loop of a function with that body, by symbol."""
    facts = facts_of(f"function f(Graph g, {parameters}) {{\n{body}\n}}")
    return {cell.symbol.name: cell.race_class.value for cell in facts.functions[0].loops[0].cells}


NEIGHBORS = "forall (v in g.nodes()) {{ forall (w in g.neighbors(v)) {{ {} }} }}"


@pytest.mark.parametrize(
    ("statement", "symbol", "expected"),
    [
        ("v.x += w.y;", "x", "a"),
        ("v.x += w.y;", "y", "b"),
        ("w.x += v.y;", "x", "c"),
        ("w.x = w.x + v.y;", "x", "c"),
        ("w.x++;", "x", "c"),
        ("w.x *= 2;", "x", "c"),
        ("w.flag ||= v.y > 0;", "flag", "c"),
        ("<w.x> = <Min(w.x, v.y + 1)>;", "x", "d"),
        ("<w.x> = <Max(w.x, v.y + 1)>;", "x", "d"),
        ("if (v.y < w.x) { <w.x> = <Min(w.x, v.y)>; }", "x", "d"),
        ("if (v.y < w.x) { <w.x> = <Min(w.x, v.y)>; t += 1; }", "x", "f"),
        ("<w.x> = <Min(w.x, v.x + 1)>;", "x", "f"),
        ("<w.x> = <Max(w.x, v.x + 1)>;", "x", "f"),
        ("<w.x, w.flag> = <Min(w.x, v.y + 1), True>;", "flag", "e"),
        ("<w.x, w.y> = <Min(w.x, v.z + 1), v>;", "y", "d"),
        ("w.flag = True;", "flag", "e"),
        ("w.x = 7;", "x", "e"),
        ("w.x = v;", "x", "f"),
        ("w.x += 1; v.y = w.x;", "x", "f"),
        ("w.x += 1; w.x *= 2;", "x", "f"),
        ("<w.x> = <Min(w.x, v.y)>; w.x = 0;", "x", "f"),
        ("w.x = 7; v.y += w.x;", "x", "f"),
        ("if (w.x == 0) { w.x = 1; }", "x", "e"),
        ("if (w.x == 0) { w.x = 1; v.y += 1; }", "x", "f"),
    ],
)
def test_class_of_a_neighbor_statement(statement: str, symbol: str, expected: str) -> None:
    parameters = "propNode<int> x, propNode<int> y, propNode<int> z, propNode<bool> flag, int &t"
    assert classes(NEIGHBORS.format(statement), parameters=parameters)[symbol] == expected


ROUNDS = """
  x[s] = 0;
  flag[s] = True;
  {head} {{
    {first}
    forall (v in g.nodes(){filter}) {{
      forall (w in g.neighbors(v)) {{ {body} }}
    }}
    {last}
  }}"""
FLAGGED = {"head": "fixedPoint until (done : !flag)", "filter": ".filter(flag)", "first": "", "last": ""}
REPEATED = {"head": "while (more)", "filter": "", "first": "more = False;", "last": ""}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x + w.y), True>;"}, "d"),
        ({"body": "<w.x, w.flag> = <Max(w.x, v.x / 2), True>;"}, "d"),
        ({"body": "int near = v.x + 1; <w.x, w.flag> = <Min(w.x, near), True>;"}, "d"),
        ({"body": "if (v.x != INF) { <w.x, w.flag> = <Min(w.x, v.x + 1), True>; }"}, "d"),
        ({"body": "if (v.x == INF) { continue; } <w.x, w.flag> = <Min(w.x, v.x + 1), True>;"}, "d"),
        ({"body": "if (v.x + 1 < w.x) { <w.x> = <Min(w.x, v.x + 1)>; w.flag = True; }"}, "d"),
        ({"body": "<w.x, w.y, w.flag> = <Min(w.x, v.x + 1), (v.x + 1) * 3, True>;"}, "d"),
        ({"body": "<w.x, w.flag> = <Min(w.x, 10 - v.x), True>;"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x * w.y), True>;"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x % 7), True>;"}, "f"),
        ({"body": "if (v.x > 3) { <w.x, w.flag> = <Min(w.x, v.x + 1), True>; }"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>; t += v.x;"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;", "last": "forall (v in g.nodes()) { t += v.x; }"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;", "last": "x[s] = 5;"}, "f"),
        ({"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;", "filter": ".filter(x == round)"}, "f"),
        ({"body": "<w.x> = <Min(w.x, v.x + 1)>;", "last": "s.flag = False;"}, "f"),
        ({"body": "<w.x, v.flag> = <Min(w.x, v.x + 1), True>;"}, "f"),
        (REPEATED | {"body": "<w.x, more> = <Min(w.x, v.x + 1), True>;"}, "d"),
        (REPEATED | {"body": "<w.x, more> = <Min(w.x, v.x + 1), False>;"}, "f"),
        (REPEATED | {"body": "<w.x, more> = <Min(w.x, v.x + 1), True>;", "head": "while (more && round < 9)"}, "f"),
        (REPEATED | {"body": "<w.x> = <Min(w.x, v.x + 1)>;", "head": "for (int i = 0; i < 9; i++)"}, "f"),
        (REPEATED | {"body": "<w.x, more> = <Min(w.x, v.x + 1), True>;", "last": "more = False;"}, "f"),
        (REPEATED | {"body": "<w.x, more> = <Min(w.x, v.x + 1), True>;", "last": "more &&= round < 9;"}, "f"),
        (REPEATED | {"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;",
                     "last": "g.attachNodeProperty(flag = False); forall (v in g.nodes()) { more ||= v.flag; }"}, "f"),
        (REPEATED | {"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;",
                     "last": "forall (v in g.nodes()) { more ||= v.flag; } g.attachNodeProperty(flag = False);"}, "d"),
        (REPEATED | {"body": "<w.x, w.flag> = <Min(w.x, v.x + 1), True>;",
                     "first": "more = False; forall (v in g.nodes()) { v.flag = False; }",
                     "last": "forall (v in g.nodes()) { more ||= v.flag; }"}, "d"),
    ],
)  # fmt: skip
def test_rounds_that_go_on_until_nothing_changes_settle_monotone_cells(change: dict[str, str], expected: str) -> None:
    assert class_of_x(FLAGGED | change) == expected


@pytest.mark.parametrize(("body", "expected"), [("x[0] = 1 + more;", "d"), ("more = False;", "f")])
def test_a_function_may_take_a_flag_back(body: str, expected: str) -> None:
    text = f"""
    function f(Graph g, propNode<int> x, propNode<int> y) {{
      bool more = True;
      while (more) {{
        more = False;
        forall (v in g.nodes()) {{ forall (w in g.neighbors(v)) {{ <w.x, more> = <Min(w.x, v.x + 1), True>; }} }}
        look(y, more);
      }}
    }}
    function look(propNode<int> x, bool &more) {{ {body} }}"""
    cells = facts_of(text).function("f").loops[0].cells
    assert [c.race_class.value for c in cells if c.symbol.name == "x"] == [expected]


def class_of_x(parts: dict[str, str]) -> str:
    """The class of `x` in the loop of `ROUNDS` that lowers or raises it."""
    names = "propNode<int> x, propNode<int> y, propNode<bool> flag, node s, int &round, int &t, bool &more"
    text = f"bool done = False; {ROUNDS.format(**parts)}"
    facts = facts_of(f"function f(Graph g, {names}) {{\n{text}\n}}")
    found = [c for loop in facts.functions[0].loops for c in loop.cells if c.symbol.name == "x"]
    return next(c.race_class.value for c in found if any(a.extreme for a in c.accesses))


COMPARED = {
    "head": "while (more)",
    "filter": "",
    "first": "more = False; y = x;",
    "body": "w.x = Min(w.x, v.x + 1);",
    "last": "forall (v in g.nodes()) { if (v.x != v.y) { more = True; } }",
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "d"),
        ({"first": "more = False; forall (v in g.nodes()) { v.y = v.x; }"}, "d"),
        ({"last": "forall (v in g.nodes().filter(x < y)) { more = True; }"}, "d"),
        ({"last": "forall (v in g.nodes()) { more ||= v.y > v.x; }"}, "d"),
        ({"last": "forall (v in g.nodes()) { more ||= v.y < v.x; }"}, "f"),
        ({"last": "forall (v in g.nodes()) { if (v.x != v.y) { more = False; } }"}, "f"),
        ({"last": "forall (v in g.nodes()) { if (v.x != v.y) { more = True; t += 1; } }"}, "f"),
        ({"last": "forall (v in g.nodes()) { if (v.x != v.y) { more = True; v.x = 0; } }"}, "f"),
        ({"last": "forall (v in g.nodes().filter(flag)) { if (v.x != v.y) { more = True; } }"}, "f"),
        ({"last": COMPARED["last"] + " more = False;"}, "f"),
        ({"last": "y = x; " + COMPARED["last"]}, "f"),
        ({"first": "more = False;", "last": COMPARED["last"] + " y = x;"}, "f"),
        ({"body": "w.x = Min(w.x, v.y + 1);"}, "d"),
    ],
)
def test_a_loop_may_compare_with_a_copy_what_a_round_changed(change: dict[str, str], expected: str) -> None:
    assert class_of_x(COMPARED | change) == expected


HOOKS = """
function components(Graph g, propNode<node> c) {{
  forall (v in g.nodes()) {{ v.c = {start}; }}
  bool more = True;
  while (more) {{
    more = False;
    forall (e in g.edges()) {{
      node a = e.source.c;
      node b = e.destination.c;
      if (a != b) {{ more = True; <a.c> = <Min(a.c, b)>; {other} }}
    }}
    forall (v in g.nodes()) {{ <v.c> = <Min(v.c, {jump})>; }}
  }}
}}"""


@pytest.mark.parametrize(
    ("change", "expected"),
    [({}, {"d"}), ({"start": "g.num_nodes() - v"}, {"f"}), ({"other": ""}, {"f"}), ({"jump": "v.c / 2"}, {"a", "f"})],
)
def test_labels_that_hook_and_jump_find_the_least_of_their_component(
    change: dict[str, str], expected: set[str]
) -> None:
    given = {"start": "v", "other": "<b.c> = <Min(b.c, a)>;", "jump": "v.c.c"}
    loops = facts_of(HOOKS.format(**given | change)).functions[0].loops
    assert {c.race_class.value for loop in loops[1:] for c in loop.cells if c.symbol.name == "c"} == expected


SPREAD = """
function components(Graph g, propNode<int> c, propNode<bool> on) {{
  forall (v in g.nodes()) {{ v.c = v; }}
  bool more = True;
  while (more) {{
    more = False;
    forall (v in g.nodes(){filter}) {{
      {first}
      forall (w in g.{domain}(v)) {{ {hook} }}
    }}
    forall (v in g.nodes()) {{ {jump} }}
    {last}
  }}
}}"""
ROOTS = "node a = v.c; node b = w.c; if (a < b) { b.c = Min(b.c, a); more = True; }"
CHANGING = "forall (v in g.nodes()) { v.on = v.c == v; }"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "dd"),
        ({"domain": "inOutNbrs"}, "dd"),
        ({"jump": "v.c = Min(v.c, v.c.c);"}, "dd"),
        ({"jump": "node p = v.c; v.c = Min(v.c, p.c);"}, "dd"),
        ({"jump": "while (v.c != v.c.c) { v.c = v.c.c; }"}, "dd"),
        ({"filter": ".filter(on)"}, "dd"),
        ({"hook": "node a = v.c; if (a < w.c) { <w.c, more> = <Min(w.c, a), True>; }"}, "dd"),
        ({"domain": "inOutNbrs", "hook": ROOTS}, "dd"),
        ({"hook": ROOTS}, "ff"),
        ({"domain": "inOutNbrs", "hook": ROOTS, "filter": ".filter(on)"}, "ff"),
        ({"domain": "inOutNbrs", "hook": ROOTS.replace("a < b", "a < b && b == b.c")}, "ff"),
        ({"filter": ".filter(on)", "last": CHANGING}, "ff"),
        ({"first": "<v.c> = <Min(v.c, v.c.c)>;", "domain": "inOutNbrs"}, "ff"),
        ({"hook": "if (v.c == w) { <w.c, more> = <Min(w.c, v.c), True>; }"}, "ff"),
        ({"last": "more = False;"}, "ff"),
    ],
)
def test_labels_that_follow_labels_end_as_the_least_that_leads_to_a_node(change: dict[str, str], expected: str) -> None:
    hook = "if (v.c < w.c) { <w.c, more> = <Min(w.c, v.c), True>; }"
    given = {"filter": "", "first": "", "domain": "neighbors", "hook": hook, "jump": "v.c = v.c.c;", "last": ""}
    loops = facts_of(SPREAD.format(**given | change)).functions[0].loops
    found = [c.race_class.value for loop in loops[1:] for c in loop.cells if c.symbol.name == "c"]
    assert "".join(found[:2]) == expected


def test_what_every_iteration_writes_for_itself_is_not_called_written_by_several() -> None:
    (warning,) = facts_of("function f(Graph g, propNode<node> p) { forall (v in g.nodes()) { v.p = v.p.p; } }").warnings
    assert warning.message == "race on property 'p': other iterations read the cell, before or after it is written"
    assert [label.text for label in (warning.place, *warning.related) if label is not None] == [
        "written by its own iteration",
        "read here",
        "iterations of 'v' run at once",
    ]


@pytest.mark.parametrize(("differ", "expected"), [("a != b", {"d"}), ("a < b", {"f"}), ("a != b && a.c == a", {"f"})])
def test_hooks_that_leave_arcs_out_by_what_labels_say_settle_nothing(differ: str, expected: set[str]) -> None:
    text = HOOKS.format(start="v", other="<b.c> = <Min(b.c, a)>;", jump="v.c.c").replace("a != b", differ)
    loops = facts_of(text).functions[0].loops
    assert {c.race_class.value for loop in loops[1:] for c in loop.cells if c.symbol.name == "c"} == expected


def test_arcs_belong_to_one_end_only() -> None:
    body = NEIGHBORS.format("edge e = g.get_edge(v, w); e.used = v.x > w.x;")
    assert classes(body, parameters="propNode<int> x, propEdge<bool> used")["used"] == "a"


def test_a_neighbor_of_one_node_may_come_twice() -> None:
    body = "forall (w in g.neighbors(s)) { w.x = w; }"
    assert classes(body, parameters="propNode<int> x, node s")["x"] == "f"


def test_an_alias_of_the_iterator_is_its_own() -> None:
    assert classes("forall (v in g.nodes()) { node u = v; u.x = u.x * u.x + 1; }")["x"] == "a"


def test_a_reassigned_alias_is_not() -> None:
    assert classes("forall (v in g.nodes()) { node u = v; u = 0; u.x = v; }")["x"] == "f"


@pytest.mark.parametrize(
    ("update", "expected"), [("t += v.x;", "c"), ("t = v.x;", "f"), ("<t> = <Min(t, v.x)>;", "d"), ("t = 3;", "e")]
)
def test_outer_scalar(update: str, expected: str) -> None:
    assert classes(f"int t = 0; forall (v in g.nodes()) {{ {update} }} x[0] = t;")["t"] == expected


def test_levels_of_a_search_do_not_meet() -> None:
    text = """
    function f(Graph g, propNode<double> sigma, node s) {
      g.attachNodeProperty(sigma = 0.0);
      s.sigma = 1.0;
      iterateInBFS (v in g.nodes() from s) {
        forall (w in g.neighbors(v)) { w.sigma += v.sigma; }
      }
    }"""
    facts = facts_of(text)
    assert {cell.race_class.value for cell in facts.functions[0].loops[0].cells} == {"b", "c"}
    assert not facts.warnings


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("w.x = v.x + 1;", "e"),
        ("int near = v.x * 2 + k; w.x = near;", "e"),
        ("w.y = v.x; w.x = v.x + 1;", "e"),
        ("w.x = v.y + 1;", "f"),
        ("w.x = v.x + v;", "f"),
        ("if (w.y > 3) { w.x = v.x + 1; }", "f"),
    ],
)
def test_functions_of_the_level_alone_are_common_values(body: str, expected: str) -> None:
    search = f"iterateInBFS (v in g.nodes() from s) {{ forall (w in g.neighbors(v)) {{ {body} }} }}"
    names = "propNode<int> x, propNode<int> y, node s, int k"
    facts = facts_of(f"function f(Graph g, {names}) {{ {search} }}")
    loops = facts.functions[0].loops
    found = {c.race_class.value for loop in loops for c in loop.cells if c.symbol.name == "x" and "next" in c.where}
    assert found == {expected}


PULLING = "for (u in g.nodes_to(v).filter(flag)) {{ v.y += u.x; v.flag = {}; }}"


@pytest.mark.parametrize(
    ("loop", "value", "expected"),
    [
        ("fixedPoint until (f : !flag)", "True", "e"),
        ("fixedPoint until (f : !flag)", "v > 3", "f"),
        ("fixedPoint until (f : flag)", "True", "f"),
        ("fixedPoint until (f : !other)", "True; v.other = True", "f"),
        ("while (k > 0)", "True", "f"),
    ],
)
def test_a_read_of_a_fixed_points_flag_sees_the_beginning_of_the_round(loop: str, value: str, expected: str) -> None:
    names = "propNode<int> x, propNode<int> y, propNode<bool> flag, propNode<bool> other, int k"
    body = f"{loop} {{ forall (v in g.nodes()) {{ {PULLING.format(value)} }} }}"
    assert classes(body, parameters=names)["flag"] == expected


def test_calls_are_followed() -> None:
    text = """
    function f(Graph g, propNode<int> x) {
      forall (v in g.nodes()) { forall (w in g.neighbors(v)) { put(x, w, v); } }
    }
    function put(propNode<int> p, node where, int what) { where.p = what; }"""
    loop = facts_of(text).function("f").loops[0]
    assert {c.symbol.name: c.race_class.value for c in loop.cells} == {"x": "f"}


def test_races_name_both_lines() -> None:
    loops = "forall (v in g.nodes()) {\n  forall (w in g.neighbors(v)) {\n   w.x = v;\n  }\n }"
    facts = facts_of(f"function f(Graph g, propNode<int> x) {{\n {loops}\n}}")
    (warning,) = facts.warnings
    assert warning.code == "W0501"
    assert warning.place is not None
    lines = {facts.program.source.position(label.span.start)[0] for label in (warning.place, *warning.related)}
    assert lines == {2, 4}
