"""Runs on several devices of one process, which the interpreter and the host's cores stand for here: answers as on one,
mistakes said once, cells that go from device to device."""

from __future__ import annotations

import ctypes
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import reduce
from itertools import count, pairwise
from queue import SimpleQueue
from threading import Barrier, BrokenBarrierError, Event, Lock, Thread, current_thread, local
from time import sleep
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.cuda import CUDA
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph import generators
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.parts.placing import in_parts
from starplat.passes.parts.sources import by_sources
from starplat.runtime import run_module, targets
from starplat.runtime.arguments.bind import bind
from starplat.runtime.devices.device_faults import NoRoomError
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.divided import on_devices, planning
from starplat.runtime.parts import peers, threads
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.parts.nccl import NcclCommunicator
from starplat.runtime.parts.peers import PeerCommunicator
from starplat.runtime.parts.threads import Meeting, in_threads
from starplat.runtime.session import default_session
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import STEPS, decided, scheduled_part
from starplat.schedule.schedule import Order
from starplat.toolchain.description import DeviceDescription
from tests.backends.emulated import EmulatedDevice, Machine, require_compiler
from tests.programs.cases import CASES, Case
from tests.programs.targets import compiled
from tests.runtime.test_parts import CAN_BE_DIVIDED, ring
from tests.runtime.test_ranks import expected, given
from tests.zoo import ZOO

BY_SOURCES = [case for case in CASES if case.program in ("betweenness", "betweenness_push", "closeness", "radii")]


def right_on(case: Case, devices: int, target: str, step: int) -> None:
    program = starplat.compile(case.path)
    for graph in map(case.suits, list(ZOO.values())[::step]):
        for call in case.calls(graph):
            result = program.run(graph, target=target, devices=devices, arguments=call)
            case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_on_two_devices(case: Case) -> None:
    right_on(case, 2, "reference", 9)


@pytest.mark.campaign
@pytest.mark.spread
@pytest.mark.parametrize("target", ["reference", "openmp", "opencl"])
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_on_three_devices(case: Case, target: str) -> None:
    if not any(device.usable for device in targets.report(target)):
        pytest.skip(f"no device of {target}")
    right_on(case, 3, target, 4)


@pytest.fixture
def peers_on_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices that copy from each other, over the interpreter's memory; what is asked of a stream happens at once."""
    stream = SimpleNamespace(record=lambda: None, wait_event=lambda event: None, ptr=0)
    monkeypatch.setattr(peers, "_stream", lambda: stream)
    monkeypatch.setattr(peers, "_brought", lambda cells, like: cells.copy())
    monkeypatch.setattr(peers, "_copy", np.copyto)
    monkeypatch.setattr(peers, "_address", lambda cells: cells.ctypes.data)
    monkeypatch.setattr(ReferenceDevice, "reaches_others", True)
    monkeypatch.setattr(on_devices, "connected", lambda gpus: PeerCommunicator)


@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_where_cells_go_from_device_to_device(case: Case, peers_on_host: None) -> None:
    right_on(case, 3, "reference", 11)


class HostNccl:
    """NCCL over the host's memory, between so many threads: its module and all communicators of a run."""

    NCCL_UINT8, NCCL_INT32, NCCL_INT64, NCCL_FLOAT32, NCCL_FLOAT64 = range(5)
    NCCL_SUM, NCCL_PROD, NCCL_MIN, NCCL_MAX = range(4)
    KINDS = (np.uint8, np.int32, np.int64, np.float32, np.float64)
    OPERATIONS = (np.add, np.multiply, np.minimum, np.maximum)

    def __init__(self, size: int) -> None:
        self.sent: dict[tuple[int, int], SimpleQueue[np.ndarray]] = {
            (rank, other): SimpleQueue() for rank in range(size) for other in range(size)
        }
        self.awaited = local()
        self.given: list[Any] = [None] * size
        self.barrier = Barrier(size, timeout=300)

    def groupStart(self) -> None:  # noqa: N802  as NCCL has it
        self.awaited.parts = []

    def groupEnd(self) -> None:  # noqa: N802
        self.barrier.wait()  # to connect, all have to come
        for queue, into in self.awaited.parts:
            into[:] = queue.get()


