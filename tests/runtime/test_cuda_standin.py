"""Which arrays target `cuda` uses where they lie, told with a stand-in for CuPy; kernels run on real GPUs elsewhere."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.launch import ArgumentKind, KernelArgument
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.interpreting.interpreter import KernelRunner
from starplat.runtime import run_module
from starplat.runtime.devices.cuda import CudaDevice, Entry
from starplat.runtime.devices.device import Kernels
from starplat.runtime.devices.together import board_for
from starplat.runtime.elements import is_for_all
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.parts.threads import in_threads
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


def gpu(cupy: CuPy) -> CudaDevice:
    device = default_session().device("cuda")
    assert isinstance(device, CudaDevice)
    return device


def test_a_clock_ends_with_what_the_host_has_waited_for(cupy: CuPy) -> None:
    """Not when the host, which has had its answer, finds out that nothing follows; what it asks for then counts."""
    device = gpu(cupy)
    buffer = device.allocate(np.dtype(np.int32), 5)
    stop = device.stopwatch()
    device.fill(buffer, 3)
    assert device.read_cell(buffer, 4) == 3
    assert stop() == pytest.approx(1e-3)  # from the first operation to the answer, one event later
    stop = device.stopwatch()
    device.read_cell(buffer, 4)
    device.fill(buffer, 5)
    assert stop() == pytest.approx(2e-3)
    stop = device.stopwatch()
    assert stop() == pytest.approx(1e-3)  # of nothing: what was read before is not what it ends with


def test_clocks_of_parts_go_on_while_they_exchange_on_the_host(cupy: CuPy, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = InterpretedKernels._launch

    def launched(self: InterpretedKernels, kernel: Any, arrays: Any, *rest: Any) -> Any:
        found = launch(self, kernel, arrays, *rest)
        self.device.read_cell(arrays[A.name], 0)
        return found

    def seconds(communicator: Communicator | None) -> float:
        return run_module(PROGRAM, GRAPH, target="cuda", communicator=communicator).seconds.run[0]

    monkeypatch.setattr(InterpretedKernels, "_launch", launched)
    assert seconds(None) == pytest.approx(1e-3)
    assert in_threads(1, seconds) == [pytest.approx(2e-3)]


@pytest.mark.parametrize("room", [2**30, 0])
def test_few_cells_land_in_locked_pages_where_there_are_some(
    cupy: CuPy, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(PinnedMemory, "room", room)
    copied: list[int] = []
    plain = cupy.cuda.runtime.memcpyAsync
    cupy.cuda.runtime.memcpyAsync = lambda to, at, size, *rest: (copied.append(size), plain(to, at, size, *rest))
    device = gpu(cupy)
    for count in (3, 5000):
        buffer = device.allocate(np.dtype(np.int32), count)
        cells = np.arange(count, dtype=np.int32)
        device.upload(buffer, cells)
        assert device.download(buffer).tolist() == cells.tolist()
        assert device.read_cell(buffer, 2) == 2
    assert copied == ([12, 4, 4] if room else [])


@pytest.mark.parametrize("count", [2, 5000])
def test_words_are_taken_as_a_launch_left_them_and_are_fresh_then(cupy: CuPy, count: int) -> None:
    device = gpu(cupy)
    words = device.allocate_word(np.dtype(np.int64), count)
    device.fill(words, 7)
    stop = device.stopwatch()
    assert set(device.take_words(words, lambda: device.fill(words, 1)).tolist()) == {7}
    assert set(device.download_words(words).tolist()) == {1}
    assert stop() > 0


def test_a_kernel_finds_its_arguments_in_eight_bytes_each() -> None:
    types = (None, np.int32, np.float64, np.uint8, np.int64, np.float32)
    entry = Entry(SimpleNamespace(ptr=77), [None if one is None else np.dtype(one) for one in types])
    given = (2**63 + 5, np.int32(-7), np.float64(1.5), np.uint8(1), np.int64(-(2**40)), np.float32(np.inf))
    places = (ctypes.c_void_p * len(types)).from_address(entry.with_arguments(given))
    as_c = (ctypes.c_uint64, ctypes.c_int32, ctypes.c_double, ctypes.c_uint8, ctypes.c_int64, ctypes.c_float)
    assert [one.from_address(place).value for one, place in zip(as_c, places, strict=True)] == list(given)
    entry.with_arguments((3, *given[1:]))
    assert ctypes.c_uint64.from_address(places[0]).value == 3
    assert entry.address == 77


@pytest.mark.parametrize("kinds", [("BARRIER",), ("BARRIER", "OUTCOME"), ("FOUND", "BARRIER")])
def test_a_control_block_is_renewed_only_if_it_has_rings(cupy: CuPy, kinds: tuple[str, ...]) -> None:
    count = ir.Variable("count", ir.Element.INT)
    cells = ir.Array("found", ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
    start = ir.Const(0, ir.Element.INT)
    arguments = tuple(KernelArgument(ArgumentKind[kind], cells, count, start) for kind in kinds)
    assert board_for(gpu(cupy), arguments, wide_arcs=False).changes == ("FOUND" in kinds)


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
