"""Target `webgpu`: programs of `int`, `float` and `bool` say what the interpreter says, others are refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.graph import Graph
from starplat.runtime.validate import first_difference
from starplat.toolchain.devices import report
from tests.generating.pieces import Piece
from tests.generator import Case, generate
from tests.programs.cases import CASES
from tests.programs.targets import REFERENCE, compiled
from tests.programs.test_generated import legitimate
from tests.zoo import ZOO

NARROW = ("bfs", "bfs_levels", "connected_components", "label_propagation", "radii", "sssp", "sssp_two_flags")
"""The examples whose kernels have numbers of 32 bits only."""


@pytest.fixture
def device() -> None:
    """Skips where there is no adapter."""
    first = report("webgpu")[0]
    if not first.usable:
        pytest.skip(f"webgpu cannot run here: {first.status}; {first.mend}")


needs_device = pytest.mark.usefixtures("device")


def agrees(program: starplat.Program, graph: Graph, **call: Any) -> None:
    found, expected = (program.run(graph, target=target, **call) for target in ("webgpu", "reference"))
    assert first_difference(found, expected) is None


def refused(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text).artifact("webgpu")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E0604"
    return diagnostic


# --- the examples --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_an_example_is_emitted_unless_it_has_wide_numbers(case: Any) -> None:
    if case.program in NARROW:
        assert any(name.endswith(".wgsl") for name in compiled(case.path).artifact("webgpu"))
        return
    with pytest.raises(DiagnosticError, match=r"'(long|double)'|shared (long|double)"):
        compiled(case.path).artifact("webgpu")


@pytest.mark.parametrize("program", NARROW)
def test_every_function_of_an_example_is_called(program: str) -> None:
    case = next(case for case in CASES if case.program == program)
    text = compiled(case.path).artifact("webgpu")[f"{program}.wgsl"]
    functions = re.findall(r"(@compute.*\n)?^fn (\w+)\(", text, re.MULTILINE)
    assert [name for kernel, name in functions if not kernel and text.count(f"{name}(") == 1] == []
    assert sum(bool(kernel) for kernel, _ in functions) == text.count("@compute") > 0


@needs_device
@pytest.mark.thin(plain=6, campaign=8)
@pytest.mark.parametrize("program", NARROW)
@pytest.mark.parametrize("graph", ZOO)
def test_its_answers_are_right(program: str, graph: str) -> None:
    case = next(case for case in CASES if case.program == program)
    suited = case.suits(ZOO[graph])
    for call in case.calls(suited)[:1]:
        result = compiled(case.path).run(suited, target="webgpu", arguments=call)
        case.check(suited, call, {name: result[name] for name in case.properties}, result.returned)


# --- random programs -----------------------------------------------------------------------------------------------


def narrowed(case: Case) -> Case:
    """The case with numbers of 32 bits in place of wider ones."""
    text = re.sub(r"\blong\b", "int", re.sub(r"\bdouble\b", "float", case.text))
    arguments = {name: _narrow(value) for name, value in case.arguments.items()}
    return replace(case, program=tuple(Piece((row,)) for row in text.splitlines()), arguments=arguments)


def _narrow(value: Any) -> Any:
    kinds = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32}
    return value.astype(kinds.get(value.dtype, value.dtype)) if isinstance(value, np.ndarray) else value


def said_of(seeds: Iterator[int] | range) -> list[str]:
    """What came of the random programs of these seeds."""
    return [_said(narrowed(generate(seed)), seed) for seed in seeds]


def _said(case: Case, seed: int) -> str:
    program = legitimate(case)
    if program is None:
        return "not a program"
    try:
        expected = REFERENCE.run(program, case.graph, case.call)
    except DiagnosticError:
        return "not a run"
    try:
        found = program.run(case.graph, target="webgpu", **case.call)
    except DiagnosticError as error:
        if error.diagnostics[0].code == "E0604":
            return "refused"
        raise AssertionError(f"seed {seed}: {error}\n{case.text}") from error
    differs = first_difference(found, expected)
    assert differs is None, f"seed {seed}: {differs}\n{case.text}"
    return "same"


@needs_device
def test_random_programs_say_what_the_interpreter_says() -> None:
    said = said_of(range(8, 20))
    assert said.count("same") >= 3


@needs_device
@pytest.mark.campaign
def test_more_random_programs_say_what_the_interpreter_says() -> None:
    said = said_of(range(100, 160))
    assert said.count("same") >= 15


# --- what WGSL has otherwise ---------------------------------------------------------------------------------------

REALS = """
function reals(Graph g, propNode<float> least, propNode<float> total, propNode<float> product, propEdge<float> weight) {
  g.attachNodeProperty(least = INF, total = 0.0, product = 1.0);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      w.least = Min(w.least, e.weight);
      w.total += e.weight;
      w.product *= 2.0;
    }
  }
}
"""

FLAGS = """
function flags(Graph g, propNode<bool> odd, propNode<bool> seen, propNode<int> cut) {
  float far = 3000000000.0;
  g.attachNodeProperty(odd = False, seen = False, cut = 0);
  bool parity = False;
  forall (v in g.nodes()) {
    parity ^= v != 1;
    forall (w in g.neighbors(v)) {
      w.odd ^= True;
      w.seen ||= v < w;
    }
    v.cut = v % 2 == 0 ? far : -far;
  }
  return parity;
}
"""

FUNCTIONS = """
function raise_to(propNode<int> level, node v, int by) {
  by = by * 3;
  v.level += by;
}
function twice(Graph g, propNode<int> first, propNode<int> second) {
  g.attachNodeProperty(first = 1, second = 2);
  forall (v in g.nodes()) {
    raise_to(first, v, 1);
    raise_to(second, v, 2);
  }
}
"""

ROUNDS = """
function rounds(Graph g, propNode<int> steps) {
  forall (v in g.nodes()) {
    int left = g.count_outNbrs(v) + 3;
    int made = 0;
    do {
      left--;
      if (left % 2 == 0) { continue; }
      made += left;
    } while (left > 0);
    for (int i = 0; i < 4; i++) {
      if (i == 2) { continue; }
      made += i << (i + 31) & 7;
    }
    v.steps = made;
  }
}
"""

MAPS = """
function f(Graph g, propNode<int> color, propNode<int> seen, propNode<int> told, propNode<float> weight) {
  forall (v in g.nodes()) { v.color = v % 5; }
  forall (v in g.nodes()) {
    map<int, int> votes;
    map<node, float> halves;
    for (u in g.inOutNbrs(v)) {
      votes[u.color * 1000003] += 1;
      halves[u] += 0.5;
    }
    v.seen = votes.best() + votes.size();
    int keys = 0;
    for (k in votes) { keys = keys * 3 + k + votes[k]; }
    v.told = keys;
    v.weight = halves[2];
  }
}
"""

COUNTS = """
function f(Graph g, propNode<int> x, propNode<bool> p) {
  int rounds = 0;
  forall (v in g.nodes()) {
    v.x = v % 7;
    v.p = v.x > 3;
  }
  while (Count(p) > 1) {
    forall (v in g.nodes().filter(p == True)) {
      v.x -= 1;
      v.p = v.x > 3;
    }
    rounds++;
  }
  return Count(x) * 3000000000 + rounds;
}
"""

LAST_ARC = """
function f(Graph g, propNode<int> x) {
  edge last = -1;
  forall (v in g.nodes()) { v.x = v % 3; }
  forall (e in g.edges()) {
    if (e.source.x == e.destination.x) { last = max(last, e); }
  }
  forall (e in g.edges().filter(e == last)) { node end = e.source; end.x = 9; }
}
"""


@needs_device
@pytest.mark.parametrize(
    "text",
    [REALS, FLAGS, FUNCTIONS, ROUNDS, MAPS, COUNTS],
    ids=["reals", "flags", "functions", "rounds", "maps", "counts"],
)
@pytest.mark.parametrize("graph", ["random", "parallel", "one-loop"])
def test_what_wgsl_spells_its_own_way(text: str, graph: str) -> None:
    agrees(starplat.compile(text), ZOO[graph])


def test_a_function_is_emitted_for_each_array_that_it_is_given() -> None:
    files = starplat.compile(FUNCTIONS).artifact("webgpu")
    text = next(text for name, text in files.items() if name.endswith(".wgsl"))
    assert re.findall(r"^fn (raise_to\w*)\(", text, re.MULTILINE) == ["raise_to", "raise_to_2"]
    assert "var by = by_given;" in text


def test_the_ends_of_arcs_have_no_name() -> None:
    """The largest arc of a loop is sought from the least number on."""
    files = starplat.compile(LAST_ARC).artifact("webgpu")
    text = next(text for name, text in files.items() if name.endswith(".wgsl"))
    assert "(-2147483647 - 1)" in text
    assert "ARC_MAX" not in text


@needs_device
@pytest.mark.parametrize("graph", ["random", "parallel", "one-loop"])
def test_the_largest_arc_is_found(graph: str) -> None:
    agrees(starplat.compile(LAST_ARC), ZOO[graph])


def test_numbers_of_64_bits_are_refused_at_their_loop() -> None:
    loop = "forall (v in g.nodes()) { v.x = VALUE; }"
    for value in ("v.x / 3.0", "v.x == 0.0 ? 1.0 : 2.0"):
        text = f"function f(Graph g, propNode<double> x) {{ {loop.replace('VALUE', value)} }}"
        found = refused(text)
        assert found.message == "this target has no 'double': its numbers have 32 bits"
        assert found.place is not None
        assert text[found.place.span.start : found.place.span.end] == loop.replace("VALUE", value)


@pytest.mark.parametrize(
    "work",
    [
        "map<int, long> seen; for (w in g.neighbors(v)) { seen[w] += 1; }",
        "map<int, double> seen; for (w in g.neighbors(v)) { seen[w] += 0.5; }",
        "long far = v; v.x = int(far * far % 7); map<int, int> seen; for (w in g.neighbors(v)) { seen[w] += 1; }",
        "map<int, int> seen; for (w in g.neighbors(v)) { seen[w] += 1; } v.x = int(long(seen[v]) * seen[v] % 7);",
        "v.x = int(random(1, v) * 9.0);",
    ],
)
def test_a_loop_whose_functions_need_64_bits_is_pointed_at(work: str) -> None:
    text = f"function f(Graph g, propNode<int> x) {{ forall (v in g.nodes()) {{ {work} }} }}"
    found = refused(text)
    assert "its numbers have 32 bits" in found.message
    assert found.place is not None
    assert text[found.place.span.start :].startswith("forall (v")


@pytest.mark.parametrize(("kind", "total"), [("propNode<int>", "Sum(x)"), ("propEdge<bool>", "Count(x)")])
def test_sums_that_are_long_are_refused_with_what_to_write(kind: str, total: str) -> None:
    text = f"function f(Graph g, {kind} x) {{ return {total}; }}"
    found = refused(text)
    assert found.place is not None
    assert text[found.place.span.start : found.place.span.end] == total
    assert found.message == "this target cannot update a shared long with '+' in one piece"
    assert found.help is not None
    assert "in place of `Sum` or `Count`, add up in a `forall`" in found.help


@needs_device
def test_a_sum_in_a_loop_is_what_to_write() -> None:
    text = """
    function f(Graph g, propNode<int> x) {
      int total = 0;
      forall (v in g.nodes()) { v.x = v * 1000003; }
      forall (v in g.nodes()) { total += v.x; }
      return total;
    }
    """
    agrees(starplat.compile(text), ZOO["random"])


def test_what_may_not_be_evaluated_in_vain_is_refused() -> None:
    text = """
    function mark(propNode<int> met, node v) {
      v.met = 1;
      return 2;
    }
    function f(Graph g, propNode<int> met, propNode<int> x) {
      g.attachNodeProperty(met = 0);
      forall (v in g.nodes()) {
        v.x = v > 2 ? mark(met, v) : 0;
      }
    }
    """
    assert "evaluates both sides of '? :', and 'mark' does more than compute" in refused(text).message


def test_a_lock_is_refused() -> None:
    text = """
    function f(Graph g, propNode<float> best, propNode<float> with_it, propEdge<float> weight) {
      g.attachNodeProperty(best = INF, with_it = 0.0);
      forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          <w.best, w.with_it> = <Min(w.best, e.weight), e.weight * 2.0>;
        }
      }
    }
    """
    assert "under a lock" in refused(text).message


@needs_device
def test_a_graph_that_takes_more_than_a_buffer_is_refused_with_its_size() -> None:
    limit = 2**27
    graph = Graph.from_arcs(limit // 4 + 1, [0], [1])
    with pytest.raises(DiagnosticError, match="has no room for"):
        starplat.compile("function f(Graph g, propNode<int> x) { forall (v in g.nodes()) { v.x = v; } }").run(
            graph, target="webgpu"
        )
