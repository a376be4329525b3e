"""What goes with the winner of a Min is found after the loop, wherever arcs explain every value in the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import starplat
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_kernel
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from tests.schedule.test_carried import LOWERED, spelled

GIVEN = """
function nearest(Graph g, propNode<int> dist, propNode<int> mark, propEdge<int> weight) {
  propNode<bool> active;
  g.attachNodeProperty(active = True);
  fixedPoint until (over : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.mark, w.active> = <Min(w.dist, v.dist + e.weight), v + 100, True>;
      }
    }
  }
}
"""

LATE = {
    "a parent": spelled(),
    "a wide key": spelled(("propNode<int> dist", "propNode<long> dist")),
    "a real": spelled(("propNode<int> dist", "propNode<double> dist")),
    "a wide number": spelled(
        ("propNode<int> hops", "propNode<long> hops"), ("w.parent, w", "w.hops, w"), (", v, T", ", v * 2, T")
    ),
    "what the arc holds": spelled(("w.parent, w", "w.hops, w"), (", v, True>", ", e.weight, True>")),
    "some arcs alone": spelled((LOWERED, "if (e.weight > 1) { " + LOWERED + " }")),
    "from every node": GIVEN,
    "arcs that have one back": spelled(
        ("g.get_edge(v, w)", "g.get_edge(w, v)"), (LOWERED, "if (e >= 0) { " + LOWERED + " }")
    ),
}  # fmt: skip
AS_BEFORE = {
    "all arcs add the same": spelled(("e.weight), v", "2), v")),
    "a count": spelled(("w.parent, w.active> =", "w.hops, w.active> ="), (", v, True>", ", v.hops + 1, True>")),
    "two of them": spelled(("w.active> =", "w.hops, w.active> ="), (", True>", ", v, True>")),
    "the greatest": spelled(("Min(w.dist, v.dist + e.weight)", "Max(w.dist, v.dist - e.weight)"), ("= INF", "= -INF")),
    "the widest": spelled(("v.dist + e.weight", "min(v.dist, e.weight)")),
    "set between the rounds": spelled(("BETWEEN", "src.dist = 0;")),
    "changed between the rounds": spelled(("BETWEEN", "forall (x in g.nodes()) { x.parent = 5; }")),
    "filled between the rounds": spelled(("BETWEEN", "g.attachNodeProperty(parent = 5);")),
    "nodes that have no turn": spelled(("dist = INF, ", "")),
    "a property of a round": spelled(
        ("fixedPoint until (over : !active) {", "fixedPoint until (over : !active) { propNode<node> above;"),
        ("<w.dist, w.parent, w", "<w.dist, w.above, w"),
        ("BETWEEN", "parent = above;"),
    ),
    "looked at": spelled((LOWERED, "if (w.parent != v) { " + LOWERED + " }")),
}


def carries(text: str) -> bool:
    """Whether a Min or Max of the program's schedule changes more than its cell and flags."""
    module = decided(starplat.compile(text).module(), AUTO, BACKENDS["cuda"].capabilities).module
    used = [op for kernel in module.kernels for op in walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell)]
    return any(op.partner is not None or op.lock is not None for op in used)


@pytest.mark.parametrize("name", LATE)
def test_the_loop_lowers_cells_and_nothing_else(name: str) -> None:
    assert not carries(LATE[name])
    assert "_found" in starplat.compile(LATE[name]).artifact("cuda", single_file=True).popitem()[1]


@pytest.mark.parametrize("name", [name for name in AS_BEFORE if name != "all arcs add the same"])
def test_what_arcs_do_not_explain_goes_with_the_winner(name: str) -> None:
    assert carries(AS_BEFORE[name])


