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

from starplat.toolchain.compilers import compiler_named
from tests.backends.built import with_headers_apart
from tests.backends.emulated import HEADER, MACHINE, machine, require_compiler
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
    """The program, in that folder."""
    require_compiler()
    (source,) = (name for name in files if name.endswith(".cu"))
    texts: Mapping[str, str] = {name.replace(".cu", ".cpp"): on_host(text) for name, text in files.items()}
    compiler = (_path_of("mpicxx"), "-DON_MPI") if mpi else ("g++",)
    program = folder / Path(source).stem
    command = [*compiler, *OPTIONS, f"-I{FOLDER}", f"-I{HEADER.parent}", f"{program.name}.cpp", str(machine())]
    around = known_by(compiler[0])
    texts, command = with_headers_apart(texts, [*command, "-o", program.name], around)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    image = kept(lambda: _made(command, program), "emulated program", around, *command, *texts.values())
    program.write_bytes(image)
    program.chmod(0o755)
    return program


def known_by(command: str) -> str:
    """What decides, besides a program's text, what a compiler makes of it: it refuses headers that another version has
    compiled."""
    compiler = compiler_named(command)
    texts = (path.read_text(encoding="utf-8") for path in (HEADER, MACHINE, *sorted(FOLDER.iterdir())))
    return "".join(("" if compiler is None else compiler.identity, *texts))


def _path_of(wrapper: str) -> str:
    """Where MPI's compiler lies: programs that it links look for MPI's library beside it."""
    path = which(wrapper)
    assert path is not None, f"{wrapper} is missing"
    return path


def _made(command: list[str], program: Path) -> bytes:
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return program.read_bytes()


def with_gpus(number: int, failure: str | None = None) -> dict[str, str]:
    """The environment in which there are so many GPUs; a `failure` is the rank and the number of the call of NCCL."""
    return {**os.environ, "EMULATED_GPUS": str(number), **({} if failure is None else {"EMULATED_FAILURE": failure})}
