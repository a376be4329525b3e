"""Flags of the nodes that a search has just found are levels, where more than the search asks for them."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

FLAGGED = """
function f(Graph g, propNode<double> c, SetN<g> sources) {
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    propNode<int> d;
    propNode<double> paths;
    propNode<double> share;
    propNode<bool> here;
    propNode<bool> there;
    g.attachNodeProperty(d = INF, paths = 0.0, share = 0.0, here = False, there = False);
    s.d = 0;
    s.paths = 1.0;
    s.here = True;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(here)) {
        forall (w in g.neighbors(v)) { if (w.d == INF) { w.d = depth + 1; w.there = True; more = True; } }
      }
      forall (v in g.nodes().filter(here)) {
        forall (w in g.neighbors(v)) { if (w.d == depth + 1) { w.paths += v.paths; } }
      }
      here = there;
      g.attachNodeProperty(there = False);
      depth++;
    }
    for (int k = depth - 1; k > 0; k--) {
      forall (v in g.nodes().filter(d == k)) {
        for (w in g.neighbors(v).filter(d == k + 1)) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
        v.c += v.share;
      }
    }
  }
}
"""
COUNTED_FIRST = changed(
    FLAGGED,
    ("      depth++;\n", ""),
    ("more = False;\n", "more = False; depth++;\n"),
    ("w.d = depth + 1", "w.d = depth"),
    ("w.d == depth + 1", "w.d == depth"),
)
VISITED = changed(
    FLAGGED,
    ("w.d = depth + 1; w.there", "w.there"),
    (
        """forall (v in g.nodes().filter(here)) {
        forall (w in g.neighbors(v)) { if (w.d == depth + 1) { w.paths += v.paths; } }
""",
        """forall (w in g.nodes().filter(there)) {
        w.d = depth + 1;
        for (v in g.nodes_to(w)) { if (v.here) { w.paths += v.paths; } }
""",
    ),
)
SETTLED = changed(
    FLAGGED,
    ("    bool more = True;\n    while (more) {\n      more = False;\n", "    fixedPoint until (done : !here) {\n"),
    (" more = True;", ""),
)
ONE_FLAG = changed(
    SETTLED,
    ("    propNode<bool> there;\n", ""),
    (", there = False", ""),
    ("there", "here"),
    ("      here = here;\n      g.attachNodeProperty(here = False);\n", ""),
)
SPELLINGS = {
    "the flags are asked twice": FLAGGED,
    "discovered nodes are asked": changed(
        FLAGGED, ("forall (w in g.neighbors(v)) { if (w.d == depth + 1)", "forall (w in g.neighbors(v)) { if (w.there)")
    ),
    "the depth is counted first": COUNTED_FIRST,
    "the depth is counted in between": changed(
        FLAGGED,
        ("      depth++;\n", ""),
        ("w.d == depth + 1", "w.d == depth"),
        (
            "      }\n      forall (v in g.nodes().filter(here)) {\n        forall (w",
            "      }\n      depth++;\n      forall (v in g.nodes().filter(here)) {\n        forall (w",
        ),
    ),
    "a number below 0 is no level": FLAGGED.replace("INF", "-1"),
    "any number below 0 is no level": changed(FLAGGED, ("d == INF", "d < 0"), ("INF", "-1")),
    "a node stores its level when it is visited": VISITED,
    "it sums first": changed(
        VISITED,
        ("        w.d = depth + 1;\n", "        double sum = 0.0;\n        w.d = depth + 1;\n"),
        ("{ w.paths += v.paths; } }", "{ sum += v.paths; } }\n        w.paths = sum;"),
    ),
    "the depth is counted before it is visited": changed(
        VISITED,
        ("      depth++;\n", ""),
        ("      forall (w in g.nodes", "      depth++;\n      forall (w in g.nodes"),
        ("w.d = depth + 1", "w.d = depth"),
    ),
    "a fixed point": SETTLED,
    "a fixed point of one flag": ONE_FLAG,
    "paths pass where a node is found": changed(
        ONE_FLAG,
        (
            " }\n      }\n      forall (v in g.nodes().filter(here)) {\n        forall (w in g.neighbors(v)) { if (w.d",
            " if (w.d",
        ),
    ),
    "both copies at once": changed(
        SETTLED,
        (
            "here = there;\n      g.attachNodeProperty(there = False)",
            "g.attachNodeProperty(here = there, there = False)",
        ),
    ),
}
_NEAR = {
    "no node is next": ("      here = there;\n", ""),
    "discovered nodes stay": ("      g.attachNodeProperty(there = False);\n", ""),
    "another is discovered": ("w.there = True;", "v.there = True;"),
    "another level is given": ("w.d = depth + 1;", "w.d = depth + 2;"),
    "a node is discovered twice": ("if (w.d == INF) {", "if (w.d > depth) {"),
    "another begins": ("s.here = True;", "node first = 0; first.here = True;"),
    "all begin": ("here = False, there = False", "here = True, there = False"),
    "a depth that begins elsewhere": ("int depth = 0;", "int depth = 1;"),
    "a depth that jumps": ("depth++;", "depth += 2;"),
    "a level besides": ("      here = there;\n", "      here = there;\n      s.d = 1;\n"),
    "flags that are asked later": (
        "    for (int k = depth - 1",
        "    s.here = True;\n    c = paths;\n    for (int k = depth - 1",
    ),
}
NEAR = {name: changed(FLAGGED, change) for name, change in _NEAR.items()} | {
    "another level is stored": changed(VISITED, ("w.d = depth + 1", "w.d = depth + 2")),
    "a level that asks whether there is one": changed(VISITED, ("filter(there)) {", "filter(there && d == INF)) {")),
    "what had no level before": changed(
        VISITED, ("        w.d =", "        if (w.d == INF) { w.paths = 0.5; }\n        w.d =")
    ),
    "a level that is taken back": changed(
        VISITED, ("        for (v in", "        if (w.paths > 1.0) { w.d = INF; }\n        for (v in")
    ),
    "a level of those that were here": changed(VISITED, ("filter(there)) {", "filter(here)) {")),
    "cleared before it is copied": changed(
        SETTLED,
        (
            "here = there;\n      g.attachNodeProperty(there = False)",
            "g.attachNodeProperty(there = False, here = there);\n      s.here = False",
        ),
    ),
    "the rounds go on for other flags": changed(
        SETTLED,
        ("propNode<bool> here;", "propNode<bool> here;\n    propNode<bool> some;\n    propNode<bool> none;"),
        ("there = False);\n    s.d", "there = False, some = False, none = False);\n    s.d"),
        ("!here", "!some"),
        ("      here = there;", "      some = none;\n      here = there;"),
    ),
    "only some that are found go on": changed(
        FLAGGED,
        (
            "      here = there;\n      g.attachNodeProperty(there = False);\n",
            """      g.attachNodeProperty(here = False);
      forall (w in g.nodes().filter(there)) { w.there = False; if (w % 2 == 0) { w.here = True; } }
""",
        ),
    ),
    "the rounds go on for others": changed(SETTLED, ("!here", "!there")),
    "not all that are found go on": changed(ONE_FLAG, ("w.here = True;", "if (w % 3 != 1) { w.here = True; }")),
}
NAMES = [*SPELLINGS, *NEAR]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_search_by_flags_has_the_operators_of_one_there_and_back(spelling: str) -> None:
    operators = operators_of(SPELLINGS[spelling])
    assert operators.count("search level by level") == operators.count("back from the last level") == 1
    assert "depth" not in operators


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile(SPELLINGS.get(name) or NEAR[name])
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        found, right = (
            program.run(graph, sources=[0, graph.num_nodes // 2], target="reference", checked=checked)
            for checked in (False, True)
        )
        assert np.allclose(found["c"], right["c"], rtol=1e-9, equal_nan=True), graph.name
