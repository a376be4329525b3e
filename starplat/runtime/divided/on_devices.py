"""Runs a program in parts on several devices of this process, each on a thread of its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from threading import Lock

from starplat.backends.launch import MOST_PARTS
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of, walk_host
from starplat.passes.parts.rows import why_all_rows
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.devices.device import Device
from starplat.runtime.divided.planning import pays, planned
from starplat.runtime.launch import Request, run_as_asked
from starplat.runtime.parts.communicator import Communicator, bytes_of_arcs, parts_of, with_own_rows
from starplat.runtime.parts.nccl import connected, disconnect
from starplat.runtime.parts.peers import PeerCommunicator
from starplat.runtime.parts.threads import in_threads
from starplat.runtime.results.result import Division, Result
from starplat.runtime.session import Answer, default_session
from starplat.runtime.tracing.trace import of_all_parts
from starplat.schedule import PLAIN

_ALONE = Lock()
"""Held by the run that has several devices: of two at once each might wait for a device that the other has."""


def run_on_devices(
    module: ir.Module, graph: Graph, devices: int, given: Bound, asked: Request, *, only_if_it_pays: bool = False
) -> Result:
    """Runs a program on the first so many devices of a target, a part on each. Where the host is the device, it has all
    parts. With `only_if_it_pays` it runs on one, as ever, where several are not expected to be faster. Raises E0668,
    the program cannot be divided; E0902, there are not so many; what went wrong on a part."""
    within = default_session() if asked.session is None else asked.session
    first = within.device(asked.target)
    asked = replace(asked, target=first.target, session=within)

    def in_turn(work: Callable[[], Answer]) -> Answer:
        def here() -> Answer:
            with first.as_here()():
                return work()

        return within.in_turn(first, 0, here)

    def stays_on_one(peers: bool) -> bool:
        return only_if_it_pays and not in_turn(lambda: pays(module, graph, first, peers=peers))

    counted = asked.trace or asked.limits.max_rounds is not None  # the host then begins each round
    if stays_on_one(peers=not counted):
        return run_as_asked(module, graph, given, asked)
    places = [(within.beside(rank), 0) if first.is_host else (within, rank) for rank in range(devices)]
    opened = [session.device(first.target, index) for session, index in places]
    peers = not counted and are_peers(opened)
    if not peers and stays_on_one(peers=False):
        return run_as_asked(module, graph, given, asked)
    divided = in_turn(lambda: planned(module, graph, first, peers=peers))
    if graph.directed and {ir.IN_ROW_OFFSETS, ir.IN_COLUMNS, ir.IN_ARCS} & set(divided.graph_arrays):
        graph.reverse  # noqa: B018  made once, here, for all parts

    def work(communicator: Communicator) -> Result:
        session, index = places[communicator.rank]
        own = replace(asked, session=session, device_index=index)
        if communicator.rank != 0:
            own = replace(own, results=(), limits=replace(asked.limits, follow=None))
        return run_part(divided, graph, communicator, given, own)

    if not first.reaches_others:
        return in_threads(devices, work)[0]
    return _on_gpus(work, tuple(index for _, index in places), in_launches=_in_launches(divided))


def _on_gpus(work: Callable[[Communicator], Result], gpus: tuple[int, ...], *, in_launches: bool) -> Result:
    """What the first part gives, each on its GPU; they exchange cells inside of their launches, or between them."""
    with _ALONE:
        try:
            return in_threads(len(gpus), work, PeerCommunicator if in_launches else connected(gpus))[0]
        except BaseException:
            disconnect()
            raise


def run_part(divided: ir.Module, graph: Graph, communicator: Communicator, given: Bound, asked: Request) -> Result:
    """The run of one part, with what all parts have and have exchanged."""
    all_rows = why_all_rows(divided)
    device = (asked.session or default_session()).device(asked.target, asked.device_index or 0)
    if all_rows is None and not device.takes_pieces:
        all_rows = f"devices of {asked.target} hold whole arrays"
    taken = graph if all_rows else with_own_rows(graph, parts_of(graph, communicator), divided)
    held = tuple(communicator.gather(bytes_of_arcs(taken, divided)))
    before = communicator.bytes, communicator.times
    result = run_as_asked(divided, taken, given, replace(asked, schedule=PLAIN, communicator=communicator))
    longest = tuple(map(max, zip(*communicator.gather(result.seconds.run), strict=True)))
    result = replace(result, graph=graph, seconds=replace(result.seconds, run=longest))
    for table in communicator.tables.values():
        size, meetings = table.crossed()
        communicator.bytes += size
        communicator.times += meetings
    times = (communicator.times - before[1]) // asked.runs
    of_parts = tuple(end - first for first, end in pairwise(parts_of(graph, communicator).arcs))
    by_sources = any(isinstance(op, ir.TakeMembers) for f in divided.functions for op in walk_host(f.body))
    if by_sources:
        of_parts = (graph.num_arcs,) * communicator.size
    crossed = sum(communicator.gather(communicator.bytes - before[0])) // asked.runs
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
