"""A run can be stopped, limited and followed, and what could not be stopped is said."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.runtime import Progress, launch, session
from starplat.runtime.attending import attended
from starplat.runtime.attending.progress import Step
from tests.runtime.devices import device_of

GRAPH = starplat.Graph.from_arcs(3, [0, 1], [1, 2])
COUNTING = starplat.compile("""function f(Graph g, propNode<int> x, int n) {
  g.attachNodeProperty(x = 0);
  int i = 0;
  while (i != n) {
    forall (v in g.nodes()) { v.x = v.x + 1; }
    i = i + 1;
  }
}""")
SPINNING = """function f(Graph g, propNode<int> x) {
  forall (v in g.nodes()) {
    int i = 0;
    while (i >= 0) { i = 1 - i; }
    v.x = i;
  }
}"""


class SeenEnoughError(Exception):
    """Ends a run from the function that follows it, however quick or busy the machine is."""


def code_of(caught: pytest.ExceptionInfo[DiagnosticError]) -> str:
    return caught.value.diagnostics[0].code


@pytest.mark.parametrize("target", ["reference", "opencl"])
def test_a_loop_may_take_just_as_many_rounds_as_are_allowed(target: str) -> None:
    device_of(target)
    assert COUNTING.run(GRAPH, n=5, target=target, max_rounds=5)["x"].tolist() == [5, 5, 5]
    with pytest.raises(DiagnosticError, match="not done after 4 rounds") as caught:
        COUNTING.run(GRAPH, n=5, target=target, max_rounds=4)
    assert code_of(caught) == "E0730"


def test_a_run_ends_when_its_time_is_over_and_the_next_one_works() -> None:
    with pytest.raises(DiagnosticError, match=r"after 0\.3 s") as caught:
        COUNTING.run(GRAPH, n=-1, target="reference", time_limit=0.3)
    assert code_of(caught) == "E0731"
    assert COUNTING.run(GRAPH, n=2, target="reference", time_limit=60)["x"].tolist() == [2, 2, 2]


@pytest.mark.parametrize("limits", [{"max_rounds": 0}, {"time_limit": 0.0}, {"time_limit": float("nan")}])
def test_what_is_no_limit_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(DiagnosticError) as caught:
        COUNTING.run(GRAPH, n=1, target="reference", **limits)  # type: ignore[arg-type]
    assert code_of(caught) == "E0732"


def test_rounds_are_told_while_the_host_drives_them() -> None:
    seen: list[int] = []
    texts: list[str] = []

    def look(progress: Progress) -> None:
        if progress.rounds:  # of a thread that has come so far
            seen.append(progress.rounds[0])
            texts.append(str(progress))
            if seen[-1] > seen[0]:
                raise SeenEnoughError

    with pytest.raises(SeenEnoughError):
        COUNTING.run(GRAPH, n=-1, target="reference", time_limit=60, follow=look)
    assert seen == sorted(seen)
    assert all(", round " in text for text in texts)


def test_active_nodes_are_told_where_the_host_has_a_list_of_them() -> None:
    nodes = np.arange(3_000_000)  # a path, and so many rounds that they outlast the first look
    path = starplat.Graph.from_arcs(len(nodes), nodes[:-1], nodes[1:])

    def look(progress: Progress) -> None:
        if progress.active == 1:
            raise SeenEnoughError

    with pytest.raises(SeenEnoughError):
        starplat.compile("examples/bfs.sp").run(
            path, src=0, target="reference", schedule="frontier=queue,direction=push", time_limit=60, follow=look
        )


def test_a_loop_of_the_device_is_said_to_tell_nothing() -> None:
    progress = Progress()
    progress.begin(Step.RUNNING)
    progress.by_device = True
    assert "wholly on the device" in str(progress)


def test_a_run_on_another_thread_works_with_and_without_a_limit() -> None:
    found: list[list[int]] = []

    def run() -> None:
        found.append(COUNTING.run(GRAPH, n=1, target="reference")["x"].tolist())
        found.append(COUNTING.run(GRAPH, n=2, target="reference", time_limit=60)["x"].tolist())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert found == [[1, 1, 1], [2, 2, 2]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_that_was_forked_runs_too() -> None:
    COUNTING.run(GRAPH, n=1, target="reference")
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if COUNTING.run(GRAPH, n=3, target="reference")["x"].tolist() == [3, 3, 3] else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_waits_for_no_thread_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenMP keeps threads for each caller, of which the thread that forks has none any more."""
    monkeypatch.setattr(attended, "SOON", 60.0)
    device_of("openmp")
    ends = np.arange(50_000)
    graph = starplat.Graph.from_arcs(50_001, ends, ends + 1, directed=False)

    def is_right() -> bool:
        return not starplat.connected_components(graph, target="openmp")["component"].any()

    assert all(is_right() for _ in range(3))
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if all(is_right() for _ in range(3)) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_run_that_repeats_a_short_one_stays_on_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one does not: other arguments, another graph, a limit of time; nor one that was not short."""
    handed_over: list[str] = []
    within_limits = launch._within_limits
    monkeypatch.setattr(attended, "SOON", 60.0)
    monkeypatch.setattr(launch, "_within_limits", lambda *given: handed_over.append("") or within_limits(*given))

    def is_handed_over(graph: Any = GRAPH, n: int = 1, **options: Any) -> bool:
        handed_over.clear()
        found = COUNTING.run(graph, n=n, target="reference", session=session, **options)
        assert found["x"].tolist() == [n] * graph.num_nodes
        return bool(handed_over)

    with starplat.Session() as session:
        assert is_handed_over()
        assert not is_handed_over()
        assert is_handed_over(n=2)
        assert is_handed_over(time_limit=60)
        assert is_handed_over(repeat=2)
        assert is_handed_over(starplat.Graph.from_arcs(4, [0], [1]))
        assert not is_handed_over()
        monkeypatch.setattr(attended, "SOON", 0.0)
        assert not is_handed_over()
        assert is_handed_over()


def test_ctrl_c_as_a_run_takes_its_turn_leaves_the_device_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = session._TAKEN

    def interrupted(turns: frozenset[object]) -> None:
        taken.set(turns)
        raise KeyboardInterrupt

    with starplat.Session() as one:
        with monkeypatch.context() as patched:
            patched.setattr(session, "_TAKEN", SimpleNamespace(get=taken.get, set=interrupted))
            with pytest.raises(KeyboardInterrupt):
                COUNTING.run(GRAPH, n=3, target="reference", session=one)
        assert COUNTING.run(GRAPH, n=3, target="reference", session=one)["x"].tolist() == [3] * GRAPH.num_nodes


def test_work_that_goes_on_all_the_same_is_left_behind_and_said() -> None:
    ended = threading.Event()
    left: list[attended.Job[None]] = []
    reader, writer = os.pipe()
    more_than_fits = bytes(1 << 20)

    def time_is_over() -> None:
        if select.select([reader], [], [], 0)[0]:  # the work is in a call that waits for a reader
            raise attended.TimeIsOverError

    def left_behind(job: attended.Job[None]) -> str:
        left.append(job)
        return "it goes on"

    with pytest.raises(attended.TimeIsOverError) as caught:
        attended.attended(
            lambda: os.write(writer, more_than_fits) and ended.set(), look=time_is_over, left_behind=left_behind
        )
    assert caught.value.left_behind == "it goes on"
    os.set_blocking(reader, False)
    while not left[0].done.wait(0.01):
        with suppress(BlockingIOError):
            os.read(reader, len(more_than_fits))
    assert not ended.is_set()  # it ends as soon as Python gets to say so


def test_work_that_ends_when_it_is_asked_to_is_not_left_behind_where_the_process_stood_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(attended, "monotonic", lambda: next(hours))

    def endless() -> None:
        while True:
            time.sleep(0.001)

    with pytest.raises(attended.TimeIsOverError) as caught:
        attended.attended(endless, seconds=1, left_behind=lambda job: "it goes on")
    assert caught.value.left_behind == ""


INTERRUPTED = f"""
import os, signal, time, starplat
graph = starplat.Graph.from_arcs(3, [0, 1], [1, 2])
program, counting = starplat.compile({SPINNING!r}), starplat.compile("function f(Graph g) {{ return g.num_nodes(); }}")
print(counting.run(graph, target="opencl").returned)
worked = []
def interrupt(progress):
    if progress.is_running:
        worked.append(time.process_time())
        if worked[-1] - worked[0] > 0.3:  # which the kernel alone takes, and not what stands still
            os.kill(os.getpid(), signal.SIGINT)
