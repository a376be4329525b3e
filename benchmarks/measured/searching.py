"""Searches the best schedule of every row on every graph, as `starplat tune` does, in one process with a watch over it.

All graphs are in one process, so that a schedule's kernels are built once for all of them. The process tells what it
begins and what it found; a kernel that takes too long cannot be called off from inside, so `watching` ends the process,
counts that schedule as stopped, and starts another for the rest, which knows what was found.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import starplat
from benchmarks.measured.graphs import Entry, load
from benchmarks.measured.judging import Arcs, WrongAnswerError, array_module
from benchmarks.measured.processes import tell
from benchmarks.measured.quests import Quest, quest_of
from benchmarks.measured.rows import ROWS, Row as Problem
from starplat import Program, Result
from starplat.bench.candidates import Candidate, Refused, candidates
from starplat.bench.measure import Bench, Case
from starplat.bench.records import Row, Sizes
from starplat.bench.search import Search
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import bind
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import needs_wide_arcs
from starplat.runtime.everywhere import Agreement
from starplat.runtime.facts import facts_on, mean_weight_of
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule import Schedule


def work() -> None:
    """Does what the quest on standard input says."""
    quest = quest_of(json.loads(sys.stdin.read()))
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
        program = starplat.compile(ROWS[row].program)
        graphs = [graph for place, graph in quest.places if place == row]
        tell("prepare", what=row)
        started = time.perf_counter()
        built = build(program, quest, [loaded[graph][0].graph for graph in graphs])
        tell("ready", what=f"{built} schedules of {row}", seconds=time.perf_counter() - started)
        for graph in graphs:
            _search(program, ROWS[row], *loaded[graph], quest)


def build(program: Program, quest: Quest, graphs: Iterable[Graph]) -> int:
    """Builds the kernels of all schedules side by side, and gives how many there are; a fault shows when one is run."""
    module, device = program.module(), default_session().device(quest.target, quest.device or 0)
    wanted = [
        (candidate.module, needs_wide_arcs(graph.num_arcs))
        for graph in graphs
        for candidate in _candidates(module, graph, quest.target, device)
        if isinstance(candidate, Candidate)
    ]
    different = {(id(made), wide): (made, wide) for made, wide in wanted}
    with ThreadPoolExecutor() as threads:
        wait([threads.submit(device.kernels_of, made, wide) for made, wide in different.values()])
    return len(different)


def _candidates(module: ir.Module, graph: Graph, target: str, device: Device) -> Iterator[Candidate | Refused]:
    facts, weight = facts_on(device, graph, module), mean_weight_of(graph)
    return candidates(module, target, facts, device.capabilities, weight)


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
