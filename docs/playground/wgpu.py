"""The browser's own WebGPU under the names of the Python package wgpu, as far as the device of target `webgpu` asks.

The page's Python imports it as `wgpu`. A browser answers later, by promises; Python waits for them, which needs a
WebAssembly that can be suspended (JSPI) and a call from JavaScript that allows it (`callPromising`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import js
from pyodide.ffi import JsException, can_run_sync, create_proxy, run_sync, to_js

_SCOPES = ("validation", "out-of-memory", "internal")
_READ = 0x1
"""The mode of a mapped range."""


class GPUError(Exception):
    """The browser or its GPU refused something."""


class GPUOutOfMemoryError(GPUError):
    """There is no room for a buffer."""


class BufferUsage:
    """What a buffer may be used for, as bits."""

    MAP_READ, COPY_SRC, COPY_DST, UNIFORM, STORAGE = 0x1, 0x4, 0x8, 0x40, 0x80


class ShaderStage:
    """Kinds of kernels, as bits."""

    COMPUTE = 0x4


class GPU:
    """What `wgpu.gpu` is."""

    def enumerate_adapters_sync(self) -> list[Adapter]:
        """The adapter that the browser lends, or none.

        Raises:
            GPUError: it can lend none.
        """
        if lacking := _lacking():
            raise GPUError(lacking)
        found = _waited(js.navigator.gpu.requestAdapter)
        return [] if found is None else [Adapter(found)]


gpu = GPU()


class Adapter:
    """A GPU, and its limits, which are named as the package names them: `max-buffer-size`."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter
        said = adapter.info
        name = said.description or said.device or " ".join(filter(None, (said.vendor, said.architecture)))
        kind = "CPU" if said.isFallbackAdapter else "Unknown"
        self.info = {
            "device": name or "GPU",
            "description": said.vendor,
            "backend_type": "WebGPU",
            "adapter_type": kind,
        }
        self.limits = _Limits(adapter.limits)

    def request_device_sync(self, *, required_limits: Mapping[str, int]) -> GPUDevice:
        """Opens it with these limits."""
        limits = {_in_camel_case(name): most for name, most in required_limits.items()}
        return GPUDevice(_waited(self._adapter.requestDevice, _object({"requiredLimits": limits})))


class _Limits:
    def __init__(self, limits: Any) -> None:
        self._limits = limits

    def __getitem__(self, name: str) -> int:
        return int(getattr(self._limits, _in_camel_case(name)))


class GPUDevice:
    """An opened adapter. What it refuses is raised where a resource is made, or at the next reading."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.faults: list[str] = []
        device.addEventListener("uncapturederror", create_proxy(lambda event: self.faults.append(event.error.message)))
        self.queue = Queue(self)

    def create_buffer(self, *, size: int, usage: int) -> GPUBuffer:
        with self._refusals():
            return GPUBuffer(self.device.createBuffer(_object({"size": size, "usage": usage})), size)

    def create_shader_module(self, *, code: str) -> Any:
        with self._refusals():
            return self.device.createShaderModule(_object({"code": code}))

    def create_bind_group_layout(self, *, entries: Sequence[Mapping[str, Any]]) -> Any:
        return self.device.createBindGroupLayout(_object({"entries": entries}))

    def create_bind_group(self, *, layout: Any, entries: Iterable[Mapping[str, Any]]) -> Any:
        bound = [
            {**entry, "resource": {**entry["resource"], "buffer": entry["resource"]["buffer"].buffer}}
            for entry in entries
        ]
        return self.device.createBindGroup(_object({"layout": layout, "entries": bound}))

    def create_pipeline_layout(self, *, bind_group_layouts: Sequence[Any]) -> Any:
        return self.device.createPipelineLayout(_object({"bindGroupLayouts": bind_group_layouts}))

    def create_compute_pipeline(self, *, layout: Any, compute: Mapping[str, Any]) -> Any:
        stage = {"module": compute["module"], "entryPoint": compute["entry_point"]}
        with self._refusals():
            return self.device.createComputePipeline(_object({"layout": layout, "compute": stage}))

    def create_command_encoder(self) -> CommandEncoder:
        return CommandEncoder(self.device.createCommandEncoder())

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Raises what the browser refuses meanwhile."""
        for scope in _SCOPES:
            self.device.pushErrorScope(scope)
        try:
            yield
        finally:
            refusals = [(scope, _waited(self.device.popErrorScope)) for scope in reversed(_SCOPES)]
        for scope, refused in refusals:
            if refused is not None:
                raise (GPUOutOfMemoryError if scope == "out-of-memory" else GPUError)(refused.message)


