"""Steps that are taken once for many schedules come to what they would come to one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice, product
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor
from starplat.same import remembered
from starplat.schedule import KNOBS, PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.memoised_steps import Taking, TakingOnce, Watched
from starplat.schedule.schedule import Direction, Loop
from starplat.schedule.step import Decided, GraphStep, Step

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VALUES = [(*knob.kind, *(value for form in knob.forms for value in form.tried(3))) for knob in KNOBS.values()]
FACTS = GraphFacts(1000, 16_000, 400)
PLACES = [
    (target, processor)
    for target, backend in BACKENDS.items()
    for processor in Processor
    if backend.capabilities_on(processor)
]


def ended(module: ir.Module, schedule: Schedule, taking: Taking) -> Decided | str:
    """What came of it, choices and all, or the message."""
    try:
        return decided(module, schedule, taking.capabilities, taking.facts, taking=taking)
    except DiagnosticError as error:
        return error.diagnostics[0].message


def schedules_by(stride: int) -> list[Schedule]:
    """One of so many schedules."""
    return [Schedule(*values) for values in islice(product(*VALUES), 0, None, stride)]


@pytest.mark.parametrize("stride", [3743, 7481])
def test_every_two_values_of_knobs_meet(stride: int) -> None:
    met = {pair for schedule in schedules_by(stride) for pair in combinations(enumerate(schedule.values.values()), 2)}
    two_knobs = combinations(range(len(VALUES)), 2)
    assert met == {((a, x), (b, y)) for a, b in two_knobs for x, y in product(VALUES[a], VALUES[b])}


@pytest.mark.thin(plain=6, campaign=5)
@pytest.mark.parametrize(("target", "processor"), PLACES, ids=str)
@pytest.mark.parametrize("name", ["sssp", "betweenness", "connected_components", "triangle_count", "pagerank"])
def test_it_comes_to_the_same(name: str, target: str, processor: Processor) -> None:
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    capabilities = BACKENDS[target].capabilities_on(processor)
    assert capabilities is not None
    each, once = Taking(capabilities, FACTS), TakingOnce(capabilities, FACTS)
    schedules = schedules_by(3743 if target == "opencl" else 7481)
    one_by_one = [(schedule, ended(module, schedule, each)) for schedule in schedules]
    for schedule, expected in one_by_one * 2:
        assert ended(module, schedule, once) == expected, str(schedule)


def test_a_step_is_taken_again_only_for_what_it_looks_at() -> None:
    taken: list[str] = []

    def rewrite(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
        taken.append(str(schedule.direction))
        if schedule.direction is Direction.PULL:
            taken.append(str(schedule.loop))
        return module

    step = Step("test", "a step", "the only one", rewrite)
    module = starplat.compile("function f(Graph g) { return g.num_nodes(); }").module()
    taking = TakingOnce(BACKENDS["opencl"].capabilities)
    for direction, loop in product((Direction.PUSH, Direction.PULL), (Loop.HOST, Loop.DEVICE, Loop.HOST)):
        taking.take(step, module, Schedule(direction=direction, loop=loop))
    assert taken == ["push", "pull", "host", "pull", "device"]


def test_a_step_that_does_not_look_at_the_graph_is_taken_once_for_all_graphs() -> None:
    taken: list[str] = []

    def plain(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
        taken.append("plain")
        return module

    def looking(
        module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
    ) -> ir.Module:
        taken.append("no facts" if facts is None else "facts")
        return replace(module, entry=module.entry)  # equal, and another object

    module = starplat.compile("function f(Graph g) { return g.num_nodes(); }").module()
    graph_step = GraphStep("looks", "a step", "first", looking)
    asks_nothing = GraphStep("never looks", "a step", "second", looking, lambda module, capabilities: False)
    steps = (graph_step, asks_nothing, Step("plain", "a step", "last", plain))
    taking = TakingOnce(BACKENDS["opencl"].capabilities)
    ends = [decided(module, PLAIN, taking.capabilities, None, steps, taking.on(facts)) for facts in (None, FACTS)]
    assert ends[0].module is ends[1].module
    assert taken == ["no facts", "no facts", "plain", "facts"]


def test_what_is_remembered_of_a_record_is_not_of_an_equal_one() -> None:
    asked: list[list[int]] = []

    @remembered(2)
    def length(numbers: list[int]) -> int:
        asked.append(numbers)
        return len(numbers)

    one, other = [1, 2], [1, 2]
    assert [length(one), length(one), length(other), length(one)] == [2, 2, 2, 2]
    assert len(asked) == 2


def test_a_watched_schedule_is_a_schedule() -> None:
    watched = Watched(**PLAIN.values)
    assert not watched.asked
    assert watched == PLAIN
    assert PLAIN.__eq__(watched) in (True, NotImplemented)  # Python asks the other one then
    assert hash(watched) == hash(PLAIN)
    assert watched.asked == set(KNOBS)
    assert str(watched) == "plain"
    assert watched.keeps_flags(batches=True)
