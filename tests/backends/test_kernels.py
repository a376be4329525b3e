"""Kernels as OpenCL C: how they read, that they build, and that shared cells get what they should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.backends.opencl import CAPABILITIES, OPENCL, SPELLING, extensions
from starplat.backends.view import view
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import walks_rows
from starplat.program_text import read_program
from starplat.source import SourceFile
from tests.backends.devices import DTYPES, build, require_devices, run
from tests.backends.modules import V, every_reduction, load, module_of, node_array, number, over_nodes, sssp, variable

SSSP_KERNELS = """\
// sssp.sp:9 forall (v in g.nodes().filter(modified == True))
#line 9 "sssp.sp"
__kernel __attribute__((vec_type_hint(int4)))
void sssp_relax(
    int num_nodes, __global const arc_t *restrict row_offsets, __global const int *restrict columns,
    __global const uchar *restrict modified, __global int *dist, __global const int *restrict weight,
    __global uchar *modified_next
) {
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(latest(dist[v]), weight[e]);
            if (candidate < latest(dist[nbr]) && candidate < atomic_min(&dist[nbr], candidate)) {
                modified_next[nbr] = true;
            }
        }
    }
}

// sssp.sp:8 fixedPoint until (finished : !modified)
#line 8 "sssp.sp"
__kernel void sssp_finished(int num_nodes, __global const uchar *restrict modified, __global int *finished) {
    bool finished_part = true;
    for (int v = get_global_id(0); v < num_nodes; v += get_global_size(0)) {
        if (modified[v]) finished_part = false;
    }
    if (!finished_part) *finished = 0;
}
"""

CELL = ir.Variable("cell_of_v", ir.Element.INT)
N = 1000
TARGET = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(V), number(7), ir.Element.INT)


CHOSEN = Path(__file__).parents[1] / "programs" / "found" / "chosen_beside_what_is_written.sp"


def test_shortest_paths_read_well() -> None:
    assert OPENCL.kernels_text(sssp()).endswith(SSSP_KERNELS)


def test_only_kernels_that_walk_rows_keep_out_of_the_lanes_of_vectors() -> None:
    uneven = {kernel.name: walks_rows(kernel) for kernel in sssp().kernels}
    assert uneven == {"sssp_relax": True, "sssp_finished": False}
    (line, *others) = (line for line in OPENCL.kernels_text(sssp()).splitlines() if "vec_type_hint" in line)
    assert line.startswith("__kernel ")
    assert not others


def test_nothing_is_promised_of_a_cell_that_is_chosen_beside_one_that_changes() -> None:
    """NVIDIA's compiler takes it for a promise about both, and reads the other before it is stored to."""
    module = pipeline.lower(pipeline.check(read_program(CHOSEN)))
    text = OPENCL.kernels_text(module)
    assert "__global const int *columns," in text
    assert "__global const int *restrict q," in text
    assert "__restrict__ columns" in BACKENDS["cuda"].kernels_text(module)
    plain = read_program(CHOSEN).text.replace("? (0 + e.destination) : e.p)", "? (0 + e.destination) : 3)")
    assert "restrict columns," in OPENCL.kernels_text(pipeline.lower(pipeline.check(SourceFile("plain.sp", plain))))


def test_the_same_module_gives_the_same_bytes() -> None:
    assert OPENCL.kernels_text(sssp()) == OPENCL.kernels_text(sssp())


@pytest.mark.parametrize("flags", [(), ("-DARC_64",)])
def test_shortest_paths_build(flags: tuple[str, ...]) -> None:
    for context in require_devices():
        build(context, OPENCL.kernels_text(sssp()), *flags)


NUMBERS = [ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE]


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("combine", [ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.MIN, ir.Combine.MAX])
def test_shared_cells_receive_every_update(combine: ir.Combine, element: ir.Element) -> None:
    cells, values = node_array("cells", element), node_array("values", element)
    update = ir.UpdateCell(combine, cells, TARGET, load(values, V), shared=True)
    module = module_of(over_nodes([update], [cells, values]))
    given = (
        np.ones(N, DTYPES[element]) if combine is ir.Combine.MULTIPLY else np.arange(N).astype(DTYPES[element]) - 500
    )
    if combine is ir.Combine.MULTIPLY:
        given[::100] = -3
    start = np.full(N, 1, DTYPES[element])
    expected = start.copy()
    function = {"+": np.add, "*": np.multiply, "min": np.minimum, "max": np.maximum}[combine.value]
    function.at(expected, np.arange(N) % 7, given)
    for context in require_devices():
        found = start.copy()
        run(context, module, N, {"cells": found, "values": given})
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("combine", [ir.Combine.AND, ir.Combine.OR, ir.Combine.BIT_XOR])
def test_shared_flags(combine: ir.Combine) -> None:
    cells, values = node_array("cells", ir.Element.BOOL), node_array("values", ir.Element.BOOL)
    module = module_of(
        over_nodes([ir.UpdateCell(combine, cells, TARGET, load(values, V), shared=True)], [cells, values])
    )
    given = (np.arange(N) % 49 == 8).astype(np.uint8)
    given = 1 - given if combine is ir.Combine.AND else given
    start = np.full(N, combine is ir.Combine.AND, np.uint8)
    expected = start.copy()
    function = {"&&": np.logical_and, "||": np.logical_or, "^": np.bitwise_xor}[combine.value]
    function.at(expected, np.arange(N) % 7, given)
    for context in require_devices():
        found = start.copy()
        run(context, module, N, {"cells": found, "values": given})
        np.testing.assert_array_equal(found, expected)


