"""Measures a program on graphs, targets and schedules, and compares all answers.

The interpreter's answer is the measure; on a graph where it would take long, that of the first case is. What cannot run
is a row too, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from starplat.backends.scheduled import REFERENCE, own_schedule
from starplat.bench.records import Counted, Report, Row, Sizes
from starplat.diagnostics import DiagnosticError
from starplat.pipeline import is_race
from starplat.runtime.attending.progress import UNLIMITED
from starplat.runtime.everywhere import LARGE_GRAPH, REFUSALS, Agreement
from starplat.runtime.session import default_session
from starplat.runtime.targets import TARGETS, automatic
from starplat.runtime.tracing.work import copy_rate
from starplat.runtime.validate import judged
from starplat.schedule import PLAIN, Schedule
from starplat.toolchain.devices import report

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.program import Program
    from starplat.runtime import Bound, Result

EVERY = "all"
"""The word for every target that is here; the interpreter is only the reference."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to measure. A schedule that is None is the program's or the target's own."""

    target: str
    schedule: Schedule | None
    device: int | None = None


def cases(targets: Iterable[str], schedules: Sequence[Schedule | None], device: int | None = None) -> list[Case]:
    """Every schedule on every target; `auto` is the best that is here, `all` are all."""
    named: list[str] = []
    for target in targets:
        named += present_targets() if target == EVERY else [automatic() if target == "auto" else target]
    return [Case(target, schedule, device) for target in dict.fromkeys(named) for schedule in schedules or [None]]


def present_targets() -> list[str]:
    """Those with a device here, without the interpreter."""
    return [t for t in TARGETS if t != REFERENCE and any(device.usable for device in report(t))]


@dataclass
class Bench:
    """A program and how to call it. `faults` is what was raised where something failed; `counts` asks for the work of
    every case, which takes a watched run more."""

    program: Program
    arguments: Callable[[Graph], Bound]
    function: str | None = None
    repeat: int = 9
    started: Callable[[str], None] = lambda words: None
    faults: list[DiagnosticError] = field(default_factory=list)
    counts: bool = False

    def report(self, graphs: Iterable[tuple[str, Graph]], to_measure: Sequence[Case]) -> Report:
        """The times of every case on every graph, after one run that does not count."""
        sizes = ((Sizes(file, graph.num_nodes, graph.num_arcs), graph) for file, graph in graphs)
        rows = [row for size, graph in sizes for row in self._on(size, graph, to_measure)]
        return Report(self.program.name, self.program.module(self.function).entry, tuple(rows))

    def _on(self, sizes: Sizes, graph: Graph, to_measure: Sequence[Case]) -> Iterable[Row]:
        judge = Judge(self, graph, LARGE_GRAPH)
        for case in to_measure:
            schedule = self.schedule_of(case)
            self.started(f"{sizes.name}: {case.target}, {schedule}")
            try:
                result = self.run(graph, case, schedule, self.repeat + 1)
            except DiagnosticError as error:
                yield self._failed(sizes, case, schedule, error)
                continue
            row = replace(row_of(sizes, schedule, result), work=counted(result, case))
            yield judge.judged(row, result)

    def schedule_of(self, case: Case) -> Schedule:
        return case.schedule or self.program.schedule or own_schedule(case.target)

    def run(self, graph: Graph, case: Case, schedule: Schedule, repeat: int) -> Result:
        return self.program.run(
            graph,
            target=case.target,
            device=case.device,
            function=self.function,
            schedule=schedule,
            repeat=repeat,
            trace=self.counts,
            arguments=self.arguments(graph),
        )

    def _failed(self, sizes: Sizes, case: Case, schedule: Schedule, error: DiagnosticError) -> Row:
        diagnostic = error.diagnostics[0]
        if not (refused := diagnostic.code.startswith(REFUSALS)):
            self.faults.append(error)
        answer = Agreement.REFUSED if refused else Agreement.FAILED
        shown = Row(sizes, case.target, "-", str(schedule), answer=answer, reason=diagnostic.message)
        return replace(shown, code=diagnostic.code)


class Judge:
    """Compares answers on one graph with the measure: the interpreter's where the graph is not `large`, else that of
    the first row, or that of `otherwise` under `plain`, if it runs there."""

    def __init__(self, bench: Bench, graph: Graph, large: int, otherwise: Case | None = None) -> None:
        self.racy = any(map(is_race, bench.program.warnings))
        self.measure: Result | None = None
        self.module = bench.program.module(bench.function)
        self.arguments = bench.arguments
        if self.racy:
            return
        if graph.num_nodes + graph.num_arcs <= large:
            bench.started("the interpreter, whose answer is the measure")
            self.measure = bench.run(graph, Case(REFERENCE, PLAIN), PLAIN, 1)
        elif otherwise is not None:
            bench.started("plain, whose answer is the measure")
            with suppress(DiagnosticError):  # the row says why there is no time
                self.measure = bench.run(graph, otherwise, PLAIN, 1)

    def judged(self, row: Row, result: Result) -> Row:
        """The row with the verdict on its answer."""
        if self.racy:
            return replace(row, answer=Agreement.UNDEFINED, reason="the program has a race")
        if self.measure is None:
            self.measure = result
            return replace(row, answer=Agreement.MEASURE)
        verdict = judged(result, self.measure, self.module, self.arguments(result.graph), UNLIMITED)
        if verdict.valid is None:
            return replace(row, answer=Agreement.UNDEFINED, reason=verdict.reason)
        difference = verdict.difference
        if difference is None:
            return row
        reason = f"{difference.name}{difference.where} is {difference.got}, not {difference.expected}"
        return replace(row, answer=Agreement.DIFFERS, reason=reason, code="E0795")


def row_of(sizes: Sizes, schedule: Schedule, result: Result) -> Row:
    """The times of a result; its first run, which warmed up, does not count unless it is the only one."""
    seconds = result.seconds
    return Row(
        sizes,
        result.target,
        result.device,
        str(schedule),
        seconds.run[1:] or seconds.run,
        seconds.compile,
        seconds.upload,
        seconds.download,
        result.launches,
    )


def counted(result: Result, case: Case) -> Counted | None:
    """The work of a watched run, held against the rate at which its device copies."""
    work = None if result.trace is None else result.trace.work
    if work is None:
        return None
    rate = copy_rate(default_session().device(result.target, case.device or 0))
    return Counted(work.bytes, work.operations, work.missing, rate)
