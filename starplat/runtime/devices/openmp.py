"""The device of target `openmp`: the host's cores; one of them can run rounds by itself, or the loops around them."""

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from starplat.backends import BACKENDS, legal_module, statements as st
from starplat.backends.compiled_loops import CompiledFunction, compiled_functions
from starplat.ir import nodes as ir, visitor
from starplat.runtime.attending.progress import Control
from starplat.runtime.devices import buffers, device_faults
from starplat.runtime.devices.device import Called, LaunchSize
from starplat.runtime.devices.library import HostCell, LibraryDevice, LibraryKernels
from starplat.runtime.devices.words import Given, Loaded, Word
from starplat.runtime.elements import Cells, Value, as_value, dtype_of
from starplat.same import Same
from starplat.toolchain import compilers


class OpenMPDevice(LibraryDevice):
    """The host's cores, as many as OMP_NUM_THREADS says."""

    target = "openmp"
    is_host = True
    takes_pieces = True

    def __init__(self, build: compilers.Build) -> None:
        super().__init__(build)
        self.copies_of_threads = self._threads

    def ready(self) -> None:
        """There is one host."""

    def synchronise(self) -> None:
        """Every call is over when it returns."""

    @property
    def kernels(self) -> type[LibraryKernels]:
        return KernelsWithGroups

    def in_place(self, buffer: buffers.Buffer) -> Cells:
        room = max(buffer.count, 1) * buffer.dtype.itemsize
        there = (ctypes.c_uint8 * room).from_address(buffer.memory.address)
        cells: Cells = np.ctypeslib.as_array(there).view(buffer.dtype)
        return cells[: buffer.count]

    @property
    def _threads(self) -> int:
        return int(self._memory.number("device_threads"))

    def _name(self) -> str:
        threads = self._threads
        return f"host, {threads} thread{'s' * (threads != 1)}, {self._memory.text('compiler_name')} (OpenMP)"


class KernelsWithGroups(LibraryKernels):
    """The same where a thread of the host can run rounds by itself, which leaves what it changes in words of the host;
    loops are compiled with the kernels."""

    runs_together = True

    def __init__(
        self, device: LibraryDevice, module: ir.Module, wide_arcs: bool, library: ctypes.CDLL, cached: bool
    ) -> None:
        super().__init__(device, module, wide_arcs, library, cached)
        self._groups = {op.name: self._load_group(op) for op in visitor.loops_of(module)}
        self._compiled = compiled_functions(module)
        self._graph = _graph_type(self._compiled.graph_arrays, self.number(ir.Element.ARC))
        self._by_loop = {Same(one.loop): one for one in self._compiled.functions}

    def _memory_of(self, name: str) -> Given:
        return lambda arrays, scalars, size: arrays[name].memory.pointer

    def _load_group(self, op: ir.OnDevice) -> Loaded:
        name, parameters = legal_module.loop_entry(op, self.module, BACKENDS[self.device.target].capabilities)
        words = {variable.name: self._outcome(variable) for variable in op.outcomes}
        return Loaded(self.entry(name, parameters), self.all_given(parameters, words), words)

    def _outcome(self, variable: ir.Variable) -> Word:
        dtype = dtype_of(st.result_element(variable.element), wide_arcs=self.wide_arcs)
        return Word(variable.name, variable.element, dtype.type(0), buffers.Buffer(dtype, 1, HostCell(dtype)))

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, buffers.Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        group = self._groups[op.name]
        self.device.ready()
        device_faults.within(
            self.device.name, group.entry, *(given(arrays, scalars, size) for given in group.arguments)
        )
        return {name: as_value(word.buffer.memory.cell[0], word.element) for name, word in group.words.items()}

    @property
    def compiled(self) -> Mapping[Same, CompiledFunction]:
        return self._by_loop

    def call(
        self,
        function: CompiledFunction,
        arrays: Mapping[str, buffers.Buffer],
        scalars: Mapping[str, Value],
        size: LaunchSize,
        control: Control,
    ) -> Called:
        self.device.traffic.launches += 1
        of_graph = (
            _range_of(arrays[array.name]) if array in function.graph_arrays else CellRange()
            for array in self._compiled.graph_arrays
        )
        graph = self._graph(size.num_nodes, size.num_arcs, *of_graph)
        own = {array.name: _range_of(arrays[array.name]) for array in function.arrays}
        numbers = {scalar.name: self.number(scalar.element)(scalars[scalar.name]) for scalar in function.scalars}
        changed = {scalar.name: scalar.element for scalar in function.changed}
        given = (ctypes.byref(number) if name in changed else number for name, number in numbers.items())
        before = {cells.address: name for name, cells in own.items()}
        self.device.ready()
        device_faults.within(
            self.device.name, self.entry(function.name, ()), *map(ctypes.byref, (control, graph, *own.values())), *given
        )
        moved = {name: before[cells.address] for name, cells in own.items() if before[cells.address] != name}
        return Called(moved, {name: as_value(numbers[name].value, element) for name, element in changed.items()})


class CellRange(ctypes.Structure):
    """A `Buffer` of the text."""

    _fields_ = (("address", ctypes.c_void_p), ("count", ctypes.c_size_t))


def _range_of(buffer: buffers.Buffer) -> CellRange:
    memory = buffer.memory
    return CellRange(memory.ctypes.data if isinstance(memory, np.ndarray) else memory.address, buffer.count)


def _graph_type(arrays: tuple[ir.Array, ...], arc: Callable[[Any], Any]) -> type[ctypes.Structure]:
    """The `Graph` of the text."""
    fields = (("num_nodes", ctypes.c_int32), ("num_arcs", arc), *((array.name, CellRange) for array in arrays))
    return type("Graph", (ctypes.Structure,), {"_fields_": fields})
