"""Graphs that change: after every batch the answer is that of the graph as it is then, which is built anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat import Graph, Result
from starplat.algorithms import program
from starplat.graph.updates import DELETE
from tests import oracles
from tests.algorithms.judged import directed, simple
from tests.graph.changing import Stream
from tests.programs.cases import close, finite_or_inf
from tests.programs.targets import Target

Check = Callable[[Graph, Result], None]
Seen = list[tuple[Graph, Result]]


@dataclass(frozen=True)
class Changing:
    """A program that follows updates.

    Attributes:
        check: judges the properties after a batch, on the graph rebuilt.
        returned: judges what the program returns in the end.
        arguments: beside the updates and the size of a batch.
    """

    program: str
    check: Check | None = None
    returned: Callable[[Graph], Any] | None = None
    suits: Callable[[Graph], Graph] = directed
    arguments: Callable[[Graph], dict[str, Any]] = lambda graph: {}

    def judge(self, graph: Graph, target: Target) -> None:
        """Runs the program with updates of all sorts and asserts that it is right after every batch."""
        if graph.num_nodes:
            self.follow(Stream(graph, some_updates(graph), 7), target)

    def follow(self, stream: Stream, target: Target) -> None:
        """Runs the program and asserts that it is right after every batch."""
        batches: list[Result] = []
        given: dict[str, Any] = {
            **self.arguments(stream.graph),
            "changes": stream.updates,
            "batch": stream.batch,
            "on_batch": lambda number, result: batches.append(result),
        }
        result = target.run(program(self.program), stream.graph, given)
        graph = stream.graph
        bounds = list(stream.updates.batches(stream.batch))
        assert len(batches) == len(bounds)
        for (first, last), seen in zip(bounds, batches, strict=True):
            graph = stream.updates.rebuilt(graph, first, last).graph
            self.compare(graph, seen)
        self.compare(graph, result)
        if self.returned is not None:
            assert result.returned == self.returned(graph)

    def compare(self, graph: Graph, found: Result) -> None:
        """Asserts that a result is that of this graph."""
        np.testing.assert_array_equal(found.graph.row_offsets, graph.row_offsets)
        np.testing.assert_array_equal(found.graph.columns, graph.columns)
        if self.check is not None:
            self.check(graph, found)


def some_updates(graph: Graph) -> list[tuple[int, int, int, int]]:
    """Additions and deletions, some of them twice or of arcs that are not there, and then many arcs gone."""
    draw = np.random.default_rng(graph.num_arcs)
    n, arcs = graph.num_nodes, list(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    ends = [(int(u), int(v)) for u, v in draw.integers(0, n, (6, 2))] + arcs[:: max(1, len(arcs) // 8)]
    chosen = [(int(kind), *ends[int(i)]) for kind, i in draw.integers(0, [2, len(ends)], (25, 2))]
    gone = [(DELETE, u, v) for u, v in arcs[2:30]]
    weights = draw.integers(1, 9, len(chosen) + len(gone)).tolist()
    return [(kind, u, v, weight) for (kind, u, v), weight in zip(chosen + gone, weights, strict=True)]


def _distances(graph: Graph, result: Result) -> None:
    steps = oracles.distances(graph, 0)
    np.testing.assert_array_equal(result["dist"], finite_or_inf(steps))
    lengths = oracles.lightest(graph, oracles.weights_of(graph)).todense() if graph.num_arcs else None
    _leads_back(graph, _parents(graph, result), steps, lambda u, v: lengths[u, v])


def _levels(graph: Graph, result: Result) -> None:
    steps = oracles.levels(graph, 0)
    np.testing.assert_array_equal(result["level"], finite_or_inf(steps))
    oracles.assert_parents(graph, 0, steps, _parents(graph, result))


def _parents(graph: Graph, result: Result) -> Any:
    """The parents as node numbers."""
    return np.array([-1 if up == -1 else graph.node_of(up) for up in result["parent"].tolist()], np.int64)


def _leads_back(graph: Graph, parent: Any, steps: Any, length: Callable[[int, int], float]) -> None:
    """Every node that is reached has a parent that is nearer by an arc, and no two are each other's."""
    for node in range(graph.num_nodes):
        if node == 0 or not np.isfinite(steps[node]):
            assert parent[node] == -1
            continue
        assert steps[parent[node]] + length(parent[node], node) == steps[node]
        _require_end(parent, node, 0)


def _require_end(parent: Any, node: int, end: int) -> None:
    for _ in parent:
        if parent[node] == -1:
            break
        node = parent[node]
    assert node == end


def _components(graph: Graph, result: Result) -> None:
    labels = oracles.components(graph, "weak")
    np.testing.assert_array_equal(result["comp"], labels)
    arcs = set(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    parents = _parents(graph, result)
    for node, up in enumerate(parents.tolist()):
        assert up == -1 or (up, node) in arcs or (node, up) in arcs
        _require_end(parents, node, labels[node])


def _degrees(graph: Graph, result: Result) -> None:
    np.testing.assert_array_equal(result["out_degree"], np.bincount(graph.sources, minlength=graph.num_nodes))
    np.testing.assert_array_equal(result["in_degree"], np.bincount(graph.columns, minlength=graph.num_nodes))


def _ranks(graph: Graph, result: Result) -> None:
    close(result["rank"], oracles.pagerank(graph), 1e-6)


def with_room(graph: Graph) -> Graph:
    """With its directions, and weights so small that a path fits an `int` with the arcs of updates too."""
    graph = directed(graph)
    heavy = graph.weights is not None and len(graph.weights) > 0 and graph.weights.max() >= 2**29
    return graph.with_weights(graph.weights // 2) if heavy and graph.weights is not None else graph


def from_first(graph: Graph, **more: Any) -> dict[str, Any]:
    return {"src": graph.original_id(0), **more}


TABLE = [
    Changing("dynamic_sssp", _distances, suits=with_room, arguments=from_first),
    Changing("dynamic_bfs_levels", _levels, arguments=from_first),
    Changing("dynamic_components", _components),
    Changing("dynamic_degrees", _degrees),
    Changing("dynamic_pagerank", _ranks, arguments=lambda graph: {"tolerance": 1e-10, "max_iterations": 1000}),
    Changing("dynamic_triangle_count", returned=oracles.triangles, suits=simple),
]
