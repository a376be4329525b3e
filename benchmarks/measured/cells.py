"""Measures one cell: a program on a graph on a target. Warm-up, repetitions, then the judge, all in this process.

Every time is from an idle device to an idle device, with the graph there and the kernels built; setting the properties
counts, crossing to the host does not. What the run did to the graph for this program's sake is told apart.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass
from typing import Any

import starplat
from benchmarks.measured.graphs import Entry
from benchmarks.measured.judging import Arcs, WrongAnswerError
from benchmarks.measured.rows import Row

AUTO = "auto"


@dataclass(frozen=True)
class Cell:
    """What came of it. Times are milliseconds, of one iteration where the row says so.

    Attributes:
        status: right, wrong, failed, or too slow.
        milliseconds: the median of `times`; None where no run finished.
        preparation: what changing the graph for this program took, once for all runs.
        first: of the warm-up run.
        rounds: the iterations that a run was divided by.
        launches: kernels of one run.
        memory: bytes on the device by the runtime's own account: the graph's, properties, temporaries.
        nodes, arcs: of the graph.
        check_seconds: how long the judge took.
        remark: what the judge learned, or what went wrong.
    """

    row: str
    graph: str
    target: str
    schedule: str
    status: str
    milliseconds: float | None = None
    times: tuple[float, ...] = ()
    preparation: float = 0.0
    first: float | None = None
    rounds: int = 1
    launches: int = 0
    memory: tuple[int, int, int] = (0, 0, 0)
    nodes: int = 0
    arcs: int = 0
    device: str = ""
    check_seconds: float = 0.0
    remark: str = ""

    @property
    def with_preparation(self) -> float | None:
        """Milliseconds of a run on a graph that was not prepared yet."""
        return None if self.milliseconds is None else self.milliseconds + self.preparation

    @property
    def bytes(self) -> int:
        """All memory of the run on the device."""
        return sum(self.memory)

    def to_json(self) -> dict[str, Any]:
        """Its fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Cell:
        """What `to_json` gave."""
        return cls(**{**fields, "times": tuple(fields["times"]), "memory": tuple(fields["memory"])})


@dataclass(frozen=True)
class Wish:
    """How to measure."""

    target: str
    schedule: str = AUTO
    device: int | None = None
    repeat: int = 5
    limit: float = 60.0


def measure(row: Row, entry: Entry, arcs: Arcs, wish: Wish) -> Cell:
    """One cell; what goes wrong is told in it."""
    try:
        return _measured(row, entry, arcs, wish)
    except starplat.DiagnosticError as error:
        first = next(iter(error.diagnostics), None)
        remark = f"{first.code}: {first.message}" if first else str(error)
        return Cell(row.name, entry.name, wish.target, wish.schedule, "failed", remark=remark)


def _measured(row: Row, entry: Entry, arcs: Arcs, wish: Wish) -> Cell:
    started = time.perf_counter()
    program = starplat.compile(row.program)
    how = {"target": wish.target, "device": wish.device, "arguments": row.arguments(entry), **_schedule(wish)}
    warm = program.run(entry.graph, results=[], **how)
    first = warm.seconds.run[0]
    repeat = _repetitions(wish, time.perf_counter() - started, first)
    result = program.run(entry.graph, repeat=repeat, results=row.properties, **how)
    status, rounds, remark, checked = "right", 1, "", time.perf_counter()
    try:
        verdict = row.judge(entry, arcs, result)
        rounds, remark = verdict.rounds, verdict.remark
    except WrongAnswerError as error:
        status, remark = "wrong", str(error)
    times = tuple(1e3 * seconds / rounds for seconds in result.seconds.run)
    return Cell(
        row=row.name,
        graph=entry.name,
        target=result.target,
        schedule=wish.schedule,
        status=status,
        milliseconds=statistics.median(times),
        times=times,
        preparation=1e3 * warm.seconds.preparation,
        first=1e3 * first / rounds,
        rounds=rounds,
        launches=result.launches,
        memory=(result.estimate.graph, result.estimate.properties, result.estimate.temporaries),
        nodes=entry.graph.num_nodes,
        arcs=entry.graph.num_arcs,
        device=result.device,
        check_seconds=time.perf_counter() - checked,
        remark=remark,
    )


def _repetitions(wish: Wish, spent: float, first: float) -> int:
    """As many as were asked for, or as half of the time that is left allows."""
    left = max(wish.limit - spent, 0.0) / 2
    return max(1, min(wish.repeat, int(left / first) if first > 0 else wish.repeat))


def _schedule(wish: Wish) -> dict[str, str]:
    return {} if wish.schedule == AUTO else {"schedule": wish.schedule}
