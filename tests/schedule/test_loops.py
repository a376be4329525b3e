"""Step `loop`: whole loops become one launch, whatever stands around them, and what cannot, stays and stays right."""

from __future__ import annotations

from dataclasses import replace

import pytest

import starplat
from starplat.backends import BACKENDS, statements as st
from starplat.backends.one_launch.together import legal_loop
from starplat.backends.scheduled import for_target
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of, walk, walk_host
from starplat.pipeline import kernels_text
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop import step
from starplat.schedule.parse import parse_schedule
from starplat.schedule.schedule import Loop, Schedule
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES
from tests.schedule import near_misses
from tests.schedule.programs import (
    CUDA,
    LEVELS,
    NESTED,
    PEELING,
    RENAMED,
    SSSP,
    TWO_FLAGS,
    assert_same_answers,
    host_ops,
    module_of,
    scheduled,
    shape,
)

WHOLE = {"one flag": SSSP, "two flags": TWO_FLAGS, "renamed": RENAMED, "levels": LEVELS, "peeling": PEELING}
IN_ONE_LAUNCH = ("sssp", "sssp_two_flags", "bfs", "bfs_levels", "k_core", "radii", "betweenness", "pagerank")


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_the_whole_program_is_one_launch(text: str) -> None:
    assert (shape(scheduled(text)).loops, shape(scheduled(text)).launches) == (1, 0)


@pytest.mark.parametrize("example", IN_ONE_LAUNCH)
def test_whole_examples_are_one_launch(example: str) -> None:
    text = (EXAMPLES / f"{example}.sp").read_text(encoding="utf-8")
    assert (shape(scheduled(text)).loops, shape(scheduled(text)).launches) == (1, 0)


def test_one_launch_for_every_member_of_a_set() -> None:
    """What the host must drive stays around the launch."""
    declared = """    propNode<bool> modified;
    propNode<int> dist;
    g.attachNodeProperty(dist = INF, modified = False);
"""
    text = near_misses.changed(NESTED, (declared, ""), ("      src.dist = 0;", f"{declared}      src.dist = 0;"))
    assert (shape(scheduled(text)).loops, shape(scheduled(text)).launches) == (1, 0)
    assert_same_answers(text)


@pytest.mark.parametrize("way", ["schedule", "target"])
def test_nothing_is_done_where_nobody_asks_or_nobody_can(way: str) -> None:
    module = module_of(SSSP)
    capabilities = CUDA if way == "schedule" else replace(CUDA, grid_barrier=False)
    made = decided(module, Schedule(loop=Loop.HOST) if way == "schedule" else Schedule(), capabilities).module
    assert loops_of(made) == ()


