"""Opens dpctl with every device of the machine, and builds our shim over SYCL's C++ interface for what dpctl lacks.

dpctl brings Intel's SYCL runtime, whose headers and libraries hold a whole SYCL compiler that works at run time. The
shim is the way to it from Python; it is built once for every version of the runtime and kept in the cache.
"""

import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import Any

from starplat.diagnostics import DiagnosticError
from starplat.resources import template_folder
from starplat.toolchain.cache import key_of, no_room, private_folder, where_there_is_room, write_atomically
from starplat.toolchain.compilers import INSTALL_COMPILER, Compiler, gnu_compiler
from starplat.toolchain.description import DeviceDescription, first_error, imported, missing, unavailable
from starplat.toolchain.sycl_shim import Shim
from starplat.toolchain.sycl_source import source_report
from starplat.toolchain.vendors import show_runtimes

INSTALL = "pip install 'starplat[sycl]'"
_WORKING_COMPILER = "install a g++ that compiles C++17: " + INSTALL_COMPILER
_QUIET = "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING"


@dataclass(frozen=True, slots=True)
class Runtime:
    """Intel's SYCL runtime as pip installed it."""

    version: str
    include: Path
    library: Path

    def compiler_flags(self) -> tuple[str, ...]:
        """What g++ needs to see the headers."""
        return ("-std=c++17", _QUIET, f"-I{self.include}")

    def linker_flags(self) -> tuple[str, ...]:
        """What g++ needs to link with the library."""
        return (f"-L{self.library}", f"-Wl,-rpath,{self.library}", "-lsycl")


@cache
def sycl() -> ModuleType:
    """dpctl, with every OpenCL runtime of the machine in sight. Raises E0901: dpctl is not installed or does not
    load."""
    if "dpctl" not in sys.modules:
        show_runtimes()
        _keep_device_code()
    return imported("sycl", "dpctl", "dpctl.memory", "dpctl.program")


@cache
def runtime() -> Runtime:
    """The runtime's headers and library. Raises E0901: they are not where pip puts them."""
    try:
        found = distribution("intel-sycl-rt")
    except PackageNotFoundError:
        raise unavailable(
            "target sycl needs the Python package intel-sycl-rt, which is not installed", INSTALL
        ) from None
    wanted = [file for file in found.files or () if file.name in ("sycl.hpp", "libsycl.so")]
    places = {str(file.name): Path(str(file.locate())).resolve() for file in wanted}
    header, library = places.get("sycl.hpp"), places.get("libsycl.so")
    if header is None or library is None or not header.exists() or not library.exists():
        message = f"intel-sycl-rt {found.version} has no headers or no library to build with"
        raise unavailable(message, "pip install --force-reinstall 'intel-sycl-rt>=2026,<2027'")
    return Runtime(found.version, header.parent.parent, library.parent)


@cache
def sycl_devices() -> tuple[Any, ...]:
    """dpctl's devices that kernels can be built for, best first: GPUs and accelerators, then CPUs. Raises E0901:
    something that the target needs is missing."""
    return tuple(device for device, fault in _tried() if fault is None)


def sycl_report() -> tuple[DeviceDescription, ...]:
    """Every device, those that a compiler of whole programs reaches first; what is missing stands last."""
    built = source_report()
    ready = [row for row in built if row.usable]
    idle = [row for row in built if not row.usable]
    try:
        tried = _tried()
    except DiagnosticError as error:
        diagnostic = error.diagnostics[0]
        return (*ready, *idle, missing("sycl", diagnostic.message, diagnostic.help))
    good = [_described(device, index, "ready", None) for index, device in enumerate(sycl_devices(), len(ready))]
    bad = [_described(device, None, fault, None if good else INSTALL) for device, fault in tried if fault]
    if not good and not bad:
        bad = [missing("sycl", "the SYCL runtime finds no device", INSTALL)]
    return (*ready, *good, *idle, *bad)


