"""Where the host chooses between push and pull: it counts the arcs of listed nodes in rounds where these decide, and
only there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.conditions import conjuncts
from starplat.ir.points import Way
from starplat.ir.shapes.listed import known_length
from starplat.ir.visitor import loops_of, walk_expression, walk_host, walk_kernel
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.runtime.test_trace import by_level, random_graph
from tests.schedule.programs import BY_NUMBER, LEVELS, arguments_for, module_of, program_of
from tests.schedule.test_directions import GUARDED, HOSTS, NEAR_MISSES, OTHER_WORDS, WAVES, made, ways
from tests.zoo import ZOO

MARKS = """function reach(Graph g, propNode<bool> reached, SetN<g> sources) {
  propNode<bool> now;
  propNode<bool> next;
  bool over = False;
  g.attachNodeProperty(reached = False, now = False, next = False);
  for (src in sources) {
    src.reached = True;
    src.now = True;
  }
  fixedPoint until (over : !now) {
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
          w.next = True;
        }
      }
    }
    g.attachNodeProperty(now = next, next = False);
  }
}"""

STEP = MARKS[MARKS.index("    forall (v in") : MARKS.index("    g.attachNodeProperty(now = next")]
TWO_STEPS = MARKS.replace(STEP, STEP + STEP)
"""Two launches of a round walk one list."""


def counts(module: ir.Module) -> list[ir.Kernel]:
    """The kernels that add up the arcs of listed nodes."""
    return [
        kernel
        for kernel in module.kernels
        if isinstance(kernel.domain, ir.Listed) and [r.combine for r in kernel.reductions] == [ir.Combine.ADD]
        and ir.ROW_OFFSETS in kernel.arrays and all(isinstance(op, ir.Contribute) for op in kernel.body)
    ]  # fmt: skip


def unsure(module: ir.Module) -> Iterator[ir.HostIf]:
    """Where the host lets arcs be counted."""
    names = {kernel.name for kernel in counts(module)}
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, ir.HostIf) and any(isinstance(o, ir.Launch) and o.kernel in names for o in op.then):
                yield op


# --- what is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", HOSTS)
@pytest.mark.parametrize("text", [*WAVES.values(), MARKS], ids=[*WAVES, "marks"])
def test_arcs_of_the_list_that_is_walked_are_counted_ahead_of_the_choice(text: str, target: str) -> None:
    module = made(text, target, "direction=auto")
    (kernel,), (choice,), (doubt,) = counts(module), ways(module), unsure(module)
    (push,) = (module.kernel(op.kernel) for op in choice.otherwise if isinstance(op, ir.Launch))
    assert kernel.domain == push.domain
    assert [op.direction for op in walk_kernel(push.body) if isinstance(op, ir.ForNeighbors)] == [ir.Direction.OUT]
    assert doubt.otherwise == ()
    (decision,) = (op for op in doubt.then if isinstance(op, ir.SetVariable))
    assert choice.condition == ir.Ref(decision.variable)
    assert {part.variable for part in walk_expression(decision.value) if isinstance(part, ir.Ref)} == {
        reduction.variable for reduction in kernel.reductions
    }


@pytest.mark.parametrize("example", ["bfs", "bfs_levels", "betweenness", "closeness", "radii"])
def test_only_rounds_in_doubt_ask_for_another_word(example: str) -> None:
    """Few nodes push and many pull whatever arcs they have; both bounds are the host's, without another word."""
    module = made((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"), "openmp", "direction=auto")
    ((kernel,), (doubt,)) = counts(module), unsure(module)
    assert isinstance(kernel.domain, ir.Listed)
    asked = [
        part for part in conjuncts(doubt.condition) if getattr(part, "operator", None) is ir.BinaryOperator.GREATER
    ]
    assert [getattr(part, "left", None) for part in asked] == [known_length(kernel.domain)] * 2


def test_each_launch_of_a_round_has_a_choice_of_its_own() -> None:
    module = made(TWO_STEPS, "openmp", "direction=auto")
    assert [len([*found]) for found in (counts(module), ways(module), unsure(module))] == [2, 2, 2]


@pytest.mark.parametrize("schedule", ["direction=push", "direction=pull", "frontier=bitmap", "frontier=layers"])
def test_nobody_counts_where_no_list_decides(schedule: str) -> None:
    for text in (LEVELS, BY_NUMBER, OTHER_WORDS):
        assert not counts(made(text, "openmp", schedule))


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_may_not_be_pulled_counts_nothing(name: str) -> None:
    for target in ("openmp", "cuda"):
        assert not counts(made(NEAR_MISSES[name], target, "direction=auto"))


def test_a_launch_that_holds_the_loop_counts_for_itself() -> None:
    for text in (LEVELS, BY_NUMBER, MARKS):
        module = decided(module_of(text), AUTO, BACKENDS["cuda"].capabilities).module
        assert loops_of(module)
        assert not counts(module)


def test_a_group_asks_no_more_than_before() -> None:
    """Few nodes are never in doubt: a group neither counts arcs nor asks for the bounds between which they count."""
    for target in ("openmp", "opencl", "sycl"):
        for text in (LEVELS, BY_NUMBER):
            module = made(text, target, "loop=group,direction=auto")
            (group,) = loops_of(module)
            inside = list(walk_host(group.body))
            assert not {op.kernel for op in inside if isinstance(op, ir.Launch)} & {k.name for k in counts(module)}
            (loop,) = (op for op in inside if isinstance(op, ir.Loop))
            bounds = [part for part in conjuncts(loop.condition) if part.element is loop.condition.element]
            assert len(bounds) == 3, "the loop goes on, nodes are few, and not as many as pull"
            assert not any(isinstance(op, ir.SetVariable) and op.variable.name == "pulls" for op in inside)


def test_a_loop_that_asks_at_its_end_looks_so_though_a_round_declares_something() -> None:
    text = starplat.compile(EXAMPLES / "bfs_levels.sp").artifact("openmp")["bfs_levels.cpp"]
    assert "bool pulls = frontier_count > graph.num_nodes / 16;" in text
    assert "} while (!finished);" in text
    assert "break;" not in text[text.index("bool pulls = ") : text.index("} while (!finished);")]


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["counts", "always in doubt"])
def doubts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets small graphs have rounds in which arcs are counted."""
    monkeypatch.setattr("starplat.schedule.direction.pull_rounds.FEW", 0)
    if request.param == "always in doubt":
        monkeypatch.setattr("starplat.schedule.direction.pull_rounds._MANY_NODES", 1)
        monkeypatch.setattr("starplat.schedule.direction.pull_rounds._SOME_NODES", 1 << 20)


def hubs(leaves: int, several: int, more: int = 0) -> Graph:
    """A node before `several` hubs, which have `leaves` each; so many arcs go from leaf to leaf."""
    first = np.arange(1, several + 1)
    ends = several + 1 + np.arange(several * leaves)
    nodes = several * (leaves + 1) + 1
    ring = np.arange(more) % len(ends)
    tails = np.concatenate([np.zeros(several), np.repeat(first, leaves), ends[ring]])
    heads = np.concatenate([first, ends, ends[ring - 1]])
    return Graph.from_arcs(nodes, tails.astype(np.int32), heads.astype(np.int32))


SMALL = (hubs(20, 12), hubs(3, 9), hubs(40, 1), random_graph(300, 2400, 7), ZOO["one-node"], ZOO["parallel"])


@pytest.mark.parametrize("text", [*WAVES.values(), MARKS, TWO_STEPS], ids=[*WAVES, "marks", "two steps"])
def test_every_choice_gives_the_same_answer(text: str, doubts: None) -> None:
    program, only = program_of(text), ["dist"] if "parent" in text else None
    modules = [made(text, target, "direction=auto") for target in ("openmp", "cuda")]
    for graph in (*SMALL, ZOO["random"], ZOO["unreachable"]):
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        for module in modules:
            found = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN, results=only)
            assert (differs := first_difference(found, expected)) is None, f"{graph.describe()}: {differs}"


@pytest.mark.parametrize("target", [t for t in TARGETS if t.target in (*HOSTS, "hip")], ids=lambda target: target.label)
@pytest.mark.parametrize("text", [OTHER_WORDS, GUARDED, BY_NUMBER], ids=["set", "some", "numbers"])
def test_devices_give_the_same_answers(text: str, target: Target, doubts: None) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    program, module = program_of(text), made(text, target.target, "direction=auto")
    for graph in SMALL:
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        found = run_module(
            module, graph, target=target.target, device_index=target.device or 0, arguments=given, schedule=PLAIN
        )
        assert (differs := first_difference(found, expected)) is None, f"{graph.describe()}: {differs}"


# --- which way it goes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ["bfs_levels", "bfs"])
@pytest.mark.parametrize(
    ("graph", "way"),
    [
        (hubs(18, 4200), Way.PULL),  # n / 19 with all arcs but a twentieth
        (hubs(18, 4200, 700_000), Way.PUSH),  # the same nodes with an eleventh of the arcs
        (hubs(18, 4000), Way.PUSH),  # fewer than are worth a launch
        (hubs(10, 6000), Way.PULL),  # n / 11
    ],
    ids=["many arcs", "few arcs", "few nodes", "many nodes"],
)
def test_many_arcs_are_pulled_though_nodes_are_few(graph: Graph, way: Way, example: str) -> None:
    program = starplat.compile(EXAMPLES / f"{example}.sp")
    result = program.run(graph, target="openmp", schedule="loop=host", src=0, trace=True)
    assert result.trace is not None
    second, (nodes, arcs) = result.trace.rounds[1], by_level(graph, result["level"])[1]
    assert (second.chief.active, second.chief.arcs, second.chief.direction) == (nodes, arcs, way)
    counted = [walk for walk in second.walks if walk.kernel.startswith("arcs_of_")]
    assert len(counted) == (graph.num_nodes // 16 > nodes > 4096)
