"""Emitted programs are complete: they build with one command, read a graph file and print the answer."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from starplat.backends.opencl import OPENCL
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType
from starplat.ir import nodes as ir
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


def write(module: ir.Module, folder: Path, stem: str) -> None:
    for name, text in OPENCL.artifact(module, stem).items():
        (folder / name).write_text(text)


def compiled(module: ir.Module, folder: Path, stem: str) -> None:
    require_headers()
    write(module, folder, stem)
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only", f"{stem}.cpp"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_the_kernel_file_asks_for_the_header_of_kernels() -> None:
    files = OPENCL.artifact(sssp(), "paths")
    assert {name for name in files if not name.startswith("starplat_")} == {"paths.cl", "paths.cpp"}
    opening, kernels = files["paths.cl"].split('#include "starplat_opencl_kernels.h"\n')
    complete = OPENCL.kernels_text(sssp())
    assert complete.startswith(opening)
    assert complete.endswith(kernels)
    for helper in ("add_inf", "latest"):
        assert f"{helper}(" in kernels
        assert re.search(rf"{helper}\((?:int a|cell)", files["starplat_opencl_kernels.h"])


def test_shortest_paths_compile_without_warnings(tmp_path: Path) -> None:
    compiled(sssp(), tmp_path, "paths")


def test_shortest_paths_host_reads_well() -> None:
    text = OPENCL.artifact(sssp(), "paths")["paths.cpp"]
    assert (
        """\
    while (!finished) {
        finished = true;
        modified_next.fill(false);
        device.launch(
            "sssp_relax", graph.num_nodes, graph.num_nodes, graph.row_offsets, graph.columns, modified, dist,
            weight, modified_next
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
    (tmp_path / "elsewhere").mkdir()
    command_line = ["../paths", "../graph.txt", "--src", "1"]
    elsewhere = subprocess.run(command_line, cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=False)
    assert "max 8" in elsewhere.stdout, elsewhere.stderr
    wrong = started(tmp_path, "--src", "9")
    assert (wrong.returncode, wrong.stderr) == (1, "error: the graph has no node 9\n")


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [folder / "paths", "graph.txt", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_host_operation_compiles(tmp_path: Path) -> None:
    """Loops that ask the device in their middle, `continue` in each, calls, sets, reductions of every kind."""
    cells = node_array("cells", ir.Element.INT, ir.Origin.PARAMETER)
    members = ir.Array("members", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.PARAMETER, is_set=True)
    i, end, x, seen, total, node = (variable(name) for name in ("i", "end", "x", "int", "total", "node"))
    arc, neighbor = ir.Variable("arc", ir.Element.ARC), ir.Variable("neighbor", ir.Element.NODE)
    reductions = tuple(ir.Reduction(total, combine) for combine in (ir.Combine.ADD,))
    kernel = over_nodes([ir.Contribute(total, load(cells, V))], [cells], reductions=reductions)
    small = ir.Binary(ir.BinaryOperator.LESS, ir.Ref(seen), number(3), ir.Element.BOOL)
    more = ir.SetVariable(i, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(i), number(1), ir.Element.INT))
    look = ir.ReadCell(seen, cells, ir.Ref(i))
    body: tuple[ir.HostOp, ...] = (
        ir.DeclareVariable(i, number(0)),
        ir.DeclareVariable(seen, number(0)),
        ir.DeclareVariable(total, number(0)),
        ir.Loop((look,), small, (more, ir.HostIf(small, (ir.HostContinue(),), (ir.HostBreak(),)))),
        ir.Loop((look,), small, (ir.HostIf(small, (ir.HostContinue(),)), more), test_last=True),
        ir.Loop((), small, (more,), test_last=True),
        ir.Loop((look,), small, (ir.HostIf(small, (ir.HostContinue(),)),), step=(look, more)),
        ir.Loop((), small, (ir.Launch("work"), ir.Launch("work")), step=(more,)),
        ir.HostForRange(x, number(0), ir.Ref(seen), (ir.WriteCell(cells, ir.Ref(x), ir.Ref(x)), look)),
        ir.HostForMembers(
            node, members, (ir.HostForNeighbors(ir.Direction.OUT, ir.Ref(node), neighbor, arc, (look,)),)
        ),
        ir.HostForNeighbors(ir.Direction.IN, ir.Ref(i), neighbor, arc, (ir.SetVariable(i, ir.Ref(neighbor)),)),
        ir.HostCall("helper", (cells, total), seen),
        ir.CopyArray(cells, cells),
        ir.HostReturn(ir.Ref(total)),
    )
    by_reference = variable("template")
    helper = ir.HostFunction(
        "helper",
        (ir.Parameter(cells), ir.Parameter(by_reference, by_reference=True)),
        (),
        ir.Element.INT,
        (ir.SetVariable(by_reference, number(2)), ir.HostReturn(ir.Ref(by_reference))),
    )
    parameters = (ir.Parameter(cells), ir.Parameter(members), ir.Parameter(end))
    main = ir.HostFunction("main", parameters, (), ir.Element.INT, body)
    arguments = (
        ir.Argument("g", GraphType()),
        ir.Argument("cells", PropertyType(Carrier.NODE, Scalar.INT)),
        ir.Argument("members", SetType(Scalar.NODE)),
        ir.Argument("end", Scalar.INT, number(7)),
    )
    module = replace(
        module_of(kernel),
        entry="main",
        functions=(main, helper),
        arguments=arguments,
        inputs=(cells, members),
        results=(cells,),
        result_types=(Scalar.NODE,),
    )
    compiled(module, tmp_path, "all")
