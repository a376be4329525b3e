"""Runs in less memory than they would take: what a limit leaves of the arcs on the device, and what is refused."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from benchmarks.changing import updates_of
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.graph.writing import write
from starplat.ir import nodes as ir
from starplat.runtime import estimate, host_memory, session
from starplat.runtime.devices import device_memory
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.estimate import MAPPED, ON_DEVICE, Candidate, Sizes, Whereabouts, divided
from starplat.runtime.session import Session, default_session
from tests.runtime.devices import device_of
from tests.tiers import every_other

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TARGETS = ("reference", "opencl", "sycl")
SHARES = (0.0, 0.1, 0.3, 0.6, 0.9, 1.0)
ARGUMENTS = {"sssp": {"src": 0}, "bfs_levels": {"src": 0}}
NAMES = ("bfs_levels", "connected_components", "pagerank", "sssp", "triangle_count")
PLACES = (ir.Placement.DEVICE, ir.Placement.MAPPED)
SSSP = starplat.compile(EXAMPLES / "sssp.sp")
STRENGTHS = starplat.compile("""
function strengths(Graph g, propEdge<int> weight, propNode<long> strength) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.strength += e.weight;
        }
    }
}
""")
"""It goes over all arcs, so that the first of them lie on the device."""


def roads(seed: int = 7, nodes: int = 500, arcs: int = 6000) -> Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, nodes, (2, arcs))
    return Graph.from_arcs(nodes, ends[0], ends[1], generator.integers(1, 9, arcs), directed=True)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing that other tests have left lies on the devices: limits count all bytes."""
    with Session() as fresh:
        monkeypatch.setattr(session, "_DEFAULT", [fresh])
        yield


def within_limits(name: str, target: str, share: float, most_held: list[int]) -> None:
    """A run in its node data and a share of its arcs has the answers of one without a limit, and stays within it."""
    program, graph, given = starplat.compile(EXAMPLES / f"{name}.sp"), roads(), ARGUMENTS.get(name, {})
    expected = program.run(graph, target="reference", **given)
    mapped = program.run(graph, target=target, schedule="memory=mapped", **given).estimate
    limit = mapped.total + int(share * sum(mapped.mapped.values()))
    most_held.clear()
    result = program.run(graph, target=target, device_memory=limit, **given)
    assert max(most_held, default=0) <= limit
    assert result.returned == expected.returned
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-5)
    assert result.estimate.total <= limit
    if share < 0.5:
        assert result.estimate.mapped


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_a_limit_is_kept_and_answers_are_the_same(target: str, most_held: list[int]) -> None:
    device_of(target)
    within_limits("sssp", target, 0.3, most_held)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "target", "share"), every_other(NAMES, TARGETS, SHARES))
def test_all_limits_are_kept(name: str, target: str, share: float, most_held: list[int]) -> None:
    device_of(target)
    within_limits(name, target, share, most_held)


@pytest.mark.parametrize("target", TARGETS)
def test_a_limit_below_what_nodes_take_is_refused_with_the_least(target: str) -> None:
    device = device_of(target)
    graph, launches = roads(), device.traffic.launches
    with pytest.raises(DiagnosticError, match="E0908") as refused:
        SSSP.run(graph, target=target, src=0, device_memory=3000)
    assert refused.value.exit_code is ExitCode.NO_DEVICE
    assert device.traffic.launches == launches
    said = refused.value.diagnostics[0]
    assert said.help is not None
    least = int(said.help.split("--device-memory ")[1].split(",")[0])
    assert said.message == f"sssp needs {least:,} bytes on {device.name} at least, and may have 2.9 KiB"
    SSSP.run(graph, target=target, src=0, device_memory=least)
    with pytest.raises(DiagnosticError, match="E0908"):
        SSSP.run(graph, target=target, src=0, device_memory=least - 1)


