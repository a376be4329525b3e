"""Warps that take as many nodes as they have threads of those that a filter keeps, on emulated GPUs."""

from __future__ import annotations

from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.backends.hip import HIP
from starplat.graph import generators
from starplat.runtime.session import default_session
from tests.backends.emulated import EmulatedDevice, Machine, require_compiler
from tests.backends.test_cuda import to_machine_code


@pytest.mark.parametrize(
    "machine", [Machine(), Machine(blocks=2, threads=128, warp=64, family=HIP)], ids=["warps of 32", "warps of 64"]
)
@pytest.mark.parametrize("program", ["connected_components", "maximal_independent_set"])
def test_nodes_that_a_filter_keeps_are_all_walked(
    program: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each warp goes over many times its threads, of whose nodes few are kept or nearly all."""
    require_compiler()
    compiled = starplat.compile(program)
    monkeypatch.setitem(default_session()._devices, ("cuda", 0), EmulatedDevice(machine))
    for pairs in (1, 4):
        graph = generators.uniform(11, pairs, 1)
        found, expected = (compiled.run(graph, target=target) for target in ("cuda", "reference"))
        for name in expected.properties:
            assert found[name].tolist() == expected[name].tolist()


ANY = "bool f = False; for (w in g.neighbors(v)) { if (w.a > 3) { f = True; break; } } if (f) { v.b += 1; }"


@pytest.mark.parametrize(
    ("walk", "function"),
    [
        ("for (w in g.neighbors(v)) { w.b += v.a; }", "advance_all"),
        ("v.c = 1; forall (w in g.neighbors(v)) { w.b += v.a; }", "advance_visited"),
        (ANY, "ask_all"),
    ],
    ids=["advance", "visit and advance", "ask"],
)
def test_walks_of_one_launch_share_the_place_for_kept_nodes(walk: str, function: str, tmp_path: Path) -> None:
    """A block has 48 KiB, and a launch may have any number of walks."""
    walks = "".join(f"forall (v in g.nodes().filter(a > {i})) {{ {walk} }}" for i in range(12))
    program = starplat.compile(
        "function walks(Graph g, propNode<int> a, propNode<int> b, propNode<int> c) {"
        "g.attachNodeProperty(a = 9, b = 0);"
        f"int rounds = 0; while (rounds < 3) {{ {walks} rounds += 1; }} }}"
    )
    text = pipeline.kernels_text(program.module(), "cuda", "loop=device")
    assert text.count(f" {function}(") >= 12
    to_machine_code(text, tmp_path)
