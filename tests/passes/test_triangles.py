"""Where triangles are counted, intersecting rows gives the same number on every graph; nothing else is touched."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import starplat
from starplat.backends import BACKENDS
from starplat.backends.opencl import CAPABILITIES as OPENCL
from starplat.backends.opencl import CPU_CAPABILITIES as OPENCL_CPU
from starplat.backends.sycl import CAPABILITIES as SYCL
from starplat.backends.sycl import CPU_CAPABILITIES as SYCL_CPU
from starplat.graph import Graph
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import HostIf, Launch, Module
from starplat.ir.verify import verify
from starplat.ir.visitor import walk_host
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles import triangles
from starplat.runtime import bind, run_module
from starplat.schedule import AUTO
from starplat.schedule.algebra import triangles_by_intersection
from tests.backends.test_cuda import to_machine_code
from tests.oracles import triangles as triangles_of
from tests.passes.counting_triangles import OTHERS, TRIANGLES
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.zoo import ZOO, random_graphs

every_spelling = pytest.mark.parametrize("name", TRIANGLES)
both_ways = pytest.mark.parametrize("lockstep", [True, False], ids=["searching", "merging"])
SOME = [target for target in TARGETS if target.target in ("reference", "openmp", "opencl")]
some_targets = pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)
quick = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def plain(name: str) -> Module:
    return starplat.compile({**TRIANGLES, **OTHERS}[name]).module()


@cache
def rewritten(name: str, lockstep: bool) -> Rewritten:
    return triangles(plain(name), lockstep=lockstep)


def answer(module: Module, graph: Graph, target: Target) -> object:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    given = bind(module, graph, {})
    run = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=given)
    return run.returned


def assert_same(name: str, lockstep: bool, graph: Graph, target: Target) -> None:
    expected = answer(plain(name), graph, REFERENCE)
    assert answer(rewritten(name, lockstep).module, graph, target) == expected


@both_ways
@every_spelling
def test_every_spelling_is_seen_through(name: str, lockstep: bool) -> None:
    found = rewritten(name, lockstep)
    verify(found.module)
    assert len(found.found) == 1
    assert "intersections of neighbors" in found.found[0].what
    (test,) = (op for op in walk_host(found.module.functions[0].body) if isinstance(op, HostIf))
    launched = [[op.kernel for op in block if isinstance(op, Launch)] for block in (test.then, test.otherwise)]
    assert [len(kernels) for kernels in launched] == [2, 1]
    assert launched[1] == [kernel.name for kernel in plain(name).kernels]


@pytest.mark.parametrize(
    ("capabilities", "lockstep"),
    [(OPENCL, True), (OPENCL_CPU, False), (SYCL, True), (SYCL_CPU, False), (BACKENDS["openmp"].capabilities, False)],
)
def test_rows_are_merged_where_threads_do_not_go_in_step(capabilities: Capabilities, lockstep: bool) -> None:
    """Which a device says, not the target."""
    name = next(iter(TRIANGLES))
    assert triangles_by_intersection(plain(name), AUTO, capabilities).module == rewritten(name, lockstep).module


@pytest.mark.parametrize("name", OTHERS)
def test_what_counts_something_else_stays_as_it_is(name: str) -> None:
    found = triangles(plain(name))
    assert found.module is plain(name)
    assert found.found == ()


@some_targets
@both_ways
@every_spelling
def test_the_number_is_the_same_on_ugly_graphs(name: str, lockstep: bool, target: Target) -> None:
    for graph in ZOO.values():
        assert_same(name, lockstep, graph, target)
        assert_same(name, lockstep, graph.undirected().deduplicated(), target)


@some_targets
@both_ways
@every_spelling
def test_the_number_is_the_same_on_random_graphs(name: str, lockstep: bool, target: Target) -> None:
    def same(graph: Graph) -> None:
        assert_same(name, lockstep, graph, target)
        assert_same(name, lockstep, graph.undirected().deduplicated().without_loops(), target)

    quick(given(random_graphs(12, 60))(same))()


@some_targets
@both_ways
def test_larger_graphs_have_as_many_as_networkx_finds(lockstep: bool, target: Target) -> None:
    draw = np.random.default_rng(3)
    ends = (draw.pareto(1.2, (2, 4000)) * 20).astype(np.int64) % 600
    graph = Graph.from_arcs(600, *ends, directed=False).deduplicated().without_loops()
    assert answer(rewritten("upwards", lockstep).module, graph, target) == triangles_of(graph)


@both_ways
@every_spelling
def test_every_target_can_say_it(name: str, lockstep: bool) -> None:
    for backend in BACKENDS.values():
        assert backend.kernels_text(rewritten(name, lockstep).module)


@both_ways
def test_cuda_takes_the_kernels(lockstep: bool, tmp_path: Path) -> None:
    to_machine_code(BACKENDS["cuda"].kernels_text(rewritten("upwards", lockstep).module), tmp_path)
