"""Threads that are cores add up a row's values by node in an array of their own, in place of a map."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.node_cells import arrays_of_nodes
from starplat.ir.visitor import all_expressions, thread_arrays
from starplat.runtime import run_module
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.cores.sums_by_key import sums_by_key
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


def compares_keys(made: ir.Module) -> bool:
    """Whether the keys of a short row are looked at before anything is added up."""
    minima = (part for kernel in made.kernels for part in all_expressions(kernel.body) if isinstance(part, ir.Apply))
    return any(part.function is ir.MathFunction.MIN and part.element is ir.Element.NODE for part in minima)


@pytest.mark.parametrize("name", OF_NODES)
def test_keys_of_short_rows_are_compared_where_many_rows_are_short(name: str) -> None:
    text, plain = OF_NODES[name], name != "of some neighbors"
    both_ways = "inOutNbrs" in text
    assert compares_keys(module(text, SYMMETRIC)) is plain
    assert compares_keys(module(text, DIRECTED)) is (plain and not both_ways)
    assert not compares_keys(module(text, GraphFacts(100, 900, 9, True)))
    assert not compares_keys(module(text, None))


def test_rows_with_room_are_added_up() -> None:
    """A slot of such a row may have no arc, and no key."""
    given, capabilities = starplat.compile(OF_NODES["of one row"]).module(), BACKENDS["openmp"].capabilities
    for room in (False, True):
        made = sums_by_key(replace(given, room=room), AUTO, capabilities, SYMMETRIC).module
        assert any(thread_arrays(kernel.body) for kernel in made.kernels)
        assert compares_keys(made) is not room


@pytest.mark.parametrize("arcs", range(7))
def test_equal_keys_and_none_are_seen_in_rows_of_any_few_arcs(arcs: int) -> None:
    """All that the keys of a row may be, as far as which are equal, which is the least, and which are none."""
    rows = list(product(range(-1, min(arcs, 4)), repeat=arcs))[:: 1 if arcs < 6 else 7]
    text = changed(OF_NODES["of one row"], ("i < 9", "i < 1"))
    ends = np.arange(len(rows) * arcs) + len(rows)
    keys = np.concatenate([np.full(len(rows), -1), np.array(rows, np.int64).reshape(-1)])
    padding = 7 * len(keys)  # nodes without arcs, so that rows are short in the mean
    graph = Graph.from_arcs(len(keys) + padding, np.repeat(np.arange(len(rows)), arcs), ends)
    given = {"x": np.concatenate([keys, np.full(padding, -1)]), "y": np.zeros(len(keys) + padding, np.int64)}
    found, expected = (
        starplat.compile(text).run(graph, arguments=given, target=t)["x"] for t in ("openmp", "reference")
    )
    np.testing.assert_array_equal(found, expected)
    best = [
        max((row.count(key), -key) for key in row if key >= 0)[1] * -1 if max(row, default=-1) >= 0 else -1
        for row in rows
    ]
    np.testing.assert_array_equal(found[: len(rows)], best)
