"""A whole run: device, built kernels, graph and arguments in; a `Result` out, with what every step took.

The graph stays on the device between repetitions and between runs. Every repetition starts from the same arguments;
results come down once, at the end, and only those that were asked for.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePath
from time import perf_counter

import numpy as np

from starplat.frontend.types import PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir.nodes import (
    Array,
    CopyArray,
    Element,
    Fill,
    HostCall,
    Module,
    Origin,
    Swap,
    WriteCell,
)
from starplat.ir.visitor import walk_host, written_arrays
from starplat.runtime.arguments import Bound, bind, names_in
from starplat.runtime.device import Buffer, Device, Kernels
from starplat.runtime.elements import Cells, Value, cells_in, dtype_of
from starplat.runtime.executor import Executor, Place, World
from starplat.runtime.properties import shown_cells
from starplat.runtime.resident import HostArrays, ResidentGraph, on_device
from starplat.runtime.result import Bytes, Result, Seconds, no_such_result
from starplat.runtime.targets import open_device

NO_ARGUMENTS: Mapping[str, object] = {}


def run_module(
    module: Module,
    graph: Graph,
    *,
    target: str = "auto",
    device_index: int = 0,
    arguments: Mapping[str, object] | Bound = NO_ARGUMENTS,
    results: Sequence[str] | None = None,
    repeat: int = 1,
    load_seconds: float = 0.0,
    compile_seconds: float = 0.0,
) -> Result:
    """Runs a module's entry on a graph.

    Args:
        arguments: Python values by parameter (see `arguments.bind`), or what `bind` or `bind_text` made of them.
        results: the properties to bring back; None means all, an empty list none.
        repeat: how often to run; `Result.seconds.run` has a time for each.
        load_seconds, compile_seconds: what reading the graph and the front end took, to be reported with the rest.

    Raises:
        DiagnosticError: E07xx for arguments, E09xx for devices, E0703 and E0704 for mistakes of the program's run.
    """
    given = arguments if isinstance(arguments, Bound) else bind(module, graph, arguments)
    bound = given.within(module)
    wanted = _wanted(module, results)
    device = open_device(target, device_index)
    up, down = device.traffic.up, device.traffic.down
    with ExitStack() as held:
        started = perf_counter()
        resident = on_device(device, graph)
        kernels = _kernels(device, module, resident.wide_arcs)
        built = perf_counter()
        run = _Run(module, graph, bound, kernels, resident, held)
        run.upload()
        device.synchronise()
        uploaded = perf_counter()
        times = [run.once() for _ in range(max(repeat, 1))]
        before = perf_counter()
        properties = {name: run.download(array) for name, array in wanted.items()}
        finished = perf_counter()
    types = {a.name: a.type for a in module.arguments if isinstance(a.type, PropertyType)}
    return Result(
        program=PurePath(module.source.name).stem,
        function=module.entry,
        graph=graph,
        target=device.target,
        device=device.name,
        properties={name: shown_cells(cells, types[name], graph) for name, cells in properties.items()},
        types={name: types[name] for name in properties},
        returned=_returned(module, run.returned, graph),
        seconds=Seconds(
            load_seconds, compile_seconds + built - started, uploaded - built, tuple(times), finished - before
        ),
        bytes=Bytes(device.traffic.up - up, device.traffic.down - down),
        launches=run.launches,
        cached=kernels.cached,
    )


def _wanted(module: Module, results: Iterable[str] | None) -> dict[str, Array]:
    """The arrays to bring back, by the names that the program has for them."""
    arrays = {array.name: array for array in module.results}
    known = {name: arrays[within] for name, within in names_in(module).items() if within in arrays}
    if results is None:
        return known
    for name in results:
        if name not in known:
            raise no_such_result(name, known)
    return {name: known[name] for name in results}


def _returned(module: Module, value: Value | None, graph: Graph) -> Value | None:
    if module.result_type is Scalar.NODE and value is not None and 0 <= value < graph.num_nodes:
        return graph.original_id(int(value))
    return value


_BUILT: weakref.WeakKeyDictionary[Device, dict[tuple[int, bool], tuple[Module, Kernels]]] = weakref.WeakKeyDictionary()
_MOST_BUILT = 64


def _kernels(device: Device, module: Module, wide_arcs: bool) -> Kernels:
    """The module's kernels on the device; those of the modules last used are at hand."""
    known = _BUILT.setdefault(device, {})
    key = (id(module), wide_arcs)
    if key not in known:
        if len(known) >= _MOST_BUILT:
            known.pop(next(iter(known)))
        known[key] = (module, device.build(module, wide_arcs=wide_arcs))
    return known[key][1]


