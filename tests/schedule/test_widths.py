"""Step `priority`: how far near and far are apart, worked out while a program runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.frontend.types import Scalar
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.runtime import run_module
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import scheduled
from starplat.schedule.parse import parse_schedule

SSSP = Path(__file__).parents[2] / "examples" / "sssp.sp"
BY_HOST, TOGETHER = "opencl", "cuda"


def that_gives_its_width(target: str) -> ir.Module:
    """The program up to where it knows the step that its limit rises by, which it returns."""
    schedule = AUTO if target == TOGETHER else parse_schedule("loop=host")
    module = scheduled(starplat.compile(SSSP).module(), schedule, BACKENDS[target].capabilities)
    (function,) = module.functions
    body = next((op.body for op in walk_host(function.body) if isinstance(op, ir.OnDevice)), function.body)
    (declared,) = (op for op in walk_host(body) if isinstance(op, ir.DeclareVariable) and op.variable.name == "width")
    until = (*takewhile(lambda op: op is not declared, body), declared, ir.HostReturn(ir.Ref(declared.variable)))
    shortened = replace(function, body=until, result=ir.Element.INT)
    return replace(module, functions=(shortened,), result_types=(Scalar.INT,))


def width(target: str, graph: Graph) -> int:
    src = graph.original_id(0)
    found = run_module(that_gives_its_width(target), graph, target="reference", schedule=PLAIN, arguments={"src": src})
    assert isinstance(found.returned, int)
    return found.returned


def ring(n: int, reach: int, weights: np.ndarray) -> Graph:
    """Every node has arcs to the next ones, with weights in the order of the arcs."""
    sources = np.repeat(np.arange(n), reach)
    return Graph.from_arcs(n, sources, (sources + np.tile(np.arange(1, reach + 1), n)) % n, weights)


def with_a_hub(graph: Graph) -> Graph:
    ends = np.arange(graph.num_nodes)
    sources, columns = np.r_[graph.sources, ends * 0], np.r_[graph.columns, ends]
    return Graph.from_arcs(graph.num_nodes, sources, columns, np.full(len(sources), 128))


@pytest.mark.parametrize("reach", [2, 8, 32])
def test_the_more_arcs_the_smaller_the_step_and_smaller_still_where_all_have_as_many(reach: int) -> None:
    even = ring(400, reach, np.full(400 * reach, 128))
    assert width(TOGETHER, even) == int(1024 * 128 / reach**2 / np.sqrt(reach))
    hub = with_a_hub(even)
    degree = hub.num_arcs / hub.num_nodes
    assert width(TOGETHER, hub) == int(1024 * 128 / degree**2)


@pytest.mark.parametrize("reach", [1, 4, 32])
def test_where_the_host_drives_the_rounds_it_goes_by_the_mean_degree(reach: int) -> None:
    graph = ring(300, reach, np.full(300 * reach, 100))
    assert width(BY_HOST, graph) == 96 * 100 // reach


@pytest.mark.parametrize("target", [BY_HOST, TOGETHER])
def test_a_mean_is_taken_of_arcs_all_over_the_graph(target: str) -> None:
    n, reach = 500, 4
    rising = np.arange(n * reach)
    mean = rising[::reach][:n].mean()
    share = 96 / reach if target == BY_HOST else 1024 / reach**2.5
    assert width(target, ring(n, reach, rising)) == pytest.approx(share * mean, abs=1)


@pytest.mark.parametrize("target", [BY_HOST, TOGETHER])
def test_graphs_with_fewer_arcs_than_nodes_or_none_have_a_step(target: str) -> None:
    few = Graph.from_arcs(1000, [0, 1, 2], [1, 2, 3], [10, 20, 30])
    assert width(target, few) > 0
    assert width(target, Graph.from_arcs(7, [], [], np.array([], np.int32))) == 1


def test_one_launch_looks_at_nodes_once() -> None:
    """At as many arcs as nodes, however many arcs there are."""
    module = scheduled(starplat.compile(SSSP).module(), AUTO, BACKENDS[TOGETHER].capabilities)
    (kernel,) = (kernel for kernel in module.kernels if "sample" in kernel.name)
    assert sorted(str(reduction.combine.value) for reduction in kernel.reductions) == ["+", "max"]
    assert all(isinstance(reduction, ir.Reduction) for reduction in kernel.reductions)
