"""The device of target `webgpu`, through wgpu. A cell of a BOOL takes 32 bits there, since kernels write no less."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from starplat.backends import launch
from starplat.backends.webgpu import bindings_of, fill_text
from starplat.backends.wgsl import instances, kernels
from starplat.ir import nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, Kernels, LaunchSize
from starplat.runtime.devices.device_faults import Faults, device_fault
from starplat.runtime.devices.words import WordKernels
from starplat.runtime.elements import Cells
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain.description import first_error, refused_kernels
from starplat.toolchain.webgpu import wgpu

_CELL = 4
_MOST_GROUPS = 65_535
_MOST_BOUND = 256
_LIMITS = ("max-storage-buffer-binding-size", "max-buffer-size", "max-storage-buffers-per-shader-stage")


class WebGPUDevice(Device):
    """One adapter, with a device and queue of its own."""

    target = "webgpu"
    merges_graphs = False

    def __init__(self, adapter: Any) -> None:
        super().__init__(f"{adapter.info['device']} ({adapter.info['backend_type']})")
        self.wgpu = wgpu()
        self.faults = Faults(self.name, (self.wgpu.GPUError,))
        limits = {name: adapter.limits[name] for name in _LIMITS}
        try:
            self.device = adapter.request_device_sync(required_limits=limits)
        except (self.wgpu.GPUError, RuntimeError) as error:
            raise device_fault(self.name, str(error), "does not answer") from error
        self.queue = self.device.queue
        self._last = self.device.create_buffer(size=_CELL, usage=self.wgpu.BufferUsage.COPY_SRC)
        self.most_bytes = min(limits["max-storage-buffer-binding-size"], limits["max-buffer-size"])
        self.is_host = adapter.info["adapter_type"] == "CPU"

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        if wide_arcs:
            raise device_fault(self.name, "the graph has more arcs than 32 bits count", "cannot run the program")
        return WebGPUKernels(self, module, kernels_text_to_run(self.target, module))

    def synchronise(self) -> None:
        with self.faults:
            self.queue.read_buffer(self._last)  # which waits for all before it

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        size = _held_as(dtype).itemsize * count
        if size > self.most_bytes:
            raise MemoryError(f"a buffer has room for {self.most_bytes:,} bytes")
        usage = self.wgpu.BufferUsage
        try:
            return self.device.create_buffer(size=size, usage=usage.STORAGE | usage.COPY_SRC | usage.COPY_DST)
        except self.wgpu.GPUOutOfMemoryError as error:
            raise MemoryError(str(error)) from error
        except self.wgpu.GPUError as error:
            raise device_fault(self.name, str(error)) from error

    def _upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        held = _held_as(buffer.dtype)
        with self.faults:
            self.queue.write_buffer(buffer.memory, first * held.itemsize, cells.astype(held, copy=False))

    def _download_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        held = _held_as(buffer.dtype)
        with self.faults:
            taken = self.queue.read_buffer(buffer.memory, first * held.itemsize, len(cells) * held.itemsize)
        cells[:] = np.frombuffer(taken, held).astype(buffer.dtype)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        held = _held_as(buffer.dtype)
        if held.itemsize != _CELL:  # kernels have no such cells
            self._upload(buffer, np.full(buffer.count, value))
            return
        number = np.array([value], held).view(np.uint32)[0]
        with self.faults:
            self.filling.start((buffer.memory,), (number, np.uint32(buffer.count)), launch.groups_for(buffer.count))

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        size = source.count * _held_as(source.dtype).itemsize
        with self.faults:
            encoder = self.device.create_command_encoder()
            encoder.copy_buffer_to_buffer(source.memory, 0, destination.memory, 0, size)
            self.queue.submit([encoder.finish()])

    @cached_property
    def filling(self) -> "Entry":
        """The kernel that fills buffers."""
        cells = instances.Binding("cells", 0, ir.Element.INT, written=True, atomic=False)
        return Entry(self, self.device.create_shader_module(code=fill_text()), "fill", (cells,), numbers=2)


def _held_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a cell on the device."""
    return np.dtype(np.int32) if dtype == np.bool_ else dtype


