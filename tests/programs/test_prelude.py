"""Random numbers, neighbors by place and arcs back are on every target what their definitions say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import starplat
from starplat import DiagnosticError, Graph, Program
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import Target, every_target
from tests.zoo import ZOO

MASK = 2**32 - 1
PROGRAM = """
function f(Graph g, propNode<double> x, propNode<int> k, propNode<node> first, propNode<node> last,
           propNode<node> beyond, propNode<int> degree, propNode<long> places, propEdge<edge> back,
           propEdge<double> y, propNode<bool> chosen, long seed) {
  forall (v in g.nodes()) {
    v.x = random(seed, v);
    v.k = randomInt(seed, long(v) << 32 | 5, v + 1);
    v.first = g.neighbor(v, 0);
    v.last = g.neighbor(v, g.degree(v) - 1);
    v.beyond = g.neighbor(v, g.degree(v));
    v.degree = g.degree(v);
    for (int i = -1; i <= g.degree(v); i++) {
      v.places = v.places * 31 % 1000003 + g.neighbor(v, i);
    }
  }
  forall (e in g.edges()) {
    e.back = e.reverse;
    e.y = random(e.source, -e.id);
  }
  forall (v in g.nodes().filter(random(seed, v) < 0.5)) {
    v.chosen = True;
  }
  int any = g.num_nodes() > 0 ? g.neighbor(0, 0) : -1;
  return random(seed, 77) + randomInt(3, seed, 1000000) + any;
}
"""


def philox(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """Philox4x32-10 as its paper has it."""
    (a, b, c, d), (k, l) = counter, key  # noqa: E741
    for _ in range(10):
        x, y = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = y >> 32 ^ b ^ k, y & MASK, x >> 32 ^ d ^ l, x & MASK
        k, l = k + 0x9E3779B9 & MASK, l + 0xBB67AE85 & MASK  # noqa: E741
    return a, b, c, d


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [  # kat_vectors of Random123 1.14.0
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((MASK,) * 4, (MASK,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
         (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ],
)  # fmt: skip
def test_the_oracle_gives_the_published_numbers(
    counter: tuple[int, ...], key: tuple[int, ...], words: tuple[int, ...]
) -> None:
    assert philox(counter, key) == words


def words(seed: int, i: int) -> tuple[int, ...]:
    return philox((i & MASK, i >> 32 & MASK, 0, 0), (seed & MASK, seed >> 32 & MASK))


def real(seed: int, i: int) -> float:
    low, high, *_ = words(seed, i)
    return float((high << 32 | low) >> 11) * 2.0**-53


def whole(seed: int, i: int, n: int) -> int:
    *_, low, high = words(seed, i)
    return (high << 32 | low) * n >> 64


def back_of(graph: Graph, e: int) -> int:
    ends = list(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    u, v = ends[e]
    rank = [i for i, pair in enumerate(ends) if pair == (u, v)].index(e)
    arcs = [i for i, pair in enumerate(ends) if pair == (v, u)]
    return arcs[rank] if rank < len(arcs) else -1


@cache
def program() -> Program:
    made = starplat.compile(PROGRAM)
    assert [w.code for w in made.warnings if w.code != "W0305"] == []
    return made


def check(graph: Graph, result: Any, seed: int) -> None:
    n, rows = graph.num_nodes, [graph.columns[a:b].tolist() for a, b in
                                zip(graph.row_offsets[:-1], graph.row_offsets[1:], strict=True)]  # fmt: skip
    wanted: dict[str, list[Any]] = {
        "x": [real(seed, v) for v in range(n)],
        "k": [whole(seed, v << 32 | 5, v + 1) for v in range(n)],
        "first": [row[0] if row else -1 for row in rows],
        "last": [row[-1] if row else -1 for row in rows],
        "beyond": [-1] * n,
        "degree": [len(row) for row in rows],
        "back": [back_of(graph, e) for e in range(graph.num_arcs)],
        "y": [real(u, -e) for e, u in enumerate(graph.sources.tolist())],
        "chosen": [real(seed, v) < 0.5 for v in range(n)],
    }
    for name, cells in wanted.items():
        np.testing.assert_array_equal(result[name], cells, err_msg=name)
    for found, row in zip(result["places"], rows, strict=True):
        total = 0
        for w in [-1, *row, -1]:
            total = (total * 31 % 1000003 if total >= 0 else -(-total * 31 % 1000003)) + w
        assert found == total
    any_node = rows[0][0] if n and rows[0] else -1
    assert result.returned == real(seed, 77) + whole(3, seed, 1000000) + any_node


GRAPHS = ("empty", "one-node", "one-loop", "parallel", "parallel-undirected", "islands", "both-ways", "random")


def check_all(run: Callable[[Graph, dict[str, object]], object]) -> None:
    for number, name in enumerate(GRAPHS):
        seed = (2026, -1, 2**40 + 17)[number % 3]
        check(ZOO[name], run(ZOO[name], {"seed": seed}), seed)


@every_target
def test_they_are_what_their_definitions_say(target: Target) -> None:
    check_all(lambda graph, given: target.run(program(), graph, given))


def test_they_are_in_a_checked_run() -> None:
    check_all(lambda graph, given: program().run(graph, target="reference", checked=True, **given))


def test_a_random_number_of_a_checked_run_takes_few_calls() -> None:
    text = "function f(Graph g, propNode<double> x) { forall (v in g.nodes()) { v.x = random(1, v); } }"
    draws = starplat.compile(text)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        draws.run(Graph.from_arcs(1000, [], []), target="reference", checked=True)
    finally:
        sys.setprofile(None)
    assert calls < 1000 * 2000  # 200 a node; 11,000 where the ten rounds are interpreted


def test_they_are_in_emulated_cuda() -> None:
    with emulated(Machine(seed=1)):
        check_all(lambda graph, given: program().run(graph, target="cuda", arguments=given))


def test_a_program_gets_what_it_calls_and_no_more() -> None:
    text = "function f(Graph g, propNode<int> reverse) { forall (v in g.nodes()) { v.reverse = 1; } }"
    assert starplat.compile(text).run(ZOO["islands"], target="reference")["reverse"].all()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("function random(int i) { return i; }", "E0206"),
        ("function f(Graph g) { return random(1); }", "E0314"),
        ("function f(Graph g) { return g.neighbor(1); }", "E0314"),
        ("function f(Graph g, edge e) { e.reverse = 1; }", "E0309"),
        ("function f(Graph g, propEdge<edge> reverse) { reverse[0] = 1; }", "E0213"),
    ],
)
def test_mistakes_are_said(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text)
    assert [d.code for d in caught.value.diagnostics] == [code]
    str(caught.value)
