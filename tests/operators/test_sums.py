"""Rewrites of sums and conditions by what they do to a program: a spelling and its canonical form have one text of
operators; what only looks like the spelling keeps its own."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.zoo import ZOO

REWRITTEN = {
    "a loop in order whose sums come in any order": (
        """
function f(Graph g, propNode<double> x, propNode<int> y) {
  double lost = 0.0;
  for (v in g.nodes().filter(g.count_outNbrs(v) == 0)) { lost += v.x; }
  for (v in g.nodes()) {
    int own = 0;
    for (u in g.nodes_to(v)) { own += 1; }
    v.y = own;
  }
  return lost;
}
""",
        """
function f(Graph g, propNode<double> x, propNode<int> y) {
  double lost = 0.0;
  forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) { lost += v.x; }
  forall (v in g.nodes()) {
    int own = 0;
    for (u in g.nodes_to(v)) { own += 1; }
    v.y = own;
  }
  return lost;
}
""",
    ),
    "shares that nodes send": (
        """
function f(Graph g, propNode<double> x, propNode<double> y, int n) {
  for (int i = 0; i < n; i++) {
    double lost = 0.0;
    forall (v in g.nodes()) {
      int degree = g.count_outNbrs(v);
      if (degree == 0) {
        lost += v.x;
      } else {
        double share = v.x / degree;
        forall (w in g.neighbors(v)) {
          if (w != v) { w.y += share; }
        }
      }
    }
    forall (v in g.nodes()) { v.x = v.y + lost; }
  }
}
""",
        """
function f(Graph g, propNode<double> x, propNode<double> y, int n) {
  for (int i = 0; i < n; i++) {
    double lost = 0.0;
    forall (v in g.nodes()) {
      int degree = g.count_outNbrs(v);
      if (degree == 0) { lost += v.x; }
    }
    forall (w in g.nodes()) {
      for (v in g.nodes_to(w).filter(w != v)) { w.y += v.x / g.count_outNbrs(v); }
    }
    forall (v in g.nodes()) { v.x = v.y + lost; }
  }
}
""",
    ),
    "sums that are cleared for the next round": (
        """
function f(Graph g, propNode<double> x, int n) {
  propNode<double> y;
  g.attachNodeProperty(y = 0.0);
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) { v.y += u.x; }
    }
    forall (v in g.nodes()) {
      v.x = v.y / 8.0;
      v.y = 0.0;
    }
  }
}
""",
        """
function f(Graph g, propNode<double> x, int n) {
  propNode<double> y;
  g.attachNodeProperty(y = 0.0);
  for (int i = 0; i < n; i++) {
    g.attachNodeProperty(y = 0.0);
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) { v.y += u.x; }
    }
    forall (v in g.nodes()) { v.x = v.y / 8.0; }
  }
}
""",
    ),
    "sums of some neighbors' reals": (
        """
function f(Graph g, propNode<double> x, propNode<double> y) {
  forall (v in g.nodes()) {
    double sum = 0.0;
    for (u in g.nodes_to(v)) { if (u.x > 1.0) { sum += u.x / g.count_outNbrs(u); } }
    v.y = sum;
  }
}
""",
        """
function f(Graph g, propNode<double> x, propNode<double> y) {
  forall (v in g.nodes()) {
    double sum = 0.0;
    for (u in g.nodes_to(v)) { sum += u.x > 1.0 ? u.x / g.count_outNbrs(u) : 0.0; }
    v.y = sum;
  }
}
""",
    ),
    "a loop that its counter ends, or something else": (
        """
function f(Graph g, propNode<double> x, int n) {
  double much = 9.0;
  for (int i = 0; i < n && much > 1.0; i++) {
    much = 0.0;
    forall (v in g.nodes()) { v.x = v.x / 2.0; much += v.x; }
  }
}
""",
        """
function f(Graph g, propNode<double> x, int n) {
  double much = 9.0;
  int i = 0;
  while (i < n && much > 1.0) {
    much = 0.0;
    forall (v in g.nodes()) { v.x = v.x / 2.0; much += v.x; }
    i++;
  }
}
""",
    ),
    "conditions of the loop that they are in": (
        """
