"""Libraries of kernels: shared cells get what they should, and what is missing is said."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import identity
from starplat.ir.visitor import with_signature
from starplat.runtime.devices.device import Device, LaunchSize
from starplat.runtime.devices.library import OpenACCDevice
from starplat.runtime.devices.openmp import OpenMPDevice
from starplat.runtime.elements import clipped, dtype_of
from starplat.toolchain import compilers
from starplat.toolchain.compilers import Build, Place, builds
from tests.backends.modules import V, every_reduction, load, module_of, node_array, number, over_nodes, sssp, variable
from tests.runtime.devices import device_of
from tests.zoo import ZOO

every_target = pytest.mark.parametrize("target", ["openacc", "openmp"])
NUMBERS = [ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE]
N = 1000
TARGET_CELL = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(V), number(7), ir.Element.INT)


def run(target: str, module: ir.Module, n: int, arrays: dict[str, Any], **scalars: Any) -> dict[str, Any]:
    """Launches the module's only kernel once, changes `arrays` and returns what its reductions came to."""
    return run_on(device_of(target), module, n, arrays, **scalars)


def run_on(device: Device, module: ir.Module, n: int, arrays: dict[str, Any], **scalars: Any) -> dict[str, Any]:
    kernel = module.kernels[0]
    kernels = device.build(module, wide_arcs=False)
    buffers = {}
    for array in kernel.arrays:
        cells = arrays[array.name]
        buffers[array.name] = device.allocate(dtype_of(array.element, wide_arcs=False), len(cells))
        device.upload(buffers[array.name], cells)
    iterations = 1 if isinstance(kernel.domain, ir.Once) else n
    found = kernels.launch(kernel, buffers, scalars, LaunchSize(iterations, n, 0))
    for name, buffer in buffers.items():
        arrays[name][:] = device.download(buffer)
    return found


def kind(element: ir.Element) -> np.dtype[Any]:
    return dtype_of(element, wide_arcs=False)


@every_target
@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("combine", [ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.MIN, ir.Combine.MAX])
def test_shared_cells_receive_every_update(combine: ir.Combine, element: ir.Element, target: str) -> None:
    cells, values = node_array("cells", element), node_array("values", element)
    update = ir.UpdateCell(combine, cells, TARGET_CELL, load(values, V), shared=True)
    given = np.ones(N, kind(element)) if combine is ir.Combine.MULTIPLY else np.arange(N).astype(kind(element)) - 500
    given[::100] = -3
    found = np.full(N, 1, kind(element))
    expected = found.copy()
    function = {"+": np.add, "*": np.multiply, "min": np.minimum, "max": np.maximum}[combine.value]
    function.at(expected, np.arange(N) % 7, given)
    run(target, module_of(over_nodes([update], [cells, values])), N, {"cells": found, "values": given})
    np.testing.assert_array_equal(found, expected)


@every_target
@pytest.mark.parametrize("combine", [ir.Combine.AND, ir.Combine.OR, ir.Combine.BIT_XOR])
def test_shared_flags(combine: ir.Combine, target: str) -> None:
    cells, values = node_array("cells", ir.Element.BOOL), node_array("values", ir.Element.BOOL)
    update = ir.UpdateCell(combine, cells, TARGET_CELL, load(values, V), shared=True)
    module = module_of(over_nodes([update], [cells, values]))
    given = np.arange(N) % 49 == 8
    given = ~given if combine is ir.Combine.AND else given
    found = np.full(N, combine is ir.Combine.AND)
    expected = found.copy()
    function = {"&&": np.logical_and, "||": np.logical_or, "^": np.bitwise_xor}[combine.value]
    function.at(expected, np.arange(N) % 7, given)
    run(target, module, N, {"cells": found, "values": given})
    np.testing.assert_array_equal(found, expected)


