"""Rounds in which nodes or arcs have their turn one after another, where the order cannot show in the answer: they
reach the operators of the parallel loop. Where it can, they keep their order, and their answer."""

from __future__ import annotations

import pytest

import starplat
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
SPELLINGS = {
    "relaxing in order": """
function f(Graph g, propNode<int> level, node src) {
  for (v in g.nodes()) { v.level = INF; }
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.level != INF) {
        for (w in g.neighbors(v)) {
          if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
        }
      }
    }
  }
}
""",
    "arcs in order": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (b.level > a.level + 1) { b.level = a.level + 1; more = True; }
    }
  }
}
""",
    "flags that are taken back in the node's turn": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> waits;
  g.attachNodeProperty(level = INF, waits = False);
  src.level = 0;
  src.waits = True;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes().filter(waits)) {
      v.waits = False;
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; w.waits = True; more = True; }
      }
    }
  }
}
""",
    "the first parent in order": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool found = True;
  while (found) {
    found = False;
    for (v in g.nodes()) {
      if (v.level == INF) {
        for (u in g.nodes_to(v)) {
          if (u.level == depth) { v.level = depth + 1; found = True; break; }
        }
      }
    }
    depth++;
  }
}
""",
    "levels beside flags, counted by rounds": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  propNode<bool> there;
  propNode<bool> seen;
  g.attachNodeProperty(level = INF, here = False, there = False, seen = False);
  src.level = 0;
  src.here = True;
  src.seen = True;
  int depth = 0;
  int left = 1;
  while (left > 0) {
    depth++;
    forall (v in g.nodes().filter(here)) {
      for (w in g.neighbors(v)) {
        if (!w.seen) { w.seen = True; w.level = depth; w.there = True; }
      }
    }
    here = there;
    g.attachNodeProperty(there = False);
    left = 0;
    forall (v in g.nodes().filter(here)) { left++; }
  }
}
""",
    "iterations that go on to the next": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool stable = False;
  while (!stable) {
    stable = True;
    for (v in g.nodes()) {
      int next = v.level + 1;
      if (v.level == INF) { continue; }
      for (w in g.neighbors(v)) {
        if (w.level <= next) { continue; }
        w.level = next;
        stable = False;
      }
    }
  }
}
""",
    "neighbors that are flagged": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(active)) {
        <v.level, v.active> = <Min(v.level, u.level + 1), True>;
      }
    }
  }
}
""",
    "a local says that a parent is there": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == INF)) {
      bool near = False;
      for (u in g.nodes_to(v)) {
        if (u.level == depth) { near = True; }
      }
      if (near) { v.level = depth + 1; more = True; }
    }
    depth++;
  }
}
""",
}

NEAR = {
    "the last winner's number stays": """
function f(Graph g, propNode<int> level, propNode<int> from, node src) {
  g.attachNodeProperty(level = INF, from = -1);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; w.from = v; more = True; }
      }
    }
  }
}
""",
    "who comes first gives the next level": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (v.level != INF && w.level == INF) { w.level = v.level + 1; more = True; }
      }
    }
  }
}
""",
    "the last node says whether to go on": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    for (v in g.nodes()) {
      more = False;
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
}
""",
    "rounds are counted": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int rounds = 0;
  bool more = True;
  while (more) {
    more = False;
    rounds++;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
  return rounds;
}
""",
    "a pass ends at the first node that changes another": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  int left = 4;
  while (left > 0) {
    left -= 1;
    more = False;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
      if (more) { break; }
    }
  }
}
""",
    "what says whether to go on is taken back at once": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; more = False; }
      }
    }
  }
}
""",
    "flags that every node takes back": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      v.next = False;
      if (v.now) {
        for (w in g.neighbors(v)) {
          if (v.level + 1 < w.level) { w.level = v.level + 1; w.next = True; more = True; }
        }
      }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
}
""",
    "flags taken back behind the row, where a loop makes its node better": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> now;
  g.attachNodeProperty(level = INF, now = False);
  src.level = 40;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes().filter(now)) {
      for (w in g.neighbors(v)) {
        if (v.level / 2 < w.level) { w.level = v.level / 2; w.now = True; more = True; }
      }
      v.now = False;
    }
  }
}
""",
}

