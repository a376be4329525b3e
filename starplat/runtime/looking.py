"""Finds the longest row of a graph where it lies, in one pass by programs of StarPlat's own.

They read only what the program that is about to run reads too, so nothing is uploaded for their sake. Where the host's
cores are the device, or neither rows of incoming arcs nor columns are read, the host looks.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter

from starplat.analysis import analyse
from starplat.backends.scheduled import capabilities_of, made_for_target
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.frontend.statements.sequence import sequenced
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.lower import lower
from starplat.passes import run as run_passes
from starplat.runtime import resident, running
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.devices.building import kernels_on
from starplat.runtime.devices.device import Device
from starplat.runtime.facts import facts_for, longest_row_by_host
from starplat.schedule import Schedule
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Memory
from starplat.source import SourceFile


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
        kernels = kernels_on(device, made, run.resident.wide_arcs)
        started = perf_counter()
        run.upload()
        device.synchronise()
        uploads.append(perf_counter() - started)
        run.once(kernels)
    assert isinstance(run.returned, int)
    return run.returned
