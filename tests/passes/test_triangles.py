"""Where triangles are counted, intersecting rows gives the same number on every graph; nothing else is touched."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.backends.opencl import CAPABILITIES as OPENCL, CPU_CAPABILITIES as OPENCL_CPU
from starplat.backends.sycl import CAPABILITIES as SYCL, CPU_CAPABILITIES as SYCL_CPU
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import walk, walk_host
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles.intersections import triangles
from starplat.passes.triangles.search import Meeting
from starplat.runtime import bind, run_module
from starplat.schedule import AUTO
from starplat.schedule.algebra import triangles_by_intersection
from starplat.schedule.facts import GraphFacts
from tests.backends.test_cuda import to_machine_code
from tests.changing import changed
from tests.oracles import triangles as triangles_of
from tests.passes.counting_triangles import OTHERS, TRIANGLES
from tests.programs.targets import FULL, REFERENCE, TARGETS, Target
from tests.zoo import ZOO, fewer_examples, random_graphs

MEETINGS = [meeting for meeting in Meeting if meeting not in (Meeting.TESTED_ENDS, Meeting.CELLS)]
"""How a sum of all triangles is found; where nodes have few neighbors the program itself tries pairs, and of a sum no
node is told, so that CELLS are MARKS."""
every_spelling = pytest.mark.parametrize("name", TRIANGLES)
all_ways = pytest.mark.parametrize("meeting", MEETINGS, ids=lambda meeting: meeting.name.lower())
SOME = [target for target in TARGETS if target.target in ("reference", "openmp", "opencl")]
some_targets = pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)


@cache
def plain(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**TRIANGLES, **OTHERS}[name]).checked)


@cache
def rewritten(name: str, meeting: Meeting) -> Rewritten:
    return triangles(plain(name), meeting=meeting)


def answer(module: ir.Module, graph: Graph, target: Target) -> object:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    by_tables = any(isinstance(kernel.domain, ir.Triangles) for kernel in module.kernels)
    if by_tables and target.target not in ("reference", "opencl"):
        pytest.skip(f"threads of {target.label} have no tables together")
    given = bind(module, graph, {})
    run = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=given)
    return run.returned


def assert_same(name: str, meeting: Meeting, graph: Graph, target: Target) -> None:
    expected = answer(plain(name), graph, REFERENCE)
    assert answer(rewritten(name, meeting).module, graph, target) == expected


@all_ways
@every_spelling
def test_every_spelling_is_seen_through(name: str, meeting: Meeting) -> None:
    found = rewritten(name, meeting)
    verify(found.module)
    assert len(found.found) == 1
    assert "intersections of neighbors" in found.found[0].what
    assert all(array.extent is not ir.Extent.WORKERS_BITS for array in found.module.functions[0].arrays) == (
        meeting is not Meeting.MARKS
    )
    (test,) = (op for op in walk_host(found.module.functions[0].body) if isinstance(op, ir.HostIf))
    launched = [[op.kernel for op in block if isinstance(op, ir.Launch)] for block in (test.then, test.otherwise)]
    assert [len(kernels) for kernels in launched] == [1 if meeting in (Meeting.TABLES, Meeting.ENDS) else 2, 1]
    assert launched[1] == [kernel.name for kernel in plain(name).kernels]


@pytest.mark.parametrize(
    ("capabilities", "meeting"),
    [
        (OPENCL, Meeting.TABLES),
        (SYCL, Meeting.SEARCH),
        (OPENCL_CPU, Meeting.MARKS),
        (SYCL_CPU, Meeting.MARKS),
        (BACKENDS["openmp"].capabilities, Meeting.MARKS),
        (BACKENDS["openacc"].capabilities, Meeting.MERGE),
        (BACKENDS["cuda"].capabilities, Meeting.TABLES),
        (BACKENDS["hip"].capabilities, Meeting.TABLES),
    ],
)
def test_how_rows_meet_depends_on_what_threads_are(capabilities: Capabilities, meeting: Meeting) -> None:
    """Which a device says, not the target."""
    name = next(iter(TRIANGLES))
    assert triangles_by_intersection(plain(name), AUTO, capabilities, None).module == rewritten(name, meeting).module


@pytest.mark.parametrize("capabilities", [OPENCL_CPU, SYCL_CPU, BACKENDS["openmp"].capabilities])
def test_cores_go_through_short_rows_from_their_ends(capabilities: Capabilities) -> None:
    name, short = next(iter(TRIANGLES)), GraphFacts(1000, 4000, 4)
    found = triangles_by_intersection(plain(name), AUTO, capabilities, short).module
    assert found == rewritten(name, Meeting.ENDS).module
    assert triangles_by_intersection(plain(name), AUTO, OPENCL, short).module == plain(name)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_arcs_that_are_known_to_have_their_reverse_are_not_looked_up(target: str, symmetric: bool) -> None:
    facts = GraphFacts(1000, 64_000, 900, symmetric)
    capabilities = BACKENDS[target].capabilities
    module = triangles_by_intersection(plain(next(iter(TRIANGLES))), AUTO, capabilities, facts).module
    check = next(kernel for kernel in module.kernels if "twice" in kernel.comment or "reverse" in kernel.comment)
    assert any(isinstance(part, ir.FindArc) for part in walk(check)) is not symmetric


def test_a_loop_before_it_stays_apart() -> None:
    """Fusing is for kernels that the step leaves as they are."""
    loop = "forall (v in g.nodes()) { v.x = v; }"
    text = changed(TRIANGLES["upwards"], ("(Graph g)", "(Graph g, propNode<int> x)"), ("  long", f"{loop} long"))
    module = pipeline.lower(starplat.compile(text).checked)
    assert len(module.kernels) == 2
    assert len(triangles(module).found) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_what_counts_something_else_stays_as_it_is(name: str) -> None:
    found = triangles(plain(name))
    assert found.module is plain(name)
    assert found.found == ()


@pytest.mark.thin(plain=6, campaign=6)
@some_targets
@all_ways
@every_spelling
def test_the_number_is_the_same_on_ugly_graphs(name: str, meeting: Meeting, target: Target) -> None:
    for graph in ZOO.values():
        assert_same(name, meeting, graph, target)
        assert_same(name, meeting, graph.undirected().deduplicated(), target)


@pytest.mark.thin(plain=6, campaign=6)
@some_targets
@all_ways
@every_spelling
def test_the_number_is_the_same_on_random_graphs(name: str, meeting: Meeting, target: Target) -> None:
    def same(graph: Graph) -> None:
        assert_same(name, meeting, graph, target)
        assert_same(name, meeting, graph.undirected().deduplicated().without_loops(), target)

    fewer_examples()(given(random_graphs(12, 60))(same))()


@pytest.mark.thin(plain=3)
@some_targets
@all_ways
def test_larger_graphs_have_as_many_as_networkx_finds(meeting: Meeting, target: Target) -> None:
    draw = np.random.default_rng(3)
    ends = (draw.pareto(1.2, (2, 4000)) * 20).astype(np.int64) % 600
    graph = Graph.from_arcs(600, *ends, directed=False).deduplicated().without_loops()
    assert answer(rewritten("upwards", meeting).module, graph, target) == triangles_of(graph)


@pytest.mark.thin(plain=4)
@all_ways
@every_spelling
def test_every_target_can_say_it(name: str, meeting: Meeting) -> None:
    for backend in map(BACKENDS.__getitem__, FULL):
        if meeting is Meeting.TABLES and not backend.capabilities.group_tables:
            continue
        assert backend.kernels_text(rewritten(name, meeting).module)


@all_ways
def test_cuda_takes_the_kernels(meeting: Meeting, tmp_path: Path) -> None:
    to_machine_code(BACKENDS["cuda"].kernels_text(rewritten("upwards", meeting).module), tmp_path)
