"""Step `seen`: whether flags are left is found out by the kernel that looks at them in the next round."""

from __future__ import annotations

import pytest

import starplat
from starplat.backends import statements as st
from starplat.backends.one_launch.together import legal_loop
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.printing.operations import print_ops
from starplat.ir.visitor import loops_of, walk
from starplat.runtime.validate import first_difference
from starplat.schedule.schedule import Loop, Schedule
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.schedule.programs import CUDA, scheduled

SET = (EXAMPLES / "maximal_independent_set.sp").read_text(encoding="utf-8")
COUNTED = """
function counted(Graph g, propNode<int> rounds, propNode<int> told) {
  propNode<bool> on;
  propNode<bool> done;
  g.attachNodeProperty(on = %s, done = False);
  bool finished = False;
  fixedPoint until (finished : !on) {
    forall (v in g.nodes().filter(on)) {
      v.rounds += 1;
      v.done = v.rounds > 2;
    }
    forall (v in g.nodes().filter(done)) {
      v.on = False;
      forall (w in g.neighbors(v)) {
        w.on = False;
      }
    }
  }
}"""
ON = COUNTED % "True"
SEEN = {"an independent set": SET, "a kernel without rows": ON, "no flag at first": COUNTED % "False"}
LEFT_ALONE = {
    "more is asked of a node": changed(ON, ("filter(on)", "filter(on && rounds > -1)")),
    "all nodes do something": changed(ON, (".filter(on)) {", ") {")),
    "others ask whether it is over": changed(ON, ("v.on = False;", "v.on = False;\n      v.told = finished ? 1 : 2;")),
    "other flags are tested": changed(
        ON,
        ("(finished : !on)", "(finished : !more)"),
        ("propNode<bool> done;", "propNode<bool> done;\n  propNode<bool> more;"),
        ("done = False);", "done = False, more = True);"),
        ("v.on = False;", "v.more = False;"),
        ("w.on = False;", "w.more = False;"),
    ),
    "rows that threads share": changed(
        ON, ("v.rounds += 1;", "v.rounds += 1;\n      forall (u in g.neighbors(v)) { u.told += 1; }")
    ),
}


def rounds(text: str) -> str:
    """The host operations of the launch."""
    (loop,) = loops_of(scheduled(text))
    return "\n".join(print_ops(loop.body))


def test_before_and_after() -> None:
    assert (
        rounds(SET).split("let finished: bool = false\n")[1]
        == """let again: bool = false
do while !finished
  body
    finished = true
    launch maximal_independent_set_set_joins
    if finished && again
      break
    launch maximal_independent_set_set_in_set
    again = true"""
    )
    names = {kernel.name for kernel in scheduled(SET).kernels}
    assert names == {"maximal_independent_set_set_joins", "maximal_independent_set_set_in_set"}


def test_a_round_has_a_barrier_for_each_of_its_kernels() -> None:
    (loop,) = loops_of(scheduled(SET))
    (around,) = [s for s in legal_loop(loop, scheduled(SET), CUDA).body if isinstance(s, st.While)]
    assert sum(isinstance(s, st.GridBarrier) for s in walk(around.body)) == 2


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_other_rounds_test_at_their_end(text: str) -> None:
    assert "again" not in rounds(text)


@pytest.mark.parametrize("text", [*SEEN.values(), *LEFT_ALONE.values()], ids=[*SEEN, *LEFT_ALONE])
def test_answers_are_the_same(text: str) -> None:
    program = starplat.compile(text)
    empty = (Graph.from_arcs(nodes, [], []) for nodes in (0, 1, 3))
    for graph in (*empty, generators.grid(9, 70), generators.rmat(6, 4), generators.star(12)):
        with emulated(Machine(seed=2)):
            found = program.run(graph, target="cuda")
        assert first_difference(found, program.run(graph, target="reference")) is None


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_one_kernel_says_so(text: str) -> None:
    telling = [kernel for kernel in scheduled(text).kernels if kernel.reductions]
    assert [(k.filter is not None, [r.combine for r in k.reductions]) for k in telling] == [(True, [ir.Combine.AND])]


def test_rounds_that_the_host_drives_test_at_their_end() -> None:
    """It may count them."""
    kernels = {kernel.name for kernel in scheduled(SET, Schedule(loop=Loop.HOST)).kernels}
    assert "maximal_independent_set_find_finished" in kernels
