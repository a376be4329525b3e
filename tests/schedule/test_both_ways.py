"""Loops over arcs both ways take one row of symmetric graphs, where doing it once is doing it twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.facts import GraphFacts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SYMMETRIC, DIRECTED = GraphFacts(100, 400, 9, True), GraphFacts(100, 400, 9, False)

ONCE = {
    "a search": "bool found = False; for (u in g.inOutNbrs(v).filter(a > v.a)) { found = True; break; } v.f = found;",
    "bits": "int seen = 0; for (u in g.inOutNbrs(v)) { seen |= u.a; if (u.a == 50) { break; } } v.b = seen;",
    "bits of neighbors": "forall (u in g.inOutNbrs(v).filter(u.a > v.a)) { u.b |= v.a; }",
    "votes": "map<node, int> m; for (u in g.inOutNbrs(v)) { m[u] += u.a; } v.b = m.best();",
    "votes of some": "map<int, long> m; for (u in g.inOutNbrs(v).filter(u.a > v.a)) { m[u.a] += 1; } v.b = m.size();",
    "votes in order": "map<int, int> m; for (u in g.inOutNbrs(v)) { m[u.a] += u.a; }"
    " int s = 0; for (k in m) { s = 3 * s + m[k]; } v.b = s;",
    "a common value": "forall (u in g.inOutNbrs(v).filter(u.a > v.a)) { u.f = True; }",
}
TWICE = {
    "a minimum": "forall (u in g.inOutNbrs(v)) { <u.b> = <Min(u.b, v.a)>; }",
    "a sum": "forall (u in g.inOutNbrs(v).filter(u != v)) { u.b -= v.a; }",
    "a scalar": "forall (u in g.inOutNbrs(v)) { total += u.a; }",
    "votes in reals": "map<node, double> m; for (u in g.inOutNbrs(v)) { m[u] += u.r; } v.b = m.best();",
    "votes that are counted too": "int n = 0; map<node, int> m; for (u in g.inOutNbrs(v)) { m[u] += 1; n += 1; }"
    " v.b = m.best() + n;",
    "a sum of reals": "double s = 0.0; for (u in g.inOutNbrs(v)) { s += u.r; } v.r2 = s;",
    "bits that flip": "int p = 0; for (u in g.inOutNbrs(v)) { p ^= u.a; if (u.a == 50) { break; } } v.b = p;",
    "what was changed": "int n = 0; for (u in g.inOutNbrs(v)) { if (n > 3) { break; } n = n + u.a; } v.b = n;",
    "a count that ends": "int n = 0; for (u in g.inOutNbrs(v)) { n += 1; if (u.a > v.a) { break; } } v.b = n;",
}


def program(body: str) -> str:
    properties = "propNode<int> a, propNode<int> b, propNode<bool> f, propNode<double> r, propNode<double> r2"
    loop = f"forall (v in g.nodes()) {{ {body} }}"
    return f"function f(Graph g, {properties}) {{ long total = 0; {loop} return total; }}"


def module(body: str, facts: GraphFacts | None, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(program(body)).module(), target, AUTO, facts)


def walks_both(made: ir.Module) -> bool:
    return ir.IN_COLUMNS in made.graph_arrays


@pytest.mark.parametrize("target", ["openmp", "cuda"])
@pytest.mark.parametrize("body", ONCE.values(), ids=ONCE)
def test_one_row_is_walked_on_symmetric_graphs_alone(body: str, target: str) -> None:
    assert not walks_both(module(body, SYMMETRIC, target))
    assert walks_both(module(body, DIRECTED, target))
    assert walks_both(module(body, None, target))


@pytest.mark.parametrize("body", TWICE.values(), ids=TWICE)
def test_what_cannot_be_done_once_is_done_twice(body: str) -> None:
    assert walks_both(module(body, SYMMETRIC))


def graphs() -> list[Graph]:
    """With loops and parallel arcs."""
    made = generators.rmat(6, 8, 1)
    return [made.undirected(), made, generators.grid(5, 7)]


@pytest.mark.parametrize("body", [*ONCE.values(), *TWICE.values()], ids=[*ONCE, *TWICE])
def test_the_answers_are_the_same(body: str) -> None:
    compiled = starplat.compile(program(body))
    for graph in graphs():
        given = {"a": np.random.default_rng(1).integers(0, 99, graph.num_nodes), "r": np.ones(graph.num_nodes)}
        expected = compiled.run(graph, arguments=given, target="reference")
        found = compiled.run(graph, arguments=given, target="openmp")
        assert found.returned == expected.returned
        for name in ("b", "f", "r2"):
            np.testing.assert_array_equal(found[name], expected[name])


def test_plain_schedules_leave_it() -> None:
    assert walks_both(for_target(starplat.compile(program(ONCE["a search"])).module(), "openmp", PLAIN, SYMMETRIC))


def test_an_independent_set_walks_one_row() -> None:
    made = starplat.compile(EXAMPLES / "maximal_independent_set.sp").module()
    assert not walks_both(for_target(made, "cuda", AUTO, SYMMETRIC))
