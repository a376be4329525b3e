"""Made-up graphs are simple, undirected, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators, statistics
from tests.graph.graphs import well_formed

SEEDED = [
    lambda seed: generators.rmat(8, 8, seed),
    lambda seed: generators.uniform(8, 8, seed),
    lambda seed: generators.grid(20, 80, seed),
]


@pytest.mark.parametrize("make", SEEDED)
def test_seeds_decide(make: Callable[[int], Graph]) -> None:
    first, again, other = make(1), make(1), make(2)
    assert np.array_equal(first.columns, again.columns)
    assert not np.array_equal(first.columns, other.columns)


@pytest.mark.parametrize(
    ("graph", "n", "m"),
    [
        (generators.rmat(8, 8), 256, None),
        (generators.uniform(8, 8), 256, None),
        (generators.grid(20, 100), 400, 1520),
        (generators.grid(1), 1, 0),
        (generators.chain(5), 5, 8),
        (generators.chain(0), 0, 0),
        (generators.star(5), 5, 8),
        (generators.complete(5), 5, 20),
    ],
    ids=lambda value: value.name if isinstance(value, Graph) else str(value),
)
def test_they_are_simple_and_undirected(graph: Graph, n: int, m: int | None) -> None:
    numbers = statistics(graph)
    assert well_formed(graph)
    assert (numbers.nodes, numbers.loops, numbers.duplicates, numbers.symmetric) == (n, 0, 0, True)
    assert m is None or numbers.arcs == m


@pytest.mark.parametrize("make", [lambda: generators.rmat(31), lambda: generators.grid(0), lambda: generators.star(0)])
def test_sizes_that_make_no_graph_are_diagnostics(make: Callable[[], Graph]) -> None:
    with pytest.raises(DiagnosticError, match="E0817"):
        make()
