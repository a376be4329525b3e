"""Triangles are found on oriented rows where nodes have many pairs of neighbors, elsewhere as the program has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import starplat
from starplat.backends.cuda import CUDA as CUDA_FAMILY
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.backends.opencl import CPU_CAPABILITIES
from starplat.backends.scheduled import capabilities_of
from starplat.graph.generators import complete, rmat
from starplat.ir.capabilities import Capabilities
from starplat.runtime.targets import report
from starplat.schedule import AUTO, Schedule
from starplat.schedule.apply import decided, looks_at_the_graph
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Balance, Loop
from tests.backends.emulated import Machine, emulated
from tests.zoo import ZOO

EXAMPLES = Path(__file__).parents[2] / "examples"
EDGE = Schedule(balance=Balance.EDGE)
CUDA, OPENMP = capabilities_of("cuda"), capabilities_of("openmp")
ROADS, EVEN = GraphFacts(264_346, 730_100, 8), GraphFacts(4_194_304, 134_217_232, 66)
SOCIAL, DENSE = GraphFacts(81_306, 2_684_592, 3_383), GraphFacts(1_000, 200_000, 250)


@pytest.mark.parametrize("name", ["triangle_count", "clustering_coefficient"])
@pytest.mark.parametrize(
    ("facts", "capabilities", "oriented"),
    [
        (ROADS, CUDA, False),
        (ROADS, OPENMP, False),
        (ROADS, CPU_CAPABILITIES, False),
        (EVEN, CUDA, True),
        (EVEN, CPU_CAPABILITIES, True),
        (SOCIAL, CUDA, True),
        (SOCIAL, OPENMP, True),
        (DENSE, CUDA, True),
        (GraphFacts(0, 0, 0), CUDA, False),
        (None, CUDA, True),
    ],
)
def test_rows_are_oriented_where_there_are_many_pairs(
    name: str, facts: GraphFacts | None, capabilities: Capabilities, oriented: bool
) -> None:
    found = decided(starplat.compile(EXAMPLES / f"{name}.sp").module(), AUTO, capabilities, facts)
    said = [choice for choice in found.choices if choice.step == "triangles"]
    if facts is ROADS and capabilities is not CUDA:
        oriented = True  # each triangle is looked for once, from the ends of rows as they are
    assert len(said) == 1
    assert said[0].what.startswith("every pair of neighbors is tested") is not oriented
    assert (facts is None or f"none more than {facts.max_degree:,}" not in said[0].why) is oriented


@pytest.mark.parametrize("target", ["cuda", "hip"])
def test_threads_share_no_rows_that_are_all_short(target: str) -> None:
    module, capabilities = starplat.compile(EXAMPLES / "triangle_count.sp").module(), capabilities_of(target)
    for facts, schedule, shares in ((ROADS, AUTO, 0), (EVEN, AUTO, 1), (None, AUTO, 1), (ROADS, EDGE, 1)):
        made = decided(module, schedule, capabilities, facts).module
        assert bool(shares) is any(kernel.shares_arcs for kernel in made.kernels)
    sssp = starplat.compile(EXAMPLES / "sssp.sp").module()
    grid = replace(AUTO, loop=Loop.DEVICE)
    assert decided(sssp, grid, capabilities, ROADS).module == decided(sssp, grid, capabilities).module


def test_only_programs_with_pairs_of_neighbors_look_at_the_graph() -> None:
    large = (2**22, 2**26)  # a smaller one may have several kernels in a launch
    for name, looks in (("triangle_count", True), ("clustering_coefficient", True), ("sssp", False), ("bfs", False)):
        module = starplat.compile(EXAMPLES / f"{name}.sp").module()
        assert looks_at_the_graph(module, capabilities_of("hip"), *large) is looks


@pytest.mark.parametrize("target", ["reference", "openmp", "opencl"])
def test_graphs_with_few_pairs_have_the_same_triangles(target: str) -> None:
    program = starplat.compile(EXAMPLES / "triangle_count.sp")
    if target == "opencl" and not any(device.usable for device in report("opencl")):
        pytest.skip("no OpenCL device can be used here")
    graph = starplat.Graph.from_arcs(60, *_ladder(60))
    found = program.run(graph, target=target, schedule="auto")
    assert found.returned == program.run(graph, target="reference").returned == 58
    hubs = ZOO["random-dense"]
    expected = program.run(hubs, target="reference").returned
    assert program.run(hubs, target=target, schedule="auto").returned == expected


@pytest.mark.parametrize("name", ["triangle_count", "clustering_coefficient"])
@pytest.mark.parametrize(("family", "warp"), [(CUDA_FAMILY, 32), (HIP, 64)])
def test_rows_that_no_table_has_room_for_have_the_same_triangles(name: str, family: Family, warp: int) -> None:
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    loops = starplat.Graph.from_arcs(44, *_with_hubs(44, loops=name == "triangle_count"))
    for graph in (complete(41), rmat(7, 8), loops):  # all keep many, some do, hubs that keep few have long rows
        with emulated(Machine(blocks=2, family=family, warp=warp)):
            found = program.run(graph, target="cuda", schedule="algebra=proved")
        expected = program.run(graph, target="openmp", schedule="plain")
        assert found.returned == expected.returned
        if name == "clustering_coefficient":
            assert found["lcc"].tolist() == expected["lcc"].tolist()


def _with_hubs(nodes: int, *, loops: bool) -> tuple[list[int], list[int]]:
    """Two thirds of the nodes tied to each other, five to all, and a few of the rest; loops at every third."""
    core, some = nodes * 2 // 3, range(0, nodes, 3)
    edges = {(v, w) for w in range(nodes) for v in range(w) if w < core or v < 5 or (v + w) % 7 == 0}
    arcs = [*edges, *((w, v) for v, w in edges), *((v, v) for v in some if loops)]
    return [v for v, _ in arcs], [w for _, w in arcs]


def _ladder(nodes: int) -> tuple[list[int], list[int]]:
    """Each node with the two after it, both ways: a strip of nodes - 2 triangles."""
    arcs = [(v, v + step) for step in (1, 2) for v in range(nodes - step)]
    arcs += [(b, a) for a, b in arcs]
    return [a for a, _ in arcs], [b for _, b in arcs]
