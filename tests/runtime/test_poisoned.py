"""Answers do not change where all that is not in its place is poison: every example, at every limit of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.opencl import OpenCLDevice
from starplat.runtime.estimate import Estimate
from starplat.runtime.session import Session
from tests.programs import cases
from tests.runtime.devices import device_of
from tests.runtime.poisoned import PoisonedOpenCL, PoisonedReference, session_with
from tests.zoo import ZOO

SHARES = (0.0, 0.1, 0.3, 0.6, 0.9)
GRAPHS = ("empty", "one-loop", "parallel", "both-ways", "diamonds", "random", "star-in-undirected")
SCHEDULES = (
    "memory=mapped",
    "memory=ondemand",
    "memory=ondemand,direction=push,frontier=list",
    "memory=ondemand,direction=pull,frontier=bits",
    "memory=ondemand,order=rows,loop=host",
    "memory=ondemand,loop=group,priority=none",
)
every_case = pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.program)


@dataclass
class Limited:
    """Runs programs on a device within their node data and a share of the arcs."""

    device: Device
    session: Session
    share: float
    schedule: str | None = None

    def run(self, program: starplat.Program, graph: Graph, call: dict[str, object]) -> starplat.Result:
        how: dict[str, Any] = {"target": self.device.target, "session": self.session, **call}
        mapped = self._mapped(program, graph, how)
        limit = max(mapped.total + int(self.share * sum(mapped.mapped.values())), 1)
        return program.run(graph, device_memory=limit, schedule=self.schedule, **how)

    def _mapped(self, program: starplat.Program, graph: Graph, how: dict[str, Any]) -> Estimate:
        """What node data take, and the arcs; all of a program that reads no arcs."""
        try:
            return program.run(graph, schedule=_with(self.schedule, "memory=mapped"), **how).estimate
        except DiagnosticError as refused:
            if refused.diagnostics[0].code != "E0665" or self.schedule is not None:
                raise
        return program.run(graph, schedule="memory=resident", **how).estimate


def _with(schedule: str | None, memory: str) -> str:
    others = [] if schedule is None else [part for part in schedule.split(",") if not part.startswith("memory=")]
    return ",".join([memory, *others])


def poisoned(target: str) -> Device:
    device = device_of(target)
    return PoisonedOpenCL(device.device) if isinstance(device, OpenCLDevice) else PoisonedReference()


def judged(case: cases.Case, target: str, shares: tuple[float, ...], schedules: tuple[str | None, ...]) -> None:
    """Holds a program's answers on some graphs against others'. What a schedule cannot do is refused by name."""
    device = poisoned(target)
    with session_with(device) as session:
        first = [one.program for one in cases.CASES].index(case.program)
        for name in (GRAPHS[first % len(GRAPHS)], "random"):
            for share in shares:
                for schedule in schedules:
                    limited = Limited(device, session, share, schedule)
                    try:
                        case.judge(case.suits(ZOO[name]), limited)  # type: ignore[arg-type]
                    except DiagnosticError as refused:
                        if schedule is None or not all(d.code.startswith("E06") for d in refused.diagnostics):
                            raise


@pytest.mark.thin(plain=3)
@every_case
def test_examples_are_right_where_half_the_arcs_are_poison(case: cases.Case) -> None:
    judged(case, "reference", (0.3,), (None,))


@pytest.mark.thin(plain=8)
@every_case
def test_examples_are_right_under_schedules_and_poison(case: cases.Case) -> None:
    judged(case, "reference", (0.6,), SCHEDULES)


@pytest.mark.campaign
@pytest.mark.parametrize("target", ["reference", "opencl"])
@every_case
def test_examples_are_right_at_all_limits(case: cases.Case, target: str) -> None:
    judged(case, target, SHARES, (None,))


@pytest.mark.nightly
@pytest.mark.parametrize("target", ["reference", "opencl"])
@every_case
def test_examples_are_right_under_all_schedules_and_limits(case: cases.Case, target: str) -> None:
    judged(case, target, SHARES, SCHEDULES)


# --- that poison is found ----------------------------------------------------------------------------------------

SUM = starplat.compile("""
function sum(Graph g, propEdge<int> weight, propNode<long> total) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.total += e.weight;
        }
    }
}
""")


@pytest.mark.parametrize("target", ["reference", "opencl"])
def test_a_transfer_that_is_missing_changes_an_answer(target: str) -> None:
    device, graph = poisoned(target), ZOO["random"]
    assert isinstance(device, PoisonedReference | PoisonedOpenCL)
    expected = SUM.run(graph, target="reference")["total"].tolist()

    def found(schedule: str, limit: int | None = None) -> list[int]:
        with session_with(device) as session:
            how: dict[str, Any] = {"target": target, "schedule": schedule, "session": session}
            return list(SUM.run(graph, device_memory=limit, **how)["total"])

    assert found("memory=mapped") == expected
    device.late = True
    assert found("memory=mapped") != expected
    half = 4 * 51 + 8 * 50 + 4 * 70
    assert found("memory=ondemand", half) != expected
    assert found("memory=ondemand") == expected  # all of it is the device's


@pytest.mark.parametrize("target", ["reference", "opencl"])
def test_new_memory_is_poison(target: str) -> None:
    device = poisoned(target)
    for _ in range(2):  # the second time it has been used before
        buffer = device.allocate(np.dtype(np.int32), 5)
        assert not np.any(device.download(buffer) == 0)
        device.fill(buffer, 0)
        device.release(buffer)
