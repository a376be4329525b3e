"""What is foreseen of runs in parts: bytes as in a run, and times as on two devices within a stated tolerance.

`python -m tests.runtime.test_foreseen` prints the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import starplat
from starplat.backends.scheduled import capabilities_of
from starplat.graph import generators
from starplat.runtime.divided.foreseen import NCCL, NETWORK, PEERS, Crossing, Foreseen, Link, Walk, foreseen
from starplat.runtime.facts import facts_of
from starplat.schedule.facts import GraphFacts

PARTS = Path(__file__).resolve().parents[2] / "docs" / "parts.md"
RMAT = {
    "rmat22": GraphFacts(2**22, 128_312_076, 162_661, symmetric=True, far_arcs=0.7),
    "rmat24": GraphFacts(2**24, 521_000_000, 400_000, symmetric=True, far_arcs=0.9),
    "rmat26": GraphFacts(2**26, 2_103_000_000, 900_000, symmetric=True, far_arcs=0.9),
}
ROUNDS = {"pagerank": 20, "sssp": 40, "bfs_levels": 8, "connected_components": 2}
"""Those of a run. Of shortest paths they are not recorded: forty are assumed."""
TOLERANCE = 0.3


def on(graph: str, program: str, most: int) -> Foreseen:
    module = starplat.compile(program).module()
    return foreseen(module, "cuda", capabilities_of("cuda"), RMAT[graph], most, rounds=ROUNDS.get(program, 64))


def recorded() -> Iterator[tuple[str, str, float, float]]:
    """Program, graph, and milliseconds on one device and on two, as docs/parts.md has them. Components on two have not
    been measured on the model's GPUs since they cross once."""
    text = PARTS.read_text(encoding="utf-8")
    for program in (name for name in ROUNDS if name != "connected_components"):
        line = next(line for line in text.splitlines() if line.startswith(f"| `{program}`") and "·" in line)
        for graph, cell in zip(RMAT, line.split("|")[2:5], strict=True):
            if "·" in cell:
                one, two = (list(map(float, re.findall(r"[\d.]+", half))) for half in cell.split("·"))
                yield program, graph, sum(one) / len(one), sum(two) / len(two)


def expected(program: str, graph: str, most: int) -> list[float]:
    """Milliseconds of a run in each number of parts; of a round of PageRank."""
    of = ROUNDS[program] if program == "pagerank" else 1
    return [(row.total or 0.0) * 1e3 / of for row in on(graph, program, most).rows]


@pytest.mark.parametrize(("program", "graph", "one", "two"), recorded())
def test_two_devices_take_as_long_as_foreseen(program: str, graph: str, one: float, two: float) -> None:
    alone, pair = expected(program, graph, 2)
    assert alone == pytest.approx(one, rel=0.06)
    assert pair == pytest.approx(two, rel=TOLERANCE)


@pytest.mark.parametrize(
    ("link", "parts", "size", "each", "microseconds"),
    [
        (NCCL, 2, 512 * 2**20, False, 923),
        (NCCL, 2, 64 * 2**20, False, 168),
        (NCCL, 2, 64 * 2**10, False, 98),
        (NCCL, 2, 512 * 2**20, True, 1724),
        (NCCL, 4, 256 * 2**20, True, 1238 + 30),
        (NCCL, 4, 256 * 2**20, False, 700 + 30),
        (PEERS, 2, 2 * 64 * 2**20, False, 194),
    ],
)
def test_exchanges_take_as_long_as_measured(link: Link, parts: int, size: int, each: bool, microseconds: float) -> None:
    crossing = Crossing("", 0 if each else size, size if each else 0, every_round=True)
    assert crossing.seconds(parts, link) * 1e6 == pytest.approx(microseconds, rel=0.25)


def test_bytes_are_those_of_a_run() -> None:
    graph, program = generators.rmat(7, 8, 1), starplat.compile("pagerank")
    able = capabilities_of("reference")
    for parts in (2, 3, 4):
        result = program.run(graph, target="reference", devices=parts, tolerance=0.0, max_iterations=5)
        assert result.parts is not None
        row = foreseen(program.module(), "reference", able, facts_of(graph), parts, rounds=5).rows[-1]
        assert (row.parts, row.bytes) == (parts, result.parts.bytes)


def test_walks_are_told_by_what_kernels_do() -> None:
    expected = {
        "pagerank": Walk.ALL,
        "bfs_levels": Walk.EARLY,
        "sssp": Walk.NEAREST,
        "connected_components": Walk.JOINING,
        "betweenness": Walk.SEARCHES,
    }
    for program, walk in expected.items():
        assert on("rmat24", program, 2).forms[0][1].walks == {walk}, program


def test_sources_are_divided_among_no_more_parts_than_there_are() -> None:
    found = on("rmat22", "betweenness", 128)
    assert found.by == "sources"
    fast = {row.parts: found.times_as_fast(row) for row in found.rows}
    assert fast[2] == pytest.approx(401 / 206, rel=0.05)
    assert fast[128] == pytest.approx(fast[64], rel=0.05)


def test_beyond_eight_devices_a_network_is_assumed_and_said_to_be() -> None:
    found = on("rmat26", "pagerank", 64)
    assert [row.parts for row in found.rows] == [1, 2, 4, 8, 16, 32, 64]
    assert [row.link for row in found.rows] == [None, PEERS, PEERS, PEERS, NETWORK, NETWORK, NETWORK]
    assert [least for least, _ in found.forms] == [2, 9]
    assert "400 Gb/s for each GPU: 50 GB/s, 96 us an exchange, which has not been measured" in str(found)


if __name__ == "__main__":
    for program, graph, one, two in recorded():
        times = " ".join(f"{time:9.3f}" for time in expected(program, graph, 64))
        print(f"{program:<22} {graph} measured {one:8.3f} {two:8.3f}, foreseen in 1, 2, 4 to 64 parts {times}")