@every_target
@pytest.mark.parametrize("element", [ir.Element.FLOAT, ir.Element.DOUBLE])
def test_what_is_not_a_number_is_no_minimum(element: ir.Element, target: str) -> None:
    cells, values = node_array("cells", element), node_array("values", element)
    least = ir.ExtremeCell(ir.Combine.MIN, cells, number(0), load(values, V), (), shared=True)
    given = np.arange(N).astype(kind(element)) - 20
    given[::2] = np.nan
    found = np.full(N, np.inf, kind(element))
    run(target, module_of(over_nodes([least], [cells, values])), N, {"cells": found, "values": given})
    assert found[0] == -19


@every_target
@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("extreme", [ir.Combine.MIN, ir.Combine.MAX])
def test_a_lock_keeps_what_is_carried_consistent(extreme: ir.Combine, element: ir.Element, target: str) -> None:
    best, who = node_array("best", element), node_array("who", ir.Element.NODE)
    values, lock = node_array("values", element), ir.Array("lock", ir.Element.INT, ir.Extent.NODES, ir.Origin.TEMPORARY)
    carry = ir.Carry(who, TARGET_CELL, ir.Ref(V))
    take = ir.ExtremeCell(extreme, best, TARGET_CELL, load(values, V), (carry,), shared=True, lock=lock)
    given = np.random.default_rng(1).permutation(N).astype(kind(element))
    found = np.full(N, 2 * N if extreme is ir.Combine.MIN else -1, kind(element))
    winner = np.full(N, -1, np.int32)
    arrays = {"best": found, "who": winner, "values": given, "lock": np.zeros(N, np.int32)}
    run(target, module_of(over_nodes([take], [best, who, values, lock])), N, arrays)
    for cell in range(7):
        group = given[cell::7]
        assert found[cell] == (group.min() if extreme is ir.Combine.MIN else group.max())
        assert given[winner[cell]] == found[cell]


@every_target
@every_reduction
def test_reductions_combine_every_contribution(combine: ir.Combine, element: ir.Element, target: str) -> None:
    values, total = node_array("values", element), ir.Variable("total", element)
    kernel = over_nodes([ir.Contribute(total, load(values, V))], [values], reductions=[ir.Reduction(total, combine)])
    given, expected = contributions(combine, element)
    assert run(target, module_of(kernel), N, {"values": given})["total"] == expected


def contributions(combine: ir.Combine, element: ir.Element) -> tuple[Any, Any]:
    """What nodes contribute, and what comes of it."""
    given = (
        np.ones(N, kind(element)) if combine is ir.Combine.MULTIPLY else (np.arange(N) % 90).astype(kind(element)) - 0
    )
    given = np.arange(N) % 90 > 3 if element is ir.Element.BOOL else given
    reduce = {
        "+": np.add, "*": np.multiply, "&&": np.logical_and, "||": np.logical_or, "&": np.bitwise_and,
        "|": np.bitwise_or, "^": np.bitwise_xor, "min": np.minimum, "max": np.maximum,
    }[combine.value].reduce  # fmt: skip
    return given, reduce(given)


GOES_ON = ir.Array("goes_on", ir.Element.BOOL, ir.Extent.ONE, ir.Origin.TEMPORARY)


def into_a_cell(reduction: ir.Reduction, body: list[Any], *, alone: bool = False) -> ir.Kernel:
    """A kernel that does nothing unless it goes on, and leaves what it finds in a cell."""
    element = ir.Element.INT if reduction.variable.element is ir.Element.BOOL else reduction.variable.element
    cell = ir.Array("found", element, ir.Extent.ONE, ir.Origin.TEMPORARY)
    domain, iterator = (ir.Once(), None) if alone else (ir.AllNodes(), V)
    ends = (replace(reduction, into=cell),)
    return with_signature(ir.Kernel("work", domain, iterator, tuple(body), reductions=ends, guard=GOES_ON))


