"""Where triangles of nodes are counted, intersecting rows gives the same numbers on every graph; nothing else is
touched."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS, launch
from starplat.backends.c import groups
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import thread_arrays, walk, walk_host, walk_kernel
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles.intersections import triangles
from starplat.passes.triangles.search import Meeting
from starplat.runtime import bind, elements, run_module
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.algebra import triangles_by_intersection
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Algebra, Schedule
from tests.backends.test_cuda import to_machine_code
from tests.changing import changed
from tests.passes.counting_of_nodes import COUNTS, HELPER_FOR_THE_NODE, OF_ALL, OTHERS
from tests.programs.targets import FULL, TARGETS, Target
from tests.zoo import ZOO, fewer_examples, random_graphs

every_spelling = pytest.mark.parametrize("name", [*COUNTS, *OF_ALL])
all_ways = pytest.mark.parametrize("meeting", Meeting, ids=lambda meeting: meeting.name.lower())
KEEPING_ROWS = (Meeting.TABLES, Meeting.TESTED_ENDS, Meeting.ENDS)
"""Ways that need no launch to orient rows."""
SOME = [target for target in TARGETS if target.target in ("reference", "openmp", "opencl")]
some_targets = pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)


@cache
def plain(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**COUNTS, **OF_ALL, **OTHERS}[name]).checked, as_written=True)


@cache
def rewritten(name: str, meeting: Meeting) -> Rewritten:
    return triangles(plain(name), meeting=meeting)


def answer(module: ir.Module, graph: Graph, target: str = "reference", device: int = 0) -> starplat.Result:
    given = bind(module, graph, {})
    return run_module(module, graph, target=target, device_index=device, arguments=given, schedule=PLAIN)


def assert_same(name: str, meeting: Meeting, graph: Graph, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    if meeting is Meeting.TABLES and target.target not in ("reference", "opencl"):
        pytest.skip(f"threads of {target.label} have no tables together")
    if meeting is Meeting.CELLS and target.target != "openmp":
        pytest.skip(f"threads of {target.label} have no cells of their own")
    found = answer(rewritten(name, meeting).module, graph, target.target, target.device or 0)
    assert first_difference(found, answer(plain(name), graph)) is None


@all_ways
@pytest.mark.parametrize("name", COUNTS)
def test_every_spelling_is_seen_through(name: str, meeting: Meeting) -> None:
    found = rewritten(name, meeting)
    verify(found.module)
    assert len(found.found) == 1
    (test,) = (op for f in found.module.functions for op in walk_host(f.body) if isinstance(op, ir.HostIf))
    launched = [[op.kernel for op in block if isinstance(op, ir.Launch)] for block in (test.then, test.otherwise)]
    assert [len(kernels) for kernels in launched] == [2 if meeting in KEEPING_ROWS else 3, 1]
    rest = found.module.kernel(launched[0][-1])
    loops = [op for op in walk_kernel(rest.body) if isinstance(op, ir.ForNeighbors)]
    assert not any(isinstance(inner, ir.ForNeighbors) for loop in loops for inner in walk_kernel(loop.body))


@all_ways
@pytest.mark.parametrize("name", OF_ALL)
def test_what_only_adds_to_the_nodes_of_triangles_needs_nothing_after_it(name: str, meeting: Meeting) -> None:
    found = rewritten(name, meeting)
    verify(found.module)
    (test,) = (op for f in found.module.functions for op in walk_host(f.body) if isinstance(op, ir.HostIf))
    launched = [[op.kernel for op in block if isinstance(op, ir.Launch)] for block in (test.then, test.otherwise)]
    assert [len(kernels) for kernels in launched] == [1 if meeting in KEEPING_ROWS else 2, 1]
    assert "t[u], t[w], t[x] <- sum" in pipeline.operators(starplat.compile(OF_ALL[name]).checked)


def test_a_function_that_counts_for_its_node_is_part_of_the_loop() -> None:
    checked = starplat.compile(HELPER_FOR_THE_NODE).checked
    found = triangles(pipeline.lower(checked))
    assert len(found.found) == 1
    for graph in (*ZOO.values(), *(graph.undirected().deduplicated() for graph in ZOO.values())):
        expected = answer(pipeline.lower(checked, as_written=True), graph)
        assert first_difference(answer(found.module, graph), expected) is None


def test_what_else_a_loop_does_is_still_done_and_no_more() -> None:
    """The example counts neighbors beside arcs: those are as many as its row is long, less a loop. Those who only lead
    to a node are none where arcs lead both ways."""
    assert not loops_left("clustering")
    assert [loop.neighbor.name for loop in loops_left("sum of neighbors")] == ["u"]


def loops_left(name: str) -> list[ir.ForNeighbors]:
    (rest,) = (k for k in rewritten(name, Meeting.SEARCH).module.kernels if k.name.endswith("_from_triangles"))
    assert not any(array.name.startswith("in_") for array in rest.arrays)
    return [op for op in walk_kernel(rest.body) if isinstance(op, ir.ForNeighbors)]


@pytest.mark.parametrize("name", OTHERS)
def test_what_counts_something_else_stays_as_it_is(name: str) -> None:
    found = triangles(plain(name))
    assert found.module is plain(name)
    assert found.found == ()


@pytest.mark.thin(plain=6, campaign=6)
@some_targets
@all_ways
@every_spelling
def test_the_numbers_are_the_same_on_ugly_graphs(name: str, meeting: Meeting, target: Target) -> None:
    for graph in ZOO.values():
        assert_same(name, meeting, graph, target)
        assert_same(name, meeting, graph.undirected().deduplicated(), target)


@pytest.mark.thin(plain=6, campaign=6)
@some_targets
@all_ways
@every_spelling
def test_the_numbers_are_the_same_on_random_graphs(name: str, meeting: Meeting, target: Target) -> None:
    def same(graph: Graph) -> None:
        assert_same(name, meeting, graph, target)
        assert_same(name, meeting, graph.undirected().deduplicated().without_loops(), target)

    fewer_examples()(given(random_graphs(12, 60))(same))()


@pytest.mark.thin(plain=6, campaign=6)
@some_targets
@every_spelling
def test_ends_of_rows_may_be_gone_through_before_it_is_known_whether_an_arc_is_twice(name: str, target: Target) -> None:
    """Where every arc is known to have its reverse."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    module = triangles(plain(name), meeting=Meeting.TESTED_ENDS, symmetric=True).module
    for graph in ZOO.values():
        for given_graph in (graph.undirected(), graph.undirected().deduplicated()):
            found = answer(module, given_graph, target.target, target.device or 0)
            assert first_difference(found, answer(plain(name), given_graph)) is None


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_loop_is_no_neighbor_of_its_node(symmetric: bool) -> None:
    """The search among pairs tells whether there is any."""
    module = triangles(plain("clustering"), meeting=Meeting.TESTED_ENDS, symmetric=symmetric).module
    corners = [(0, 1), (1, 2), (2, 0), (2, 3)]
    for loops in ([], [(2, 2)], [(0, 0), (3, 3)]):
        graph = Graph.from_arcs(4, *zip(*corners, *loops, strict=True), directed=False).deduplicated()
        assert first_difference(answer(module, graph), answer(plain("clustering"), graph)) is None


