"""Runs a program in parts: on several devices of this process, or in this process as one of the ranks, all of which
call this with the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from starplat.backends.scheduled import capabilities_of, for_target
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.passes.parts.placing import in_parts
from starplat.passes.parts.sources import by_sources
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.attending.limits import UNLIMITED, Limits
from starplat.runtime.devices.device import Device
from starplat.runtime.facts import wants_facts
from starplat.runtime.launch import run_module
from starplat.runtime.looking import look
from starplat.runtime.parts.agreeing import agreed, ending_together, marks_of, require_alike
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.parts.parts import parts_of
from starplat.runtime.parts.peers import PeerCommunicator
from starplat.runtime.parts.threads import ThreadCommunicator, in_threads
from starplat.runtime.results.result import Division, Result
from starplat.runtime.session import Session, default_session
from starplat.same import Same
from starplat.schedule import PLAIN
from starplat.schedule.apply import scheduled_for_parts
from starplat.schedule.facts import GraphFacts


def communicator_of(comm: Any) -> Communicator:
    """The ranks that `comm` connects: one of mpi4py's communicators, or of ours.

    Raises:
        DiagnosticError: E0712, it is neither; E0901, mpi4py is not installed.
    """
    if isinstance(comm, Communicator):
        return comm
    if not all(hasattr(comm, name) for name in ("allgather", "Allreduce", "Allgatherv", "Abort")):
        message = f"comm is a {type(comm).__name__}, which connects no ranks"
        raise DiagnosticError(Diagnostic("E0712", message, help="give a communicator of mpi4py: MPI.COMM_WORLD"))
    from starplat.runtime.parts.mpi import MpiCommunicator

    return MpiCommunicator(comm)


def require_divisible(asked: Mapping[str, object]) -> None:
    """Raises E0736 where something is asked for that runs in parts go without."""
    besides = [name for name, is_asked in asked.items() if is_asked]
    if besides:
        message = f"a run in parts goes without {', '.join(besides)}"
        help = "parts run the program as it is written, each its own nodes: leave the rest out, or run in one part"
        raise DiagnosticError(Diagnostic("E0736", message, help=help))


def run_in_parts(
    module: ir.Module,
    graph: Graph,
    communicator: Communicator,
    arguments: Bound,
    *,
    target: str,
    device_index: int = 0,
    results: Sequence[str] | None = None,
    repeat: int = 1,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    compile_seconds: float = 0.0,
) -> Result:
    """The same result on all ranks; `Result.parts` says how the graph was divided and what crossed.

    Raises:
        DiagnosticError: on all ranks: E0668, the program cannot be divided; E0735, another rank runs something else. An
            error that comes later is said by its rank and ends the processes of all.
    """
    divided = agreed(communicator, lambda: in_parts(module))
    options = (target, sorted(results or ()), repeat)
    require_alike(communicator, marks_of(module, graph, arguments, options))
    with ending_together(communicator):
        return _part(
            divided,
            graph,
            communicator,
            target=target,
            device_index=device_index,
            arguments=arguments,
            results=results,
            repeat=repeat,
            limits=limits,
            session=session,
            compile_seconds=compile_seconds,
        )


def run_on_devices(
    module: ir.Module,
    graph: Graph,
    devices: int,
    arguments: Bound,
    *,
    target: str,
    results: Sequence[str] | None = None,
    repeat: int = 1,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    compile_seconds: float = 0.0,
) -> Result:
    """Runs a program on the first so many devices of a target, a part on each. Where the host is the device, it has all
    parts.

    Raises:
        DiagnosticError: E0668, the program cannot be divided; E0902, there are not so many; what went wrong on a part.
    """
    within = default_session() if session is None else session
    first = within.device(target)
    places = [(within.beside(rank), 0) if first.is_host else (within, rank) for rank in range(devices)]
    for session_of_part, index in places:
        session_of_part.device(first.target, index)
    with within.turn(first, 0), first.as_here()():
        divided = _planned(module, graph, first)
    if graph.directed and {ir.IN_ROW_OFFSETS, ir.IN_COLUMNS, ir.IN_ARCS} & set(module.graph_arrays):
        graph.reverse  # noqa: B018  made once, here, for all parts

    def work(communicator: Communicator) -> Result:
        is_first = communicator.rank == 0
        session_of_part, index = places[communicator.rank]
        return _part(
            divided,
            graph,
            communicator,
            target=first.target,
            device_index=index,
            arguments=arguments,
            results=results if is_first else (),
            repeat=repeat,
            limits=limits if is_first else replace(limits, follow=None),
            session=session_of_part,
            compile_seconds=compile_seconds,
        )

    return in_threads(devices, work, PeerCommunicator if first.reaches_others else ThreadCommunicator)[0]


def _planned(module: ir.Module, graph: Graph, device: Device) -> ir.Module:
    """The module as every part runs it: its sources are divided, or else its nodes."""
    able = device.capabilities or capabilities_of(device.target)
    sources = _by_sources(Same(module))
    given = module if sources is None else sources
    facts = look(device, graph, given).facts if wants_facts(given, None, able) else None
    if sources is not None:
        return for_target(sources, device.target, None, facts, device.capabilities)
    return _by_nodes(Same(module), able, facts)


@lru_cache(maxsize=16)
def _by_sources(same: Same) -> ir.Module | None:
    """The module by its sources: for one module the same object every time, so that its kernels are built once."""
    return by_sources(same.thing)


@lru_cache(maxsize=16)
def _by_nodes(same: Same, able: Capabilities, facts: GraphFacts | None) -> ir.Module:
    """The module by its nodes, likewise."""
    return in_parts(scheduled_for_parts(same.thing, able, facts))


def _part(divided: ir.Module, graph: Graph, communicator: Communicator, *, repeat: int, **options: Any) -> Result:
    """The run of one part, with what all parts have and have exchanged."""
    before = communicator.bytes, communicator.times
    result = run_module(divided, graph, repeat=repeat, schedule=PLAIN, communicator=communicator, **options)
    given = communicator.bytes - before[0]
    times = (communicator.times - before[1]) // max(repeat, 1)
    of_parts = tuple(end - first for first, end in pairwise(parts_of(graph, communicator).arcs))
    crossed = sum(communicator.gather(given)) // max(repeat, 1)
    return replace(result, parts=Division(communicator.rank, of_parts, crossed, times))


def unavailable_mpi() -> DiagnosticError:
    """E0901: mpi4py, or what it needs, is missing."""
    message = "runs in parts need mpi4py and an MPI"
    help = "pip install 'starplat[mpi]', which brings MPICH, or pip install mpi4py where a cluster has an MPI"
    return DiagnosticError(Diagnostic("E0901", message, help=help), exit_code=ExitCode.NO_DEVICE)