class GPUBuffer:
    """Memory of the GPU; `size` in bytes."""

    def __init__(self, buffer: Any, size: int) -> None:
        self.buffer = buffer
        self.size = size


class CommandEncoder:
    """Commands of one submission."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def copy_buffer_to_buffer(self, source: GPUBuffer, first: int, destination: GPUBuffer, to: int, size: int) -> None:
        self._encoder.copyBufferToBuffer(source.buffer, first, destination.buffer, to, size)

    def begin_compute_pass(self) -> ComputePass:
        return ComputePass(self._encoder.beginComputePass())

    def finish(self) -> Any:
        return self._encoder.finish()


class ComputePass:
    """Launches of kernels."""

    def __init__(self, work: Any) -> None:
        self._work = work

    def set_pipeline(self, pipeline: Any) -> None:
        self._work.setPipeline(pipeline)

    def set_bind_group(self, number: int, group: Any) -> None:
        self._work.setBindGroup(number, group)

    def dispatch_workgroups(self, groups: int) -> None:
        self._work.dispatchWorkgroups(groups)

    def end(self) -> None:
        self._work.end()


class Queue:
    """What a device is asked to do, in order."""

    def __init__(self, device: GPUDevice) -> None:
        self._device = device
        self._queue = device.device.queue
        self._read: GPUBuffer | None = None

    def submit(self, commands: Sequence[Any]) -> None:
        self._queue.submit(to_js(commands))

    def write_buffer(self, buffer: GPUBuffer, first: int, content: Any) -> None:
        self._queue.writeBuffer(buffer.buffer, first, to_js(memoryview(content).tobytes()))

    def read_buffer(self, buffer: GPUBuffer, first: int = 0, size: int | None = None) -> bytes:
        """The bytes once all that was submitted before is done."""
        size = buffer.size if size is None else size
        landing = self._landing(size)
        encoder = self._device.create_command_encoder()
        encoder.copy_buffer_to_buffer(buffer, first, landing, 0, size)
        self.submit([encoder.finish()])
        _waited(landing.buffer.mapAsync, _READ, 0, size)
        content = bytes(landing.buffer.getMappedRange(0, size).to_bytes())
        landing.buffer.unmap()
        if self._device.faults:
            raise GPUError(self._device.faults.pop())
        return content

    def _landing(self, size: int) -> GPUBuffer:
        """A buffer that can be read here, of that size or more; it is kept for the next reading."""
        if self._read is None or self._read.size < size:
            if self._read is not None:
                self._read.buffer.destroy()
            usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST
            self._read = self._device.create_buffer(size=size, usage=usage)
        return self._read


def _lacking() -> str:
    """What this browser lacks to run kernels for the page's Python; empty if nothing."""
    if not getattr(js.navigator, "gpu", None):
        return "this browser has no WebGPU, or keeps it from pages that do not come by https"
    return "" if can_run_sync() else "WebAssembly in this browser cannot wait for a GPU (it lacks JSPI)"


def _waited(call: Callable[..., Any], *given: Any) -> Any:
    """What a promise comes to.

    Raises:
        GPUError: it is broken.
    """
    try:
        return run_sync(call(*given))
    except JsException as error:
        raise GPUError(str(error)) from error


def _object(described: Mapping[str, Any]) -> Any:
    return to_js(described, dict_converter=js.Object.fromEntries)


def _in_camel_case(name: str) -> str:
    first, *others = name.split("-")
    return first + "".join(word.capitalize() for word in others)
