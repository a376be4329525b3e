"""Every example gives the right answer on every graph of the zoo, interpreted and on every device of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.programs.cases import CASES, EXAMPLES, Case
from tests.programs.targets import TARGETS, Target, compiled, every_target, opencl_targets
from tests.zoo import ZOO

UGLIEST = ("empty", "one-node", "one-loop", "isolated", "parallel", "islands", "star-out", "all-zero-weights",
           "unreachable", "random", "random-undirected", "ids-from-one")  # fmt: skip
"""What every target meets in every run; the interpreter and the first OpenCL device meet the whole zoo."""


def meetings() -> Iterator[object]:
    """Which graph is tried on which target; what is left over is for the campaign."""
    first = next((target.label for target in opencl_targets() if target.fault is None), None)
    for target in TARGETS:
        thorough = target.label in ("reference", first)
        for name in ZOO:
            marks = () if thorough or name in UGLIEST else pytest.mark.campaign
            yield pytest.param(name, target, marks=marks, id=f"{name}-{target.label}")


every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)


def test_every_example_is_judged() -> None:
    assert {case.program for case in CASES} == {path.stem for path in EXAMPLES.glob("*.sp")}


def test_some_opencl_runtime_works() -> None:
    assert any(target.fault is None for target in opencl_targets()), [target.fault for target in opencl_targets()]


@pytest.mark.parametrize(("name", "target"), list(meetings()))
@every_case
def test_answer_is_right(case: Case, name: str, target: Target) -> None:
    graph = ZOO[name]
    graph = case.suits(graph)
    for call in case.calls(graph):
        result = target.run(compiled(case.path), graph, call)
        case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


@every_target
def test_a_second_run_gives_the_same_answer(target: Target) -> None:
    """Nothing of one run is left over in the next, whatever graph came between."""
    for case in CASES:
        for graph in (ZOO["random"], ZOO["both-ways"], ZOO["random"]):
            suited = case.suits(graph)
            call = case.calls(suited)[0]
            result = target.run(compiled(case.path), suited, call)
            case.check(suited, call, {name: result[name] for name in case.properties}, result.returned)