def found_in_a_cell(kernel: ir.Kernel, given: dict[str, Any], *, goes_on: bool) -> Any:
    """What the cell has after two launches that the host does not wait for."""
    device = device_of("openacc")
    (reduction,) = kernel.reductions
    assert reduction.into is not None
    cell = device.allocate(dtype_of(reduction.into.element, wide_arcs=False), 1)
    device.fill(cell, identity(reduction.combine, reduction.variable.element).value)
    buffers = {"found": cell, "goes_on": device.allocate(np.dtype(np.bool_), 1)}
    device.fill(buffers["goes_on"], goes_on)
    for name, cells in given.items():
        buffers[name] = device.allocate(cells.dtype, len(cells))
        device.upload(buffers[name], cells)
    kernels, count = device.build(queued(kernel), wide_arcs=False), len(given.get("values", ()))
    for _ in range(2):
        assert kernels.launch(kernel, buffers, {}, LaunchSize(max(count, 1), count, 0)) == {}
    return device.read_cell(cell, 0)


def queued(kernel: ir.Kernel) -> ir.Module:
    """The kernel in a module whose host asks for rounds ahead."""
    module = module_of(replace(kernel, reductions=(), guard=None))
    return replace(module, kernels=(kernel,))


@pytest.mark.parametrize("goes_on", [True, False])
@every_reduction
def test_gangs_combine_every_contribution_into_a_cell(combine: ir.Combine, element: ir.Element, goes_on: bool) -> None:
    values, total = node_array("values", element), ir.Variable("total", element)
    kernel = into_a_cell(ir.Reduction(total, combine), [ir.Contribute(total, load(values, V))])
    given, expected = contributions(combine, element)
    if combine in (ir.Combine.ADD, ir.Combine.BIT_XOR):
        expected = expected + expected if combine is ir.Combine.ADD else type(expected)(0)
    nothing = identity(combine, element).value
    found = found_in_a_cell(kernel, {"values": given}, goes_on=goes_on)
    assert found == (expected if goes_on else clipped(nothing, kind(element)))


@pytest.mark.parametrize(("combine", "expected"), [(ir.Combine.MIN, -7.5), (ir.Combine.MAX, -1.5)])
def test_extremes_in_a_cell_leave_nan_out(combine: ir.Combine, expected: float) -> None:
    values, total = node_array("values", ir.Element.DOUBLE), ir.Variable("total", ir.Element.DOUBLE)
    kernel = into_a_cell(ir.Reduction(total, combine), [ir.Contribute(total, load(values, V))])
    assert found_in_a_cell(kernel, {"values": np.array([-1.5, np.nan, -7.5, -3.0])}, goes_on=True) == expected


@pytest.mark.parametrize("goes_on", [True, False])
def test_one_thread_leaves_what_it_finds_in_a_cell(goes_on: bool) -> None:
    total = variable("total")
    kernel = into_a_cell(ir.Reduction(total, ir.Combine.ADD), [ir.Contribute(total, number(4))], alone=True)
    assert found_in_a_cell(kernel, {}, goes_on=goes_on) == (8 if goes_on else 0)


@every_target
@pytest.mark.parametrize(("combine", "expected"), [(ir.Combine.MIN, -7.5), (ir.Combine.MAX, -1.5)])
def test_extremes_of_negative_reals_leave_nan_out(combine: ir.Combine, expected: float, target: str) -> None:
    values, total = node_array("values", ir.Element.DOUBLE), ir.Variable("total", ir.Element.DOUBLE)
    kernel = over_nodes([ir.Contribute(total, load(values, V))], [values], reductions=[ir.Reduction(total, combine)])
    given = np.array([-1.5, np.nan, -7.5, -3.0])
    assert run(target, module_of(kernel), 4, {"values": given})["total"] == expected


