"""Step `pairs`: what a Min or Max carries is kept beside the cell in one word, where both fit and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import walk_kernel
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from tests.oracles import INF
from tests.schedule.programs import BY_HOST, CUDA, module_of, program_of

PROGRAM = """
function sssp(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, node src) {
  propNode<bool> active;
  propNode<int> hops;
  g.attachNodeProperty(dist = INF, parent = -1, active = False, hops = 0);
  src.dist = 0;
  src.active = True;
  fixedPoint until (over : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.parent, w.active> = <Min(w.dist, v.dist + e.weight), v, True>;
        INSIDE
      }
    }
    BETWEEN
  }
}
"""
LOWERED = "<w.dist, w.parent, w.active> = <Min(w.dist, v.dist + e.weight), v, True>;"


def spelled(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in (*changes, ("INSIDE", ""), ("BETWEEN", "")):
        text = text.replace(old, new)
    return text


PAIRED = {
    "a parent": spelled(),
    "a count": spelled(("w.parent, w.active> =", "w.hops, w.active> ="), (", v, True>", ", v.hops + 1, True>")),
    "the greatest": spelled(
        ("Min(w.dist, v.dist + e.weight)", "Max(w.dist, v.dist - e.weight)"), ("dist = INF", "dist = -INF")
    ),
    "looked at": spelled((LOWERED, "if (w.parent != v) { " + LOWERED + " }")),
}
APART = {
    "two numbers carried": spelled(("w.active> =", "w.hops, w.active> ="), (", True>", ", v.hops + 1, True>")),
    "a wide key": spelled(("propNode<int> dist", "propNode<long> dist")),
    "a wide number carried": spelled(
        ("propNode<int> hops", "propNode<long> hops"), ("w.parent, w", "w.hops, w"), (", v, T", ", v.hops + 1, T")
    ),
    "a real": spelled(("propNode<int> dist", "propNode<float> dist")),
    "changed by itself too": spelled(("BETWEEN", "forall (v in g.nodes()) { if (v.parent == -2) { v.parent = -3; } }")),
    "set between the rounds": spelled(("BETWEEN", "src.dist = 0;")),
    "of another node": spelled(("w.parent, w", "v.parent, w")),
}  # fmt: skip


def kept(text: str, capabilities: Capabilities) -> tuple[list[str], list[str]]:
    """The names of the arrays of pairs that the program's schedule makes, and of its locks."""
    module = decided(module_of(text), AUTO, capabilities).module
    arrays = [array for function in module.functions for array in function.arrays]
    used = [op for kernel in module.kernels for op in walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell)]
    assert {op.array for op in used if op.partner is not None} == {array for array in arrays if array.pairs}
    return [array.name for array in arrays if array.pairs], [a.name for a in arrays if a.name.endswith("_lock")]


@pytest.mark.parametrize("capabilities", [CUDA, BY_HOST], ids=["one launch", "by the host"])
@pytest.mark.parametrize("name", PAIRED)
def test_a_number_is_kept_beside_its_cell(name: str, capabilities: Capabilities) -> None:
    pairs, locks = kept(PAIRED[name], capabilities)
    assert pairs == ["dist_hops" if name == "a count" else "dist_parent"]
    assert locks == []


@pytest.mark.parametrize("name", APART)
def test_what_does_not_fit_keeps_its_lock(name: str) -> None:
    assert kept(APART[name], CUDA) == ([], ["dist_lock"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 2)), max_size=40),
    st.sampled_from(["reference", "openmp"]),
)
def test_parents_lead_to_the_source(arcs: list[tuple[int, int, int]], target: str) -> None:
    """Also along arcs that add nothing: a parent that is no nearer must have been there first."""
    sources, ends, weights = (np.array([arc[i] for arc in arcs], np.int32) for i in range(3))
    graph = Graph.from_arcs(9, sources, ends, weights)
    program = program_of(PAIRED["a parent"])
    given = {"src": 0, "weight": graph.weights}
    found = program.run(graph, target=target, schedule="auto", arguments=given)
    plain = program.run(graph, target="reference", schedule="plain", arguments=given)
    assert np.array_equal(found["dist"], plain["dist"])
    for node in range(9):
        if node and plain["dist"][node] != INF:
            above = found["parent"][node]
            assert (above, node, found["dist"][node] - found["dist"][above]) in arcs
        way = [node]
        while way[-1] not in (0, -1):
            way.append(found["parent"][way[-1]])
            assert way[-1] not in way[:-1]


