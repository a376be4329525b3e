"""Searches the best schedule of every row on every graph, as `starplat tune` does, in one process with a watch over it.

All graphs are in one process, so that a schedule's kernels are built once for all of them. The process tells what it
begins and what it found; a kernel that takes too long cannot be called off from inside, so the watch ends the process,
counts that schedule as stopped, and starts another for the rest, which knows what was found.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import starplat
from benchmarks.measured.graphs import ROOT, Entry, load
from benchmarks.measured.judging import Arcs, WrongAnswerError, array_module
from benchmarks.measured.processes import events_of, next_event, tell
from benchmarks.measured.rows import EXAMPLES, ROWS
from benchmarks.measured.rows import Row as Problem
from starplat import Program, Result
from starplat.bench.candidates import Candidate, candidates
from starplat.bench.measure import Bench, Case
from starplat.bench.records import Row, Sizes
from starplat.bench.search import Search, Trial
from starplat.graph import Graph
from starplat.runtime import bind
from starplat.runtime.elements import needs_wide_arcs
from starplat.runtime.everywhere import Agreement
from starplat.runtime.facts import facts_of
from starplat.runtime.launch import kernels_on
from starplat.runtime.targets import open_device
from starplat.runtime.validate import first_difference
from starplat.schedule import Schedule

START = "from benchmarks.measured.searching import work; work()"
PREPARING = 120.0
"""Seconds that a graph may take, or a row's kernels, or the first run of `auto` with its judge."""

Place = tuple[str, str]
"""A row and a graph."""


@dataclass(frozen=True)
class Quest:
    """What is searched.

    Attributes:
        rows, graphs: by name, in the order to search them in: a row on all graphs, then the next.
        budget: seconds for one row on one graph, kernels included.
        slowest: times `auto` beyond which a schedule has no second run.
        patience: seconds that one schedule's runs may take.
        judge: which array module judges: auto, numpy or cupy.
        data, kept: folders, as `graphs.load` takes them.
        known: what was found before, by row and graph.
        done: rows on graphs that nothing is to be found out about any more.
    """

    rows: tuple[str, ...]
    graphs: tuple[str, ...]
    target: str
    device: int | None = None
    budget: float = 20.0
    slowest: float = 5.0
    patience: float = 10.0
    judge: str = "auto"
    data: str | None = None
    kept: str | None = None
    known: tuple[tuple[Place, tuple[Trial, ...]], ...] = ()
    done: tuple[Place, ...] = ()

    @property
    def places(self) -> list[Place]:
        """Those that are left."""
        return [(row, graph) for row in self.rows for graph in self.graphs if (row, graph) not in self.done]


@dataclass(frozen=True)
class Found:
    """What was found for a row on a graph; `complete` unless time ran out, `rounds` as the row counts them."""

    row: str
    graph: str
    trials: tuple[Trial, ...]
    complete: bool = True
    rounds: int = 1

    @property
    def best(self) -> Trial | None:
        """The fastest."""
        return min((t for t in self.trials if t.counts), key=lambda t: t.median.value, default=None)

    @property
    def auto(self) -> Trial | None:
        """What the compiler chose by itself."""
        return next((t for t in self.trials if t.schedule == "auto" and t.counts), None)

    @property
    def behind(self) -> float | None:
        """How many times as long as the best `auto` takes."""
        if self.auto is None or self.best is None:
            return None
        return self.auto.median.value / self.best.median.value

    def milliseconds(self, trial: Trial | None) -> float | None:
        """Of an iteration, where the row counts these."""
        return None if trial is None else 1e3 * trial.median.value / self.rounds


# --- in the process ------------------------------------------------------------------------------------------------


def work() -> None:
    """Does what the quest on standard input says."""
    quest = _quest(json.loads(sys.stdin.read()))
    arrays, loaded = array_module(quest.judge), dict[str, tuple[Entry, Arcs]]()
    weighted = any(ROWS[row].weighted for row in quest.rows)
    for name in dict.fromkeys(graph for _, graph in quest.places):
        tell("prepare", what=name)
        started = time.perf_counter()
        folders = (None if folder is None else Path(folder) for folder in (quest.data, quest.kept))
        entry = load(name, *folders, weighted=weighted)
        loaded[name] = entry, Arcs(entry.graph, arrays)
        tell("ready", what=entry.graph.describe(), seconds=time.perf_counter() - started)
    for row in dict.fromkeys(row for row, _ in quest.places):
        program = starplat.compile(EXAMPLES / f"{ROWS[row].program}.sp")
        graphs = [graph for place, graph in quest.places if place == row]
        tell("prepare", what=row)
        started = time.perf_counter()
        built = build(program, quest, [loaded[graph][0].graph for graph in graphs])
        tell("ready", what=f"{built} schedules of {row}", seconds=time.perf_counter() - started)
        for graph in graphs:
            _search(program, ROWS[row], *loaded[graph], quest)


def build(program: Program, quest: Quest, graphs: Iterable[Graph]) -> int:
    """Builds the kernels of all schedules side by side, and gives how many there are; a fault shows when one is run."""
    module, device = program.module(), open_device(quest.target, quest.device or 0)
    wanted = [
        (candidate.module, needs_wide_arcs(graph.num_arcs))
        for graph in graphs
        for candidate in candidates(module, quest.target, facts_of(graph), device.capabilities)
        if isinstance(candidate, Candidate)
    ]
    different = {(id(made), wide): (made, wide) for made, wide in wanted}
    with ThreadPoolExecutor() as threads:
        wait([threads.submit(kernels_on, device, made, wide) for made, wide in different.values()])
    return len(different)


