"""How every example is called and how its answer is judged: one row a program.

`CASES` is the table; a test that wants all programs walks it. Arguments are in the graph's original ids, as a user
gives them; oracles speak of nodes 0..n-1, so results of type `node` are translated back here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import Graph
from starplat.resources import shipped_programs
from tests import oracles
from tests.oracles import INF
from tests.programs.targets import Target, compiled

EXAMPLES = Path(__file__).parents[2] / "examples"

Arguments = dict[str, Any]
Results = Mapping[str, NDArray[Any]]  # what `result[name]` gives
Answer = tuple[Results, Any]  # the properties, and what was returned


@dataclass(frozen=True)
class Case:
    """A program, the calls that are worth trying on a graph, and what must hold of the answer.

    `suits` prepares a graph for a program that is defined on some graphs only.
    """

    program: str
    properties: tuple[str, ...]
    calls: Callable[[Graph], Sequence[Arguments]]
    check: Callable[[Graph, Arguments, Results, Any], None]
    suits: Callable[[Graph], Graph] = lambda graph: graph

    @property
    def path(self) -> Path:
        """The program's file."""
        return shipped_programs()[self.program]

    def judge(self, graph: Graph, target: Target) -> None:
        """Runs the program on a graph that suits it, in all ways to call it, and asserts that the answers are right."""
        for call in self.calls(graph):
            result = target.run(compiled(self.path), graph, call)
            try:
                self.check(graph, call, {name: result[name] for name in self.properties}, result.returned)
            except AssertionError as wrong:
                raise AssertionError(f"{self.program} on {graph.name} with {call}: {wrong}") from wrong


# --- calls ---------------------------------------------------------------------------------------------------------


def once(graph: Graph) -> list[Arguments]:
    """No arguments."""
    return [{}]


def from_some_nodes(graph: Graph) -> list[Arguments]:
    """From the first node, and from one in the middle."""
    starts = {0, graph.num_nodes // 2} if graph.num_nodes else ()
    return [{"src": graph.original_id(node)} for node in sorted(starts)]


def from_sets(graph: Graph) -> list[Arguments]:
    """From all nodes, of a large graph from eight; from two, from none."""
    ends = [0, graph.num_nodes - 1] if graph.num_nodes > 1 else []
    many = range(0, graph.num_nodes, graph.num_nodes // 8 if graph.num_nodes > 1000 else 1)
    return [{"sources": [graph.original_id(node) for node in nodes]} for nodes in (many, ends, [])]


def to_convergence(graph: Graph) -> list[Arguments]:
    """PageRank until nothing moves, and with what it assumes."""
    return [{"tolerance": 1e-13, "max_iterations": 1000}, {}]


def a_few_rounds(graph: Graph) -> list[Arguments]:
    """Label propagation for some rounds, and none."""
    return [{"iterations": rounds} for rounds in (0, 1, 2, 10)]


# --- checks --------------------------------------------------------------------------------------------------------


def inside(graph: Graph, ids: NDArray[Any]) -> NDArray[np.int64]:
    """Original ids as nodes 0..n-1, -1 as itself."""
    nodes = np.searchsorted(graph.original_ids, ids)
    return np.where(ids == -1, -1, nodes)


def finite_or_inf(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Distances as an `int` property holds them."""
    return np.where(np.isfinite(values), values, INF).astype(np.int64)


def same(found: NDArray[Any], expected: NDArray[Any]) -> None:
    np.testing.assert_array_equal(found, expected)


def close(found: NDArray[Any], expected: NDArray[Any], tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def _bfs(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    source = graph.node_of(call["src"])
    steps = oracles.levels(graph, source)
    same(results["level"], finite_or_inf(steps))
    oracles.assert_parents(graph, source, steps, inside(graph, results["parent"]))


def _bfs_levels(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(results["level"], finite_or_inf(oracles.levels(graph, graph.node_of(call["src"]))))


def _sssp(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(results["dist"], finite_or_inf(oracles.distances(graph, graph.node_of(call["src"]))))


def _pagerank(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    if graph.num_nodes:
        tolerance = 1e-10 if call else 1e-5
        np.testing.assert_allclose(results["rank"], oracles.pagerank(graph), rtol=0, atol=tolerance)


def _triangle_count(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    assert returned == oracles.triangles(graph)


def _betweenness(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    sources = [graph.node_of(source) for source in call["sources"]]
    close(results["bc"], oracles.betweenness(graph, sources))


def _connected_components(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(inside(graph, results["component"]), oracles.components(graph, "weak"))


def _strong_components(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(inside(graph, results["component"]), oracles.components(graph, "strong"))


def _closeness(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    close(results["closeness"], oracles.closeness(graph))


def _k_core(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(results["core"], oracles.core_numbers(graph))


def _label_propagation(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(inside(graph, results["label"]), oracles.communities(graph, call["iterations"]))


def _independent_set(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    oracles.assert_independent_and_maximal(graph, results["in_set"])


def _coloring(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    oracles.assert_coloring(graph, results["color"])


def _spanning_tree(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    assert returned == oracles.tree_weight(graph)
    oracles.assert_spanning_forest(graph, results["in_tree"], returned)


def _radii(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same(results["radius"], oracles.radii(graph, [graph.node_of(source) for source in call["sources"]]))


def _vertex_cover(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    oracles.assert_cover(graph, results["in_cover"])
    oracles.assert_cover_is_a_matching(graph, results["in_cover"])


def _clustering(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    close(results["lcc"], oracles.clustering(graph))


def _degrees(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    others = max(graph.num_nodes - 1, 1)
    close(results["out_centrality"], np.bincount(graph.sources, minlength=graph.num_nodes) / others)
    close(results["in_centrality"], np.bincount(graph.columns, minlength=graph.num_nodes) / others)


def simple(graph: Graph) -> Graph:
    """As `--dedup` reads it."""
    return graph.deduplicated()


def simple_undirected(graph: Graph) -> Graph:
    """As `--undirected --dedup` reads it."""
    return graph.undirected().deduplicated()


CASES = (
    Case("bfs", ("level", "parent"), from_some_nodes, _bfs),
    Case("bfs_levels", ("level",), from_some_nodes, _bfs_levels),
    Case("sssp", ("dist",), from_some_nodes, _sssp),
    Case("sssp_two_flags", ("dist",), from_some_nodes, _sssp),
    Case("pagerank", ("rank",), to_convergence, _pagerank),
    Case("triangle_count", (), once, _triangle_count, suits=simple_undirected),
    Case("betweenness", ("bc",), from_sets, _betweenness),
    Case("betweenness_push", ("bc",), from_sets, _betweenness),
    Case("connected_components", ("component",), once, _connected_components),
    Case("strongly_connected_components", ("component",), once, _strong_components),
    Case("closeness", ("closeness",), once, _closeness),
    Case("k_core", ("core",), once, _k_core),
    Case("label_propagation", ("label",), a_few_rounds, _label_propagation),
    Case("maximal_independent_set", ("in_set",), once, _independent_set),
    Case("graph_coloring", ("color",), once, _coloring),
    Case("minimum_spanning_tree", ("in_tree",), once, _spanning_tree),
    Case("radii", ("radius",), from_sets, _radii),
    Case("vertex_cover", ("in_cover",), once, _vertex_cover),
    Case("clustering_coefficient", ("lcc",), once, _clustering, suits=simple),
    Case("degree_centrality", ("out_centrality", "in_centrality"), once, _degrees),
)