@dataclass
class _Run:
    """The buffers of one call of `run_module`; `held` gives them back at the end, whatever happens."""

    module: Module
    graph: Graph
    bound: Bound
    kernels: Kernels
    resident: ResidentGraph
    held: ExitStack

    def __post_init__(self) -> None:
        self.device = self.kernels.device
        self.returned: Value | None = None
        self.launches = 0
        self._given: dict[str, Buffer] = {}
        self._places: dict[str, Place] = {}
        self._parameters = [
            parameter.what
            for parameter in self.module.function(self.module.entry).parameters
            if isinstance(parameter.what, Array)
        ]

    def upload(self) -> None:
        """Brings to the device what is not there yet: the graph's arrays, the weights, what the caller gave."""
        graph = {array.name: self.resident.array(array, self.graph) for array in self.module.graph_arrays}
        for array in self.module.inputs:
            if array.name in self.bound.arrays:
                self._given[array.name] = self._uploaded(array, self.bound.arrays[array.name])
            elif array.origin is Origin.WEIGHT:
                self._given[array.name] = self.resident.array(array, self.graph)
        host = HostArrays(self.graph)
        resident = self.resident
        self._world = World(resident.num_nodes, resident.num_arcs, resident.wide_arcs, host, graph)

    def once(self) -> float:
        """One repetition; gives its time."""
        self._give_back()
        executor = Executor(self.kernels, self._world)
        inputs = {array.name for array in self.module.inputs}
        self.held.callback(self._give_back)
        for array in self._parameters:
            self._places[array.name] = self._start(array, array.name in inputs)
        self.device.synchronise()
        launched = self.device.traffic.launches
        started = perf_counter()
        self.returned = executor.run(self._places, self.bound.scalars)
        self.device.synchronise()
        seconds = perf_counter() - started
        self.launches = self.device.traffic.launches - launched
        return seconds

    def download(self, array: Array) -> Cells:
        """What an array of the entry holds at the end."""
        return self.device.download(self._places[array.name].buffer)

    def _start(self, array: Array, matters: bool) -> Place:
        """Where a parameter's cells begin: what was given, or zeros; anything where the program sets them first."""
        given = self._given.get(array.name)
        if given is not None and only_read(self.module, array):
            return Place(given, self.bound.arrays.get(array.name))
        place = Place(self._allocated(array))
        if given is not None:
            self.device.copy(place.buffer, given)
            place.known = self.bound.arrays.get(array.name)
        elif matters:
            self.device.fill(place.buffer, 0)
        return place

    def _allocated(self, array: Array) -> Buffer:
        count = cells_in(array.extent, self.resident.num_nodes, self.resident.num_arcs)
        return self.device.allocate(dtype_of(array.element, wide_arcs=self.resident.wide_arcs), count)

    def _uploaded(self, array: Array, cells: Cells) -> Buffer:
        buffer = self._allocated(array)
        self.held.callback(self.device.release, buffer)
        if array.element is Element.ARC:
            cells = np.minimum(cells, np.iinfo(buffer.dtype).max)
        self.device.upload(buffer, cells.astype(buffer.dtype, copy=False))
        return buffer

    def _give_back(self) -> None:
        """Releases the places of the last repetition, except what was given and is used where it lies."""
        kept = {id(buffer) for buffer in self._given.values()}
        while self._places:
            buffer = self._places.popitem()[1].buffer
            if id(buffer) not in kept:
                self.device.release(buffer)


def only_read(module: Module, array: Array) -> bool:
    """Whether no function of the module changes the cells of the entry's parameter or what its name stands for."""
    if any(array in written_arrays(kernel.body) for kernel in module.kernels):
        return False
    for op in walk_host(module.function(module.entry).body):
        match op:
            case Fill() | WriteCell():
                changed: tuple[object, ...] = (op.array,)
            case CopyArray():
                changed = (op.destination,)
            case Swap():
                changed = (op.first, op.second)
            case HostCall():
                changed = op.arguments
            case _:
                continue
        if array in changed:
            return False
    return True
