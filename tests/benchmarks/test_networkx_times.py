"""The script that times NetworkX's functions runs."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

nx = pytest.importorskip("networkx")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "networkx_times.py"


def test_the_conversion_is_set_beside_a_walk() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "conversion", "500"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"500 edges: converted in \S+ s, walked in \S+ s, \S+ times as long\n", done.stdout)


@pytest.mark.campaign
def test_a_conversion_takes_at_most_twice_the_walk() -> None:
    """In processor time, the least of some tries: 1.3 to 1.5 times as long, with 100,000 edges and with a million."""
    from starplat.networkx.interface import backend

    draw = random.Random(1)
    graph = nx.DiGraph()
    for _ in range(100_000):
        graph.add_edge(draw.randrange(20_000), draw.randrange(20_000), weight=draw.random())
    converted = least_of(lambda: backend.convert_from_nx(graph, edge_attrs={"weight": 1}).weighted("weight"))
    walked = least_of(lambda: sum(edge["weight"] for row in graph.adj.values() for edge in row.values()))
    assert converted <= 2 * walked


def least_of(work: Callable[[], object]) -> float:
    """The least processor time of seven."""
    times = []
    for _ in range(7):
        began = process_time()
        work()
        times.append(process_time() - began)
    return min(times)
