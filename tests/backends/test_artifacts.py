"""Emitted programs are complete: they build with one command, read a graph file and print the answer."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from starplat.backends.opencl import OpenCL, kernels_text
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType
from starplat.ir.nodes import (
    Argument,
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Contribute,
    CopyArray,
    DeclareVariable,
    Direction,
    Element,
    Extent,
    HostBreak,
    HostCall,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostIf,
    HostOp,
    HostReturn,
    HostWhile,
    Launch,
    Module,
    Origin,
    Parameter,
    ReadCell,
    Reduction,
    Ref,
    SetVariable,
    Variable,
    WriteCell,
)
from tests.backends.devices import require_devices
from tests.backends.modules import V, load, module_of, node_array, number, over_nodes, sssp, variable

GRAPH = "1 2 3\n2 3 4\n1 3 10\n3 4 1\n5 1 2\n"


def require_headers() -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    probe = subprocess.run(
        ["g++", "-E", "-x", "c++", "-"], input="#include <CL/cl.h>\n", capture_output=True, text=True, check=False
    )
    if probe.returncode:
        pytest.skip("OpenCL's headers are not installed (opencl-headers)")


def write(module: Module, folder: Path, stem: str) -> None:
    for name, text in OpenCL().artifact(module, stem).items():
        (folder / name).write_text(text)


def compiled(module: Module, folder: Path, stem: str) -> None:
    require_headers()
    write(module, folder, stem)
    command = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-fsyntax-only",
        f"{stem}.cpp",
    ]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_the_kernel_file_is_what_runs(tmp_path: Path) -> None:
    files = OpenCL().artifact(sssp(), "paths")
    assert {name for name in files if not name.startswith("starplat_")} == {"paths.cl", "paths.cpp"}
    assert files["paths.cl"] == kernels_text(sssp())


def test_shortest_paths_compile_without_warnings(tmp_path: Path) -> None:
    compiled(sssp(), tmp_path, "paths")


def test_shortest_paths_host_reads_well() -> None:
    text = OpenCL().artifact(sssp(), "paths")["paths.cpp"]
    assert (
        """\
    while (!finished) {
        finished = true;
        modified_next.fill(false);
        device.launch(
            "sssp_relax", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns, modified,
            dist, weight, modified_next
        );
        std::swap(modified, modified_next);
        finished_result.set(true);
        device.launch("sssp_finished", graph.num_nodes, graph.num_nodes, modified, finished_result);
        finished = finished && finished_result.read();
    }
"""
        in text
    )


def test_the_first_comment_builds_a_program_that_runs(tmp_path: Path) -> None:
    require_devices()
    require_headers()
    write(sssp(), tmp_path, "paths")
    (tmp_path / "graph.txt").write_text(GRAPH)
    command = re.search(r"build: (.*)", (tmp_path / "paths.cpp").read_text())
    assert command is not None
    built = subprocess.run(command[1].split(), cwd=tmp_path, capture_output=True, text=True, check=False)
    if "cannot find -lOpenCL" in built.stderr:
        pytest.skip("OpenCL's loader is not installed for linking (ocl-icd-opencl-dev)")
    assert built.returncode == 0, built.stderr
    answer = started(tmp_path, "--src", "1")
    if "no OpenCL device" in answer.stderr:
        pytest.skip("the system's OpenCL loader finds no device")
    assert "dist: count 5, finite 4, sum 18, min 0, max 8" in answer.stdout, answer.stderr
    wrong = started(tmp_path, "--src", "9")
    assert (wrong.returncode, wrong.stderr) == (1, "error: the graph has no node 9\n")


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [folder / "paths", "graph.txt", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_host_operation_compiles(tmp_path: Path) -> None:
    """Loops that ask the device in their middle, `continue` in each, calls, sets, reductions of every kind."""
    cells = node_array("cells", Element.INT, Origin.PARAMETER)
    members = Array("members", Element.BOOL, Extent.NODES, Origin.PARAMETER, is_set=True)
    i, end, x, seen, total, node = (variable(name) for name in ("i", "end", "x", "int", "total", "node"))
    arc, neighbor = Variable("arc", Element.ARC), Variable("neighbor", Element.NODE)
    reductions = tuple(Reduction(total, combine) for combine in (Combine.ADD,))
    kernel = over_nodes([Contribute(total, load(cells, V))], [cells], reductions=reductions)
    small = Binary(BinaryOperator.LESS, Ref(seen), number(3), Element.BOOL)
    more = SetVariable(i, Binary(BinaryOperator.ADD, Ref(i), number(1), Element.INT))
    look = ReadCell(seen, cells, Ref(i))
    body: tuple[HostOp, ...] = (
        DeclareVariable(i, number(0)),
        DeclareVariable(seen, number(0)),
        DeclareVariable(total, number(0)),
        HostWhile((look,), small, (more, HostIf(small, (HostContinue(),), (HostBreak(),)))),
        HostWhile((look,), small, (HostIf(small, (HostContinue(),)), more), test_last=True),
        HostWhile((), small, (more,), test_last=True),
        HostFor((look,), small, (look, more), (HostIf(small, (HostContinue(),)),)),
        HostFor((), small, (more,), (Launch("work"), Launch("work"))),
        HostForRange(x, number(0), Ref(seen), (WriteCell(cells, Ref(x), Ref(x)), look)),
        HostForMembers(node, members, (HostForNeighbors(Direction.OUT, Ref(node), neighbor, arc, (look,)),)),
        HostForNeighbors(Direction.IN, Ref(i), neighbor, arc, (SetVariable(i, Ref(neighbor)),)),
        HostCall("helper", (cells, total), seen),
        CopyArray(cells, cells),
        HostReturn(Ref(total)),
    )
    by_reference = variable("template")
    helper = HostFunction(
        "helper",
        (Parameter(cells), Parameter(by_reference, by_reference=True)),
        (),
        Element.INT,
        (SetVariable(by_reference, number(2)), HostReturn(Ref(by_reference))),
    )
    parameters = (Parameter(cells), Parameter(members), Parameter(end))
    main = HostFunction("main", parameters, (), Element.INT, body)
    arguments = (
        Argument("g", GraphType()),
        Argument("cells", PropertyType(Carrier.NODE, Scalar.INT)),
        Argument("members", SetType(Scalar.NODE)),
        Argument("end", Scalar.INT, number(7)),
    )
    module = replace(
        module_of(kernel),
        entry="main",
        functions=(main, helper),
        arguments=arguments,
        inputs=(cells, members),
        results=(cells,),
        result_type=Scalar.NODE,
    )
    compiled(module, tmp_path, "all")
