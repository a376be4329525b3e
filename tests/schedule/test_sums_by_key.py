"""Threads that are cores add up a row's values by node in an array of their own, in place of a map."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.node_cells import arrays_of_nodes
from starplat.ir.visitor import thread_arrays
from starplat.runtime import run_module
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.facts import GraphFacts
from tests.changing import changed
from tests.schedule import votes
from tests.schedule.votes import DIRECTED, SYMMETRIC

VOTES = changed(votes.VOTES, ("int> x", "node> x"), ("int> y", "node> y"), ("int> z", "node> z"), ("z = 0", "z = -1"))
VOTES = changed(VOTES, ("map<int,", "map<node,"), ("int best", "node best"))
OF_NODES = {
    "votes": VOTES,
    "of one row": changed(VOTES, ("inOutNbrs", "neighbors")),
    "of the other": changed(VOTES, ("inOutNbrs", "nodes_to")),
    "of some neighbors": changed(VOTES, ("g.inOutNbrs(v)", "g.inOutNbrs(v).filter(u.y > v.y)")),
    "of neighbors": changed(VOTES, ("votes[u.x]", "votes[u]")),
    "of one of two": changed(VOTES, ("votes[u.x]", "votes[u.y < v.y ? u.x : u.y]")),
    "asked in an expression": changed(VOTES, ("      node best = votes.best();\n", ""), ("best", "votes.best()")),
    "more than one": changed(VOTES, ("+= 1", "+= 3")),
    "none": changed(VOTES, ("best < 0 ? v.x : best", "v.x == best ? -1 : best")),
}
NEAR_MISSES = {
    "any number": changed(VOTES, ("best < 0 ? v.x : best", "best < 0 ? v.x : best + 1000")),
    "of numbers": changed(VOTES, ("votes[u.x]", "votes[u.x + 1000000]")),
    "less each time": changed(VOTES, ("+= 1", "-= 1")),
    "weighed": changed(VOTES, ("+= 1", "+= u.y")),
    "of the same array": changed(VOTES, ("v.z = best", "v.x = best"), ("    x = z;\n", "")),
    "asked for a sum": changed(VOTES, ("v.z = best < 0", "v.z = votes[v.x] < 2")),
}


def module(text: str, facts: GraphFacts | None, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, facts)


def has_own_cells(made: ir.Module) -> bool:
    own = any(thread_arrays(kernel.body) for kernel in made.kernels)
    assert own is not any(array.name.startswith("votes") for array in made.function(made.entry).arrays)
    return own


@pytest.mark.parametrize("facts", [SYMMETRIC, DIRECTED, None], ids=["symmetric", "directed", "unknown"])
@pytest.mark.parametrize("text", OF_NODES.values(), ids=OF_NODES)
def test_cores_have_cells_of_their_own_where_keys_are_nodes(text: str, facts: GraphFacts | None) -> None:
    assert has_own_cells(module(text, facts))
    for target in ("opencl", "cuda", "openacc"):
        assert not has_own_cells(module(text, facts, target))


@pytest.mark.parametrize("facts", [SYMMETRIC, DIRECTED], ids=["symmetric", "directed"])
@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_other_maps_stay(text: str, facts: GraphFacts) -> None:
    assert not has_own_cells(module(text, facts))


def test_maps_stay_where_cells_would_be_many_or_a_sum_might_wrap() -> None:
    assert has_own_cells(module(VOTES, GraphFacts(2**22, 2**30 - 1, 9, True)))
    assert not has_own_cells(module(VOTES, GraphFacts(2**22, 2**30, 9, True)))
    assert not has_own_cells(module(VOTES, GraphFacts(2**22 + 1, 2**24, 9, True)))


def test_cells_are_nodes_as_long_as_nothing_else_is_written_to_any_of_them() -> None:
    def found(*changes: tuple[str, str]) -> set[str]:
        made = starplat.compile(changed(VOTES, *changes)).module()
        return {array.name for array in arrays_of_nodes(made) if array.origin is not ir.Origin.GRAPH}

    assert found() == {"x", "z"}
    assert found(("votes[u.x]", "votes[u.y]")) == {"x", "y", "z"}
    assert found(("best < 0 ? v.x", "best < 0 ? 7")) == set()
    assert found(("    x = z;", "    x = z;\n    x = y;\n    y = z;")) == {"x", "y", "z"}
    assert found(("    x = z;", "    x = z;\n    x = y;\n    forall (v in g.nodes()) { v.y = v + 1; }")) == set()


def graphs() -> list[Graph]:
    """With loops and parallel arcs, and without any node."""
    made = generators.rmat(6, 8, 1)
    return [made.undirected(), made, generators.grid(5, 7), Graph.from_arcs(0, [], []), Graph.from_arcs(2, [0], [0])]


@pytest.mark.parametrize("text", [*OF_NODES.values(), *NEAR_MISSES.values()], ids=[*OF_NODES, *NEAR_MISSES])
def test_the_answers_are_the_same(text: str) -> None:
    if text == NEAR_MISSES["of the same array"]:
        pytest.skip("the answer depends on the order of nodes")
    compiled = starplat.compile(text)
    for graph in graphs():
        drawn = np.random.default_rng(1)
        given = {name: drawn.integers(0, max(graph.num_nodes, 1), graph.num_nodes) for name in "xy"}
        expected = compiled.run(graph, arguments=given, target="reference")
        for watched in (False, True):
            found = compiled.run(graph, arguments=given, target="openmp", trace=watched)
            for name in "xy":
                np.testing.assert_array_equal(found[name], expected[name])


def test_the_interpreter_has_such_arrays_too() -> None:
    compiled = starplat.compile(VOTES)
    for graph in graphs():
        given = {"x": np.arange(graph.num_nodes) // 3, "y": np.arange(graph.num_nodes)}
        for facts in (SYMMETRIC, DIRECTED):
            if graph.directed and facts.symmetric:
                continue
            made = module(VOTES, facts)
            assert has_own_cells(made)
            found = run_module(made, graph, target="reference", arguments=given, schedule=PLAIN)
            np.testing.assert_array_equal(found["x"], compiled.run(graph, arguments=given, target="reference")["x"])
