"""Which arrays target `cuda` uses where they lie, told with a stand-in for CuPy; kernels run on real GPUs elsewhere."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.interpreting.interpreter import KernelRunner
from starplat.runtime import run_module
from starplat.runtime.devices.cuda import CudaDevice
from starplat.runtime.devices.device import Kernels
from starplat.runtime.elements import is_for_all
from starplat.runtime.session import default_session
from starplat.schedule.parse import parse_schedule
from tests.runtime.programs import A, B, increment, module
from tests.runtime.standin import Array, CuPy, PinnedMemory, RuntimeFaultError, Stream

GRAPH = Graph.from_arcs(5, [0, 1, 2], [1, 2, 3])
PROGRAM = module(ir.Launch("increment"), parameters=(A, B), kernels=(increment(A),))


class InterpretedKernels(Kernels):
    """The interpreter on the stand-in's cells."""

    def _launch(self, kernel: Any, arrays: Any, scalars: Any, size: Any) -> Any:
        cells = {array.name: arrays[array.name].memory.cells[: arrays[array.name].count] for array in kernel.arrays}
        runner = KernelRunner(self.module)
        return dict(runner.run(kernel.name, cells, {}, size.num_nodes, size.num_arcs))


class StandInDevice(CudaDevice):
    """GPU 0, with the interpreter for kernels."""

    def build(self, module: Any, *, wide_arcs: bool) -> Kernels:
        return InterpretedKernels(self, module, wide_arcs)


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> CuPy:
    made = CuPy()
    monkeypatch.setitem(default_session()._devices, ("cuda", 0), StandInDevice(made, 0))
    return made


def run(**arguments: Any) -> Any:
    return run_module(PROGRAM, GRAPH, target="cuda", arguments=arguments, device_results=True)


def test_cupys_arrays_are_used_in_place(cupy: CuPy) -> None:
    a, b = cupy.of([10] * 5), cupy.of([3] * 5)
    result = run(a=a, b=b)
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    assert result["a"] is a
    assert result["b"] is b
    assert a.get().tolist() == [11, 12, 13, 14, 15]
    device = default_session().device("cuda")
    assert isinstance(device, CudaDevice)
    assert device.device.waited == 2  # for whatever stream they were made on


def test_whatever_speaks_cudas_interface_or_dlpack_is_used_in_place(cupy: CuPy) -> None:
    inner = cupy.of([10] * 5)
    spoken = SimpleNamespace(__cuda_array_interface__=inner.__cuda_array_interface__)
    cupy.asarray = lambda value: inner if value is spoken else value  # type: ignore[method-assign]
    assert run(a=spoken).bytes.up == 0
    assert inner.get().tolist() == [11, 12, 13, 14, 15]

    class Packed:
        inner = cupy.of([20] * 5)

        def __dlpack__(self) -> Any: ...

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    assert run(a=Packed()).bytes.up == 0
    assert Packed.inner.get().tolist() == [21, 22, 23, 24, 25]


@pytest.mark.parametrize("which", ["other GPU", "other type", "gaps"])
def test_other_arrays_are_brought_over(cupy: CuPy, which: str) -> None:
    given = {
        "other GPU": cupy.of([10] * 5, number=1),
        "other type": cupy.of([10] * 5, np.int64),
        "gaps": Array(np.array([10, 0] * 5, np.int32)[::2]),
    }[which]
    result = run(a=given)
    assert result.bytes.up == 5 * 4
    assert result["a"].get().tolist() == [11, 12, 13, 14, 15]
    assert given.get().tolist() == [10] * 5


def test_arrays_that_are_read_only_are_copied_on_the_device(cupy: CuPy) -> None:
    given = cupy.of([10] * 5)
    given.cells.flags.writeable = False
    result = run(a=given)
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    assert result["a"].get().tolist() == [11, 12, 13, 14, 15]
    assert given.get().tolist() == [10] * 5


def test_memory_that_is_no_whole_words_is_copied_and_comes_home(cupy: CuPy) -> None:
    given = cupy.of([10] * 5, room=18)
    result = run(a=given)
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    assert result["a"] is given
    assert given.get().tolist() == [11, 12, 13, 14, 15]


def test_a_run_that_would_not_fit_is_refused(cupy: CuPy) -> None:
    cupy.free = 30
    with pytest.raises(DiagnosticError, match=r"E0908.*needs 40 bytes more on Stand-in, which has 30 bytes free"):
        run()


def test_a_fault_costs_the_device(cupy: CuPy, monkeypatch: pytest.MonkeyPatch) -> None:
    class FaultyStream(Stream):
        def synchronize(self) -> None:
            raise RuntimeFaultError("cudaErrorIllegalAddress: an illegal memory access was encountered")

    monkeypatch.setattr(cupy.cuda, "get_current_stream", FaultyStream)
    with pytest.raises(DiagnosticError, match=r"E0906.*illegal memory access") as caught:
        run()
    assert caught.value.exit_code is ExitCode.NO_DEVICE
    assert ("cuda", 0) not in default_session()._devices


def test_runs_are_timed_by_the_devices_own_clock(cupy: CuPy) -> None:
    """The stand-in's clock goes on by a millisecond from the event before a run to the one behind it."""
    result = run_module(PROGRAM, GRAPH, target="cuda", arguments={"a": [1] * 5, "b": [2] * 5}, repeat=3)
    assert result.seconds.run == pytest.approx((1e-3, 1e-3, 1e-3))


SUM = starplat.compile("""
function sum(Graph g, propEdge<int> weight, propNode<int> total) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.total += e.weight;
        }
    }
}
""")


