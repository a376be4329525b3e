"""The rows of the table: which program, how it is called on a graph, who judges its answer, what was promised.

Every program is one that ships, as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import judging, proofs
from benchmarks.measured.graphs import NAMES, Entry
from benchmarks.measured.judging import Arcs, require
from starplat import Result

DAMPING, ROUNDS, LABEL_ROUNDS, SOURCES, BATCHES = 0.85, 20, 10, 256, 64


@dataclass(frozen=True)
class Verdict:
    """A right answer: how often the measured thing happened in one run, what is worth telling of it, and a number that
    every right answer has in common, where there is one."""

    rounds: int = 1
    remark: str = ""
    number: int | None = None


@dataclass(frozen=True)
class Row:
    """One problem.

    Attributes:
        name: as options call it.
        title: as the table does.
        program: its name in the library.
        properties: what its answer consists of, besides what it returns.
        arguments: of a call on that graph.
        judge: raises `WrongAnswerError`, or finds the answer right.
        weighted: whether it uses the weights of arcs.
    """

    name: str
    title: str
    program: str
    properties: tuple[str, ...]
    arguments: Callable[[Entry], dict[str, Any]]
    judge: Callable[[Entry, Arcs, Result], Verdict]
    weighted: bool = False


def _from_source(entry: Entry) -> dict[str, Any]:
    return {"src": entry.graph.original_id(entry.source)}


def _from_one_source(entry: Entry) -> dict[str, Any]:
    return {"sources": [entry.graph.original_id(entry.source)]}


def _many_sources(entry: Entry, number: int = SOURCES) -> NDArray[np.int64]:
    """Always the same, of those with neighbors."""
    able = np.flatnonzero(entry.graph.out_degrees > 0)
    return np.random.default_rng(1).choice(able, min(number, len(able)), replace=False)


def _from_sources(number: int) -> Callable[[Entry], dict[str, Any]]:
    """A call from so many."""

    def arguments(entry: Entry) -> dict[str, Any]:
        return {"sources": [entry.graph.original_id(source) for source in _many_sources(entry, number).tolist()]}

    return arguments


def _levels(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    reached, total, deepest = judging.distances(arcs, entry.source, result["level"], weighted=False)
    _as_known(reached, entry.facts.reached, "nodes are reached")
    _as_known(deepest, entry.facts.levels, "is the largest level")
    return Verdict(remark=f"{reached:,} reached, largest level {deepest:,}", number=total)


def _distances(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    reached, total, _ = judging.distances(arcs, entry.source, result["dist"], weighted=True)
    _as_known(reached, entry.facts.reached, "nodes are reached")
    _as_known(total, entry.facts.distances, "is the sum of distances")
    return Verdict(remark=f"{reached:,} reached, sum of distances {total:,}", number=total)


def _as_known(found: int, known: int | None, what: str) -> None:
    require(known is None or found == known, f"{found:,} {what}, not {known:,}" if known is not None else "")


def _components(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    count = judging.components(arcs, result["component"] - entry.graph.original_id(0))
    return Verdict(remark=f"{count:,} components", number=count)


def _pagerank(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    rounds = judging.pagerank(arcs, result["rank"], damping=DAMPING, rounds=ROUNDS)
    return Verdict(rounds, f"{rounds} rounds")


def _betweenness(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    judging.betweenness(arcs, entry.source, result["bc"])
    return Verdict()


def _sums_of_levels(entry: Entry, arcs: Arcs, result: Result, number: int = SOURCES) -> Verdict:
    require(not entry.graph.directed, "only those of undirected graphs are checked")
    total = judging.sums_of_levels(arcs, _many_sources(entry, number), result["farness"])
    return Verdict(remark=f"sum {total:,}", number=total)


def _batches(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    rounds = -(-len(_many_sources(entry, BATCHES * SOURCES)) // SOURCES)
    batches = -(-entry.graph.num_nodes // SOURCES)
    remark = f"{rounds} batches timed; all nodes are {batches:,}"
    return Verdict(rounds, remark, _sums_of_levels(entry, arcs, result, BATCHES * SOURCES).number)


def _triangles(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    count = judging.triangles(arcs, int(result.returned or 0), entry.facts.triangles)
    return Verdict(remark=f"{count:,} triangles", number=count)


def _labels(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    count = judging.communities(arcs, result["label"] - entry.graph.original_id(0), rounds=LABEL_ROUNDS)
    return Verdict(remark=f"{count:,} labels", number=count)


def _strong_components(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    require(not entry.graph.directed, "only those of undirected graphs are proved")
    return _components(entry, arcs, result)


def _colors(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    return Verdict(remark=f"{proofs.colors(arcs, result['color']):,} colors")


def _independent(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    return Verdict(remark=f"{proofs.independent(arcs, result['in_set']):,} nodes")


def _forest(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    weight = int(result.returned or 0)
    count = proofs.lightest_forest(arcs, result["in_tree"], weight)
    return Verdict(remark=f"{count:,} arcs, weight {weight:,}", number=weight)


def _cores(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    largest = proofs.cores(arcs, result["core"])
    return Verdict(remark=f"largest core {largest:,}", number=largest)


def _clustering(entry: Entry, arcs: Arcs, result: Result) -> Verdict:
    known = judging.known_triangles(arcs, entry.facts.triangles)
    return Verdict(remark=f"mean {proofs.clustering(arcs, result['lcc'], known):.6f}")


ROWS = {
    row.name: row
    for row in (
        Row("bfs", "BFS levels", "bfs_levels", ("level",), _from_source, _levels),
        Row("sssp", "SSSP", "sssp", ("dist",), _from_source, _distances, weighted=True),
        Row("components", "components", "connected_components", ("component",), lambda entry: {}, _components),
        Row(
            "pagerank",
            "PageRank, one iteration",
            "pagerank",
            ("rank",),
            lambda entry: {"damping": DAMPING, "tolerance": 0.0, "max_iterations": ROUNDS},
            _pagerank,
        ),
        Row("betweenness", "betweenness, one source", "betweenness", ("bc",), _from_one_source, _betweenness),
        Row("triangles", "triangles", "triangle_count", (), lambda entry: {}, _triangles),
        Row(
            "labels",
            f"label propagation, {LABEL_ROUNDS} rounds",
            "label_propagation",
            ("label",),
            lambda entry: {"iterations": LABEL_ROUNDS},
            _labels,
        ),
        Row("clustering", "clustering", "clustering_coefficient", ("lcc",), lambda entry: {}, _clustering),
        Row("scc", "SCC", "strongly_connected_components", ("component",), lambda entry: {}, _strong_components),
        Row("coloring", "coloring", "graph_coloring", ("color",), lambda entry: {}, _colors),
        Row("independent", "independent set", "maximal_independent_set", ("in_set",), lambda entry: {}, _independent),
        Row("forest", "spanning tree", "minimum_spanning_tree", ("in_tree",), lambda entry: {}, _forest, weighted=True),
        Row("cores", "core numbers", "k_core", ("core",), lambda entry: {}, _cores),
        Row(
            "sums",
            f"{SOURCES} sources, sums of levels",
            "distance_sums",
            ("farness",),
            _from_sources(SOURCES),
            _sums_of_levels,
        ),
        Row(
            "batches",
            f"a batch of {SOURCES} of {BATCHES * SOURCES:,} sources",
            "distance_sums",
            ("farness",),
            _from_sources(BATCHES * SOURCES),
            _batches,
        ),
    )
}

TARGETS_MS = {
    "bfs": {"NY": 1.1, "egotw": 0.075, "rmat22": 0.22, "urand22": 0.42, "grid4096": 19},
    "sssp": {"NY": 3.2, "egotw": 0.4, "rmat22": 4.0, "urand22": 2.2, "grid4096": 32},
    "components": {"NY": 0.06, "egotw": 0.065, "rmat22": 0.19, "urand22": 0.29, "grid4096": 0.86},
    "pagerank": {"NY": 0.008, "egotw": 0.025, "rmat22": 1.05, "urand22": 1.0, "grid4096": 0.27},
    "betweenness": {"NY": 3.6, "egotw": 0.3, "rmat22": 5.0, "urand22": 4.0, "grid4096": 65},
    "triangles": {"NY": 0.055, "egotw": 0.36, "rmat22": 90, "urand22": 5.9, "grid4096": 0.31},
    "clustering": {"NY": 0.07, "egotw": 0.6, "rmat22": 110, "urand22": 14, "grid4096": 0.6},
    "scc": {"NY": 1.6, "egotw": 0.9, "rmat22": 11, "urand22": 11, "grid4096": 13},
    "coloring": {"NY": 0.06, "egotw": 1.2, "rmat22": 27, "urand22": 4.3, "grid4096": 1.28},
    "independent": {"NY": 0.05, "egotw": 0.18, "rmat22": 1.0, "urand22": 1.3, "grid4096": 1.05},
    "forest": {"NY": 0.36, "egotw": 0.5, "rmat22": 15, "urand22": 16, "grid4096": 9.0},
    "cores": {"NY": 0.3, "egotw": 5.0, "rmat22": 26, "urand22": 2.8, "grid4096": 4.6},
    "labels": {"NY": 0.4, "egotw": 6.0, "rmat22": 350, "urand22": 60, "grid4096": 8.0},
    "sums": {"NY": 14, "egotw": 0.55, "rmat22": 5.5, "urand22": 8.0},
    "batches": {},
}
"""What CUDA is to reach on an NVIDIA H200 under schedule auto, in milliseconds."""

PREPARATION_INCLUDED = ("triangles",)
"""The rows in which changing the graph for the program's sake counts, the first time that it is needed."""


def wanted(row: str, graph: str) -> bool:
    """Whether the table has a figure of the row on the graph: on its own graphs where one is promised, else always."""
    return graph not in NAMES or graph in TARGETS_MS[row]
