"""Finds NVIDIA GPUs through CuPy, and shares one CUDA context among all libraries of a process."""

import ctypes
from collections.abc import Callable
from functools import cache
from types import ModuleType

from starplat.toolchain.description import DeviceDescription, imported, in_brief, missing


@cache
def cupy() -> ModuleType:
    """CuPy. Raises E0901: it is not installed or does not load."""
    return imported("cuda", "cupy")


def cuda_report() -> tuple[DeviceDescription, ...]:
    """The GPUs, or why there are none. Raises E0901: CuPy is missing."""
    runtime = cupy().cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        mend = "install NVIDIA's driver, or run on a machine with a GPU"
        return (missing("cuda", f"no GPU answers: {in_brief(error)}", mend),)
    return tuple(_described(index) for index in range(count))


def _described(index: int) -> DeviceDescription:
    runtime = cupy().cuda.runtime
    properties = runtime.getDeviceProperties(index)
    version = runtime.driverGetVersion()
    return DeviceDescription(
        "cuda",
        index,
        properties["name"].decode(),
        f"CUDA {version // 1000}.{version % 1000 // 10}",
        properties["multiProcessorCount"],
        properties["totalGlobalMem"],
        is_gpu=True,
    )


@cache
def primary_context(number: int) -> Callable[[], object]:
    """What makes the primary context of a GPU the calling thread's; nothing for the host, which is -1, and where the
    driver has no such GPU, which its next use reports.

    libgomp makes a context of its own for a GPU where a thread has none, and then uses whatever context the thread has:
    after CuPy has been at work on that thread, that is another one, and every address is wrong. It takes the context
    that it finds, so the primary one is made the thread's before libgomp looks, and whenever it is used.
    """
    if number < 0:
        return _nothing
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return _nothing
    device, context = ctypes.c_int(0), ctypes.c_void_p()
    if driver.cuInit(0) != 0 or driver.cuDeviceGet(ctypes.byref(device), number) != 0:
        return _nothing
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) != 0:
        return _nothing
    return lambda: driver.cuCtxSetCurrent(context)


def _nothing() -> None:
    """There is no context to choose."""
