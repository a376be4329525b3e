"""Every example gives the right answer on every graph of the zoo, interpreted and on every device of this machine."""

from __future__ import annotations

import pytest

from tests.programs.cases import CASES, EXAMPLES, Case
from tests.programs.targets import Target, compiled, every_target, opencl_targets
from tests.zoo import ZOO

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)


def test_every_example_is_judged() -> None:
    assert {case.program for case in CASES} == {path.stem for path in EXAMPLES.glob("*.sp")}


def test_some_opencl_runtime_works() -> None:
    assert any(target.fault is None for target in opencl_targets()), [target.fault for target in opencl_targets()]


@every_target
@every_case
def test_answers_are_right(case: Case, target: Target) -> None:
    for graph in ZOO.values():
        case.judge(case.suits(graph), target)


@every_target
@every_case
def test_a_second_run_gives_the_same_answer(case: Case, target: Target) -> None:
    """Nothing of one run is left over in the next, whatever graph came between."""
    for graph in (ZOO["random"], ZOO["both-ways"], ZOO["random"]):
        suited = case.suits(graph)
        call = case.calls(suited)[0]
        result = target.run(compiled(case.path), suited, call)
        case.check(suited, call, {name: result[name] for name in case.properties}, result.returned)
