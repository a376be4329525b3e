"""Made-up graphs are simple, undirected, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, by_sorting, generators, pcg, statistics
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


@pytest.mark.parametrize(
    "make",
    [
        lambda: generators.rmat(31),
        lambda: generators.grid(0),
        lambda: generators.star(0),
        lambda: generators.chain(10**20),
        lambda: generators.star(10**20),
        lambda: generators.uniform(4, -1),
        lambda: generators.chain(4).with_random_weights(0, 10**30),
        lambda: generators.chain(4).with_random_weights(0, 9, -1),
    ],
)
def test_sizes_that_make_no_graph_are_diagnostics(make: Callable[[], Graph]) -> None:
    with pytest.raises(DiagnosticError, match="E0817"):
        make()


# --- on devices ----------------------------------------------------------------------------------------------------

DRAWN = [(5, np.float32), (1, np.float32), (0, np.float32), (7, np.float64), (64, np.float32), (333, np.float64)]


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks in short streams."""
    monkeypatch.setattr(pcg, "BLOCK", 64)
    monkeypatch.setattr(pcg, "AT_ONCE", 96)


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("seed", range(3))
def test_numbers_drawn_by_lanes_are_those_of_numpy(seed: int) -> None:
    """One kind after the other, so that halves of numbers wait at some of the changes."""
    ours, theirs = pcg.Numbers(seed, np), np.random.default_rng(seed)
    for size, dtype in DRAWN * 3:
        assert np.array_equal(ours.random(size, dtype), theirs.random(size, dtype=dtype))
        for low, high in ((0, 256), (1, 256), (5, 6), (0, 2**31 - 1), (-3, 3)):
            expected = theirs.integers(low, high, size, np.int32)
            assert np.array_equal(ours.integers(low, high, size, np.int32), expected)
        assert np.array_equal(ours.permutation(size), theirs.permutation(size))


@pytest.mark.usefixtures("short_blocks")
def test_what_is_drawn_again_shifts_the_stream_as_in_numpy() -> None:
    """Of a range just over half of 2^32 nearly every other number is refused."""
    ours, theirs = pcg.Numbers(1, np), np.random.default_rng(1)
    for _ in range(3):
        drawn = ours.integers(0, 2**31 + 1, 999, np.uint32)
        assert np.array_equal(drawn, theirs.integers(0, 2**31 + 1, 999, np.uint32))


@pytest.mark.parametrize("pieces", [1, 3, 8])
@pytest.mark.parametrize(("nodes", "pairs"), [(1, 0), (1, 3), (13, 5), (10, 40), (500, 3000)])
def test_rows_made_in_pieces_are_those_made_at_once(
    nodes: int, pairs: int, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_sorting, "_AT_ONCE", 100)
    draw = np.random.default_rng(1)
    ends = draw.integers(0, nodes, pairs, np.int32), draw.integers(0, nodes, pairs, np.int32)
    whole = by_sorting.undirected_rows(np, nodes, *ends)
    made = by_sorting.undirected_rows_in_pieces(np, nodes, *ends, pieces)
    assert np.array_equal(whole.row_offsets, made.row_offsets)
    assert np.array_equal(whole.columns, made.columns)
    assert made.columns.dtype == np.int32


DEVICE_MADE = [
    *(partial(generators.rmat, scale, factor) for scale, factor in ((0, 3), (1, 1), (3, 0), (8, 8), (9, 3))),
    *(partial(generators.uniform, scale, factor) for scale, factor in ((0, 3), (1, 1), (3, 0), (8, 8), (9, 3))),
    *(partial(generators.grid, side, share) for side, share in ((1, 100), (2, 0), (5, 40), (20, 70), (33, 100))),
]


@pytest.mark.parametrize("weights", [None, (1, 255), (7, 7)], ids=str)
@pytest.mark.parametrize("make", DEVICE_MADE, ids=lambda made: f"{made.func.__name__}-{made.args}")
def test_a_device_makes_the_same_graph(
    make: Callable[..., Graph], weights: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way by sorting, which a device takes, with NumPy's arrays."""
    monkeypatch.setattr(by_sorting, "_AT_ONCE", 1000)
    for seed in (1, 2):
        here, there = make(seed, weights=weights), make(seed, weights=weights, arrays=np)
        assert well_formed(there)
        assert np.array_equal(here.row_offsets, there.row_offsets)
        assert np.array_equal(here.columns, there.columns)
        assert (here.weights is None) == (there.weights is None) == (weights is None)
        if here.weights is not None and there.weights is not None:
            assert here.weights.dtype == there.weights.dtype == np.int32
            assert np.array_equal(here.weights, there.weights)


@pytest.mark.parametrize(
    ("make", "in_pieces"),
    [
        (partial(generators.rmat, 6), True),
        (partial(generators.uniform, 6), True),
        (partial(generators.rmat, 6, weights=(1, 9)), False),
        (partial(generators.grid, 9), False),  # whose components take more memory than its rows in pieces
    ],
)
def test_graphs_without_weights_are_made_in_pieces_where_rows_take_most(
    make: Callable[[], Graph], in_pieces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    meant, asked = make(), list[int]()
    monkeypatch.setattr(by_sorting, "device_arrays", lambda pairs, size: asked.append(size))
    assert make().num_arcs == meant.num_arcs
    whole = [by_sorting.BYTES_PER_PAIR]
    assert asked == ([*whole, by_sorting.BYTES_PER_PAIR_IN_PIECES] if in_pieces else whole)


def test_weights_are_the_same_both_ways_and_within_their_range() -> None:
    graph = generators.rmat(9, 8, 3, weights=(2, 5))
    assert graph.is_symmetric
    assert graph.weights is not None
    assert set(graph.weights.tolist()) == {2, 3, 4, 5}


@pytest.mark.parametrize("weights", [(-1, 5), (5, 4), (1, 2**31)])
def test_a_range_of_weights_that_is_none_is_a_diagnostic(weights: tuple[int, int]) -> None:
    with pytest.raises(DiagnosticError, match="E0817"):
        generators.rmat(3, 2, weights=weights)


@pytest.mark.parametrize("kind", ["rmat", "uniform"])
@pytest.mark.parametrize(("scale", "degree"), [(0, 3), (1, 1), (7, 5)])
def test_rows_by_themselves_are_those_of_the_graph(
    kind: str, scale: int, degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs are drawn from anywhere in the stream, a few at a time."""
    monkeypatch.setattr(generators, "_PAIRS_AT_A_TIME", 64)
    whole = getattr(generators, kind)(scale, degree, 5)
    pairs = getattr(generators, f"{kind}_pairs")(scale, degree, 5)
    assert (pairs.nodes, pairs.name) == (whole.num_nodes, whole.name)
    for first, end in ((0, pairs.nodes), (0, pairs.nodes // 3), (pairs.nodes // 3, pairs.nodes)):
        rows = pairs.rows(first, end)
        arcs = slice(whole.row_offsets[first], whole.row_offsets[end])
        np.testing.assert_array_equal(rows.columns, whole.columns[arcs])
        np.testing.assert_array_equal(
            rows.row_offsets[first : end + 1], whole.row_offsets[first : end + 1] - arcs.start
        )
        assert rows.num_arcs == arcs.stop - arcs.start
