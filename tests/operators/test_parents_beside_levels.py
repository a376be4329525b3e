"""A parent that is stored beside a level goes with it, whoever wins; near misses stay as they are written."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests import oracles
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.programs.targets import TARGETS, Target
from tests.spellings.graphs import UGLY

PUSHED = """
function f(Graph g, propNode<int> level, propNode<node> parent, propNode<int> kept, node src) {
  g.attachNodeProperty(level = INF, parent = -1, kept = 0);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 1; w.parent = v; more = True; }
      }
    }
    depth++;
  }
}
"""
LOOP = PUSHED[PUSHED.index("    forall") : PUSHED.index("    depth++")]
GUARDED = "if (w.level == INF) { w.level = depth + 1; w.parent = v; more = True; }"
PULLED = """    forall (w in g.nodes().filter(level == INF)) {
      forall (v in g.nodes_to(w)) {
        if (v.level == depth) { w.level = depth + 1; w.parent = v; more = True; }
      }
    }
"""
SPELLINGS = {
    "pushed": PUSHED,
    "parent first": changed(PUSHED, ("w.level = depth + 1; w.parent = v;", "w.parent = v; w.level = depth + 1;")),
    "above the next": changed(PUSHED, ("w.level == INF", "w.level > depth + 1")),
    "one above its own": changed(PUSHED, ("w.level = depth + 1", "w.level = v.level + 1")),
    "in a row in order": changed(PUSHED, ("forall (w", "for (w")),
    "in a Min": changed(PUSHED, (GUARDED, "<w.level, w.parent, more> = <Min(w.level, depth + 1), v, True>;")),
    "pulled": changed(PUSHED, (LOOP, PULLED)),
    "number of a node": changed(PUSHED, ("propNode<node> parent", "propNode<int> parent")),
    "source is its own": changed(PUSHED, ("src.level = 0;", "src.level = 0; src.parent = src;")),
}
NEAR = {
    "last of a row": changed(PUSHED, (LOOP, PULLED), ("forall (v", "for (v")),
    "first of a row": changed(PUSHED, (LOOP, PULLED), ("forall (v", "for (v"), ("True; }", "True; break; }")),
    "all in order": changed(PUSHED, ("forall", "for")),
    "child of its own": changed(PUSHED, ("w.parent = v", "v.parent = w")),
    "node itself": changed(PUSHED, ("w.parent = v", "w.parent = w")),
    "outside of the guard": changed(PUSHED, ("w.parent = v; more = True; }", "more = True; } w.parent = v;")),
    "stored twice": changed(PUSHED, ("w.parent = v;", "w.parent = v; w.parent = -1;")),
    "over the level": changed(PUSHED, ("w.parent = v;", "w.level = v;")),
    "asked for": changed(PUSHED, ("w.level == INF", "w.level == INF && v.parent != w")),
    "in place of the level": changed(PUSHED, ("w.level == INF", "w.parent == -1")),
    "read in the round": changed(
        PUSHED, ("    depth++;", "    forall (v in g.nodes()) { v.kept = v.parent; }\n    depth++;")
    ),
    "other levels": changed(PUSHED, ("w.level = depth + 1", "w.level = depth + 1 + v % 2")),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_parent_goes_with_the_level(name: str) -> None:
    assert "carrying" in (found := operators_of(SPELLINGS[name]))
    if name != "source is its own":
        assert found == operators_of(SPELLINGS["pushed"])


@pytest.mark.parametrize("target", TARGETS[:2], ids=lambda target: target.label)
@pytest.mark.parametrize("name", SPELLINGS)
def test_the_parent_is_any_one_level_nearer(name: str, target: Target) -> None:
    program = starplat.compile(SPELLINGS[name])
    for graph in UGLY.values():
        result = target.run(program, graph, {"src": 0})
        level, parent = result["level"].astype(float), result["parent"].copy()
        level[level == result["level"].dtype.type(oracles.INF)] = np.inf
        assert np.array_equal(level, oracles.levels(graph, 0)), graph.name
        if name == "source is its own":
            assert parent[0] == 0
            parent[0] = -1
        oracles.assert_parents(graph, 0, level, parent)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_stays_as_it_is_written(name: str) -> None:
    assert "carrying" not in operators_of(NEAR[name])
    assert_as_written(NEAR[name], (UGLY["knot"], UGLY["ladder"]))
