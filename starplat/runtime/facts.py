"""Facts of a graph for scheduling: computed once per graph, only where some step reads them.

Where kernels run on a device with memory of its own, the longest row is looked for where the graph lies, in one pass by
programs of StarPlat's own. They read only what the program that is about to run reads too, so nothing is uploaded for
their sake. Where the host's cores are the device, or neither rows of incoming arcs nor columns are read, the host
looks.
"""

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np

from starplat.analysis import analyse
from starplat.backends.scheduled import capabilities_of, made_for_target
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.frontend.statements.sequence import sequenced
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.lower import lower
from starplat.passes import run as run_passes
from starplat.runtime import resident, running
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.devices.device import Device
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.facts import FAR, GraphFacts
from starplat.schedule.schedule import Memory
from starplat.schedule.sources.step import searches_on_cpus
from starplat.source import SourceFile

_FACTS: weakref.WeakKeyDictionary[Graph, GraphFacts] = weakref.WeakKeyDictionary()
_THIN: weakref.WeakKeyDictionary[Graph, bool] = weakref.WeakKeyDictionary()

ITEMS_OF_A_LEVEL = 150
"""Nodes and arcs that one search visits in the time in which the host begins one level of many searches, by 256 sources
of a batch. Seconds of closeness on OpenMP by one thread, one after another and in batches: a grid of 70 x 70 2.2 and
1.6 (178 items a level), Liechtenstein's roads 17 and 52 (50), a path of 3,000 nodes 0.8 and 12 (3), 6,000 nodes of 3
random arcs each 8.6 and 0.3 (2,000)."""


def wants_facts(module: ir.Module, schedule: Schedule | None, capabilities: Capabilities, graph: Graph) -> bool:
    """Whether scheduling a run on a target with these capabilities looks at the graph."""
    looks = looks_at_the_graph(module, capabilities, graph.num_nodes, graph.num_arcs)
    return schedule != PLAIN and (looks or searches_on_cpus(module, capabilities))


def facts_of(graph: Graph, longest_row: Callable[[Graph], int] | None = None) -> GraphFacts:
    """The facts, in O(n + m) the first time; `longest_row` finds the largest degree, by default on the host."""
    if graph not in _FACTS:
        most = (longest_row or longest_row_by_host)(graph)
        _FACTS[graph] = GraphFacts(graph.num_nodes, graph.num_arcs, most, not graph.directed, far_arcs(graph))
    return _FACTS[graph]


def facts_for(
    module: ir.Module, capabilities: Capabilities, graph: Graph, longest_row: Callable[[Graph], int] | None = None
) -> GraphFacts:
    """The same, with what only this module asks for."""
    facts = facts_of(graph, longest_row)
    if not searches_on_cpus(module, capabilities):
        return facts
    if graph not in _THIN:
        _THIN[graph] = has_thin_levels(graph)
    return replace(facts, thin_levels=_THIN[graph])


def has_thin_levels(graph: Graph) -> bool:
    """Whether a breadth-first search from a node of most arcs takes more than a level for each 150 nodes and arcs,
    and more than 64."""
    most = max(64, (graph.num_nodes + graph.num_arcs) // ITEMS_OF_A_LEVEL)
    if graph.num_nodes <= most:
        return False
    unseen = np.ones(graph.num_nodes, bool)
    level = np.array([graph.out_degrees.argmax()])
    unseen[level] = False
    for _ in range(most):
        starts = graph.row_offsets[level]
        lengths = graph.row_offsets[level + 1] - starts
        before = np.cumsum(lengths) - lengths
        reached = graph.columns[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)]
        level = np.unique(reached[unseen[reached]])
        if not len(level):
            return False
        unseen[level] = False
    return True


def far_arcs(graph: Graph, looks: int = 4096) -> float:
    """The share of arcs between nodes of distant numbers, among so many arcs at even distances."""
    if graph.num_nodes <= FAR or not graph.num_arcs:
        return 0.0
    arcs = np.linspace(0, graph.num_arcs - 1, looks).astype(np.int64)
    sources = np.searchsorted(graph.row_offsets, arcs, side="right") - 1
    return float(np.mean(np.abs(sources - graph.columns[arcs]) >= FAR))


def longest_row_by_host(graph: Graph) -> int:
    """The largest number of arcs that leave a node, or enter one."""
    most = int(graph.out_degrees.max(initial=0))
    return max(most, int(np.bincount(graph.columns).max(initial=0))) if graph.directed else most


def mean_weight_of(graph: Graph) -> float | None:
    """The mean weight of the arcs, in O(m); None without weights. Deltas go by it."""
    weights = graph.weights
    return None if weights is None or not len(weights) else float(weights.mean(dtype=float))


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, and the seconds that arrays took to reach the device meanwhile, which stay there."""

    facts: GraphFacts
    upload: float


def facts_on(device: Device, graph: Graph, module: ir.Module) -> GraphFacts:
    """The facts of a graph on the device where a module is about to run on it."""
    return look(device, graph, module).facts


def look(device: Device, graph: Graph, module: ir.Module, memory: Memory = Memory.AUTO) -> Looked:
    """The same, with its cost; `memory` is where that module's columns will lie."""
    uploads: list[float] = []

    def longest_row(graph: Graph) -> int:
        entry = None if device.is_host or not graph.num_arcs else _entry(graph, module)
        found = None if entry is None else _run(device, graph, looking_module(entry), memory, uploads)
        return longest_row_by_host(graph) if found is None else found

    capabilities = device.capabilities or capabilities_of(device.target)
    return Looked(facts_for(module, capabilities, graph, longest_row), sum(uploads))


def _entry(graph: Graph, module: ir.Module) -> str | None:
    """Which of the programs needs no more than the module does; None if neither."""
    if not graph.directed or ir.REVERSE.offsets in module.graph_arrays:
        return "by_rows"
    return "by_columns" if ir.CSR.neighbors in module.graph_arrays else None


@cache
def looking_module(entry: str) -> ir.Module:
    """One of the programs, for all targets."""
    text = Path(__file__).with_name("looking.sp").read_text(encoding="utf-8")
    source = SourceFile("longest_row.sp", text)
    facts = analyse(sequenced(check(parse(source), source)))
    return run_passes(lower(facts.program, entry, facts))


def _run(device: Device, graph: Graph, module: ir.Module, memory: Memory, uploads: list[float]) -> int | None:
    """What the program gives; None if there is no room for it, which the next one reports better."""
    made = made_for_target(module, device.target, Schedule(memory=memory), capabilities=device.capabilities)
    with ExitStack() as held:
        run = running.Run(made, graph, Bound(), device, resident.on_device(device, graph), held)
        if not run.room.fits():
            return None
        kernels = device.kernels_of(made, run.resident.wide_arcs)
        started = perf_counter()
        run.upload()
        device.synchronise()
        uploads.append(perf_counter() - started)
        run.once(kernels)
    assert isinstance(run.returned, int)
    return run.returned