function f(Graph g, propNode<int> state, propNode<int> deg) {
  forall (v in g.nodes()) {
    if (v.state == 0 && v.deg <= 3) { v.state = 1; }
  }
  forall (e in g.edges()) {
    node a = e.source;
    node b = e.destination;
    if (a.state == 1 && b.state == 0) { b.deg -= 1; }
  }
}
""",
        """
function f(Graph g, propNode<int> state, propNode<int> deg) {
  forall (v in g.nodes().filter(state == 0 && deg <= 3)) { v.state = 1; }
  forall (a in g.nodes().filter(state == 1)) {
    forall (b in g.neighbors(a).filter(state == 0)) { b.deg -= 1; }
  }
}
""",
    ),
    "helpers of a loop that adds up": (
        """
function above(Graph g, node u, node v) {
  int n = 0;
  for (w in g.neighbors(u)) { if (later(g, v, w) && g.is_an_edge(v, w)) { n = n + 1; } }
  return n;
}
function later(Graph g, node a, node b) {
  int of_a = g.count_outNbrs(a);
  return of_a < g.count_outNbrs(b);
}
function f(Graph g) {
  long t = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) { t += above(g, u, v); }
  }
  return t;
}
""",
        """
function f(Graph g) {
  long t = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      int n = 0;
      for (w in g.neighbors(u).filter(g.count_outNbrs(v) < g.count_outNbrs(w))) {
        if (g.is_an_edge(v, w)) { n += 1; }
      }
      t += n;
    }
  }
  return t;
}
""",
    ),
    "marks of a row": (
        """
function f(Graph g, propNode<int> x) {
  propNode<bool> mark;
  g.attachNodeProperty(mark = False);
  long t = 0;
  for (u in g.nodes()) {
    forall (v in g.nodes_to(u).filter(v > u)) { v.mark = True; }
    forall (v in g.neighbors(u)) { if (v.mark && v.x > 3) { t += 1; } }
    forall (v in g.nodes_to(u)) { v.mark = False; }
  }
  return t;
}
""",
        """
function f(Graph g, propNode<int> x) {
  long t = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u && x > 3)) { if (g.is_an_edge(v, u)) { t += 1; } }
  }
  return t;
}
""",
    ),
    "a property that is added up": (
        """
function f(Graph g) {
  propNode<int> corner;
  g.attachNodeProperty(corner = 0);
  forall (v in g.nodes()) {
    for (u in g.neighbors(v).filter(u < v)) { v.corner += 2; }
  }
  return Sum(corner) / 3;
}
""",
        """
function f(Graph g) {
  long corner = 0;
  forall (v in g.nodes()) {
    for (u in g.neighbors(v).filter(u < v)) { corner += 2; }
  }
  return corner / 3;
}
""",
    ),
    "a property that the next loop adds up": (
        """
function f(Graph g, propEdge<int> x) {
  propEdge<int> most;
  forall (e in g.edges()) {
    int here = e.x;
    if (here > 3) { here = 3; }
    e.most = here * 2;
  }
  long sum = 0;
  forall (e in g.edges()) { sum += e.most; }
  return sum;
}
""",
        """
function f(Graph g, propEdge<int> x) {
  long sum = 0;
  forall (e in g.edges()) {
    int here = e.x;
    if (here > 3) { here = 3; }
    sum += here * 2;
  }
  return sum;
}
""",
    ),
    "a property that is stored, then added up": (
        """
function f(Graph g) {
  propNode<int> most;
  g.attachNodeProperty(most = 3);
  forall (v in g.nodes()) { v.most = v * 2; }
  return Sum(most);
}
""",
        """
function f(Graph g) {
  long most = 0;
  forall (v in g.nodes()) { most += v * 2; }
  return most;
}
""",
    ),
    "a property that is added to, and added up by a loop": (
        """