def test_flags_need_no_atomic_operation() -> None:
    cells, values = node_array("cells", ir.Element.BOOL), node_array("values", ir.Element.BOOL)
    body = [ir.UpdateCell(ir.Combine.OR, cells, TARGET, load(values, V), shared=True)]
    text = OPENCL.kernels_text(module_of(over_nodes(body, [cells, values])))
    assert "if (values[v]) cells[v % 7] = true;" in text
    assert "atomic" not in text


@pytest.mark.parametrize("element", [ir.Element.FLOAT, ir.Element.DOUBLE])
def test_what_is_not_a_number_is_no_minimum(element: ir.Element) -> None:
    cells, values = node_array("cells", element), node_array("values", element)
    least = ir.ExtremeCell(ir.Combine.MIN, cells, number(0), load(values, V), (), shared=True)
    module = module_of(over_nodes([least], [cells, values]))
    given = np.arange(N).astype(DTYPES[element]) - 20
    given[::2] = np.nan
    for context in require_devices():
        found = np.full(N, np.inf, DTYPES[element])
        run(context, module, N, {"cells": found, "values": given})
        assert found[0] == -19


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("extreme", [ir.Combine.MIN, ir.Combine.MAX])
def test_a_lock_keeps_what_is_carried_consistent(extreme: ir.Combine, element: ir.Element) -> None:
    best, who = node_array("best", element), node_array("who", ir.Element.NODE)
    values, lock = node_array("values", element), ir.Array("lock", ir.Element.INT, ir.Extent.NODES, ir.Origin.TEMPORARY)
    take = ir.ExtremeCell(
        extreme, best, TARGET, load(values, V), (ir.Carry(who, TARGET, ir.Ref(V)),), shared=True, lock=lock
    )
    module = module_of(over_nodes([take], [best, who, values, lock]))
    assert "volatile int *who" in OPENCL.kernels_text(module)
    given = np.random.default_rng(1).permutation(N).astype(DTYPES[element])
    start = np.full(N, 2 * N if extreme is ir.Combine.MIN else -1, DTYPES[element])
    for context in require_devices():
        found, winner = start.copy(), np.full(N, -1, np.int32)
        run(context, module, N, {"best": found, "who": winner, "values": given, "lock": np.zeros(N, np.int32)})
        for cell in range(7):
            group = given[cell::7]
            assert found[cell] == (group.min() if extreme is ir.Combine.MIN else group.max())
            assert given[winner[cell]] == found[cell]


@every_reduction
def test_reductions_combine_every_contribution(combine: ir.Combine, element: ir.Element) -> None:
    values, total = node_array("values", element), ir.Variable("total", element)
    kernel = over_nodes([ir.Contribute(total, load(values, V))], [values], reductions=[ir.Reduction(total, combine)])
    given = (
        np.ones(N, DTYPES[element]) if combine is ir.Combine.MULTIPLY else (np.arange(N) % 90).astype(DTYPES[element])
    )
    given = (given > 3).astype(np.uint8) if element is ir.Element.BOOL else given
    reduce = {
        "+": np.add, "*": np.multiply, "&&": np.logical_and, "||": np.logical_or, "&": np.bitwise_and,
        "|": np.bitwise_or, "^": np.bitwise_xor, "min": np.minimum, "max": np.maximum,
    }[combine.value].reduce  # fmt: skip
    for context in require_devices():
        found = run(context, module_of(kernel), N, {"values": given})
        assert found["total"] == reduce(given)


def test_one_atomic_operation_for_a_group_at_most() -> None:
    total = variable("total", ir.Element.LONG)
    values = node_array("values", ir.Element.LONG)
    kernel = over_nodes(
        [ir.Contribute(total, load(values, V))], [values], reductions=[ir.Reduction(total, ir.Combine.ADD)]
    )
    text = OPENCL.kernels_text(module_of(kernel))
    assert "if (get_local_id(0) == 0) atom_add(total, total_part);" in text
    assert "total_part = (long)((ulong)total_part + values[v]);" in text