def test_mapped_arrays_lie_in_page_locked_memory(cupy: CuPy) -> None:
    graph = Graph.from_arcs(5, [0, 1, 1], [1, 2, 3], [7, 8, 9])
    result = run_module(SUM.module(), graph, target="cuda", schedule=parse_schedule("memory=mapped"))
    assert result["total"].tolist() == [7, 17, 0, 0, 0]
    assert result["weight"].tolist() == [7, 8, 9]
    assert (result.bytes.up, dict(result.estimate.mapped)) == (4 * 6, {"columns": 12, "weight": 12})
    kept = run_module(
        SUM.module(), graph, target="cuda", schedule=parse_schedule("memory=mapped"), device_results=True
    )["weight"]
    assert kept.get().tolist() == [7, 8, 9]


def test_too_little_page_locked_memory_is_said(cupy: CuPy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PinnedMemory, "room", 8)
    with pytest.raises(DiagnosticError) as raised:
        run_module(SUM.module(), GRAPH, target="cuda", schedule=parse_schedule("memory=mapped"))
    (said,) = raised.value.diagnostics
    assert (said.code, "the host, for Stand-in," in said.message) == ("E0903", True)


def test_pages_are_locked_once_and_as_long_as_their_array_lives(cupy: CuPy) -> None:
    device, cells, few = CudaDevice(cupy, 0), np.zeros(1 << 18, np.int32), np.zeros(99, np.int32)
    for _ in range(2):
        device.lock_pages(cells)
        device.lock_pages(few)
    assert cupy.locked == {cells.ctypes.data: 1 << 20}
    del cells
    assert not cupy.locked


def test_pages_that_two_arrays_share_stay_as_long_as_one_lives(cupy: CuPy) -> None:
    device, whole = CudaDevice(cupy, 0), np.zeros(1 << 20, np.int32)
    address, first, again = whole.ctypes.data, whole[: 1 << 18], whole[: 1 << 18]
    assert device.lock_pages(first)
    assert device.lock_pages(again)
    assert not device.lock_pages(whole)  # of which these are a part only
    del first
    assert cupy.locked == {address: 1 << 20}
    del again
    assert not cupy.locked


@pytest.mark.filterwarnings("error")
def test_pages_of_a_device_that_has_failed_are_let_go_without_a_word(cupy: CuPy) -> None:
    def fails(address: int) -> None:
        raise RuntimeFaultError("cudaErrorIllegalAddress", 700)

    cells, device = np.zeros(1 << 18, np.int32), CudaDevice(cupy, 0)
    assert device.lock_pages(cells)
    cupy.cuda.runtime.hostUnregister = fails
    del cells
    assert not device._locked


def test_pages_that_somebody_else_has_locked_count_if_all_are(cupy: CuPy) -> None:
    device, whole = CudaDevice(cupy, 0), np.zeros(1 << 20, np.int32)
    cupy.locked[whole.ctypes.data] = 1 << 21
    assert device.lock_pages(whole[: 1 << 19])
    assert not device.lock_pages(whole[1 << 18 :])
    assert not device.lock_pages(whole)
    assert cupy.locked == {whole.ctypes.data: 1 << 21}


def test_one_value_for_all_lies_in_one_page_and_is_not_locked(cupy: CuPy) -> None:
    cells = np.lib.stride_tricks.as_strided(np.ones(1, np.int32), (1 << 18,), (0,))
    assert is_for_all(cells)
    CudaDevice(cupy, 0).lock_pages(cells)
    assert not cupy.locked


def test_pages_of_a_file_are_locked_where_memory_holds_them(cupy: CuPy, tmp_path: Path) -> None:
    np.zeros(1 << 18, np.int32).tofile(tmp_path / "cells")
    cells = np.memmap(tmp_path / "cells", np.int32, "c")[:].view(np.ndarray)
    device = CudaDevice(cupy, 0)
    with device.limited(None, (1 << 20) - 1):
        assert not device.lock_pages(cells)
        assert device.lock_pages(np.zeros(1 << 18, np.int32))  # which are in memory in any case
    assert device.lock_pages(cells)


def test_pages_that_cannot_be_locked_are_let_be(cupy: CuPy) -> None:
    cells = np.zeros(1 << 18, np.int32)
    cells.flags.writeable = False
    CudaDevice(cupy, 0).lock_pages(cells)
    assert not cupy.locked


UNIFIED = parse_schedule("memory=unified")


def test_managed_memory_is_to_lie_on_the_device_and_counts_as_its_own(cupy: CuPy) -> None:
    graph = Graph.from_arcs(5, [0, 1, 1], [1, 2, 3], [7, 8, 9])
    result = run_module(SUM.module(), graph, target="cuda", schedule=UNIFIED)
    assert result["total"].tolist() == [7, 17, 0, 0, 0]
    assert cupy.advised == [(3, 0)] * 2  # columns and weights
    assert (result.bytes.up, dict(result.estimate.mapped)) == (4 * (6 + 3 + 3), {})
    assert result.estimate.total == 4 * (6 + 3 + 3 + 5)


def test_managed_memory_beyond_what_is_free_is_refused(cupy: CuPy) -> None:
    graph = Graph.from_arcs(5, [0, 1, 1], [1, 2, 3], [7, 8, 9])
    cupy.free = 60
    with pytest.raises(DiagnosticError, match=r"E0908.*needs 68 bytes more on Stand-in, which has 60 bytes free"):
        run_module(SUM.module(), graph, target="cuda", schedule=UNIFIED)
    assert not cupy.advised
