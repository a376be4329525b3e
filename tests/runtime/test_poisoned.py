"""Answers do not change where all that is not in its place is poison: every example, at every limit of memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.opencl import OpenCLDevice
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.estimate import Estimate
from starplat.runtime.session import Session
from tests.programs import cases
from tests.runtime.devices import device_of
from tests.runtime.poisoned import Count, PoisonedOpenCL, PoisonedReference, session_with
from tests.zoo import ZOO

SHARES = (0.0, 0.1, 0.3, 0.6, 0.9)
GRAPHS = ("empty", "one-loop", "parallel", "both-ways", "diamonds", "random", "star-in-undirected")
SCHEDULES = (
    "memory=mapped",
    "memory=ondemand",
    "memory=ondemand,direction=push,frontier=queue",
    "memory=ondemand,direction=push,frontier=bitmap",
    "memory=ondemand,direction=pull",
    "memory=ondemand,order=rows,loop=host",
    "memory=ondemand,loop=group,priority=none",
)
MOST_CELL = 16
"""Bytes with which a limit leaves room for at least one cell of an array of arcs."""
every_case = pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.program)


@dataclass
class Limited:
    """Runs programs on a device within their node data and a share of the arcs."""

    device: Device
    session: Session
    share: float
    schedule: str | None = None
    read: Count = field(default_factory=Count)
    has_arcs: bool = False

    def run(self, program: starplat.Program, graph: Graph, call: dict[str, object]) -> starplat.Result:
        how: dict[str, Any] = {"target": self.device.target, "session": self.session, **call}
        least = self._least(program, graph, how)
        limit = max(least.total + int(self.share * sum(least.mapped.values())), 1)
        self.counted()
        result = program.run(graph, device_memory=limit, schedule=self.schedule, **how)
        count, arcs, far = self.counted(), sum(least.mapped.values()), sum(result.estimate.mapped.values())
        assert far or arcs < MOST_CELL
        if self.share * arcs >= MOST_CELL and self.schedule is not None and self.schedule != "memory=mapped":
            assert result.estimate.total > least.total
        self.has_arcs |= arcs > 0
        self.read.device += count.device
        self.read.host += count.host
        return result

    def counted(self) -> Count:
        """What kernels have read of arcs since it was asked last; OpenCL's do not tell."""
        return self.device.read() if isinstance(self.device, PoisonedReference) else Count()

    def _least(self, program: starplat.Program, graph: Graph, how: dict[str, Any]) -> Estimate:
        """What a run takes with all its arcs on the host, in the form that it has where there is no room for any."""
        try:
            return program.run(graph, device_memory=1, schedule=self.schedule, **how).estimate
        except DiagnosticError as refused:
            found = re.search("needs ([0-9,]+) bytes", refused.diagnostics[0].message)
            if found is None:
                raise
        least = int(found[1].replace(",", ""))
        return program.run(graph, device_memory=least, schedule=self.schedule, **how).estimate


def poisoned(target: str) -> Device:
    """A device whose new memory is poison; on SYCL a device as it is."""
    device = device_of(target)
    if isinstance(device, OpenCLDevice):
        return PoisonedOpenCL(device.device)
    return PoisonedReference() if isinstance(device, ReferenceDevice) else device


def judged(case: cases.Case, target: str, shares: tuple[float, ...], schedules: tuple[str | None, ...]) -> None:
    """Holds a program's answers on some graphs against others'. What a schedule cannot do is refused by name. On the
    random graph kernels read arcs in both memories, as far as both have some."""
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
                        if schedule is None or any(d.code != "E0665" for d in refused.diagnostics):
                            raise
                        continue
                    if name == "random" and target == "reference" and limited.has_arcs:
                        early = share > 0.8 and schedule is not None  # a search may leave rows before their last arcs
                        assert limited.read.host > 0 or early
                        assert limited.read.device > 0 or not share or schedule == "memory=mapped"


@pytest.mark.thin(plain=3)
@every_case
def test_examples_are_right_where_half_the_arcs_are_poison(case: cases.Case) -> None:
    judged(case, "reference", (0.3,), (None,))


@pytest.mark.thin(plain=8)
@every_case
def test_examples_are_right_under_schedules_and_poison(case: cases.Case) -> None:
    judged(case, "reference", (0.6,), SCHEDULES)


@pytest.mark.campaign
@pytest.mark.parametrize("target", ["reference", "opencl", pytest.param("sycl", marks=pytest.mark.nightly)])
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
