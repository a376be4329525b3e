"""`sources=batch(k)`: searches from many sources at once give what they give one after another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.backends.hip import HIP
from starplat.backends.opencl import CPU_CAPABILITIES
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.ir import build, nodes as ir
from starplat.ir.visitor import loops_of, walk_host, walk_kernel
from starplat.runtime import facts, room
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.facts import facts_for, has_thin_levels
from starplat.runtime.running import Run
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from starplat.schedule.describe import Plan
from starplat.schedule.facts import MANY_SHORT_ROWS, SHORT_ROW, GraphFacts
from starplat.schedule.schedule import Batch
from starplat.schedule.sources import batch
from starplat.schedule.sources.kernels import gathers
from starplat.schedule.sources.step import MOST_GATHERING
from tests.backends.emulated import Machine, emulated, require_compiler
from tests.runtime.devices import device_of, every_target
from tests.schedule.programs import CUDA

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

HEAD = (
    "function f(Graph g, propNode<long> far, propNode<int> by, propNode<int> most, propNode<int> mark, "
    "propNode<double> real, SetN<g> sources)"
)
BEGIN = "g.attachNodeProperty(far = 0, by = 0, most = -1, real = 0.0);"
LEVEL = "propNode<int> level; g.attachNodeProperty(level = INF); src.level = 0;"
BFS = "iterateInBFS (v in g.nodes() from src) {{ forall (w in g.neighbors(v)) {{ w.level = v.level + 1; }} {visit} }}"
ROUNDS = """
bool more = True;
while (more) {{
  more = False;
  forall (v in g.nodes().filter(level < INF)) {{
    forall (w in g.{way}(v)) {{ if (v.level + 1 < w.level) {{ w.level = v.level + 1; more = True; }} }}
  }}
}}
forall (v in g.nodes().filter({reached})) {{ {visit} }}"""
VISIT = "v.far += v.level; v.by += 1; <v.most> = <Max(v.most, v.level)>;"


def text(inside: str, over: str = "for (src in sources)") -> str:
    """A program that does so for each of some sources."""
    return f"{HEAD} {{ {BEGIN} {over} {{ {inside} }} }}"


def in_bfs(visit: str) -> str:
    return text(LEVEL + BFS.format(visit=visit))


def by_rounds(visit: str, way: str = "neighbors", reached: str = "level < INF") -> str:
    return text(LEVEL + ROUNDS.format(visit=visit, way=way, reached=reached))


SEARCHES = {
    "in a search": in_bfs(VISIT),
    "after rounds": by_rounds(VISIT),
    "against arcs": by_rounds(VISIT, way="nodes_to"),
    "from all nodes": text(LEVEL + BFS.format(visit=VISIT), over="for (src in g.nodes())"),
    "reached is not INF": by_rounds(VISIT, reached="INF != level"),
    "asked inside": by_rounds("", reached="True").replace("{  }", f"{{ if (v.level < INF) {{ {VISIT} }} }}"),
    "a node's own values": in_bfs("v.far += v.mark * v.level; v.by += v;"),
    "far nodes only": by_rounds("v.by += 1;", reached="level < INF && level >= 2"),
    "not the source": in_bfs("if (v != src) { v.far += 2 * v.level; } else { v.by += 1; }"),
    "by a local": in_bfs("int d = v.level; if (d > 1) { v.far += d * d; }"),
    "least": in_bfs("<v.most> = <Min(v.most, 5 - v.level)>;"),
    "marks": in_bfs("if (v.level == 2) { v.mark = 7; }"),
    "in any order": in_bfs(VISIT).replace("for (src in", "forall (src in"),
    "after rounds in any order": by_rounds(VISIT).replace("for (src in", "forall (src in"),
    "sums of reals in any order": in_bfs("v.real += 0.5 * v.level;").replace("for (src in", "forall (src in"),
    "no level": text("iterateInBFS (v in g.nodes() from src) { v.by += 1; }"),
}
OWN = {
    "cells of the source": in_bfs("<src.most> = <Max(src.most, v.level)>; src.by += 1; src.far += v.level;"),
    "after rounds": by_rounds("src.far += v.level * v.level; <src.most> = <Min(src.most, 3 - v.level)>;"),
    "against arcs": by_rounds("src.far += v.level; if (v != src) { src.by += 1; }", way="nodes_to"),
    "its own values": in_bfs("src.far += src.mark * v.level; if (v.level > src.mark) { src.by += 1; }"),
    "locals": in_bfs("").replace(BEGIN, BEGIN + "int word = 1;")
    .replace(LEVEL, LEVEL + "int seen = 0; bool now = False;")
    .replace("} } }", "seen += 2 * v.level; now = True; } src.far = seen + src.mark; src.mark = now ? seen : -1; } }"),
    "locals behind": by_rounds("total += v.level; seen += 1;")
    .replace("}\nforall", "} long total = 0; int seen = 0; forall")
    .replace("seen += 1; }", "seen += 1; } double d = total; src.real = d / seen; if (seen > 2) { src.by += seen; }"),
    "INF": in_bfs("").replace(LEVEL, LEVEL + "int least = INF;").replace("} } }",
    "if (v.level > 1) { least = min(least, v.level); } } src.most = least; src.far = least + src.mark; } }"),
    "sums of reals": in_bfs("src.real += 0.5 * v.level;"),
}  # fmt: skip
OWN = {name: one.replace("for (src in sources)", "for (src in g.nodes())") for name, one in OWN.items()}
OWN_NEAR_MISSES = {
    "some sources": (in_bfs("src.far += v.level;"), "from all nodes"),
    "which node": (OWN["cells of the source"].replace("src.by += 1", "src.by += v.mark"), "which node 'v' is reached"),
    "which number": (OWN["cells of the source"].replace("src.by += 1", "src.by += v"), "which node 'v' is reached"),
    "both": (OWN["cells of the source"].replace("src.by += 1", "v.by += 1"), "beside cells of the source"),
    "reals in order": (OWN["after rounds"].replace("src.far += v.level * v.level", "src.real += 0.1 * v.level")
    .replace("forall (v in g.nodes().filter(level < INF)) { src", "for (v in g.nodes().filter(level < INF)) { src"),
    "in the order of the nodes"),
    "cells of another": (OWN["locals"].replace("src.far = seen", "node other = 0; other.far = seen"), ""),
    "reads another": (OWN["locals"].replace("src.far = seen", "node other = 0; src.far = other.far"), ""),
    "what another left": (OWN["cells of the source"].replace("v.level; }", "src.by; }"), ""),
    "begins by its cell": (OWN["locals"].replace("int seen = 0", "int seen = src.mark"), ""),
    "a sum over all": (OWN["locals"].replace("src.far = seen", "word += seen; src.far = word"), ""),
}  # fmt: skip
NEAR_MISSES = {
    "which source": in_bfs("<v.most> = <Max(v.most, src)>;"),
    "the last source": in_bfs("v.most = v.level;"),
    "two ways for a cell": in_bfs("v.by += 1; <v.by> = <Max(v.by, v.level)>;"),
    "sums of INF": in_bfs("v.far += v.mark;").replace(BEGIN, BEGIN + "g.attachNodeProperty(mark = INF);"),
    "product": in_bfs("v.by *= 2;"),
    "cells of others": in_bfs("forall (w in g.neighbors(v)) { w.by += 1; }"),
    "what iterations change": in_bfs("v.by += 1; v.far += v.by;"),
    "unreached nodes too": by_rounds("v.by += 1;", reached="level > 3"),
    "a level that stays": HEAD + "{ " + BEGIN + "propNode<int> level; g.attachNodeProperty(level = INF); "
    "for (src in sources) { src.level = 0; "
    + ROUNDS.format(visit=VISIT, way="neighbors", reached="level < INF")
    + " } }",
    "starts at one": by_rounds(VISIT).replace("src.level = 0", "src.level = 1"),
    "two starts": by_rounds(VISIT).replace("src.level = 0;", "src.level = 0; node other = 0; other.level = 0;"),
    "steps of two": by_rounds(VISIT).replace("level + 1", "level + 2"),
    "some arcs": by_rounds(VISIT).replace("g.neighbors(v)", "g.neighbors(v).filter(mark > 0)"),
    "until a source": text(LEVEL + BFS.format(visit="v.by += 1;") + "if (src.by > 2) { return; }"),
    "counted sources": HEAD + "{ " + BEGIN + "int turn = 0; for (src in sources) { turn += 1; " + LEVEL
    + BFS.format(visit="v.far += turn;") + " } }",
}  # fmt: skip


@cache
def graphs(*, many: bool = False) -> tuple[Graph, ...]:
    """Directed multigraphs with loops and islands, a star, one node, none."""
    made = []
    for seed, (n, m) in enumerate(((90, 200) if many else (30, 50), (5, 0), (1, 3))):
        draw = random.Random(seed)
        arcs = [(draw.randrange(n), draw.randrange(max(n - 20, 1))) for _ in range(m)]
        made.append(Graph.from_arcs(n, [a for a, _ in arcs], [b for _, b in arcs]))
    return (*made, generators.star(12), Graph.from_arcs(0, [], []))


def given(program: starplat.Program, graph: Graph) -> dict[str, Any]:
    """Marks, and two of three nodes as sources."""
    names = {p.name for p in program.checked.tree.functions[0].parameters}
    values: dict[str, Any] = (
        {"sources": [v for v in range(graph.num_nodes) if v % 3 != 1]} if "sources" in names else {}
    )
    return values | ({"mark": np.arange(graph.num_nodes) % 5 - 1} if "mark" in names else {})


def plan(program: starplat.Program, schedule: str) -> Plan:
    return pipeline.plan(pipeline.lower(program.checked), "reference", schedule)


def assert_same(program: starplat.Program, target: str, *schedules: str, many: bool = False) -> None:
    for graph in graphs(many=many):
        values = given(program, graph)
        meant = program.run(graph, target="reference", checked=True, **values)
        for schedule in schedules:
            found = program.run(graph, target=target, schedule=schedule, **values)
            assert first_difference(found, meant) is None, (graph.name, schedule)


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_run_at_once(name: str) -> None:
    program = starplat.compile(SEARCHES[name])
    assert any("sources at once" in choice.what for choice in plan(program, "sources=batch(64)").choices)
    assert_same(program, "reference", "plain,sources=batch(64)", "sources=batch(256)")


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name: str) -> None:
    program = starplat.compile(NEAR_MISSES[name])
    with pytest.raises(DiagnosticError, match="nothing in 'f' can follow 'sources=batch"):
        plan(program, "sources=batch(64)")
    assert_same(program, "reference", "auto")


@pytest.mark.parametrize("name", OWN)
def test_searches_for_cells_of_the_source_run_at_once(name: str) -> None:
    program = starplat.compile(OWN[name])
    assert any("sources at once" in choice.what for choice in plan(program, "sources=batch(64)").choices)
    assert_same(program, "reference", "plain,sources=batch(64)", "sources=batch(256)", "sources=one", many=True)


@pytest.mark.parametrize("name", OWN_NEAR_MISSES)
def test_near_misses_for_cells_of_the_source_stay(name: str) -> None:
    text, why = OWN_NEAR_MISSES[name]
    program = starplat.compile(text)
    with pytest.raises(DiagnosticError, match=f"(?s)'f' can follow 'sources=batch.*{why}"):
        plan(program, "sources=batch(64)")
    assert_same(program, "reference", "auto")


@every_target
def test_eccentricities_on_every_target(target: str) -> None:
    assert_same(starplat.compile("eccentricity"), target, "sources=batch(64)", "sources=batch(256)", many=True)


WIDTHS = ("sources=batch(64)", "sources=batch(128)", "sources=batch(512)", "direction=push,sources=batch(256)")


@every_target
@pytest.mark.parametrize("example", ["closeness", "radii"])
def test_examples_on_every_target(target: str, example: str) -> None:
    assert_same(starplat.compile(EXAMPLES / f"{example}.sp"), target, *WIDTHS, many=True)


def test_auto_searches_from_many_where_there_are_many() -> None:
    closeness, radii = (starplat.compile(EXAMPLES / f"{name}.sp") for name in ("closeness", "radii"))
    assert [c.what for c in plan(closeness, "auto").choices if c.step == "sources"] == [
        "searches from 256 sources at once, a bit for each"
    ]
    assert any("where there are 32 or more" in c.what for c in plan(radii, "auto").choices)
    assert not any(c.step == "sources" for c in plan(closeness, "order=rows").choices)
    graph = graphs(many=True)[0]
    for members in (31, 32):
        sources = list(range(members))
        meant = radii.run(graph, target="reference", sources=sources)
        for schedule in ("auto", "sources=batch(auto)"):
            found = radii.run(graph, target="openmp", schedule=schedule, sources=sources)
            assert first_difference(found, meant) is None


SHORT = GraphFacts(MOST_GATHERING, 2**20, SHORT_ROW)


@pytest.mark.parametrize(
    ("given_facts", "short"),
    [
        (SHORT, True),
        (replace(SHORT, max_degree=SHORT_ROW + 1), False),
        (replace(SHORT, num_nodes=MOST_GATHERING + 1), False),
        (replace(SHORT, num_nodes=MANY_SHORT_ROWS - 1, num_arcs=2**18), False),
        (None, False),
    ],
    ids=["short rows", "a longer row", "more nodes", "few nodes", "not known"],
)
def test_nodes_of_short_rows_gather_bits(given_facts: GraphFacts | None, short: bool) -> None:
    module = starplat.compile(EXAMPLES / "closeness.sp").module()
    made = decided(module, AUTO, CUDA, given_facts).module
    names = {kernel.name for kernel in made.kernels}
    inside = {op.kernel for loop in loops_of(made) for op in walk_host(loop.body) if isinstance(op, ir.Launch)}
    assert ("closeness_centrality_gather_bits" in inside) is short
    assert ("closeness_centrality_gather_bits" in names) is short
    assert ("closeness_centrality_offer_bits" in names) is not short
    wide = decided(module, replace(AUTO, sources=Batch(512)), CUDA, given_facts)
    assert "closeness_centrality_offer_bits" in {kernel.name for kernel in wide.module.kernels}


@pytest.mark.parametrize(("target", "together"), [("cuda", True), ("hip", False)])
def test_threads_that_follow_each_other_put_in_their_nodes_at_once(target: str, together: bool) -> None:
    """Where a target can; threads that share arcs, or look at some nodes only, do not follow each other."""
    module = starplat.compile(EXAMPLES / "closeness.sp").module()
    made = decided(module, AUTO, BACKENDS[target].capabilities, SHORT).module
    kernel = made.kernel("closeness_centrality_gather_bits")
    assert kernel.threads_follow(kernel.own)
    assert not replace(kernel, shares_arcs=True).threads_follow(kernel.own)
    assert not replace(kernel, filter=build.TRUE).threads_follow(kernel.own)
    assert ("insert_own(" in BACKENDS[target].kernels_text(made)) is together


@pytest.mark.parametrize("name", ["in a search", "against arcs", "from all nodes", "no level"])
@pytest.mark.parametrize("machine", [Machine(2, 64), Machine(2, 128, family=HIP, warp=64)], ids=["cuda", "hip"])
def test_gathered_bits_give_the_same(name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    require_compiler()
    made: list[str] = []
    monkeypatch.setattr("starplat.schedule.facts.MANY_SHORT_ROWS", 0)
    monkeypatch.setattr("starplat.runtime.scheduling.wants_facts", lambda *_: True)
    monkeypatch.setattr(batch, "gathers", lambda state: made.append(gathers(state)) or made[-1])
    program = starplat.compile(SEARCHES[name])
    for graph in (generators.chain(20), generators.grid(9), *graphs()):
        values = given(program, graph)
        meant = program.run(graph, target="reference", checked=True, **values)
        for schedule in ("sources=batch(64)", "sources=batch(256)"):
            with emulated(machine):
                found = program.run(graph, target="cuda", schedule=schedule, **values)
            assert first_difference(found, meant) is None, (graph.name, schedule)
    assert made


def hubs(num_nodes: int, number: int, degree: int) -> Graph:
    """Some nodes that have all others as neighbors, among random arcs, both ways, and as many nodes without any."""
    draw = random.Random(num_nodes)
    arcs = [(hub, v) for hub in range(number) for v in range(num_nodes)]
    arcs += [(draw.randrange(num_nodes), draw.randrange(num_nodes)) for _ in range(num_nodes * degree)]
    sources, targets = zip(*arcs, strict=True)
    return Graph.from_arcs(2 * num_nodes, [*sources, *targets], [*targets, *sources])


@pytest.mark.parametrize("machine", [Machine(2, 96, seed=2), Machine(2, 128, family=HIP, warp=64)], ids=["cuda", "hip"])
@pytest.mark.parametrize(
    ("graph", "sources", "schedules"),
    [
        (hubs(150, 1, 30), range(0, 300, 4), ("sources=batch(64)", "sources=batch(512),loop=host")),
        (hubs(2400, 2, 3), range(0, 2500, 9), ("sources=batch(256)",)),
        (hubs(600, 9, 1), range(9), ("direction=push,sources=batch(128)",)),
    ],
    ids=["rows of warps", "rows of blocks", "rows of all blocks"],
)
def test_threads_share_long_rows(graph: Graph, sources: range, schedules: tuple[str, ...], machine: Machine) -> None:
    require_compiler()
    program = starplat.compile("distance_sums")
    meant = program.run(graph, target="reference", sources=sources)
    for schedule in schedules:
        with emulated(machine):
            found = program.run(graph, target="cuda", schedule=schedule, sources=sources)
        assert first_difference(found, meant) is None, schedule


def test_the_host_does_not_wait_for_the_size_of_a_set_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    of_device = DeviceMemory.read_cell
    monkeypatch.setattr(DeviceMemory, "read_cell", lambda *of: read.append(of_device(*of)) or read[-1])
    program, graph = starplat.compile("distance_sums"), graphs(many=True)[0]
    sources = range(0, graph.num_nodes, 2)
    meant = program.run(graph, target="reference", sources=sources)
    for known in (True, False):
        read.clear()
        found = program.run(graph, target="openmp", schedule="sources=batch(64)", sources=sources)
        assert first_difference(found, meant) is None
        assert (len(sources) in read) is not known
        monkeypatch.setattr(Run, "_size", lambda *_: None)


def test_auto_searches_one_after_another_on_cpus_where_levels_are_thin() -> None:
    module = starplat.compile(EXAMPLES / "closeness.sp").module()
    path, star = generators.chain(200), generators.star(200)
    for graph, capabilities, ahead in (
        (path, CPU_CAPABILITIES, "sources one after another"),
        (star, CPU_CAPABILITIES, "searches from 256"),
        (path, CUDA, "searches from 256"),
    ):
        found = decided(module, AUTO, capabilities, facts_for(module, capabilities, graph))
        (what,) = (choice.what for choice in found.choices if choice.step == "sources")
        assert what.startswith(ahead)
    assert not has_thin_levels(Graph.from_arcs(0, [], []))


ONE_BY_ONE = ("in a search", "after rounds", "not the source", "a node's own values", "locals behind", "INF")


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_searches_one_after_another_visit_a_node_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device_of("openmp")
    monkeypatch.setattr(facts, "has_thin_levels", lambda graph: True)
    monkeypatch.setattr(facts, "_THIN", {})
    program = starplat.compile(SEARCHES.get(name) or OWN[name])
    module, able = program.module(), BACKENDS["openmp"].capabilities
    made = decided(module, AUTO, able, facts.facts_for(module, able, graphs()[0])).module
    finders = [kernel for kernel in made.kernels if kernel.name.startswith("f_find_level")]
    others = [kernel for kernel in made.kernels if kernel not in finders and not kernel.name.startswith("arcs_of")]
    assert finders
    assert not any(isinstance(op, ir.ForNeighbors) for one in others for op in walk_kernel(one.body))
    assert_same(program, "openmp", "auto")


def test_cells_of_the_source_are_searched_from_many_at_once_everywhere() -> None:
    module = starplat.compile("eccentricity").module()
    for able in (CPU_CAPABILITIES, CUDA):
        named = [c.what for c in decided(module, AUTO, able, None).choices if c.step == "sources"]
        assert named[0].startswith("searches from 256")


def test_fewer_sources_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    program, graph = starplat.compile(EXAMPLES / "closeness.sp"), graphs(many=True)[0]

    def needs(schedule: str) -> int:
        found = program.run(graph, target="reference", schedule=schedule).estimate
        return found.properties + found.temporaries

    wide, narrow, one = (needs(schedule) for schedule in ("auto", "sources=batch(64)", "sources=one"))
    assert one < narrow < wide
    for most, taken in ((wide, wide), (wide - 1, narrow), (narrow - 1, one)):
        monkeypatch.setattr(room, "make_room", lambda device, needed, most=most: needed <= most)
        assert needs("auto") == taken
    with pytest.raises(DiagnosticError, match="E0908"):
        needs("sources=batch(auto)")


def test_closeness_is_that_of_networkx() -> None:
    graph = nx.gnm_random_graph(90, 300, seed=5, directed=True)
    found = starplat.compile(EXAMPLES / "closeness.sp").run(graph, target="reference", schedule="sources=batch(64)")
    meant = nx.closeness_centrality(graph)
    assert np.allclose(found["closeness"], [meant[v] for v in graph])


def test_sums_of_reals_keep_their_order() -> None:
    program = starplat.compile(in_bfs("v.real += 0.5 * v.level;"))
    with pytest.raises(DiagnosticError, match=r"'real' is a sum of floating-point numbers.*write 'forall'"):
        plan(program, "sources=batch(64)")


def test_widths_that_are_none() -> None:
    program = starplat.compile(SEARCHES["in a search"])
    for width in ("0", "100", "96", "2048", "x"):
        with pytest.raises(DiagnosticError, match="E0661"):
            plan(program, f"sources=batch({width})")


def combinations() -> Iterator[str]:
    """Programs of visits at random, of which some are searches and some are not."""
    draw = random.Random(11)
    values = ("1", "v.level", "v.level * v.level", "v.mark", "v.level - v.mark", "v", "2 - v.level", "src", "v.by")
    conditions = ("", "v.level > 1", "v != src", "v.mark > v.level", "src == v", "v.mark > 0 || v.level < 3")
    for _ in range(30):
        visits = []
        for cell in draw.sample(["far", "by", "most"], draw.randrange(1, 4)):
            value, condition = draw.choice(values), draw.choice(conditions)
            how = draw.choice(("v.{c} += {e};", "<v.{c}> = <Max(v.{c}, {e})>;", "<v.{c}> = <Min(v.{c}, {e})>;"))
            visit = how.format(c=cell, e=value)
            visits.append(f"if ({condition}) {{ {visit} }}" if condition else visit)
        way = draw.choice(("neighbors", "nodes_to"))
        yield in_bfs(" ".join(visits)) if draw.random() < 0.5 else by_rounds(" ".join(visits), way=way)


@pytest.mark.campaign
def test_random_visits() -> None:
    followed = 0
    for one in combinations():
        program = starplat.compile(one)
        try:
            plan(program, "sources=batch(64)")
        except DiagnosticError:
            continue
        followed += 1
        assert_same(program, "reference", "sources=batch(64)")
    assert followed > 10


def test_more_words_than_can_be_counted() -> None:
    program = starplat.compile(EXAMPLES / "closeness.sp")
    text = "".join(program.artifact("openmp", schedule="sources=batch(256)").values())
    assert "check_sizes(4ULL * graph.num_nodes, 0);" in text
    device = default_session().device("reference")
    device.require_countable(2**29 - 1, 4)
    with pytest.raises(DiagnosticError, match=r"E0811.*536,870,912 nodes with 4 words for each"):
        device.require_countable(2**29, 4)
