"""Makes the OpenCL runtimes of this machine visible to pyopencl and SYCL's runtime.

The OpenCL loader finds runtimes through `.icd` files, each with the path of a library. pip puts Intel's runtime where
no loader looks and with a path from the machine it was packed on, and containers often lack NVIDIA's file; so we make a
folder of `.icd` files with true paths and name it in OCL_ICD_VENDORS. A variable that is set already is left alone.
"""

import ctypes
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from starplat.toolchain.cache import key_of, private_folder

VENDORS_VARIABLE = "OCL_ICD_VENDORS"
SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
INTEL_LIBRARIES = "pip install intel-cmplr-lib-rt"

_NVIDIA_LIBRARY = "libnvidia-opencl.so.1"
_USUAL_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/wsl/lib",
)


@dataclass(frozen=True, slots=True)
class Runtime:
    """An OpenCL library of this machine; `fault` says why it cannot be loaded, `mend` which command helps."""

    name: str
    library: str
    fault: str | None = None
    mend: str | None = None


_ROOM_OF_POCL = 8 * 2**20


@cache
def runtimes() -> tuple[Runtime, ...]:
    """The runtimes that we show to the loader, and those that are here but cannot be loaded."""
    found = [*_intel(), *_system(), *_nvidia()]
    return tuple({runtime.library: runtime for runtime in found}.values())


def show_runtimes() -> None:
    """Sets the variables that loaders read; it must come before the first of them is loaded."""
    if (folder := private_folder()) is not None and "POCL_CACHE_DIR" not in os.environ:
        os.environ["POCL_CACHE_DIR"] = str(_pocl_folder(folder))
    if os.environ.get(VENDORS_VARIABLE):
        return
    libraries = [runtime.library for runtime in runtimes() if runtime.fault is None]
    if libraries:
        os.environ[VENDORS_VARIABLE] = f"{_vendor_folder(libraries)}{os.sep}"


def _pocl_folder(parent: Path) -> Path:
    """Where pocl keeps what it builds, which it cannot do without."""
    if shutil.disk_usage(parent).free >= _ROOM_OF_POCL:
        folder = parent / "pocl"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder
    return _unkept_folder("starplat-pocl-")


def _unkept_folder(prefix: str) -> Path:
    """A folder that goes with the process."""
    import atexit

    folder = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _vendor_folder(libraries: list[str]) -> Path:
    """A folder with one `.icd` file for each library; its name tells its contents, so it is never changed."""
    parent = private_folder()
    with suppress(OSError):  # the disk is full
        if parent is not None:
            return _kept_vendor_folder(parent, libraries)
    folder = _unkept_folder("starplat-icd-")
    _write_vendors(folder, libraries)
    return folder


def _kept_vendor_folder(parent: Path, libraries: list[str]) -> Path:
    folder = parent / f"icd-{key_of(*libraries)[:16]}"
    if not folder.is_dir():
        unfinished = Path(tempfile.mkdtemp(prefix=".icd-", dir=parent))
        try:
            _write_vendors(unfinished, libraries)
        except OSError:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        try:
            unfinished.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _write_vendors(folder: Path, libraries: list[str]) -> None:
    for number, library in enumerate(libraries):
        (folder / f"{number:02}.icd").write_text(library + "\n", encoding="utf-8")


def _intel() -> list[Runtime]:
    """Intel's CPU runtime from pip; its wheel forgets to ask for the compiler's libraries."""
    try:
        files = distribution("intel-opencl-rt").files or []
    except PackageNotFoundError:
        return []
    found = [Path(str(file.locate())).resolve() for file in files if file.name == "libintelocl.so"]
    return [_loaded("Intel", library, INTEL_LIBRARIES) for library in found if library.exists()]


def _loaded(name: str, library: Path, mend: str) -> Runtime:
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        return Runtime(name, str(library), str(error), mend)
    return Runtime(name, str(library))


def _system() -> list[Runtime]:
    """What the system's own `.icd` files name, except libraries that are gone."""
    folder = Path(os.environ.get("OPENCL_VENDOR_PATH") or SYSTEM_FOLDER)
    found = []
    for file in sorted(folder.glob("*.icd")):
        try:
            library = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if library and (not os.path.isabs(library) or os.path.exists(library)):
            found.append(Runtime(file.stem, library))
    return found


def _nvidia() -> list[Runtime]:
    if any("nvidia" in runtime.library for runtime in _system()):
        return []
    paths = [Path(folder) / _NVIDIA_LIBRARY for folder in _USUAL_FOLDERS]
    return [Runtime("NVIDIA", str(path)) for path in paths if path.exists()][:1]
