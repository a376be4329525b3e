"""`order=degree` and `order=rcm`: runs on renumbered graphs answer as runs on the graph itself, or are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.graph.renumbering import Renumbered, _sorted_by, by_bandwidth, by_degree
from starplat.runtime.renumbered import Renumbering, renumbering
from starplat.runtime.validate import first_difference
from starplat.schedule.parse import parse_schedule
from tests.programs.cases import CASES, EXAMPLES, Case
from tests.programs.targets import Target, compiled, every_target
from tests.spellings.corpus import Kind, entries
from tests.spellings.judging import ALGORITHMS
from tests.zoo import ZOO

ORDERS = ("degree", "rcm")
FREE = {
    "bfs_levels", "sssp", "sssp_two_flags", "pagerank", "triangle_count", "closeness", "k_core", "radii",
    "degree_centrality",
}  # fmt: skip
"""The examples whose answer cannot depend on the numbers of nodes."""


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STARPLAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def called_otherwise(graph: Graph) -> Graph:
    """The graph with ids that have nothing to do with the numbers of nodes."""
    ids = np.random.default_rng(3).permutation(graph.num_nodes) * 3 + 7
    return replace(graph, ids=ids.astype(np.int64), index_base=0)


def refusal(text: str | Path, schedule: str = "order=degree", graph: Graph = ZOO["both-ways"], **call: Any) -> str:
    with pytest.raises(DiagnosticError) as raised:
        starplat.compile(text).run(graph, target="reference", schedule=schedule, **call)
    (found,) = raised.value.diagnostics
    assert found.code == "E0667"
    assert found.help is not None
    assert found.help.startswith("leave it out")
    where = "" if found.place is None or found.source is None else found.source.text[slice(*_span(found.place.span))]
    return f"{found.message.partition(': ')[2]} @ {where}" if where else found.message.partition(": ")[2]


def _span(span: Any) -> tuple[int, int]:
    return span.start, span.end


# --- answers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in CASES if c.program in FREE], ids=lambda case: case.program)
@every_target
def test_examples_answer_as_on_the_graph_itself(case: Case, target: Target) -> None:
    for order, name in zip(2 * ORDERS, ("random", "both-ways", "parallel", "islands"), strict=True):
        graph = called_otherwise(case.suits(ZOO[name]))
        for call in case.calls(graph):
            result = target.run(compiled(case.path), graph, {"schedule": f"order={order}", "arguments": call})
            assert result.graph is graph
            case.check(graph, call, {key: result[key] for key in case.properties}, result.returned)


def test_all_other_examples_are_refused_with_the_place() -> None:
    for case in CASES:
        shown = compiled(case.path).module().numbers
        assert shown is not None
        assert (shown.shown is None) == (case.program in FREE), case.program


@pytest.mark.campaign
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_spelling_that_is_let_through_answers_as_on_the_graph_itself(algorithm: str) -> None:
    found = [entry for entry in entries() if entry.algorithm == algorithm and entry.kind is not Kind.HELD_OUT]
    free = [entry for entry in found if (n := entry.compiled().module().numbers) is not None and n.shown is None]
    assert free or algorithm == "connected_components"
    judged = ALGORITHMS[algorithm]
    for entry in free:
        for name in ("both-ways", "random", "parallel-undirected", "random-sparse"):
            graph = judged.suits(ZOO[name])
            for canonical in judged.calls(graph):
                call = {entry.name(key): value for key, value in canonical.items()}
                runs = [
                    entry.compiled().run(graph, target="reference", schedule=schedule, arguments=call)
                    for schedule in ("plain", "plain,order=degree")
                ]
                assert first_difference(runs[1], runs[0]) is None, entry


EVERYTHING = """
function all_kinds(Graph g, propNode<node> mate, propNode<edge> way, propEdge<int> toll, SetN<g> some,
                   node src, edge first, propNode<node> same_mate, propNode<edge> same_way, propEdge<long> twice,
                   propNode<bool> member, propNode<int> place, node none = -1) {
    forall (v in g.nodes()) {
        v.same_mate = v.mate;
        v.same_way = v.way;
        v.member = some.contains(v);
        v.place = v == src ? 1 : v == none ? 2 : v == first.source ? 3 : 0;
    }
    forall (e in g.edges()) {
        e.twice = 2 * e.toll + e.weight;
    }
    return src;
}"""


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("directed", [True, False])
def test_arguments_and_results_of_every_kind_are_in_the_callers_numbers(order: str, directed: bool) -> None:
    """With loops, parallel arcs whose weights differ, nodes without arcs; nodes and arcs that are none or not given."""
    random = np.random.default_rng(5)
    ends = (60 * random.random((2, 300)) ** 2).astype(np.int64)
    graph = called_otherwise(Graph.from_arcs(70, ends[0], ends[1], random.integers(1, 9, 300), directed=directed))
    m = graph.num_arcs
    call: dict[str, Any] = {
        "mate": random.choice([*graph.original_ids, -1], 70),
        "way": random.integers(-1, m, 70),
        "toll": random.integers(0, 99, m),
        "some": graph.original_ids[::3].tolist(),
        "src": graph.original_id(11),
        "first": 17,
    }
    program = starplat.compile(EVERYTHING)
    for given in (call, {name: value for name, value in call.items() if name not in ("mate", "way")}):
        expected = program.run(graph, target="reference", arguments=given)
        found = program.run(graph, target="reference", schedule=f"order={order}", arguments=given, repeat=2)
        assert found.returned == expected.returned == call["src"]
        for name in expected:
            assert found[name].tolist() == expected[name].tolist(), name
            assert found[name].dtype == expected[name].dtype


def test_validation_and_traces_are_those_of_the_callers_graph() -> None:
    found = compiled(EXAMPLES / "sssp.sp").run(
        ZOO["random"], target="openmp", schedule="order=rcm", src=0, validate=True, trace=True
    )
    assert found.validated
    assert found.trace is not None


# --- orders --------------------------------------------------------------------------------------------------------


def test_orders_are_what_they_say() -> None:
    graph = generators.rmat(11, 8, 1)
    assert sorted(by_degree(graph)) == list(range(2048))
    windows = graph.out_degrees[by_degree(graph)].reshape(16, 4, 32)  # 16 windows of 4 groups of 32
    assert (windows.min(axis=(1, 2))[:-1] >= windows.max(axis=(1, 2))[1:]).all()
    assert (windows.min(axis=1)[:, :-1] >= windows.max(axis=1)[:, 1:]).all()  # each group has one of each four
    directed = replace(graph, directed=True)
    assert sorted(by_degree(directed)) == list(range(2048))
    path = np.random.default_rng(1).permutation(50)
    chain = Graph.from_arcs(50, path[:-1], path[1:], directed=False)
    arranged = Renumbered.of(chain, by_bandwidth(chain)).graph
    assert np.abs(arranged.sources - arranged.columns).max() == 1


def test_a_renumbered_graph_is_the_same_graph() -> None:
    for graph in ZOO.values():
        made = Renumbered.of(graph, by_degree(graph))
        there = made.graph
        assert made.before[made.after].tolist() == list(range(graph.num_nodes))
        assert (made.before[there.sources] == graph.sources[made.arcs_before]).all()
        assert (made.before[there.columns] == graph.columns[made.arcs_before]).all()
        if graph.weights is not None:
            assert there.weights is not None
            assert (there.weights == graph.weights[made.arcs_before]).all()
        again = np.flatnonzero((np.diff(there.sources) == 0) & (np.diff(there.columns) == 0))
        assert (np.diff(made.arcs_before)[again] > 0).all()  # parallel arcs stay in their order


def test_devices_sort_as_the_host_does() -> None:
    for graph in ZOO.values():
        found = Renumbered.of(graph, by_degree(graph))
        for carried in (None, np.arange(graph.num_arcs)):
            columns, kept = _sorted_by(np, graph, found.after, carried)
            assert columns.tolist() == found.graph.columns.tolist()
            assert kept is None if carried is None else kept.tolist() == found.arcs_before.tolist()


def made(graph: Graph, order: str) -> Renumbering:
    module = compiled(EXAMPLES / "bfs_levels.sp").module()
    found = renumbering(module, graph, parse_schedule(f"order={order}"))
    assert found is not None
    return found


def test_a_graph_is_renumbered_once_and_slow_orders_are_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = replace(ZOO["random"])
    first = made(graph, "rcm")
    assert made(graph, "rcm").to is first.to
    assert made(graph, "degree").to is not first.to
    monkeypatch.setattr("starplat.runtime.renumbered._FOUND_BY", {})  # nothing is found anew
    assert made(replace(graph), "rcm").to.before.tolist() == first.to.before.tolist()


# --- near misses ---------------------------------------------------------------------------------------------------


def nodes(body: str, parameters: str = "") -> str:
    return f"function f(Graph g, propNode<int> x{parameters}) {{ {body} }}"


ALL = "forall (v in g.nodes()) {{ {} }}"
NEAR_MISSES = {
    "numbers compared": (ALL.format("forall (w in g.neighbors(v)) { if (v < w) { v.x += 1; } }"), "v < w"),
    "labels": (ALL.format("v.x = v;"), "v"),
    "a number for a node": ("node s = 3; s.x = 1;", "3"),
    "arithmetic": (ALL.format("v.x = (v + 1) % 2;"), "v"),
    "an arc's number": ("forall (e in g.edges()) { node s = e.source; s.x += e.id; }", ""),
    "the first of a row": (ALL.format("node w = g.neighbor(v, 0); if (w != -1) { v.x = g.degree(w); }"), ""),
    "the last of a row": (ALL.format("for (w in g.neighbors(v)) { v.x = g.degree(w); }"), "for "),
    "which one leaves": (
        ALL.format("for (w in g.neighbors(v)) { if (g.degree(w) > 2) { v.x = g.degree(w); break; } }"),
        "for ",
    ),
    "a sum that is asked for": (
        ALL.format("for (w in g.neighbors(v)) { if (v.x < 5) { v.x += g.degree(w); } }"),
        "for ",
    ),
    "a tie": (
        "propNode<node> by; g.attachNodeProperty(x = INF, by = -1);"
        "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { <w.x, w.by> = <Min(w.x, g.degree(v)), v>; } }"
        "forall (v in g.nodes()) { if (v.by != -1) { v.x = g.degree(v.by); } }",
        "w.by",
    ),
    "a race": (ALL.format("forall (w in g.neighbors(v)) { w.x = g.degree(v); }"), "w.x"),
    "random numbers": (ALL.format("v.x = randomInt(1, v, 10);"), "v"),
    "the best of a map": (
        ALL.format(
            "map<node, int> m; forall (w in g.neighbors(v)) { m[w] += 1; } node b = m.best(); v.x = b == v ? 1 : 0;"
        ),
        "m.best()",
    ),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_shows_numbers_is_refused_at_its_place(name: str) -> None:
    body, place = NEAR_MISSES[name]
    why, _, where = refusal(nodes(body)).partition(" @ ")
    assert why
    assert where.startswith(place)
    if place:
        assert where


LEGAL = {
    "equality": ALL.format("forall (w in g.neighbors(v)) { if (v != w) { v.x += 1; } }"),
    "any that passes": ALL.format("for (w in g.neighbors(v)) { if (g.degree(w) > 2) { v.x = 1; break; } }"),
    "a sum in order": ALL.format("for (w in g.neighbors(v)) { v.x += g.degree(w); }"),
    "own cells, one after another": "for (v in g.nodes()) { v.x = 0; for (w in g.neighbors(v)) { v.x += 1; } }",
    "the least": ALL.format("v.x = 99; for (w in g.neighbors(v)) { <v.x> = <Min(v.x, g.degree(w))>; }"),
    "a node beside none": ALL.format("node w = -1; if (w == -1) { v.x = 1; }"),
    "an arc": ALL.format("forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); v.x += e.weight; }"),
    "a map of numbers": ALL.format(
        "map<int, int> m; forall (w in g.neighbors(v)) { m[g.degree(w)] += 1; } v.x = m.best();"
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_does_not_show_numbers_runs(name: str) -> None:
    for graph in (ZOO["both-ways"], ZOO["random"], ZOO["parallel"]):
        program = starplat.compile(nodes(LEGAL[name]))
        expected = program.run(graph, target="reference")
        for order in ORDERS:
            found = program.run(graph, target="reference", schedule=f"order={order}")
            assert found["x"].tolist() == expected["x"].tolist()


def test_a_number_given_for_a_node_is_refused() -> None:
    text = nodes("src.x = 1;", ", int src")
    assert refusal(text, src=0).startswith("a number is taken for a node")
    with pytest.raises(DiagnosticError, match="declare it as 'node'"):
        starplat.compile(text).run(ZOO["both-ways"], schedule="order=rcm", target="reference", src=0)


def test_triangles_want_simple_graphs() -> None:
    triangles = EXAMPLES / "triangle_count.sp"
    simple = ZOO["complete-undirected"].deduplicated()
    assert compiled(triangles).run(simple, schedule="order=degree", target="reference").returned == 35
    directed = Graph.from_arcs(3, [0, 1, 0], [1, 2, 2])
    parallel = Graph.from_arcs(3, [0, 1, 0, 0], [1, 2, 2, 2], directed=False)
    for graph in (directed, parallel):
        assert "triangles are counted by numbers" in refusal(triangles, graph=graph)


def test_arrays_on_devices_are_refused() -> None:
    program = EXAMPLES / "bfs_levels.sp"
    assert "stay on the device" in refusal(program, src=0, device_results=True)
    array = pytest.importorskip("pyopencl.array")
    context = pytest.importorskip("pyopencl").create_some_context(interactive=False)
    queue = pytest.importorskip("pyopencl").CommandQueue(context)
    level = array.to_device(queue, np.zeros(ZOO["both-ways"].num_nodes, np.int32))
    assert "'level' lies on a device" in refusal(program, src=0, level=level)


def test_emitted_programs_are_refused() -> None:
    with pytest.raises(DiagnosticError, match="emitted programs keep the numbers"):
        compiled(EXAMPLES / "bfs_levels.sp").artifact("cuda", schedule="order=degree")
