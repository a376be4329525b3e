"""A function that is given one thing for several parameters sees what it does to the one in the others."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.programs.targets import Target, every_device
from tests.spellings.graphs import UGLY

PADDING = "\n".join(f"  forall (v in g.nodes()) {{ v.t += {number}; }}" for number in range(12))
SPREAD = f"""
function spread(Graph g, propNode<bool> out, propNode<bool> from, propNode<int> t) {{
  propNode<bool> own;
  g.attachNodeProperty(own = False);
{PADDING}
  forall (v in g.nodes().filter(from)) {{ forall (w in g.neighbors(v)) {{ w.own = True; }} }}
  forall (v in g.nodes()) {{ v.out = v.own; }}
}}
"""
PROPERTIES = (
    SPREAD
    + """
function f(Graph g, propNode<bool> x, propNode<int> t) { spread(g, x, x, t); spread(g, x, x, t); }
"""
)
NESTED = (
    SPREAD
    + """
function twice(Graph g, propNode<bool> a, propNode<bool> b, propNode<int> t) {
  spread(g, a, b, t);
  spread(g, b, a, t);
}
function f(Graph g, propNode<bool> x, propNode<bool> y, propNode<int> t) { twice(g, x, x, t); twice(g, x, y, t); }
"""
)
SCALARS = """
function count(int & a, int & b, Graph g, propNode<int> x) {
  for (int i = 0; i < 3; i++) {
    a = a + 1;
    forall (v in g.nodes()) { v.x += b; }
    b = b * 2;
    forall (v in g.nodes()) { v.x += a; }
  }
  for (int i = 0; i < 2; i++) {
    a = a + b;
    forall (v in g.nodes()) { v.x += b; }
  }
}
function f(Graph g, propNode<int> x) {
  int k = 1;
  count(k, k, g, x);
  forall (v in g.nodes()) { v.x += k; }
}
"""
SETS = """
function join(Graph g, SetN<g> a, SetN<g> b, propNode<int> x) {
  for (int i = 0; i < 3; i++) {
    for (v in a) { for (w in g.neighbors(v)) { b.add(w); } }
    forall (v in a) { v.x += 1; }
    forall (v in b) { v.x += 10; }
    for (v in b) { for (w in g.nodes_to(v)) { a.add(w); } }
  }
}
function f(Graph g, propNode<int> x, node src) {
  SetN<g> s;
  s.add(src);
  join(g, s, s, x);
  join(g, s, s, x);
}
"""
PROGRAMS = {"properties": PROPERTIES, "in two steps": NESTED, "scalars": SCALARS, "sets": SETS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_given_twice_is_one_thing(name: str) -> None:
    assert_as_written(PROGRAMS[name], (UGLY["knot"], UGLY["ladder"]))


def test_each_way_of_giving_things_has_its_own_form() -> None:
    text = operators_of(NESTED)
    assert "spread_1(" in text
    assert "spread(" in text


@every_device
def test_so_it_is_on_devices(target: Target) -> None:
    graph = UGLY["knot"]
    program = starplat.compile(PROPERTIES)
    given = {"x": np.arange(graph.num_nodes) % 3 == 0, "t": np.zeros(graph.num_nodes, int)}
    found = target.run(program, graph, given)
    meant = program.run(graph, target="reference", checked=True, **given)
    assert found["x"].tolist() == meant["x"].tolist()