def test_one_thread_runs_sequential_pieces() -> None:
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
    kernel = ir.Kernel(
        "once", ir.Once(), None, body, arrays=(cells,), reductions=(ir.Reduction(total, ir.Combine.ADD),)
    )
    for context in require_devices():
        for n, second in ((4, 0), (6, 9)):
            found = np.zeros(n, np.int32)
            assert run(context, module_of(kernel), n, {"cells": found})["total"] == 4
            assert list(found[:2]) == [3, second]


def test_functions_get_what_they_need() -> None:
    cells, scale, x = node_array("cells", ir.Element.INT), variable("scale"), variable("x")
    inner_cells = node_array("xs", ir.Element.INT, ir.Origin.PARAMETER)
    grow = ir.Function(
        "grow",
        (ir.Parameter(x, by_reference=True), ir.Parameter(inner_cells)),
        ir.Element.INT,
        (
            ir.SetLocal(x, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(x), ir.NumNodes(), ir.Element.INT)),
            ir.Store(inner_cells, ir.Ref(x), number(1)),
            ir.KernelReturn(ir.Ref(x)),
        ),
    )
    local = variable("y")
    body = [
        ir.Let(local, ir.Ref(scale)),
        ir.KernelCall(ir.CallFunction("grow", (local, cells), ir.Element.INT)),
        ir.Store(cells, ir.Ref(V), ir.Ref(local)),
    ]
    text = OPENCL.kernels_text(module_of(over_nodes(body, [cells], scalars=[scale]), grow))
    assert "static int grow(int num_nodes, int *x, __global int *xs) {" in text
    assert "*x = (int)((uint)*x + num_nodes);" in text
    assert "grow(num_nodes, &y, cells);" in text
    for context in require_devices():
        build(context, text)


@pytest.mark.parametrize("element", [ir.Element.INT, ir.Element.LONG])
def test_conversions_stop_at_the_ends(element: ir.Element) -> None:
    reals, cells = node_array("reals", ir.Element.DOUBLE), node_array("cells", element)
    module = module_of(over_nodes([ir.Store(cells, ir.Ref(V), ir.Cast(load(reals, V), element))], [reals, cells]))
    given = np.array([1e30, -1e30, np.nan, np.inf, -np.inf, 2.9, -2.9])
    limit = np.iinfo(DTYPES[element])
    for context in require_devices():
        found = np.zeros(len(given), DTYPES[element])
        run(context, module, len(given), {"reals": given, "cells": found})
        assert list(found) == [limit.max, limit.min, 0, limit.max, limit.min, 2, -2]


def test_only_needed_extensions_are_asked_for() -> None:
    assert extensions(sssp()) == ()
    cells = node_array("cells", ir.Element.DOUBLE)
    value = ir.Const(1.0, ir.Element.DOUBLE)
    module = module_of(over_nodes([ir.UpdateCell(ir.Combine.ADD, cells, TARGET, value, shared=True)], [cells]))
    assert extensions(module) == ("cl_khr_fp64", "cl_khr_int64_base_atomics")


def test_what_a_target_cannot_do_is_refused_by_name() -> None:
    cells = node_array("cells", ir.Element.LONG)
    update = ir.UpdateCell(ir.Combine.ADD, cells, TARGET, ir.Const(1, ir.Element.LONG), shared=True)
    narrow = Capabilities(CAPABILITIES.atomics - {(ir.Combine.ADD, ir.Element.LONG)}, frozenset({32}))
    with pytest.raises(DiagnosticError) as refused:
        view(module_of(over_nodes([update], [cells])), narrow, SPELLING)
    assert refused.value.diagnostics[0].code == "E0604"


def test_program_text_stays_in_comments_and_marks() -> None:
    from dataclasses import replace

    name = 'a"b\\\nint x;??/.sp'
    text = sssp().source.text.replace("filter(modified == True)) {", "filter(modified == True)) { // \\")
    module = replace(sssp(), source=SourceFile(name, text))
    emitted = OPENCL.kernels_text(module)
    assert "\nint x;" not in emitted
    for context in require_devices():
        build(context, emitted)


def test_parameters_are_in_the_promised_order() -> None:
    from starplat.backends.launch import ArgumentKind, kernel_parameters

    module = sssp()
    kinds = [argument.kind for argument in kernel_parameters(module, module.kernels[1])]
    assert kinds == [ArgumentKind.NUM_NODES, ArgumentKind.ARRAY, ArgumentKind.REDUCTION]