@cache
def _tried() -> tuple[tuple[Any, str | None], ...]:
    """Every device, and why no kernels can be built for it."""
    found = sorted(sycl().get_devices(), key=lambda device: bool(device.is_cpu))
    return tuple((device, _fault(device)) for device in found)


def _fault(device: Any) -> str | None:
    """Why no kernels can be built and run for the device, None if they can."""
    if not device.has_aspect_usm_device_allocations:
        return "its driver has no unified shared memory"
    return None if shim().can_build(device) else "its driver takes no kernels that are built from SYCL source"


def _described(device: Any, index: int | None, status: str, mend: str | None) -> DeviceDescription:
    driver = f"{device.sycl_platform.name.strip()} {device.driver_version}"
    units, memory = device.max_compute_units, device.global_mem_size
    name, is_gpu = device.name.strip(), not device.is_cpu
    return DeviceDescription("sycl", index, name, driver, units, memory, status, mend, is_gpu=is_gpu)


def device_identity(device: Any) -> str:
    """All that decides what a binary for the device looks like: device, driver, runtime."""
    return "\n".join((device.name, device.vendor, device.driver_version, str(device.backend), runtime().version))


@cache
def shim() -> Shim:
    """The shim, built if this is the first time. Raises E0901: something is missing, or it cannot be built."""
    dpctl = sycl()  # first, for its libraries are those that the shim must get
    if (compiler := gnu_compiler()) is None:
        raise unavailable("target sycl needs a C++ compiler, and none is on the path", INSTALL_COMPILER)
    source = template_folder("sycl") / "shim.cpp"
    key = key_of(source.read_bytes(), runtime().version, str(runtime().library), compiler.identity)
    folder = private_folder()
    kept = None if folder is None else folder / "sycl-shim" / f"{key[:32]}.so"
    if kept is None or not (kept.exists() or _build_into(kept, compiler, source)):
        return where_there_is_room(lambda unkept: _opened(_built(compiler, source, unkept / "shim.so"), dpctl))
    try:
        return Shim(kept, dpctl)
    except OSError:  # damaged: once more
        _build_into(kept, compiler, source)
        return _opened(kept, dpctl)


def _build_into(kept: Path, compiler: Compiler, source: Path) -> bool:
    """Keeps what is built, and whether there was room for it."""
    image = where_there_is_room(lambda folder: _built(compiler, source, folder / "shim.so").read_bytes())
    try:
        write_atomically(kept, image)
    except OSError:
        return False
    return True


def _opened(library: Path, dpctl: ModuleType) -> Shim:
    try:
        return Shim(library, dpctl)
    except OSError as error:
        raise unavailable(f"what target sycl has built for itself does not load: {error}", INSTALL) from None


def _built(compiler: Compiler, source: Path, target: Path) -> Path:
    flags = (*runtime().compiler_flags(), "-O2", "-shared", "-fPIC")
    command = [compiler.path, *flags, str(source), "-o", str(target), *runtime().linker_flags()]
    environment = {**os.environ, "TMPDIR": str(target.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0 and os.strerror(errno.ENOSPC) in done.stderr:
        raise no_room()
    if done.returncode != 0:
        reason = first_error(done.stderr)
        message = (
            f"{compiler.name} cannot build what target sycl needs with intel-sycl-rt {runtime().version}: {reason}"
        )
        raise unavailable(message, _WORKING_COMPILER)
    return target


def _keep_device_code() -> None:
    """Lets the runtime keep what drivers make of kernels, in our folder, unless the user has a wish of their own."""
    folder = private_folder()
    if folder is not None and "SYCL_CACHE_PERSISTENT" not in os.environ and "SYCL_CACHE_DIR" not in os.environ:
        os.environ["SYCL_CACHE_PERSISTENT"] = "1"
        os.environ["SYCL_CACHE_DIR"] = str(folder / "sycl-drivers")
