"""What is counted of a run is what the docs say: cells and operators of every iteration, nothing under conditions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.ir.work import CALLS, CONDITIONS, EARLY, LOOPS, Cost, cost_of
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.session import default_session
from starplat.runtime.tracing.work import UNCOUNTED, copy_rate
from tests.backends.emulated import Machine, emulated
from tests.runtime.devices import device_of, every_target

EXAMPLES = Path(__file__).parents[2] / "examples"


def costs(body: str, parameters: str = "propNode<int> a, propNode<double> b, propNode<bool> c, int k") -> list[object]:
    program = starplat.compile(f"function f(Graph g, {parameters}) {{ {body} }}")
    module = pipeline.lower(program.checked, as_written=True)
    found = [cost_of(kernel, wide_arcs=False) for kernel in module.kernels]
    return [found[0].tested, found[0].kept, found[0].arc, set(found[0].missing)]


@pytest.mark.parametrize(
    ("body", "tested", "kept", "arc", "missing"),
    [
        ("forall (v in g.nodes()) { v.a = v.a + 1; }", Cost(), Cost(8, 1), Cost(), set()),
        ("forall (v in g.nodes()) { v.b = v.b * v.b; }", Cost(), Cost(16, 1), Cost(), set()),
        ("forall (v in g.nodes().filter(c == True)) { v.a = k; }", Cost(1, 0), Cost(4, 0), Cost(), set()),
        ("forall (v in g.nodes()) { if (v.a > k) { v.b = 0.0; } }", Cost(), Cost(4, 1), Cost(), {CONDITIONS}),
        (
            "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.a += v.a; } }",
            Cost(),
            Cost(8 + 4, 0),
            Cost(4 + 8, 1),
            set(),
        ),
        (
            "forall (v in g.nodes()) { for (w in g.neighbors(v)) { for (u in g.neighbors(w)) { v.a += u.a; } } }",
            Cost(),
            None,
            Cost(4, 0),
            {LOOPS},
        ),
        (
            "forall (v in g.nodes()) { for (w in g.neighbors(v)) { if (g.is_an_edge(w, v)) { v.a += 1; } } }",
            Cost(),
            None,
            None,
            {CALLS, CONDITIONS},
        ),
        (
            "forall (v in g.nodes()) { for (w in g.neighbors(v)) { if (w.c) { v.a = 1; break; } } }",
            Cost(),
            Cost(8, 0),
            Cost(),
            {EARLY},
        ),
    ],
)
def test_a_kernels_costs(body: str, tested: Cost, kept: Cost | None, arc: Cost | None, missing: set[str]) -> None:
    found = costs(body)
    for expected, got in zip((tested, kept, arc, missing), found, strict=True):
        assert expected is None or expected == got


@pytest.mark.parametrize("target", ["reference", "openmp"])
def test_the_work_of_a_search(target: str) -> None:
    device_of(target)
    random = np.random.default_rng(3)
    graph = starplat.Graph.from_arcs(50, random.integers(0, 50, 200), random.integers(0, 50, 200))
    program = starplat.compile(EXAMPLES / "bfs_levels.sp")
    trace = program.run(graph, target=target, src=0, schedule="plain", trace=True).trace
    assert trace is not None
    assert trace.work is not None
    rounds, n = len(trace.rounds), graph.num_nodes
    active = sum(one.chief.active or 0 for one in trace.rounds)
    arcs = sum(one.chief.arcs or 0 for one in trace.rounds)
    filled = sum(one.bytes for one in trace.filled)
    # every flag; of an active node two offsets and its level; of an arc its end and the level there
    assert trace.work.bytes == filled + rounds * n + active * (8 + 4) + arcs * (4 + 4)
    assert trace.work.operations == active + arcs
    assert trace.work.missing == (CONDITIONS,)
    assert filled >= 4 * n + n


def test_who_pulls_is_not_counted_as_pushing() -> None:
    random = np.random.default_rng(3)
    graph = starplat.Graph.from_arcs(64, random.integers(0, 64, 600), random.integers(0, 64, 600))
    with emulated(Machine(blocks=2, threads=64)):
        trace = starplat.compile(EXAMPLES / "bfs_levels.sp").run(graph, target="cuda", src=0, trace=True).trace
    assert trace is not None
    assert trace.work is not None
    assert {EARLY, UNCOUNTED} <= set(trace.work.missing)
    assert trace.work.bytes > 0


@every_target
def test_every_device_copies_at_some_rate(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starplat.runtime.tracing.work.COPIED", 2**22)
    device = device_of(target)
    before = device.traffic.up, device.traffic.down
    rate = copy_rate(device)
    assert 1e6 < rate < 1e14
    assert copy_rate(device) == rate
    assert (device.traffic.up, device.traffic.down) == before
    assert default_session().device(target) is device


def test_a_small_device_copies_less(monkeypatch: pytest.MonkeyPatch) -> None:
    device, asked = ReferenceDevice(), []
    monkeypatch.setattr(device, "free_memory", lambda: 2**24)
    allocate = device.allocate_word
    monkeypatch.setattr(device, "allocate_word", lambda dtype, count: asked.append(count) or allocate(dtype, count))
    copy_rate(device)
    assert asked == [2**24 // 8 // 4] * 2
