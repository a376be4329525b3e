"""`sources=batch(k)`: searches from many sources at once give what they give one after another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.runtime import running
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule.describe import Plan
from tests.runtime.devices import every_target

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


def test_fewer_sources_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    program, graph = starplat.compile(EXAMPLES / "closeness.sp"), graphs(many=True)[0]

    def needs(schedule: str) -> int:
        found = program.run(graph, target="reference", schedule=schedule).estimate
        return found.properties + found.temporaries

    wide, narrow, one = (needs(schedule) for schedule in ("auto", "sources=batch(64)", "sources=one"))
    assert one < narrow < wide
    for room, taken in ((wide, wide), (wide - 1, narrow), (narrow - 1, one)):
        monkeypatch.setattr(running, "make_room", lambda device, needed, room=room: needed <= room)
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
