"""Nodes that look for the best neighbor, and keep which that was, are offered values with what goes with them."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
HEAD = """
function f(Graph g, propNode<int> far, propNode<node> pred, propNode<int> hops) {
  g.attachNodeProperty(far = INF, pred = -1, hops = 0);
  node home = 2;
  home.far = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
"""
PULLED = (
    HEAD
    + """      int least = v.far;
      node who = -1;
      for (u in g.nodes_to(v)) {
        int through = u.far + 2;
        if (through < least) { least = through; who = u; }
      }
      if (least < v.far) { v.far = least; v.pred = who; more = True; }
    }
  }
}
"""
)
PUSHED = (
    HEAD
    + """      forall (w in g.neighbors(v)) { <w.far, w.pred, more> = <Min(w.far, v.far + 2), v, True>; }
    }
  }
}
"""
)
DECLARED = "int least = v.far;\n      node who = -1;"
SPELLINGS = {
    "as above": [],
    "declared the other way round": [(DECLARED, "node who = -1; int least = v.far;")],
    "stored the other way round": [("least = through; who = u;", "who = u; least = through;")],
    "from the end of the order": [("int least = v.far;", "int least = INF;")],
    "a winner stores at once": [
        (
            "if (least < v.far) { v.far = least; v.pred = who; more = True; }",
            "<v.far, v.pred, more> = <Min(v.far, least), who, True>;",
        )
    ],
}
NEAR = {
    "the last neighbor": [("{ least = through; who = u; }", "{ least = through; } who = u;")],
    "a neighbor that is asked for": [("least = through; who = u;", "least = through; who = who == -1 ? u : -1;")],
    "the best so far goes with it": [("who = u;", "who = u % 2 == 0 ? u : least % 3;")],
    "from where it does not begin": [("int least = v.far;", "int least = v.far == INF ? 7 : v.far;")],
    "one that must be some": [("if (least < v.far)", "if (least < v.far && who != 0)")],
    "asked for besides": [("more = True; }", "more = True; } v.hops = who;")],
    "of two rows, one says": [
        ("if (least <", "for (u in g.neighbors(v)) { if (u.far + 3 < least) { least = u.far + 3; } } if (least <")
    ],
    "nine rounds": [("bool more = True;", "bool more;"), ("while (more)", "for (int i = 0; i < 9; i++)")],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_best_neighbor_offers_itself(name: str) -> None:
    pushed = operators_of(PUSHED)
    assert "carrying" in pushed
    assert operators_of(changed(PULLED, *SPELLINGS[name])) == pushed


def test_the_other_rows_say_it_too() -> None:
    also = "for (u in g.neighbors(v)) { if (u.far + 3 < least) { least = u.far + 3; who = u; } } if (least <"
    assert operators_of(changed(PULLED, ("if (least <", also))).count("carrying") == 2


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_rounds(name: str) -> None:
    text = changed(PULLED, *NEAR[name])
    assert "is empty" not in operators_of(text)
    assert_as_written(text, GRAPHS)
