"""`memory=mapped`: what has a cell for each arc stays in the host's memory, and answers are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import InvalidModule, verify
from starplat.runtime.devices import device_memory
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.runtime.devices import device_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MAPPED = parse_schedule("memory=mapped")
TARGETS = ("reference", "opencl", "sycl")

TOLLS = starplat.compile("""
function tolls(Graph g, propEdge<int> toll, propEdge<int> paid, propNode<long> sum) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            e.paid = e.toll + 1;
            w.sum += e.toll;
        }
    }
}
""")

CHANGED = starplat.compile("""
function changed(Graph g, propEdge<int> weight, propNode<int> sum) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            e.weight = e.weight + 1;
            v.sum += e.weight;
        }
    }
}
""")


def roads(*, directed: bool = True) -> Graph:
    generator = np.random.default_rng(7)
    ends = generator.integers(0, 50, (2, 300))
    return Graph.from_arcs(50, ends[0], ends[1], generator.integers(1, 9, 300), directed=directed)


def mapped_by(program: starplat.Program, schedule: str = "memory=mapped", target: str = "opencl") -> list[str]:
    capabilities = starplat.backends.BACKENDS[target].capabilities
    module = decided(program.module(), parse_schedule(schedule), capabilities).module
    verify(module)
    return [array.name for array in module.mapped]


@pytest.mark.parametrize(
    ("name", "schedule", "expected"),
    [
        ("sssp", "memory=mapped", ["columns", "weight"]),
        ("sssp", "memory=mapped,balance=edge,frontier=flags", ["columns", "weight"]),
        ("bfs_levels", "memory=mapped", ["columns", "in_columns"]),
        ("bfs_levels", "memory=mapped,direction=push", ["columns"]),
        ("triangle_count", "memory=mapped", ["columns", "arc_sources"]),
        ("sssp", "memory=resident", []),
        ("sssp", "auto", []),
    ],
)
def test_arrays_of_arcs_are_placed_in_host_memory(name: str, schedule: str, expected: list[str]) -> None:
    assert mapped_by(starplat.compile(EXAMPLES / f"{name}.sp"), schedule) == expected


def test_edge_properties_that_the_program_changes_stay_on_the_device() -> None:
    assert mapped_by(TOLLS) == ["columns", "toll"]
    assert mapped_by(CHANGED) == ["columns"]


def test_the_verifier_refuses_a_mapped_array_that_a_kernel_changes() -> None:
    module = CHANGED.module()
    weight = next(array for array in module.inputs if array.name == "weight")
    with pytest.raises(InvalidModule, match="a kernel changes 'weight', which is in mapped host memory"):
        verify(ir.Module(**{**vars_of(module), "mapped": (weight,)}))


def vars_of(module: ir.Module) -> dict[str, Any]:
    return {name: getattr(module, name) for name in module.__dataclass_fields__}


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_no_arc_crosses_and_the_report_has_the_bytes(target: str) -> None:
    device_of(target)
    program, graph = starplat.compile(EXAMPLES / "sssp.sp"), roads()
    expected = program.run(graph, target="reference", src=0)
    result = program.run(graph, target=target, schedule=MAPPED, src=0)
    assert result["dist"].tolist() == expected["dist"].tolist()
    assert result["weight"].tolist() == graph.weights.tolist()
    assert result.bytes.up < 4 * 51 + 16  # row_offsets, and the source's cells
    assert dict(result.estimate.mapped) == {"columns": 4 * 300, "weight": 4 * 300}
    assert result.estimate.graph == 4 * 51
    assert result.to_json()["bytes"]["mapped"] == {"columns": 1200, "weight": 1200}


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_both_placements_of_a_graph_live_side_by_side(target: str) -> None:
    device_of(target)
    program, graph = starplat.compile(EXAMPLES / "sssp.sp"), roads()
    runs = [program.run(graph, target=target, schedule=f"memory={word}", src=0) for word in ("mapped", "resident")]
    again = [program.run(graph, target=target, schedule=f"memory={word}", src=0) for word in ("mapped", "resident")]
    assert len({tuple(result["dist"].tolist()) for result in (*runs, *again)}) == 1
    assert runs[1].bytes.up - again[1].bytes.up == 4 * (300 + 300)  # columns and weights; the rows were there


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_arcs_of_an_undirected_graph_are_mapped_once(target: str) -> None:
    device_of(target)
    program, graph = starplat.compile(EXAMPLES / "bfs_levels.sp"), roads(directed=False)
    schedule = "memory=mapped,loop=host"
    result = program.run(graph, target=target, schedule=schedule, src=0, results=["level"])
    assert result["level"].tolist() == program.run(graph, target="reference", src=0)["level"].tolist()
    assert list(result.estimate.mapped) == ["columns"]


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_a_given_edge_property_is_mapped(target: str) -> None:
    device_of(target)
    graph = roads()
    toll = np.arange(300, dtype=np.int32)
    expected = TOLLS.run(graph, target="reference", toll=toll)
    result = TOLLS.run(graph, target=target, schedule=MAPPED, toll=toll, repeat=2)
    for name in ("paid", "sum", "toll"):
        assert result[name].tolist() == expected[name].tolist()
    assert dict(result.estimate.mapped) == {"columns": 1200, "toll": 1200}


@pytest.mark.spread
@pytest.mark.parametrize("target", TARGETS)
def test_results_stay_on_the_device_also_where_the_host_has_them(target: str) -> None:
    device_of(target)
    program, graph = starplat.compile(EXAMPLES / "sssp.sp"), roads()
    result = program.run(graph, target=target, schedule=MAPPED, src=0, device_results=True)
    assert result.on_host("weight").tolist() == graph.weights.tolist()


def test_arrays_that_the_host_has_no_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_memory, "host_memory", lambda: 2000)
    with pytest.raises(DiagnosticError) as raised:
        TOLLS.run(roads(), target="reference", schedule=MAPPED)
    said = raised.value.diagnostics[0]
    assert (said.code, said.message) == ("E0908", "program needs 2.3 KiB more on the host, which has 2.0 KiB free")


@pytest.mark.parametrize("library", [False, True], ids=["program", "library"])
@pytest.mark.parametrize(
    ("target", "allocates"),
    [
        ("cuda", "cudaHostAlloc(&memory, bytes, cudaHostAllocMapped)"),
        ("hip", "hipHostMalloc(&memory, bytes, hipHostMallocMapped)"),
        ("opencl", "CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR"),
        ("sycl", "sycl::malloc_host<T>(size + 4, on.queue())"),
    ],
)
def test_emitted_programs_allocate_in_the_same_way(target: str, allocates: str, library: bool) -> None:
    program = starplat.compile(EXAMPLES / "sssp.sp")
    text = "".join(program.artifact(target, schedule=MAPPED, library=library, single_file=True).values())
    assert allocates in text
    assert "MappedBuffer<int> columns{device, host.columns};" in text
    assert "Buffer<arc_t> row_offsets{device, host.row_offsets};" in text
    assert "MappedBuffer<int> &weight" in text
    resident = program.artifact(target, library=library, single_file=True)
    assert all("MappedBuffer" not in one for one in resident.values())