@pytest.mark.parametrize("target", TARGETS)
def test_the_host_has_a_limit_too_and_the_least_is_enough(target: str) -> None:
    device, graph = device_of(target), roads()
    expected = SSSP.run(graph, target="reference", src=0)["dist"].tolist()
    how: dict[str, Any] = {"target": target, "src": 0, "device_memory": 36_000, "schedule": "memory=ondemand"}
    launches = device.traffic.launches
    with pytest.raises(DiagnosticError, match="E0908") as refused:
        SSSP.run(graph, host_memory=3000, **how)
    assert refused.value.exit_code is ExitCode.NO_DEVICE
    assert device.traffic.launches == launches
    said = refused.value.diagnostics[0]
    assert said.help is not None
    far = int(said.help.split("--host-memory ")[1].split(",")[0])
    assert said.message == f"sssp needs {far:,} bytes of the host's memory at least, and may have 2.9 KiB"
    result = SSSP.run(graph, host_memory=far, **how)
    assert result["dist"].tolist() == expected
    assert sum(result.estimate.mapped.values()) == far
    with pytest.raises(DiagnosticError, match="E0908"):
        SSSP.run(graph, host_memory=far - 1, **how)
    assert SSSP.run(graph, target=target, src=0, host_memory=1)["dist"].tolist() == expected  # all fits the device


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["bfs_levels", "connected_components", "pagerank", "sssp"])
def test_of_a_file_for_which_no_memory_has_room_rows_are_copied(name: str, target: str, tmp_path: Path) -> None:
    device_of(target)
    write(roads(), tmp_path / "roads.spg")
    graph, program = starplat.read(tmp_path / "roads.spg"), starplat.compile(EXAMPLES / f"{name}.sp")
    how: dict[str, Any] = {"target": target} | ({"src": 0} if name in ("bfs_levels", "sssp") else {})
    expected, mapped = program.run(roads(), **how), program.run(graph, schedule="memory=mapped", **how).estimate
    arcs = sum(mapped.mapped.values())
    result = program.run(graph, device_memory=mapped.total + arcs // 2, host_memory=arcs // 3, **how)
    assert not result.estimate.mapped
    assert result.estimate.total <= mapped.total + arcs // 2
    assert result.bytes.chunks > arcs // 2
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-6)


def test_a_program_whose_rows_cannot_be_copied_says_what_it_needs_of_the_host() -> None:
    program = starplat.compile(EXAMPLES / "triangle_count.sp")
    with pytest.raises(DiagnosticError, match=r"E0908.*bytes of the host's memory at least, and may have 1000 bytes"):
        program.run(roads(), target="reference", device_memory=3000, host_memory=1000)


def test_a_limit_of_the_host_is_kept_when_another_has_left_arrays_there() -> None:
    with Session() as fresh:
        graphs = [roads(seed) for seed in (1, 2)]
        how: dict[str, Any] = {"target": "reference", "src": 0, "session": fresh}
        device = fresh.device("reference", 0)
        for graph in graphs:
            SSSP.run(graph, schedule="memory=mapped", **how)
        assert device.held_on_host == 2 * 4 * 12_000
        SSSP.run(graphs[0], schedule="memory=mapped", host_memory=48_000, **how)
        assert device.held_on_host <= 48_000
        result = SSSP.run(graphs[0], device_memory=36_000, host_memory=40_000, **how)
        assert device.held_on_host == sum(result.estimate.mapped.values()) <= 40_000


@pytest.mark.parametrize("limits", [("device_memory",), ("device_memory", "host_memory")])
def test_what_only_a_circle_of_references_keeps_is_no_reason_to_refuse(limits: tuple[str, ...]) -> None:
    with Session() as fresh:
        how: dict[str, Any] = {"target": "reference", "src": 0, "session": fresh, "schedule": "memory=mapped"}
        estimate = SSSP.run(roads(), **how).estimate
        least = {"device_memory": estimate.total, "host_memory": sum(estimate.mapped.values())}
        gc.disable()
        try:
            circle: list[Any] = [fresh.device("reference").allocate(np.dtype(np.int32), 1, place) for place in PLACES]
            circle.append(circle)
            del circle
            SSSP.run(roads(), **how, **{limit: least[limit] for limit in limits})
        finally:
            gc.enable()


def test_garbage_is_not_looked_for_where_none_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[DeviceMemory] = []
    monkeypatch.setattr(DeviceMemory, "collect", looked_for.append)
    with Session() as fresh, pytest.raises(DiagnosticError, match="E0908"):
        SSSP.run(roads(), target="reference", src=0, session=fresh, device_memory=3000)
    assert not looked_for


