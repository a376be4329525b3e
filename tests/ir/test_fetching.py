"""Adding to a cell and swapping it, with what it held before, are one piece on every target."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_kernel
from starplat.ir.verifying.modules import InvalidModule, verify
from starplat.runtime import bind, run_module
from tests.backends.modules import V, module_of, node_array, number, over_nodes
from tests.backends.test_cuda import to_machine_code
from tests.programs.targets import Target, every_target

N, ROOMS = 2000, 7
ROOM = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(V), number(ROOMS), ir.Element.INT)
ELEMENTS = [ir.Element.INT, ir.Element.NODE, ir.Element.LONG]


def kernel(op: type[ir.FetchAdd] | type[ir.CompareSwap], element: ir.Element) -> ir.Kernel:
    """Every node takes what a cell of its room holds, and leaves it one more, or its number where there was 0."""
    cells, seen = node_array("cells", element, ir.Origin.PARAMETER), node_array("seen", element, ir.Origin.PARAMETER)
    held, zero = ir.Variable("held", element), ir.Const(0, element)
    one = ir.Const(1, element)
    mine = ir.Cast(ir.Binary(ir.BinaryOperator.ADD, ir.Ref(V), number(1), ir.Element.NODE), element)
    taken: ir.KernelOp = (
        ir.FetchAdd(held, cells, ROOM, one) if op is ir.FetchAdd else ir.CompareSwap(held, cells, ROOM, zero, mine)
    )
    return over_nodes([ir.Let(held, zero), taken, ir.Store(seen, ir.Ref(V), ir.Ref(held))], [cells, seen])


def ran(module: ir.Module, target: Target) -> tuple[NDArray[Any], NDArray[Any]]:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    graph = Graph.from_arcs(N, [], [])
    result = run_module(
        module, graph, target=target.target, device_index=target.device or 0, arguments=bind(module, graph, {})
    )
    return result["cells"].astype(np.int64), result["seen"].astype(np.int64)


@every_target
@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element.value)
def test_no_two_fetch_the_same(element: ir.Element, target: Target) -> None:
    module = checked(kernel(ir.FetchAdd, element))
    cells, seen = ran(module, target)
    for room in range(ROOMS):
        there = np.sort(seen[room::ROOMS])
        np.testing.assert_array_equal(there, np.arange(there.size))
        assert cells[room] == there.size


@every_target
@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element.value)
def test_one_swap_succeeds_and_all_others_see_it(element: ir.Element, target: Target) -> None:
    cells, seen = ran(checked(kernel(ir.CompareSwap, element)), target)
    for room in range(ROOMS):
        winner = cells[room] - 1
        assert winner % ROOMS == room
        assert seen[winner] == 0
        others = np.delete(seen[room::ROOMS], winner // ROOMS)
        assert (others == cells[room]).all()


@every_target
def test_no_two_set_a_bit_at_once(target: Target) -> None:
    """Of the 32 nodes of a word each finds other bits set than all the others, never its own."""
    cells, seen = ran(checked(bit_setting()), target)
    words = np.bitwise_count(seen.astype(np.uint32))
    for word in range(N // 32):
        np.testing.assert_array_equal(np.sort(words[32 * word : 32 * word + 32]), np.arange(32))
        assert cells[word] == -1
    assert not (seen.astype(np.uint32) >> np.arange(N) % 32 & 1).any()


def bit_setting() -> ir.Kernel:
    """Every node sets its own bit, and takes what the word held."""
    cells, seen = (
        node_array("cells", ir.Element.INT, ir.Origin.PARAMETER),
        node_array("seen", ir.Element.INT, ir.Origin.PARAMETER),
    )
    held = ir.Variable("held", ir.Element.INT)
    word = ir.Binary(ir.BinaryOperator.DIVIDE, ir.Ref(V), number(32), ir.Element.INT)
    place = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(V), number(32), ir.Element.INT)
    bit = ir.Binary(ir.BinaryOperator.SHIFT_LEFT, number(1), place, ir.Element.INT)
    return over_nodes(
        [ir.Let(held, number(0)), ir.FetchOr(held, cells, word, bit), ir.Store(seen, ir.Ref(V), ir.Ref(held))],
        [cells, seen],
    )


@pytest.mark.parametrize("element", [*ELEMENTS, ir.Element.ARC], ids=lambda element: element.value)
@pytest.mark.parametrize("op", [ir.FetchAdd, ir.CompareSwap])
def test_cuda_takes_them(op: type[ir.FetchAdd] | type[ir.CompareSwap], element: ir.Element, tmp_path: Path) -> None:
    flags = ("-DARC_64",) if element is ir.Element.ARC else ()
    to_machine_code(BACKENDS["cuda"].kernels_text(checked(kernel(op, element))), tmp_path, *flags)


@pytest.mark.parametrize("flag", ["openmp", "openacc"])
def test_a_compiler_that_checks_the_index_takes_them(flag: str, tmp_path: Path) -> None:
    """GCC takes both halves for one cell only if they name it alike, which a checked division does not."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    (tmp_path / "kernels.cpp").write_text(BACKENDS[flag].kernels_text(checked(bit_setting())), encoding="utf-8")
    command = ["g++", "-std=c++17", f"-f{flag}", "-foffload=disable", "-fsanitize=undefined", "-c", "kernels.cpp"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_a_value_that_mentions_the_local_is_worked_out_before() -> None:
    cells, held = node_array("cells", ir.Element.INT, ir.Origin.PARAMETER), ir.Variable("held", ir.Element.INT)
    double = ir.Binary(ir.BinaryOperator.ADD, ir.Ref(held), ir.Ref(held), ir.Element.INT)
    swap = ir.CompareSwap(held, cells, ir.Ref(held), ir.Ref(held), double)
    module = module_of(over_nodes([ir.Let(held, number(2)), swap], [cells]))
    lines = BACKENDS["openmp"].kernels_text(module).splitlines()
    before = [line.strip() for line in lines if "held" in line]
    assert before[1:4] == ["const int cell = held;", "const int value = held + held;", "held = held;"]


def test_they_read_well() -> None:
    text = print_kernel(kernel(ir.FetchAdd, ir.Element.INT)) + print_kernel(kernel(ir.CompareSwap, ir.Element.INT))
    assert "held = fetch cells[v % 7] += 1" in text
    assert "held = swap cells[v % 7] from 0 to" in text
    assert "held = fetch cells[v / 32] |= 1 << v % 32" in print_kernel(bit_setting())
    lines = BACKENDS["opencl"].kernels_text(checked(bit_setting()))
    assert "const int held = atomic_or(&cells[v / 32], 1 << (v % 32));" in lines


@pytest.mark.parametrize("element", [ir.Element.FLOAT, ir.Element.BOOL])
def test_only_integers_are_fetched(element: ir.Element) -> None:
    cells, held = node_array("cells", element), ir.Variable("held", element)
    start = ir.Const(False if element is ir.Element.BOOL else 0.0, element)
    with pytest.raises(InvalidModule, match="cannot hold"):
        verify(
            module_of(over_nodes([ir.Let(held, start), ir.CompareSwap(held, cells, ir.Ref(V), start, start)], [cells]))
        )


@pytest.mark.parametrize(("element", "value"), [(ir.Element.INT, 2), (ir.Element.LONG, 1)])
def test_in_runs_only_1_is_added_to_ints(element: ir.Element, value: int) -> None:
    cells, held = node_array("cells", element), ir.Variable("held", element)
    add = ir.FetchAdd(held, cells, ir.Ref(V), ir.Const(value, element), in_runs=True)
    with pytest.raises(InvalidModule, match="in runs"):
        verify(module_of(over_nodes([ir.Let(held, ir.Const(0, element)), add], [cells])))


def test_what_receives_is_a_local() -> None:
    cells = node_array("cells", ir.Element.NODE)
    with pytest.raises(InvalidModule, match="no local"):
        verify(module_of(over_nodes([ir.FetchAdd(V, cells, ir.Ref(V), number(1))], [cells])))


def test_an_index_outside_is_refused_by_the_interpreter() -> None:
    cells, held = node_array("cells", ir.Element.INT, ir.Origin.PARAMETER), ir.Variable("held", ir.Element.INT)
    module = module_of(over_nodes([ir.Let(held, number(0)), ir.FetchAdd(held, cells, number(-1), number(1))], [cells]))
    graph = Graph.from_arcs(3, [], [])
    with pytest.raises(DiagnosticError) as caught:
        run_module(module, graph, target="reference", arguments=bind(module, graph, {}))
    assert caught.value.diagnostics[0].code == "E0704"


def checked(kernel: ir.Kernel) -> ir.Module:
    """A well-formed module that launches the kernel."""
    module = module_of(kernel)
    verify(module)
    return module
