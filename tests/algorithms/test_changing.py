"""Programs for graphs that change are right after every batch of any updates: checked, interpreted and on devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.algorithms.judges.dynamic import TABLE, Changing
from tests.graph.changing import Stream, streams
from tests.programs.targets import REFERENCE, Target, every_device
from tests.zoo import fewer_examples

if TYPE_CHECKING:
    from starplat import Graph, Program, Result

every_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.program)


@dataclass(frozen=True)
class Checked(Target):
    """The evaluator of the checked program, which no rewrite reaches."""

    def run(self, program: Program, graph: Graph, arguments: dict[str, object]) -> Result:
        return program.run(graph, checked=True, **arguments)


CHECKED = Checked("checked", "reference")


@every_row
@fewer_examples()
@given(stream=streams())
def test_checked_runs_follow_batches_of_any_updates(row: Changing, stream: Stream) -> None:
    row.follow(Stream(row.suits(stream.graph), stream.given, stream.batch), CHECKED)


@every_row
@fewer_examples()
@given(stream=streams())
def test_the_interpreter_follows_batches_of_any_updates(row: Changing, stream: Stream) -> None:
    row.follow(Stream(row.suits(stream.graph), stream.given, stream.batch), REFERENCE)


@pytest.mark.campaign
@every_row
@every_device
@fewer_examples()
@given(stream=streams())
def test_devices_follow_batches_of_any_updates(row: Changing, target: Target, stream: Stream) -> None:
    row.follow(Stream(row.suits(stream.graph), stream.given, stream.batch), target)
