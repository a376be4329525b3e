"""Warps that take as many nodes as they have threads of those that a filter keeps, on emulated GPUs."""

from __future__ import annotations

import pytest

import starplat
from starplat.backends.hip import HIP
from starplat.graph import generators
from starplat.runtime.session import default_session
from tests.backends.emulated import EmulatedDevice, Machine, require_compiler


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
