"""Labels that spread unchanged along arcs and against them reach one text of operators, however that is written."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.operators.canonical.form import canonical
from starplat.operators.canonical.frontiers import over_frontiers
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

_START = """
function f(Graph g, propNode<int> c) {
  forall (v in g.nodes()) { v.c = v; }
"""
_FLAGGED = """
function f(Graph g, propNode<int> c) {
  propNode<bool> on;
  forall (v in g.nodes()) { v.c = v; }
  g.attachNodeProperty(on = True);
"""
COMPONENTS = f"""{_FLAGGED}
  fixedPoint until (done : !on) {{
    forall (v in g.nodes().filter(on == True)) {{
      forall (w in g.neighbors(v)) {{ <w.c, w.on> = <Min(w.c, v.c), True>; }}
      forall (u in g.nodes_to(v)) {{ <u.c, u.on> = <Min(u.c, v.c), True>; }}
    }}
  }}
}}
"""
SPELLINGS = {
    "both neighbors": f"""{_FLAGGED}
  fixedPoint until (done : !on) {{
    forall (v in g.nodes().filter(on == True)) {{
      forall (w in g.inOutNbrs(v)) {{ <w.c, w.on> = <Min(w.c, v.c), True>; }}
    }}
  }}
}}
""",
    "a loop over nodes for each way": f"""{_FLAGGED}
  fixedPoint until (done : !on) {{
    forall (v in g.nodes().filter(on == True)) {{
      forall (u in g.nodes_to(v)) {{ <u.c, u.on> = <Min(u.c, v.c), True>; }}
    }}
    forall (v in g.nodes().filter(on == True)) {{
      forall (w in g.neighbors(v)) {{ <w.c, w.on> = <Min(w.c, v.c), True>; }}
    }}
  }}
}}
""",
    "the flag is set beside the label": """
