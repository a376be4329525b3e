"""Properties that follow from degrees are computed where they are asked for; others are kept."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

_ROUNDS = """
  for (int i = 0; i < 3; i++) {
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        ADD
      }
      v.next = 0.1 + sum;
    }
    rank = next;
  }
}
"""
_HEAD = """
function f(Graph g, propNode<double> rank) {
  propNode<double> next;
"""
DIVIDED = _HEAD + "  g.attachNodeProperty(rank = 1.0);" + _ROUNDS.replace("ADD", "sum += u.rank / g.count_outNbrs(u);")
OF_NODES = (
    _HEAD
    + """
  propNode<double> inverse;
  g.attachNodeProperty(rank = 1.0, inverse = 0.0);
  forall (v in g.nodes()) {
    if (g.count_outNbrs(v) > 0) { v.inverse = 1.0 / g.count_outNbrs(v); }
  }
"""
    + _ROUNDS.replace("ADD", "sum += u.rank * u.inverse;")
)
OF_ARCS = (
    _HEAD
    + """
  propEdge<double> share;
  forall (v in g.nodes()) {
    v.rank = 1.0;
    forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); e.share = 1.0 / g.count_outNbrs(v); }
  }
"""
    + _ROUNDS.replace("ADD", "edge e = g.get_edge(u, v); sum += e.share * u.rank;")
)
FILLED = changed(
    OF_ARCS, ("share;\n", "share;\n  g.attachNodeProperty(rank = 1.0);\n  g.attachEdgeProperty(share = 0.25);\n")
)
COMPARED = (
    _HEAD
    + """
  propNode<double> out;
  g.attachNodeProperty(rank = 1.0);
  forall (v in g.nodes()) { v.out = g.count_outNbrs(v); }
