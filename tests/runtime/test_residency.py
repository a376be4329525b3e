"""What lies on a device already is used there: graphs of earlier runs, the caller's arrays, results that stay."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import run_module
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.opencl import OpenCLDevice
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.resident import on_device
from starplat.runtime.session import default_session
from starplat.schedule import PLAIN
from tests.backends.modules import sssp
from tests.runtime.devices import device_of, every_target
from tests.runtime.programs import A, B, increment, module, number

PROGRAM = starplat.compile("""
function step(Graph g, propNode<int> a, propNode<int> b, propNode<bool> odd, propNode<node> who) {
    forall (v in g.nodes()) {
        v.a = v.a + v.b;
        v.odd = !v.odd;
        v.who = v;
    }
}
""")
PATH = Graph.from_arcs(5, [0, 1, 2], [1, 2, 3], index_base=1)


def roads(seed: int = 3) -> Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, 50, (2, 300))
    return Graph.from_arcs(50, ends[0], ends[1], generator.integers(1, 9, 300))


@pytest.fixture
def arrays() -> Any:
    """pyopencl's arrays, in a context of the caller's own: `arrays.of(…)` makes one."""
    device = device_of("opencl")
    assert isinstance(device, OpenCLDevice)
    cl = device.cl
    from pyopencl.array import to_device

    context = cl.Context([device.device])
    queue = cl.CommandQueue(context)
    return SimpleNamespace(of=lambda values, dtype=np.int32: to_device(queue, np.array(values, dtype)), keep=context)


# --- graphs --------------------------------------------------------------------------------------------------------


def moved(graph: Graph, target: str) -> int:
    return run_module(sssp(), graph, target=target, arguments={"src": 0}, results=[]).bytes.up


BOTH_WAYS = starplat.compile("""
function both(Graph g, propNode<int> sum) {
    forall (v in g.nodes()) {
        forall (u in g.nodes_to(v)) {
            v.sum += u + 1;
        }
        forall (w in g.neighbors(v)) {
            v.sum += 100 * (w + 1);
        }
    }
}
""")


@every_target
def test_incoming_arcs_of_an_undirected_graph_are_not_brought_again(target: str) -> None:
    """They lie as the outgoing ones do."""
    device_of(target)
    directed = Graph.from_arcs(4, [0, 1, 1, 2, 2], [1, 0, 2, 1, 2])
    undirected = Graph.from_arcs(4, [0, 1, 2], [1, 2, 2], directed=False)
    one, other = (BOTH_WAYS.run(graph, target=target) for graph in (directed, undirected))
    assert one["sum"].tolist() == other["sum"].tolist() == [202, 404, 505, 0]
    assert (one.bytes.up, other.bytes.up) == (2 * 4 * (5 + 5), 4 * (5 + 5))


@every_target
def test_more_nodes_than_kernels_can_count_are_refused(target: str) -> None:
    device = device_of(target)
    assert device.most_nodes == 2**31 - 1 - (0 if target == "reference" else 2**24)
    device.require_countable(device.most_nodes)
    with pytest.raises(DiagnosticError, match="E0811"):
        device.require_countable(device.most_nodes + 1)


def test_a_run_on_too_many_nodes_is_refused_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(device_of("openmp")), "most_nodes", 49)
    with pytest.raises(DiagnosticError) as raised:
        PROGRAM.run(roads(), target="openmp")
    said = raised.value.diagnostics[0]
    assert said.message == "the graph has 50 nodes, and kernels of target openmp count up to 49"
    assert said.help == "use --target reference"


@every_target
def test_several_graphs_stay_on_a_device(target: str) -> None:
    device_of(target)
    graphs = [roads(seed) for seed in range(3)]
    first = [moved(graph, target) for graph in graphs]
    assert all(up > 4 * 600 for up in first)
    flag = 1 if target == "reference" else 0  # of src.modified; elsewhere a launch puts src into a set
    assert [moved(graph, target) for graph in (*graphs, *graphs)] == [flag + 4] * 6  # src.dist


@every_target
def test_a_graph_that_nobody_has_leaves_its_device(target: str) -> None:
    device = device_of(target)
    gc.collect()
    graph = roads()
    before = arrays_on(device)
    moved(graph, target)
    assert arrays_on(device) > before
    on_device(device, roads(4))
    del graph
    gc.collect()
    assert arrays_on(device) <= before


def arrays_on(device: Device) -> int:
    """How many there are, the words of reductions aside."""
    return sum(buffer.count > 1 for buffer in device._ours)


class SmallDevice(ReferenceDevice):
    """A device with room for so many bytes; `tells` whether it says so before it is full."""

    def __init__(self, room: int, tells: bool = True) -> None:
        super().__init__()
        self.room, self.tells = room, tells

    def _free_memory(self) -> int | None:
        return self.room - self.held if self.tells else None

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        if self.held + dtype.itemsize * count > self.room:
            raise MemoryError
        return super()._allocate(dtype, count)


def opened(monkeypatch: pytest.MonkeyPatch, device: ReferenceDevice) -> None:
    monkeypatch.setitem(default_session()._devices, ("reference", 0), device)


@pytest.mark.parametrize("tells", [True, False])
def test_a_graph_makes_room_for_another(monkeypatch: pytest.MonkeyPatch, tells: bool) -> None:
    opened(monkeypatch, SmallDevice(6000, tells))
    graphs = [roads(seed) for seed in range(3)]
    whole = [moved(graph, "reference") for graph in graphs]
    assert moved(graphs[2], "reference") == 5
    assert moved(graphs[0], "reference") == whole[0]
    assert [dist.tolist() for dist in map(distances, graphs)] == [dist.tolist() for dist in map(distances, graphs)]


def distances(graph: Graph) -> Any:
    return run_module(sssp(), graph, target="reference", arguments={"src": 0})["dist"]


def test_a_run_that_would_not_fit_is_refused_with_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    device = SmallDevice(2000)
    opened(monkeypatch, device)
    with pytest.raises(
        DiagnosticError, match=r"E0908.*needs 2\.8 KiB more on interpreter, which has 2\.0 KiB free"
    ) as caught:
        run_module(sssp(), roads(), target="reference", arguments={"src": 0}, schedule=PLAIN)
    assert caught.value.exit_code is ExitCode.NO_DEVICE
    assert device.traffic.launches == 0
    small = Graph.from_arcs(3, [0, 1], [1, 2])
    assert run_module(sssp(), small, target="reference", arguments={"src": 0})["dist"].tolist() == [0, 1, 2]


@every_target
def test_the_estimate_is_what_a_run_takes(target: str) -> None:
    device = device_of(target)
    graph = roads()
    gc.collect()
    device.trim()
    before = set(device._ours)
    result = run_module(sssp(), graph, target=target, arguments={"src": 0})
    taken = sum(buffer.size for buffer in device._ours if buffer not in before)
    assert result.estimate.graph == 4 * (51 + 300 + 300)
    assert 0 <= taken - result.estimate.total <= 64  # the words of reductions
    device.forget_graphs([graph])


# --- arrays of pyopencl --------------------------------------------------------------------------------------------


def test_arrays_on_the_device_are_used_in_place_and_nothing_crosses(arrays: Any) -> None:
    a, b, odd = arrays.of([1, 2, 3, 4, 5]), arrays.of([10] * 5), arrays.of([1, 0, 1, 0, 1], np.bool_)
    result = PROGRAM.run(PATH, target="opencl", device_results=True, a=a, b=b, odd=odd)
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    assert result["a"] is a
    assert result["b"] is b
    assert a.get().tolist() == [11, 12, 13, 14, 15]
    assert b.get().tolist() == [10] * 5
    assert odd.get().tolist() == [False, True, False, True, False]
    assert result["who"].get().tolist() == [0, 1, 2, 3, 4]
    assert result.on_host("who").tolist() == [1, 2, 3, 4, 5]
    assert result.summary("a").sum == 65
    again = PROGRAM.run(PATH, target="opencl", results=["a"], a=result["a"], b=b, who=result["who"])
    assert (again.bytes.up, again.bytes.down) == (0, 5 * 4)
    assert again["a"].tolist() == [21, 22, 23, 24, 25]


def test_repetitions_start_from_the_same_array_on_the_device(arrays: Any) -> None:
    a, b = arrays.of([1] * 5), arrays.of([10] * 5)
    result = PROGRAM.run(PATH, target="opencl", device_results=True, repeat=3, a=a, b=b)
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    assert a.get().tolist() == [11] * 5


@pytest.mark.parametrize("start", [1, 16, 59])
def test_views_are_changed_in_place(arrays: Any, start: int) -> None:
    whole, odd = arrays.of(range(64)), arrays.of([0] * 64, np.bool_)
    result = PROGRAM.run(
        PATH,
        target="opencl",
        device_results=True,
        a=whole[start : start + 5],
        b=arrays.of([100] * 5),
        odd=odd[start : start + 5],
    )
    assert (result.bytes.up, result.bytes.down) == (0, 0)
    inside = range(start, start + 5)
    assert whole.get().tolist() == [i + 100 * (i in inside) for i in range(64)]
    assert np.flatnonzero(odd.get()).tolist() == list(inside)


def test_arrays_of_another_type_or_elsewhere_go_through_the_host(arrays: Any) -> None:
    wide = arrays.of([1] * 5, np.int64)
    result = PROGRAM.run(PATH, target="opencl", results=[], a=wide, b=arrays.of([10] * 5))
    assert (result.bytes.up, result.bytes.down) == (5 * 4, 5 * 4)
    assert wide.get().tolist() == [1] * 5
    here = PROGRAM.run(PATH, target="reference", results=["a"], a=wide, b=arrays.of([10] * 5))
    assert here["a"].tolist() == [11] * 5
    assert here.bytes.up == 2 * 5 * 4


def test_nodes_in_arrays_on_devices_are_numbers(arrays: Any) -> None:
    program = starplat.compile(
        "function f(Graph g, propNode<node> p, propNode<int> q) { forall (v in g.nodes()) { v.q = v.p == v ? 1 : 0; } }"
    )
    numbers = arrays.of([0, 1, 2, 3, -1])
    assert program.run(PATH, target="opencl", p=numbers)["q"].tolist() == [1, 1, 1, 1, 0]
    assert program.run(PATH, target="reference", p=numbers)["q"].tolist() == [1, 1, 1, 1, 0]
    assert program.run(PATH, target="reference", p=[1, 2, 3, 4, -1])["q"].tolist() == [1, 1, 1, 1, 0]
    with pytest.raises(DiagnosticError, match=r"E0706.*on a device nodes are numbers"):
        program.run(PATH, target="reference", p=arrays.of([1, 2, 3, 4, 5]))


def test_arrays_of_the_wrong_length_are_refused(arrays: Any) -> None:
    with pytest.raises(DiagnosticError, match="E0707"):
        PROGRAM.run(PATH, target="opencl", a=arrays.of([1] * 4))


def test_two_arguments_in_one_memory_are_refused_if_they_change(arrays: Any) -> None:
    cells = arrays.of(range(10))
    with pytest.raises(DiagnosticError, match=r"E0713.*'a' and 'b'"):
        PROGRAM.run(PATH, target="opencl", a=cells[:5], b=cells[4:9])
    result = PROGRAM.run(PATH, target="opencl", results=["a"], a=cells[:5], b=cells[5:])
    assert result["a"].tolist() == [5, 7, 9, 11, 13]


def test_validation_compares_with_what_the_arrays_held_before(arrays: Any) -> None:
    a, b = arrays.of([1] * 5), arrays.of([10] * 5)
    assert PROGRAM.run(PATH, target="opencl", validate=True, device_results=True, a=a, b=b).validated


def test_swapped_names_end_in_the_callers_arrays(arrays: Any) -> None:
    """`a` and `b` change places on the host, and `a` once more with a property of the function's own."""
    from tests.runtime.programs import LOCAL

    a, b = arrays.of([1] * 5), arrays.of([7] * 5)
    swapped = module(ir.Swap(A, B), ir.Launch("increment"), parameters=(A, B), kernels=(increment(A),))
    result = run_module(swapped, PATH, target="opencl", arguments={"a": a, "b": b}, device_results=True)
    assert a.get().tolist() == [8, 9, 10, 11, 12]
    assert b.get().tolist() == [1] * 5
    assert result["a"] is a
    local = module(ir.Fill(LOCAL, number(3)), ir.Swap(A, LOCAL), arrays=(LOCAL,))
    for _ in range(2):
        assert run_module(local, PATH, target="opencl", arguments={"a": a})["a"].tolist() == [3] * 5
        assert a.get().tolist() == [3] * 5