function f(Graph g, propNode<int> c) {
  propNode<bool> on;
  forall (v in g.nodes()) { v.c = v; v.on = True; }
  fixedPoint until (done : !on) {
    forall (v in g.nodes().filter(on == True)) {
      forall (w in g.inOutNbrs(v)) { <w.c, w.on> = <Min(w.c, v.c), True>; }
    }
  }
}
""",
    "the own number beside the label": f"""{_FLAGGED}
  fixedPoint until (done : !on) {{
    forall (v in g.nodes().filter(on == True)) {{
      forall (w in g.inOutNbrs(v)) {{ <w.c, w.on> = <Min(w.c, min(v.c, v)), True>; }}
    }}
  }}
}}
""",
    "arcs until nothing changes": f"""{_START}
  bool changed = True;
  while (changed) {{
    changed = False;
    forall (e in g.edges()) {{
      node a = e.source;
      node b = e.destination;
      if (a.c < b.c) {{ b.c = a.c; changed = True; }}
      if (b.c < a.c) {{ a.c = b.c; changed = True; }}
    }}
  }}
}}
""",
}

TWO_BUFFERS = """
function f(Graph g, propNode<int> c) {
  propNode<int> next;
  forall (v in g.nodes()) { v.c = v; }
  next = c;
  bool more = True;
  while (more) {
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) { <w.next> = <Min(w.next, v.c)>; }
    }
    more = False;
    forall (v in g.nodes()) {
      if (v.next != v.c) { v.c = v.next; more = True; }
    }
  }
}
"""
ROUNDS = """
function f(Graph g, propNode<int> c) {
  forall (v in g.nodes()) { v.c = v; }
  for (int i = 0; i < g.num_nodes(); i++) {
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        w.c = Min(w.c, v.c);
        v.c = Min(v.c, w.c);
      }
    }
  }
}
"""
GUARDED = """
function f(Graph g, propNode<int> c) {
  propNode<bool> on;
  forall (v in g.nodes()) { v.c = v; v.on = True; }
  long left = g.num_nodes();
  while (left > 0) {
    propNode<bool> later;
    g.attachNodeProperty(later = False);
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a != b && a.c != b.c) {
        if (a.on) { <b.c, b.later> = <Min(b.c, a.c), True>; }
        if (b.on) { <a.c, a.later> = <Min(a.c, b.c), True>; }
      }
    }
    on = later;
    left = Count(on);
  }
}
"""
SPELLINGS |= {
    "two buffers": TWO_BUFFERS,
    "two buffers, begun alike": TWO_BUFFERS.replace("v.c = v;", "v.c = v; v.next = v;").replace("  next = c;\n", ""),
    "two buffers, copied in each round": TWO_BUFFERS.replace("  next = c;\n", "").replace(
        "while (more) {", "while (more) { next = c;"
    ),
    "two buffers, the better taken": TWO_BUFFERS.replace("v.next != v.c", "v.next < v.c"),
    "two buffers, nothing offered at first": TWO_BUFFERS.replace(
        "  next = c;\n", "  g.attachNodeProperty(next = INF);\n"
    ).replace("v.next != v.c", "v.next < v.c"),
    "two buffers, reset first": TWO_BUFFERS.replace("    more = False;\n", "").replace(
        "while (more) {", "while (more) { more = False;"
    ),
    "as many rounds as nodes": ROUNDS,
    "as many rounds as nodes, two buffers": TWO_BUFFERS.replace("  bool more = True;\n", "")
    .replace("while (more)", "for (int i = 0; i < g.num_nodes(); i++)")
    .replace("    more = False;\n", "")
    .replace("more = True;", ""),
    "guards, and a count of flags": GUARDED,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_has_the_operators_of_the_canonical_one(spelling: str) -> None:
    assert operators_of(SPELLINGS[spelling]) == operators_of(COMPONENTS)


def test_a_loop_says_that_it_is_union_find() -> None:
    def said(text: str) -> list[str]:
        checked = pipeline.check(SourceFile("labels.sp", text))
        return [line.strip() for line in pipeline.operators(checked).splitlines() if "union-find" in line]

    one_way = COMPONENTS.replace("forall (u in g.nodes_to(v)) { <u.c, u.on> = <Min(u.c, v.c), True>; }", "")
    assert said(COMPONENTS) == ["union-find: every node gets the smallest c of its component"]
    assert said(one_way) == ["union-find: every node gets the smallest c of all that reach it"]
    assert said(one_way.replace("Min(w.c, v.c)", "Min(w.c, v.c + 1)")) == []


def test_the_canonical_one_stays_as_it_is() -> None:
    program = pipeline.check(SourceFile("components.sp", COMPONENTS)).facts.program
    assert canonical(program, "f") is program


_ROUND = "forall (w in g.inOutNbrs(v)) { <w.c, w.on> = <Min(w.c, v.c), True>; }"
NEAR = {
    "another value than the own number": ("Min(w.c, v.c)", "Min(w.c, min(v.c, w))"),
    "a value that grows": ("Min(w.c, v.c)", "Min(w.c, v.c + 1)"),
    "not along every arc": (_ROUND, f"if (v % 2 == 1) {{ {_ROUND} }}"),
    "one way only": ("g.inOutNbrs(v)", "g.nodes_to(v)"),
}


KEPT = {
    "two buffers, not alike at first": (TWO_BUFFERS, "  next = c;\n", "  g.attachNodeProperty(next = INF);\n"),
    "two buffers, all offered at first": (
        TWO_BUFFERS.replace("v.next != v.c", "v.next < v.c"),
        "  next = c;\n",
        "  g.attachNodeProperty(next = 2);\n",
    ),
    "two buffers, one offered at first": (
        TWO_BUFFERS.replace("v.next != v.c", "v.next < v.c"),
        "  next = c;\n",
        "  g.attachNodeProperty(next = INF);\n  for (v in g.nodes()) { if (v == 3) { v.next = 0; } }\n",
    ),
    "two buffers, another changed in between": (
        TWO_BUFFERS,
        "next = c;\n",
        "next = c;\n  c = next; g.attachNodeProperty(c = 0);\n",
    ),
    "two buffers, some nodes kept": (TWO_BUFFERS, "v.next != v.c", "v % 2 == 0 && v.next != v.c"),
    "two buffers, the worse taken": (TWO_BUFFERS, "v.next != v.c", "v.next > v.c"),
    "two buffers, another node's taken": (TWO_BUFFERS, "v.c = v.next; more", "v.next = v.c; more"),
    "two buffers, the news forgotten": (TWO_BUFFERS, "= True; }\n    }", "= True; }\n    }\n    more = False;"),
    "half as many rounds": (ROUNDS, "i < g.num_nodes()", "i < g.num_nodes() / 2"),
    "rounds that count themselves": (ROUNDS, "Min(w.c, v.c)", "Min(w.c, v.c + i)"),
    "a guard that may begin to hold": (GUARDED, "a != b &&", "a.c != 3 &&"),
    "a guard on another value": (GUARDED, "a.c != b.c", "a.c != b"),
    "no round for one node": (GUARDED, "left > 0", "left > 1"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_only_looks_alike_keeps_its_loop(name: str) -> None:
    text, before, after = KEPT[name]
    assert before in text
    near = operators_of(text.replace(before, after))
    assert "is empty" not in near
    assert near != operators_of(COMPONENTS)


@pytest.mark.parametrize("offered", ["max(v.c, v.next)", "v.next"])
def test_offers_of_the_round_before_are_read_as_they_are(offered: str) -> None:
    text = changed(
        TWO_BUFFERS,
        ("  next = c;", "  g.attachNodeProperty(next = INF);"),
        ("v.next != v.c", "v.next < v.c"),
        ("Min(w.next, v.c)", f"Min(w.next, {offered})"),
    )
    assert_as_written(text, (UGLY["ladder"],))


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_loop(name: str) -> None:
    text = SPELLINGS["both neighbors"]
    before, after = NEAR[name]
    assert before in text
    near = text.replace(before, after)
    program = pipeline.check(SourceFile("near.sp", near)).facts.program
    (function,) = program.functions
    assert over_frontiers(function.body, program, frozenset(function.parameters)) is function.body
    assert operators_of(near) != operators_of(COMPONENTS)


def test_the_own_number_counts_only_where_labels_begin_with_it() -> None:
    own = SPELLINGS["the own number beside the label"]
    assert "min min(" not in operators_of(own)
    assert "min min(" in operators_of(own.replace("v.c = v;", "v.c = 3 * v;"))


HOOKS = """
function f(Graph g, propNode<int> least) {
  propNode<node> c;
  forall (v in g.nodes()) { v.c = v; }
  bool more = True;
  while (more) {
    more = False;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      node of_a = a.c;
      node of_b = b.c;
      if (of_a < of_b) { of_b.c = Min(of_b.c, of_a); b.c = Min(b.c, of_a); more = True; }
      if (of_b < of_a) { of_a.c = Min(of_a.c, of_b); a.c = Min(a.c, of_b); more = True; }
    }
    forall (v in g.nodes()) { node label = v.c; v.c = Min(v.c, label.c); }
  }
  forall (v in g.nodes()) { v.least = v.c; }
}
"""
OTHERS = {
    "ends with another name": [],
    "an arc is left out": [("if (of_a < of_b)", "if (a != 2 && of_a < of_b)")],
    "another node in place of an end": [("node of_a =", "if (a == 2) { a = 0; } node of_a =")],
    "the same end twice": [("node b = e.destination", "node b = e.source")],
    "one way only": [("if (of_b < of_a)", "if (of_b < of_a && of_a < of_b)")],
    "no word of what one end gets": [("b.c = Min(b.c, of_a); more = True;", "b.c = Min(b.c, of_a);")],
    "some begin alike": [("v.c = v; }", "v.c = v; if (v == 4) { v.c = 0; } }")],
}


@pytest.mark.parametrize("name", OTHERS)
def test_locals_may_name_the_ends_of_an_arc_whose_labels_hook(name: str) -> None:
    text = changed(HOOKS, *OTHERS[name])
    checked = pipeline.check(SourceFile("labels.sp", text))
    assert ("union-find" in pipeline.operators(checked)) is (not OTHERS[name])
    assert_as_written(text, (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))


COMPARED_WITH_BEFORE = """
function f(Graph g, propNode<int> least) {
  propNode<node> c;
  propNode<node> old;
  forall (v in g.nodes()) { v.c = v; }
  bool more = True;
  while (more) {
    old = c;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      node low = min(a.old, b.old);
      node above = a.old;
      a.c = Min(a.c, low);
      b.c = Min(b.c, low);
      above.c = Min(above.c, low);
    }
    more = False;
    forall (v in g.nodes()) { if (v.c != v.old) { more = True; } }
  }
  forall (v in g.nodes()) { v.least = v.c; }
}
"""
FROM_BEFORE = {
    "every label that was sent": [],
    "one of the two ends": [("      b.c = Min(b.c, low);\n", "")],
    "the worse of two": [("min(a.old, b.old)", "max(a.old, b.old)")],
    "a label that rises again": [("    more = False;", "    forall (v in g.nodes()) { v.c = v.old; } more = False;")],
    "another node's difference": [("v.c != v.old", "v.c != v.old && v % 2 == 0")],
    "copied in the middle": [("    more = False;\n", "    more = False; old = c;\n")],
    "news forgotten": [("more = True; } }\n", "more = True; } }\n    more = False;\n")],
    "some arcs": [("      a.c =", "      if (a == 2) { continue; }\n      a.c =")],
}


@pytest.mark.parametrize("name", FROM_BEFORE)
def test_labels_may_be_read_as_they_were_before_the_round(name: str) -> None:
    text = changed(COMPARED_WITH_BEFORE, *FROM_BEFORE[name])
    checked = pipeline.check(SourceFile("labels.sp", text))
    assert ("union-find" in pipeline.operators(checked)) is (not FROM_BEFORE[name])
    assert_as_written(text, (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
