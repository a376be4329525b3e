"""Runs that run out of memory at any allocation, or are killed, leave the device, its memory and files as they were."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators
from starplat.graph.graph import Graph
from starplat.graph.writing import write
from starplat.runtime.devices.cupy_device import CupyDevice
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.host_memory import host_memory
from tests.backends.emulated import EmulatedDevice, Machine
from tests.runtime.devices import device_of
from tests.runtime.poisoned import session_with

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MOST = 200
NAMES = (
    "sssp",
    *(pytest.param(name, marks=pytest.mark.campaign) for name in ("bfs_levels", "connected_components", "pagerank")),
)
TARGETS = (
    *("reference", "opencl"),
    *(pytest.param(target, marks=pytest.mark.campaign) for target in ("sycl", "openmp", "openacc", "emulated")),
)
GIVEN = {"bfs_levels": {"src": 0}, "sssp": {"src": 0}}


class RunsOut(DeviceMemory):
    """Goes before a device's class: every allocation fails from number `first` on, for more than a word."""

    first: int | None = None
    asked = 0

    def _counted(self, size: int) -> None:
        if self.first is None or size <= 8:
            return
        self.asked += 1
        if self.asked > self.first:
            raise MemoryError

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        self._counted(dtype.itemsize * count)
        return super()._allocate(dtype, count)  # type: ignore[safe-super]

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        self._counted(dtype.itemsize * count)
        return super()._allocate_mapped(dtype, count)

    def _allocate_split(self, dtype: np.dtype[Any], count: int, near: int) -> Any:
        self._counted(dtype.itemsize * count)
        self.first, kept = None, self.first  # what it consists of is no allocation of its own
        try:
            return super()._allocate_split(dtype, count, near)
        finally:
            self.first = kept


def that_runs_out(target: str) -> Any:
    """A device of the target, or the emulated GPU, of which allocations can be made to fail."""
    if target == "emulated":
        kind, given = EmulatedDevice, (Machine(),)
    else:
        there: Any = device_of(target)
        kind, given = type(there), tuple(getattr(there, name) for name in ("device", "_build") if hasattr(there, name))
    return type("RunsOutOfMemory", (RunsOut, kind), {})(*given)


def roads() -> Graph:
    generator = np.random.default_rng(7)
    ends = generator.integers(0, 200, (2, 1500))
    return Graph.from_arcs(200, ends[0], ends[1], generator.integers(1, 9, 1500), directed=False)


@pytest.mark.parametrize("share", [None, 0.4])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_out_of_memory_at_any_allocation(name: str, target: str, share: float | None) -> None:
    device = that_runs_out(target)
    program, graph, given = starplat.compile(EXAMPLES / f"{name}.sp"), roads(), GIVEN.get(name, {})
    with session_with(device) as session:
        how: dict[str, Any] = {"target": device.target, "session": session, **given}
        if share is not None:
            least = "memory=chunks" if target in ("openmp", "openacc") else "memory=mapped"
            found = program.run(graph, schedule=least, **how).estimate
            how["device_memory"] = found.total + int(share * sum(found.mapped.values()))
        expected = program.run(graph, **how)
        failed = 0
        for first in range(MOST):
            device.forget_graphs()
            device.trim()
            device.first, device.asked = first, 0
            try:
                result = program.run(graph, **how)
            except DiagnosticError as refused:
                failed += 1
                said = refused.diagnostics[0]
                assert said.code in ("E0903", "E0908")
                assert said.help is not None
                assert "bytes there" in said.help or "the host" in said.message
            else:
                for one in expected.properties:
                    np.testing.assert_allclose(result[one], expected[one], rtol=1e-5)
                if device.asked <= first:
                    break
            device.first = None
            again = program.run(graph, **how)
            for one in expected.properties:
                np.testing.assert_allclose(again[one], expected[one], rtol=1e-5)
        assert 0 < failed < MOST - 1


KILLED = """
import os, signal, sys
import starplat
from starplat.runtime.devices.cupy_device import CupyDevice
from starplat.runtime.devices.device_memory import DeviceMemory
program, graph, target, moment = sys.argv[1:]
allocate, left = DeviceMemory.allocate, [int(moment)]
def counted(self, *what):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return allocate(self, *what)
DeviceMemory.allocate = counted
starplat.compile(program).run(starplat.read(graph), target=target, src=0, device_memory=12_000)
"""


@pytest.mark.parametrize("moment", [1, 3, 6])
def test_a_run_that_is_killed_changes_no_file(moment: int, tmp_path: Path) -> None:
    device_of("opencl")
    write(roads(), tmp_path / "roads.spg")
    before = (tmp_path / "roads.spg").read_bytes()
    call = [sys.executable, "-c", KILLED, str(EXAMPLES / "sssp.sp"), str(tmp_path / "roads.spg"), "opencl", str(moment)]
    assert subprocess.run(call, cwd=tmp_path, check=False).returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == ["roads.spg"]
    assert (tmp_path / "roads.spg").read_bytes() == before
    call[-1] = "1000"
    assert subprocess.run(call, cwd=tmp_path, check=False).returncode == 0


KILLED_WITH_PAGES_LOCKED = """
import os, signal, sys
import starplat
from starplat.runtime.session import default_session
program, graph, schedule, moment = sys.argv[1:]
device = default_session().device("cuda", 0)
upload = device.upload
def killed():
    print(device.held_on_host + sum(size for size, _ in device._locked.values()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
def uploaded(buffer, cells):
    upload(buffer, cells)
    if moment == "uploading" and len(cells) > 1 << 25:
        killed()
device.upload = uploaded
def follow(progress):
    if progress.is_running and progress.seconds_of_step > 0.5:
        killed()
starplat.compile(program).run(
    starplat.read(graph), target="cuda", schedule=schedule, follow=follow, repeat=100_000, results=[]
)
"""
LEAST_LOCKED, NOISE = 1 << 28, 1 << 27
"""Bytes: that a run has locked when it is killed, and by which what is free changes otherwise."""


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("schedule", "moment"), [("memory=mapped", "uploading"), ("memory=mapped", "running"), ("memory=chunks", "running")]
)
def test_of_a_run_that_is_killed_no_page_locked_memory_stays(schedule: str, moment: str, tmp_path: Path) -> None:
    device = device_of("cuda")
    assert isinstance(device, CupyDevice)
    write(generators.uniform(22, 12, 1), tmp_path / "graph.spg")
    device.trim()
    before, on_device, file = host_memory(), device._free_memory(), (tmp_path / "graph.spg").stat()
    assert before is not None
    assert on_device is not None
    call = [sys.executable, "-c", KILLED_WITH_PAGES_LOCKED, str(EXAMPLES / "pagerank.sp"), str(tmp_path / "graph.spg")]
    done = subprocess.run([*call, schedule, moment], cwd=tmp_path, check=False, stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    if schedule == "memory=mapped":  # the pages of a file are locked only where the driver can
        assert int(done.stdout) > LEAST_LOCKED
    deadline = monotonic() + 20
    while monotonic() < deadline:
        here, there = host_memory() or 0, device._free_memory() or 0
        if here > before - NOISE and there > on_device - NOISE:
            break
        sleep(0.1)
    assert here > before - NOISE
    assert there > on_device - NOISE
    after = (tmp_path / "graph.spg").stat()
    assert [path.name for path in tmp_path.iterdir()] == ["graph.spg"]
    assert (after.st_size, after.st_mtime_ns) == (file.st_size, file.st_mtime_ns)
