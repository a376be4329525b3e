"""Builds C++ text into a shared library and opens it, or opens a cached one.

The text reaches the compiler as a file and never a shell. What was loaded stays loaded until the process ends.
"""

import ctypes
import errno
import hashlib
import os
import subprocess
from functools import partial
from pathlib import Path

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.toolchain import cache, description
from starplat.toolchain.compilers import (
    INSTALL_COMPILER,
    LIBRARIES_VARIABLE,
    Build,
    Compiler,
    Place,
    install_offloading,
    libraries_folder,
)

BUILD_SECONDS = 300


def open_library(build: Build, text: str, flags: tuple[str, ...] = ()) -> tuple[ctypes.CDLL, bool]:
    """The library made of `text`, and whether that was spared. Raises E0901, there is no compiler and no library was
    brought along; E0904, the compiler refuses the text; E0909, the library does not load."""
    image, cached = _image(build, text, (*build.flags, *flags))
    return _opened(image), cached


def _image(build: Build, text: str, flags: tuple[str, ...]) -> tuple[bytes, bool]:
    carried = _carried(build)
    carried_key = _key_of_carried(text, flags)
    if carried is not None and (found := carried.get(carried_key)) is not None:
        return found, True
    if build.compiler is None:
        place = libraries_folder()
        message = f"no compiler here builds OpenACC for the GPU, and {place} has no library of this program"
        elsewhere = f"run the program once where the compiler is, with {LIBRARIES_VARIABLE} set, and bring that folder"
        raise description.unavailable(message, f"{install_offloading()}; or {elsewhere}")
    image, cached = _built(build.compiler, build.target, text, flags)
    if carried is not None:
        carried.put(carried_key, image)
    return image, cached


def _carried(build: Build) -> cache.Cache | None:
    """The folder of libraries that machines hand to each other; its entries are known by text and flags alone."""
    folder = libraries_folder()
    return None if folder is None or build.place is not Place.GPU else cache.Cache(folder)


def _key_of_carried(text: str, flags: tuple[str, ...]) -> str:
    """Of what both machines have: not the compiler, and not how starplat is installed."""
    return hashlib.sha256("\n".join((*flags, text)).encode()).hexdigest()


def _built(compiler: Compiler, target: str, text: str, flags: tuple[str, ...]) -> tuple[bytes, bool]:
    key = cache.key_of(text, *flags, compiler.path, compiler.identity)
    compiled = partial(_compiled_in, compiler=compiler, text=text, flags=flags)
    return cache.open_cache(target).get_or_build(key, lambda: cache.where_there_is_room(compiled))


def _compiled_in(folder: Path, compiler: Compiler, text: str, flags: tuple[str, ...]) -> bytes:
    source, library = folder / "kernels.cpp", folder / "kernels.so"
    source.write_text(text, encoding="utf-8")
    command = [compiler.path, *flags, source.name, "-o", library.name]
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise description.refused_kernels(compiler.name, text, ".cpp", f"no end after {BUILD_SECONDS} s") from None
    except OSError as error:
        message = f"{compiler.path} cannot be started: {error.strerror or error}"
        raise description.unavailable(message, INSTALL_COMPILER) from error
    if done.returncode != 0 and os.strerror(errno.ENOSPC) in done.stderr:
        raise cache.no_room()
    if done.returncode != 0 or not library.is_file():
        raise description.refused_kernels(compiler.name, text, ".cpp", description.first_error(done.stderr))
    return library.read_bytes()


def _opened(image: bytes) -> ctypes.CDLL:
    """Loads a library from a file that is deleted once it is loaded, so that nothing can change it."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin between kernels slow down the others

    def opened_in(folder: Path) -> ctypes.CDLL:
        path = folder / "kernels.so"
        path.write_bytes(image)
        return ctypes.CDLL(str(path))

    try:
        return cache.where_there_is_room(opened_in)
    except OSError as error:
        message = f"a library of kernels does not load: {error}"
        help = f"install the compiler's runtime library (apt-get install libgomp1), or unset {LIBRARIES_VARIABLE}"
        raise DiagnosticError(Diagnostic("E0909", message, help=help), exit_code=ExitCode.NO_DEVICE) from error
