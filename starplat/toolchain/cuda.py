"""Finds NVIDIA GPUs through CuPy."""

from functools import cache
from types import ModuleType

from starplat.diagnostics import DiagnosticError
from starplat.toolchain.description import DeviceDescription, imported, in_brief, missing


@cache
def cupy() -> ModuleType:
    """CuPy. Raises E0901: it is not installed or does not load."""
    return imported("cuda", "cupy")


def cuda_report() -> tuple[DeviceDescription, ...]:
    """The GPUs, or what is missing."""
    try:
        runtime = cupy().cuda.runtime
    except DiagnosticError as error:
        return (missing("cuda", error.diagnostics[0].message, error.diagnostics[0].help),)
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
