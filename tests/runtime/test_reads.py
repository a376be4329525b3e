"""A traced run tells what it read of arcs on the device and on the host; the interpreter counts it cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.graph.graph import Graph
from starplat.runtime.tracing.reads import Reads, total
from starplat.runtime.tracing.trace import Trace
from tests.runtime.devices import device_of, every_target
from tests.runtime.poisoned import PoisonedReference, session_with

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARGUMENTS: dict[str, dict[str, object]] = {"sssp": {"src": 0}, "bfs_levels": {"src": 0}}


def roads(nodes: int = 120, arcs: int = 900, *, directed: bool = True) -> Graph:
    generator = np.random.default_rng(3)
    ends = generator.integers(0, nodes, (2, arcs))
    return Graph.from_arcs(nodes, ends[0], ends[1], generator.integers(1, 9, arcs), directed=directed)


def traced(name: str, share: float, schedule: str) -> tuple[Trace, Reads]:
    """The trace, and what kernels read in the watched run."""
    program, given, device = starplat.compile(EXAMPLES / f"{name}.sp"), ARGUMENTS.get(name, {}), PoisonedReference()
    with session_with(device) as session:
        how: dict[str, Any] = {"target": "reference", "session": session, **given}
        mapped = program.run(roads(), schedule="memory=mapped", **how).estimate
        limit = mapped.total + int(share * sum(mapped.mapped.values()))
        device.read()
        trace = program.run(roads(), schedule=schedule, device_memory=limit, trace=True, **how).trace
        assert trace is not None
        return trace, watched(device)


def watched(device: PoisonedReference) -> Reads:
    """What was read in a run that was watched: as much as in the run before it."""
    count = device.read()
    return Reads(count.device // 2, count.host // 2, count.lines // 2)


@pytest.mark.parametrize("share", [0.2, 0.7])
@pytest.mark.parametrize(
    ("name", "schedule"),
    [
        ("bfs_levels", "memory=ondemand"),
        ("bfs_levels", "memory=ondemand,direction=push,frontier=bitmap"),
        ("pagerank", "memory=ondemand"),
        ("sssp", "memory=ondemand,direction=pull"),
    ],
)
def test_a_trace_counts_the_bytes_that_kernels_read_of_both_memories(name: str, schedule: str, share: float) -> None:
    told, counted = traced(name, share, schedule)
    assert counted.host > 0
    assert counted.device > 0
    assert not told.unread
    assert told.reads == counted
    assert total(told.reads_of_lines.values()) == told.reads


def test_edges_reached_through_their_ids_are_counted_where_they_lie() -> None:
    program = starplat.compile("""
function tolls(Graph g, propEdge<int> toll, propNode<long> sum) {
    forall (v in g.nodes()) {
        forall (w in g.nodes_to(v)) {
            edge e = g.get_edge(w, v);
            v.sum += e.toll;
        }
    }
}
""")
    graph, device = roads(), PoisonedReference()
    with session_with(device) as session:
        toll = np.arange(graph.num_arcs, dtype=np.int32)
        trace = program.run(
            graph, target="reference", session=session, toll=toll, trace=True, schedule="memory=ondemand",
            device_memory=4 * 121 + 8 * 120 + 4 * (900 + 900 + 300),
        ).trace  # fmt: skip
    assert trace is not None
    assert not trace.unread
    assert watched(device) == trace.reads
    assert (trace.reads.device, trace.reads.host) == (4 * (900 + 900 + 300), 4 * 600)


def test_launches_that_cannot_be_told_are_named() -> None:
    told, counted = traced("connected_components", 0.2, "memory=ondemand")
    assert told.unread == ("connected_components_component_sample", "connected_components_component_start")
    assert 0 < told.reads.host < counted.host


SEARCHES_IN_OTHER_ROWS = """
function mutual(Graph g, propNode<int> count) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            if (g.is_an_edge(w, v)) {
                v.count += 1;
            }
        }
    }
}
"""
WALKS_IN_A_FUNCTION = """
function first_below(Graph g, node v, int most) {
    for (w in g.neighbors(v)) {
        if (w < most) {
            return w;
        }
    }
    return 0;
}
function below(Graph g, propNode<int> sum) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            v.sum += first_below(g, w, v);
        }
    }
}
"""


@pytest.mark.parametrize("source", [SEARCHES_IN_OTHER_ROWS, WALKS_IN_A_FUNCTION])
def test_kernels_that_also_reach_arcs_of_other_rows_are_named(source: str) -> None:
    program, graph, device = starplat.compile(source), roads(), PoisonedReference()
    with session_with(device) as session:
        trace = program.run(
            graph, target="reference", session=session, trace=True, schedule="memory=ondemand",
            device_memory=4 * 121 + 4 * 120 + 4 * 300,
        ).trace  # fmt: skip
    assert trace is not None
    assert len(trace.unread) == 1
    assert trace.reads == Reads()
    assert device.read().host > 0


@every_target
def test_a_trace_says_what_lies_on_the_device_on_every_target(target: str) -> None:
    device_of(target)
    trace = starplat.compile(EXAMPLES / "pagerank.sp").run(roads(), target=target, trace=True).trace
    assert trace is not None
    rounds = len(trace.rounds)
    assert (trace.reads.host, trace.reads.lines) == (0, 0)
    assert trace.reads.device == rounds * 4 * 900
