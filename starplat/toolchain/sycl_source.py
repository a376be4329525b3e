"""Compilers of whole SYCL programs, icpx and acpp, and the devices that they reach.

Such a compiler builds kernels into a library, as g++ does for OpenACC; dpctl and its runtime are not needed then. The
devices are asked of a small library, `templates/sycl/memory.cpp`, that is built the same way.
"""

import ctypes
from functools import cache

from starplat.backends.files.render import render
from starplat.diagnostics import DiagnosticError
from starplat.toolchain import description, libraries, vendors
from starplat.toolchain.compilers import Build, Compiler, Place, compiler_named

SOURCE_FLAGS = {
    "icpx": ("-fsycl", "-fp-model=precise", "-std=c++17", "-O2", "-fwrapv", "-shared", "-fPIC"),
    "acpp": ("-std=c++17", "-O2", "-fwrapv", "-shared", "-fPIC"),
}
"""How each makes a library; icpx takes for granted that no real is infinite unless it is told otherwise."""

MEMORY = "sycl/memory.cpp"


def source_builds() -> tuple[Build, ...]:
    """A build for each device of the first compiler that works, GPUs first; none where there is no such compiler."""
    return next((builds for _, builds, fault in _tried() if fault is None), ())


def source_report() -> tuple[description.DeviceDescription, ...]:
    """The devices of `source_builds`, numbered from 0; then the compilers that do not work, and why."""
    good = [_described(build, index) for index, build in enumerate(source_builds())]
    faults = [(compiler, fault) for compiler, _, fault in _tried() if fault is not None]
    bad = [description.missing("sycl", f"{compiler.name} is no help: {fault}", None) for compiler, fault in faults]
    return (*good, *bad)


@cache
def _tried() -> tuple[tuple[Compiler, tuple[Build, ...], str | None], ...]:
    """The compilers on the path up to the first that works, with a build for each device or what is wrong."""
    tried = []
    for command, flags in SOURCE_FLAGS.items():
        if (compiler := compiler_named(command)) is None:
            continue
        builds, fault = _builds(compiler, flags)
        tried.append((compiler, builds, fault))
        if fault is None:
            break
    return tuple(tried)


def _builds(compiler: Compiler, flags: tuple[str, ...]) -> tuple[tuple[Build, ...], str | None]:
    vendors.show_runtimes()
    try:
        library = libraries.open_library(Build("sycl", Place.HOST, compiler, flags), render(MEMORY))[0]
    except DiagnosticError as error:
        return (), error.diagnostics[0].message
    if (count := int(library.device_count())) <= 0:
        return (), _text(library, "device_error") or "its runtime reaches no device"
    places = [_place(library, number) for number in range(count)]
    return tuple(Build("sycl", place, compiler, flags, number) for number, place in enumerate(places)), None


def _place(library: ctypes.CDLL, number: int) -> Place:
    library.device_use(ctypes.c_int(number))
    return Place.GPU if library.device_is_gpu() else Place.HOST


def _described(build: Build, index: int) -> description.DeviceDescription:
    library = libraries.open_library(build, render(MEMORY))[0]
    library.device_use(ctypes.c_int(build.number))
    library.device_memory.restype = ctypes.c_size_t
    name, driver = _text(library, "device_name").strip(), _text(library, "device_driver").strip()
    units, memory = int(library.device_threads()), int(library.device_memory())
    is_gpu = build.place is Place.GPU
    return description.DeviceDescription("sycl", index, name, f"{driver}, {build.maker}", units, memory, is_gpu=is_gpu)


def _text(library: ctypes.CDLL, function: str) -> str:
    getattr(library, function).restype = ctypes.c_char_p
    said = getattr(library, function)()
    return "" if said is None else str(said.decode(errors="replace"))
