"""A session keeps devices and what lies on them; two share nothing, and a closed one holds nothing."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.runtime.devices.device import Device
from starplat.runtime.session import default_session
from tests.runtime.devices import device_of, every_target
from tests.runtime.test_residency import SmallDevice, arrays_on, moved

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SSSP = starplat.compile(EXAMPLES / "sssp.sp")
PAIR = pytest.mark.parametrize("target", ["opencl", "openmp", "reference"])


def roads(seed: int = 3, nodes: int = 50) -> starplat.Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, nodes, (2, 6 * nodes))
    return starplat.Graph.from_arcs(nodes, ends[0], ends[1], generator.integers(1, 9, 6 * nodes))


def refused(code: str, *, session: starplat.Session, target: str = "reference") -> None:
    with pytest.raises(DiagnosticError) as caught:
        SSSP.run(roads(), src=0, target=target, session=session)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]


@PAIR
def test_two_sessions_side_by_side(target: str) -> None:
    """Each brings the graph to a device of its own; closing one frees what it has there and leaves the other."""
    device_of(target)
    graph = roads()
    with starplat.Session() as one, starplat.Session() as other:
        first, second = (session.run(SSSP, graph, src=0, target=target) for session in (one, other))
        assert first["dist"].tolist() == second["dist"].tolist()
        assert first.bytes.up == second.bytes.up > 4 * (51 + 2 * 300)
        devices = [session.device(target) for session in (one, other)]
        assert devices[0] is not devices[1]
        before = [arrays_on(device) for device in devices]
        assert all(before)
        one.close()
        gc.collect()
        assert [arrays_on(device) for device in devices] == [0, before[1]]
        again = SSSP.run(graph, src=0, target=target, session=other)
        assert again["dist"].tolist() == first["dist"].tolist()
        assert again.bytes.up < 4 * 50
        refused("E0922", session=one, target=target)


def test_closing_gives_the_bytes_back_that_graphs_took(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, one, other = roads(), starplat.Session(), starplat.Session()
    small = [SmallDevice(20_000) for _ in range(2)]
    for session, device in zip((one, other), small, strict=True):
        monkeypatch.setitem(session._devices, ("reference", 0), device)
        session.run(SSSP, graph, src=0, target="reference")
    left = [device._free_memory() for device in small]
    one.close()
    gc.collect()
    now = [device._free_memory() for device in small]
    assert left[0] is not None
    assert left[0] < 17_500
    assert now == [20_000, left[1]]


@every_target
def test_a_session_that_nobody_has_holds_nothing(target: str) -> None:
    """Without `close` too, while its graph lives on."""
    device_of(target)
    graph, session = roads(), starplat.Session()
    session.run(SSSP, graph, src=0, target=target)
    buffers = session.device(target)._ours
    assert len(buffers) > 0
    del session
    gc.collect()
    assert len(buffers) == 0
    assert moved(graph, target) > 0


def test_the_end_of_the_block_closes_and_closing_twice_is_well() -> None:
    session = starplat.Session()
    assert repr(session) == "<Session, no device>"
    with session as same:
        assert same is session
        session.run(SSSP, roads(), src=0, target="reference")
        assert repr(session) == "<Session, reference 0>"
    assert session.closed
    assert repr(session) == "<Session, closed>"
    session.close()
    refused("E0922", session=session)
    with pytest.raises(DiagnosticError, match="E0922"), session:
        pytest.fail("a closed session was entered")
    with pytest.raises(ZeroDivisionError), starplat.Session() as failing:
        raise ZeroDivisionError
    assert failing.closed


def test_everything_that_runs_takes_a_session() -> None:
    graph = roads()
    with starplat.Session() as session:
        assert session.run(SSSP, graph, src=0, target="openmp", validate=True).validated
        assert SSSP(graph, src=0, target="reference", session=session).bytes.up < 4 * 50
        found = SSSP.run_everywhere(graph, src=0, session=session, device=0, results=["dist"])
        assert {attempt.device.target for attempt in found.attempts if attempt.result} == {
            target for target, _ in session._devices
        }
    closed = SSSP.run_everywhere(graph, src=0, session=session, device=0)
    assert {attempt.fault.diagnostics[0].code for attempt in closed.attempts if attempt.fault} == {"E0922"}


def test_results_left_on_a_device_outlive_the_session() -> None:
    device_of("opencl")
    graph = roads()
    with starplat.Session() as session:
        left = session.run(SSSP, graph, src=0, target="opencl", device_results=True)
        expected = session.run(SSSP, graph, src=0, target="reference")["dist"].tolist()
    assert left.on_host("dist").tolist() == expected


def test_the_default_session_is_made_on_first_use_and_again_after_close() -> None:
    """In a process of its own: importing, compiling and making a session open nothing."""
    text = """
import starplat
from starplat.runtime import session
starplat.close()
program = starplat.compile("function f(Graph g) { return g.num_nodes(); }")
with starplat.Session() as other:
    assert other.run(program, [(1, 2)], target="reference").returned == 2
