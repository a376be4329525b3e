"""The buffers of one run: uploads before it, the start of every repetition, its results.

What the caller gave on the host is uploaded once and copied for every repetition that changes it. What lies on the
device is used in place: the program's changes are the caller's, as a parameter by reference has it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.graph.graph import Graph
from starplat.graph.updates import Updates
from starplat.graph.updates.history import Change, History
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.runtime.actions.executor import Executor
from starplat.runtime.actions.machine import Graphs, Place, World
from starplat.runtime.arguments.bind import Bound, brought_over
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.arguments.entry import entry_of
from starplat.runtime.attending.progress import Progress
from starplat.runtime.changing.in_place import Lists, build_in_place, changed_in_place
from starplat.runtime.changing.merge import Moving
from starplat.runtime.changing.on_device import build_merging, merged, moving_cells
from starplat.runtime.changing.slices import Slice, Slices
from starplat.runtime.devices.buffers import Adopted, Buffer
from starplat.runtime.devices.device import Device, Kernels
from starplat.runtime.elements import Cells, Returned, clipped, dtype_of, is_for_all
from starplat.runtime.estimate import ON_DEVICE
from starplat.runtime.parts.communicator import Communicator, parts_of
from starplat.runtime.resident import HostArrays, ResidentGraph, on_device, weights_as
from starplat.runtime.room import Room
from starplat.runtime.tracing.watch import Watch
from starplat.runtime.tracing.watched import WatchedExecutor


@dataclass(frozen=True, slots=True)
class _Adoption:
    """An argument of the caller's that lies on the device, and the buffer that stands for it."""

    lent: CallerArray
    adopted: Adopted
    buffer: Buffer


