"""Every program of the library that a table judges is right: on the zoo, on random graphs, and on every device."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from starplat import Graph
from tests.algorithms.judged import Judged, judged_by, suited
from tests.algorithms.judges import links, statistics
from tests.programs.targets import REFERENCE, Target, every_device

TABLE = (*links.TABLE, *statistics.TABLE)
every_program = judged_by(TABLE)


def random_graph(seed: int, n: int, arcs: int, *, directed: bool) -> Graph:
    """With loops, parallel arcs and weights from 1 to 9."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, n, (2, arcs))
    weights = draw.integers(1, 10, arcs)
    return Graph.from_arcs(n, *ends, weights, directed=directed, name=f"random-{seed}")


@every_program
def test_answers_are_right(judged: Judged) -> None:
    graphs = suited(judged.suits)
    first = zlib.crc32(judged.program.encode()) % 2
    for graph in graphs[first::2]:
        judged.judge(graph, REFERENCE)


@pytest.mark.campaign
@every_program
def test_answers_are_right_on_the_rest_of_the_zoo(judged: Judged) -> None:
    graphs = suited(judged.suits)
    first = zlib.crc32(judged.program.encode()) % 2
    for graph in graphs[1 - first :: 2]:
        judged.judge(graph, REFERENCE)
    for seed in range(8):
        graph = random_graph(seed, 10 + 20 * (seed % 3), 10 + 15 * seed, directed=seed % 2 == 0)
        judged.judge(judged.suits(graph), REFERENCE)


@pytest.mark.thin(plain=3)
@every_device
@every_program
def test_devices_agree(judged: Judged, target: Target) -> None:
    for seed, arcs in enumerate((0, 30, 90, 300)):
        graph = random_graph(seed, 40, arcs, directed=seed % 2 == 0)
        judged.judge(judged.suits(graph), target)