@every_target
def test_one_thread_runs_sequential_pieces(target: str) -> None:
    cells, total = node_array("cells", ir.Element.INT), variable("total")
    early = ir.KernelIf(
        ir.Binary(ir.BinaryOperator.LESS, ir.NumNodes(), number(5), ir.Element.BOOL), (ir.KernelContinue(),)
    )
    body = (
        ir.Store(cells, number(0), number(3)),
        ir.Contribute(total, number(4)),
        early,
        ir.Store(cells, number(1), number(9)),
    )
    for reductions in ((ir.Reduction(total, ir.Combine.ADD),), ()):
        ops = body if reductions else tuple(op for op in body if not isinstance(op, ir.Contribute))
        kernel = ir.Kernel("once", ir.Once(), None, ops, arrays=(cells,), reductions=reductions)
        for n, second in ((4, 0), (6, 9)):
            found = np.zeros(n, np.int32)
            assert run(target, module_of(kernel), n, {"cells": found}) == ({"total": 4} if reductions else {})
            assert list(found[:2]) == [3, second]


@every_target
def test_functions_get_what_they_need(target: str) -> None:
    cells, scale, x = node_array("cells", ir.Element.INT), variable("scale"), variable("x")
    inner_cells = node_array("xs", ir.Element.INT, ir.Origin.PARAMETER)
    grow = ir.Function(
        "grow",
        (ir.Parameter(x, by_reference=True), ir.Parameter(inner_cells)),
        ir.Element.INT,
        (
            ir.SetLocal(x, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(x), ir.NumNodes(), ir.Element.INT)),
            ir.Store(inner_cells, number(0), number(1)),
            ir.KernelReturn(ir.Ref(x)),
        ),
    )
    local = variable("y")
    call = ir.KernelCall(ir.CallFunction("grow", (local, cells), ir.Element.INT))
    body = [ir.Let(local, ir.Ref(scale)), call, ir.Store(cells, ir.Ref(V), ir.Ref(local))]
    found = np.zeros(3, np.int32)
    run(target, module_of(over_nodes(body, [cells], scalars=[scale]), grow), 3, {"cells": found}, scale=5)
    assert list(found[1:]) == [8, 8]


@every_target
@pytest.mark.parametrize("element", [ir.Element.INT, ir.Element.LONG])
def test_conversions_stop_at_the_ends(element: ir.Element, target: str) -> None:
    reals, cells = node_array("reals", ir.Element.DOUBLE), node_array("cells", element)
    module = module_of(over_nodes([ir.Store(cells, ir.Ref(V), ir.Cast(load(reals, V), element))], [reals, cells]))
    given = np.array([1e30, -1e30, np.nan, np.inf, -np.inf, 2.9, -2.9])
    limit = np.iinfo(kind(element))
    found = np.zeros(len(given), kind(element))
    run(target, module, len(given), {"reals": given, "cells": found})
    assert list(found) == [limit.max, limit.min, 0, limit.max, limit.min, 2, -2]


