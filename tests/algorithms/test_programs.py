"""Every program of the library gives the right answer: interpreted, on OpenCL and on OpenMP."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from starplat.graph import Graph
from starplat.resources import shipped_programs
from tests.algorithms.graphs import few, fractions, many, real
from tests.algorithms.judges import TABLE, Row
from tests.programs.cases import CASES as EXAMPLES
from tests.programs.targets import REFERENCE, Target, compiled_targets, opencl_targets

DEVICES = (opencl_targets()[0], *(target for target in compiled_targets() if target.target == "openmp"))
every_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.program)
every_program = pytest.mark.parametrize("row", [*TABLE, *EXAMPLES], ids=lambda row: row.program)
FRACTIONAL = tuple(
    row for row in TABLE if "propEdge<double> weight" in shipped_programs()[row.program].read_text(encoding="utf-8")
)
every_fractional = pytest.mark.parametrize("row", FRACTIONAL, ids=lambda row: row.program)
every_part = pytest.mark.parametrize("part", range(4))
every_fourth = pytest.mark.thin(plain=4, campaign=1_000_000)  # the others by night
every_device = pytest.mark.parametrize("target", DEVICES, ids=lambda target: target.label)


def test_every_program_that_ships_is_judged() -> None:
    judged = {row.program for row in (*TABLE, *EXAMPLES)}
    assert judged == {*shipped_programs()}, "tests/algorithms/judges has a table for each family"


@every_row
def test_the_interpreter_is_right_on_few_graphs(row: Row) -> None:
    judge(row, REFERENCE, few())


@every_device
@every_row
@pytest.mark.thin(plain=4)
def test_devices_are_right_on_few_graphs(row: Row, target: Target) -> None:
    judge(row, target, few())


@every_fractional
def test_weights_may_be_fractions(row: Row) -> None:
    judge(row, REFERENCE, fractions())


@pytest.mark.campaign
@every_device
@every_fractional
def test_weights_may_be_fractions_on_devices(row: Row, target: Target) -> None:
    judge(row, target, fractions())


@pytest.mark.campaign
@every_part
@every_row
@every_fourth
def test_the_interpreter_is_right_on_the_zoo(row: Row, part: int) -> None:
    judge(row, REFERENCE, one_of_four(many(), part))


@pytest.mark.campaign
@every_device
@every_part
@every_row
@every_fourth
def test_devices_are_right_on_the_zoo(row: Row, part: int, target: Target) -> None:
    judge(row, target, one_of_four(many(), part))


@pytest.mark.campaign
@every_program
def test_the_interpreter_is_right_on_real_graphs(row: Row) -> None:
    judge(row, REFERENCE, real())


@pytest.mark.campaign
@every_device
@every_program
def test_devices_are_right_on_real_graphs(row: Row, target: Target) -> None:
    judge(row, target, real())


def one_of_four(graphs: Mapping[str, Graph], part: int) -> dict[str, Graph]:
    """Every fourth graph."""
    return dict([*graphs.items()][part::4])


def judge(row: Row, target: Target, graphs: Mapping[str, Graph]) -> None:
    for graph in graphs.values():
        row.judge(row.suits(graph), target)