@pytest.mark.parametrize("text", near_misses.LOOPS.values(), ids=near_misses.LOOPS)
def test_what_is_special_stays_right(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.campaign
@pytest.mark.parametrize("text", near_misses.ALL.values(), ids=near_misses.ALL)
def test_what_is_special_stays_right_on_fibers(text: str) -> None:
    assert_same_answers(text, fibers=True)


@pytest.mark.parametrize("name", ["division by a variable", "a return in the loop", "a cell of a node that changes",
                                  "a write where there may be no node"])  # fmt: skip
def test_what_may_go_wrong_stays_with_the_host(name: str) -> None:
    """Threads could not say what is wrong, or whose place it is."""
    assert shape(scheduled(near_misses.LOOPS[name])).launches > 0


@pytest.mark.parametrize(
    ("name", "loop", "why"),
    [
        ("division by a variable", "loop=device", "only the host can compute one of its values"),
        ("a return in the loop", "loop=device", "a round is left from its middle"),
        ("division by a variable", "loop=group", "'divided_add_a' walks no list whose length the host knows"),
    ],
)
def test_rounds_that_stay_with_the_host_say_why(name: str, loop: str, why: str) -> None:
    target = "cuda" if loop == "loop=device" else "opencl"
    made = decided(module_of(near_misses.LOOPS[name]), parse_schedule(loop), BACKENDS[target].capabilities)
    refused = [choice for choice in made.choices if "the host drives its rounds" in choice.what]
    assert why in {choice.why for choice in refused}
    with pytest.raises(DiagnosticError, match=why):
        for_target(module_of(near_misses.LOOPS[name]), target, parse_schedule(loop))


def test_a_loop_around_a_launch_says_why_it_is_none() -> None:
    choices = decided(module_of(NESTED), Schedule(), CUDA).choices
    (around,) = (choice for choice in choices if "the host drives its rounds" in choice.what)
    assert around.what.startswith("the loop around 'farthest_loop'")
    assert around.why == "the host goes over arcs, members of a set or elements of a list"


def test_a_break_of_the_loop_around_stays_outside_the_launch() -> None:
    module = scheduled(near_misses.LOOPS["a break of the host's loop beside a loop"])
    (launch,) = loops_of(module)
    assert not any(isinstance(op, ir.HostBreak) for op in walk_host(launch.body))
    assert "j += 1;" in kernels_text(module, "cuda", "plain")


def test_a_cell_that_is_touched_for_sure_is_checked_before_the_launch() -> None:
    ops = host_ops(scheduled(SSSP))
    checks = [op for op in ops if isinstance(op, ir.CheckCell)]
    assert len(checks) == 1
    place = next(i for i, op in enumerate(ops) if isinstance(op, ir.OnDevice))
    assert all(op is not checks[0] for op in ops[place:])


@pytest.mark.parametrize("text", near_misses.ALL.values(), ids=near_misses.ALL)
def test_a_launch_says_all_that_it_uses(text: str) -> None:
    """What is declared inside is used nowhere else; what it changes and others read comes back."""
    for schedule in ("auto", "loop=device,frontier=flags"):
        module = scheduled(text, schedule)
        for loop in loops_of(module):
            inside = list(walk_host(loop.body))
            assert not any(isinstance(op, ir.HostCall | ir.HostReturn | ir.OnDevice) for op in inside)
            declared = {op.variable for op in inside if isinstance(op, ir.DeclareVariable)}
            assert declared.isdisjoint(loop.scalars)
            assert set(loop.outcomes) <= set(loop.scalars)


def test_names_of_launches_are_their_own() -> None:
    text = """function f(Graph g, propNode<int> a, int f_loop) {
      int i = 0;
      while (i < 2) { forall (v in g.nodes()) { v.a += f_loop; } i += 1; }
      if (g.minWt() > 0) { i = 0; }
      while (i < 4) { forall (v in g.nodes()) { v.a -= 1; } i += 1; }
    }"""
    module = scheduled(text)
    names = [loop.name for loop in loops_of(module)]
    assert len(set(names)) == len(names)
    assert not {kernel.name for kernel in module.kernels} & set(names)
    assert_same_answers(text)


def test_what_lives_on_comes_back() -> None:
    module = scheduled(near_misses.LOOPS["a scalar that lives on"])
    names = {variable.name for loop in loops_of(module) for variable in loop.outcomes}
    assert names == {"i", "seen", "x"}


def test_cells_of_one_size_that_are_filled_in_a_row_share_a_loop() -> None:
    """Those of nodes do, whatever their order; those of arcs have a loop of their own."""
    text = """
function filled(Graph g, propNode<int> a, propNode<int> b, propEdge<int> c, propNode<int> d, propNode<bool> on) {
  bool finished = False;
  g.attachNodeProperty(on = True);
  fixedPoint until (finished : !on) {
    g.attachNodeProperty(a = 1, b = 2);
    g.attachEdgeProperty(c = 3);
    g.attachNodeProperty(d = 4);
    forall (v in g.nodes().filter(on)) {
      v.a += v.b + v.d;
      v.on = v.a < 0;
    }
  }
}"""
    (loop,) = loops_of(scheduled(text))
    counted = [s for s in walk(legal_loop(loop, scheduled(text), CUDA).body) if isinstance(s, st.Count)]
    filled = [[s.array.name for s in count.body if isinstance(s, st.StoreCell)] for count in counted]
    assert [set(names) for names in filled if names] == [{"on"}, {"c"}, {"a", "b", "d"}]
    assert_same_answers(text)


@pytest.mark.parametrize(
    ("schedule", "arcs", "loops"),
    [
        ("auto", 3_000_000, 1),
        ("auto", 30_000_000, 0),
        ("auto", 4_096, 0),
        ("loop=host", 3_000_000, 0),
        ("loop=device", 3_000_000, 0),
    ],
)
def test_several_launches_are_one_where_a_graph_has_few_arcs(schedule: str, arcs: int, loops: int) -> None:
    module = starplat.compile("connected_components").module()
    made = decided(module, parse_schedule(schedule), CUDA, GraphFacts(arcs // 10, arcs, 99, symmetric=True)).module
    assert len(loops_of(made)) == loops


def test_two_launches_stay_two() -> None:
    text = "function f(Graph g, propNode<int> a, propNode<int> b) { forall (v in g.nodes()) { v.a = v; } %s }"
    to_a = "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.a += v.b; } }"
    to_b = "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.b += v.a; } }"
    for inside, loops in ((to_a, 0), (to_a + to_b, 1)):
        made = decided(starplat.compile(text % inside).module(), AUTO, CUDA, GraphFacts(10**5, 10**6, 99)).module
        assert len(loops_of(made)) == loops


FILLED = """
function filled(Graph g, propNode<int> a, propNode<int> b, propNode<int> c, propNode<int> d) {
  g.attachNodeProperty(%s);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v).filter(w > v)) { w.a += v; w.b += v; w.c += v; w.d += v; }
  }
}"""


@pytest.mark.parametrize(("filled", "loops"), [("a = 1, b = 2, c = 3, d = 4", 1), ("a = 1, b = 2, c = 3", 0)])
def test_fills_count_as_half_a_launch(filled: str, loops: int) -> None:
    made = decided(starplat.compile(FILLED % filled).module(), AUTO, CUDA, GraphFacts(10**5, 10**6, 99)).module
    assert len(loops_of(made)) == loops


def test_fills_join_the_kernel_of_the_statement_behind_them() -> None:
    """What the host reads of that stays with it, and it waits for no scalar of the launch."""
    module = starplat.compile("distance_sums").module()
    made = decided(module, AUTO, CUDA, GraphFacts(10**5, 10**6, 99, symmetric=True)).module
    first, *rest = made.function(made.entry).body
    assert isinstance(first, ir.OnDevice)
    assert [op.array.name for op in walk_host(first.body) if isinstance(op, ir.Fill)][:2] == ["farness", "reached_by"]
    assert first.outcomes == ()
    assert any(isinstance(op, ir.ReadCell) for op in walk_host(rest))


@pytest.mark.parametrize("name", ["connected_components", "strongly_connected_components", "distance_sums"])
def test_kernels_in_one_launch_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "FEW_ARCS", range(2**22))
    program = starplat.compile(name)
    for graph in (generators.grid(9, 70), generators.rmat(6, 4), generators.star(12), Graph.from_arcs(0, [], [])):
        given = {"sources": list(range(0, graph.num_nodes, 2))} if name == "distance_sums" else {}
        meant = program.run(graph, target="reference", arguments=given)
        with emulated(Machine(seed=1)):
            assert first_difference(program.run(graph, target="cuda", arguments=given), meant) is None
