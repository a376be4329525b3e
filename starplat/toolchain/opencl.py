"""Opens pyopencl with every runtime of the machine, and tests its devices.

A pyopencl that was imported earlier sees the runtimes that it found then.
"""

import os
import sys
import warnings
from functools import cache
from types import ModuleType
from typing import Any

from starplat.toolchain import description, quiet_drivers, vendors
from starplat.toolchain.cache import key_of, open_cache

INSTALL = "pip install 'starplat[opencl]'"


@cache
def opencl() -> ModuleType:
    """pyopencl, with every runtime of the machine in sight. Raises E0901: pyopencl is not installed or does not
    load."""
    if "pyopencl" not in sys.modules:
        os.environ.setdefault("PYOPENCL_NO_CACHE", "1")  # we keep binaries ourselves
        vendors.show_runtimes()
    return description.imported("opencl", "pyopencl")


def platforms() -> list[ModuleType]:
    """pyopencl's platforms; none is an empty list."""
    cl = opencl()
    try:
        return list(cl.get_platforms())
    except (cl.Error, RuntimeError):
        return []


def usable(device: object) -> str | None:
    """None if the device compiles OpenCL C, else the compiler's first words.

    pocl's wheel, for one, is built on an LLVM that refuses every processor younger than itself.
    """
    key = key_of("compiles", device_identity(device))
    trials = open_cache("opencl-trials")
    if trials.get(key) is not None:
        return None
    if (fault := _trial(opencl(), device)) is None:
        trials.put(key, b"compiles")
    return fault


def device_identity(device: object) -> str:
    """All that decides what a binary for the device looks like: platform, device, driver."""
    platform = device.platform  # type: ignore[attr-defined]
    names = (platform.vendor, platform.name, platform.version, device.name, device.version, device.driver_version)  # type: ignore[attr-defined]
    return "\n".join(names)


def _trial(cl: ModuleType, device: object) -> str | None:
    text = "__kernel void trial(__global int* a) { atomic_min(&a[get_global_id(0)], 1); }"
    try:
        context = cl.Context([device])
        quiet_build(cl.Program(context, text), "-cl-std=CL1.2")
    except (cl.Error, RuntimeError) as error:
        return description.first_error(str(error))
    return None


def quiet_build(program: Any, flags: str) -> Any:
    """`program.build(flags)` without what the compiler remarks, which pyopencl warns of and drivers print; or, where
    that is asked for, with all of it on stderr."""
    cl = opencl()
    with warnings.catch_warnings(), quiet_drivers.hushed():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        built = program.build(flags)
    if quiet_drivers.is_verbose():
        logs = [program.get_build_info(device, cl.program_build_info.LOG) for device in program.devices]
        print("\n".join(log.strip() for log in logs if log.strip()), file=sys.stderr)
    return built
