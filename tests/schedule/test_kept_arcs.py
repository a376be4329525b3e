"""Rounds that ask for the neighbors that come first walk rows of these alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.hip import HIP
from starplat.backends.scheduled import capabilities_of, for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir, visitor
from starplat.ir.verifying.modules import verify
from starplat.runtime import elements, run_module
from starplat.runtime.facts import facts_of
from starplat.runtime.resident import on_device
from starplat.runtime.text import kernels_text_to_run
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated, require_compiler
from tests.changing import changed
from tests.runtime.devices import device_of, every_target
from tests.zoo import ZOO

EXAMPLES = Path(__file__).parents[2] / "examples"
COLORING = (EXAMPLES / "graph_coloring.sp").read_text(encoding="utf-8")
INDEPENDENT = (EXAMPLES / "maximal_independent_set.sp").read_text(encoding="utf-8")
WAITING = """function wait(Graph g, propNode<int> turn, propNode<int> x, propNode<int> seen, propEdge<int> w) {
  propNode<bool> wins;
  g.attachNodeProperty(turn = -1, wins = False, seen = 0);
  int round = 0;
  while (round < 9) {
    forall (v in g.nodes().filter(turn < 0)) {
      bool blocked = False;
      for (u in g.neighbors(v)) {
        if (u.turn < 0 && u > v) {
          blocked = True;
          break;
        }
      }
      v.wins = !blocked;
    }
    forall (v in g.nodes().filter(wins)) {
      v.wins = False;
      v.turn = round;
    }
    round += 1;
  }
}
"""
GATHERED = changed(
    WAITING,
    ("bool blocked = False;", "int ahead = 0;"),
    ("blocked = True;\n          break;", "ahead += u.x;"),
    ("v.wins = !blocked", "v.seen = ahead; v.wins = ahead < 3"),
)
KEPT = {
    "by number": WAITING,
    "the test first": changed(WAITING, ("u.turn < 0 && u > v", "u > v && u.turn < 0")),
    "the other side first": changed(WAITING, ("u > v", "v < u")),
    "lower numbers": changed(WAITING, ("u > v", "u < v")),
    "negative ranks": changed(WAITING, ("u > v", "-3 * u > -3 * v")),
    "arcs into nodes": changed(WAITING, ("g.neighbors(v)", "g.nodes_to(v)")),
    "a property": changed(WAITING, ("u > v", "u.x > v.x")),
    "a value of both": changed(WAITING, ("u > v", "u.x * 7 + u % 5 > v.x * 7 + v % 5")),
    "nothing but the test": changed(WAITING, ("u.turn < 0 && u > v", "u.x < v.x")),
    "a value of each arc": GATHERED,
    "told to neighbors": changed(
        WAITING,
        ("for (u", "forall (u"),
        ("blocked = True;\n          break;", "u.seen += 1;"),
        ("bool blocked = False;", "bool blocked = v.x > round;"),
    ),
    "changed before the loop": changed(
        WAITING, ("u > v", "u.x > v.x"), ("  int round", "  forall (v in g.nodes()) { v.x = v % 7; }\n  int round")
    ),
    "in an outer loop that changes it": changed(
        WAITING,
        ("u > v", "u.x > v.x"),
        ("  while (round < 9) {", "  for (int i = 0; i < 3; i++) { round = i; while (round < 9) {"),
        (
            "    round += 1;\n  }\n",
            "    round += 1;\n  } forall (v in g.nodes()) { v.x = (v + i) % 7; v.turn = -1; } }\n",
        ),
    ),
}
LEFT_ALONE = {
    "a property that the loop changes": changed(
        WAITING, ("u > v", "u.x > v.x"), ("v.turn = round;", "v.turn = round;\n      v.x = round;")
    ),
    "a property that the host fills in the loop": changed(
        WAITING, ("u > v", "u.x > v.x"), ("    round += 1;", "    round += 1;\n    g.attachNodeProperty(x = round);")
    ),
    "others make the filter false": changed(
        WAITING, ("v.turn = round;", "v.turn = round;\n      forall (u in g.neighbors(v)) { u.turn = 0; }")
    ),
    "not strict": changed(WAITING, ("u > v", "u >= v")),
    "not the same": changed(WAITING, ("u > v", "u != v")),
    "two values": changed(WAITING, ("u > v", "u.x > v.seen")),
    "of the node alone": changed(WAITING, ("u > v", "v > 3")),
    "a value that may divide by 0": changed(
        WAITING, ("u.turn < 0 && u > v", "u.x > 0 && v.x > 0 && 60 / u.x > 60 / v.x")
    ),
    "a function that may not end": changed(
        WAITING,
        ("u.turn < 0 && u > v", "u < 9 && v < 9 && place(g, u) > place(g, v)"),
        ("function wait", "function place(Graph g, node v) { int i = 0; while (i * i < v) { i += 1; } return i; }\n"
         "function wait"),
    ),
    "the last one counts": changed(GATHERED, ("ahead += u.x", "ahead = u.x")),
    "the last one counts behind a sum": changed(
        GATHERED,
        ("u.turn < 0 && u > v", "u.turn < 0"),
        (
            "      v.seen = ahead;",
            "      int last = 0;\n      for (u in g.neighbors(v)) { if (u > v) { last = u.x; } }\n      v.seen = last;",
        ),
    ),
    "weights of arcs": changed(
        GATHERED, ("ahead += u.x", "edge e = g.get_edge(v, u); ahead += e.w")
    ),
    "in no loop": changed(WAITING, ("while (round < 9)", "if (round < 9)")),
    "in some rounds": changed(
        WAITING, ("forall (v in g.nodes().filter(turn", "if (round % 2 == 0) forall (v in g.nodes().filter(turn")
    ),
    "for all nodes": changed(WAITING, (".filter(turn < 0)", "")),
    "for nodes that stay": changed(WAITING, (".filter(turn < 0)", ".filter(x > 2)")),
}  # fmt: skip
PROVED = parse_schedule("algebra=proved")
MANY = GraphFacts(2**17, 2**22, 2**12, symmetric=True)


@cache
def program(text: str) -> starplat.Program:
    return starplat.compile(text)


def made(text: str, schedule: str = "algebra=proved", target: str = "cuda", facts: GraphFacts = MANY) -> ir.Module:
    module = decided(program(text).module(), parse_schedule(schedule), capabilities_of(target), facts).module
    verify(module)
    return module


def kept(module: ir.Module) -> int:
    """How many tests have rows."""
    of_runs = sum(array.name.startswith("passing_columns") for f in module.functions for array in f.arrays)
    return of_runs + sum(one.kept is not None for one in module.prepared)


def walks_them(kernel: ir.Kernel) -> bool:
    loops = (op for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors))
    return any(loop.copied is not None for loop in loops)


@pytest.mark.parametrize("target", ["cuda", "openmp"])
@pytest.mark.parametrize("text", [COLORING, *KEPT.values()], ids=["coloring", *KEPT])
def test_arcs_that_pass_have_rows_of_their_own(text: str, target: str) -> None:
    assert kept(made(text, target=target)) == 1
    assert not kept(made(text, "algebra=plain", target))
    assert sum(map(walks_them, made(text, target=target).kernels)) == 1


@pytest.mark.parametrize("text", [INDEPENDENT, *LEFT_ALONE.values()], ids=["independent set", *LEFT_ALONE])
def test_rows_stay_where_the_test_may_change_or_few_rounds_make_it(text: str) -> None:
    assert not kept(made(text))


def test_two_kernels_with_one_test_share_its_rows() -> None:
    twice = changed(
        WAITING,
        ("    round += 1;\n", """    forall (a in g.nodes().filter(turn < 0)) {
      int ahead = 0;
      for (b in g.neighbors(a)) { if (b > a) { ahead += b.x; } }
      a.seen = ahead;
    }
    round += 1;
