"""Largest degrees, found where a graph lies, are those that NumPy finds; and they cost no arrays of their own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import starplat
from starplat.graph.graph import Graph
from starplat.runtime import facts, run_module, scheduling
from starplat.runtime.devices.device import Device
from starplat.runtime.facts import facts_of, facts_on, longest_row_by_host
from starplat.schedule.facts import GraphFacts
from tests.runtime.devices import TARGETS, device_of
from tests.zoo import ZOO

OUT = (
    "function f(Graph g) { long n = 0; forall (v in g.nodes()) { forall (w in g.neighbors(v)) { n += 1; } } return n; }"
)
IN = OUT.replace("g.neighbors", "g.nodes_to")
LABELS = """
function f(Graph g, propNode<node> label) {
  forall (v in g.nodes()) { v.label = v; }
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.label < w.label) { w.label = v.label; again = True; }
      }
    }
  }
}
"""


every_target = pytest.mark.parametrize("target", ["cuda", *TARGETS])


def apart(target: str, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device of the target, taken for one with memory of its own, whichever it is."""
    device = device_of(target)
    monkeypatch.setattr(device, "is_host", False)
    return device


def hub(*, directed: bool, entering: bool) -> Graph:
    """A path and a hub of 300 of its 1,000 nodes, whose arcs lead to it or away."""
    path, ends = np.arange(999), np.arange(0, 900, 3)
    arcs = (ends, np.full(300, 7)) if entering else (np.full(300, 7), ends)
    return Graph.from_arcs(1000, np.r_[path, arcs[0]], np.r_[path + 1, arcs[1]], directed=directed)


@every_target
@pytest.mark.parametrize("text", [OUT, IN])
def test_the_device_finds_what_numpy_finds(target: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device, module = apart(target, monkeypatch), starplat.compile(text).module()
    monkeypatch.setattr(facts, "longest_row_by_host", lambda graph: pytest.fail("the host has looked"))
    for directed, entering in product((True, False), repeat=2):
        graph = hub(directed=directed, entering=entering)
        most = longest_row_by_host(graph)
        assert facts_on(device, graph, module) == GraphFacts(1000, graph.num_arcs, most, not directed)
        assert most >= 300


@pytest.mark.parametrize("name", ZOO)
def test_it_does_on_every_ugly_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device, known = apart("reference", monkeypatch), ZOO[name]
    graph = Graph(known.row_offsets, known.columns, known.weights, directed=known.directed)
    found = {facts_on(device, graph, starplat.compile(text).module()) for text in (OUT, IN)}
    assert found == {facts_of(known)}


@every_target
def test_the_graph_still_goes_up_once(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device, program = device_of(target), starplat.compile(LABELS)
    plain = run_module(program.module(), hub(directed=True, entering=True), target=target, results=[]).bytes.up
    apart(target, monkeypatch)
    monkeypatch.setattr(scheduling, "wants_facts", lambda module, schedule, capabilities, graph: True)
    graph = hub(directed=True, entering=True)
    first = run_module(program.module(), graph, target=target, results=[])
    again = run_module(program.module(), graph, target=target, results=[])
    assert first.bytes.up == plain
    assert first.bytes.up - again.bytes.up == 4 * (graph.num_nodes + 1 + graph.num_arcs)
    assert not device.is_host


def test_the_host_looks_where_there_is_no_room_or_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    device, module = apart("reference", monkeypatch), starplat.compile(OUT).module()
    monkeypatch.setattr(device, "free_memory", lambda: 4000)
    graph = hub(directed=True, entering=True)
    before = device.traffic.up
    assert facts_on(device, graph, module).max_degree == longest_row_by_host(graph)
    assert device.traffic.up == before
    counts = starplat.compile("function f(Graph g) { int n = g.num_nodes(); return n; }").module()
    monkeypatch.undo()
    apart("reference", monkeypatch)
    monkeypatch.setattr(facts, "_run", lambda *arguments: pytest.fail("columns would have had to go up"))
    assert facts_on(device, hub(directed=True, entering=False), counts).max_degree >= 300