"""
    + _ROUNDS.replace("ADD", "if (u.out > 0.0) { sum += u.rank / g.count_outNbrs(u); }")
)
CHOSEN = changed(
    OF_NODES,
    (", inverse = 0.0", ""),
    (
        "if (g.count_outNbrs(v) > 0) { v.inverse = 1.0 / g.count_outNbrs(v); }",
        "v.inverse = g.count_outNbrs(v) == 0 ? 0.0 : 1.0 / g.count_outNbrs(v);",
    ),
)
BESIDE = changed(
    OF_NODES,
    ("  propNode<double> inverse;", "  propNode<int> deg;\n  propNode<double> inverse;"),
    ("inverse = 0.0)", "inverse = 0.0, deg = 3)"),
    (
        "    if (g.count_outNbrs(v) > 0) { v.inverse = 1.0 / g.count_outNbrs(v); }",
        "    v.deg = g.count_outNbrs(v);\n    v.inverse = v.deg == 0 ? 0.0 : 1.0 / v.deg;",
    ),
)
SPELLINGS = {
    "a whole number, and what follows from it, in one loop": BESIDE,
    "a number for each node": OF_NODES,
    "a number for each node, by a filter": changed(
        OF_NODES,
        ("g.nodes()) {\n    if (g.count_outNbrs(v) > 0) {", "g.nodes().filter(g.count_outNbrs(v) > 0)) {"),
        ("g.count_outNbrs(v); }", "g.count_outNbrs(v);"),
    ),
    "a number for each arc": OF_ARCS,
    "a number for each arc, by a loop over arcs": changed(
        OF_ARCS,
        (
            "    forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); e.share = 1.0 / g.count_outNbrs(v); }\n  }",
            "  }\n  forall (e in g.edges()) { e.share = 1.0 / g.count_outNbrs(e.source); }",
        ),
    ),
    "a number that is 0 first": changed(
        OF_NODES, (", inverse = 0.0", ""), ("    if (g.count", "    v.inverse = 0.0;\n    if (g.count")
    ),
    "a number that is chosen": CHOSEN,
    "a number that is chosen the other way": changed(
        CHOSEN, ("== 0 ? 0.0 : 1.0 / g.count_outNbrs(v)", "> 0 ? 1.0 / g.count_outNbrs(v) : 0.0")
    ),
}
NEAR = {
    "the degree of the other side": (OF_NODES, "(g.count_outNbrs(v) > 0)", "(g.count_inNbrs(v) > 0)"),
    "nodes with few neighbors": (OF_NODES, "(g.count_outNbrs(v) > 0)", "(g.count_outNbrs(v) > 1)"),
    "numbers that are filled again": (
        OF_NODES,
        "    rank = next;",
        "    rank = next; g.attachNodeProperty(inverse = 0.5);",
    ),
    "numbers that are asked before": (
        OF_NODES,
        "  forall (v in",
        "  forall (v in g.nodes()) { v.rank = v.inverse; }\n  forall (v in",
    ),
    "numbers of all nodes": (OF_NODES, "v.next = 0.1 + sum;", "v.next = v.inverse + sum;"),
    "numbers that grow": (OF_NODES, "    rank = next;", "    rank = next; node first = 0; first.inverse = 2.0;"),
    "the degree of the other end": (OF_ARCS, "1.0 / g.count_outNbrs(v)", "1.0 / g.count_inNbrs(w)"),
    "other arcs' numbers": (
        changed(SPELLINGS["a number for each arc, by a loop over arcs"], ("e.share = 1.0", "e.share = 1.0 + 0.0")),
        "g.count_outNbrs(e.source)",
        "g.count_inNbrs(e.destination)",
    ),
    "another number is chosen": (CHOSEN, "? 0.0 :", "? 0.5 :"),
    "it is chosen otherwise": (CHOSEN, "== 0 ?", "== 1 ?"),
    "it is read before it is stored": (
        BESIDE,
        "    v.deg = g.count_outNbrs(v);\n    v.inverse = v.deg == 0 ? 0.0 : 1.0 / v.deg;",
        "    v.inverse = v.deg == 0 ? 0.0 : 1.0 / v.deg;\n    v.deg = g.count_outNbrs(v);",
    ),
    "another node's is read": (BESIDE, "v.deg == 0 ?", "g.neighbor(v, 0) < 0 || g.neighbor(v, 0).deg == 0 ?"),
    "some store it": (BESIDE, "    v.deg = ", "    if (v > 1) { v.deg = g.count_inNbrs(v); }\n    v.deg = "),
    "arcs to some": (FILLED, "forall (w in g.neighbors(v)) {", "forall (w in g.neighbors(v).filter(w > 2)) {"),
    "arcs from some": (
        FILLED,
        "forall (v in g.nodes()) {\n    v.rank = 1.0;",
        "forall (v in g.nodes().filter(v > 2)) {",
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_has_the_operators_of_a_quotient(spelling: str) -> None:
    assert operators_of(SPELLINGS[spelling]) == operators_of(DIVIDED)


@pytest.mark.parametrize("asked", ["u.out > 0.0", "0.0 != u.out", "u.out > 1.0"])
def test_a_degree_kept_as_a_real_is_compared_with_0_as_the_whole_number_that_it_is(asked: str) -> None:
    text = changed(COMPARED, ("u.out > 0.0", asked))
    whole = {"u.out > 0.0": "g.count_outNbrs(u) > 0"}.get(asked, "g.count_outNbrs(u) != 0")
    without = changed(COMPARED, ("u.out > 0.0", whole))
    same = operators_of(text) == operators_of(changed(without, ("{ v.out = g.count_outNbrs(v); }", "{ }")))
    assert same is (asked != "u.out > 1.0")
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        found, right = (
            starplat.compile(text).run(graph, target="reference", checked=checked) for checked in (False, True)
        )
        assert np.allclose(found["rank"], right["rank"], rtol=1e-12), graph.name


@pytest.mark.parametrize("inverse", [OF_NODES, CHOSEN])
@pytest.mark.parametrize(
    ("asked", "whole"),
    [
        ("v.inverse == 0.0", "g.count_outNbrs(v) == 0"),
        ("v.inverse > 0.0", "g.count_outNbrs(v) > 0"),
        ("v.inverse <= 0.0", "g.count_outNbrs(v) <= 0"),
        ("v.inverse > 0.5", None),
    ],
)
def test_an_inverse_that_is_0_says_that_there_are_no_neighbors(inverse: str, asked: str, whole: str | None) -> None:
    def asking(text: str, condition: str) -> str:
        return changed(
            text,
            ("v.next = 0.1 + sum;", "if (CONDITION) { sum += 1.0; } v.next = 0.1 + sum;"),
            ("CONDITION", condition),
        )

    text = asking(inverse, asked)
    assert (operators_of(text) == operators_of(asking(DIVIDED, whole or "g.count_outNbrs(v) > 2"))) is (
        whole is not None
    )
    assert_as_written(text)


def test_an_inverse_that_others_hold_is_kept() -> None:
    asking = ("v.next = 0.1 + sum;", "if (v.inverse == 0.0) { sum += 1.0; } v.next = 0.1 + sum;")
    text = changed(OF_NODES, asking, ("inverse = 0.0);", "inverse = 0.25);"))
    assert "1.0 / count_outNbrs" in operators_of(text)
    assert_as_written(text)


def assert_as_written(text: str) -> None:
    program = starplat.compile(text)
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        found, right = (program.run(graph, target="reference", checked=checked) for checked in (False, True))
        assert np.allclose(found["rank"], right["rank"], rtol=1e-12), graph.name


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    if name in SPELLINGS:
        text = SPELLINGS[name]
    else:
        near, *change = NEAR[name]
        text = changed(near, (change[0], change[1]))
        assert operators_of(text) != operators_of(DIVIDED)
    program = starplat.compile(text)
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["parallel"], UGLY["one-node"]):
        found, right = (program.run(graph, target="reference", checked=checked) for checked in (False, True))
        assert np.allclose(found["rank"], right["rank"], rtol=1e-12), graph.name
