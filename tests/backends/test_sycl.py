"""Kernels as SYCL: how they read, that shared cells get what they should, and that the emitted program stands alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat.backends.sycl import SYCL, aspects
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.runtime.devices.device import LaunchSize
from starplat.toolchain import sycl as probe
from starplat.toolchain.vendors import VENDORS_VARIABLE
from tests.backends.devices import DTYPES
from tests.backends.modules import V, load, module_of, node_array, number, over_nodes, sssp
from tests.runtime.devices import device_of

EXAMPLES = Path(__file__).parents[2] / "examples"
N = 1000
TARGET = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(V), number(7), ir.Element.INT)
NUMBERS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)

RELAX = """\
// sssp.sp:9 forall (v in g.nodes().filter(modified == True))
#line 9 "sssp.sp"
KERNEL sssp_relax(
    int num_nodes, const arc_t *__restrict row_offsets, const int *__restrict columns,
    const bool *__restrict modified, int *dist, const int *__restrict weight, bool *modified_next
) {
    const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    for (int v = item.get_global_id(0); v < num_nodes; v += item.get_global_range(0)) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic(dist[nbr]).fetch_min(candidate)) {
                modified_next[nbr] = true;
            }
        }
    }
}
"""


def test_shortest_paths_read_well() -> None:
    assert RELAX in SYCL.kernels_text(sssp())


def test_a_group_is_reduced_before_one_atomic_operation() -> None:
    text = SYCL.kernels_text(all_reductions()[0])
    reduced = "total_part = sycl::reduce_over_group(item.get_group(), total_part, sycl::plus<long long>());"
    assert f"    {reduced}\n    if (item.get_local_id(0) == 0) atomic(*total).fetch_add(total_part);" in text


def test_aspects_are_asked_for_where_they_are_needed() -> None:
    assert aspects(sssp(), wide_arcs=False) == ()
    assert aspects(all_reductions()[0], wide_arcs=False) == ("fp64", "atomic64")
    arcs = node_array("arcs", ir.Element.ARC)
    update = ir.UpdateCell(ir.Combine.MAX, arcs, TARGET, load(arcs, V), shared=True)
    module = module_of(over_nodes([update], [arcs]))
    assert aspects(module, wide_arcs=False) == ()
    assert aspects(module, wide_arcs=True) == ("atomic64",)


# --- on a device ---------------------------------------------------------------------------------------------------


def with_kernels(kernels: Sequence[ir.Kernel]) -> ir.Module:
    """One module for many kernels, so that the compiler is called once."""
    return replace(module_of(kernels[0]), kernels=tuple(kernels))


@cache
def all_kernels() -> ir.Module:
    """Those of all tests below, for the compiler takes seconds however little it is given."""
    updates = [update_of(*case) for case in UPDATED]
    taken = [taking(*case) for case in TAKEN]
    return with_kernels([*updates, *all_reductions()[0].kernels, *taken, *map(least, REALS), *map(whole, INTEGERS)])


class Runner:
    """Launches kernels over N nodes."""

    def __init__(self, module: ir.Module, *, wide_arcs: bool = False) -> None:
        self.device = device_of("sycl")
        self.kernels = self.device.build(module, wide_arcs=wide_arcs)
        self.module = module

    def __call__(self, name: str, arrays: dict[str, NDArray[np.generic]]) -> dict[str, object]:
        """Changes `arrays` and gives what the reductions came to."""
        buffers = {}
        for array, cells in arrays.items():
            buffers[array] = self.device.allocate(cells.dtype, len(cells))
            self.device.upload(buffers[array], cells)
        found = self.kernels.launch(self.module.kernel(name), buffers, {}, LaunchSize(N, N, N))
        for array, cells in arrays.items():
            cells[:] = self.device.download(buffers[array])
        return found


UPDATES = [(c, e) for c in (ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.MIN, ir.Combine.MAX) for e in NUMBERS]
UFUNCS = {
    ir.Combine.ADD: np.add, ir.Combine.MULTIPLY: np.multiply, ir.Combine.AND: np.logical_and,
    ir.Combine.OR: np.logical_or,
    ir.Combine.BIT_AND: np.bitwise_and, ir.Combine.BIT_OR: np.bitwise_or, ir.Combine.BIT_XOR: np.bitwise_xor,
    ir.Combine.MIN: np.minimum, ir.Combine.MAX: np.maximum,
}  # fmt: skip


UPDATED = [
    *UPDATES,
    *(
        (c, e)
        for c in (ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)
        for e in (ir.Element.INT, ir.Element.LONG)
    ),
    *((c, ir.Element.BOOL) for c in (ir.Combine.AND, ir.Combine.OR, ir.Combine.BIT_XOR)),
]


def update_of(combine: ir.Combine, element: ir.Element) -> ir.Kernel:
    cells, values = node_array("cells", element), node_array("values", element)
    body = [ir.UpdateCell(combine, cells, TARGET, load(values, V), shared=True)]
    return over_nodes(body, [cells, values], name=f"update_{combine.name.lower()}_{element.value}")


def test_shared_cells_receive_every_update() -> None:
    run = Runner(all_kernels())
    for combine, element in UPDATED:
        given = np.arange(N).astype(DTYPES[element]) - (500 if element is not ir.Element.BOOL else 0)
        if combine is ir.Combine.MULTIPLY:
            given = np.where(np.arange(N) % 100, 1, -3).astype(DTYPES[element])
        if element is ir.Element.BOOL:
            given = (np.arange(N) % 49 == 8).astype(np.uint8) ^ (combine is ir.Combine.AND)
        found = np.full(N, combine is ir.Combine.AND if element is ir.Element.BOOL else 1, DTYPES[element])
        expected = found.copy()
        UFUNCS[combine].at(expected, np.arange(N) % 7, given)
        name = f"update_{combine.name.lower()}_{element.value}"
        run(name, {"cells": found, "values": given.astype(DTYPES[element])})
        np.testing.assert_array_equal(found, expected, err_msg=f"{combine} {element}")


def all_reductions() -> tuple[ir.Module, list[tuple[ir.Combine, ir.Element]]]:
    """A kernel for every reduction that the language has."""
    bits = (ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)
    cases = [
        *UPDATES,
        *((combine, element) for combine in bits for element in (ir.Element.INT, ir.Element.LONG, ir.Element.BOOL)),
        *((combine, ir.Element.BOOL) for combine in (ir.Combine.AND, ir.Combine.OR)),
    ]

    def reduction(combine: ir.Combine, element: ir.Element) -> ir.Kernel:
        values, total = node_array("values", element), ir.Variable("total", element)
        body, name = [ir.Contribute(total, load(values, V))], f"{combine.name.lower()}_{element.value}"
        return over_nodes(body, [values], name=name, reductions=[ir.Reduction(total, combine)])

    return with_kernels([reduction(*case) for case in cases]), cases


def test_reductions_combine_every_contribution() -> None:
    run = Runner(all_kernels())
    for combine, element in all_reductions()[1]:
        given = (np.arange(N) % 90).astype(DTYPES[element])
        if combine is ir.Combine.MULTIPLY:
            given = np.where(np.arange(N) % 50, 1, 2).astype(DTYPES[element])
        if element is ir.Element.BOOL:
            given = (given > 3).astype(np.uint8)
        found = run(f"{combine.name.lower()}_{element.value}", {"values": given})["total"]
        assert found == UFUNCS[combine].reduce(given), (combine, element)


TAKEN = [(extreme, element) for extreme in (ir.Combine.MIN, ir.Combine.MAX) for element in NUMBERS]


def taking(extreme: ir.Combine, element: ir.Element) -> ir.Kernel:
    best, who = node_array("best", element), node_array("who", ir.Element.NODE)
    values, lock = node_array("values", element), ir.Array("lock", ir.Element.INT, ir.Extent.NODES, ir.Origin.TEMPORARY)
    carries = (ir.Carry(who, TARGET, ir.Ref(V)),)
    update = ir.ExtremeCell(extreme, best, TARGET, load(values, V), carries, shared=True, lock=lock)
    return over_nodes([update], [best, who, values, lock], name=f"take_{extreme.name.lower()}_{element.value}")


def test_locks_keep_what_is_carried_consistent() -> None:
    run = Runner(all_kernels())
    for extreme, element in TAKEN:
        given = np.random.default_rng(1).permutation(N).astype(DTYPES[element])
        found = np.full(N, 2 * N if extreme is ir.Combine.MIN else -1, DTYPES[element])
        winner, lock = np.full(N, -1, np.int32), np.zeros(N, np.int32)
        name = f"take_{extreme.name.lower()}_{element.value}"
        run(name, {"best": found, "who": winner, "values": given, "lock": lock})
        for cell in range(7):
            group = given[cell::7]
            assert found[cell] == (group.min() if extreme is ir.Combine.MIN else group.max())
            assert given[winner[cell]] == found[cell]


REALS, INTEGERS = (ir.Element.FLOAT, ir.Element.DOUBLE), (ir.Element.INT, ir.Element.LONG)


def least(element: ir.Element) -> ir.Kernel:
    cells, values = node_array("cells", element), node_array("values", element)
    update = ir.ExtremeCell(ir.Combine.MIN, cells, number(0), load(values, V), (), shared=True)
    return over_nodes([update], [cells, values], name=f"least_{element.value}")


def whole(element: ir.Element) -> ir.Kernel:
    reals, cells = node_array("values", ir.Element.DOUBLE), node_array("cells", element)
    body = [ir.Store(cells, ir.Ref(V), ir.Cast(load(reals, V), element))]
    return over_nodes(body, [reals, cells], name=f"whole_{element.value}")


def test_what_is_not_a_number_is_treated_as_the_language_says() -> None:
    run = Runner(all_kernels())
    for element in REALS:
        given = np.arange(N).astype(DTYPES[element]) - 20
        given[::2] = np.nan
        found = np.full(N, np.inf, DTYPES[element])
        run(f"least_{element.value}", {"cells": found, "values": given})
        assert found[0] == -19
    for element in INTEGERS:
        limit, given = np.iinfo(DTYPES[element]), np.zeros(N)
        given[:7] = [1e30, -1e30, np.nan, np.inf, -np.inf, 2.9, -2.9]
        found = np.full(N, 5, DTYPES[element])
        run(f"whole_{element.value}", {"cells": found, "values": given})
        assert list(found[:7]) == [limit.max, limit.min, 0, limit.max, limit.min, 2, -2]


def test_wide_arc_numbers() -> None:
    arcs, values = node_array("arcs", ir.Element.ARC), node_array("values", ir.Element.ARC)
    update = ir.UpdateCell(ir.Combine.MAX, arcs, TARGET, load(values, V), shared=True)
    run = Runner(module_of(over_nodes([update], [arcs, values])), wide_arcs=True)
    found, given = np.full(N, -1, np.int64), np.arange(N) + 2**40
    run("work", {"arcs": found, "values": given})
    assert list(found[:8]) == [given[cell::7].max() for cell in range(7)] + [-1]


# --- the emitted program -------------------------------------------------------------------------------------------


def compiler_flags() -> tuple[str, ...]:
    """What g++ needs to find the runtime's headers, or a skip."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    try:
        return probe.runtime().compiler_flags()
    except DiagnosticError as error:
        pytest.skip(str(error))


