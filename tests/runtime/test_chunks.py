"""Rows that the host copies for each launch: answers within limits, the bytes that cross, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.runtime.actions import launches
from starplat.runtime.devices.cuda import CudaDevice
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.opencl import OpenCLDevice
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.session import Session
from starplat.runtime.tracing.trace import Crossing
from tests.backends.emulated import Machine, emulated
from tests.programs import cases
from tests.runtime.devices import device_of
from tests.runtime.poisoned import PoisonedCuda, PoisonedOpenCL, PoisonedReference, session_with
from tests.runtime.test_device_memory import roads
from tests.tiers import every_other
from tests.zoo import ZOO

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TARGETS = ("reference", "opencl", "openmp", "sycl", "openacc", "cuda")
WITH_POISON = ("reference", "opencl", "cuda")
NAMES = ("bfs_levels", "connected_components", "k_core", "pagerank", "sssp")
CALLS: dict[str, dict[str, Any]] = {"bfs_levels": {"src": 0}, "sssp": {"src": 0}}
CHUNKS = "memory=chunks"
TOLLS = starplat.compile("""
function tolls(Graph g, propEdge<int> toll, propNode<long> out, propNode<long> into, propNode<edge> last) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.out += e.toll;
            if (w == 7) { v.last = e; }
        }
    }
    forall (v in g.nodes()) {
        forall (u in g.nodes_to(v)) {
            edge e = g.get_edge(u, v);
            v.into += e.toll;
        }
    }
}
""")


def program_of(name: str) -> starplat.Program:
    return starplat.compile(EXAMPLES / f"{name}.sp")


def least_and_arcs(program: starplat.Program, graph: Graph, **how: Any) -> tuple[int, int]:
    """The bytes of a run with room for the longest row, and those of all arcs."""
    try:
        program.run(graph, device_memory=1, schedule=CHUNKS, **how)
        raise AssertionError("it has room in one byte")
    except DiagnosticError as refused:
        if refused.diagnostics[0].code != "E0908":
            raise
        said = refused.diagnostics[0].help or ""
    least = int(said.split("--device-memory ")[1].split(",")[0])
    return least, program.run(graph, schedule=CHUNKS, **how).estimate.total - least


def within_limits(name: str, share: float, most_held: list[int], **how: Any) -> None:
    program, graph, call = program_of(name), roads(), CALLS.get(name, {})
    expected = program.run(graph, target="reference", **call)
    least, arcs = least_and_arcs(program, graph, **how, **call)
    most_held.clear()
    limit = least + int(share * arcs)
    result = program.run(graph, schedule=CHUNKS, device_memory=limit, **how, **call)
    assert max(most_held) <= limit
    assert result.estimate.total <= limit
    assert result.bytes.up >= result.bytes.chunks > 0
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-5)


@pytest.mark.spread
@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("target", [*TARGETS, "webgpu"])
@pytest.mark.parametrize("name", ["bfs_levels", "connected_components", "sssp"])
def test_a_limit_is_kept_and_answers_are_the_same(name: str, target: str, share: float, most_held: list[int]) -> None:
    device_of(target)
    with Session() as fresh:
        within_limits(name, share, most_held, target=target, session=fresh)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "target", "share"), every_other(NAMES, TARGETS, [0.0, 0.1, 0.3, 0.6, 0.9]))
def test_all_limits_are_kept(name: str, target: str, share: float, most_held: list[int]) -> None:
    device_of(target)
    with Session() as fresh:
        within_limits(name, share, most_held, target=target, session=fresh)


@pytest.mark.thin(plain=4, campaign=2)
@pytest.mark.parametrize("name", NAMES)
def test_emitted_cuda_kernels_read_chunks(name: str, most_held: list[int]) -> None:
    with emulated(Machine()):
        within_limits(name, 0.1, most_held, target="cuda")


@pytest.mark.parametrize("name", ["connected_components", "pagerank"])
def test_what_earlier_runs_left_on_the_device_makes_room_for_chunks(name: str) -> None:
    program, graph, other = program_of(name), roads(), roads()
    least, arcs = least_and_arcs(program, graph, target="reference")
    limit = least + arcs // 2
    with Session() as fresh:
        how: dict[str, Any] = {"target": "reference", "session": fresh, "schedule": CHUNKS, "device_memory": limit}
        alone = program.run(graph, **how).estimate.total
        for earlier in (graph, other):
            program.run(earlier, **how | {"schedule": "memory=ondemand"})
            assert program.run(graph, **how).estimate.total == alone > limit - 100


class Limited:
    """Runs programs with room for the longest row and a share of all other arcs."""

    def __init__(self, session: Session, target: str, share: float) -> None:
        self.how: dict[str, Any] = {"session": session, "target": target, "schedule": CHUNKS}
        self.share = share

    def run(self, program: starplat.Program, graph: Graph, call: dict[str, object]) -> starplat.Result:
        if not graph.num_nodes:
            return program.run(graph, **self.how, **call)
        least, arcs = least_and_arcs(program, graph, **{k: v for k, v in self.how.items() if k != "schedule"}, **call)
        return program.run(graph, device_memory=least + int(self.share * arcs), **self.how, **call)


def poisoned(target: str) -> Device:
    """The target's first device, where new memory is poison on those WITH_POISON."""
    match device_of(target):
        case OpenCLDevice() as opencl:
            return PoisonedOpenCL(opencl.device)
        case CudaDevice() as cuda:
            return PoisonedCuda(cuda.cupy, 0)
        case ReferenceDevice():
            return PoisonedReference()
        case other:
            return other