def test_an_allocation_beyond_the_limit_of_the_host_says_so() -> None:
    device = ReferenceDevice()
    with device.limited(None, 100), pytest.raises(DiagnosticError, match=r"E0903.*the host, for interpreter, has no"):
        device.allocate(np.dtype(np.int32), 60, ir.Placement.SPLIT, 20)
    assert device.allocate(np.dtype(np.int32), 60, ir.Placement.SPLIT, 20).size_on_host == 160


def test_targets_without_mapped_memory_copy_rows_or_say_what_they_need() -> None:
    device_of("openmp")
    with pytest.raises(DiagnosticError, match=r"E0908.*sssp needs 5\d,\d{3} bytes"):
        SSSP.run(roads(), target="openmp", src=0, device_memory="20K", schedule="memory=resident")
    result = SSSP.run(roads(), target="openmp", src=0, device_memory="20K")
    assert result["dist"].tolist() == SSSP.run(roads(), target="reference", src=0)["dist"].tolist()
    assert result.bytes.chunks > 0


@pytest.mark.parametrize("limit", ["device_memory", "host_memory"])
@pytest.mark.parametrize("said", [0, -5, "12 apples", ""])
def test_what_is_no_size_is_refused(said: object, limit: str) -> None:
    with pytest.raises(DiagnosticError, match=rf"E0732.*{limit} is a number of bytes above zero"):
        SSSP.run(roads(), target="reference", src=0, **{limit: said})


def test_a_graph_on_the_device_shrinks_to_the_limit_and_grows_again() -> None:
    with Session() as fresh:
        graph = roads()

        def taken(limit: int | None, **how: Any) -> tuple[int, int, int]:
            result = STRENGTHS.run(graph, target="reference", session=fresh, device_memory=limit, **how)
            return result.estimate.graph, sum(result.estimate.mapped.values()), result.bytes.up

        whole = 4 * (501 + 6000 + 6000)
        assert taken(None)[:2] == (whole, 0)
        part = taken(25_000)
        assert part[0] + part[1] == whole
        assert taken(25_000)[2] < 100  # nothing of the graph crosses again
        assert taken(None)[:2] == (whole, 0)
        assert taken(None, schedule="memory=ondemand")[:2] == (whole, 0)


def test_explicit_schedules_are_kept() -> None:
    with pytest.raises(DiagnosticError, match="E0908"):
        SSSP.run(roads(), target="reference", src=0, device_memory=25_000, schedule="memory=resident")
    result = SSSP.run(roads(), target="reference", src=0, schedule="memory=ondemand")
    assert not result.estimate.mapped


def test_edge_properties_of_the_caller_are_split_too() -> None:
    program = starplat.compile("""
function tolls(Graph g, propEdge<int> toll, propNode<long> sum) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.sum += e.toll;
        }
    }
}
""")
    graph, toll = roads(), np.arange(6000, dtype=np.int32)
    expected = program.run(graph, target="reference", toll=toll)["sum"]
    result = program.run(graph, target="reference", toll=toll, device_memory=4 * 6000 + 8 * 500 + 4 * 501 + 4000)
    assert result["sum"].tolist() == expected.tolist()
    assert dict(result.estimate.mapped) == {"toll": 20_000}


# --- allocations that fail ---------------------------------------------------------------------------------------


class Boasting(ReferenceDevice):
    """A device that has room for fewer bytes than it says."""

    room = 25_000

    def _free_memory(self) -> int | None:
        return 2**40

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        if self.held + dtype.itemsize * count > self.room:
            raise MemoryError
        return super()._allocate(dtype, count)

    def _allocate_split(self, dtype: np.dtype[Any], count: int, near: int) -> Any:
        if self.held + dtype.itemsize * near > self.room:
            raise MemoryError
        return self._allocate_mapped(dtype, count)


