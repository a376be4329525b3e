"""StarPlat's users' spellings mean what they mean in C, on the host and in kernels.

Each row of `SPELLINGS` is a piece of program with the value that it leaves in `r`, said in Python. All of them are one
program, so that a target builds it once; where its answer is wrong, the rows are tried one by one. `n` is 0 to 4,
`flag` is `n > 2`, `here` an `int` that holds the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat import Graph, Program, Result
from tests import oracles
from tests.programs.cases import close, finite_or_inf, simple_undirected
from tests.programs.targets import REFERENCE, TARGETS, Target, compiled, every_target
from tests.zoo import ZOO

GRAPH = ZOO["random-dense"]


@dataclass(frozen=True)
class Here:
    """What a piece sees at one node; `out` are the arcs out of it, as (id, destination, weight)."""

    v: int
    n: int
    flag: bool
    c: list[int]
    up: list[int]
    out: list[tuple[int, int, int]]

    @property
    def degree(self) -> int:
        return len(self.out)


Row = tuple[str, Callable[[Here], int]]

INT_AS_NODE: list[Row] = [
    ("r = here.c + 1;", lambda h: h.c[h.v] + 1),
    ("int k = n % 3; r = k.c;", lambda h: h.c[h.n % 3]),
    ("r = (n % 3).c;", lambda h: h.c[h.n % 3]),
    ("r = v.up.c * 2;", lambda h: h.c[h.up[h.v]] * 2),
    ("node u = n % 3; r = u.c + u;", lambda h: h.c[h.n % 3] + h.n % 3),
    ("int u = v; node w = u; r = u == w && w == v ? w + 1 : -1;", lambda h: h.v + 1),
    ("here.s = 5; r = v.s;", lambda h: 5),
    ("here.s = 3; here.s += n; here.s++; r = s[v];", lambda h: h.n + 4),
    ("r = g.count_outNbrs(here);", lambda h: h.degree),
    ("for (w in g.neighbors(here)) { r += w.c; }", lambda h: sum(h.c[w] for _, w, _ in h.out)),
    ("for (w in g.neighbors(here)) { edge e = g.get_edge(here, w); r += e.weight; }",
     lambda h: sum(x for *_, x in h.out)),
    ("for (w in g.neighbors(v)) { int e = g.get_edge(v, w); r += e; }", lambda h: sum(e for e, *_ in h.out)),
    ("r = cell_of(here, c) + cell_of(v, c);", lambda h: 2 * h.c[h.v]),
    ("r = following(v, g.num_nodes()).c;", lambda h: h.c[(h.v + 1) % len(h.c)]),
    ("int near = -1; for (w in g.neighbors(v)) { near = max(near, w); } if (near > -1) { r = near.c; }",
     lambda h: h.c[max(w for _, w, _ in h.out)] if h.out else 0),
]  # fmt: skip
INTEGERS_AS_CONDITIONS: list[Row] = [
    ("if (n) { r = 1; }", lambda h: int(h.n != 0)),
    ("if (!n) { r = 1; } else { r = 2; }", lambda h: 1 if h.n == 0 else 2),
    ("while (n) { n -= 1; r += 2; }", lambda h: 2 * h.n),
    ("r = n ? 3 : 4;", lambda h: 3 if h.n else 4),
    ("if (n && !flag) { r = 1; }", lambda h: int(h.n != 0 and not h.flag)),
    ("if (n % 2 || flag) { r = 1; }", lambda h: int(h.n % 2 != 0 or h.flag)),
    ("flag = flag && n - 3; if (flag) { r = 1; }", lambda h: int(h.flag and h.n != 3)),
    ("flag ||= n; flag &&= n - 4; r = flag ? 1 : 0;", lambda h: int((h.flag or h.n != 0) and h.n != 4)),
    ("do { n = n + 1; r += n; } while (n % 4);", lambda h: sum(range(h.n + 1, (h.n // 4 + 1) * 4 + 1))),
    ("for (int i = n; i; i--) { r += i; }", lambda h: sum(range(h.n + 1))),
    ("for (w in g.neighbors(v).filter(c)) { r += 1; }", lambda h: sum(h.c[w] != 0 for _, w, _ in h.out)),
    ("long many = n * 4000000000; if (many) { r = !many ? 5 : 6; }", lambda h: 6 if h.n else 0),
    ("if (!(n - 2) && !(!n)) { r = 7; }", lambda h: 7 if h.n == 2 else 0),
    ("if (v.c) { if (!c[v]) { r = 1; } else { r = 2; } }", lambda h: 2 if h.c[h.v] else 0),
]
BOOLS_AS_NUMBERS: list[Row] = [
    ("r += flag;", lambda h: int(h.flag)),
    ("r = r + (n > 1) + (n > 3);", lambda h: (h.n > 1) + (h.n > 3)),
    ("r = -flag;", lambda h: -int(h.flag)),
    ("int k = flag; r = k * 2;", lambda h: 2 * h.flag),
    ("r = 3 * !flag - flag;", lambda h: -1 if h.flag else 3),
    ("for (w in g.neighbors(v)) { r += w.c > 2; }", lambda h: sum(h.c[w] > 2 for _, w, _ in h.out)),
    ("if (flag == 1) { r = 1; }", lambda h: int(h.flag)),
    ("if (0 != flag) { r = 1; }", lambda h: int(h.flag)),
    ("int one = n == 3; if (flag != one) { r = 1; }", lambda h: int(h.n == 4)),
    ("r = max(n, flag) + min(True, n);", lambda h: max(h.n, h.flag) + min(1, h.n)),
    ("double d = flag; r = d + 0.5 > 1 ? 1 : 0;", lambda h: int(h.flag)),
    ("long l = True; r = l + flag;", lambda h: 1 + h.flag),
    ("r -= n == 2;", lambda h: -int(h.n == 2)),
    ("r = 5; r *= flag;", lambda h: 5 * h.flag),
]
INCREMENTS: list[Row] = [
    ("r = n++; r = r * 10 + n;", lambda h: h.n * 11 + 1),
    ("r = ++n; r = r * 10 + n;", lambda h: (h.n + 1) * 11),
    ("r = n-- - 1; r = r * 10 + n;", lambda h: (h.n - 1) * 11),
    ("r = 7 - --n;", lambda h: 8 - h.n),
    ("while (n-- > 0) { r += n; } r = r * 10 + n;", lambda h: sum(range(h.n)) * 10 - 1),
    ("do { r += n; } while (++n < 3);", lambda h: sum(range(h.n, max(3, h.n + 1)))),
    ("for (int i = 0; i < n; ++i) { r += i; }", lambda h: sum(range(h.n))),
    ("if (n++ > 2 && n++ > 4) { r = 1; } r = r * 10 + n;",
     lambda h: (h.n + 1 > 4) * 10 + h.n + 2 if h.n > 2 else h.n + 1),
    ("r = flag ? n++ : n--; r = r * 10 + n;", lambda h: h.n * 10 + h.n + (1 if h.flag else -1)),
    ("int i = 0; for (w in g.neighbors(v)) { r += i++ * w.c; }",
     lambda h: sum(i * h.c[w] for i, (_, w, _) in enumerate(h.out))),
    ("v.s = n; r = v.s++ * 100; r += v.s;", lambda h: h.n * 101 + 1),
    ("v.s = n; r = --s[v] + 1; r = r * 10 + v.s;", lambda h: h.n * 11 - 1),
    ("int i = n % 2; r = c[i++]; r = r * 10 + i;", lambda h: h.c[h.n % 2] * 10 + h.n % 2 + 1),
    ("int i = n; int k = 3; r = i++ * k--; r = r * 100 + i * 10 + k;", lambda h: h.n * 300 + (h.n + 1) * 10 + 2),
    ("node u = n % 3; r = u++.c; r = r * 10 + u;", lambda h: h.c[h.n % 3] * 10 + h.n % 3 + 1),
    ("if (n--) { r = n; }", lambda h: h.n - 1 if h.n else 0),
]  # fmt: skip
LOOPS: list[Row] = [
    ("loop (i in 0 to n by 1) { r += i + 1; }", lambda h: sum(range(1, h.n + 1))),
    ("loop (i in 0 to 4 by 2) { r = r * 10 + i; }", lambda h: 2),
    ("loop (i in 0 to 5 by 2) { r = r * 10 + i; }", lambda h: 24),
    ("loop (i in n to 0 by -1) { r = r * 10 + i; }", lambda h: int("0" + "".join(map(str, range(h.n, 0, -1))))),
    ("loop (i in 9 to 0 by -3) { r = r * 10 + i; }", lambda h: 963),
    ("loop (i in 3 to 3 by 1) { r = 1; }", lambda h: 0),
    ("loop (i in 5 to 3 by 1) { r = 1; }", lambda h: 0),
    ("loop (i in 3 to 5 by -1) { r = 1; }", lambda h: 0),
    ("loop (i in 0 to n by n + 1) { r += 1; }", lambda h: int(h.n > 0)),
    ("loop (i in n to -n by -2) { r += 1; }", lambda h: len(range(h.n, -h.n, -2))),
    ("loop (i in 0 to 3 by 1) { if (i == 1) { continue; } r += i; }", lambda h: 2),
    ("loop (i in 0 to 9 by 1) { if (i == n) { break; } r += 1; }", lambda h: h.n),
    ("int step = n - 2; if (step) { loop (i in 0 to 4 * step by step) { r += 1; } }", lambda h: 4 if h.n != 2 else 0),
]  # fmt: skip
SPELLINGS = [*INT_AS_NODE, *INTEGERS_AS_CONDITIONS, *BOOLS_AS_NUMBERS, *INCREMENTS, *LOOPS]

HELPERS = """
function cell_of(node u, propNode<int> p) {
  return u.p;
}
function following(int u, int count) {
  return (u + 1) % count;
}
"""
HEAD = "Graph g, propNode<int> a, propNode<int> c, propNode<node> up, propNode<int> s"
RESULTS = "propNode<int> kernel, propNode<int> host"
SHIFT = 31


def text_of(rows: Sequence[Row]) -> str:
    """A program with every row twice, in a kernel and on the host; a result is a polynomial of what the rows leave."""
    loops = [loop("forall", "kernel", rows), loop("for", "host", rows)]
    return f"{HELPERS}function main({HEAD}, {RESULTS}) {{\n{''.join(loops)}}}\n"


def loop(word: str, result: str, rows: Sequence[Row]) -> str:
    start = "int n = v.a; bool flag = n > 2; int here = v; int r = 0;"
    pieces = [f"{{ {start} {text}\n  v.{result} = v.{result} * {SHIFT} + r; }}\n" for text, _ in rows]
    return f"{word} (v in g.nodes()) {{\n{''.join(pieces)}}}\n"


def expected(rows: Sequence[Row]) -> list[int]:
    """What the results are, as 32 bits."""
    found = [0] * GRAPH.num_nodes
    for _, meant in rows:
        found = [value * SHIFT + int(meant(here)) for value, here in zip(found, seen(), strict=True)]
    return [(value + 2**31) % 2**32 - 2**31 for value in found]


@cache
def program() -> Program:
    """All spellings, compiled once."""
    return starplat.compile(text_of(SPELLINGS))


def given() -> dict[str, list[int]]:
    nodes = range(GRAPH.num_nodes)
    return {"a": [v % 5 for v in nodes], "c": [v * 3 % 7 for v in nodes], "up": [v // 2 for v in nodes]}


@cache
def seen() -> tuple[Here, ...]:
    """What the pieces see at every node."""
    start = given()
    assert GRAPH.weights is not None
    arcs = list(enumerate(zip(GRAPH.sources.tolist(), GRAPH.columns.tolist(), GRAPH.weights.tolist(), strict=True)))
    out = [[(e, w, x) for e, (u, w, x) in arcs if u == v] for v in range(GRAPH.num_nodes)]
    return tuple(Here(v, n, n > 2, start["c"], start["up"], out[v]) for v, n in enumerate(start["a"]))


def answers(target: Target, compiled: Program) -> list[list[int]]:
    found = target.run(compiled, GRAPH, {"function": "main", "arguments": given()})
    return [found[name].tolist() for name in ("kernel", "host")]


def wrong_ones(target: Target) -> list[str]:
    """The rows that differ by themselves."""
    return [row[0] for row in SPELLINGS if answers(target, starplat.compile(text_of([row]))) != [expected([row])] * 2]


@pytest.mark.parametrize("target", [REFERENCE, *(t for t in TARGETS if t.target == "openmp")], ids=lambda t: t.label)
def test_spellings_mean_what_they_mean_in_c(target: Target) -> None:
    assert answers(target, program()) == [expected(SPELLINGS)] * 2, wrong_ones(target)


@pytest.mark.campaign
@every_target
def test_spellings_mean_the_same_everywhere(target: Target) -> None:
    assert answers(target, program()) == [expected(SPELLINGS)] * 2, wrong_ones(target)


# --- whole programs -------------------------------------------------------------------------------------------------

FOLDER = Path(__file__).parent / "as_published"
GRAPHS = ("random", "random-undirected", "parallel", "some-zero-weights", "diamonds", "unreachable", "one-node")
Check = Callable[[Graph, Result], None]


def _distances(graph: Graph, result: Result) -> None:
    np.testing.assert_array_equal(result["dist"], finite_or_inf(oracles.distances(graph, 0)))


def _levels(graph: Graph, result: Result) -> None:
    steps = oracles.levels(graph, 0)
    np.testing.assert_array_equal(result["level"], finite_or_inf(steps))
    assert result.returned == steps[np.isfinite(steps)].max()


def _betweenness(graph: Graph, result: Result) -> None:
    close(result["BC"], oracles.betweenness(graph, range(graph.num_nodes)))


def _components(graph: Graph, result: Result) -> None:
    np.testing.assert_array_equal(result["comp"], oracles.components(graph, "weak"))


def _ranks(graph: Graph, result: Result) -> None:
    rank = result["rank"].astype(np.float64)
    share = rank / np.maximum(1, np.bincount(graph.sources, minlength=graph.num_nodes))
    inflow = np.bincount(graph.columns, weights=share[graph.sources], minlength=graph.num_nodes)
    close(rank, 0.15 / graph.num_nodes + 0.85 * inflow, 1e-4)


def _cores(graph: Graph, result: Result) -> None:
    np.testing.assert_array_equal(result["core"], oracles.core_numbers(graph))


WHOLE: dict[str, tuple[dict[str, object], Check]] = {
    "sssp": ({"src": 0}, _distances),
    "bellman_ford": ({"src": 0}, _distances),
    "bfs": ({"root": 0}, _levels),
    "pagerank": ({"beta": 1e-7, "delta": 0.85, "maxIter": 200}, _ranks),
    "betweenness": ({}, _betweenness),
    "components": ({}, _components),
    "k_core": ({}, _cores),
    "independent_set": ({}, lambda graph, result: oracles.assert_independent_and_maximal(graph, result["chosen"])),
    "coloring": ({}, lambda graph, result: oracles.assert_coloring(graph, result["color"])),
}


def test_every_program_has_a_row() -> None:
    static = {path.stem for path in FOLDER.glob("*.sp") if not path.stem.startswith("dynamic")}
    assert static == {*WHOLE, "triangles"}


@pytest.mark.parametrize("name", WHOLE)
def test_programs_as_published_are_right(name: str) -> None:
    arguments, check = WHOLE[name]
    for graph in map(ZOO.__getitem__, GRAPHS):
        sets = {"sourceSet": list(range(graph.num_nodes))} if name == "betweenness" else {}
        check(graph, REFERENCE.run(compiled(FOLDER / f"{name}.sp"), graph, {**arguments, **sets}))


@pytest.mark.parametrize("name", ["random-undirected", "random-dense", "complete"])
def test_triangles_as_published_are_right(name: str) -> None:
    graph = simple_undirected(ZOO[name])
    result = REFERENCE.run(compiled(FOLDER / "triangles.sp"), graph, {})
    assert result.returned == oracles.triangles(graph)
