"""Which small ugly graphs do every program good: the shapes that break loaders, loops, atomics and divisions.

`ZOO` maps a name to a graph; `random_graphs` is a hypothesis strategy for many more, of which tests of many parameters
try `fewer_examples`. Nodes are 0..n-1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import settings, strategies

from starplat.graph import Graph

Arc = tuple[int, int, int]  # source, destination, weight


def graph(name: str, n: int, arcs: list[Arc], *, directed: bool = True, index_base: int = 0) -> Graph:
    """The graph of these arcs (of these edges, where it is not directed)."""
    table = np.array(arcs, dtype=np.int64).reshape(-1, 3)
    return Graph.from_arcs(
        n, table[:, 0], table[:, 1], table[:, 2], directed=directed, name=name, index_base=index_base
    )


def pairs(*ends: tuple[int, int], weight: Callable[[int], int] = lambda i: 1 + i * 7 % 5) -> list[Arc]:
    """Arcs with weights that vary along the list."""
    return [(u, v, weight(i)) for i, (u, v) in enumerate(ends)]


def _chain(n: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(n - 1)]


def _complete(n: int) -> list[tuple[int, int]]:
    return [(u, v) for u in range(n) for v in range(n) if u != v]


def _edges(n: int, seed: int, count: int) -> list[tuple[int, int]]:
    """Random ends, loops and repetitions among them."""
    draw = np.random.default_rng(seed)
    return [(int(u), int(v)) for u, v in draw.integers(0, n, (count, 2))]


_CYCLE = [*_chain(6), (5, 0)]
_ISLANDS = [(0, 1), (1, 2), (2, 0), (4, 5), (5, 6), (6, 4), (6, 5)]
_PARALLEL = [(0, 1), (0, 1), (1, 2), (1, 2), (1, 2), (0, 2), (2, 3), (3, 3), (3, 3)]
_BOTH_WAYS = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (3, 1), (1, 3), (3, 0)]
_DIAMONDS = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6), (6, 0)]
_TWO_CYCLES_JOINED = [(2, 1), (1, 0), (0, 2), (5, 4), (4, 3), (3, 5), (0, 5), (6, 0)]
_GRID = [(4 * r + c, 4 * r + c + 1) for r in range(4) for c in range(3)] + [
    (4 * r + c, 4 * r + c + 4) for r in range(3) for c in range(4)
]
_SHAPES: list[tuple[str, int, list[Arc]]] = [
    ("empty", 0, []),
    ("one-node", 1, []),
    ("one-loop", 1, [(0, 0, 3)]),
    ("isolated", 5, []),
    ("one-edge", 2, [(0, 1, 4)]),
    ("backwards-edge", 2, [(1, 0, 4)]),
    ("parallel", 4, pairs(*_PARALLEL)),
    ("parallel-only", 2, [(0, 1, 5), (0, 1, 2), (0, 1, 9)]),
    ("islands", 8, pairs(*_ISLANDS)),
    ("star-out", 40, pairs(*[(0, i) for i in range(1, 40)])),
    ("star-in", 40, pairs(*[(i, 39) for i in range(39)])),
    ("chain", 12, pairs(*_chain(12))),
    ("chain-backwards", 12, pairs(*[(v, u) for u, v in _chain(12)])),
    ("cycle", 6, pairs(*_CYCLE)),
    ("complete", 7, pairs(*_complete(7))),
    ("all-zero-weights", 7, [(u, v, 0) for u, v in _DIAMONDS]),
    ("some-zero-weights", 7, pairs(*_DIAMONDS, weight=lambda i: i % 2)),
    ("equal-weights", 16, [(u, v, 7) for u, v in _GRID]),
    ("diamonds", 7, pairs(*_DIAMONDS)),
    ("unreachable", 6, pairs((0, 1), (1, 2), (3, 0), (4, 3), (5, 5))),
    ("both-ways", 5, pairs(*_BOTH_WAYS)),
    ("two-cycles-joined", 7, pairs(*_TWO_CYCLES_JOINED)),
    ("heavy", 5, [(0, 1, 2**30), (1, 2, 2**30 - 2), (2, 3, 0), (0, 3, 2**31 - 2), (3, 4, 1)]),
    ("random", 50, pairs(*_edges(50, 1, 140))),
    ("random-sparse", 60, pairs(*_edges(60, 2, 55))),
    ("random-dense", 30, pairs(*_edges(30, 3, 400))),
]


def _zoo() -> dict[str, Graph]:
    graphs = {name: graph(name, n, arcs) for name, n, arcs in _SHAPES}
    for name, n, arcs in _SHAPES:
        if arcs and name != "heavy":  # both ways its distances overflow
            graphs[f"{name}-undirected"] = graph(f"{name}-undirected", n, arcs, directed=False)
    graphs["ids-from-one"] = graph("ids-from-one", 7, pairs(*_DIAMONDS), index_base=1)
    return graphs


ZOO = _zoo()


def fewer_examples() -> settings:
    """A quarter of the examples that hypothesis would try, for tests whose other parameters multiply them."""
    return settings(max_examples=max(20, settings.default.max_examples // 4))


@strategies.composite
def random_graphs(draw: strategies.DrawFn, max_nodes: int = 24, max_arcs: int = 70) -> Graph:
    """Graphs with loops, parallel arcs, isolated nodes and small weights, directed or not."""
    n = draw(strategies.integers(1, max_nodes))
    node = strategies.integers(0, n - 1)
    arcs = draw(strategies.lists(strategies.tuples(node, node, strategies.integers(0, 9)), max_size=max_arcs))
    return graph("random", n, arcs, directed=draw(strategies.booleans()))