try:
    program.run(graph, target="opencl", follow=interrupt)
except KeyboardInterrupt as interruption:
    print(interruption)
try:
    counting.run(graph, target="opencl")
except starplat.DiagnosticError as error:
    print(error.diagnostics[0].code)
print(counting.run(graph, target="reference").returned, flush=True)
"""


def test_an_interrupted_kernel_that_does_not_end_closes_its_device_and_not_the_process() -> None:
    if not device_of("opencl").is_host:
        pytest.skip("OpenCL's first device is no CPU")
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, check=False, timeout=300
    )
    first, said, code, last = done.stdout.splitlines()
    assert (first, code, last) == ("3", "E0920", "3")
    assert said.startswith("a kernel on ")
    assert said.endswith(" could not be stopped: the device is closed here until that ends")


def test_the_end_of_work_is_seen_by_all_that_wait_for_it() -> None:
    end, seen = attended.Ending(), list[bool]()
    assert not end.wait(0.001)
    assert not end.is_set()
    waiting = [threading.Thread(target=lambda: seen.append(end.wait(120))) for _ in range(3)]
    for thread in waiting:
        thread.start()
    end.set()
    for thread in waiting:
        thread.join()
    assert seen == [True] * 3
    assert end.is_set()
    assert end.wait(0)


def test_a_thread_that_is_stopped_between_jobs_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(attended.Job[None]):
        def perform(self) -> None:
            super().perform()
            raise attended.StopWorking

    said, worker = list[object](), attended._Worker()
    monkeypatch.setattr(threading, "excepthook", said.append)
    worker.take(Stopped(lambda: None))
    worker.join(30)
    assert not worker.is_alive()
    assert said == []
