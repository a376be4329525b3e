"""Schedules a module for runs on one graph on one device, with what takes its place where it does not fit.

What was found is kept with the graph on the device, by all that decides it, so that a second call decides nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count

from starplat.backends.scheduled import capabilities_of, for_target, made_for_target, own_schedule
from starplat.graph.graph import Graph
from starplat.ir import launches, nodes as ir
from starplat.runtime.arguments.bind import names_in
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Cells, is_for_all
from starplat.runtime.facts import look, wants_facts
from starplat.runtime.resident import ResidentGraph
from starplat.same import Same
from starplat.schedule import AUTO, PLAIN, Schedule, driven_by_host, in_less_memory
from starplat.schedule.by_slot import one_for_all
from starplat.schedule.memory.heads import heads_of_rows
from starplat.schedule.schedule import Memory, Updates
from starplat.schedule.updates.room import pays_in_place

Making = Callable[[], tuple[ir.Module, ...]]


class Alternatives:
    """A module as it runs on the device, then those that take its place where it does not fit, made when they are first
    asked for. `seconds` is what uploads took for looking at the graph, until they have been reported."""

    def __init__(self, ways: Iterable[tuple[Schedule, Making]], seconds: float) -> None:
        self.seconds = seconds
        self._made: list[tuple[Schedule, ir.Module]] = []
        self._ways = list(ways)

    def __iter__(self) -> Iterator[ir.Module]:
        for number in count():
            if number == len(self._made):
                if not self._ways:
                    return
                schedule, make = self._ways[0]
                self._made += ((schedule, module) for module in make())
                del self._ways[0]
            yield self._made[number][1]

    def schedule_of(self, module: ir.Module) -> Schedule:
        """What one of the modules that were made follows."""
        return next(schedule for schedule, made in self._made if made is module)


def alternatives(
    module: ir.Module,
    graph: Graph,
    resident: ResidentGraph,
    schedule: Schedule | None,
    device: Device,
    given: Mapping[str, Cells | CallerArray],
    *,
    counted: bool,
) -> tuple[Alternatives, float]:
    """The modules, and the seconds of uploads for looking at the graph now. Properties are `given` by name; rounds that
    are counted are driven by the host. Raises E06xx: the schedule asks for what is not legal, or for what nothing
    follows."""
    equal = _of_one_value(module, graph, given)
    key = Same(module), schedule, Same(device.capabilities), frozenset(given), equal, counted
    find = partial(_alternatives, module, graph, schedule, device, frozenset(given), equal, counted=counted)
    found = resident.kept(key, find)
    seconds, found.seconds = found.seconds, 0.0
    return found, seconds


def _alternatives(
    module: ir.Module,
    graph: Graph,
    schedule: Schedule | None,
    device: Device,
    given: frozenset[str],
    equal: tuple[ir.Array, ...],
    *,
    counted: bool,
) -> Alternatives:
    """The same, found anew; it holds no graph, which it would keep on the device."""
    facts, seconds = None, 0.0
    target, of_device, symmetric = device.target, device.capabilities, not graph.directed
    able = of_device or capabilities_of(target)
    asked, whole = own_schedule(target) if schedule is None else schedule, module
    if equal and asked != PLAIN and asked.memory in (Memory.AUTO, Memory.RESIDENT) and not able.lockstep:
        module = one_for_all(module, *equal)
    if not launches.changes_graph(module) and wants_facts(module, schedule, able, graph):
        looked = look(device, graph, module, (schedule or AUTO).memory)
        facts, seconds = looked.facts, looked.upload
    if asked.updates is Updates.AUTO and pays_in_place(module, able, graph.num_nodes, graph.num_arcs):
        schedule = asked = replace(asked, updates=Updates.IN_PLACE)
    made = for_target(module, target, schedule, facts, of_device)
    less = tuple(in_less_memory(replace(asked, memory=Memory.AUTO) if schedule is None else asked))

    def made_under(one: Schedule) -> ir.Module:
        driven, of = driven_by_host(one) if counted else one, module if one is asked else whole
        return made if driven is asked else made_for_target(of, target, driven, facts, of_device)

    def with_heads(one: Schedule) -> tuple[ir.Module, ...]:
        found = made_under(one)
        weights = frozenset(a for a in found.inputs if a.origin is ir.Origin.WEIGHT and a.name not in given)
        cut = heads_of_rows(found, symmetric=symmetric, weights=weights)
        return (found,) if cut is found else (cut, found)

    ways: list[tuple[Schedule, Making]] = [(one, partial(with_heads, one)) for one in (asked, *less)]
    if (schedule is None or asked.memory is Memory.AUTO) and less and not launches.changes_graph(module):
        # where the host has no room either, as for a file that is larger than its memory
        chunks = replace(asked, memory=Memory.CHUNKS)
        ways.append((chunks, lambda: (made_under(chunks),)))
    if asked.memory is Memory.ONDEMAND:  # with room for all it is as resident
        whole_there = replace(asked, memory=Memory.RESIDENT)
        ways.insert(0, (whole_there, lambda: (made_under(whole_there),)))
    return Alternatives(ways, seconds)


def _of_one_value(module: ir.Module, graph: Graph, given: Mapping[str, Cells | CallerArray]) -> tuple[ir.Array, ...]:
    """The entry's arrays of values of arcs that begin with one value for all, in a graph with arcs."""
    arrays = [array for array in module.inputs if array.extent is ir.Extent.ARCS]
    if not arrays or not graph.num_arcs:
        return ()
    names = names_in(module)
    known = {names[name]: cells for name, cells in given.items()}
    plain = graph.weights is None
    return tuple(
        array
        for array in arrays
        if is_for_all(known.get(array.name)) or (plain and array.origin is ir.Origin.WEIGHT and array.name not in known)
    )
