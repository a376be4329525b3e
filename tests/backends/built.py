"""Emitted programs and libraries, built once for all tests of a run and for the next (tests/kept.py).

The command is that of a program's first comment. What is built only to be run on a few nodes is built without
optimization, and its headers, which are those of all programs for the target, apart: in a third of the time.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from starplat.toolchain.compilers import compiler_named
from tests.kept import kept, kept_file

OPENCL = ("-lOpenCL", "CL/cl.h")
WGPU = "-lwgpu_native"


def with_wgpu(words: list[str], folder: Path) -> list[str]:
    """The words, with header and library of the Python package wgpu for those of a system."""
    package = find_spec("wgpu")
    if package is None or package.origin is None:
        pytest.skip("what programs for WebGPU are built with is not installed: pip install 'starplat[webgpu]'")
    resources = Path(package.origin).parent / "resources"
    (folder / "include" / "webgpu").mkdir(parents=True, exist_ok=True)
    (folder / "include" / "webgpu" / "webgpu.h").write_bytes((resources / "webgpu.h").read_bytes())
    library = ["-l:libwgpu_native-release.so" if word == WGPU else word for word in words]
    return [*library, "-isystem", "include", f"-L{resources}", f"-Wl,-rpath,{resources}"]


def build_command(files: Mapping[str, str], *more: str, optimized: bool) -> list[str]:
    """The words of the command in the first comment, with `more` at their end. Where they are not those of the
    comment to the letter, headers from elsewhere are allowed their warnings."""
    command = re.search(r"build: (.*)", "\n".join(files.values()))
    assert command is not None
    words = [word.replace("$SYCL", sys.prefix) for word in shlex.split(command[1])]
    if not optimized:
        words = ["-O0" if word == "-O2" else re.sub("^-I", "-isystem", word) for word in words]
    return [*words, *more]


def built(files: Mapping[str, str], folder: Path, *more: str, optimized: bool = False) -> Path:
    """What the command makes of a program in that folder, without a warning; skips where what it takes is missing."""
    words = build_command(files, *more, optimized=optimized)
    compiler = compiler_named(words[0])
    if compiler is None:
        pytest.skip(f"{words[0]} is not installed")
    if not optimized and words[0] in ("g++", "mpicxx") and not {WGPU, "-fopenacc"} & {*words}:
        texts, words = with_headers_apart(files, words, compiler.identity)
    else:
        texts = files
    _write(texts, folder)
    if WGPU in words:
        words = with_wgpu(words, folder)
    output = folder / words[words.index("-o") + 1]
    parts = (part for item in sorted(texts.items()) for part in item)
    image = kept(lambda: _made(words, folder, output), "program", compiler.path, compiler.identity, *words, *parts)
    output.write_bytes(image)
    output.chmod(0o755)
    _write(files, folder)  # as they were emitted
    return output


def _write(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


_OUTSIDE_CLASSES = re.compile(r"(?<!>\n)^inline (?!constexpr)(?=[^=;{]*\()", re.MULTILINE)
"""Functions of headers, templates left out."""


def with_headers_apart(
    files: Mapping[str, str], words: list[str], identity: str
) -> tuple[Mapping[str, str], list[str]]:
    """Files and command where headers come compiled, and their functions as an object to be linked: where these have
    the attribute `gnu_inline`, g++ only calls them."""
    source = next(word for word in words if word.endswith(".cpp"))
    included = "".join(re.findall(r"^#include \"\w+\.hpp\"\n", files[source], re.MULTILINE))
    headers = {name: text for name, text in files.items() if name.endswith(".hpp")} | {"headers.cpp": included}
    called, made = (
        {name: _OUTSIDE_CLASSES.sub(f"inline __attribute__(({mark})) ", text) for name, text in headers.items()}
        for mark in ("gnu_inline", "used")
    )
    flags = [word for word in words[1:] if re.match("-(std|f|O|D|I|w|W(?!l)|isystem|pthread)", word)]

    def compiled(name: str, texts: Mapping[str, str], *how: str) -> Path | None:
        def image() -> bytes:
            with tempfile.TemporaryDirectory(prefix="headers-") as place:
                _write(texts, Path(place))
                return _made([words[0], *flags, *how, "-c", "headers.cpp", "-o", name], Path(place), Path(place) / name)

        return kept_file(name, image, words[0], identity, *flags, *how, *texts, *texts.values())

    if not included:
        return files, words
    header = compiled("headers.hpp.gch", called, "-x", "c++-header")
    functions = compiled("headers.o", made)
    if header is None or functions is None:
        return files, words
    apart = [*words, "-include", str(header.with_suffix("")), str(functions)]
    return {**files, **{name: called[name] for name in files if name in called}}, apart


def _made(words: list[str], folder: Path, output: Path) -> bytes:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and any(library in done.stderr for library in OPENCL):
        pytest.skip("what programs for OpenCL are built with is not installed (opencl-headers, ocl-icd-opencl-dev)")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "-fopenacc" in words or not done.stderr, done.stderr  # the linker has a word about what is offloaded
    return output.read_bytes()
