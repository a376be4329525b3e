"""Loops of launches are compiled with OpenMP's kernels: a run calls them, with the answers of rounds one by one, and
stops, follows and counts them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.compiled_loops import compiled_functions
from starplat.backends.scheduled import for_target
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.pipeline import kernels_text
from starplat.runtime import Progress
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from tests.runtime.devices import device_of
from tests.runtime.test_stopping import COUNTING, GRAPH, SeenEnoughError, code_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PATH = starplat.Graph.from_arcs(6, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
TURNS = """function f(Graph g, propNode<int> x, propNode<bool> odd, int n) {
  propNode<int> y;
  propNode<int> z;
  g.attachNodeProperty(y = 1, z = 0);
  long sum = 0;
  float half = 0.0;
  for (int i = 0; i < n; i++) {
    sum = 0;
    forall (v in g.nodes()) {
      int s = 1;
      for (w in g.neighbors(v)) { s += w.y; }
      v.z = s;
      v.odd = !v.odd;
      sum += s;
    }
    y = z;
    half = half + 0.25;
    if (sum > 20) { break; }
  }
  forall (v in g.nodes()) { v.x = v.y; if (half > 0.6) { v.odd = False; } }
  return sum;
}"""
"""Copied cells, scalars of several types, an exit from the middle."""
PLACES = """function f(Graph g, node src, propNode<int> level, propNode<bool> last, int n) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False, last = False);
  src.level = 0;
  src.now = True;
  for (int i = 0; i < n; i++) {
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = i + 1; w.next = True; } }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
  forall (v in g.nodes().filter(now)) { v.last = True; }
}"""
"""Arrays that change places in a round."""
FOR_EACH = """function f(Graph g, propNode<long> total) {
  propNode<int> level;
  for (s in g.nodes()) {
    g.attachNodeProperty(level = INF);
    s.level = 0;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; more = True; } }
      }
      depth += 1;
    }
    forall (v in g.nodes().filter(level != INF)) { v.total += v.level; }
  }
}"""
OF_MEMBERS = """function f(Graph g, propNode<int> x, SetN<g> s) {
  propNode<int> y;
  g.attachNodeProperty(x = 0, y = 1);
  for (v in s) {
    v.y = 10;
    forall (w in g.neighbors(v)) { w.x += v.y; }
    forall (w in g.nodes()) { w.x += v; }
  }
}"""
LEFT = {
    "the host goes over a node's arcs or the elements of a list": """function f(Graph g, propNode<int> x, node s) {
  for (v in g.neighbors(s)) { forall (w in g.nodes()) { w.x += v; } }
}""",
    "a round calls 'grow'": """function grow(Graph g, propNode<int> x, int by) {
  if (by > 2) { return; }
  forall (w in g.nodes()) { w.x += by; }
}
function f(Graph g, propNode<int> x) {
  int i = 0;
  while (i < 3) { forall (w in g.nodes()) { w.x += i; } grow(g, x, i); i += 1; }
}""",
    "only the host can compute one of its values": """function f(Graph g, propNode<int> x, int n) {
  int i = 0;
  while (i < 3) { forall (w in g.nodes()) { w.x += i; } i += 1 + 6 / n; }
}""",
    "the host must check that 'x' has the cell that it reads": """function f(Graph g, propNode<int> x, node s) {
  int i = 0;
  while (s.x < 3) { forall (w in g.nodes()) { w.x += i; } i += 1; }
}""",
}


def chosen(text: str) -> list[tuple[str, str]]:
    """What is said of the loops of a program."""
    made = decided(starplat.compile(text).module(None), AUTO, BACKENDS["openmp"].capabilities)
    return [(choice.what, choice.why) for choice in made.choices if choice.step == "compiled"]


@pytest.mark.parametrize("schedule", ["auto", "plain"])
@pytest.mark.parametrize("rounds", range(6))
def test_a_compiled_loop_leaves_what_its_rounds_leave(rounds: int, schedule: str) -> None:
    device_of("openmp")
    program = starplat.compile(TURNS)
    expected = program.run(GRAPH, target="reference", n=rounds)
    result = program.run(GRAPH, target="openmp", n=rounds, schedule=schedule)
    for name in ("x", "odd"):
        assert result[name].tolist() == expected[name].tolist()
    assert result.returned == expected.returned
    assert result.launches == (2 if rounds else 1)  # the loop, if it has a round, and the kernel behind it


@pytest.mark.parametrize("rounds", range(5))
def test_arrays_that_rounds_swap_have_changed_places_behind_the_loop(rounds: int) -> None:
    device_of("openmp")
    program = starplat.compile(PLACES)
    (one,) = compiled_functions(program.module(None)).functions
    assert [op for op in walk_host((one.loop,)) if isinstance(op, ir.Swap)]
    result = program.run(PATH, target="openmp", src=0, n=rounds, schedule="plain")
    assert result["last"].tolist() == [node == rounds for node in range(6)]


def test_a_loop_around_loops_is_one_call() -> None:
    device_of("openmp")
    result = starplat.compile(FOR_EACH).run(PATH, target="openmp")
    assert result["total"].tolist() == [0, 1, 3, 6, 10, 15]
    assert result.launches == 1


def test_searches_that_begin_a_list_with_their_source_are_one_call() -> None:
    """The first cell of a list of nodes is there, since a loop over all nodes has one."""
    device_of("openmp")
    program, chain = starplat.compile(EXAMPLES / "closeness.sp"), generators.chain(100)
    result = program.run(chain, target="openmp")
    assert result.launches == 2  # the loop, and the kernel behind it
    assert result["closeness"].tolist() == pytest.approx(program.run(chain, target="reference")["closeness"].tolist())


def test_a_loop_over_members_of_a_set_is_compiled() -> None:
    device_of("openmp")
    program = starplat.compile(OF_MEMBERS)
    for members in ([], [4], [1, 3, 5]):
        expected = program.run(PATH, target="reference", s=members)
        assert program.run(PATH, target="openmp", s=members)["x"].tolist() == expected["x"].tolist()


def test_a_function_is_what_an_emitted_program_has_in_the_loops_place() -> None:
    """In the same words, but for the line that looks whether to stop, and for where kernels are."""
    module = for_target(starplat.compile("examples/k_core.sp").module(None), "openmp")
    text = kernels_text(module, "openmp", "plain")
    inside = text[text.index("while (left > 0) {") :].removesuffix("}\n")
    lines = [line.strip() for line in inside.splitlines() if "begin_round" not in line]
    artifact = BACKENDS["openmp"].artifact(module, "k_core")["k_core.cpp"]
    emitted = artifact[artifact.index("while (left > 0) {") : artifact.index("int main")]
    packed = "".join(emitted.split())
    assert "".join("".join(lines).replace("::k_core", "kernels::k_core").split()) in packed


@pytest.mark.parametrize(("text", "also"), [(TURNS, set()), (PLACES, {"climits", "utility"})])
def test_the_text_includes_the_header_of_each_thing_that_it_uses(text: str, also: set[str]) -> None:
    emitted = kernels_text(starplat.compile(text).module(None), "openmp", "plain")
    assert set(re.findall(r"#include <(\w+)>", emitted)) == {"cstddef", "type_traits"} | also


def test_functions_have_names_that_c_takes() -> None:
    """Also where the program's function has one that C++ has itself."""
    text = COUNTING.source.text.replace("function f", "function template")
    (one,) = compiled_functions(starplat.compile(text).module(None)).functions
    assert one.name == "template_rounds"


