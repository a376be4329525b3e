"""Finds the adapters of WebGPU through wgpu: Vulkan, Metal and Direct3D 12."""

import os
import sys
from functools import cache
from types import ModuleType
from typing import Any

from starplat.toolchain import description, quiet_drivers

_MEND = "install a driver for Vulkan; one that runs on any CPU is Mesa's: apt install mesa-vulkan-drivers"
_RANK = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "CPU", "Unknown")


@cache
def wgpu() -> ModuleType:
    """wgpu. Raises E0901: it is not installed or does not load."""
    if sys.platform == "emscripten":
        return description.imported("webgpu", "wgpu")  # of the page that runs this Python: it asks the browser
    found = description.imported("webgpu", "wgpu", "wgpu.backends.wgpu_native.extras")
    found.backends.wgpu_native.extras.set_instance_extras(backends=["Vulkan", "Metal", "DX12"])
    return found


@cache
def adapters() -> tuple[Any, ...]:
    """wgpu's adapters, GPUs first. Raises E0901: there is no wgpu, or it refuses."""
    try:
        with quiet_drivers.hushed():
            found = wgpu().gpu.enumerate_adapters_sync()
    except wgpu().GPUError as error:
        raise description.unavailable(f"target webgpu has no device here: {error}", _MEND) from error
    return tuple(sorted(found, key=lambda adapter: _RANK.index(adapter.info["adapter_type"])))


def webgpu_report() -> tuple[description.DeviceDescription, ...]:
    """The adapters, or that there are none. Raises E0901: there is no wgpu, or it refuses."""
    found = adapters()
    if not found:
        return (description.missing("webgpu", "no adapter answers", _MEND),)
    return tuple(_described(index, adapter) for index, adapter in enumerate(found))


def _described(index: int, adapter: Any) -> description.DeviceDescription:
    info = adapter.info
    on_host = info["adapter_type"] == "CPU"
    return description.DeviceDescription(
        "webgpu",
        index,
        info["device"],
        f"{info['backend_type']}, {info['description']}",
        (os.cpu_count() or 1) if on_host else 0,
        adapter.limits["max-storage-buffer-binding-size"],
        is_gpu=not on_host,
    )