assert session._DEFAULT == []
assert program([(1, 2)], target="reference").returned == 2
first = session.default_session()
assert repr(first) == "<Session, reference 0>"
starplat.close()
assert first.closed
assert program([(1, 2)], target="reference").returned == 2
assert session.default_session() is not first
"""
    subprocess.run([sys.executable, "-c", text], check=True, timeout=300)


@PAIR
def test_threads_may_share_a_session(target: str) -> None:
    """Their runs take turns on a device: kernels keep words that are for one run at a time."""
    device_of(target)
    triangles = starplat.compile(EXAMPLES / "triangle_count.sp")
    graphs = [roads(seed, 400) for seed in range(3)]
    with starplat.Session() as session:
        expected = [answers(session, triangles, graph, target) for graph in graphs]
        found: list[object] = []

        def work(graph: starplat.Graph) -> None:
            found.extend((graph, answers(session, triangles, graph, target)) for _ in range(8))

        threads = [threading.Thread(target=work, args=(graph,)) for graph in graphs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert len(found) == 24
    assert all(answer == expected[graphs.index(graph)] for graph, answer in found)  # type: ignore[misc]


def answers(session: starplat.Session, triangles: starplat.Program, graph: starplat.Graph, target: str) -> object:
    dist = session.run(SSSP, graph, src=0, target=target)["dist"].tolist()
    return dist, session.run(triangles, graph, target=target).returned


def test_closing_waits_for_the_run_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, session, begun, go_on = roads(), starplat.Session(), threading.Event(), threading.Event()
    expected = session.run(SSSP, graph, src=0, target="reference")["dist"].tolist()
    device = session.device("reference")

    def wait() -> None:
        begun.set()
        assert go_on.wait(60)

    monkeypatch.setattr(device, "synchronise", wait)
    found: list[list[int]] = []

    def run() -> None:
        found.append(session.run(SSSP, graph, src=0, target="reference")["dist"].tolist())

    threads = [threading.Thread(target=work) for work in (run, session.close)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    threads[1].join(0.2)
    assert threads[1].is_alive()
    assert arrays_on(device) > 0
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert found == [expected]
    gc.collect()
    assert arrays_on(device) == 0


INTERRUPTED = """
import os, signal, time, starplat
graph = starplat.Graph.from_arcs(3, [0, 1], [1, 2])
spinning = starplat.compile('''function f(Graph g, propNode<int> x) {
  forall (v in g.nodes()) {
    int i = 0;
    while (i >= 0) { i = 1 - i; }
    v.x = i;
  }
}''')
counting = starplat.compile("function f(Graph g) { int x = 0; forall (v in g.nodes()) { x += 1; } return x; }")
one, other = starplat.Session(), starplat.Session()
print(*(session.run(counting, graph, target="openmp").returned for session in (one, other)))
worked = []
def interrupt(progress):
    if progress.is_running:
        worked.append(time.process_time())
        if worked[-1] - worked[0] > 0.3:  # which the kernel alone takes, and not what stands still
            os.kill(os.getpid(), signal.SIGINT)
try:
    one.run(spinning, graph, target="openmp", follow=interrupt)
except KeyboardInterrupt as interruption:
    print(interruption)
try:
    one.run(counting, graph, target="openmp")
except starplat.DiagnosticError as error:
    print(error.diagnostics[0].code)
print(other.run(counting, graph, target="openmp").returned, one.run(counting, graph, target="reference").returned)
one.close()
other.close()
"""


def test_an_interrupted_kernel_closes_the_device_of_its_session_only() -> None:
    device_of("openmp")
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, check=False, timeout=300
    )
    first, said, code, last = done.stdout.splitlines()
    assert (first, code, last) == ("3 3", "E0920", "3 3")
    assert said.endswith(" could not be stopped: the device is closed here until that ends")


def test_a_fault_costs_the_device_of_its_session_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from starplat.runtime.devices.device_faults import device_fault
    from starplat.runtime.devices.reference import ReferenceDevice

    with starplat.Session() as one, starplat.Session() as other:
        broken, well = (session.device("reference") for session in (one, other))

        def fail(self: Device) -> None:
            if self is broken:
                raise device_fault(self.name, "it is lost")

        with monkeypatch.context() as lost:
            lost.setattr(ReferenceDevice, "synchronise", fail)
            refused("E0906", session=one)
            SSSP.run(roads(), src=0, target="reference", session=other)
        assert broken.broken
        SSSP.run(roads(), src=0, target="reference", session=one)
        assert one.device("reference") is not broken
        assert other.device("reference") is well
    assert default_session() not in (one, other)


@pytest.mark.parametrize("alone", [True, False], ids=["on a thread of its own", "with a time limit"])
def test_a_run_cannot_wait_for_one_that_waits_for_its_device(alone: bool) -> None:
    changing = starplat.compile("function f(Graph g, updates<g> U) { Batch (U : 1) { g.updateCSRAdd(U); } }")
    beside, limit, sizes = starplat.Session(), None if alone else 60.0, list[int]()

    def inside(number: int, result: starplat.Result) -> None:
        refused("E0920", session=session)
        with beside:
            sizes.append(SSSP.run(result.graph, src=0, target="reference", session=beside)["dist"].size)

    def work() -> None:
        changing.run(roads(), U=[("a", 0, 1)], target="reference", session=session, on_batch=inside, time_limit=limit)

    with starplat.Session() as session:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert sizes == [50]
        SSSP.run(roads(), src=0, target="reference", session=session)