function f(Graph g, propNode<int> x) {
  propNode<int> corner;
  g.attachNodeProperty(corner = 0);
  forall (v in g.nodes().filter(x > 2)) {
    forall (u in g.neighbors(v)) { u.corner += v.x; }
  }
  long sum = 0;
  for (v in g.nodes()) { sum += v.corner; }
  return sum;
}
""",
        """
function f(Graph g, propNode<int> x) {
  long sum = 0;
  forall (v in g.nodes().filter(x > 2)) {
    forall (u in g.neighbors(v)) { sum += v.x; }
  }
  return sum;
}
""",
    ),
    "fills by a loop, and a node's own constants": (
        """
function f(Graph g, propNode<double> x, propNode<int> y, propNode<bool> on) {
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.x = 1.0 / n;
    v.y = g.count_outNbrs(v);
  }
  forall (v in g.nodes().filter(on)) {
    forall (w in g.neighbors(v)) { w.y += 1; }
    v.on = False;
  }
}
""",
        """
function f(Graph g, propNode<double> x, propNode<int> y, propNode<bool> on) {
  double n = g.num_nodes();
  g.attachNodeProperty(x = 1.0 / n);
  forall (v in g.nodes()) { v.y = g.count_outNbrs(v); }
  forall (v in g.nodes().filter(on)) {
    v.on = False;
    forall (w in g.neighbors(v)) { w.y += 1; }
  }
}
""",
    ),
    "levels over arcs": (
        """
function f(Graph g, propNode<int> level, int d) {
  forall (e in g.edges()) {
    node a = e.source;
    node b = e.destination;
    if (a.level == d && b.level == INF) { b.level = d + 1; }
  }
}
""",
        """
function f(Graph g, propNode<int> level, int d) {
  forall (a in g.nodes().filter(level == d)) {
    forall (b in g.neighbors(a)) { if (b.level == INF) { b.level = d + 1; } }
  }
}
""",
    ),
    "a round in a function": (
        """
function round(Graph g, propNode<int> x) {
  int most = 0;
  forall (v in g.nodes()) {
    int here = v.x;
    if (here > 4) { v.x = here - 1; most += 1; }
    if (here < 0) { v.x = here + 1; most += 1; }
    if (here == 3) { v.x = 0; most += 1; }
  }
  return most;
}
function f(Graph g, propNode<int> x) {
  int again = 1;
  while (again > 0) {
    int found = round(g, x);
    again = found - 1;
  }
}
""",
        """
function f(Graph g, propNode<int> x) {
  int again = 1;
  while (again > 0) {
    int found = 0;
    forall (v in g.nodes()) {
      int here = v.x;
      if (here > 4) { v.x = here - 1; found += 1; }
      if (here < 0) { v.x = here + 1; found += 1; }
      if (here == 3) { v.x = 0; found += 1; }
    }
    again = found - 1;
  }
}
""",
    ),
    "shares that arcs carry": (
        """
function f(Graph g, propNode<double> x, propNode<double> y, propEdge<int> weight, int n) {
  while (n > 0) {
    n -= 1;
    forall (e in g.edges()) {
      node to = e.destination;
      to.y += e.source.x * e.weight;
    }
    x = y;
  }
}
""",
        """
