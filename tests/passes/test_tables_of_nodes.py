"""Tables in a group's memory find every triangle, however few cells there are and however wide a warp is."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.cuda import CUDA
from starplat.backends.hip import HIP
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk
from starplat.schedule import AUTO
from starplat.schedule.algebra import triangles_by_intersection
from starplat.schedule.facts import GraphFacts
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES
from tests.zoo import ZOO

MACHINES = {
    "small": Machine(),
    "unlimited": Machine(limits=False),
    "one block": Machine(blocks=1, threads=128),
    "wide warps": Machine(threads=128, warp=64, family=HIP),
}
COUNT, CLUSTERING = (starplat.compile(EXAMPLES / f"{name}.sp") for name in ("triangle_count", "clustering_coefficient"))
ALL = "algebra=proved"


def uneven(nodes: int, pairs: int) -> Graph:
    """Few nodes have most of the neighbors."""
    ends = (np.random.default_rng(3).pareto(1.2, (2, pairs)) * 20).astype(np.int64) % nodes
    return Graph.from_arcs(nodes, *ends, directed=False).deduplicated()


@pytest.mark.parametrize("machine", MACHINES)
def test_every_graph_has_the_triangles_of_the_plain_program(machine: str) -> None:
    graphs = [uneven(300, 2000), *ZOO.values(), *(graph.undirected().deduplicated() for graph in ZOO.values())]
    with emulated(MACHINES[machine]):
        for graph in graphs:
            plain = {"target": "reference", "schedule": "algebra=plain"}
            found = COUNT.run(graph, target="cuda", schedule=ALL).returned
            assert found == COUNT.run(graph, **plain).returned
            shares = CLUSTERING.run(graph, target="cuda", schedule=ALL)["lcc"]
            np.testing.assert_array_equal(shares, CLUSTERING.run(graph, **plain)["lcc"])


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("program", [COUNT, CLUSTERING], ids=["sum", "nodes"])
@pytest.mark.parametrize("few", [False, True], ids=["many pairs", "few pairs"])
def test_arcs_are_only_searched_for_where_they_may_have_no_reverse(
    program: starplat.Program, symmetric: bool, few: bool
) -> None:
    facts = GraphFacts(2**20, 2**22, 16, symmetric) if few else GraphFacts(1024, 2**16, 1000, symmetric)
    found = triangles_by_intersection(program.module(), AUTO, CUDA.capabilities, facts).module
    checks = [kernel for kernel in found.kernels if kernel.name.endswith("_check")]
    assert len(checks) == (program is CLUSTERING and not symmetric if few else 1)  # or the search tests on its way
    for check in checks:
        assert any(isinstance(part, ir.FindArc) for part in walk(check)) is not symmetric
        assert len(check.reductions) == (1 if symmetric else 2)
