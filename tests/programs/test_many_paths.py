"""Betweenness is right where there are more shortest paths than a double counts; a program that keeps their plain
number says what it could not hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat.graph import generators
from starplat.graph.graph import Graph
from tests.programs.cases import EXAMPLES
from tests.programs.targets import Target, every_device, every_target

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


def shares_of_a_grid(side: int) -> NDArray[np.float64]:
    """Brandes' dependencies of the corner of a grid of side x side nodes: of the paths to (i, j + 1), which are
    binomial(i + j + 1, i), the share (j + 1) / (i + j + 1) goes through (i, j)."""
    share = np.zeros((side + 1, side + 1))
    for level in range(2 * side - 2, 0, -1):
        i = np.arange(max(0, level - side + 1), min(side - 1, level) + 1)
        j = level - i
        right, below = (1 + share[i, j + 1]) * (j + 1 < side), (1 + share[i + 1, j]) * (i + 1 < side)
        share[i, j] = ((j + 1) * right + (i + 1) * below) / (level + 1)
    return share[:side, :side].ravel()


@every_target
def test_more_paths_than_a_double_counts(target: Target) -> None:
    graph = chain(DIAMONDS)
    result = target.run(starplat.compile(EXAMPLES / "betweenness.sp"), graph, {"sources": [0]})
    assert not result.warnings
    np.testing.assert_allclose(result["bc"], exact(graph, 0), rtol=1e-9)


@every_device
def test_the_middle_of_a_large_grid(target: Target) -> None:
    side = 700
    result = target.run(starplat.compile(EXAMPLES / "betweenness.sp"), generators.grid(side), {"sources": [0]})
    np.testing.assert_allclose(result["bc"], shares_of_a_grid(side), rtol=1e-9)


def test_a_plain_number_overflows_there_and_says_so() -> None:
    program = starplat.compile(EXAMPLES / "betweenness_push.sp")
    with pytest.warns(starplat.StarplatWarning, match="no finite number"):
        program.run(chain(DIAMONDS), target="reference", sources=[0])