def test_pairs_of_neighbors_are_looked_for_and_the_graph_tested_in_one_launch() -> None:
    facts = GraphFacts(2**22, 2**23, 4, symmetric=True)
    made = triangles_by_intersection(plain("clustering"), AUTO, BACKENDS["cuda"].capabilities, facts).module
    assert not any(kernel.name.endswith("_check") for kernel in made.kernels)
    (search,) = (kernel for kernel in made.kernels if kernel.name.endswith("_intersect"))
    assert not any(isinstance(part, ir.FindArc) for part in walk(search))
    assert ir.SOURCES not in search.arrays


def test_larger_graphs_have_the_coefficients_that_networkx_finds() -> None:
    import networkx as nx

    draw = np.random.default_rng(3)
    ends = (draw.pareto(1.2, (2, 3000)) * 20).astype(np.int64) % 500
    graph = Graph.from_arcs(500, *ends, directed=False).deduplicated().without_loops()
    expected = nx.clustering(nx.Graph(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)))
    found = answer(rewritten("clustering", Meeting.SEARCH).module, graph)["lcc"]
    assert [found[node] for node in expected] == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("target", [one for one in SOME if one.target == "opencl"], ids=lambda target: target.label)
def test_groups_put_long_rows_into_tables_part_by_part(
    target: Target, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In small tables, where rows of more than 4 nodes are alone, and those of more than 128 come in parts."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    monkeypatch.setattr(groups, "MOST_CELLS", 256)
    monkeypatch.setattr(groups, "FEW_KEPT", 4)
    monkeypatch.setattr(launch, "groups_for", lambda iterations: 3)
    if wide:
        monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    known = default_session().device("opencl", target.device or 0).built
    ends = np.random.default_rng(1).integers(0, [[150], [900]], (2, 40_000))
    graph = Graph.from_arcs(900, *ends, directed=False).deduplicated().without_loops()
    for program in ("clustering_coefficient", "triangle_count"):
        module = triangles(starplat.compile(program).module(), meeting=Meeting.TABLES).module
        known.clear()  # what was built with other sizes
        found = answer(module, graph, "opencl", target.device or 0)
        known.clear()
        assert first_difference(found, answer(module, graph)) is None


@pytest.mark.thin(plain=4)
@all_ways
@every_spelling
def test_every_target_can_say_it(name: str, meeting: Meeting) -> None:
    for backend in map(BACKENDS.__getitem__, FULL):
        if meeting is Meeting.TABLES and not backend.capabilities.group_tables:
            continue
        if meeting is Meeting.CELLS and not backend.capabilities.own_cells:
            continue
        assert backend.kernels_text(rewritten(name, meeting).module)


def test_cuda_takes_the_kernels(tmp_path: Path) -> None:
    to_machine_code(BACKENDS["cuda"].kernels_text(rewritten("clustering", Meeting.SEARCH).module), tmp_path)


def test_a_target_that_cannot_add_to_one_cell_at_once_keeps_the_program() -> None:
    found = triangles(plain("clustering"), adds=lambda element: False)
    assert found.module is plain("clustering")


def test_cores_count_in_cells_of_their_own_unless_those_would_be_many() -> None:
    for nodes, own in ((None, True), (2**22, True), (2**22 + 1, False)):
        facts = None if nodes is None else GraphFacts(nodes, 2**30, 2**20)
        for target in ("openmp", "opencl", "cuda", "openacc"):
            made = triangles_by_intersection(plain("clustering"), AUTO, BACKENDS[target].capabilities, facts).module
            has_own = any(thread_arrays(kernel.body) for kernel in made.kernels)
            assert has_own is (own and target == "openmp")


@pytest.mark.parametrize("watched", [False, True], ids=["", "watched"])
@pytest.mark.parametrize("name", ["corners", "uneven corners", "at edges"])
def test_a_loop_counts_anew_in_cells_that_are_as_they_were(name: str, watched: bool) -> None:
    """Also where it is compiled with the kernels."""
    head = "  forall (e" if name == "at edges" else "  forall (v"
    program = starplat.compile(
        changed(OF_ALL[name], (head, f"  for (int i = 0; i < 3; i++) {{\n{head}"), ("\n  }\n", "\n  }}\n"))
    )
    for graph in (generators.rmat(7, 12, 3).undirected().deduplicated().without_loops(), ZOO["random-dense"]):
        expected = program.run(graph, target="reference")
        assert first_difference(program.run(graph, target="openmp", trace=watched), expected) is None


def test_nothing_is_done_where_the_programs_own_steps_are_asked_for() -> None:
    capabilities, module = BACKENDS["cuda"].capabilities, plain("clustering")
    assert triangles_by_intersection(module, Schedule(algebra=Algebra.PLAIN), capabilities, None).module is module
    assert len(triangles_by_intersection(module, Schedule(), capabilities, None).choices) == 1
