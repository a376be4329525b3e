"""Searches the best schedule of a program on one graph and device, within a budget of seconds; resumable.

Every candidate is measured a little; then those near the best again and again, the field narrowing, until each has
enough times or the budget is spent. `auto` is measured as often as the best, to say how far it is off. What has been
measured is told after every candidate, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from starplat.bench import measure, records
from starplat.bench.candidates import Candidate, Refused, candidates
from starplat.bench.records import Estimate, median, speed_up
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.runtime import everywhere, facts, session
from starplat.runtime.facts import mean_weight_of
from starplat.schedule import PLAIN, parse
from starplat.schedule.schedule import Loop

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.runtime import Result
    from starplat.schedule import Schedule

FIRST_RUNS = 2
ROUNDS = ((2.0, 3), (1.3, 7), (1.1, 15))
"""How much slower than the best a candidate may be to be measured on, and how many times it has then."""


LARGE_FOR_INTERPRETER = 50_000
"""Nodes and arcs above which the interpreter would take too much of a budget."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One schedule's times, or why there are none."""

    schedule: str
    seconds: tuple[float, ...] = ()
    reason: str = ""
    wrong: bool = False

    @property
    def counts(self) -> bool:
        """Whether it ran and gave the right answer."""
        return bool(self.seconds) and not self.wrong

    @property
    def median(self) -> Estimate:
        """Of its times."""
        return median(self.seconds)


Trials = Mapping[str, Trial]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All trials, the fastest first, then what did not run; `complete` unless the budget ran out before every candidate
    had its turn."""

    trials: tuple[Trial, ...]
    target: str
    device: str
    complete: bool

    @property
    def best(self) -> Trial | None:
        return next((trial for trial in self.trials if trial.counts), None)

    @property
    def auto(self) -> Trial | None:
        """The compiler's own choice."""
        return next((trial for trial in self.trials if trial.schedule == "auto" and trial.counts), None)

    @property
    def behind(self) -> Estimate | None:
        """The time of `auto` over that of the best."""
        if self.best is None or self.auto is None:
            return None
        if self.best is self.auto:
            return Estimate(1.0)
        return speed_up(self.auto.seconds, self.best.seconds)

    @property
    def exit_code(self) -> ExitCode:
        """4 if a schedule changed the answer, 1 if nothing ran."""
        if any(trial.wrong for trial in self.trials):
            return ExitCode.BUILD_FAILED
        return ExitCode.FINE if self.best is not None else ExitCode.WRONG_INPUT


@dataclass
class Search:
    """A search on one graph and target.

    Attributes:
        keep: is told everything that is known, after each candidate.
        clock: seconds that pass.
        judge: None holds answers against the interpreter's, on large graphs against those of `plain` on the device.
        slowest: a candidate whose first run takes more than so many times what `auto` does has no other.
    """

    bench: measure.Bench
    graph: Graph
    sizes: records.Sizes
    case: measure.Case
    budget: float
    keep: Callable[[Trials], None] = lambda trials: None
    clock: Callable[[], float] = monotonic
    judge: measure.Judge | None = None
    slowest: float | None = None
    trials: dict[str, Trial] = field(default_factory=dict)
    device: str = "-"

    def outcome(self, known: Trials) -> Outcome:
        """The result of the search; `known` are the trials of an earlier one."""
        self.trials.update(known)
        self.started = self.clock()
        complete = self.first_look()
        while any(self.closer_look(slower, count) for slower, count in ROUNDS):
            pass  # the candidates near the best change as the best turns out slower than it seemed
        return Outcome(_sorted(self.trials.values()), self.case.target, self.device, complete)

    def first_look(self) -> bool:
        """Measures every candidate that has not been; whether all had their turn."""
        module = self.bench.program.module(self.bench.function)
        device = session.default_session().device(self.case.target, self.case.device or 0)
        self.device = device.name
        known = facts.facts_on(device, self.graph, module)
        weight = mean_weight_of(self.graph)
        found = candidates(module, self.case.target, known, device.capabilities, weight)
        for candidate in _in_turn(found):
            if (name := str(candidate.schedule)) in self.trials:
                continue
            if self.spent() and self.trials:
                return False
            if isinstance(candidate, Refused):
                self.told(Trial(name, reason=candidate.reason))
            else:
                self.measured(candidate.schedule, FIRST_RUNS)
        return True

    def closer_look(self, slower: float, count: int) -> bool:
        """Brings those near the best, and `auto`, to so many times each; whether there was anything to do, and time."""
        found = False
        for trial in self.near(slower):
            missing = count - len(trial.seconds)
            if missing > 0 and not self.spent():
                self.measured(parse.parse_schedule(trial.schedule), missing + 1)
                found = True
        return found

    def near(self, slower: float) -> list[Trial]:
        counting = [trial for trial in _sorted(self.trials.values()) if trial.counts]
        limit = slower * counting[0].median.value if counting else 0.0
        return [trial for trial in counting if trial.schedule == "auto" or trial.median.value <= limit]

    def measured(self, schedule: Schedule, runs: int) -> None:
        """Runs so often; the first, which warms up, does not count."""
        name = str(schedule)
        self.bench.started(f"{len(self.trials)} schedules measured, now {name}")
        before = self.trials.get(name, Trial(name))
        self.judge = self.judge or measure.Judge(self.bench, self.graph, LARGE_FOR_INTERPRETER, self.case)
        try:
            result = self.result(schedule, runs)
        except DiagnosticError as error:
            self.told(Trial(name, reason=error.diagnostics[0].message))
            return
        row = self.judge.judged(measure.row_of(self.sizes, schedule, result), result)
        self.told(_with(before, row))

    def result(self, schedule: Schedule, runs: int) -> Result:
        """Of so many runs, or of one that says enough."""
        limit = self.limit
        if limit is not None:
            once = self.bench.run(self.graph, self.case, schedule, 1)
            if once.seconds.run[0] > limit:
                return once
        return self.bench.run(self.graph, self.case, schedule, runs)

    @property
    def limit(self) -> float | None:
        """The seconds of a first run beyond which there is no other; None before `auto` has run."""
        auto = self.trials.get("auto")
        return None if self.slowest is None or auto is None or not auto.counts else self.slowest * auto.median.value

    def told(self, trial: Trial) -> None:
        self.trials[trial.schedule] = trial
        self.keep(self.trials)

    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.clock() - self.started >= self.budget


def _in_turn(found: Iterable[Candidate | Refused]) -> Iterator[Candidate | Refused]:
    """As they are found, so that the first runs start early; host-driven ones last, which take longest."""
    later = []
    for candidate in found:
        if candidate.schedule.loop is Loop.HOST and candidate.schedule != PLAIN:
            later.append(candidate)
        else:
            yield candidate
    yield from later


def _with(before: Trial, row: records.Row) -> Trial:
    wrong = row.answer is everywhere.Agreement.DIFFERS
    return Trial(before.schedule, (*before.seconds, *row.seconds), row.reason if wrong else "", wrong)


def _sorted(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """The fastest first; of equals the one that says less."""
    return tuple(sorted(trials, key=lambda t: (not t.counts, t.median.value if t.counts else 0.0, len(t.schedule))))