@pytest.mark.parametrize("target", ["reference", "openmp"])
def test_halves_keep_their_signs(target: str) -> None:
    text = """
function far(Graph g, propNode<int> best, propNode<int> mark, propNode<int> start) {
  propNode<bool> on;
  g.attachNodeProperty(on = True);
  fixedPoint until (over : !on) {
    forall (v in g.nodes().filter(on)) {
      forall (w in g.neighbors(v)) {
        <w.best, w.mark, w.on> = <Max(w.best, v.best - 1), -v.start, True>;
      }
    }
  }
}
"""
    assert kept(text, CUDA)[0] == ["best_mark"]
    graph = Graph.from_arcs(4, [0, 1, 2, 2], [1, 2, 0, 3])
    best, start = np.array([-7, -20, -2_000_000_000, -30], np.int32), np.array([2_147_483_647, 1, 0, -5], np.int32)
    mark = np.full(4, -9, np.int32)
    found = program_of(text).run(
        graph, target=target, schedule="auto", arguments={"best": best, "mark": mark, "start": start}
    )
    assert list(found["best"]) == [-7, -8, -9, -10]
    assert list(found["mark"]) == [-9, -2_147_483_647, -1, 0]


SEARCH = spelled(("v.dist + e.weight", "v.dist + 1"))
OF_WHOLE_NUMBERS = SEARCH.replace("propNode<node> parent", "propNode<int> parent")
NO_WAVES = {
    "weights": spelled(),
    "two levels at first": SEARCH.replace("src.dist = 0;", "src.dist = 0; node other = src; other.dist = 0;"),
    "what the arc holds": OF_WHOLE_NUMBERS.replace(", v, True>", ", e.weight, True>"),
    "what changes at the source": SEARCH.replace(", v, True>", ", v.parent, True>"),
    "the level itself": OF_WHOLE_NUMBERS.replace(", v, True>", ", w.dist, True>"),
}


@pytest.mark.parametrize("capabilities", [CUDA, BY_HOST], ids=["one launch", "by the host"])
def test_a_search_takes_any_parent(capabilities: Capabilities) -> None:
    assert kept(SEARCH, capabilities) == ([], [])
    choices = decided(module_of(SEARCH), AUTO, capabilities).choices
    assert any("else pull" in choice.what for choice in choices)


@pytest.mark.parametrize("name", NO_WAVES)
def test_what_is_no_wave_carries_as_before(name: str) -> None:
    choices = decided(module_of(NO_WAVES[name]), AUTO, CUDA).choices
    assert not any("else pull" in choice.what for choice in choices)
    assert kept(NO_WAVES[name], CUDA) != ([], [])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=50),
    st.sampled_from(["auto", "direction=pull", "direction=push"]),
)
def test_a_parent_is_one_nearer(arcs: list[tuple[int, int]], schedule: str) -> None:
    graph = Graph.from_arcs(12, [a for a, _ in arcs], [b for _, b in arcs])
    given = {"src": 0, "weight": 1}
    found = program_of(SEARCH).run(graph, target="openmp", schedule=schedule, arguments=given)
    plain = program_of(SEARCH).run(graph, target="reference", schedule="plain", arguments=given)
    assert np.array_equal(found["dist"], plain["dist"])
    for node in range(12):
        above = found["parent"][node]
        if node == 0 or found["dist"][node] == INF:
            assert above == -1
        else:
            assert (above, node) in arcs
            assert found["dist"][above] + 1 == found["dist"][node]
