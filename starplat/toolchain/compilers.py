"""The C++ compilers of this machine for kernels under directives, and where these run: cores, or a GPU.

A `Build` is one way to make a library that a program's kernels are called in. Nothing is compiled here.
"""

import ctypes
import os
import shutil
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from starplat.toolchain.tools import answer

LIBRARIES_VARIABLE = "STARPLAT_OPENACC_LIBRARIES"
"""Names a folder of libraries that offload, for machines that have a GPU and no compiler that builds for it.

Where it is set, OpenACC kernels are looked up there first, also those built elsewhere; what is built is kept there too,
and built for offloading if there is a compiler for that, GPU or not: a run on one machine fills the folder for another.
"""

INSTALL_COMPILER = "apt-get install g++"
GNU_NAMES = ("g++", *(f"g++-{version}" for version in range(20, 9, -1)))

_ALWAYS = ("-std=c++17", "-O2", "-shared", "-fPIC")
_GNU = (*_ALWAYS, "-fwrapv")
"""Integers wrap around in the language, on every target."""
_OFFLOAD = ("-fopenacc", "-foffload=nvptx-none", "-foffload-options=nvptx-none=-misa=sm_80", "-foffload-options=-lm")
_NVIDIA = (*_ALWAYS, "-acc=gpu", "-gpu=nordc")


class Place(Enum):
    """Where the kernels of a build run."""

    HOST = "host"
    GPU = "GPU"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler that answered: `name` is short ("g++ 12.2.0"), `identity` all that decides what it makes of a text."""

    path: str
    name: str
    identity: str


@dataclass(frozen=True, slots=True)
class Build:
    """A compiler and its flags for one place; without a compiler only libraries that were brought along can be used.

    `number` is which GPU, -1 for the host.
    """

    target: str
    place: Place
    compiler: Compiler | None
    flags: tuple[str, ...]
    number: int = -1

    @property
    def maker(self) -> str:
        return "libraries built elsewhere" if self.compiler is None else self.compiler.name


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU of this machine; `memory` in bytes."""

    name: str
    memory: int
    multiprocessors: int


def builds(target: str) -> tuple[Build, ...]:
    """The ways to run a target of this kind here, best first; none where there is no compiler."""
    return _openmp_builds() if target == "openmp" else _openacc_builds()


@cache
def gnu_compiler() -> Compiler | None:
    """The first g++ on the path."""
    return next((found for found in map(compiler_named, GNU_NAMES) if found is not None), None)


@cache
def offloading_compiler() -> Compiler | None:
    """The first g++ on the path that has its compiler for NVIDIA's GPUs beside it."""
    found = (compiler for compiler in map(compiler_named, GNU_NAMES) if compiler is not None)
    return next((compiler for compiler in found if _offloads(compiler)), None)


@cache
def nvidia_compiler() -> Compiler | None:
    """NVIDIA's own nvc++, where it is on the path."""
    return compiler_named("nvc++")


def install_offloading() -> str:
    """The command that brings offloading to the g++ that is here."""
    compiler = gnu_compiler()
    version = "12" if compiler is None else compiler.name.split()[-1].split(".")[0]
    return f"apt-get install g++-{version} gcc-{version}-offload-nvptx"


def libraries_folder() -> Path | None:
    """The folder that STARPLAT_OPENACC_LIBRARIES names."""
    named = os.environ.get(LIBRARIES_VARIABLE)
    return Path(os.path.expanduser(named)).absolute() if named else None


@cache
def gpus() -> tuple[Gpu, ...]:
    """NVIDIA's GPUs, asked of their driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return ()
    return tuple(_gpu(driver, number) for number in range(count.value))


def _gpu(driver: ctypes.CDLL, number: int) -> Gpu:
    name = ctypes.create_string_buffer(256)
    memory, device, multiprocessors = ctypes.c_size_t(0), ctypes.c_int(0), ctypes.c_int(0)
    driver.cuDeviceGet(ctypes.byref(device), number)
    driver.cuDeviceGetName(name, len(name), device)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    driver.cuDeviceGetAttribute(ctypes.byref(multiprocessors), 16, device)  # MULTIPROCESSOR_COUNT
    return Gpu(name.value.decode(errors="replace"), memory.value, multiprocessors.value)


def _openmp_builds() -> tuple[Build, ...]:
    compiler = gnu_compiler()
    return () if compiler is None else (Build("openmp", Place.HOST, compiler, (*_GNU, "-fopenmp")),)


def _openacc_builds() -> tuple[Build, ...]:
    found = []
    if gpus() and (nvidia := nvidia_compiler()) is not None:
        found += [Build("openacc", Place.GPU, nvidia, _NVIDIA, number) for number in range(len(gpus()))]
    offloading = offloading_compiler()
    if libraries_folder() is not None or (gpus() and offloading is not None):
        flags = (*_GNU, *_OFFLOAD)
        found += [Build("openacc", Place.GPU, offloading, flags, number) for number in range(max(len(gpus()), 1))]
    if (compiler := gnu_compiler()) is not None:
        found.append(Build("openacc", Place.HOST, compiler, (*_GNU, "-fopenacc", "-foffload=disable")))
    if (compiler := nvidia_compiler()) is not None:
        found.append(Build("openacc", Place.HOST, compiler, (*_ALWAYS, "-acc=multicore")))
    return tuple(found)


@cache
def compiler_named(command: str) -> Compiler | None:
    """The compiler of that name, where it is on the path and answers."""
    path = shutil.which(command)
    said = None if path is None else answer(path, "--version")
    if path is None or said is None:
        return None
    version = answer(path, "-dumpfullversion") or said.strip().splitlines()[0]
    kind = "g++" if command in GNU_NAMES else command
    number = version.strip().splitlines()[-1].removeprefix(f"{kind} ").split(" ")
    shown = " ".join(number[:1]) if number[0][:1].isdigit() else " ".join(number)
    return Compiler(path, f"{kind} {shown}", f"{said}\n{answer(path, '-dumpmachine') or ''}")


def _offloads(compiler: Compiler) -> bool:
    found = answer(compiler.path, "-print-prog-name=accel/nvptx-none/mkoffload")
    return found is not None and os.path.isabs(found.strip()) and os.access(found.strip(), os.X_OK)
