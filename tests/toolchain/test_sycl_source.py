"""Compilers of whole SYCL programs: used where they work, passed over with the reason where not, never needed.

None is here, so g++ stands in: with a header that is as much of SYCL as emitted code asks for, on one thread.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import starplat
from starplat.backends.sycl import CAPABILITIES, single_source_text
from starplat.diagnostics import DiagnosticError
from starplat.schedule import AUTO
from starplat.schedule.apply import scheduled
from starplat.toolchain.cache import FOLDER_VARIABLE
from starplat.toolchain.sycl import runtime
from tests.programs.cases import CASES, Case

ROOT = Path(__file__).parents[2]
HEADERS = Path(__file__).parent / "host_sycl"
STAND_IN = f"""#!{sys.executable}
import subprocess, sys
if sys.argv[1:] == ["--version"]:
    print("NAME 2026.1.0 (stand-in)")
elif len(sys.argv) > 2:
    flags = [flag for flag in sys.argv[1:] if flag not in ("-fsycl", "-fp-model=precise")]
    sys.exit(subprocess.run(["g++", "-I{HEADERS}", *MORE, *flags]).returncode)
else:
    sys.exit(1)
"""
REFUSING = """#!/bin/sh
[ "$1" = --version ] && echo "NAME 2026.1.0 (stand-in)" && exit
echo "memory.cpp:1:1: error: this compiler compiles nothing" >&2
exit 1
"""
RUN = """
import starplat
from starplat.graph import generators
from tests.programs.cases import CASES
case = next(case for case in CASES if case.program == "sssp")
graph = case.suits(generators.rmat(4, 3, 1).with_random_weights(1, 9, 1))
result = starplat.compile(case.path).run(graph, target="sycl", arguments=case.calls(graph)[0], validate=True)
print(result.device, result.validated)
"""
SHARED = """
import starplat
from starplat.graph import generators
from tests.backends.test_groups import TEXTS, ugly
from tests.programs.cases import EXAMPLES
graph = ugly(1500, {5: 1400, 6: 1024, 7: 1025, 300: 255, 301: 256, 302: 257})
programs = {**TEXTS, "sssp": EXAMPLES / "sssp.sp"}
given = {"sssp": {"src": 3}}
for name, text in programs.items():
    call = given.get(name, {"a": [i % 11 for i in range(graph.num_nodes)]})
    program = starplat.compile(text)
    result = program.run(graph, target="sycl", arguments=call, schedule="balance=edge,loop=host", validate=True)
    print(name, result.device, result.validated)
"""
EVERY_EXAMPLE = """
import starplat
from starplat.graph import generators
from tests.programs.cases import CASES
for case in CASES:
    graph = case.suits(generators.rmat(4, 3, 1).with_random_weights(1, 9, 1))
    for call in case.calls(graph)[:1]:
        result = starplat.compile(case.path).run(graph, target="sycl", arguments=call, validate=True)
        print(case.program, result.device, result.validated)
"""
DEVICES = """
from starplat.toolchain.devices import report
for row in report("sycl"):
    print(row.index, row.name, row.driver, row.status, row.is_gpu, sep="|")
"""


def stand_in(folder: Path, name: str, text: str, more: tuple[str, ...] = ()) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text.replace("NAME", name).replace("*MORE", ", ".join(map(repr, more)) or "*()"))
    path.chmod(0o755)
    return path


def said(program: str, tmp_path: Path, *, path: str | None = None) -> str:
    """What a program prints in a process of its own, with the compilers of `tmp_path / "bin"` on the path."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    environment = {**os.environ, FOLDER_VARIABLE: str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    environment["PATH"] = path or f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("name", ["icpx", "acpp"])
def test_programs_run_through_the_compiler_that_is_found(name: str, tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", name, STAND_IN)
    assert said(RUN, tmp_path) == f"stand-in (SYCL, {name} 2026.1.0) True\n"


@pytest.mark.campaign
def test_its_groups_share_arcs(tmp_path: Path) -> None:
    """Whose memory the launchers give to kernels, as SYCL 2020 has it."""
    stand_in(tmp_path / "bin", "acpp", STAND_IN)
    lines = said(SHARED, tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == ["gathers", "pushes", "asks", "sssp"]
    assert all(line.endswith("stand-in (SYCL, acpp 2026.1.0) True") for line in lines), lines


@pytest.mark.nightly
def test_every_example_runs_through_it(tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", "acpp", STAND_IN)
    lines = said(EVERY_EXAMPLE, tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == [case.program for case in CASES]
    assert all(line.endswith("stand-in (SYCL, acpp 2026.1.0) True") for line in lines), lines


@pytest.mark.campaign
def test_its_devices_come_first_and_dpctl_s_stay(tmp_path: Path) -> None:
    before = [line for line in said(DEVICES, tmp_path).splitlines() if not line.startswith("None")]
    stand_in(tmp_path / "bin", "icpx", STAND_IN)
    first, *others = (line for line in said(DEVICES, tmp_path).splitlines() if not line.startswith("None"))
    assert first == "0|stand-in|one thread stand-in, icpx 2026.1.0|ready|False"
    assert [line.partition("|")[2] for line in others] == [line.partition("|")[2] for line in before]
    assert [line.partition("|")[0] for line in others] == [str(number + 1) for number in range(len(before))]


def test_a_compiler_that_compiles_nothing_is_passed_over_with_its_reason(tmp_path: Path) -> None:
    before = [line for line in said(DEVICES, tmp_path).splitlines() if not line.startswith("None")]
    stand_in(tmp_path / "bin", "icpx", REFUSING)
    rows = said(DEVICES, tmp_path).splitlines()
    assert [line for line in rows if not line.startswith("None")] == before
    (refused,) = (line for line in rows if "icpx" in line)
    assert "icpx 2026.1.0 is no help: " in refused
    assert "this compiler compiles nothing" in refused


@pytest.mark.campaign
def test_the_next_compiler_is_tried(tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", "icpx", REFUSING)
    stand_in(tmp_path / "bin", "acpp", STAND_IN)
    assert "acpp 2026.1.0" in said(RUN, tmp_path)


@pytest.mark.campaign
def test_an_aspect_that_its_device_lacks_is_named(tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", "icpx", STAND_IN, ("-DLACKING=fp64",))
    program = """
import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators
try:
    text = "function f(Graph g, propNode<double> x) { forall (v in g.nodes()) { v.x = v.x * 0.5; } }"
    starplat.compile(text).run(generators.rmat(2, 1, 1), target="sycl")
except DiagnosticError as error:
    print(error.diagnostics[0].code, error.diagnostics[0].message)
"""
    expected = "E0608 stand-in (SYCL, icpx 2026.1.0) lacks fp64, which this program needs\n"
    assert said(program, tmp_path) == expected


@pytest.mark.thin(plain=20, campaign=5)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_its_text_compiles_with_the_headers_of_oneapi(case: Case, tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    try:
        *flags, include = runtime().compiler_flags()
    except DiagnosticError as error:
        pytest.skip(str(error))
    module = scheduled(starplat.compile(case.path).module(), AUTO, CAPABILITIES)
    (tmp_path / "kernels.cpp").write_text(single_source_text(module))
    shutil.copy(ROOT / "templates" / "sycl" / "memory.cpp", tmp_path)
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-parameter", "-fsyntax-only"]
    warnings += ["-isystem", include.removeprefix("-I")]
    files = ["kernels.cpp", "memory.cpp"] if case is CASES[0] else ["kernels.cpp"]
    command = ["g++", *flags, *warnings, *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