def judged(case: cases.Case, target: str, graph: str, share: float = 0.0) -> None:
    """Holds answers against others' where all memory is poison before it is filled; others are refused by name."""
    with session_with(poisoned(target)) as session:
        try:
            case.judge(case.suits(ZOO[graph]), Limited(session, target, share))  # type: ignore[arg-type]
        except DiagnosticError as refused:
            if {one.code for one in refused.diagnostics} != {"E0665"}:
                raise


GRAPHS = ("empty", "one-loop", "parallel", "both-ways", "star-in-undirected", "random")


def named(value: object) -> str:
    return value.program if isinstance(value, cases.Case) else str(value)


every_case = pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.program)


@pytest.mark.thin(plain=4)
@every_case
def test_examples_are_right_row_by_row(case: cases.Case) -> None:
    judged(case, "reference", "random")


@pytest.mark.spread
@pytest.mark.parametrize("target", WITH_POISON)
@pytest.mark.parametrize("knobs", ["frontier=flags", "frontier=queue", "frontier=bitmap", "frontier=layers"])
def test_other_knobs_count(knobs: str, target: str) -> None:
    device_of(target)
    program, graph = program_of("bfs_levels"), ZOO["random"]
    expected = program.run(graph, target="reference", src=0)["level"].tolist()
    for direction in ("push", "pull"):
        schedule = f"{CHUNKS},{knobs},direction={direction}"
        assert program.run(graph, target=target, src=0, schedule=schedule)["level"].tolist() == expected


@pytest.mark.parametrize(
    ("knobs", "instead"), [("loop=device", "loop=auto"), ("balance=edge", "balance=auto"), ("order=rows", "order=auto")]
)
def test_knobs_that_rule_chunks_out_are_named(knobs: str, instead: str) -> None:
    with emulated(Machine()), pytest.raises(DiagnosticError, match=rf"(?s)E0665.*memory=chunks.*{instead}"):
        program_of("bfs_levels").run(roads(), target="cuda", src=0, schedule=f"{CHUNKS},{knobs}")


@pytest.mark.campaign
@pytest.mark.parametrize(("case", "target", "graph"), every_other(cases.CASES, WITH_POISON, GRAPHS), ids=named)
def test_examples_are_right_on_all_graphs(case: cases.Case, target: str, graph: str) -> None:
    judged(case, target, graph)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("case", "target", "share"), every_other(cases.CASES, ["openmp", "openacc"], [0.1, 0.3, 0.6, 0.9]), ids=named
)
def test_examples_are_right_at_all_limits(case: cases.Case, target: str, share: float) -> None:
    judged(case, target, "random", share)


