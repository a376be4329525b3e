"""What an expression does happens from left to right, on every target, and nothing else is rewritten."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import starplat
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.frontend.statements.sequence import sequenced
from starplat.pipeline import is_race
from starplat.source import SourceFile
from tests.generating.meaning import meaning
from tests.programs.targets import Target, every_target
from tests.zoo import ZOO

HELPERS = """
function bump(int &n) {
  n = n + 1;
  return n * 10;
}
function take(Graph g, propNode<int> x, node v, int &n) {
  v.x = v.x + 1;
  n = n + v.x;
  return v.x;
}
function pure(int n) {
  return n + 1;
}
"""
HEAD = "function entry(Graph g, propNode<int> a, propNode<int> b, propNode<int> x) {"
ON_DEVICE = """
  forall (v in g.nodes()) {
    int n = v.a;
    STATEMENT
    v.b = v.b % 1000 + n;
  }
"""
ON_HOST = """
  for (v in g.nodes().filter(a > 5)) {
    int n = v.a;
    x = x;
    STATEMENT
    v.b = v.b % 1000 + n;
  }
"""
STATEMENTS = {
    "sum": "v.b = n + bump(n) + n;",
    "update": "n += bump(n);",
    "spelt update": "n = n + bump(n);",
    "product": "v.b = bump(n) - n * bump(n);",
    "arguments": "v.b = max(n, bump(n)) + min(bump(n), n);",
    "and": "if (n > 3 && bump(n) > n && n == 4) { v.b = 7; }",
    "or": "if (n > 3 || bump(n) == n * 10) { v.b = n; }",
    "choice": "v.b = n > 4 ? n + bump(n) : bump(n) - n;",
    "condition": "v.b = bump(n) > 40 ? n : 1 - n;",
    "declared": "int m = n - bump(n); v.b = m;",
    "while": "int k = 0; while (n + bump(n) < 300 && k < 9) { k += 1; if (k == 3) { continue; } v.b += n; }",
    "do": "int k = 0; do { k += 1; if (k == 2) { continue; } v.b += k; } while (n + bump(n) < 200);",
    "for": "for (int i = n + bump(n); i + bump(i) < 900; i = i + bump(i)) { if (i % 2 == 0) { continue; } v.b += i; }",
    "for of a variable": "int i = 0; for (i = n; i + bump(i) < 700; i += bump(i)) { v.b += i; } n += i;",
    "left in a loop": "while (n - bump(n) > -900) { if (n > 12) { break; } v.b += n; }",
    "cell": "v.b = v.x + take(g, x, v, n) * v.x + n;",
    "cell in update": "v.x += take(g, x, v, n);",
    "least": "<v.b> = <Min(v.b, n - bump(n))>;",
    "carried": "<v.b, n> = <Max(v.b, bump(n)), n + bump(n)>;",
    "call": "v.b = pure(n) + bump(n) + pure(n);",
    "nested": "v.b = n + pure(bump(n) - n) + n;",
}


def program_of(head: str, statements: Iterable[str]) -> str:
    return HELPERS + HEAD + "".join(head.replace("STATEMENT", one) for one in statements) + "}"


@every_target
@pytest.mark.parametrize("head", [ON_DEVICE, ON_HOST], ids=("device", "host"))
def test_what_is_on_the_left_happens_first(head: str, target: Target) -> None:
    graph = ZOO["random-dense"]
    program = starplat.compile(program_of(head, STATEMENTS.values()))
    assert not any(map(is_race, program.warnings))
    nodes = range(graph.num_nodes)
    given = {"a": [v % 9 for v in nodes], "b": [20 - v for v in nodes], "x": [v * 3 % 5 for v in nodes]}
    found = target.run(program, graph, given)
    meant = meaning(program.checked.tree, "entry", graph, {k: list(v) for k, v in given.items()})
    for name in given:
        assert found[name].tolist() == list(meant.properties[name]), name


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_interpreter_knows_the_order(name: str) -> None:
    examined = [difference_of(head, STATEMENTS[name]) for head in (ON_DEVICE, ON_HOST)]
    assert examined == [None, None]


def difference_of(head: str, statement: str) -> str | None:
    graph = ZOO["random-dense"]
    program = starplat.compile(program_of(head, [statement]))
    nodes = range(graph.num_nodes)
    given = {"a": [v % 9 for v in nodes], "b": [20 - v for v in nodes], "x": [v * 3 % 5 for v in nodes]}
    found = program.run(graph, target="reference", function="entry", arguments=given)
    meant = meaning(program.checked.tree, "entry", graph, {k: list(v) for k, v in given.items()})
    return next((name for name in given if found[name].tolist() != list(meant.properties[name])), None)


@pytest.mark.parametrize(
    "statement",
    [
        "v.b = bump(n);", "bump(n);", "n = bump(n);", "v.b = 2 * bump(n) + v.a;", "v.b += bump(n);",
        "v.b = pure(n) + n;", "v.b = v.x + take(g, a, v, n);", "while (bump(n) < 100) { v.b += 1; }",
        "for (int i = 0; i < 3; i++) { v.b += bump(n); }",
    ],
)  # fmt: skip
def test_programs_in_which_the_order_does_not_matter_stay(statement: str) -> None:
    source = SourceFile("program.sp", program_of(ON_DEVICE, [statement]))
    program = check(parse(source), source)
    assert sequenced(program) == program


def test_a_reduction_stays_one_beside_a_call_that_acts() -> None:
    text = """function entry(Graph g, propNode<int> a) {
      int total = 0;
      forall (v in g.nodes()) {
        int n = v.a;
        total += n + bump(n);
      }
      return total;
    }"""
    program = starplat.compile(HELPERS + text)
    assert not any(map(is_race, program.warnings))
    a = list(range(ZOO["random-dense"].num_nodes))
    found = program.run(ZOO["random-dense"], target="reference", function="entry", a=a)
    assert found.returned == sum(n + (n + 1) * 10 for n in a)


def test_a_loop_of_the_host_lends_its_own_variables() -> None:
    text = """function entry(Graph g, propNode<int> a) {
      int n = 0;
      node v = 0;
      while (bump(n) < 50) {
        v.a += n;
      }
      return n;
    }"""
    found = starplat.compile(HELPERS + text).run(ZOO["random-dense"], target="reference", function="entry")
    assert (found.returned, found["a"][0]) == (5, 10)