"""),
    )  # fmt: skip
    module = made(twice)
    assert kept(module) == 1
    assert sum(map(walks_them, module.kernels)) == 2


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        (MANY, 1),
        (GraphFacts(2**22, 2**24, 9, symmetric=True), 0),  # short rows
        (GraphFacts(2**12, 2**17, 99, symmetric=True), 0),  # few arcs
        (None, 0),
    ],
)
def test_rows_are_made_where_they_pay_and_lie_on_the_device(facts: GraphFacts | None, wanted: int) -> None:
    for target in ("cuda", "openmp"):
        capable = capabilities_of(target)
        assert kept(decided(program(WAITING).module(), AUTO, capable, facts).module) == wanted
        for schedule in ("memory=ondemand", "memory=resident", "algebra=plain"):
            left = decided(program(WAITING).module(), parse_schedule(schedule), capable, facts).module
            assert not kept(left)


def test_a_graph_that_changes_keeps_its_rows() -> None:
    changing = changed(
        WAITING,
        ("function wait(Graph g, ", "Dynamic wait(Graph g, updates<g> changes, int batch, "),
        ("  int round = 0;\n", "  int round = 0;\n  Batch (changes : batch) {\n    g.updateCSRAdd(changes);\n"),
        ("    round += 1;\n  }\n", "    round += 1;\n  }\n  }\n"),
    )
    assert not kept(made(changing))


def graphs() -> list[Graph]:
    """With loops and parallel arcs, one with long rows and more nodes than a piece of pieces, some of few nodes."""
    drawn = np.random.default_rng(3)
    ugly = Graph.from_arcs(40, drawn.integers(0, 40, 512), drawn.integers(0, 40, 512), drawn.integers(1, 4, 512))
    return [ugly, generators.rmat(11, 4, weights=(1, 9)), *list(ZOO.values())[::3]]


def arguments(graph: Graph) -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(1)
    return {"x": drawn.integers(0, 5, graph.num_nodes), "w": drawn.integers(1, 9, graph.num_arcs)}


@pytest.mark.parametrize("name", [*KEPT, *LEFT_ALONE])
def test_the_answer_is_the_same(name: str) -> None:
    text = {**KEPT, **LEFT_ALONE}[name]
    for graph in graphs():
        given = arguments(graph)
        expected = program(text).run(graph, arguments=given, target="openmp", schedule=PLAIN)
        found = program(text).run(graph, arguments=given, target="openmp", schedule=PROVED if name in KEPT else AUTO)
        module = for_target(program(text).module(), "openmp", PLAIN if name in LEFT_ALONE else PROVED, facts_of(graph))
        again = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
        for result in ("turn", "seen"):
            np.testing.assert_array_equal(found[result], expected[result])
            np.testing.assert_array_equal(again[result], expected[result])


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_a_graph_keeps_rows_for_the_test_that_they_were_made_by(target: str) -> None:
    device_of(target)
    graph = graphs()[1]
    for name in ("by number", "lower numbers", "by number", "arcs into nodes", "by number", "by number"):
        expected = program(KEPT[name]).run(graph, arguments=arguments(graph), target=target, schedule=PLAIN)
        found = program(KEPT[name]).run(graph, arguments=arguments(graph), target=target, schedule=PROVED)
        np.testing.assert_array_equal(found["turn"], expected["turn"])


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize(("name", "sign"), [("by number", 1), ("lower numbers", -1)])
def test_neighbors_that_come_before_a_node_by_little_stand_first(
    name: str, sign: int, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wide:
        monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    graph = generators.rmat(9, 8)
    (one,) = made(KEPT[name], facts=facts_of(graph)).prepared

    def missing(_: object) -> None:
        raise AssertionError("the device holds no such rows")

    with emulated(Machine(2, 96, seed=2)) as device:
        program(KEPT[name]).run(graph, arguments=arguments(graph), target="cuda", schedule=PROVED)
        rows, columns = map(device.download, on_device(device, graph).prepared(one.arrays, missing, one.kept).values())
    for v in range(graph.num_nodes):
        row = graph.columns[graph.row_offsets[v] : graph.row_offsets[v + 1]]
        found = columns[rows[v] : rows[v + 1]]
        assert sorted(found) == sorted(row[sign * row > sign * v])
        apart = sign * (found // 2 - v // 2) // (v // 2 // 16 + 1)
        classes = [min(int(a).bit_length(), 7) for a in apart]
        assert classes == sorted(classes)


@every_target
@pytest.mark.parametrize("name", ["by number", "a value of each arc", "told to neighbors"])
def test_targets_agree(name: str, target: str) -> None:
    device_of(target)
    for graph in graphs():
        expected = program(KEPT[name]).run(graph, arguments=arguments(graph), target="openmp", schedule=PLAIN)
        found = program(KEPT[name]).run(graph, arguments=arguments(graph), target=target, schedule=PROVED)
        for result in ("turn", "seen"):
            np.testing.assert_array_equal(found[result], expected[result])


@pytest.mark.parametrize("schedule", ["algebra=proved", "algebra=proved,loop=host", "algebra=proved,balance=node"])
@pytest.mark.parametrize(
    "name",
    [
        *("coloring", "by number", "lower numbers", "negative ranks", "arcs into nodes"),
        *("a property", "a value of each arc", "told to neighbors"),
    ],
)
def test_threads_of_blocks_agree(name: str, schedule: str) -> None:
    text = COLORING if name == "coloring" else KEPT[name]
    for graph in graphs()[:3]:
        of = graph.undirected() if name == "coloring" else graph
        given = {} if name == "coloring" else arguments(of)
        expected = program(text).run(of, arguments=given, target="openmp", schedule=PLAIN)
        with emulated(Machine(2, 96, seed=2)):
            found = program(text).run(of, arguments=given, target="cuda", schedule=schedule)
        for result in ("color",) if name == "coloring" else ("turn", "seen"):
            np.testing.assert_array_equal(found[result], expected[result])


TELLS = "if (u.color == ~(v.color >> 5)) {"


@pytest.mark.parametrize(
    ("schedule", "test", "ahead"),
    [
        ("algebra=proved", TELLS, True),
        ("algebra=plain", TELLS, False),
        ("algebra=proved", "if (u.taken != -1) {", False),
        ("algebra=proved", "if (u != v) {", False),
    ],
    ids=["rows are made", "no rows", "what is asked changes", "no cell is asked"],
)
def test_a_walk_asks_arcs_ahead_of_its_work(schedule: str, test: str, ahead: bool) -> None:
    program = starplat.compile(changed(COLORING, (TELLS, test)))
    facts = GraphFacts(2**18, 2**22, 2**10, symmetric=True)
    text = kernels_text_to_run("cuda", for_target(program.module(), "cuda", parse_schedule(schedule), facts))
    assert ("where([&]" in text) is ahead


@pytest.mark.parametrize("machine", [Machine(2, 64), Machine(2, 128, family=HIP, warp=64)], ids=["cuda", "hip"])
def test_arcs_asked_ahead_give_the_same_colors(machine: Machine) -> None:
    require_compiler()
    program = starplat.compile(COLORING)
    for graph in (generators.rmat(7, 8, 1), generators.star(60), generators.uniform(6, 4, 1)):
        with emulated(machine):
            found = program.run(graph, target="cuda", schedule="algebra=proved")["color"]
        np.testing.assert_array_equal(found, program.run(graph, target="reference")["color"])