MEANT = {
    "nodes that leave before they are asked again": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(now)) {
      v.now = False;
      forall (w in g.neighbors(v)) {
        <w.level, w.next, more> = <Min(w.level, v.level + 1), True, True>;
      }
    }
    forall (v in g.nodes().filter(now)) {
      forall (w in g.nodes_to(v)) {
        <w.level, w.next, more> = <Min(w.level, v.level + 1), True, True>;
      }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
}
""",
    "a node that tells its first neighbor only": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      for (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 1; more = True; break; }
      }
    }
    depth++;
  }
}
""",
    "one node says whether to go on": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, active = False, next = False);
  src.level = 0;
  src.active = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) { <w.level, w.next> = <Min(w.level, v.level + 1), True>; }
    }
    active = next;
    g.attachNodeProperty(next = False);
    more ||= src.active;
  }
}
""",
    "iterations that go on where a number is none": """
function f(Graph g, propNode<double> far, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.level != depth || v.far - v.far < 0.0) { continue; }
      for (w in g.neighbors(v)) {
        if (w.level != INF || w.far > 3.0) { continue; }
        w.level = depth + 1;
        more = True;
      }
    }
    depth++;
  }
}
""",
    "a flag that is set beside a level, and by itself": """
function f(Graph g, propNode<int> level, propNode<bool> closed, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(level = INF, seen = False);
  forall (v in g.nodes().filter(closed)) { v.seen = True; }
  src.level = 0;
  src.seen = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (!w.seen) { w.seen = True; w.level = depth + 1; more = True; }
      }
    }
    depth++;
  }
}
""",
    "a flag that comes with a level that may be none": """
function f(Graph g, propNode<int> level, propNode<int> given, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(level = INF, seen = False);
  src.level = 0;
  src.seen = True;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (!w.seen) { w.seen = True; w.level = v.level + 1; more = True; }
      }
    }
  }
}
""",
    "a flag that is asked before the level begins": """
function f(Graph g, propNode<int> level, propNode<int> count, node src) {
  propNode<bool> seen;
  for (int round = 0; round < 2; round++) {
    g.attachNodeProperty(seen = False);
    forall (v in g.nodes()) { if (!v.seen && v.level == 0) { v.count += 1; } }
    g.attachNodeProperty(level = INF);
    src.level = 0;
    src.seen = True;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) {
          if (!w.seen) { w.seen = True; w.level = depth + 1; more = True; }
        }
      }
      depth++;
    }
  }
}
""",
    "counts that are taken back": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, active = False, next = False);
  src.level = 0;
  src.active = True;
  int left = 1;
  while (left > 0) {
    left = 0;
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) { <w.level, w.next> = <Min(w.level, v.level + 1), True>; }
    }
    active = next;
    g.attachNodeProperty(next = False);
    forall (v in g.nodes().filter(active)) { left += 1; }
    left += -1;
  }
}
""",
    "a length that is declared in the round": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    int length = 2;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        <w.level, more> = <Min(w.level, v.level + length), True>;
      }
    }
  }
}
""",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_an_order_that_cannot_show_goes(text: str) -> None:
    assert operators_of(text) == operators_of(BFS)


@pytest.mark.parametrize("text", NEAR.values(), ids=NEAR)
def test_an_order_that_shows_stays(text: str) -> None:
    assert "one after another" in operators_of(text)
    assert_as_written(text, GRAPHS)


@pytest.mark.parametrize("text", MEANT.values(), ids=MEANT)
def test_parallel_rounds_mean_what_is_written(text: str) -> None:
    assert_as_written(text, GRAPHS)


def test_flags_that_begin_anew_in_every_round_are_no_frontier() -> None:
    program = """
    function f(Graph g, propNode<bool> seen, node src) {
      propNode<bool> next;
      g.attachNodeProperty(seen = False, next = False);
      src.seen = True;
      bool more;
      do {
        more = False;
        propNode<bool> now;
        forall (v in g.nodes().filter(now)) {
          forall (w in g.neighbors(v)) {
            if (!w.seen) { w.seen = True; w.next = True; more = True; }
          }
        }
        now = next;
        g.attachNodeProperty(next = False);
      } while (more);
    }
    """
    with pytest.warns(starplat.StarplatWarning, match="read before it is set"):
        found = starplat.compile(program).run(UGLY["knot"], target="reference", src=0)
    assert found["seen"].sum() == 1
