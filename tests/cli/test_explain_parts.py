"""`explain --devices` and `--ranks`: what a run in parts would exchange and gain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from starplat.runtime.divided.foreseen import HOSTS
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
EXPLAIN = ("explain", "pagerank", "-g", "liechtenstein")


def test_explain_prints_what_is_foreseen(starplat: Starplat) -> None:
    said = starplat(*EXPLAIN, "-t", "cuda", "--for", "gpu", "--devices", "16", "--rounds", "20")
    assert said.code == 0, said.err
    assert "in parts, by nodes, on 16,912 nodes, 34,116 arcs" in said.out
    assert "every round  share contribution: 132.1 KiB" in said.out
    assert "20 rounds of every loop (--rounds)" in said.out
    assert "rates fit runs on one and two NVIDIA H100, and have not been compared with more" in said.out
    assert [line.split()[-2:] for line in said.out.splitlines() if line.startswith("     16")] == [["<", "0.01"]]
    found = starplat(*EXPLAIN, "-t", "openmp", "--ranks", "6", "--json").json["parts"]
    assert [row["parts"] for row in found["rows"]] == [1, 2, 4, 6]
    assert {row["link"] for row in found["rows"][1:]} == {HOSTS.what}
    assert all(row["times_as_fast"] is None for row in found["rows"])
    assert any("no rates of kernels are known" in sentence for sentence in found["assumed"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("pagerank", "--devices", "4"), 2, "what parts exchange depends on the graph: give --graph too"),
        (("pagerank", "-g", "liechtenstein", "--devices", "4", "--ranks", "2"), 2, "not both"),
        (("pagerank", "-g", "liechtenstein", "--rounds", "4"), 2, "is about parts: give --devices or --ranks too"),
        (("pagerank", "-g", "liechtenstein", "--devices", "4", "--rounds", "9" * 400), 2, "less than or equal to"),
        (("pagerank", "-g", "liechtenstein", "--devices", "2", "--schedule", "direction=pull"), 1, "error[E0736]"),
        (("label_propagation", "-g", "liechtenstein", "--devices", "2"), 1, "error[E0668]"),
    ],
)
def test_what_cannot_be_foreseen_is_refused(starplat: Starplat, words: tuple[str, ...], code: int, said: str) -> None:
    found = starplat("explain", *words, "-t", "cuda", "--for", "gpu")
    assert found.code == code
    assert said in found.err


def test_sources_are_those_of_the_caller(starplat: Starplat) -> None:
    said = starplat("explain", "betweenness", "-g", "liechtenstein", "-t", "cuda", "--for", "gpu", "--devices", "2")
    assert said.code == 0, said.err
    assert "    1 source (--rounds)\n" in said.out