function f(Graph g, propNode<double> x, propNode<double> y, propEdge<int> weight, int n) {
  while (n > 0) {
    n -= 1;
    forall (w in g.nodes()) {
      for (v in g.nodes_to(w)) {
        edge e = g.get_edge(v, w);
        w.y += v.x * e.weight;
      }
    }
    x = y;
  }
}
""",
    ),
}

GRAPHS = ("parallel", "both-ways", "diamonds", "random-undirected", "one-loop")

IN_ORDER = {
    "what iterations before have written": "for (v in g.nodes()) { v.x = total; total += 1; }",
    "neighbors that had their turn": "for (v in g.nodes()) { for (u in g.nodes_to(v)) { v.x += u.x; } }",
    "the last one wins": "for (v in g.nodes()) { total = v.x; }",
    "the first one ends it": "for (v in g.nodes()) { if (v.x > 3) { total = 1; break; } }",
    "a filter that sees the turns before": "for (v in g.nodes().filter(x > total)) { total += 1; }",
    "which of several comes first": "for (v in g.nodes()) { <total, who> = <Min(total, v.x), v>; }",
}

MARKED = """
function f(Graph g, propNode<int> x, node s) {
  propNode<bool> mark;
  g.attachNodeProperty(mark = False);
  long t = 0;
  for (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u)) { v.mark = True; }
    forall (v in g.neighbors(u)) { forall (w in g.neighbors(v)) { if (w.mark) { t += 1; } } }
    forall (v in g.neighbors(u)) { v.mark = False; }
  }
  return t;
}
"""
STAYING_MARKS = {
    "some from before": ("long t = 0;", "long t = 0; s.mark = True;"),
    "not taken back": ("forall (v in g.neighbors(u)) { v.mark = False; }", ""),
    "taken back from others": ("forall (v in g.neighbors(u)) { v.mark = F", "forall (v in g.nodes_to(u)) { v.mark = F"),
    "some left": (
        "forall (v in g.neighbors(u)) { v.mark = F",
        "forall (v in g.neighbors(u).filter(v > 4)) { v.mark = F",
    ),
    "of what changes": ("t += 1;", "t += 1; w.x = t;"),
    "taken back with something else": (
        "forall (v in g.neighbors(u)) { v.mark = False; }",
        "g.attachNodeProperty(mark = False, x = 0);",
    ),
    "more marks": ("t += 1;", "t += 1; v.mark = True;"),
}

LEVELS = "if (a.level == d && b.level == INF) { b.level = d + 1; }"
STAYING_LEVELS = {
    "given to any": ("a.level == d && b.level == INF", "a.level == d"),
    "of other numbers": ("b.level = d + 1", "b.level = d"),
    "given where it is asked": ("b.level = d + 1", "a.level = d + 1"),
    "below": ("a.level == d", "a.level < d"),
    "that change": ("{ b", "{ d += 1; b"),
}

IN_PLACE = {
    "a value of its own": ("forall (v in g.nodes()) { v.y = v; }", "each v"),
    "what iterations change": ("forall (v in g.nodes()) { v.y = n; n += 1; }", "each v"),
    "for some": ("forall (v in g.nodes().filter(on)) { v.y = 3; }", "each v when on[v]"),
    "a flag that rows ask": (
        "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { if (w.on) { w.y += 1; } } v.on = False; }",
        "foreach v",
    ),
    "a flag that rows set": (
        "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.on = True; } v.on = False; }",
        "foreach v",
    ),
}

SUMMED = """
function f(Graph g) {
  propNode<int> corner;
  g.attachNodeProperty(corner = 0);
  forall (v in g.nodes()) { for (u in g.neighbors(v)) { v.corner += 2; } }
  return Sum(corner);
}
"""
STAYING_SUMS = {
    "begins at one": ("corner = 0", "corner = 1"),
    "the greatest": ("Sum(corner)", "Max(corner)"),
    "read": ("v.corner += 2", "v.corner += u.corner"),
    "asked": ("{ v.corner += 2; }", "{ if (v.corner < 6) { v.corner += 2; } }"),
    "changed after": ("return", "forall (v in g.nodes()) { v.corner = 1; } return"),
    "multiplied": ("v.corner += 2", "v.corner *= 2"),
}

ADDED_UP = """
function f(Graph g, propNode<int> x) {
  propNode<int> twice;
  long other = 0;
  forall (v in g.nodes()) { int here = v.x * 2; v.twice = here; }
  long sum = 0;
  forall (v in g.nodes()) { sum += v.twice; }
  return sum + other;
}
"""
STAYING_PARTS = {
    "of some": ("v.twice = here;", "if (here > 2) { v.twice = here; }"),
    "of some nodes": ("forall (v in g.nodes()) { int", "forall (v in g.nodes().filter(x > 2)) { int"),
    "added up for some nodes": ("forall (v in g.nodes()) { sum", "forall (v in g.nodes().filter(x > 2)) { sum"),
    "of neighbors": ("sum += v.twice;", "for (w in g.neighbors(v)) { sum += w.twice; }"),
    "squared": ("sum += v.twice", "sum += v.twice * v.twice"),
    "asked": ("return", "forall (v in g.nodes()) { v.x = v.twice; } return"),
    "filled with others": ("long other = 0;", "long other = 0; propNode<int> y = twice;"),
    "cut off": ("propNode<int> twice", "propNode<double> twice"),
    "beside another sum": ("long sum = 0;", "long sum = 0; other = Sum(x);"),
    "added to what its own loop adds up": (
        "int here = v.x * 2; v.twice = here; }\n  long sum = 0;\n  forall (v in g.nodes()) { sum += ",
        "other += v.x; v.twice = v.x; }\n  long sum = 0;\n  forall (v in g.nodes()) { other += ",
    ),
}

PUSHES = {
    "once": "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.y += v.x; } }",
    "from nodes that have their turn": """
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes().filter(on)) { forall (w in g.neighbors(v)) { w.y += v.x; } }
  }""",
    "from nodes that are asked whether they have their turn": """
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes()) { forall (w in g.neighbors(v)) { if (v.on) { w.y += v.x; } } }
  }""",
    "of what is written meanwhile": """
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes()) { v.x = v.x + 1; forall (w in g.neighbors(v)) { w.y += v.x; } }
  }""",
    "read by its own loop": """
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes()) { v.z = v.y; forall (w in g.neighbors(v)) { w.y += v.x; } }
  }""",
    "of a local that grows": """
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes()) { int k = 0; forall (w in g.neighbors(v)) { k += 1; w.y += k; } }
  }""",
}

NO_FILTERS = {
    "what the loop changes in others": "forall (v in g.nodes()) { if (v.y > 3) { u.y = 3; } }",
    "what the loop counts": "forall (v in g.nodes()) { if (n < 3) { n += 1; } }",
    "what iterations before have changed": "for (v in g.nodes()) { if (v.y > n) { n = v.y; } }",
    "a search for an arc": "forall (v in g.nodes()) { if (g.is_an_edge(v, u)) { v.y = 3; } }",
    "one of two branches": "forall (v in g.nodes()) { if (v.y > 3) { v.y = 3; } else { v.y = 4; } }",
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_sum_has_the_operators_of_its_canonical_form(name: str) -> None:
    before, after = REWRITTEN[name]
    assert operators_of(before) == operators_of(after)


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_rewritten_program_gives_the_answer_that_it_gives_as_written(name: str) -> None:
    assert_as_written(REWRITTEN[name][0], [ZOO[shape] for shape in GRAPHS])


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_loop_whose_order_matters_keeps_it(name: str) -> None:
    text = f"function f(Graph g, propNode<int> x, int total, node who) {{ {IN_ORDER[name]} return total; }}"
    assert "one after another v" in _operators(text)


@pytest.mark.parametrize("name", PUSHES)
def test_a_push_stays(name: str) -> None:
    parameters = "Graph g, propNode<int> x, propNode<int> y, propNode<int> z, propNode<bool> on, int n"
    text = _operators(f"function f({parameters}) {{ {PUSHES[name]} }}")
    assert "in-neighbors" not in text
    assert "w <- v" not in text


@pytest.mark.parametrize("name", STAYING_LEVELS)
def test_a_level_that_may_change_is_asked_when_it_is_needed(name: str) -> None:
    head = "function f(Graph g, propNode<int> level, int d) { forall (a in g.nodes()) { forall (b in g.neighbors(a)) {"
    assert "-> b when level[a]" in _operators(f"{head} {LEVELS} }} }} }}")
    assert "-> b when level[a]" not in _operators(f"{head} {changed(LEVELS, STAYING_LEVELS[name])} }} }} }}")


@pytest.mark.parametrize("name", IN_PLACE)
def test_what_others_see_stays_in_place(name: str) -> None:
    body, line = IN_PLACE[name]
    text = _operators(f"function f(Graph g, propNode<int> y, propNode<bool> on, int n) {{ {body} return n; }}")
    assert line in text


@pytest.mark.parametrize("name", STAYING_MARKS)
def test_marks_that_may_be_others_stay(name: str) -> None:
    assert "one after another" not in _operators(MARKED)
    assert "mark[" in _operators(changed(MARKED, STAYING_MARKS[name]))


@pytest.mark.parametrize("name", STAYING_SUMS)
def test_a_property_with_other_uses_stays(name: str) -> None:
    assert "corner[" not in _operators(SUMMED)
    assert "corner[" in _operators(changed(SUMMED, STAYING_SUMS[name]))


@pytest.mark.parametrize("name", STAYING_PARTS)
def test_a_property_that_is_more_than_added_up_next_stays(name: str) -> None:
    assert "twice[" not in _operators(ADDED_UP)
    assert "twice[" in _operators(changed(ADDED_UP, STAYING_PARTS[name]))


CLEARED = REWRITTEN["sums that are cleared for the next round"][0]
COPIES = "forall (v in g.nodes()) { v.x = v.y; }"
BREAKS = "if (i > 2) { break; }\nforall (v in g.nodes()) {\n v.x"
NOT_CLEARED_FIRST = {
    "a sum that begins with more": ("attachNodeProperty(y = 0.0)", "attachNodeProperty(y = 1.0)"),
    "a sum that is cleared to less": ("v.y = 0.0", "v.y = -1.0"),
    "a sum that some nodes begin with": ("y = 0.0);", "y = 0.0); forall (v in g.nodes()) { v.y = v.x; }"),
    "sums of which some are cleared": ("v.y = 0.0;", "if (v.x > 1.0) { v.y = 0.0; }"),
    "a sum that neighbors read meanwhile": ("v.x = v.y / 8.0;", "for (u in g.neighbors(v)) { v.x = u.y; }"),
    "a round that ends before": ("    forall (v in g.nodes()) {\n      v.x", BREAKS),
    "a sum that is asked for at last": ("v.y = 0.0;\n    }\n  }", "v.y = 0.0;\n }\n }\n" + COPIES),
}  # fmt: skip
OF_SOME = REWRITTEN["sums of some neighbors' reals"][0]
GUARDED = {
    "by what the node holds": ("u.x > 1.0", "u.x > v.x"),
    "by a flag": (", propNode<double> y", ", propNode<double> y, propNode<bool> on"),
    "of what the node holds": ("sum += u.x", "sum += v.x"),
    "counted": ("sum += u.x", "v.y += u.x"),
}


@pytest.mark.parametrize("name", NOT_CLEARED_FIRST)
def test_sums_that_a_round_finds_or_leaves_stay_as_they_are(name: str) -> None:
    begins = "count i from 0 while i < n\n    y := 0.0"
    assert begins in _operators(CLEARED)
    text = changed(CLEARED, NOT_CLEARED_FIRST[name])
    assert begins not in _operators(text)
    if "meanwhile" not in name:
        assert_as_written(text, [ZOO[shape] for shape in GRAPHS])


@pytest.mark.parametrize("name", GUARDED)
def test_a_condition_that_more_than_the_neighbor_is_asked_for_stays(name: str) -> None:
    assert "in order when" not in _operators(OF_SOME)
    asks = ("u.x > 1.0", "u.on") if "flag" in name else ("sum = 0.0", "sum = 1.0")
    assert "in order when" in _operators(changed(OF_SOME, GUARDED[name], asks))


@pytest.mark.parametrize("name", NO_FILTERS)
def test_a_condition_stays(name: str) -> None:
    text = _operators(f"function f(Graph g, propNode<int> y, node u, int n) {{ {NO_FILTERS[name]} return n; }}")
    assert "when" not in text
    assert "  if " in text


def _operators(text: str) -> str:
    return pipeline.operators(pipeline.check(SourceFile("near.sp", text)))