def test_the_callers_memory_is_never_kept_for_others(arrays: Any) -> None:
    from tests.runtime.programs import LOCAL

    a = arrays.of([1] * 5)
    swapped = module(ir.CopyArray(LOCAL, A), ir.Swap(A, LOCAL), arrays=(LOCAL,))
    run_module(swapped, PATH, target="opencl", arguments={"a": a}, results=[])
    noise = module(ir.Fill(A, number(9)))
    for _ in range(4):
        run_module(noise, PATH, target="opencl", results=[])
    assert a.get().tolist() == [1] * 5


def test_results_that_stay_are_the_callers(arrays: Any) -> None:
    kept = run_module(module(ir.Fill(A, number(3))), PATH, target="opencl", device_results=True)
    run_module(module(ir.Fill(A, number(4))), PATH, target="opencl")
    assert kept["a"].get().tolist() == [3] * 5
    graph = roads()
    weights = run_module(sssp(), graph, target="opencl", arguments={"src": 0}, device_results=True)["weight"]
    weights.fill(99)
    assert (
        distances(graph).tolist() == run_module(sssp(), graph, target="opencl", arguments={"src": 0})["dist"].tolist()
    )


def test_empty_arrays(arrays: Any) -> None:
    empty = Graph.from_arcs(0, [], [])
    result = PROGRAM.run(empty, target="opencl", device_results=True, a=arrays.of([]))
    assert [len(result[name]) for name in ("a", "b", "odd", "who")] == [0, 0, 0, 0]


