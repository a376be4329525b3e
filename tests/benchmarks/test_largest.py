"""`benchmarks/largest.py` makes undirected graphs block by block, and its judges prove and refuse answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from benchmarks import largest
from benchmarks.measured.judging import INF, WrongAnswerError
from starplat.graph import Graph


def test_programs_within_a_limit_are_proved_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert largest.main(["--scale", "8", "--target", "reference", "--device-memory", "18K", "--repeat", "1"]) == 0
    told = capsys.readouterr().out
    assert [told.count(text) for text in ("right: ", "1 components", "0 bytes on the host")] == [3, 1, 0]


def test_arcs_stand_in_order_and_lead_both_ways() -> None:
    graph = largest.urand(np, 8, 9)
    assert 0 < 2 * 9 * 256 - graph.num_arcs < 256  # loops are left out
    assert (graph.sources != graph.columns).all()
    there = np.lexsort((graph.columns, graph.sources))
    assert (there == np.arange(graph.num_arcs)).all()
    back = np.lexsort((graph.sources, graph.columns))
    assert (graph.columns[back] == graph.sources).all()
    assert (graph.sources[back] == graph.columns).all()


def bfs_and_components(graph: Graph) -> tuple[Any, Any]:
    """SciPy's answers."""
    matrix = csr_array((np.ones(graph.num_arcs), graph.columns, graph.row_offsets))
    steps = shortest_path(matrix, unweighted=True, indices=0)
    labels = connected_components(matrix, directed=False)[1]
    first = np.full(graph.num_nodes, graph.num_nodes)
    np.minimum.at(first, labels, np.arange(graph.num_nodes))
    return np.where(np.isinf(steps), INF, steps).astype(np.int32), first[labels].astype(np.int32)


def test_wrong_answers_are_refused_where_nodes_are_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(largest, "PIECE", 50)
    graph = largest.urand(np, 8, 1)
    judge = largest.Judge(graph, np)
    with pytest.raises(WrongAnswerError, match="no levels"):
        judge.verdict("components", SimpleNamespace())  # type: ignore[arg-type]
    level, component = bfs_and_components(graph)
    assert "nodes reached" in judge.verdict("bfs", {"level": level})  # type: ignore[arg-type]
    count = len(np.unique(component))
    assert judge.count == count > 2
    assert f"{count} components" in judge.verdict("components", {"component": component})  # type: ignore[arg-type]
    level[np.flatnonzero(level == 2)[0]] = 3
    with pytest.raises(WrongAnswerError):
        judge.verdict("bfs", {"level": level})  # type: ignore[arg-type]
    component[:] = 0
    with pytest.raises(WrongAnswerError):
        judge.verdict("components", {"component": component})  # type: ignore[arg-type]
