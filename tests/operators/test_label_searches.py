"""Labels that are counted from the other end, and searches from one node after another, become labels that spread."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.test_labels import COMPONENTS, KEPT, NEAR, SPELLINGS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

TURNED = """
function f(Graph g, propNode<int> c) {
  propNode<int> rank;
  int n = g.num_nodes();
  forall (v in g.nodes()) { v.rank = n - v; }
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) {
        if (v.rank > w.rank) { w.rank = v.rank; more = True; }
      }
    }
  }
  forall (v in g.nodes()) { v.c = n - v.rank; }
}
"""
NOT_TURNED = """
function f(Graph g, propNode<int> c) {
  propNode<int> rank;
  forall (v in g.nodes()) { v.rank = v; }
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) {
        if (v.rank < w.rank) { w.rank = v.rank; more = True; }
      }
    }
  }
  c = rank;
}
"""
FLOOD = """
function f(Graph g, propNode<int> c) {
  g.attachNodeProperty(c = -1);
  for (s in g.nodes()) {
    if (s.c == -1) {
      s.c = s;
      bool grew = True;
      while (grew) {
        grew = False;
        forall (v in g.nodes().filter(c == -1)) {
          bool beside = False;
          for (u in g.inOutNbrs(v)) {
            if (u.c == s) { beside = True; }
          }
          if (beside) { v.c = s; grew = True; }
        }
      }
    }
  }
}
"""
PUSHED = """
function f(Graph g, propNode<int> c) {
  g.attachNodeProperty(c = -1);
  for (s in g.nodes().filter(c == -1)) {
    s.c = s;
    bool grew;
    do {
      grew = False;
      forall (v in g.nodes().filter(c == s)) {
        forall (w in g.inOutNbrs(v)) {
          if (w.c == -1) { w.c = s; grew = True; }
        }
      }
    } while (grew);
  }
}
"""
MEMBERS = """
function f(Graph g, propNode<int> c) {
  propNode<bool> front;
  g.attachNodeProperty(c = -1);
  for (s in g.nodes()) {
    if (s.c == -1) {
      g.attachNodeProperty(front = False);
      s.c = s;
      s.front = True;
      fixedPoint until (done : !front) {
        forall (v in g.nodes().filter(front)) {
          forall (w in g.neighbors(v)) {
            if (w.c == -1) { w.c = s; w.front = True; }
          }
          forall (w in g.nodes_to(v)) {
            if (w.c == -1) { w.c = s; w.front = True; }
          }
        }
      }
    }
  }
}
"""
TWO_FLAGS = """
function f(Graph g, propNode<int> c) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(c = -1);
  for (s in g.nodes().filter(c == -1)) {
    g.attachNodeProperty(now = False, next = False);
    s.c = s;
    s.now = True;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(now)) {
        forall (w in g.inOutNbrs(v)) {
          if (w.c == -1) { w.next = True; w.c = s; more = True; }
        }
      }
      now = next;
      g.attachNodeProperty(next = False);
    }
  }
}
"""
FILLED_ONCE = changed(
    MEMBERS, ("      g.attachNodeProperty(front = False);\n", ""), ("(c = -1)", "(c = -1, front = False)")
)
FLOODS = {
    "members of a frontier push": MEMBERS,
    "members of a frontier that each search leaves empty": FILLED_ONCE,
    "members of one frontier fill the next": TWO_FLAGS,
    "neighbors look": FLOOD,
    "the first that is found ends the look": FLOOD.replace("beside = True; }", "beside = True; break; }"),
    "all neighbors look at once": FLOOD.replace("for (u in", "forall (u in"),
    "nodes push": PUSHED,
    "nodes push that have any number": PUSHED.replace("filter(c == s)", "filter(c != -1)"),
    "no number is INF": FLOOD.replace("-1", "INF"),
}


@pytest.mark.parametrize("spelling", FLOODS)
def test_searches_one_after_another_have_the_operators_of_labels(spelling: str) -> None:
    lines = operators_of(FLOODS[spelling]).splitlines()
    assert "\n".join(line for line in lines if ":= -1" not in line and ":= INF" not in line) == operators_of(COMPONENTS)


def test_turned_labels_have_the_operators_of_labels() -> None:
    assert operators_of(TURNED) == operators_of(NOT_TURNED)


MORE_NEAR = {
    "turned, but not back": (TURNED, "v.c = n - v.rank", "v.c = v.rank"),
    "turned at another end": (TURNED, "v.c = n - v.rank", "v.c = 7 - v.rank"),
    "turned at an end that moves": (TURNED, "bool more = True;", "bool more = True; n = n + 1;"),
    "turned twofold": (TURNED, "v.rank = n - v", "v.rank = n - 2 * v"),
    "turned, but for one node": (TURNED, "bool more = True;", "bool more = True; node first = 0; first.rank = 0;"),
    "a flood along arcs only": (FLOOD, "g.inOutNbrs(v)", "g.nodes_to(v)"),
    "a flood of some nodes": (FLOOD, "if (u.c == s)", "if (u.c == s && v % 2 == 0)"),
    "a flood of one round": (FLOOD, "v.c = s; grew = True;", "v.c = s;"),
    "a flood with another number": (FLOOD, "s.c = s;", "s.c = s + 1;"),
    "a flood that begins elsewhere": (FLOOD, "s.c == -1", "s.c < s"),
    "a flood over numbers of nodes": (FLOOD, "-1", "0"),
    "a flood that finds some labels": (FLOOD, "  for (s in", "  node first = 0;\n  first.c = 5;\n  for (s in"),
    "nobody begins": (MEMBERS, "s.front = True;", ""),
    "all begin": (MEMBERS, "front = False", "front = True"),
    "the first of all begins": (MEMBERS, "s.front = True;", "node first = 0; first.front = True;"),
    "nobody is next": (TWO_FLAGS, "      now = next;\n", ""),
    "the next are looked at afterwards": (MEMBERS, "    }\n  }\n}\n", "    }\n    s.d = s.front ? 1 : 0;\n  }\n}\n"),
    "members look along arcs only": (MEMBERS, "g.nodes_to(v)", "g.neighbors(v)"),
    "members tell some": (MEMBERS, "g.neighbors(v)", "g.neighbors(v).filter(w > v)"),
    "a flood that is counted": (FLOOD, "v.c = s; grew = True;", "v.c = s; grew = True; v.d += 1;"),
}


@pytest.mark.parametrize("name", MORE_NEAR)
def test_what_only_looks_alike_keeps_its_loop(name: str) -> None:
    text = _changed(*MORE_NEAR[name])
    kept = operators_of(text)
    assert kept not in (operators_of(COMPONENTS), operators_of(NOT_TURNED))
    assert "one after another" in kept or "max" in kept


def _changed(text: str, before: str, after: str) -> str:
    text = changed(text, (before, after))
    return text.replace("propNode<int> c)", "propNode<int> c, propNode<int> d)") if ".d " in text else text


TEXTS = {
    **SPELLINGS,
    **FLOODS,
    "turned": TURNED,
    **{name: _changed(SPELLINGS["both neighbors"], *change) for name, change in NEAR.items()},
    **{name: _changed(*change) for name, change in (KEPT | MORE_NEAR).items()},
}
ENDLESS = {
    "a flood over numbers of nodes",
    "two buffers, the worse taken",
    "two buffers, another node's taken",
    "a value that grows",
}
"""Those that may go on for ever, or that no answer is defined for."""


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ENDLESS])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile(TEXTS[name])
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        found, right = (program.run(graph, target="reference", checked=checked) for checked in (False, True))
        assert np.array_equal(found["c"], right["c"]), graph.name
