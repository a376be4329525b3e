"""The devices of `openmp` and `openacc`, whose kernels a C++ compiler builds: a row for each build."""

import os

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


def openmp_report() -> tuple[DeviceDescription, ...]:
    """The host, with the threads that OpenMP would use."""
    threads = _threads()
    rows = [_host(build, index, f"host, {threads} threads", threads) for index, build in enumerate(builds("openmp"))]
    return tuple(rows) or (_no_compiler("openmp"),)


def openacc_report() -> tuple[DeviceDescription, ...]:
    """GPUs that a compiler here builds for, then the host; last a GPU that none builds for."""
    found = builds("openacc")
    rows = [_described(build, index) for index, build in enumerate(found)]
    if gpus() and not any(build.place is Place.GPU for build in found):
        status = "no compiler here builds OpenACC for it"
        rows.append(DeviceDescription("openacc", None, gpus()[0].name, "-", 0, 0, status, install_offloading(), True))
    return tuple(rows) or (_no_compiler("openacc"),)


def _described(build: Build, index: int) -> DeviceDescription:
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