class HostConnection:
    """One rank's communicator."""

    def __init__(self, nccl: HostNccl, rank: int) -> None:
        self.nccl, self.rank = nccl, rank

    def at(self, address: int, count: int, kind: int) -> np.ndarray:
        dtype = np.dtype(self.nccl.KINDS[kind])
        cells = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
        return np.ctypeslib.as_array(cells).view(dtype)

    def send(self, address: int, count: int, kind: int, to: int, stream: int) -> None:
        self.nccl.sent[self.rank, to].put(self.at(address, count, kind).copy())

    def recv(self, address: int, count: int, kind: int, of: int, stream: int) -> None:
        self.nccl.awaited.parts.append((self.nccl.sent[of, self.rank], self.at(address, count, kind)))

    def allReduce(self, given: int, into: int, count: int, kind: int, op: int, stream: int) -> None:  # noqa: N802
        nccl = self.nccl
        nccl.given[self.rank] = self.at(given, count, kind).copy()
        nccl.barrier.wait()
        self.at(into, count, kind)[:] = reduce(nccl.OPERATIONS[op], nccl.given)
        nccl.barrier.wait()


def by_nccl(size: int) -> Callable[[int, int, Meeting], PeerCommunicator]:
    nccl = HostNccl(size)
    return lambda rank, size, meeting: NcclCommunicator(rank, size, meeting, nccl, HostConnection(nccl, rank))


@pytest.mark.parametrize("made", [lambda size: PeerCommunicator, by_nccl], ids=["copies", "nccl"])
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("kind", ["?", "i4", "i8", "f4", "f8"])
def test_devices_combine_cells_as_numpy_does(size: int, kind: str, made: Any, peers_on_host: None) -> None:
    bounds = [*[0, 2, 9, 9, 9][:size], 9]

    def exchanged(communicator: Communicator) -> dict[ir.Combine, np.ndarray]:
        combines = (combine for combine in ir.Combine if expected(combine, kind, size) is not None)
        found = {combine: communicator.combine(given(communicator.rank, kind), combine) for combine in combines}
        shared = communicator.share(given(communicator.rank, kind), bounds)
        wanted = [given(rank, kind)[first:end] for rank, (first, end) in enumerate(pairwise(bounds))]
        np.testing.assert_array_equal(shared, np.concatenate(wanted))
        return found

    def work(communicator: Communicator) -> dict[ir.Combine, np.ndarray]:
        with communicator.running(ReferenceDevice()):
            return exchanged(communicator)

    for found in in_threads(size, work, made(size)):
        for combine, cells in found.items():
            np.testing.assert_array_equal(cells, expected(combine, kind, size), str(combine))
            assert cells.dtype == np.dtype(kind)


@pytest.mark.parametrize("case", BY_SOURCES, ids=lambda case: case.program)
def test_loops_over_sources_are_divided_by_sources(case: Case) -> None:
    module = by_sources(starplat.compile(case.path).module())
    assert module is not None
    ops = [type(op) for op in walk_host(module.function(module.entry).body)]
    assert ops.count(ir.TakeMembers) == 1
    result = starplat.compile(case.path).run(ring(), target="reference", devices=2, arguments=case.calls(ring())[0])
    assert result.parts is not None
    assert result.parts.by == "sources"
    assert result.parts.exchanges == ops.count(ir.CombineParts), "nothing crosses but what the loop has found"


