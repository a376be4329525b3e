"""Emitted programs for CUDA in parts, built for the host: `host_cuda/programs` has CUDA's runtime and NCCL for them.

What is built is the program's text but for its launches, `kernel<<<blocks, threads>>>(…)`, which run on fibers.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from shutil import which

from tests.backends.emulated import HEADER, require_compiler
from tests.kept import kept

FOLDER = HEADER.parent / "programs"
OPTIONS = ("-std=c++17", "-O0", "-fwrapv", "-ffp-contract=off", "-w", "-pthread")
_LAUNCH = re.compile(r"^(\s*)([\w:]+)<<<(.*)>>>\(", re.MULTILINE)


def on_host(text: str) -> str:
    """The text with launches that a compiler for the host understands."""
    while launch := _LAUNCH.search(text):
        indent, kernel, sizes = launch.groups()
        end = text.index(");\n", launch.end())
        call = f"{indent}on_host::launched({sizes}, [&] {{ {kernel}({text[launch.end() : end]}); }});\n"
        text = text[: launch.start()] + call + text[end + 3 :]
    return text


def built_for_host(files: Mapping[str, str], folder: Path, *, mpi: bool) -> Path:
    """The program of a single file, in that folder."""
    require_compiler()
    ((name, text),) = files.items()
    source, program = folder / f"{name}.cpp", folder / Path(name).stem
    source.write_text(on_host(text), encoding="utf-8")
    compiler = (_path_of("mpicxx"), "-DON_MPI") if mpi else ("g++",)
    command = [*compiler, *OPTIONS, f"-I{FOLDER}", f"-I{HEADER.parent}", str(source), "-o", str(program)]
    headers = (path.read_bytes() for path in (HEADER, *sorted(FOLDER.iterdir())))
    image = kept(lambda: _made(command, program), "emulated program", *compiler, *OPTIONS, source.read_text(), *headers)
    program.write_bytes(image)
    program.chmod(0o755)
    return program


def _path_of(wrapper: str) -> str:
    """Where MPI's compiler lies: programs that it links look for MPI's library beside it."""
    path = which(wrapper)
    assert path is not None, f"{wrapper} is missing"
    return path


def _made(command: list[str], program: Path) -> bytes:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return program.read_bytes()


def with_gpus(number: int, failure: str | None = None) -> dict[str, str]:
    """The environment in which there are so many GPUs; a `failure` is the rank and the number of the call of NCCL."""
    return {**os.environ, "EMULATED_GPUS": str(number), **({} if failure is None else {"EMULATED_FAILURE": failure})}
