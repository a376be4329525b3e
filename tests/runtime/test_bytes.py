"""What crosses the bus: the graph once, results only if asked for, one word for every reduction of a launch."""

from __future__ import annotations

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import run_module
from starplat.schedule import PLAIN
from tests.backends.modules import sssp
from tests.runtime.devices import device_of, every_target
from tests.runtime.programs import LOCAL, A, I, N, increment, module, number, total


def graph() -> Graph:
    generator = np.random.default_rng(3)
    ends = generator.integers(0, 50, (2, 300))
    return Graph.from_arcs(50, ends[0], ends[1], generator.integers(1, 9, 300))


@every_target
def test_the_graph_goes_up_once(target: str) -> None:
    device = device_of(target)
    roads = graph()
    first = run_module(sssp(), roads, target=target, arguments={"src": 0}, results=[])
    again = run_module(sssp(), roads, target=target, arguments={"src": 0}, results=[])
    arrays = 4 * (51 + 300 + 300)  # row_offsets, columns, weight
    assert first.bytes.up - again.bytes.up == arrays
    flag = 1 if target == "reference" else 0  # of src.modified; elsewhere a launch puts src into a set
    assert again.bytes.up == flag + 4  # src.dist
    device.forget_graphs([roads])
    assert run_module(sssp(), roads, target=target, arguments={"src": 0}, results=[]).bytes.up == first.bytes.up


@every_target
def test_only_results_that_are_asked_for_come_down(target: str) -> None:
    device_of(target)
    roads = graph()
    nothing = run_module(sssp(), roads, target=target, arguments={"src": 0}, results=[])
    dist = run_module(sssp(), roads, target=target, arguments={"src": 0}, results=["dist"])
    everything = run_module(sssp(), roads, target=target, arguments={"src": 0})
    assert dist.bytes.down - nothing.bytes.down == 50 * 4
    assert everything.bytes.down - nothing.bytes.down == 50 * 4 + 300 * 4
    assert list(dist.properties) == ["dist"]


@every_target
def test_a_reduction_costs_one_word_for_every_launch(target: str) -> None:
    device_of(target)
    body = (ir.DeclareVariable(N, number(0)), ir.HostForRange(I, number(0), number(5), (ir.Launch("total"),)))
    program = module(*body, kernels=(total(A),))
    result = run_module(program, graph(), target=target, results=[], schedule=PLAIN)
    assert (result.bytes.down, result.launches) == (5 * 4, 5)


@every_target
def test_fills_copies_and_zeros_move_nothing(target: str) -> None:
    device_of(target)
    body = (ir.Fill(A, number(3)), ir.CopyArray(LOCAL, A), ir.Swap(A, LOCAL))
    result = run_module(module(*body, arrays=(LOCAL,)), graph(), target=target, results=[])
    assert (result.bytes.up, result.bytes.down) == (0, 0)


def test_memory_is_used_again() -> None:
    device = device_of("reference")
    program = module(ir.Launch("increment"), kernels=(increment(A),))
    roads = graph()
    run_module(program, roads, target="reference")
    kept = {key: len(buffers) for key, buffers in device._free.items()}
    run_module(program, roads, target="reference")
    assert {key: len(buffers) for key, buffers in device._free.items()} == kept
