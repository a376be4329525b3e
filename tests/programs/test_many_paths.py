"""Betweenness stays right with a power beside each number of paths; without, a run says what a double cannot hold."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.graph.graph import Graph
from tests.programs.cases import EXAMPLES
from tests.programs.targets import Target, every_target

HERE = Path(__file__).parent
DIAMONDS = 1_100


def chain(diamonds: int) -> Graph:
    """Diamonds in a row, each doubling the paths; a plain path of a few nodes meets the last but one, so that numbers
    of paths of very different size are added up."""
    first = 3 * np.arange(diamonds)
    arcs = [(first, first + 1), (first, first + 2), (first + 1, first + 3), (first + 2, first + 3)]
    end = 3 * diamonds
    beside = np.arange(end, end + 2 * diamonds - 2) + 1
    path = np.concatenate([[0], beside, [end - 3]])
    sources = np.concatenate([*(a for a, _ in arcs), path[:-1]])
    return Graph.from_arcs(int(beside[-1]) + 1, sources, np.concatenate([*(b for _, b in arcs), path[1:]]))


def exact(graph: Graph, source: int) -> list[float]:
    """Brandes' method in whole numbers and fractions."""
    rows = [graph.columns[a:b].tolist() for a, b in zip(graph.row_offsets, graph.row_offsets[1:], strict=False)]
    level, sigma, order = {source: 0}, {source: 1}, [source]
    for v in order:
        for w in rows[v]:
            if w not in level:
                level[w], sigma[w] = level[v] + 1, 0
                order.append(w)
            if level[w] == level[v] + 1:
                sigma[w] += sigma[v]
    through = dict.fromkeys(order, Fraction(0))
    for v in reversed(order):
        for w in rows[v]:
            if level[w] == level[v] + 1:
                through[v] += Fraction(sigma[v], sigma[w]) * (1 + through[w])
    assert max(sigma.values()) > 2**DIAMONDS - 2
    return [float(through.get(v, 0)) if v != source else 0.0 for v in range(graph.num_nodes)]


@every_target
def test_more_paths_than_a_double_counts(target: Target) -> None:
    graph = chain(DIAMONDS)
    result = target.run(starplat.compile(HERE / "many_paths.sp"), graph, {"sources": [0]})
    assert not result.warnings
    np.testing.assert_allclose(result["bc"], exact(graph, 0), rtol=1e-9)


def test_the_plain_way_overflows_there_and_says_so() -> None:
    program = starplat.compile(EXAMPLES / "betweenness.sp")
    with pytest.warns(starplat.StarplatWarning, match="no finite number"):
        program.run(chain(DIAMONDS), target="reference", sources=[0])