# --- devices and builds --------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that nothing has been kept in."""
    monkeypatch.setenv("STARPLAT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine on which no compiler is found."""
    forget_compilers()
    monkeypatch.delenv(compilers.LIBRARIES_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    yield
    forget_compilers()


def forget_compilers() -> None:
    found = (compilers.gnu_compiler, compilers.offloading_compiler, compilers.nvidia_compiler)
    for function in (compilers.compiler_named, *found):
        function.cache_clear()


def host_build(target: str) -> Build:
    found = [build for build in builds(target) if build.place is Place.HOST]
    if not found:
        pytest.skip("no g++ is here")
    return found[0]


def test_openacc_says_where_it_truly_runs() -> None:
    assert OpenACCDevice(host_build("openacc")).name.startswith("host, g++ ")


@pytest.mark.parametrize("cells", [1, 2**14 + 3, 2**20 + 1])
@pytest.mark.parametrize("kind", [np.bool_, np.int32, np.int64, np.float64])
def test_threads_fill_all_cells_of_openmp(kind: type, cells: int) -> None:
    device = OpenMPDevice(host_build("openmp"))
    buffer = device.allocate_word(np.dtype(kind), cells)
    for value in (0, 1):
        device.fill(buffer, value)
        assert (device.download(buffer) == value).all()


def test_large_arrays_of_openmp_begin_with_a_large_page() -> None:
    device = OpenMPDevice(host_build("openmp"))
    for cells in (2**10, 2**19, 2**20 + 1):
        buffer = device.allocate_word(np.dtype(np.int32), cells)
        there = device.in_place(buffer)
        there[:] = 1
        assert there.sum() == cells
        if there.nbytes >= 2**21:
            assert there.ctypes.data % 2**21 == 0


def test_openmp_says_how_many_threads_it_has() -> None:
    name = OpenMPDevice(host_build("openmp")).name
    assert name.startswith("host, ")
    assert " thread" in name


@every_target
@pytest.mark.usefixtures("own_cache")
def test_a_second_build_comes_from_the_cache(target: str) -> None:
    kind_of_device = OpenACCDevice if target == "openacc" else OpenMPDevice
    device = kind_of_device(host_build(target))
    assert [device.build(sssp(), wide_arcs=True).cached for _ in range(2)] == [False, True]


@pytest.mark.usefixtures("no_compilers")
def test_without_a_compiler_the_command_that_mends_it_is_said() -> None:
    from starplat.toolchain.devices import openacc_report, openmp_report

    assert builds("openmp") == ()
    for row in (openmp_report()[0], openacc_report()[-1]):
        assert not row.usable
        assert row.mend is not None
        assert row.mend.startswith("apt-get install")


def test_text_that_does_not_compile_is_our_mistake(own_cache: Path) -> None:
    from starplat.toolchain.libraries import open_library

    with pytest.raises(DiagnosticError) as raised:
        open_library(host_build("openmp"), '#line 7 "mine.sp"\nint broken( {\n')
    assert raised.value.diagnostics[0].code == "E0904"
    assert "mine.sp:7" in raised.value.diagnostics[0].message
    assert raised.value.exit_code is ExitCode.BUILD_FAILED
    assert list((own_cache / "refused").glob("*.cpp"))


def test_a_library_that_does_not_load_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    from starplat.toolchain.cache import Cache
    from starplat.toolchain.libraries import _key_of_carried, open_library

    monkeypatch.setenv(compilers.LIBRARIES_VARIABLE, str(tmp_path / "libraries"))
    Cache(tmp_path / "libraries").put(_key_of_carried("text", ()), b"\x7fELF, for another kind of machine")
    with pytest.raises(DiagnosticError, match="a library of kernels does not load: ") as raised:
        open_library(Build("openacc", Place.GPU, None, (), 0), "text")
    assert raised.value.diagnostics[0].code == "E0909"
    assert "libgomp1" in str(raised.value.diagnostics[0].help)
    assert raised.value.exit_code is ExitCode.NO_DEVICE


def test_libraries_can_be_built_on_one_machine_and_run_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    from starplat.toolchain.libraries import open_library

    if compilers.offloading_compiler() is None:
        pytest.skip("no g++ with a compiler for NVIDIA's GPUs is here")
    monkeypatch.setenv(compilers.LIBRARIES_VARIABLE, str(tmp_path / "libraries"))
    text = 'extern "C" int answer() { return 42; }\n'
    there = builds("openacc")[0]
    assert there.place is Place.GPU
    assert open_library(there, text)[0].answer() == 42
    here = Build("openacc", Place.GPU, None, there.flags, 0)
    library, cached = open_library(here, text)
    assert (library.answer(), cached) == (42, True)
    with pytest.raises(DiagnosticError) as raised:
        open_library(here, 'extern "C" int another() { return 42; }\n')
    assert raised.value.exit_code is ExitCode.NO_DEVICE
    assert compilers.LIBRARIES_VARIABLE in str(raised.value.diagnostics[0].help)


@every_target
def test_a_device_that_is_not_there_is_named(target: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        starplat.compile("function f(Graph g) { int n = g.num_nodes(); }").run(ZOO["chain"], target=target, device=99)
    assert raised.value.diagnostics[0].code == "E0902"


NVC = f"""#!{sys.executable}
import json, subprocess, sys
if sys.argv[1:] == ["--version"]:
    print("\\nnvc++ 25.9-0 64-bit target on x86-64 Linux -tp znver3 \\nNVIDIA Compilers and Tools")
elif sys.argv[1:] == ["-dumpmachine"]:
    print("x86_64-pc-linux-gnu")
elif len(sys.argv) == 2:
    sys.exit("nvc++-Error-Unknown switch: " + sys.argv[1])
else:
    print(json.dumps(sys.argv[1:]), file=open("LOG", "a"))
    if REFUSES:
        sys.exit('"kernels.cpp", line 12: error: this compiler compiles nothing')
    flags = [flag for flag in sys.argv[1:] if not flag.startswith(("-acc", "-gpu"))]
    sys.exit(subprocess.run(["g++", "-fopenacc", "-foffload=disable", *flags]).returncode)
"""


@pytest.fixture
def nvc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """Puts a stand-in for nvc++ on the path, which has g++ do the work or refuses; gives the record of its calls."""
    if compilers.gnu_compiler() is None:
        pytest.skip("no g++ is here")

    def install(*, refuses: bool = False) -> Path:
        log, folder = tmp_path / "calls", tmp_path / "nvidia"
        folder.mkdir()
        program = folder / "nvc++"
        program.write_text(NVC.replace("LOG", str(log)).replace("REFUSES", str(refuses)))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.delenv(compilers.LIBRARIES_VARIABLE, raising=False)
        forget_compilers()
        return log

    yield install
    forget_compilers()


@pytest.mark.usefixtures("own_cache")
def test_nvidia_s_compiler_builds_for_the_cores_after_gcc(nvc: Callable[..., Path]) -> None:
    log = nvc()
    *_, gnu, nvidia = builds("openacc")
    assert gnu.maker.startswith("g++ ")
    assert (nvidia.maker, nvidia.place, nvidia.number) == ("nvc++ 25.9-0", Place.HOST, -1)
    device = OpenACCDevice(nvidia)
    cells, total = node_array("cells", ir.Element.INT), variable("total")
    body = [ir.UpdateCell(ir.Combine.MIN, cells, TARGET_CELL, ir.Ref(V), shared=True), ir.Contribute(total, ir.Ref(V))]
    module = module_of(over_nodes(body, [cells], reductions=[ir.Reduction(total, ir.Combine.ADD)]))
    arrays = {"cells": np.full(N, 99, np.int32)}
    assert run_on(device, module, N, arrays)["total"] == sum(range(N))
    assert arrays["cells"][:8].tolist() == [0, 1, 2, 3, 4, 5, 6, 99]
    flags = [json.loads(line) for line in log.read_text().splitlines()]
    assert all(call[:5] == ["-std=c++17", "-O2", "-shared", "-fPIC", "-acc=multicore"] for call in flags)


def test_nvidia_s_compiler_comes_first_for_gpus(nvc: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    nvc()
    gpus = (compilers.Gpu("first", 1, 1), compilers.Gpu("second", 1, 1))
    monkeypatch.setattr(compilers, "gpus", lambda: gpus)
    found = builds("openacc")
    assert [(b.maker, b.number) for b in found[:2]] == [("nvc++ 25.9-0", 0), ("nvc++ 25.9-0", 1)]
    assert found[0].flags == ("-std=c++17", "-O2", "-shared", "-fPIC", "-acc=gpu", "-gpu=nordc")
    assert found[-1].place is Place.HOST


@pytest.mark.usefixtures("own_cache")
def test_what_nvidia_s_compiler_refuses_is_said(nvc: Callable[..., Path]) -> None:
    nvc(refuses=True)
    with pytest.raises(DiagnosticError) as raised:
        OpenACCDevice(builds("openacc")[-1])
    assert raised.value.diagnostics[0].code == "E0904"
    assert "nvc++ 25.9-0 does not compile" in raised.value.diagnostics[0].message
    assert "line 12: error: this compiler compiles nothing" in raised.value.diagnostics[0].message
