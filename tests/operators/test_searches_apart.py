"""Searches that do something at each level as they go, and then go back; what only looks like them stays right."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.test_sweeps import SEARCH
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

PUSHED = """
function f(Graph g, propNode<double> c, SetN<g> sources) {
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    propNode<int> d;
    propNode<double> paths;
    propNode<double> share;
    g.attachNodeProperty(d = INF, paths = 0.0, share = 0.0);
    s.d = 0;
    s.paths = 1.0;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(d == depth)) {
        forall (w in g.neighbors(v)) { if (w.d == INF) { w.d = depth + 1; more = True; } }
      }
      forall (w in g.nodes().filter(d == depth + 1)) {
        for (u in g.nodes_to(w)) { if (u.d == depth) { w.paths += u.paths; } }
      }
      depth++;
    }
    while (depth > 1) {
      depth--;
      forall (v in g.nodes().filter(d == depth)) {
        for (w in g.neighbors(v)) {
          if (w.d == depth + 1) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
        }
        v.c += v.share;
      }
    }
  }
}
"""
LOOKED = """
function f(Graph g, propNode<double> c, SetN<g> sources) {
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    propNode<int> d;
    propNode<double> paths;
    propNode<double> share;
    g.attachNodeProperty(d = -1, paths = 0.0, share = 0.0);
    s.d = 0;
    s.paths = 1.0;
    int depth = 0;
    bool more;
    do {
      more = False;
      forall (v in g.nodes().filter(d == -1)) {
        double sum = 0.0;
        for (u in g.nodes_to(v)) { if (u.d == depth) { sum += u.paths; } }
        if (sum > 0.0) { v.paths = sum; v.d = depth + 1; more = True; }
      }
      depth++;
    } while (more);
    for (int k = depth; k > 0; k--) {
      forall (v in g.nodes().filter(d == k)) {
        for (w in g.neighbors(v)) {
          if (w.d == k + 1) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
        }
        v.c += v.share;
      }
    }
  }
}
"""
FLAGGED_SUM = changed(
    LOOKED,
    ("double sum = 0.0;", "double sum = 0.0; bool any = False;"),
    ("sum += u.paths;", "sum += u.paths; any = True;"),
    ("sum > 0.0", "any"),
)
NAMED = changed(PUSHED, ("more = False;\n", "more = False; int next = depth + 1;\n"), ("d = depth + 1", "d = next"))
PASSED_ON = "if (w.d == depth + 1) { w.paths += v.paths; }"
AT_ONCE = (
    PUSHED[: PUSHED.index("      forall (w in g.nodes()")].replace(
        "more = True; } }", "more = True; } " + PASSED_ON + " }"
    )
    + PUSHED[PUSHED.index("      depth++;\n    }\n") :]
)
SEARCH_PUSHED = SEARCH.replace(
    "for (u in g.nodes_to(v)) { v.paths += u.paths; }", "forall (w in g.neighbors(v)) { w.paths += v.paths; }"
)
BY_SUM = SEARCH.replace(
    "for (u in g.nodes_to(v)) { v.paths += u.paths; }",
    "if (v != s) { double sum = 0.0; for (u in g.nodes_to(v)) { sum += u.paths; } v.paths = sum; }",
)

FIRST = (
    PUSHED[: PUSHED.index("      forall (w in g.nodes()")]
    + """      depth++;
    }
    for (int k = 1; k < depth; k++) {
      forall (w in g.nodes().filter(d == k)) {
        for (u in g.nodes_to(w)) { if (u.d == k - 1) { w.paths += u.paths; } }
      }
    }
    for (int k = depth - 1; k > 0; k--) {
      forall (v in g.nodes().filter(d == k)) {
        for (w in g.neighbors(v)) {
          if (w.d == k + 1) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
        }
        v.c += v.share;
      }
    }
  }
}
"""
)
LONGER = ("while (more) {", "while (more || depth < 30) {")


SPELLINGS = {
    "paths are added up behind": (PUSHED, SEARCH),
    "-1 for no level": (changed(PUSHED, ("INF", "-1")), SEARCH),
    "levels are counted before": (
        changed(
            PUSHED,
            ("      more = False;\n", "      more = False;\n      depth++;\n"),
            ("      depth++;\n    }\n    while", "    }\n    while"),
            ("filter(d == depth)) {\n        forall", "filter(d == depth - 1)) {\n        forall"),
            ("w.d = depth + 1", "w.d = depth"),
            ("filter(d == depth + 1)", "filter(d == depth)"),
            ("if (u.d == depth)", "if (u.d == depth - 1)"),
        ),
        SEARCH,
    ),
    "the levels are counted first": (FIRST, SEARCH),
    "paths are passed on where a node is found": (AT_ONCE, SEARCH_PUSHED),
    "the way back begins at the last level": (
        changed(
            AT_ONCE,
            ("    while (depth > 1) {\n      depth--;\n", "    depth = depth - 1;\n    while (depth >= 1) {\n"),
            ("        v.c += v.share;\n      }\n", "        v.c += v.share;\n      }\n      depth -= 1;\n"),
        ),
        SEARCH_PUSHED,
    ),
    "paths say who is reached": (LOOKED, BY_SUM),
    "paths say so by being any": (changed(LOOKED, ("sum > 0.0", "sum != 0.0")), BY_SUM),
    "a flag says so": (FLAGGED_SUM, BY_SUM),
    "the next level has a name": (
        changed(
            NAMED, ("d == depth + 1)) {\n        for (u", "d == next)) {\n        for (u"), ("depth++", "depth = next")
        ),
        SEARCH,
    ),
    "the level of the node has a name": (
        changed(
            PUSHED,
            (
                "        for (u in g.nodes_to(w)) { if (u.d == depth)",
                "        int own = w.d - 1;\n        for (u in g.nodes_to(w)) { if (u.d == own)",
            ),
        ),
        SEARCH,
    ),
    "a flag of the round is copied": (
        changed(
            PUSHED,
            ("      more = False;\n", "      bool found = False;\n"),
            ("more = True; }", "found = True; }"),
            ("      depth++;\n", "      depth++;\n      more = found;\n"),
        ),
        SEARCH,
    ),
    "levels are compared with the node's": (changed(PUSHED, ("u.d == depth", "u.d == w.d - 1")), SEARCH),
    "one more is compared with the node's": (changed(PUSHED, ("u.d == depth", "u.d + 1 == w.d")), SEARCH),
    "neighbors come in order": (changed(AT_ONCE, ("forall (w in", "for (w in")), SEARCH_PUSHED),
    "INF for no level": (changed(LOOKED, ("-1", "INF")), BY_SUM),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_search_with_sums_has_the_operators_of_one_there_and_back(spelling: str) -> None:
    text, search = SPELLINGS[spelling]
    assert operators_of(text) == operators_of(search)


ADDS = "      forall (w in g.nodes().filter(d == depth + 1)) {\n"
NEAR = {
    "paths are added up before": changed(
        PUSHED,
        ("      more = False;\n", "      more = False;\n" + ADDS + "        w.paths += 1.0;\n      }\n"),
        (ADDS + "        for", "      forall (w in g.nodes().filter(d == depth + 2)) {\n        for"),
    ),
    "levels within a level": changed(PUSHED, ("u.d == depth", "u.d == depth + 1")),
    "levels that are not known yet": changed(PUSHED, ("u.d == depth", "u.d == INF")),
    "paths decide who is reached": changed(PUSHED, ("if (w.d == INF)", "if (w.d == INF && v.paths < 3.0)")),
    "paths decide how long": changed(
        PUSHED, ("w.paths += u.paths;", "w.paths += u.paths; if (w.paths > 3.0) { more = False; }")
    ),
    "rounds in vain": changed(FIRST, LONGER),
    "rounds in vain are counted": changed(
        FIRST, LONGER, ("    for (int k = depth", "    s.c += depth;\n    for (int k = depth")
    ),
    "paths are passed on within a level": changed(AT_ONCE, (PASSED_ON, PASSED_ON.replace("depth + 1", "depth"))),
    "paths are passed on to all": changed(AT_ONCE, (PASSED_ON, PASSED_ON.replace("w.d == depth + 1", "w.d > depth"))),
    "levels are given along the way": changed(AT_ONCE, (PASSED_ON, "if (w == v) { v.d = 0; } " + PASSED_ON)),
    "not along every arc": changed(PUSHED, ("if (w.d == INF)", "if (w.d == INF && w % 3 != 1)")),
    "the way back begins too low": changed(PUSHED, ("while (depth > 1) {", "depth -= 3;\n    while (depth > 1) {")),
    "the way back goes on": changed(PUSHED, ("while (depth > 1)", "while (depth > -1)")),
    "levels are asked for": changed(PUSHED, ("v.c += v.share;", "v.c += v.share + v.d;")),
    "another name for the next level": changed(NAMED, ("u.d == depth", "u.d == next")),
    "a name of what was next": changed(
        NAMED,
        ("      forall (w in", "      depth++;\n      forall (w in"),
        ("      depth++;\n    }", "    }"),
        ("filter(d == depth + 1)", "filter(d == next + 1)"),
    ),
    "a name of a level that is written": changed(
        PUSHED,
        (
            "if (w.d == INF) { w.d = depth + 1; more = True; }",
            "int old = w.d; if (old == INF) { w.d = depth + 1; more = True; if (old > depth) { w.paths += 1.0; } }",
        ),
    ),
    "levels are compared with the next": changed(PUSHED, ("u.d == depth", "u.d == w.d + 1")),
    "neighbors are left": changed(
        AT_ONCE, ("forall (w in", "for (w in"), (PASSED_ON, PASSED_ON + " if (w.paths > 2.0) { break; }")
    ),
    "a flag that is set by all": changed(
        FLAGGED_SUM, ("sum += u.paths; any = True; }", "sum += u.paths; } any = True;")
    ),
    "a flag that begins as set": changed(FLAGGED_SUM, ("any = False", "any = True")),
    "a flag that is asked before": changed(FLAGGED_SUM, ("if (u.d == depth)", "if (u.d == depth && !any)")),
    "a level of two steps": changed(PUSHED, ("depth++", "depth += 2")),
    "sums that may be 0": changed(LOOKED, ("s.paths = 1.0", "s.paths = 0.0")),
    "sums that may be taken away": changed(
        LOOKED,
        ("s.paths = 1.0;", "s.paths = 1.0;\n    node other = g.num_nodes() / 3;\n    other.paths = 0.0;"),
        ("v.c += v.share;", "v.c += v.share + 1.0;"),
    ),
    "sums below 0": changed(LOOKED, ("s.paths = 1.0", "s.paths = -1.0")),
    "sums of more": changed(LOOKED, ("sum += u.paths", "sum += u.paths - 1.0")),
    "sums that must be large": changed(LOOKED, ("sum > 0.0", "sum > 1.0")),
    "sums that are whole numbers": changed(
        LOOKED,
        ("propNode<double> paths", "propNode<int> paths"),
        ("double sum = 0.0", "int sum = 0"),
        ("sum > 0.0", "sum > 0"),
        ("paths = 0.0", "paths = 0"),
        ("s.paths = 1.0", "s.paths = 1"),
    ),
    "what is stored is twice the sum": changed(LOOKED, ("v.paths = sum", "v.paths = 2.0 * sum")),
    "sums decide the level": changed(LOOKED, ("v.d = depth + 1", "v.d = depth + 1 + (sum > 2.0 ? 1 : 0)")),
}


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_alike_has_other_operators(name: str) -> None:
    assert operators_of(NEAR[name]) not in (operators_of(SEARCH), operators_of(BY_SUM))


TEXTS = {name: text for name, (text, _) in SPELLINGS.items()} | NEAR


@pytest.mark.campaign
@pytest.mark.parametrize("name", TEXTS)
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile(TEXTS[name])
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        sources = list(range(graph.num_nodes))
        found, right = (
            program.run(graph, sources=sources, target="reference", checked=checked) for checked in (False, True)
        )
        assert np.allclose(found["c"], right["c"], rtol=1e-9), graph.name