def opened(monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    monkeypatch.setitem(default_session()._devices, ("reference", 0), device)


def test_a_failed_allocation_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = SSSP.run(roads(), target="opencl", src=0)["dist"].tolist()
    device = Boasting()
    opened(monkeypatch, device)
    result = SSSP.run(roads(), target="reference", src=0)
    assert result["dist"].tolist() == expected
    assert 0 < sum(result.estimate.mapped.values()) <= 4 * 12_000
    assert not device.is_limited


@pytest.mark.parametrize("limit", [None, 30_000])
def test_an_allocation_that_fails_at_last_says_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, limit: int | None
) -> None:
    device = Boasting()
    device.room = 3000
    opened(monkeypatch, device)
    with pytest.raises(DiagnosticError, match=r"E0903.*no room for") as failed:
        SSSP.run(roads(), target="reference", src=0, device_memory=limit)
    said = failed.value.diagnostics[0]
    assert said.message.endswith("more bytes" if limit is None else "more bytes within 30,000")
    assert said.help is not None
    assert said.help.startswith("sssp needs more than ")


def test_a_limit_falls_each_time_until_nothing_is_left() -> None:
    device, cell = ReferenceDevice(), np.dtype(np.int64)
    held, kept = device.allocate(cell, 1000), device.allocate(cell, 200)
    device.release(kept)
    with device.limited(10_000):
        free = [device.free_memory()]
        for _ in range(100):
            device.lower_limit(8)
            free.append(device.free_memory())
    assert free[0] == 10_000 - held.size
    assert all(after < before or after == 0 for before, after in pairwise(map(int, free)))  # type: ignore[arg-type]
    assert free[-1] == 0


def test_a_device_that_has_room_for_nothing_can_be_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Boasting()
    device.room = 2000
    opened(monkeypatch, device)
    with pytest.raises(DiagnosticError, match=r"E0903.*no room for"):
        SSSP.run(roads(), target="reference", src=0)
    small = Graph.from_arcs(3, [0, 1], [1, 2])
    assert SSSP.run(small, target="reference", src=0)["dist"].tolist() == [0, 1, 2]


class Borrowing(ReferenceDevice):
    """A device that reads the host's arrays where they lie, and has none of its own there."""

    def reads_in_place(self, cells: np.ndarray[Any, Any]) -> bool:
        return True

    def _over_host(self, cells: np.ndarray[Any, Any]) -> Any:
        return cells

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        raise MemoryError

    def _free_memory(self) -> int | None:
        return 2**40


def test_the_graphs_own_arrays_are_read_where_the_host_has_no_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_memory, "host_memory", lambda: 1000)
    device, graph = Borrowing(), roads()
    opened(monkeypatch, device)
    columns = graph.columns.copy()
    how: dict[str, Any] = {"target": "reference", "src": 0, "schedule": "memory=mapped"}
    result = SSSP.run(graph, **how)
    assert result["dist"].tolist() == SSSP.run(graph, target="opencl", src=0)["dist"].tolist()
    assert device.held_on_host == sum(result.estimate.mapped.values()) == 4 * 12_000
    SSSP.run(roads(8), **how)  # what is no longer needed is not given to others
    strengths = STRENGTHS.run(graph, target="reference", device_memory=25_000)  # of no array the first part only
    assert dict(strengths.estimate.mapped) == {"columns": 24_000, "weight": 24_000}
    assert strengths["strength"].tolist() == STRENGTHS.run(graph, target="opencl")["strength"].tolist()
    assert (graph.columns == columns).all()
    with pytest.raises(DiagnosticError, match=r"E0908.*may have 39.1 KiB"):
        SSSP.run(graph, host_memory=40_000, **how)
    monkeypatch.setattr(Borrowing, "reads_in_place", lambda *_: False)
    with pytest.raises(DiagnosticError, match=r"E0908.*the host"):
        SSSP.run(roads(9), **how)