@pytest.mark.parametrize(("why", "text"), LEFT.items(), ids=LEFT)
def test_what_needs_the_run_is_left_to_it_and_the_reason_is_said(why: str, text: str) -> None:
    assert [reason for _, reason in chosen(text)] == [why]
    assert not compiled_functions(starplat.compile(text).module(None)).functions


def test_what_is_compiled_is_said() -> None:
    said = chosen(FOR_EACH)
    assert [why for _, why in said] == ["a round goes through no Python"]
    assert said[0][0].endswith("its rounds are compiled with the kernels")


def test_only_targets_whose_kernels_are_functions_of_the_host_compile_loops() -> None:
    able = {name for name, backend in BACKENDS.items() if backend.capabilities.compiled_loops}
    assert able == {"openmp"}
    assert "_rounds(" not in kernels_text(starplat.compile(TURNS).module(None), "openacc")


# --- a run that stops, follows or counts ------------------------------------------------------------------------------


def test_a_compiled_loop_ends_when_the_time_is_over_and_the_next_run_works() -> None:
    """Nothing is left behind, which the message would say."""
    device_of("openmp")
    with pytest.raises(DiagnosticError) as caught:
        COUNTING.run(GRAPH, n=-1, target="openmp", time_limit=0.3)
    assert code_of(caught) == "E0731"
    assert caught.value.diagnostics[0].message == "the run was ended after 0.3 s, as time_limit says"
    assert COUNTING.run(GRAPH, n=2, target="openmp", time_limit=60)["x"].tolist() == [2, 2, 2]


def test_rounds_of_a_compiled_loop_are_reported_while_it_runs() -> None:
    device_of("openmp")
    texts: list[str] = []

    def look(progress: Progress) -> None:
        if progress.is_running:
            texts.append(str(progress))
        if len(texts) > 1:
            raise SeenEnoughError

    with pytest.raises(SeenEnoughError):
        COUNTING.run(GRAPH, n=-1, target="openmp", time_limit=60, follow=look)
    assert all(re.search(r", round [1-9][0-9,]*$", text) for text in texts)


def test_counted_rounds_and_watched_ones_are_gone_through_one_by_one() -> None:
    device_of("openmp")
    with pytest.raises(DiagnosticError, match="not done after 4 rounds"):
        COUNTING.run(GRAPH, n=5, target="openmp", max_rounds=4)
    result = COUNTING.run(GRAPH, n=5, target="openmp", trace=True)
    assert result.trace is not None
    assert len(result.trace.rounds) == 5
