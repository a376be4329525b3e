"""Finds NVIDIA GPUs through CuPy."""

from functools import cache
from types import ModuleType

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.toolchain.description import DeviceDescription, in_brief, missing

INSTALL = "pip install 'starplat[cuda]'"


@cache
def cupy() -> ModuleType:
    """CuPy.

    Raises:
        DiagnosticError: E0901, it is not installed or does not load.
    """
    try:
        import cupy
    except ImportError as error:
        message = f"CUDA needs CuPy, which cannot be imported: {in_brief(error)}"
        raise DiagnosticError(Diagnostic("E0901", message, help=INSTALL), exit_code=ExitCode.NO_DEVICE) from error
    module: ModuleType = cupy
    return module


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
