"""The room of a run: what it takes on the device and of the host's memory, and where its arrays of arcs lie."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.entry import entry_of
from starplat.runtime.changing.in_place import most_slots
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import dtype_of
from starplat.runtime.estimate import (
    KEPT_FROM,
    MANAGED,
    MAPPED,
    ON_DEVICE,
    Candidate,
    Estimate,
    Sizes,
    Whereabouts,
    divided,
    spare,
    temporaries,
    too_large,
    too_large_for_host,
)
from starplat.runtime.heads import COPIED, largest_cut, longest_row
from starplat.runtime.resident import ResidentGraph, make_room
from starplat.same import Same, remembered

_BYTES_OF_AN_UPDATE = 24
"""Its ends, kind and weight, and its share of what a batch takes that is one of several."""

_MANY = 1 << 20
"""So many arcs say how many bytes one takes: there is room for one at least."""


_MOST_FOR_BEGINS = 3
"""Short rows are copied where it takes up to this part of the room to say where each begins. Where it takes more, as in
grids, whose rows are all short, the first arcs of the arrays are more."""


@dataclass(eq=False)
class Room:
    """Of one run.

    Attributes:
        adopted: the parameters that lie on the device already, by name.
        weights: the parameters that begin as the graph's weights.
        copies: how many arrays of its size a parameter takes besides the graph's, by its name.
        num_updates: the most that a list of updates has.
        repeated: whether the first graph is needed again.
        part: the number of the part whose run it is, of a run in parts.
        arcs_of_chunk: for how many arcs copies of rows have room, where the host makes them for each launch.
    """

    module: ir.Module
    device: Device
    resident: ResidentGraph
    adopted: Collection[str]
    weights: Collection[ir.Array]
    copies: Mapping[str, int]
    num_updates: int = 0
    repeated: bool = False
    graph: Graph = field(kw_only=True)
    part: int | None = field(default=None, kw_only=True)
    arcs_of_chunk: int = 0
    _divided: dict[Hashable, Whereabouts] = field(default_factory=dict)
    _expected: Estimate | None = None
    _has_room: bool = False

    def __post_init__(self) -> None:
        self._of_graph = (*self.module.graph_arrays, *self.weights)
        self._chunks, self._heads = _chunks_of(self.module), _heads_of(self.module)

    @property
    def _sizes(self) -> Sizes:
        there = self.resident
        copied = there.num_heads if self._heads else self.arcs_of_chunk
        return Sizes(there.num_nodes, there.num_arcs, self.num_updates, copied, self.device.copies_of_threads)

    def where(self, array: ir.Array) -> Whereabouts:
        """Where an array of the run lies."""
        if array not in self.module.mapped:
            return ON_DEVICE
        return MANAGED if self.module.managed else self._divided.get(self._memory(array), MAPPED)

    def fits(self) -> bool:
        """Whether there is room for the run, and kernels can count the cells of all arrays. Arrays of arcs that are
        mapped on demand are given what all else leaves."""
        self._has_room = False
        if self.resident.num_nodes * _most_cells_of_a_node(self.module) > self.device.most_nodes:
            return False
        if self._chunks:
            self._size_chunks()
        if self.module.on_demand:
            self._divided = {}
            if self._heads and not self._cut_heads():
                return False
            apart = self._read_at_their_heads()
            candidates = [self._candidate(a) for a in self._arrays_of_arcs() if self._memory(a) not in apart]
            free = self._free_for(candidates)
            if not self._heads and free is not None and free < sum(one.count * one.cell for one in candidates):
                self.resident.leave_heads()  # of another program
                free = self._free_for(candidates)
            if self.device.is_limited_on_host:  # what is there may be less than what could be
                candidates = [replace(one, there=0) for one in candidates]
            parts = divided(candidates, free, self.device.split_unit)
            whole = divided(candidates, free, None)  # as a whole, arrays may be read where they lie
            for self._divided in (parts, whole):
                if self._is_made():
                    return True
            self._divided = parts
        return self._is_made()

    def _is_made(self) -> bool:
        """Whether there is room for arrays as they lie now."""
        self._expected = self.estimate()
        self._has_room = self._made(self._expected) and self._made_on_host()
        return self._has_room

    def foresee(self) -> Estimate:
        """What the run takes, once there is room for it. Raises E0908: there is not."""
        expected = self._expected or self.estimate()
        if self._has_room:
            return expected
        if not self._made(expected):
            hope = self.device.could_hold(expected.total)
            if not (hope and self.device.collect() and self._made(expected)):
                raise self._too_large(self.program, expected)
        if not self._made_on_host() and not (self.device.collect() and self._made_on_host()):
            program, needed = self.program, self._needed_on_host()
            free = self.device.free_on_host(self._there_on_host()) or 0
            if self.device.is_limited_on_host:
                there = sum(expected.mapped.values()) - needed
                raise too_large_for_host(program, needed + there, free + there)
            raise too_large(program, "the host", needed, free)
        return expected

    def estimate(self) -> Estimate:
        """What the run takes as its arrays lie now. Where none may lie elsewhere, that is kept with the graph."""
        if self.module.mapped:
            return self._estimate()
        of_run = tuple(self.copies.values()), tuple(array.name for array in self.weights), self.repeated
        key = Same(self.module), self._sizes, of_run
        return self.resident.kept(key, self._estimate)

    def _estimate(self) -> Estimate:
        sizes, mapped = self._sizes, self.module.mapped
        lying = self.resident.apart(array for array in self._of_graph if array not in mapped)
        parameters = (array for array in entry_of(self.module).parameters if array not in mapped)
        own = sum(self.copies[array.name] * sizes.of(array) for array in parameters)
        far, near = {}, {True: 0, False: 0}
        for array in self._arrays_of_arcs():
            there = self._size_on_device(array)
            near[self._is_of_graph(array)] += there
            if there < sizes.of(array):
                far[array.name] = sizes.of(array) - there
        own += near[False]
        return Estimate(sizes.all(lying) + near[True], own, temporaries(self.module, sizes) + self._of_changes(), far)

    def _of_changes(self) -> int:
        """What the graph after a change takes beside the one before, and updates as they are merged, where the device
        does that."""
        entry, there, here = entry_of(self.module), self.resident, self._sizes
        if not (entry.changes_graph and self.device.merges_graphs and not self.module.mapped):
            return 0
        function, added = self.module.function(self.module.entry), here.num_updates
        slots = most_slots(here.num_nodes, here.num_arcs, added) if self.module.room else here.num_arcs + added
        after = replace(here, num_arcs=slots)
        lying = there.apart(self.module.graph_arrays)
        needed = there.apart((*lying, ir.ROW_OFFSETS, ir.COLUMNS))
        new = after.all((*needed, *function.arrays_of_arcs)) + _BYTES_OF_AN_UPDATE * added
        if self.repeated:
            new += after.all(needed)
        elif ir.WEIGHTS not in self.module.graph_arrays:
            new -= here.all(array for array in self.weights if array.name in entry.changed)
        return new + here.all(needed[len(lying) :])

    @property
    def program(self) -> str:
        """What messages call it; of a run in parts, which of these."""
        name = entry_of(self.module).program
        return name if self.part is None else f"part {self.part} of {name}"

    @property
    def least(self) -> int:
        """Bytes of the device that the run takes with no arcs there."""
        return self.estimate().total - sum(map(self._size_on_device, self._arrays_of_arcs()))

    # --- inside ----------------------------------------------------------------------------------------------------

    def _free_for(self, candidates: Iterable[Candidate]) -> int | None:
        """Bytes of the device that the run may have for these arrays, beside all that it needs there."""
        if (free := self.device.free_memory()) is None:
            return None
        free += sum(one.there * one.cell for one in candidates) - self._still_needed(self.estimate())
        return free if self.device.is_limited else free - spare(max(free, 0))

    def _size_chunks(self) -> None:
        """Gives chunks of rows what all else leaves, and room for the longest row in any case."""
        whole = (rows.offsets for chunks in self._chunks if isinstance(chunks, ir.Chunks) for rows in chunks.rows)
        longest = max((longest_row(self.graph, offsets) for offsets in whole), default=1)
        self.arcs_of_chunk = 0
        most, many = self.resident.num_arcs, replace(self._sizes, num_heads=_MANY)
        cell = (temporaries(self.module, many) - temporaries(self.module, self._sizes)) // (_MANY - 1)
        free = self._free_for(())
        if free is not None and free < most * cell:  # what other runs have left there is in the way
            self.resident.leave({array: self.where(array) for array in self._of_graph}, 0)
            make_room(self.device, self._still_needed(self.estimate()) + most * cell)
            free = self._free_for(())
        if free is not None:
            most = min(most, max(free, 0) // cell)
        self.arcs_of_chunk = max(most, longest, 1)

    def _cut_heads(self) -> bool:
        """Makes heads of rows as large as there is room; False if there is room for all arcs, or for no heads. Those
        that are there already stay if they are nearly as large."""
        arcs, heads = list(self._arrays_of_arcs()), self.resident.apart(self._heads)
        if (free := self._free_for(map(self._candidate, arcs))) is None:
            return False
        free += self._sizes.all(heads)
        if self._sizes.all(arcs) <= free:
            return False
        columns = [array for array in heads if array.extent is ir.Extent.HEADS]
        begins = self._sizes.all(array for array in heads if array not in columns)
        if self.module.heads is ir.HeadKind.SHORT and begins > free // _MOST_FOR_BEGINS:
            return False
        cells, there = (free - begins) // sum(map(self._cell, columns)), self.resident
        assert self.module.heads is not None
        most = largest_cut(self.graph, heads, self.module.heads, cells)
        if not there.has_heads(self.graph, heads, most, KEPT_FROM):
            there.cut_heads(self.graph, heads, most)
        return there.num_heads > 0

    def _read_at_their_heads(self) -> set[Hashable]:
        """The memory of what is read where heads of rows end."""
        return {self.resident.memory(COPIED[array]) for array in self._heads if array in COPIED}

    def _too_large(self, program: str, expected: Estimate) -> DiagnosticError:
        needed, free = self._still_needed(expected), self.device.free_memory() or 0
        if not self.device.is_limited:
            return too_large(program, self.device.name, needed, free)
        return too_large(program, self.device.name, needed, free + expected.total - needed, self.least)

    def _made(self, expected: Estimate) -> bool:
        """Whether there is room, once other graphs, and what this run does not need of its own, have left."""
        if self.device.free_memory() is None:
            return True
        needed = self._still_needed(expected)
        if make_room(self.device, needed):
            return True
        short = needed - (self.device.free_memory() or 0)
        left = self.resident.leave({array: self.where(array) for array in self._of_graph}, short)
        return left and make_room(self.device, needed)

    def _made_on_host(self) -> bool:
        """The same of the host's memory. Where it has no room for copies of the graph's arrays, these themselves are
        read, if the device can."""

        def enough() -> bool:
            free = self.device.free_on_host(self._there_on_host())
            return free is None or needed <= free

        self.resident.in_place = False
        if not self.module.mapped:
            return True
        needed = self._needed_on_host()
        while needed and not enough():
            if not self.device.relieve():
                self.resident.leave_host({array: self.where(array) for array in self._of_graph})
                self.resident.in_place = not enough()
                return enough()
        return True

    def _needed_on_host(self) -> int:
        """The bytes of the host's memory that the run's arrays still need there."""
        return sum(self._far().values())

    def _there_on_host(self) -> int:
        """The bytes among these of the graph's own arrays, which are read where they lie."""
        if not self.resident.in_place:
            return 0
        far = self._far()
        arrays = (array for array in self._arrays_of_arcs() if array.name in far and self._is_of_graph(array))
        read = (array for array in arrays if self.resident.reads_in_place(array, self.graph, self.where(array)))
        return sum(far[array.name] for array in read)

    def _far(self) -> Mapping[str, int]:
        """The bytes, by name, of the arrays that are not on the host yet."""
        new = {array.name for array in self._arrays_of_arcs() if not self._is_there(array)}
        return {name: size for name, size in self.estimate().mapped.items() if name in new} if new else {}

    def _still_needed(self, expected: Estimate) -> int:
        """The bytes that are not on the device yet."""
        there = filter(self._is_there, self.resident.apart(self._of_graph))
        return expected.total - sum(map(self._size_on_device, there))

    def _arrays_of_arcs(self) -> Iterator[ir.Array]:
        """Those that may lie in the host's memory, one for each memory."""
        found: dict[Hashable, ir.Array] = {}
        for array in self.module.mapped:
            if array.name not in self.adopted:
                found.setdefault(self._memory(array), array)
        yield from found.values()

    def _candidate(self, array: ir.Array) -> Candidate:
        there = self.resident.near(array) if self._is_of_graph(array) else 0
        cell = self._cell(array)
        return Candidate(self._memory(array), self._sizes.of(array) // cell, cell, there)

    def _cell(self, array: ir.Array) -> int:
        return dtype_of(array.element, wide_arcs=self.resident.wide_arcs).itemsize

    def _size_on_device(self, array: ir.Array) -> int:
        return self.where(array).size_on_device(self._sizes.of(array), self._cell(array))

    def _memory(self, array: ir.Array) -> Hashable:
        """What tells arrays apart: some of the graph's share memory."""
        return self.resident.memory(array) if self._is_of_graph(array) else array.name

    def _is_of_graph(self, array: ir.Array) -> bool:
        return array.origin is ir.Origin.GRAPH or array in self.weights

    def _is_there(self, array: ir.Array) -> bool:
        return self._is_of_graph(array) and self.resident.holds(array, self.where(array))


@remembered(256)
def _chunks_of(module: ir.Module) -> tuple[ir.Chunks | ir.ChunksOfArcs, ...]:
    """What kernels of the module get chunks of."""
    return tuple(kernel.chunks for kernel in module.kernels if kernel.chunks is not None)


@remembered(256)
def _heads_of(module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays of heads of rows among those of the graph."""
    return tuple(array for array in module.graph_arrays if array in ir.HEAD_ARRAYS)


@remembered(256)
def _most_cells_of_a_node(module: ir.Module) -> int:
    """The most cells for a node that an array of a function has."""
    return max((a.extent.cells_of_a_node for function in module.functions for a in function.arrays), default=1)
