"""Which programs need no rows but those of their part's own nodes, and why others need more."""

from __future__ import annotations

import pytest

import starplat
from starplat.passes.parts.placing import in_parts
from starplat.passes.parts.rows import why_all_rows
from tests.programs.targets import compiled
from tests.runtime.test_parts import CAN_BE_DIVIDED

OWN_ROWS = {
    "betweenness", "betweenness_push", "bfs", "bfs_levels", "closeness", "connected_components", "degree_centrality",
    "k_core", "pagerank", "radii", "sssp", "sssp_two_flags",
}  # fmt: skip


def test_most_examples_need_only_the_rows_of_own_nodes() -> None:
    found = {case.program for case in CAN_BE_DIVIDED if why_all_rows(in_parts(compiled(case.path).module())) is None}
    assert found == OWN_ROWS


@pytest.mark.parametrize(("body", "reason"), [
    ("v.a = g.count_outNbrs(v);", None),
    ("forall (w in g.neighbors(v)) { v.a += w.a0; }", None),
    ("forall (w in g.nodes_to(v)) { v.a += w.a0; }", None),
    ("if (g.is_an_edge(v, 0)) { v.a = 1; }", None),
    ("if (g.is_an_edge(0, v)) { v.a = 1; }", "'f_set_a' looks for an edge in a row of another part's node"),
    ("forall (w in g.neighbors(v)) { forall (x in g.neighbors(w)) { v.a += x.a0; } }", "walks rows of other parts"),
    ("forall (w in g.nodes_to(v)) { edge e = g.get_edge(w, v); v.a += e.weight; }", "reads 'weight' of other parts"),
])  # fmt: skip
def test_a_reason_names_what_is_read_of_other_parts(body: str, reason: str | None) -> None:
    head = "function f(Graph g, propNode<int> a0, propNode<int> a, propEdge<int> weight) {"
    module = in_parts(starplat.compile(f"{head} forall (v in g.nodes()) {{ {body} }} }}").module())
    found = why_all_rows(module)
    assert (found is None) == (reason is None), found
    assert reason is None or reason in str(found)
