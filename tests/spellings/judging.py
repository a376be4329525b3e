"""How the programs of the corpus are called, and how their answers are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from starplat import Graph, Result
from tests.oracles import INF, weights_of
from tests.programs.cases import simple_undirected
from tests.spellings.answers import NEAR, RIGHT, Answer, Arcs, Call, arcs_of
from tests.spellings.corpus import Entry

Tight = Callable[[Any, Any, int], bool]  # value of the parent, of the node, weight of the arc between


@dataclass(frozen=True)
class Algorithm:
    """What all programs of a folder share: `suits` prepares a graph for an algorithm that is defined on some only."""

    result: str
    calls: Callable[[Graph], list[Call]]
    tight: Tight | None = None
    suits: Callable[[Graph], Graph] = field(default=lambda graph: graph)


def from_two_nodes(graph: Graph) -> list[Call]:
    return [{"src": src} for src in sorted({0, graph.num_nodes // 2})]


def once(graph: Graph) -> list[Call]:
    return [{}]


def some_rounds(graph: Graph) -> list[Call]:
    """Until little moves, and three rounds whatever moves."""
    return [
        {"damping": 0.85, "tolerance": 2e-2, "max_iterations": 20},
        {"damping": 0.5, "tolerance": 0.0, "max_iterations": 3},
    ]


def from_sets(graph: Graph) -> list[Call]:
    return [{"sources": list(range(graph.num_nodes))}, {"sources": [graph.num_nodes // 2]}]


ALGORITHMS = {
    "bfs": Algorithm("level", from_two_nodes, lambda p, x, w: p + 1 == x),
    "sssp": Algorithm("dist", from_two_nodes, lambda p, x, w: p + w == x),
    "widest_path": Algorithm("width", from_two_nodes, lambda p, x, w: min(p, w) == x),
    "reachability": Algorithm("reached", from_two_nodes, lambda p, x, w: bool(p)),
    "connected_components": Algorithm("component", once),
    "pagerank": Algorithm("rank", some_rounds),
    "betweenness": Algorithm("bc", from_sets),
    "triangle_count": Algorithm("triangles", once, suits=simple_undirected),
    "k_core": Algorithm("core", once),
}


def algorithm_of(entry: Entry) -> Algorithm:
    return ALGORITHMS[entry.algorithm]


def arguments(entry: Entry, graph: Graph, call: Call) -> dict[str, Any]:
    """The call as the program has it; weights go by name where they are not called so."""
    given = {entry.name(name): value for name, value in call.items()}
    return {**given, **({entry.names["weight"]: weights_of(graph).astype(int)} if "weight" in entry.names else {})}


def answer_of(entry: Entry, result: Result) -> Answer:
    """The answer, in the words of the algorithm."""
    name = entry.name(algorithm_of(entry).result)
    found = result.returned if name == "return" else result[name].tolist()
    if entry.unreached is not None:
        return [INF if x == entry.unreached else x for x in found]
    return [INF if x == 2**63 - 1 else x for x in found] if isinstance(found, list) else found


def scaled(entry: Entry, graph: Graph) -> Graph:
    """The graph that the program computes on, if weights count several times."""
    if entry.scale == 1:
        return graph
    weights = weights_of(graph).astype(int) * entry.scale
    return Graph.from_arcs(graph.num_nodes, graph.sources, graph.columns, weights)


def right_answer(entry: Entry, graph: Graph, call: Call) -> Answer:
    """What the program must give, by definition."""
    known = NEAR[entry.algorithm][entry.path.stem] if entry.is_near_miss else RIGHT[entry.algorithm]
    return known(arcs_of(scaled(entry, graph)), call)


def same(one: Answer, other: Answer) -> bool:
    """Whole numbers and flags exactly, reals to the precision that the language promises."""
    a, b = np.array(one), np.array(other)
    if a.dtype.kind == "f" or b.dtype.kind == "f":
        return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12))
    return bool(np.array_equal(a, b))


def assert_parents(entry: Entry, graph: Graph, call: Call, result: Result) -> None:
    """A node that is reached has a parent from which its value comes, along an arc; the source and others have -1."""
    tight = algorithm_of(entry).tight
    if "parent" not in entry.names or tight is None:
        return
    values, parents = answer_of(entry, result), result[entry.names["parent"]].tolist()
    assert isinstance(values, list)
    arcs: Arcs = arcs_of(scaled(entry, graph))
    nothing = 0 if entry.algorithm in ("widest_path", "reachability") else INF
    for v, (value, parent) in enumerate(zip(values, parents, strict=True)):
        if v == call["src"] or value == nothing:
            assert parent == -1, f"node {v} needs no parent but has {parent}"
        else:
            found = any(u == parent and t == v and tight(values[u], value, w) for u, t, w in arcs.arcs)
            assert found, f"the value {value} of node {v} does not come from its parent {parent}"
