"""The devices of this machine, target by target.

A device that cannot be used is listed too, with what is wrong and the command that mends it.
"""

import os
import platform
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from starplat.diagnostics import DiagnosticError
from starplat.toolchain import cuda, sycl, vendors, webgpu
from starplat.toolchain.compilers import (
    INSTALL_COMPILER,
    Build,
    Place,
    builds,
    gpus,
    install_offloading,
    libraries_folder,
)
from starplat.toolchain.description import DeviceDescription, missing
from starplat.toolchain.opencl import INSTALL, opencl, platforms, usable


def openmp_report() -> tuple[DeviceDescription, ...]:
    """The host, with the threads that OpenMP would use."""
    threads = _threads()
    rows = [_host(build, index, f"host, {threads} threads", threads) for index, build in enumerate(builds("openmp"))]
    return tuple(rows) or (_no_compiler("openmp"),)


def openacc_report() -> tuple[DeviceDescription, ...]:
    """GPUs that a compiler here builds for, then the host; last a GPU that none builds for."""
    found = builds("openacc")
    rows = [_of_build(build, index) for index, build in enumerate(found)]
    if gpus() and not any(build.place is Place.GPU for build in found):
        status = "no compiler here builds OpenACC for it"
        rows.append(DeviceDescription("openacc", None, gpus()[0].name, "-", 0, 0, status, install_offloading(), True))
    return tuple(rows) or (_no_compiler("openacc"),)


def _of_build(build: Build, index: int) -> DeviceDescription:
    if build.place is Place.HOST:
        return _host(build, index, "host", 1)
    if build.number >= len(gpus()):
        return _host(build, index, f"host, with libraries for GPUs in {libraries_folder()}", 1)
    gpu = gpus()[build.number]
    driver = f"OpenACC, {build.maker}"
    return DeviceDescription("openacc", index, gpu.name, driver, gpu.multiprocessors, gpu.memory, is_gpu=True)


def _host(build: Build, index: int, name: str, units: int) -> DeviceDescription:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    language = "OpenMP" if build.target == "openmp" else "OpenACC"
    return DeviceDescription(build.target, index, name, f"{language}, {build.maker}", units, memory)


def _threads() -> int:
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _no_compiler(target: str) -> DeviceDescription:
    return missing(target, "no C++ compiler is here", INSTALL_COMPILER)


def devices() -> tuple[DeviceDescription, ...]:
    """All of them, of every target."""
    return tuple(device for target in REPORTS for device in report(target))


@cache
def report(target: str) -> tuple[DeviceDescription, ...]:
    """The devices of one target; what is missing stands last, or alone where without it no device can be asked for."""
    if target not in REPORTS:
        return ()
    try:
        return REPORTS[target]()
    except DiagnosticError as error:
        return (missing(target, error.diagnostics[0].message, error.diagnostics[0].help),)


@cache
def opencl_devices() -> tuple[Any, ...]:
    """pyopencl's devices that compile, best first: GPUs and accelerators, then CPUs; of equals Intel's runtime first.
    Raises E0901: there is no pyopencl."""
    return tuple(device for device, fault in _tried() if fault is None)


@cache
def _tried() -> tuple[tuple[Any, str | None], ...]:
    """Every device, and why it does not compile; a runtime that the loader found twice counts once."""
    cl = opencl()
    once = {(vendor.vendor, vendor.name, vendor.version): vendor for vendor in reversed(platforms())}
    found = [device for vendor in once.values() for device in _devices_of(vendor)]
    found.sort(key=lambda one: (bool(one.type & cl.device_type.CPU), not one.platform.name.startswith("Intel")))
    return tuple((device, usable(device)) for device in found)


def _devices_of(vendor: Any) -> list[Any]:
    cl = opencl()
    try:
        return list(vendor.get_devices())
    except (cl.Error, RuntimeError):
        return []


def _opencl_report() -> tuple[DeviceDescription, ...]:
    tried = _tried()
    ready = [device for device, fault in tried if fault is None]
    good = [_described(device, index, "ready", None) for index, device in enumerate(ready)]
    mend = None if good else INSTALL
    bad = [_described(device, None, f"does not compile: {fault}", mend) for device, fault in tried if fault]
    hidden = [
        DeviceDescription("opencl", None, Path(one.library).name, "-", 0, 0, f"does not load: {one.fault}", one.mend)
        for one in vendors.runtimes()
        if one.fault
    ]
    if not good and not bad and not hidden:
        hidden = [missing("opencl", "no OpenCL runtime is installed", INSTALL)]
    return (*good, *bad, *hidden)


def _described(device: Any, index: int | None, status: str, mend: str | None) -> DeviceDescription:
    return DeviceDescription(
        "opencl",
        index,
        device.name.strip(),
        f"{device.platform.name.strip()} {device.driver_version}",
        device.max_compute_units,
        device.global_mem_size,
        status,
        mend,
        is_gpu=not device.type & opencl().device_type.CPU,
    )


def _interpreter() -> tuple[DeviceDescription, ...]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return (DeviceDescription("reference", 0, "interpreter", f"Python {platform.python_version()}", 1, memory),)


def _hip_report() -> tuple[DeviceDescription, ...]:
    """Nothing here runs HIP; its programs are written and compiled."""
    return (missing("hip", "compile only: starplat compile -t hip writes a program for hipcc", None),)


REPORTS: Mapping[str, Callable[[], tuple[DeviceDescription, ...]]] = {
    "cuda": cuda.cuda_report,
    "opencl": _opencl_report,
    "sycl": sycl.sycl_report,
    "openmp": openmp_report,
    "openacc": openacc_report,
    "webgpu": webgpu.webgpu_report,
    "hip": _hip_report,
    "reference": _interpreter,
}
"""How each target finds its devices."""
