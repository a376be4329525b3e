"""Emitted programs, built by the command in their first comment and run on a graph file, print what `run` computes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators, read, write
from starplat.toolchain.devices import report
from tests.backends.built import built
from tests.programs.cases import CASES, Case
from tests.programs.targets import compiled

LINE = re.compile(r"^(\w+): count (\S+), finite (\S+), sum (\S+), min (\S+), max (\S+)$", re.MULTILINE)

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)


def require(target: str) -> None:
    """Skips where the target has no device."""
    if not any(device.usable for device in report(target)):
        pytest.skip(f"{target} has no device here")


def flags(call: dict[str, Any]) -> list[str]:
    def text(value: Any) -> str:
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    return [word for name, value in call.items() for word in (f"--{name}", text(value))]


@pytest.mark.spread
@pytest.mark.thin(plain=10, campaign=2)
@pytest.mark.parametrize("target", BACKENDS)
@every_case
def test_an_emitted_program_prints_what_run_computes(
    case: Case, target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    emitted_agrees(case, target, tmp_path, optimized=request.node.get_closest_marker("campaign") is not None)


@pytest.mark.campaign
@pytest.mark.spread
@pytest.mark.parametrize("target", ["opencl", "sycl", "openacc"])
@pytest.mark.parametrize("program", ["pagerank", "sssp"])
def test_an_emitted_program_asks_for_rounds_ahead(program: str, target: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.program == program)
    emitted_agrees(case, target, tmp_path, "loop=batch", optimized=False)


@pytest.mark.campaign
@pytest.mark.spread
@pytest.mark.parametrize("target", ["opencl", "sycl"])
@pytest.mark.parametrize("program", ["bfs_levels", "sssp"])
def test_an_emitted_program_maps_memory_of_the_host(program: str, target: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.program == program)
    emitted_agrees(case, target, tmp_path, "memory=mapped", optimized=False)


@pytest.mark.campaign
@pytest.mark.spread
@pytest.mark.parametrize("target", ["opencl", "openmp", "sycl", "openacc"])
def test_an_emitted_program_sorts_rows(target: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.program == "bfs_levels")
    emitted_agrees(case, target, tmp_path, "order=rows", optimized=False)


@pytest.mark.campaign
@pytest.mark.spread
@pytest.mark.parametrize("target", ["opencl", "sycl"])
@pytest.mark.parametrize("program", ["pagerank", "sssp", "triangle_count"])
def test_an_emitted_program_for_cpus_does_so_too(program: str, target: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.program == program)
    emitted_agrees(case, target, tmp_path, processor="cpu", optimized=False)
    host = next(path.read_text() for path in tmp_path.glob("*.cpp") if "int main" in path.read_text())
    assert "device.launch_apart(" in host


@pytest.mark.campaign
def test_an_emitted_program_asks_how_much_local_memory_there_is(tmp_path: Path) -> None:
    require("opencl")
    case = next(case for case in CASES if case.program == "pagerank")
    files = compiled(case.path).artifact("opencl", schedule="balance=edge")
    little = {name: text.replace("CL_DEVICE_LOCAL_MEM_SIZE", "CL_DEVICE_ADDRESS_BITS") for name, text in files.items()}
    path = tmp_path / "graph.gr"
    write(case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)), path)
    call = flags(case.calls(read(path))[0])
    program = built(little, tmp_path, optimized=False)
    done = subprocess.run([program, path, *call], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "no OpenCL device" in done.stderr:
        pytest.skip("the system's OpenCL loader finds no device")
    assert done.returncode == 1
    assert "bytes of local memory, and this device has 64: compile with --schedule balance=node" in done.stderr


def emitted_agrees(
    case: Case, target: str, tmp_path: Path, schedule: str = "auto", processor: str | None = None, *, optimized: bool
) -> None:
    require(target)
    path = tmp_path / "graph.gr"
    write(case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)), path)
    graph = read(path)
    call = case.calls(graph)[0]
    try:
        files = compiled(case.path).artifact(target, schedule=schedule, processor=processor)
    except DiagnosticError as error:
        if (target, error.diagnostics[0].code) != ("webgpu", "E0604"):
            raise
        pytest.skip(f"refused: {error.diagnostics[0].message}")
    program = built(files, tmp_path, optimized=optimized)
    done = subprocess.run([program, path, *flags(call)], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "no OpenCL device" in done.stderr:
        pytest.skip("the system's OpenCL loader finds no device")
    assert done.returncode == 0, done.stderr
    compare(done.stdout, case, graph, call)


def compare(output: str, case: Case, graph: Graph, call: dict[str, Any]) -> None:
    result = compiled(case.path).run(graph, target="reference", arguments=call)
    printed = {match[1]: match.groups()[1:] for match in LINE.finditer(output)}
    assert set(printed) == set(result.properties)
    for name, (count, finite, total, least, greatest) in printed.items():
        summary = result.summary(name)
        assert (int(count), int(finite)) == (summary.count, summary.finite)
        for shown, known in ((total, summary.sum), (least, summary.min), (greatest, summary.max)):
            if known is not None:
                assert float(shown) == pytest.approx(float(known), rel=1e-5)
    if result.returned is not None:
        returned = re.search(r"^returned (\S+)$", output, re.MULTILINE)
        assert returned is not None
        assert float(returned[1]) == pytest.approx(float(result.returned), rel=1e-6)