@pytest.mark.parametrize("target", WITH_POISON)
def test_edge_properties_and_numbers_of_arcs_are_those_of_the_graph(target: str) -> None:
    device_of(target)
    graph, toll = roads(), np.arange(6000, dtype=np.int32)
    expected = TOLLS.run(graph, target="reference", toll=toll)
    least, arcs = least_and_arcs(TOLLS, graph, target=target, toll=toll)
    for limit in (least, least + arcs // 2):
        result = TOLLS.run(graph, target=target, toll=toll, schedule=CHUNKS, device_memory=limit)
        assert result["out"].tolist() == expected["out"].tolist()
        assert result["into"].tolist() == expected["into"].tolist()
        assert result["last"].tolist() == expected["last"].tolist()
        assert result["toll"].tolist() == toll.tolist()


def test_the_rows_of_active_nodes_cross_and_no_others() -> None:
    """A chain: each round has one active node, whose row of one arc crosses with its two ends."""
    nodes = 40
    chain = Graph.from_arcs(nodes, range(nodes - 1), range(1, nodes))
    result = program_of("bfs_levels").run(
        chain, target="reference", src=0, schedule=f"{CHUNKS},direction=push,frontier=queue", trace=True
    )
    assert result["level"].tolist() == list(range(nodes))
    assert result.bytes.chunks == (nodes - 1) * (4 + 2 * 4) + 2 * 4  # the last node's row has no arc
    assert result.to_json()["bytes"]["chunks"] == result.bytes.chunks
    assert result.trace is not None
    crossed = [[one.bytes for one in each.exchanges] for each in result.trace.rounds]
    assert crossed == [[12]] * (nodes - 1) + [[8]]
    assert {one.crossing for one in result.trace.exchanges} == {Crossing.CHUNKS}
    assert [each.chief.active for each in result.trace.rounds] == [1] * nodes


@pytest.fixture
def nothing_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows cross as they lie, however few are wanted."""
    monkeypatch.setattr(launches, "FEW_ARCS", 0)
    monkeypatch.setattr(launches, "FASTER", 1 << 40)


@pytest.mark.usefixtures("nothing_gathered")
@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("name", NAMES)
def test_rows_cross_as_they_lie(name: str, share: float, most_held: list[int]) -> None:
    with session_with(poisoned("reference")) as session:
        within_limits(name, share, most_held, target="reference", session=session)


@pytest.mark.usefixtures("nothing_gathered")
@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_edge_properties_cross_as_they_lie(target: str) -> None:
    test_edge_properties_and_numbers_of_arcs_are_those_of_the_graph(target)


@pytest.mark.usefixtures("nothing_gathered")
def test_chunks_without_a_wanted_row_do_not_cross() -> None:
    """A chain in chunks of nine rows of one arc: each round has one active node, and the last one no arc."""
    nodes, room, program = 41, 9, program_of("bfs_levels")
    chain = Graph.from_arcs(nodes, range(nodes - 1), range(1, nodes))
    how: dict[str, Any] = {"target": "reference", "src": 0, "schedule": f"{CHUNKS},direction=push,frontier=queue"}
    with pytest.raises(DiagnosticError) as refused:
        program.run(chain, device_memory=1, **how)
    least = int((refused.value.diagnostics[0].help or "").split("--device-memory ")[1].split(",")[0])
    result = program.run(chain, device_memory=least + 4 * room, **how)
    assert result["level"].tolist() == list(range(nodes))
    cut = [(room, room)] * (nodes // room) + [(nodes % room, nodes % room - 1)]
    assert result.bytes.chunks == sum(rows * (4 * arcs + 4 * (rows + 1)) for rows, arcs in cut)


def test_a_run_without_chunks_counts_none() -> None:
    result = program_of("bfs_levels").run(roads(), target="reference", src=0)
    assert result.bytes.chunks == 0
    assert "chunks" not in result.to_json()["bytes"]


def test_a_device_that_has_less_room_than_it_says_gets_smaller_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Boasting(ReferenceDevice):
        def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
            if self.held + dtype.itemsize * count > 30_000:
                raise MemoryError
            return super()._allocate(dtype, count)

    expected = program_of("sssp").run(roads(), target="reference", src=0)["dist"].tolist()
    with session_with(Boasting()) as session:
        result = program_of("sssp").run(roads(), target="reference", src=0, schedule=CHUNKS, session=session)
    assert result["dist"].tolist() == expected
    assert result.estimate.total <= 30_000


@pytest.mark.parametrize(
    ("name", "reason"),
    [("triangle_count", "arcs of other nodes than its own"), ("minimum_spanning_tree", "goes neither over nodes")],
)
def test_programs_that_read_other_rows_are_refused_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(DiagnosticError, match=rf"E0665.*memory=chunks.*{reason}"):
        program_of(name).run(roads(), target="reference", schedule=CHUNKS)