@pytest.mark.campaign
@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("name", ["betweenness", "closeness"])
def test_the_program_compiles_without_warnings(name: str, tmp_path: Path) -> None:
    *flags, include = compiler_flags()
    headers = ["-isystem", include.removeprefix("-I")]
    files = starplat.compile(EXAMPLES / f"{name}.sp").artifact("sycl")
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    for file in (file for file in files if file.endswith(".cpp")):
        warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-function"]
        warnings += ["-Wno-attributes", "-Wno-unknown-pragmas"] if file.endswith("_kernels.cpp") else []
        command = ["g++", *flags, *warnings, "-fsyntax-only", *headers, file]
        built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr


@pytest.mark.campaign
@pytest.mark.parametrize("compiler", ["g++", "icpx"])
def test_the_first_comment_builds_a_program_that_runs(compiler: str, tmp_path: Path) -> None:
    device_of("sycl")
    for file, text in SYCL.artifact(sssp(), "paths").items():
        (tmp_path / file).write_text(text)
    (tmp_path / "graph.txt").write_text("1 2 3\n2 3 4\n1 3 10\n3 4 1\n5 1 2\n")
    command = re.search(rf"// +(?:build: )?({re.escape(compiler)} .*)", (tmp_path / "paths.cpp").read_text())
    assert command is not None
    environment = {**os.environ, "SYCL": str(probe.runtime().library.parent)}
    if shutil.which(compiler) is None:
        environment["PATH"] = f"{stand_in_for_icpx(tmp_path)}{os.pathsep}{os.environ['PATH']}"
    built = subprocess.run(
        ["sh", "-c", command[1]], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert built.returncode == 0, built.stderr
    assert os.environ.get(VENDORS_VARIABLE), "the device was found through it, and so will be the program's"
    answer = started(tmp_path, "--src", "1")
    assert "dist: count 5, finite 4, sum 18, min 0, max 8" in answer.stdout, answer.stderr
    wrong = started(tmp_path, "--src", "9")
    assert (wrong.returncode, wrong.stderr) == (1, "error: the graph has no node 9\n")
    missing = started(tmp_path, "--src", "1", "--device", "99")
    assert "there is no SYCL device 99" in missing.stderr


def stand_in_for_icpx(folder: Path) -> Path:
    """A folder with an icpx that is g++ with the runtime's headers and library."""
    runtime, place = probe.runtime(), folder / "bin"
    place.mkdir()
    flags = " ".join((*runtime.compiler_flags(), *runtime.linker_flags()))
    loop = 'for flag; do shift; case $flag in -fsycl|-fp-model=*) ;; *) set -- "$@" "$flag" ;; esac; done'
    (place / "icpx").write_text(f'#!/bin/sh\n{loop}\nexec g++ "$@" {flags}\n')
    (place / "icpx").chmod(0o755)
    return place


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [folder / "paths", "graph.txt", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
