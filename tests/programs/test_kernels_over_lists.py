"""Kernels over lists in which nodes come several times, against checked runs, which execute the program's text."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import starplat
from starplat import Graph, Program
from starplat.graph import generators
from starplat.runtime.actions import lists
from tests.programs.targets import Target, every_target

BODIES = {
    "sums of own cells": "forall (v in l) { forall (w in g.neighbors(v)) { v.p += int(w) % 7; } }",
    "least of own cells": "forall (v in l) { forall (w in g.nodes_to(v)) { v.q = Min(v.q, int(w)); } }",
    "least of neighbors": "forall (v in l) { forall (w in g.neighbors(v)) { w.q = Min(w.q, int(v)); } }",
    "a sum": "forall (v in l) { int s = 0; for (w in g.neighbors(v)) { s += w; } v.p += s; }",
    "the most of a sum": "forall (v in l) { int s = 0; for (w in g.neighbors(v)) { s += w; } v.p = Max(v.p, s); }",
    "a sum of some": (
        "forall (v in l.filter(v % 3 == 1)) { int s = 0; for (w in g.neighbors(v)) { s += 1; } v.p += s; k += s; }"
    ),
    "any": (
        "forall (v in l) { bool any = False; for (w in g.neighbors(v)) { if (w < 10) { any = True; break; } } "
        "if (any) { v.f = True; } }"
    ),
    "edges": "forall (v in l) { forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); e.c += 1; } }",
    "one after another": (
        "forall (v in l) { v.p += 1; } forall (v in l) { v.p += 2; } forall (v in g.nodes()) { v.p %= 9; }"
    ),
    "a set": "SetN<g> s; forall (v in l) { forall (w in g.neighbors(v)) { s.add(w); } } k += s.size();",
    "a condition": "forall (v in l) { if (v.p == 0) { forall (w in g.neighbors(v)) { w.q = Min(w.q, 3); } } }",
    "a filter that changes": (
        "forall (v in l.filter(p < 3)) { v.p += 1; forall (w in g.neighbors(v)) { w.p += 1; } }"
    ),
    "a list that changes": (
        "for (int i = 0; i < 4; i++) { forall (v in l) { forall (w in g.neighbors(v)) { v.p += 1; } } l.push(i); "
        "if (i == 2) { l.clear(); } }"
    ),
}  # fmt: skip


@cache
def program() -> Program:
    head = "function f(Graph g, propNode<int> p, propNode<int> q, propNode<bool> f, propEdge<int> c, list<node> l) {"
    return starplat.compile(
        f"{head} int k = 0; g.attachNodeProperty(q = INF); {' '.join(BODIES.values())} return k; }}"
    )


@cache
def graph() -> Graph:
    """300 nodes, the first with a long row."""
    random = np.random.default_rng(3)
    sources = np.concatenate([random.integers(0, 300, 2000), np.zeros(400, np.int64)])
    return Graph.from_arcs(300, sources, random.integers(0, 300, 2400), directed=True)


def nodes() -> list[int]:
    """700, of which the first are one."""
    return [0] * 50 + np.random.default_rng(4).integers(0, 300, 650).tolist()


@cache
def expected() -> Any:
    return program().run(graph(), target="reference", checked=True, l=nodes())


@every_target
@pytest.mark.parametrize("schedule", ["plain", "auto"])
def test_a_node_that_comes_often_counts_as_often(target: Target, schedule: str) -> None:
    found = target.run(program(), graph(), {"schedule": schedule, "l": nodes()})
    assert found.returned == expected().returned
    for name in ("p", "q", "f", "c"):
        assert found[name].tolist() == expected()[name].tolist(), name


def test_a_list_that_grows_leaves_no_memory_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every length has a buffer of its own; those of lengths gone by are not kept."""
    program = starplat.compile("""
function grown(Graph g, propNode<long> often) {
  list<node> path;
  g.attachNodeProperty(often = 0);
  for (v in g.nodes()) {
    path.push(v);
    forall (u in path) {
      u.often += 1;
    }
  }
}""")
    room, held = lists._room, list[int]()

    def watched(machine: Any, op: Any, frame: Any) -> Any:
        buffer = room(machine, op, frame)
        held.append(machine.device.held)
        return buffer

    monkeypatch.setattr(lists, "_room", watched)
    with starplat.Session() as session:  # whose memory no other test gives back
        program.run(generators.grid(6), target="reference", session=session)
    assert [size - held[0] for size in held] == [4 * place for place in range(36)]
