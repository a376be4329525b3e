"""Runs a program in parts on several devices of this process, each on a thread of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import Any

from starplat.backends.launch import MOST_PARTS
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of, walk_host
from starplat.passes.parts.rows import why_all_rows
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.attending.limits import UNLIMITED, Limits
from starplat.runtime.devices.device import Device
from starplat.runtime.divided.planning import pays, planned
from starplat.runtime.launch import run_module
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.parts.nccl import connected, disconnect
from starplat.runtime.parts.parts import parts_of
from starplat.runtime.parts.peers import PeerCommunicator
from starplat.runtime.parts.pieces import bytes_of_arcs, with_own_rows
from starplat.runtime.parts.threads import in_threads
from starplat.runtime.results.result import Division, Result
from starplat.runtime.session import Session, default_session
from starplat.runtime.tracing.of_parts import of_all_parts
from starplat.schedule import PLAIN

_ALONE = Lock()
"""Held by the run that has several devices: of two at once each might wait for a device that the other has."""


def run_on_devices(
    module: ir.Module,
    graph: Graph,
    devices: int,
    arguments: Bound,
    *,
    target: str,
    only_if_it_pays: bool = False,
    results: Sequence[str] | None = None,
    repeat: int = 1,
    trace: bool = False,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    compile_seconds: float = 0.0,
) -> Result:
    """Runs a program on the first so many devices of a target, a part on each. Where the host is the device, it has all
    parts. With `only_if_it_pays` it runs on one, as ever, where several are not expected to be faster.

    Raises:
        DiagnosticError: E0668, the program cannot be divided; E0902, there are not so many; what went wrong on a part.
    """
    within = default_session() if session is None else session
    first = within.device(target)
    options: dict[str, Any] = {
        "target": first.target, "repeat": repeat, "trace": trace, "compile_seconds": compile_seconds,
    }  # fmt: skip
    on_one = partial(
        run_module, module, graph, arguments=arguments, results=results, limits=limits, session=within, **options
    )

    def stays_on_one(peers: bool) -> bool:
        with within.turn(first, 0), first.as_here()():
            return only_if_it_pays and not pays(module, graph, first, peers=peers)

    counted = trace or limits.max_rounds is not None  # the host then begins each round
    if stays_on_one(peers=not counted):
        return on_one()
    places = [(within.beside(rank), 0) if first.is_host else (within, rank) for rank in range(devices)]
    opened = [session_of_part.device(first.target, index) for session_of_part, index in places]
    peers = not counted and are_peers(opened)
    if not peers and stays_on_one(peers=False):
        return on_one()
    with within.turn(first, 0), first.as_here()():
        divided = planned(module, graph, first, peers=peers)
    if graph.directed and {ir.IN_ROW_OFFSETS, ir.IN_COLUMNS, ir.IN_ARCS} & set(divided.graph_arrays):
        graph.reverse  # noqa: B018  made once, here, for all parts

    def work(communicator: Communicator) -> Result:
        is_first = communicator.rank == 0
        session_of_part, index = places[communicator.rank]
        return run_part(
            divided,
            graph,
            communicator,
            arguments=arguments,
            device_index=index,
            results=results if is_first else (),
            limits=limits if is_first else replace(limits, follow=None),
            session=session_of_part,
            **options,
        )

    if not first.reaches_others:
        return in_threads(devices, work)[0]
    with _ALONE:
        try:
            gpus = tuple(index for _, index in places)
            return in_threads(devices, work, PeerCommunicator if _in_launches(divided) else connected(gpus))[0]
        except BaseException:
            disconnect()
            raise


def run_part(
    divided: ir.Module,
    graph: Graph,
    communicator: Communicator,
    *,
    target: str,
    device_index: int,
    session: Session | None,
    repeat: int,
    trace: bool = False,
    **options: Any,
) -> Result:
    """The run of one part, with what all parts have and have exchanged."""
    all_rows = why_all_rows(divided)
    if all_rows is None and not (session or default_session()).device(target, device_index).takes_pieces:
        all_rows = f"devices of {target} hold whole arrays"
    taken = graph if all_rows else with_own_rows(graph, parts_of(graph, communicator), divided)
    held = tuple(communicator.gather(bytes_of_arcs(taken, divided)))
    before = communicator.bytes, communicator.times
    options |= {"target": target, "device_index": device_index, "session": session, "schedule": PLAIN}
    result = run_module(divided, taken, repeat=repeat, trace=trace, communicator=communicator, **options)
    result = replace(result, graph=graph)
    runs = max(repeat, 1) + trace
    for table in communicator.tables.values():
        size, meetings = table.crossed()
        communicator.bytes += size
        communicator.times += meetings
    given = communicator.bytes - before[0]
    times = (communicator.times - before[1]) // runs
    of_parts = tuple(end - first for first, end in pairwise(parts_of(graph, communicator).arcs))
    by_sources = any(isinstance(op, ir.TakeMembers) for f in divided.functions for op in walk_host(f.body))
    if by_sources:
        of_parts = (graph.num_arcs,) * communicator.size
    crossed = sum(communicator.gather(given)) // runs
    by = "sources" if by_sources else "nodes"
    if result.trace is not None:
        result = replace(result, trace=of_all_parts(communicator.gather(result.trace), alike=not by_sources))
    return replace(result, parts=Division(communicator.rank, of_parts, crossed, times, by, held, all_rows))


def _in_launches(divided: ir.Module) -> bool:
    """Whether parts exchange cells inside of their launches."""
    return any(op.in_parts for op in loops_of(divided))


def are_peers(devices: Sequence[Device]) -> bool:
    """Whether the devices are of one kind, and kernels on each reach the memory of all others."""
    others = [[index for index in range(len(devices)) if index != own] for own in range(len(devices))]
    alike = len(devices) <= MOST_PARTS and len({device.name for device in devices}) == 1
    return alike and all(device.reach(rest) for device, rest in zip(devices, others, strict=True))
