"""Rows of arcs in the host's memory: sums over all begin in several places, threads share rows by whole sectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.graph import generators
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from tests.backends.emulated import Machine, emulated

PAGERANK = starplat.compile(Path(__file__).resolve().parents[2] / "examples" / "pagerank.sp")
FAR = "memory=mapped,order=as-is,algebra=plain"


MACHINES = {
    "few blocks": Machine(3, 64),
    "many blocks": Machine(20, 32, limits=False),
    "wide warps": Machine(3, 128, warp=64, family=HIP),
}


def with_heavy_nodes_first() -> Graph:
    """Nearly all arcs are those of the first nodes, and some nodes at the end have none."""
    generator = np.random.default_rng(3)
    sources, targets = generator.integers(0, 1500, 6000), (generator.random(6000) ** 4 * 1400).astype(np.int64)
    return Graph.from_arcs(1500, sources, targets)


GRAPHS = {"rmat": generators.rmat(10, 8, 1), "star": generators.star(2500), "heavy first": with_heavy_nodes_first()}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_ranks_are_the_same_wherever_arcs_lie(machine: Machine, graph: Graph) -> None:
    expected = PAGERANK.run(graph, target="reference", max_iterations=3)["rank"]
    with emulated(machine):
        found = PAGERANK.run(graph, target="cuda", schedule=FAR, max_iterations=3)
    np.testing.assert_allclose(found["rank"], expected, rtol=1e-12)


@pytest.mark.parametrize("target", ["cuda", "hip"])
@pytest.mark.parametrize(
    ("memory", "far", "near"), [("resident", False, True), ("mapped", True, False), ("ondemand", True, True)]
)
def test_only_arcs_in_the_hosts_memory_are_read_from_several_places(
    target: str, memory: str, far: bool, near: bool
) -> None:
    (text,) = PAGERANK.artifact(target, schedule=f"memory={memory}", single_file=True).values()
    assert ("gather_far_rows(num_nodes" in text) is far
    assert ("gather_rows(num_nodes" in text) is near


def test_managed_memory_is_read_as_the_devices() -> None:
    (text,) = PAGERANK.artifact("cuda", schedule="memory=unified", single_file=True).values()
    assert "gather_far_rows" not in text


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADVANCES = {
    "listed": "frontier=queue,loop=host",
    "words": "frontier=bitmap,loop=host",
    "in one launch": "frontier=bitmap,loop=device",
}
"""How pushed nodes are found."""


@pytest.fixture
def _whole_sectors_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads whose place in a sector is not that of their arc's in memory read another arc."""
    kernels_text = Family.kernels_text

    def changed(family: Family, module: ir.Module) -> str:
        text = kernels_text(family, module)
        assert "columns[e]" in text
        return text.replace("columns[e]", "columns[e % 8 == threadIdx.x % 8 ? e : 0]")

    monkeypatch.setattr(Family, "kernels_text", changed)


@pytest.mark.usefixtures("_whole_sectors_only")
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("schedule", ADVANCES.values(), ids=ADVANCES)
def test_threads_that_share_rows_read_each_sector_together(schedule: str, machine: Machine) -> None:
    program, graph = starplat.compile(EXAMPLES / "bfs_levels.sp"), GRAPHS["rmat"]
    expected = program.run(graph, target="reference", src=1)["level"]
    with emulated(machine):
        how = f"memory=mapped,direction=push,order=as-is,{schedule}"
        found = program.run(graph, target="cuda", schedule=how, src=1)["level"]
    assert found.tolist() == expected.tolist()


def test_rows_on_the_device_are_shared_without_gaps() -> None:
    program = starplat.compile(EXAMPLES / "sssp.sp")
    for memory, far in (("mapped", True), ("resident", False)):
        (text,) = program.artifact("cuda", schedule=f"memory={memory}", single_file=True).values()
        assert ("<true>(" in text) is far
