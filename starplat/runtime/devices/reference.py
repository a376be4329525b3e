"""The device of target `reference`: NumPy arrays and the interpreter."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.interpreting.interpreter import KernelRunner
from starplat.ir.python.arithmetic import combined
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import ArrayDevice, Device, Kernels, LaunchSize
from starplat.runtime.elements import Cells, Value
from starplat.runtime.host_memory import host_memory


class ReferenceDevice(ArrayDevice):
    """The host's memory."""

    target = "reference"
    is_host = True
    takes_pieces = True
    merges_graphs = False
    split_unit = 8
    most_nodes = 2**31 - 1

    def __init__(self) -> None:
        super().__init__("interpreter")

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        return ReferenceKernels(self, module, wide_arcs)

    def synchronise(self) -> None:
        """Nothing to wait for."""

    def export(self, buffer: Buffer) -> Cells:
        cells: Cells = buffer.memory[: buffer.count]
        return cells

    def _free_memory(self) -> int | None:
        return host_memory()

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Cells:
        return np.zeros(count, dtype)

    _allocate_mapped = _allocate_managed = _allocate

    def _upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        buffer.memory[first : first + len(cells)] = cells

    def _download_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        cells[:] = buffer.memory[first : first + len(cells)]

    def _fill(self, buffer: Buffer, value: Any) -> None:
        buffer.memory.fill(value)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        destination.memory[:] = source.memory


class ReferenceKernels(Kernels):
    """Runs the operations one by one, iterations in ascending order."""

    def __init__(self, device: Device, module: ir.Module, wide_arcs: bool) -> None:
        super().__init__(device, module, wide_arcs)
        self._runner = KernelRunner(module)

    def _launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        cells = {array.name: arrays[array.name].memory[: arrays[array.name].count] for array in kernel.arrays}
        values = {variable.name: scalars[variable.name] for variable in kernel.scalars}
        found = dict(self._runner.run(kernel.name, cells, values, size.num_nodes, size.num_arcs))
        for reduction in kernel.reductions:
            if reduction.into is not None:
                cell, element = arrays[reduction.into.name].memory, reduction.into.element
                cell[0] = combined(reduction.combine, element, cell[0].item(), found.pop(reduction.variable.name))
        return found