@dataclass
class Run(Graphs):
    """One call of `run_module`; `held` gives its buffers back at the end, whatever happens. `graph` is the one that it
    is at, at first `first_graph`; `after_batch` is called when a batch of updates is done; `communicator` connects it
    to other parts."""

    module: ir.Module
    first_graph: Graph
    bound: Bound
    device: Device
    resident: ResidentGraph
    held: ExitStack
    repeated: bool = False
    progress: Progress = field(default_factory=Progress)
    after_batch: "Callable[[Run], None] | None" = None
    communicator: Communicator | None = None

    def __post_init__(self) -> None:
        self._entry = entry_of(self.module)
        self._history = History(self.first_graph)
        self._world: World | None = None
        self._left_first_graph = False
        self._slices: dict[Updates, Slices] = {}
        self._lists = Lists(self.device)
        self.num_updates = max(map(len, self.bound.updates.values()), default=0)
        self.returned: Returned = None
        self.launches = 0
        self.batch_seconds: list[float] = []
        self.may_begin_again = True
        self._given: dict[str, Buffer] = {}
        self._sizes: dict[str, int] = {}
        self._first: dict[str, Buffer] = {}
        self._walked: dict[str, Cells] = {}
        self._places: dict[str, Place] = {}
        self._adopted = self._adoptions()
        copies = {array.name: self._copies(array) for array in self._entry.parameters}
        weights = tuple(filter(self._from_weights, self.module.inputs))
        adopted = frozenset(self._adopted)
        of_run = adopted, weights, copies, self.num_updates, self.repeated
        part = None if self.communicator is None else self.communicator.rank
        self.room = Room(self.module, self.device, self.resident, *of_run, graph=self.graph, part=part)

    # --- before the run --------------------------------------------------------------------------------------------

    def _adoptions(self) -> dict[str, _Adoption]:
        """The arguments that lie on the device, as buffers."""
        found = {}
        for array in self._entry.parameters:
            lent = self.bound.arrays.get(array.name)
            away = array.name in self._entry.on_host or (self._entry.changes_graph and array.extent.grows_with_arcs)
            if isinstance(lent, CallerArray) and not away:
                dtype, count = self._kind(array)
                if (adopted := self.device.adopt(lent.value, dtype, count)) is not None:
                    found[array.name] = _Adoption(lent, adopted, Buffer(dtype, count, adopted.memory, lent=True))
        for (one, a), (other, b) in combinations(found.items(), 2):
            if a.adopted.overlaps(b.adopted) and (one in self._entry.changed or other in self._entry.changed):
                raise _shared(a.lent.name, b.lent.name)
        return found

    def _copies(self, array: ir.Array) -> int:
        """How many arrays of its size a parameter takes besides the graph's: none for what is used in place."""
        adoption, changed = self._adopted.get(array.name), array.name in self._entry.changed
        if array.name in self._entry.on_host:
            return 0
        if adoption is not None:
            return (changed and self.repeated) + (not self._in_place(array, adoption))
        if self._from_weights(array):
            return int(changed)
        return 1 + (changed and array.name in self._entry.inputs and array.name in self.bound.arrays)

    def _from_weights(self, array: ir.Array) -> bool:
        """Whether a parameter begins on the device as the graph's weights."""
        given = array.name in self.bound.arrays or array.name in self._entry.on_host
        return array.origin is ir.Origin.WEIGHT and array.name in self._entry.inputs and not given

    def _in_place(self, array: ir.Array, adoption: _Adoption) -> bool:
        adopted = adoption.adopted
        return not adopted.loose and not (adopted.read_only and array.name in self._entry.changed)

    def upload(self) -> None:
        """Brings to the device what is not there yet: the graph's arrays, the weights, what the caller gave."""
        self.held.callback(self._leave)
        for array in self.module.inputs:
            given = self.bound.arrays.get(array.name)
            if array.name in self._entry.on_host:
                continue
            if array.name in self._adopted:
                self._given[array.name] = self._adopted[array.name].buffer
            elif given is not None:
                self._given[array.name] = self._uploaded(array, self._brought(given))
            elif array.origin is ir.Origin.WEIGHT:
                self._given[array.name] = self._resident(array)
        self._upload_changes()
        self._world = self._world_now()

    def _leave(self) -> None:
        """Holds nothing on the device any more, also where not all came to it."""
        self._given.clear()
        self._first.clear()
        self._slices.clear()
        self._lists.leave()
        self._leave_world()

    def go_back(self) -> None:
        """Stands before the first repetition again, at the first graph, which may have left the device meanwhile."""
        self._left_first_graph = False
        self._history = History(self.first_graph)
        self.resident = self.room.resident = on_device(self.device, self.first_graph)

    def _leave_world(self) -> None:
        """The world knows the run: without this the graph would stay on the device until garbage is collected."""
        self._world = None

    def prepare(self, kernels: Kernels) -> float:
        """Makes the arrays of the graph that the module makes itself, where they are not on the device yet; returns
        the seconds that took."""
        if not self.module.prepared:
            return 0.0
        self.device.synchronise()
        started, world = perf_counter(), self._world
        assert world is not None
        for one in self.module.prepared:
            fill = partial(Executor(kernels, world).prepare, one.function)
            buffers = self.resident.prepared(one.arrays, fill, one.kept)
            self._world = world = replace(world, buffers={**world.buffers, **buffers})
        self.device.synchronise()
        return perf_counter() - started

    # --- a graph that changes

    def build_changes(self) -> None:
        """Builds the kernels that change the graph, so that no batch waits for them."""
        if not self._changes:
            return
        function, used = self.module.function(self.module.entry), self.module.graph_arrays
        cells = moving_cells(function, used, directed=self.first_graph.directed)
        (build_in_place if self.module.room else build_merging)(self.device, cells, self.resident.wide_arcs)

    def _upload_changes(self) -> None:
        """Brings to the device what its graph is changed by, and the rows that no kernel of the program reads."""
        if not self._changes:
            return
        for array in (ir.ROW_OFFSETS, ir.COLUMNS, *((ir.ROW_ENDS,) if self.module.room else ())):
            self._resident(array)
        own = (ir.Element.INT,) if ir.WEIGHTS in self.module.graph_arrays else ()
        elements = {*own, *(array.element for array in self._entry.parameters if array.origin is ir.Origin.WEIGHT)}
        for op in self._changes:
            name = next(name for name, adds in self._entry.lists.items() if adds == op.adds_of.name)
            updates = self.bound.updates[name]
            self._slices.setdefault(updates, Slices(self.device, updates))
            self._slices[updates].prepare(op.kinds, elements, apart=self.module.room)

    @cached_property
    def _changes(self) -> tuple[ir.ChangeGraph, ...]:
        """The changes of the graph, if its device makes them."""
        if not (self._entry.changes_graph and self.merges_on_device):
            return ()
        inside = walk_host(self.module.function(self.module.entry).body)
        return tuple(op for op in inside if isinstance(op, ir.ChangeGraph))

    @property
    def graph(self) -> Graph:
        return self._history.graph

    @property
    def merges_on_device(self) -> bool:
        """Whether the device's kernels can, and all arcs lie in its memory."""
        module, room = self.module, self.room
        arrays = (*module.graph_arrays, *filter(self._from_weights, module.inputs))
        return self.device.merges_graphs and all(room.where(array) == ON_DEVICE for array in arrays)

    def follow(self, graph: Graph) -> World:
        """The run goes on with another graph, which lies on the device as any other does while it is in use."""
        self._history, self.resident = History(graph), on_device(self.device, graph)
        return self._world_now()

    def slice(self, change: Change) -> Slice:
        """The updates of a change, of whose list the device has a copy."""
        slices = self._slices[change.updates]
        return (slices.apart if self.module.room else slices.between)(change.first, change.end, change.kinds)

    def merge(self, change: Change, slice: Slice, properties: Sequence[Moving]) -> tuple[World, list[Buffer]]:
        """The run goes on with the graph that the device makes or has changed. The first one leaves the device unless
        it is needed again: with it there would be three."""
        self._give_up_first_graph()
        directed, used = self.first_graph.directed, self.module.graph_arrays
        change_graph = partial(changed_in_place, lists=self._lists, stays=self._stays) if self.module.room else merged
        leaves = not self.repeated and self._world is not None
        if leaves and ir.WEIGHTS not in used:
            self._give_up_weights()
        try:
            after = change_graph(self.device, self.resident, slice, self._resident, used, properties, directed=directed)
        finally:
            if leaves:
                self._leave_first_graph()
        self._history.then(change)
        self.resident = after.resident
        return self._world_now(), after.cells

    def _stays(self, buffer: Buffer) -> bool:
        """Whether cells of arcs are needed once the graph has changed: the next repetition begins with the first."""
        return buffer.lent or (self.repeated and (not self.resident.has_room or self.is_given(buffer)))

    def _give_up_weights(self) -> None:
        """Gives up the weights of the first graph where the program changes a copy of them."""
        for array in filter(self._from_weights, self.module.inputs):
            if array.name in self._entry.changed:
                self.device.give_up(self._given.pop(array.name))

    def _leave_first_graph(self) -> None:
        """Takes the first graph off the device, of which the change may have given up arrays."""
        self._left_first_graph = True
        self._leave_world()
        self.device.forget_graphs([self.first_graph])
        for array in filter(self._from_weights, self.module.inputs):
            self._given.pop(array.name, None)

    def _give_up_first_graph(self) -> None:
        """Gives its blocks back to the device, once nothing holds them."""
        if self._left_first_graph:
            self._left_first_graph = False
            self.device.trim()

    def _world_now(self) -> World:
        made = self.module.prepared_arrays
        return self._world_with({a.name: self._resident(a) for a in self.module.graph_arrays if a not in made})

    def _world_with(self, buffers: Mapping[str, Buffer]) -> World:
        host, names, sizes = HostArrays(lambda: self.graph), self.first_graph.original_id, self.resident
        counts = (sizes.num_nodes, sizes.num_arcs, sizes.wide_arcs)
        parts = None if self.communicator is None else parts_of(self.graph, self.communicator)
        return World(*counts, host, buffers, self, names, self.num_updates, parts, self.room.arcs_of_chunk)

    def updates_in(self, buffer: Buffer) -> Updates:
        """The list of which a buffer holds a part."""
        lists = ((name, self._places[adds].buffer) for name, adds in self._entry.lists.items())
        return next(self.bound.updates[name] for name, place in lists if place is buffer)

    def batch_begins(self) -> None:
        """Starts the time of a batch."""
        self.device.synchronise()
        self._batch_began = perf_counter()

    def batch_done(self) -> None:
        """Notes the time of a batch, and calls what is to be called after every one."""
        self._give_up_first_graph()
        self.device.synchronise()
        self.batch_seconds.append(perf_counter() - self._batch_began)
        if self.after_batch is not None:
            self.after_batch(self)

    def _resident(self, array: ir.Array) -> Buffer:
        return self.resident.array(array, lambda: self.graph, self.room.where(array))

    def _brought(self, given: Cells | CallerArray) -> Cells:
        if not isinstance(given, CallerArray):
            return given
        cells = brought_over(given, self.graph)
        self.device.traffic.down += cells.nbytes
        return cells

    # --- the run ---------------------------------------------------------------------------------------------------

    def once(self, kernels: Kernels, watch: Watch | None = None) -> float:
        """One repetition; gives its time. A watch is told of every round, which takes its own time."""
        self._give_back()
        self._begin_with_first_graph()
        self.batch_seconds.clear()
        assert self._world is not None
        progress = self.progress
        watched = None if watch is None else WatchedExecutor(kernels, self._world, watch, progress)
        executor = watched or Executor(kernels, self._world, progress)
        self.held.callback(self._give_back)
        for array in self._entry.parameters:
            self._places[array.name] = self._start(array)
        launched = self.device.traffic.launches
        alone = self.communicator is None  # parts that have begun are all in the same place
        self.may_begin_again = alone and self._entry.changed.isdisjoint(self._adopted)
        with nullcontext() if self.communicator is None else self.communicator.running(self.device):
            if self.communicator is not None:  # time begins when all parts are ready, as with one
                self.device.synchronise()
                self.communicator.gather(None)
            stop = self.device.stopwatch()
            self.returned = executor.run(self._places, self.bound.scalars, self.bound.lists)
            self._bring_home()
            if not alone:  # what parts exchange takes time behind the last operation too
                self.device.more_follows()
            seconds = stop()
        self.launches = self.device.traffic.launches - launched
        return seconds

    def _begin_with_first_graph(self) -> None:
        if self._history.changed_from(self.first_graph):
            self._history, self.resident = History(self.first_graph), on_device(self.device, self.first_graph)

    def _start(self, array: ir.Array) -> Place:
        """Where a parameter's cells begin: what was given, or zeros; anything where the program sets them first."""
        given, known = self._given.get(array.name), self.bound.arrays.get(array.name)
        if array.name in self._entry.on_host:
            return self._start_on_host(array)
        known = None if isinstance(known, CallerArray) else known
        adoption = self._adopted.get(array.name)
        if adoption is not None and self._in_place(array, adoption):
            self._begin_again(array, adoption.buffer)
            return Place(adoption.buffer)
        if given is not None and adoption is None and array.name not in self._entry.changed:
            return Place(given, known, self._members(array, known), self._size(array, known), stays=True)
        place = Place(self._allocated(array))
        if given is not None:
            self._begin_again(array, given)
            self.device.copy(place.buffer, given)
            place.known, place.members = known, self._members(array, known)
        elif array.name in self._entry.inputs:
            self.device.fill(place.buffer, 0)
        return place

    def _members(self, array: ir.Array, known: Cells | None) -> Cells | None:
        """The members of a set that the caller gave and the host goes through, found once for all repetitions."""
        if known is None or array.name not in self._entry.walked:
            return None
        if array.name not in self._walked:
            self._walked[array.name] = np.flatnonzero(known)
        return self._walked[array.name]

    def _size(self, array: ir.Array, known: Cells | None) -> int | None:
        """How many members a set has that the caller gave, if the program asks; counted once."""
        if known is not None and array.name in self._entry.counted and array.name not in self._sizes:
            self._sizes[array.name] = int(np.count_nonzero(known))
        return self._sizes.get(array.name)

    def _start_on_host(self, array: ir.Array) -> Place:
        """The cells of a parameter that the device only gets chunks of: those given, the graph's weights or zeros."""
        dtype, count = self._kind(array)
        if (given := self.bound.arrays.get(array.name)) is not None:
            cells = self._brought(given)
        elif array.origin is ir.Origin.WEIGHT:
            cells = weights_as(self.graph, array.element)
        else:
            cells = np.zeros(count, dtype)
        return Place(Buffer(dtype, 0, None, lent=True), cells.astype(dtype, copy=False))

    def _begin_again(self, array: ir.Array, buffer: Buffer) -> None:
        """Makes the caller's array what it was before the first repetition."""
        if not buffer.lent or array.name not in self._entry.changed or array.name not in self._entry.inputs:
            return
        if array.name in self._first:
            self.device.copy(buffer, self._first[array.name])
        elif self.repeated:
            self._first[array.name] = self._allocated(array)
            self.held.callback(self.device.release, self._first[array.name])
            self.device.copy(self._first[array.name], buffer)

    def _bring_home(self) -> None:
        """Copies into the caller's arrays what ended elsewhere, because names were swapped or cells did not fit."""
        astray = {
            name: self._places[name]
            for name, adoption in self._adopted.items()
            if name in self._entry.changed
            and not adoption.adopted.read_only
            and self._places[name].buffer is not adoption.buffer
        }
        for place in astray.values():
            if place.buffer.lent:  # another argument's, which is about to be overwritten
                spare = self.device.allocate(place.buffer.dtype, place.buffer.count)
                self.device.copy(spare, place.buffer)
                place.buffer = spare
        for name, place in astray.items():
            self.device.copy(self._adopted[name].buffer, place.buffer)

    # --- after the run ---------------------------------------------------------------------------------------------

    def result(self, array: ir.Array, *, on_device: bool) -> Any:
        """What an array of the entry holds at the end: its cells, or an array on the device."""
        place = self._places[array.name]
        if array.name in self._entry.on_host:
            assert place.known is not None
            if not on_device:
                return place.known.copy()
            kept = self._allocated(array)
            self.device.upload(kept, place.known)
            return self.device.with_arrays().export(kept)
        if self.graph.piece is not None and array.name not in self._entry.changed and self._from_weights(array):
            return weights_as(self.graph, array.element)  # of other parts the device holds none
        if self.resident.has_room and array.extent is ir.Extent.ARCS:
            return self._without_room(place.buffer, on_device=on_device)
        if not on_device:
            return self.device.download(place.buffer)
        adoption = self._adopted.get(array.name)
        if adoption is not None and not (adoption.adopted.read_only and array.name in self._entry.changed):
            return adoption.lent.value
        if self.is_given(place.buffer):
            kept = self.device.allocate(*self._kind(array))
            self.device.copy(kept, place.buffer)
            return self.device.with_arrays().export(kept)
        del self._places[array.name]
        return self.device.with_arrays().export(place.buffer)

    def _without_room(self, buffer: Buffer, *, on_device: bool) -> Any:
        """The cells of arcs, in the order of their numbers."""
        columns = self.device.download(self._resident(ir.COLUMNS))
        cells = self.device.download(buffer)[columns >= 0]
        if not on_device:
            return cells
        kept = self.device.allocate(buffer.dtype, len(cells))
        self.device.upload(kept, cells)
        return self.device.with_arrays().export(kept)

    def is_given(self, buffer: Buffer) -> bool:
        """Whether a buffer is used by other runs, or by the next repetition."""
        return any(buffer is given for given in self._given.values())

    def _kind(self, array: ir.Array) -> tuple[np.dtype[Any], int]:
        count = array.extent.cells(self.resident.num_nodes, self.resident.num_arcs, self.num_updates)
        return dtype_of(array.element, wide_arcs=self.resident.wide_arcs), count

    def _allocated(self, array: ir.Array) -> Buffer:
        return self.device.allocate(*self._kind(array), *self.room.where(array))

    def _uploaded(self, array: ir.Array, cells: Cells) -> Buffer:
        buffer = self._allocated(array)
        self.held.callback(self.device.release, buffer)
        if is_for_all(cells):
            self.device.fill(buffer, clipped(cells[0].item(), buffer.dtype))
            return buffer
        if array.element is ir.Element.ARC:
            cells = np.minimum(cells, np.iinfo(buffer.dtype).max)
        self.device.upload(buffer, cells.astype(buffer.dtype, copy=False))
        return buffer

    def _give_back(self) -> None:
        """Releases the places of the last repetition, except what was given and is used where it lies."""
        while self._places:
            buffer = self._places.popitem()[1].buffer
            if not self.is_given(buffer):
                self.device.release(buffer)


def _shared(one: str, other: str) -> DiagnosticError:
    """E0713: two names for one memory."""
    message = f"arguments '{one}' and '{other}' lie in the same memory, and the program changes it"
    return DiagnosticError(Diagnostic("E0713", message, help="give one of them as a copy"))