class TellingSearch(Search):
    """A search that tells what it begins."""

    def measured(self, schedule: Schedule, runs: int) -> None:
        tell("start", row=self.sizes.file, graph=self.graph.name, schedule=str(schedule))
        super().measured(schedule, runs)


@dataclass
class RowJudge:
    """The row's judge proves the first answer right, and that is the measure of the others."""

    problem: Problem
    entry: Entry
    arcs: Arcs
    measure: Result | None = None
    rounds: int = 1

    def judged(self, row: Row, result: Result) -> Row:
        if self.measure is not None:
            difference = first_difference(result, self.measure)
            wrong = "" if difference is None else str(difference)
        else:
            wrong = self._proved(result)
        return row if not wrong else replace(row, answer=Agreement.DIFFERS, reason=wrong)

    def _proved(self, result: Result) -> str:
        try:
            self.rounds = self.problem.judge(self.entry, self.arcs, result).rounds
        except WrongAnswerError as error:
            return str(error)
        self.measure = result
        return ""


def _search(program: Program, problem: Problem, entry: Entry, arcs: Arcs, quest: Quest) -> None:
    module, graph, place = program.module(), entry.graph, (problem.name, entry.name)
    arguments = problem.arguments(entry)
    judge = RowJudge(problem, entry, arcs)
    search = TellingSearch(
        Bench(program, lambda on: bind(module, on, arguments)),
        graph,
        Sizes(problem.name, graph.num_nodes, graph.num_arcs),
        Case(quest.target, None, quest.device),
        quest.budget,
        keep=lambda trials: tell("trials", place=place, trials=[asdict(trial) for trial in trials.values()]),
        judge=judge,
        slowest=quest.slowest,
    )
    known = dict(quest.known).get(place, ())
    outcome = search.outcome({trial.schedule: trial for trial in known})
    tell("done", place=place, complete=outcome.complete, rounds=judge.rounds)


def _quest(fields: Mapping[str, Any]) -> Quest:
    known = tuple((_place(place), tuple(map(_trial, trials))) for place, trials in fields["known"])
    lists = {name: tuple(fields[name]) for name in ("rows", "graphs")}
    return Quest(**{**fields, **lists, "known": known, "done": tuple(map(_place, fields["done"]))})


def _place(names: Iterable[str]) -> Place:
    row, graph = names
    return row, graph


def _trial(fields: Mapping[str, Any]) -> Trial:
    return Trial(**{**fields, "seconds": tuple(fields["seconds"])})


# --- the watch -----------------------------------------------------------------------------------------------------


@dataclass
class Watch:
    """Follows processes until all is found, or the deadline, a time of `time.monotonic`, has come."""

    quest: Quest
    found: Callable[[Found], None]
    say: Callable[[str], None] = lambda text: None
    deadline: float | None = None
    known: dict[Place, dict[str, Trial]] = field(default_factory=dict)

    def run(self) -> None:
        """Tells `found` of every row on every graph, those included for which no time was left."""
        while self.quest.places and not self._late():
            self._one_process()
        for row, graph in self.quest.places:
            self._found((row, graph), complete=False)

    def _one_process(self) -> None:
        """Until it ends, which the watch may do."""
        process = subprocess.Popen(
            [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert process.stdin is not None
        known = tuple((place, tuple(trials.values())) for place, trials in self.known.items())
        with process.stdin:
            process.stdin.write(json.dumps(asdict(replace(self.quest, known=known))))
        events, allowed, current = events_of(process), PREPARING, ("", "", "")
        try:
            while True:
                event = next_event(events, self._seconds(allowed))
                match event:
                    case {"event": "prepare"}:
                        allowed, current = PREPARING, ("", "", "")
                    case {"event": "ready"}:
                        self.say(f"{event['what']}; ready after {event['seconds']:.1f} s")
                    case {"event": "start", "row": row, "graph": graph, "schedule": schedule}:
                        current = (row, graph, schedule)
                        allowed = PREPARING if schedule == "auto" else self.quest.patience
                    case {"event": "trials"}:
                        self.known[_place(event["place"])] = {t.schedule: t for t in map(_trial, event["trials"])}
                    case {"event": "done"}:
                        self._found(_place(event["place"]), complete=event["complete"], rounds=event["rounds"])
                        if not self.quest.places:
                            return
                    case {"event": "end"}:
                        self._lost(current, f"its process ended with exit code {process.wait()}")
                        return
                    case _:
                        self._lost(current, f"stopped after {allowed:.0f} s")
                        return
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def _lost(self, current: tuple[str, str, str], reason: str) -> None:
        """The schedule that ended the process is not run again; without one, nothing more is."""
        if self._late():
            return
        row, graph, schedule = current
        if not row:
            self.say(reason)
            self.deadline = time.monotonic()
        elif schedule == "auto":
            self.known.setdefault((row, graph), {})[schedule] = Trial(schedule, reason=reason)
            self._found((row, graph), complete=False)
        else:
            self.known.setdefault((row, graph), {})[schedule] = Trial(schedule, reason=reason)

    def _found(self, place: Place, *, complete: bool, rounds: int = 1) -> None:
        self.quest = replace(self.quest, done=(*self.quest.done, place))
        trials = tuple(self.known.get(place, {}).values())
        self.found(Found(*place, trials, complete, rounds))

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _seconds(self, allowed: float) -> float:
        return allowed if self.deadline is None else max(0.0, min(allowed, self.deadline - time.monotonic()))
