"""Sequences of updates, and what they mean, said once more in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from starplat.graph import Graph
from starplat.graph.updates import ADD, DELETE, Updates
from tests.zoo import random_graphs

Update = tuple[int, int, int, int]
"""Kind, source, destination, weight."""
Arc = tuple[int, int, int]


@dataclass(frozen=True)
class Stream:
    """A graph, updates of it as they are given, and how many make a batch."""

    graph: Graph
    given: list[Update]
    batch: int

    @property
    def updates(self) -> Updates:
        """The same as the record."""
        kinds, sources, destinations, weights = zip(*self.given, strict=True) if self.given else ((), (), (), ())
        return Updates.of(self.graph, kinds, sources, destinations, weights)


@st.composite
def streams(draw: st.DrawFn, max_nodes: int = 12, max_arcs: int = 30, max_updates: int = 16) -> Stream:
    """Graphs with updates: duplicates, absent deletions, arcs added and deleted at once, loops, one at a time, all
    arcs gone; batches that hold one update, some, or all."""
    graph = draw(random_graphs(max_nodes, max_arcs))
    arcs = list(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    node = st.integers(0, graph.num_nodes - 1)
    ends = st.one_of(st.tuples(node, node), *([st.sampled_from(arcs)] if arcs else []))
    few = draw(st.lists(ends, min_size=1, max_size=4))  # these come up again and again
    one = st.tuples(st.sampled_from([ADD, DELETE]), st.one_of(ends, st.sampled_from(few)), st.integers(0, 9))
    given = [(kind, u, v, w) for kind, (u, v), w in draw(st.lists(one, max_size=max_updates))]
    if draw(st.integers(0, 5)) == 0:
        place = draw(st.integers(0, len(given)))
        given[place:place] = [(DELETE, u, v, 1) for u, v in arcs]
    return Stream(graph, given, draw(st.integers(1, len(given) + 1)))


def arcs_of(graph: Graph) -> list[Arc]:
    """The arcs of a graph with their weights, in its order."""
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    return list(zip(graph.sources.tolist(), graph.columns.tolist(), weights, strict=True))


def after(graph: Graph, arcs: list[Arc], given: list[Update]) -> list[Arc]:
    """The arcs after some updates: deletions first, each for all parallel arcs, then additions."""

    def both(u: int, v: int) -> list[tuple[int, int]]:
        return [(u, v)] if graph.directed or u == v else [(u, v), (v, u)]

    gone = {ends for kind, u, v, _ in given if kind == DELETE for ends in both(u, v)}
    more = [(*ends, w) for kind, u, v, w in given if kind == ADD for ends in both(u, v)]
    return sorted([arc for arc in arcs if arc[:2] not in gone] + more, key=lambda arc: arc[:2])