# --- arithmetic --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("room", "unit", "there", "expected"),
    [
        (None, None, 0, [ON_DEVICE, ON_DEVICE]),
        (800, 8, 0, [ON_DEVICE, ON_DEVICE]),
        (799, 8, 0, [ON_DEVICE, Whereabouts(ir.Placement.SPLIT, 98)]),
        (799, None, 0, [ON_DEVICE, MAPPED]),
        (399, None, 0, [MAPPED, MAPPED]),
        (100, 64, 0, [Whereabouts(ir.Placement.SPLIT, 16), Whereabouts(ir.Placement.MAPPED)]),
        (200, 8, 49, [Whereabouts(ir.Placement.SPLIT, 49), MAPPED]),
        (200, 8, 60, [Whereabouts(ir.Placement.SPLIT, 50), MAPPED]),
        (-5, 8, 0, [MAPPED, MAPPED]),
    ],
)
def test_arrays_share_the_room(room: int | None, unit: int | None, there: int, expected: list[Whereabouts]) -> None:
    candidates = [Candidate("columns", 100, 4, there), Candidate("weight", 100, 4, 0)]
    assert list(divided(candidates, room, unit).values()) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/a/memory.max": "1000", "sys/a/memory.current": "300"}, 700),
        ({"proc/self/cgroup": "0::/a\n", "sys/a/memory.max": "max", "sys/a/memory.current": "300"}, 4096),
        ({"proc/self/cgroup": "4:cpu,memory:/x\n", "sys/memory/memory.limit_in_bytes": "2000",
          "sys/memory/memory.usage_in_bytes": "1900", "sys/memory/memory.stat": "inactive_file 50\n"}, 150),
        ({"proc/self/cgroup": "3:cpu:/x\n"}, 4096),
        ({}, 4096),
    ],
)  # fmt: skip
def test_control_groups_limit_what_the_host_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], expected: int
) -> None:
    stats = {str(Path(name).parent / "memory.stat"): "anon 1\n" for name in files if "memory." in name}
    for name, text in {"proc/meminfo": "MemAvailable: 4 kB\n", **stats, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(host_memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(host_memory, "GROUPS", tmp_path / "sys")
    assert host_memory.host_memory() == expected


def test_what_threads_have_for_themselves_counts() -> None:
    device, graph = device_of("openmp"), roads(nodes=300, arcs=600)
    program = starplat.compile(EXAMPLES / "label_propagation.sp")
    how: dict[str, Any] = {"target": "openmp", "iterations": 2}
    expected = program.run(graph, **how)
    assert device.copies_of_threads > 0
    assert expected.estimate.temporaries >= 4 * 300 * device.copies_of_threads
    least = expected.estimate.total
    assert program.run(graph, device_memory=least, **how)["label"].tolist() == expected["label"].tolist()
    with pytest.raises(DiagnosticError, match="E0908"):
        program.run(graph, device_memory=least - 1, **how)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", ["dynamic_sssp", "dynamic_pagerank", "dynamic_triangle_count"])
def test_what_the_next_graph_takes_counts(name: str, directed: bool) -> None:
    graph = Graph.from_arcs(300, *np.random.default_rng(3).integers(0, 300, (2, 4000)), directed=directed)
    updates, size = updates_of(graph, 0.02, 3)
    program = starplat.compile(Path(starplat.__file__).parent / "algorithms" / "dynamic" / f"{name}.sp")
    how: dict[str, Any] = {"changes": updates, "batch": size, "target": "opencl", "schedule": "updates=merge"}
    how |= {"src": 0} if name == "dynamic_sssp" else {}
    with Session() as fresh:
        expected = program.run(graph, session=fresh, **how)
    least = expected.estimate.total
    with Session() as fresh:
        result = program.run(graph, session=fresh, device_memory=least, **how)
    assert result.returned == expected.returned
    for one in set(expected.properties) - {"parent"}:  # of equal ways to a node any may be the one
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-5)
    with Session() as fresh, pytest.raises(DiagnosticError, match=rf"E0908.*needs {least:,} bytes"):
        program.run(graph, session=fresh, device_memory=least - 1, **how)


def test_what_functions_hold_is_looked_up_when_a_program_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs take less time to run on than it takes to walk through a program."""
    module = starplat.compile(EXAMPLES / "k_core.sp").module()
    held = estimate.temporaries(module, Sizes(1000, 5000))
    assert held > 0
    monkeypatch.setattr(estimate, "calls_in", None)
    assert estimate.temporaries(module, Sizes(1000, 5000)) == held
    with pytest.raises(TypeError):
        estimate.temporaries(module, Sizes(1001, 5000))
