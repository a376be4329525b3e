"""The device of target `openmp`: the host's cores; one of them can run rounds by itself."""

import ctypes
from collections.abc import Mapping

import numpy as np

from starplat.backends import BACKENDS, legal_module
from starplat.backends import statements as st
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of
from starplat.runtime.devices import buffers, process_exit
from starplat.runtime.devices.device import LaunchSize
from starplat.runtime.devices.library import HostCell, LibraryDevice, LibraryKernels
from starplat.runtime.devices.words import Loaded, Word
from starplat.runtime.elements import Cells, Value, as_value, dtype_of


class OpenMPDevice(LibraryDevice):
    """The host's cores, as many as OMP_NUM_THREADS says."""

    target = "openmp"
    is_host = True
    takes_pieces = True

    @property
    def kernels(self) -> type[LibraryKernels]:
        return KernelsWithGroups

    def in_place(self, buffer: buffers.Buffer) -> Cells:
        room = max(buffer.count, 1) * buffer.dtype.itemsize
        there = (ctypes.c_uint8 * room).from_address(buffer.memory.address)
        cells: Cells = np.ctypeslib.as_array(there).view(buffer.dtype)
        return cells[: buffer.count]

    def _name(self) -> str:
        threads = self._memory.number("device_threads")
        return f"host, {threads} thread{'s' * (threads != 1)}, {self._memory.text('compiler_name')} (OpenMP)"


class KernelsWithGroups(LibraryKernels):
    """The same where a thread of the host can run rounds by itself; what it changes it leaves in words of the host."""

    runs_together = True

    def __init__(
        self, device: LibraryDevice, module: ir.Module, wide_arcs: bool, library: ctypes.CDLL, cached: bool
    ) -> None:
        super().__init__(device, module, wide_arcs, library, cached)
        self._groups = {op.name: self._load_group(op) for op in loops_of(module)}

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
        process_exit.within(self.device.name, group.entry, *(given(arrays, scalars, size) for given in group.arguments))
        return {name: as_value(word.buffer.memory.cell[0], word.element) for name, word in group.words.items()}