LOOPS = {
    "each source has its cell": ("v.a = 1; src.b = 7 - src.b;", False),
    "the cell of the source alone": ("int n = 0; forall (v in g.nodes()) { n += v.a; } src.b = n;", True),
    "a sum": ("forall (v in g.nodes()) { v.a += 1; }", True),
    "two operators": ("forall (v in g.nodes()) { v.a += 1; } forall (v in g.nodes()) { v.a = Max(v.a, 3); }", False),
    "a sum that is read": ("forall (v in g.nodes()) { v.a += 1; } forall (v in g.nodes()) { v.b += v.a; }", False),
    "a scalar that all change": ("forall (v in g.nodes()) { v.a += 1; } total += 1;", False),
    "what the one before left": ("forall (v in g.nodes()) { v.b = v.a; } forall (v in g.nodes()) { v.a = 2; }", False),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_divided_whose_iterations_leave_each_other_nothing(name: str) -> None:
    body, divided = LOOPS[name]
    body = body.replace("v.a = 1;", "forall (v in g.nodes()) { v.a = v.b + 1; }")
    text = f"""
    function visit(Graph g, propNode<int> a, propNode<int> b) {{
        int total = 0;
        g.attachNodeProperty(a = 1, b = 2);
        for (src in g.nodes()) {{ {body} }}
        return total;
    }}"""
    program = starplat.compile(text)
    assert (by_sources(program.module()) is not None) == divided
    if divided:
        single = program.run(ring(), target="reference")
        found = program.run(ring(), target="reference", devices=3)
        for prop in "ab":
            np.testing.assert_array_equal(found[prop], single[prop])


def test_more_devices_than_there_are_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = tuple(DeviceDescription("cuda", index, "H", "1", 1, 1, is_gpu=True) for index in range(2))
    monkeypatch.setattr(targets, "report", lambda target: gpus if target == "cuda" else ())
    assert targets.count_devices("cuda", 2) == 2
    assert targets.count_devices("cuda", "auto") == 2
    assert targets.count_devices("openmp", "auto") == 1
    assert [targets.device_at("cuda", place) for place in range(3)] == [0, 1, 0]
    assert targets.device_at("openmp", 1) == 0
    with pytest.raises(DiagnosticError, match=r"E0902.*target cuda has 2 GPUs here, not 3") as found:
        targets.count_devices("cuda", 3)
    assert found.value.exit_code is ExitCode.NO_DEVICE
    with pytest.raises(DiagnosticError, match="E0712"):
        targets.count_devices("cuda", 0)


def test_one_device_is_an_ordinary_run() -> None:
    result = starplat.compile("pagerank").run(ring(), target="reference", devices=1)
    assert result.parts is None


def test_auto_divides_what_several_devices_do_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = generators.rmat(7, 8, 1)
    monkeypatch.setattr(planning, "MANY_ARCS", graph.num_arcs)
    device, divided = EmulatedDevice(Machine()), {"pagerank", "degree_centrality", "vertex_cover"}
    in_launches = {"sssp", "sssp_two_flags"}
    for case in CASES:
        for reached, names in ((False, divided), (True, divided | in_launches)):
            several = planning.pays(compiled(case.path).module(), graph, device, peers=reached)
            assert several == (case.program in names or case in BY_SOURCES), case.program
    monkeypatch.setattr(planning, "MANY_ARCS", graph.num_arcs + 1)
    assert not planning.pays(starplat.compile("pagerank").module(), graph, device, peers=True)
    monkeypatch.setattr(targets, "count_devices", lambda target, wanted: 2)
    result = starplat.compile("pagerank").run(ring(), target="reference", devices="auto")
    assert result.parts is None


@pytest.mark.parametrize("beside", [{"validate": True}, {"device": 0}, {"device_results": True}, {"schedule": "auto"}])
def test_what_parts_go_without_is_refused(beside: dict[str, Any]) -> None:
    with pytest.raises(DiagnosticError, match="E0736"):
        starplat.compile("pagerank").run(ring(), target="reference", devices=2, **beside)


def test_what_goes_wrong_on_the_parts_is_said_once() -> None:
    with pytest.raises(DiagnosticError, match="E0730"):
        starplat.compile("bfs_levels").run(ring(), target="reference", devices=2, src=0, max_rounds=1)


@pytest.mark.parametrize("number", [1, 2])
def test_a_part_that_runs_out_of_memory_ends_the_others(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may begin again before the others have begun (1), and not in their midst (2)."""
    program, graph, asked = starplat.compile("connected_components"), generators.rmat(6, 4, 1), count(1)
    usual, failing = ReferenceDevice.allocate, default_session().beside(1).device("reference")

    def allocate(device: ReferenceDevice, dtype: np.dtype[Any], cells: int, *placed: Any) -> Any:
        if device is failing and next(asked) == number:
            raise NoRoomError("reference", np.dtype(dtype).itemsize * cells)
        return usual(device, dtype, cells, *placed)

    answer = program.run(graph, target="reference", devices=3)["component"]
    monkeypatch.setattr(ReferenceDevice, "allocate", allocate)
    with pytest.raises(DiagnosticError, match="E0903") if number == 2 else nullcontext() as raised:
        np.testing.assert_array_equal(program.run(graph, target="reference", devices=3)["component"], answer)
    if number == 2:
        assert "part 1 of connected_components needs more than" in str(raised.value)


def test_a_run_takes_as_long_as_its_slowest_part(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {default_session().beside(rank).device("reference"): float(time) for rank, time in enumerate((3, 8, 2))}
    monkeypatch.setattr(ReferenceDevice, "stopwatch", lambda device: lambda: times[device])
    result = starplat.compile("pagerank").run(ring(), target="reference", devices=3, repeat=2)
    assert result.seconds.run == (8, 8)


def test_a_thread_that_does_not_start_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Thread] = []

    def start(thread: Thread) -> None:
        if len(begun) == 2:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        usual(thread)

    usual = Thread.start
    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(DiagnosticError, match=r"E0914\]: a run in 3 parts takes a thread for each") as raised:
        starplat.compile("pagerank").run(ring(), target="reference", devices=3)
    assert raised.value.exit_code is ExitCode.NO_DEVICE
    for thread in begun:
        thread.join(60)
        assert not thread.is_alive()


def test_an_interrupt_ends_all_parts() -> None:
    parts: list[Thread] = []
    met, never = Barrier(2), Event()

    def work(communicator: Communicator) -> None:
        parts.append(current_thread())
        if met.wait() == 0:
            interrupt_main()
        while not never.wait(0.01):
            pass

    with pytest.raises(KeyboardInterrupt):
        in_threads(2, work)
    for part in parts:
        part.join(60)
        assert not part.is_alive()


def test_an_interrupt_while_parts_begin_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[Thread] = []
    never = Event()
    start = Thread.start

    def interrupted(part: Thread) -> None:
        start(part)
        parts.append(part)
        if len(parts) == 2:
            raise KeyboardInterrupt

    def work(communicator: Communicator) -> None:
        while not never.wait(0.01):
            pass

    monkeypatch.setattr(Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        in_threads(2, work)
    for part in parts:
        part.join(60)
        assert not part.is_alive()


@contextmanager
def emulated_gpus(count: int) -> Iterator[None]:
    """So many emulated GPUs in the default session and those beside it, whose launches take turns."""
    turn = Lock()

    class InTurns(EmulatedDevice):
        def launch(self, entry: Any, blocks: int, threads: int, arguments: list[Any]) -> None:
            with turn:
                super().launch(entry, blocks, threads, arguments)

    require_compiler()
    with pytest.MonkeyPatch.context() as instead:
        for number in range(count):
            session = default_session().beside(number)
            instead.setitem(session._devices, ("cuda", 0), InTurns(Machine(seed=number)))
        yield


SHARED = ("bfs", "bfs_levels", "sssp", "pagerank", "k_core", "maximal_independent_set")
"""Examples whose kernels share the arcs of nodes in each of the ways that parts have."""


@pytest.mark.campaign
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_on_emulated_gpus(case: Case) -> None:
    with emulated_gpus(2):
        right_on(case, 2, "cuda", 9)


@pytest.mark.parametrize("case", [case for case in CASES if case.program in SHARED], ids=lambda case: case.program)
def test_threads_share_the_arcs_of_a_part(case: Case) -> None:
    with emulated_gpus(2):
        right_on(case, 2, "cuda", 17)


@pytest.mark.campaign
def test_sums_are_gathered_in_parts_of_what_neighbors_have() -> None:
    case = next(case for case in CASES if case.program == "pagerank")
    steps = tuple(step for step in STEPS if step.name in ("parts", "balance"))
    by_parts = decided(compiled(case.path).module(), replace(AUTO, order=Order.PARTS), CUDA.capabilities, None, steps)
    divided = in_parts(by_parts.module)
    loop = next(op for op in walk_host(divided.function("pagerank").body) if isinstance(op, ir.Loop))
    inner = next(op for op in walk_host(loop.body) if isinstance(op, ir.Loop))
    assert not any(isinstance(op, ir.ShareParts) for op in walk_host((inner,))), "shared before all parts, once"
    module = scheduled_part(divided, CUDA.capabilities)
    assert [op.array.name for op in walk_host(loop.body) if isinstance(op, ir.ShareParts)] == ["contribution"]
    with emulated_gpus(3):
        for graph in map(case.suits, list(ZOO.values())[::17]):
            for call in case.calls(graph)[:1]:

                def work(communicator: Communicator, graph: Graph = graph, call: Any = call) -> starplat.Result:
                    session = default_session().beside(communicator.rank)
                    bound = bind(module, graph, call)
                    return run_module(
                        module, graph, target="cuda", arguments=bound, schedule=PLAIN, session=session,
                        communicator=communicator,
                    )  # fmt: skip

                for result in in_threads(3, work):
                    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


def test_parts_that_end_without_an_answer_are_told() -> None:
    def work(communicator: Communicator) -> None:
        raise BrokenBarrierError

    with pytest.raises(RuntimeError, match="none of them has an error"):
        in_threads(2, work)


@pytest.mark.parametrize(("long", "expected"), [(0.0, ["waits", "launches"]), (3600.0, ["launches", "waits"])])
def test_a_part_that_has_launched_for_long_lets_another_work(
    long: float, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_LONG_TURN", long)
    turn, done, has_it = threads.Turn(), list[str](), Event()

    def launches() -> None:
        with turn.kept():
            has_it.set()
            while not turn._waiting:
                sleep(0.001)
            turn.offer()
            done.append("launches")
            turn.offer()  # nobody waits, or not for long

    def waits() -> None:
        has_it.wait()
        with turn.kept():
            done.append("waits")

    both = [Thread(target=work, daemon=True) for work in (launches, waits)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(20)
    assert done == expected


def test_parts_pause_at_every_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = [0, 0]

    def pause(communicator: threads.ThreadCommunicator) -> None:
        paused[communicator.rank] += 1

    monkeypatch.setattr(threads.ThreadCommunicator, "pause", pause)
    starplat.compile("closeness").run(ring(40), target="reference", devices=2)
    assert min(paused) > 20