def test_results_cannot_stay_where_python_has_no_arrays() -> None:
    device_of("openmp")
    with pytest.raises(DiagnosticError, match=r"E0714.*target openmp"):
        PROGRAM.run(PATH, target="openmp", device_results=True)


# --- SYCL ----------------------------------------------------------------------------------------------------------


def test_usm_arrays_are_used_in_place() -> None:
    device_of("sycl")
    first = PROGRAM.run(PATH, target="sycl", device_results=True, a=[1] * 5, b=[10] * 5)
    assert (first.bytes.up, first.bytes.down) == (2 * 5 * 4, 0)
    a, odd = first["a"], first["odd"]
    second = PROGRAM.run(PATH, target="sycl", device_results=True, a=a, b=first["b"], odd=odd, who=first["who"])
    assert (second.bytes.up, second.bytes.down) == (0, 0)
    assert second["a"] is a
    assert a.asnumpy().tolist() == [21] * 5
    assert odd.asnumpy().tolist() == [False] * 5
    assert PROGRAM.run(PATH, target="reference", a=a)["a"].tolist() == [21] * 5


# --- what DLPack and CUDA's interface say ---------------------------------------------------------------------------


def test_arrays_of_the_host_are_no_arrays_of_devices() -> None:
    from starplat.runtime.arguments.caller_arrays import on_a_device

    class Refusing:
        """As PyTorch's tensors on the host."""

        @property
        def __cuda_array_interface__(self) -> Any:
            raise RuntimeError

        def __dlpack__(self) -> Any: ...

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    assert not any(map(on_a_device, (np.zeros(3), [1, 2], 3, None, Refusing())))


@pytest.mark.parametrize("index", [-1, 3])
def test_a_cell_beside_a_buffer_is_neither_read_nor_written(index: int) -> None:
    device = ReferenceDevice()
    buffer = device.allocate(np.dtype(np.int32), 3)
    with pytest.raises(AssertionError):
        device.read_cell(buffer, index)
    with pytest.raises(AssertionError):
        device.write_cell(buffer, index, 1)