@dataclass(eq=False)
class Entry:
    """A kernel, ready to be started: `bindings` are its buffers, `numbers` how many numbers of 32 bits it is given."""

    on: WebGPUDevice
    text: Any
    name: str
    bindings: Sequence[instances.Binding]
    numbers: int
    bound: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        device, usage = self.on.device, self.on.wgpu.BufferUsage
        self.layout = device.create_bind_group_layout(entries=[self._described(binding) for binding in self.bindings])
        layouts, self.given = [self.layout], None
        if self.numbers:
            entry = self._entry(0, "uniform")
            layouts.append(device.create_bind_group_layout(entries=[entry]))
            size = -(-self.numbers * _CELL // 16) * 16
            self.memory = device.create_buffer(size=size, usage=usage.UNIFORM | usage.COPY_DST)
            resource = {"buffer": self.memory, "offset": 0, "size": size}
            self.given = device.create_bind_group(layout=layouts[1], entries=[{"binding": 0, "resource": resource}])
        self.pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=layouts),
            compute={"module": self.text, "entry_point": self.name},
        )

    def _described(self, binding: instances.Binding) -> dict[str, Any]:
        return self._entry(binding.number, "storage" if binding.written else "read-only-storage")

    def _entry(self, number: int, kind: str) -> dict[str, Any]:
        return {"binding": number, "visibility": self.on.wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}

    def start(self, buffers: tuple[Any, ...], numbers: Sequence[Any], groups: int) -> None:
        """Launches it for these buffers, in the order of its bindings, and numbers."""
        if self.numbers:
            data = b"".join(number.tobytes() for number in numbers)
            self.on.queue.write_buffer(self.memory, 0, data)
        encoder = self.on.device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(self.pipeline)
        work.set_bind_group(0, self._bound_to(buffers))
        if self.given is not None:
            work.set_bind_group(1, self.given)
        work.dispatch_workgroups(min(groups, _MOST_GROUPS))
        work.end()
        self.on.queue.submit([encoder.finish()])

    def _bound_to(self, buffers: tuple[Any, ...]) -> Any:
        """The group of these buffers; the last ones are kept, since most launches have those of an earlier one."""
        if buffers not in self.bound:
            if len(self.bound) >= _MOST_BOUND:
                self.bound.clear()
            entries = [
                {"binding": binding.number, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                for binding, buffer in zip(self.bindings, buffers, strict=True)
            ]
            self.bound[buffers] = self.on.device.create_bind_group(layout=self.layout, entries=entries)
        return self.bound[buffers]


class WebGPUKernels(WordKernels):
    """The kernels of one module on one device."""

    def __init__(self, device: WebGPUDevice, module: ir.Module, text: str) -> None:
        self._webgpu = device
        try:
            self._text = device.device.create_shader_module(code=text)
            self._bindings = bindings_of(module)
            super().__init__(device, module, wide_arcs=False, cached=False)
        except device.wgpu.GPUError as error:
            raise refused_kernels(device.name, text, ".wgsl", first_error(str(error))) from error

    def entry(self, name: str, parameters: tuple[launch.KernelArgument, ...]) -> Entry:
        numbers = len(kernels.given_to_kernel(parameters))
        return Entry(self._webgpu, self._text, name, self._bindings[name], numbers)

    def start(self, entry: Entry, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        numbers = [argument for argument in arguments if isinstance(argument, np.generic)]
        buffers = tuple(argument for argument in arguments if not isinstance(argument, np.generic))
        groups = 1
        if kernel.works_apart:
            groups = launch.threads_apart(kernel, size.iterations)
        elif not isinstance(kernel.domain, ir.Once):
            groups = launch.groups_for(size.iterations)
        with self._webgpu.faults:
            entry.start(buffers, numbers, groups)

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory

    def number_type(self, element: ir.Element) -> np.dtype[Any]:
        return np.dtype(np.int32) if element is ir.Element.BOOL else super().number_type(element)