@pytest.mark.parametrize("name", [*LATE, *AS_BEFORE])
def test_it_goes_with_the_winner_as_written(name: str) -> None:
    """Node 0 has no turn unless all have, and holds what would explain what node 1 gives to node 2."""
    program, graph = starplat.compile((LATE | AS_BEFORE)[name]), Graph.from_arcs(4, [1, 0, 2], [2, 2, 3], [10, 5, 3])
    given = {"src": 1} if "node src" in program.source.text else {}
    dist = np.array([5, 0, 100, 7])
    as_written, found = (
        program.run(graph, target="reference", dist=dist, checked=checked, **given) for checked in (True, False)
    )
    assert all(found[name].tolist() == as_written[name].tolist() for name in as_written)


def test_a_search_by_levels_needs_no_search_afterwards() -> None:
    assert (
        "adds_less"
        not in starplat.compile(AS_BEFORE["all arcs add the same"]).artifact("cuda", single_file=True).popitem()[1]
    )


@pytest.mark.parametrize("name", ["a parent", "a real"])
def test_it_stays_one_launch(name: str) -> None:
    made = decided(starplat.compile(LATE[name]).module(), AUTO, BACKENDS["cuda"].capabilities)
    assert sum(choice.step == "loop" for choice in made.choices) == 1


WEIGHTED = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 2)), max_size=40)
HEIGHTS = st.one_of(st.just([0] * 9), st.lists(st.integers(0, 4), min_size=9, max_size=9))


@settings(max_examples=80, deadline=None)
@given(WEIGHTED, HEIGHTS, st.lists(st.integers(0, 9), min_size=9, max_size=9), st.sampled_from(["reference", "openmp"]))
def test_marks_lead_to_a_node_that_was_never_lowered(
    arcs: list[tuple[int, int, int]], heights: list[int], start: list[int], target: str
) -> None:
    """With arcs that add nothing, and, where nodes have heights, arcs that add less and circles that add nothing."""
    arcs = [(u, v, weight + heights[v] - heights[u]) for u, v, weight in arcs]
    sources, ends, weights = (np.array([arc[i] for arc in arcs], np.int32) for i in range(3))
    graph = Graph.from_arcs(9, sources, ends, weights)
    expected = list(start)
    for _ in range(9):
        for u, v, weight in arcs:
            expected[v] = min(expected[v], expected[u] + weight)
    arguments = {"dist": np.array(start, np.int32), "mark": np.full(9, -1, np.int32), "weight": graph.weights}
    found = starplat.compile(GIVEN).run(graph, target=target, arguments=arguments)
    assert found["dist"].tolist() == expected
    above = found["mark"] - 100
    for node in range(9):
        way = [node]
        while expected[way[-1]] != start[way[-1]]:
            over = int(above[way[-1]])
            assert (over, way[-1], expected[way[-1]] - expected[over]) in arcs
            assert over not in way
            way.append(over)
        assert found["mark"][way[-1]] == -1


def test_nodes_at_infinity_that_begin_in_the_frontier_offer_nothing() -> None:
    """Loops that are made of one share its iterator, and only some of them leave out INF."""
    program = starplat.compile("""
    function f(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, node src) {
      propNode<int> next;
      g.attachNodeProperty(dist = INF, next = INF, parent = -1);
      src.dist = 0;
      src.next = 0;
      dist = next;
      bool more = True;
      while (more) {
        more = False;
        forall (v in g.nodes()) {
          for (u in g.nodes_to(v)) {
            edge e = g.get_edge(u, v);
            int offered = u.dist + e.weight;
            if (offered < v.next) { v.next = offered; v.parent = u; more = True; }
          }
        }
        dist = next;
      }
    }
    """)
    graph = Graph.from_arcs(4, np.array([0, 0, 1, 1, 3]), np.array([1, 3, 0, 2, 2]), np.array([2, 1, 1, 3, 3]))
    found = program.run(graph, target="reference", src=3)
    assert found["dist"].tolist() == [2**31 - 1, 2**31 - 1, 3, 0]
    assert found["parent"].tolist() == [-1, -1, 3, -1]
