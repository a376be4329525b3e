"""Programs of the corpus that are spelled otherwise at random mean what they meant, on every target.

The judge is the evaluator of the checked program, which no rewrite reaches: first that the new spelling gives the
algorithm's answer, then that targets and schedules give what it gives. STARPLAT_RESPELLINGS says of how many programs
each algorithm is tried by night, STARPLAT_SEED with which seed they begin.
"""

from __future__ import annotations

import os
import random
import warnings
from collections import Counter

import pytest

import starplat
from starplat import Graph, Program
from starplat.diagnostics import DiagnosticError, StarplatWarning
from starplat.frontend import parser
from starplat.frontend.unparse import unparse
from starplat.source import SourceFile
from tests.programs.every_schedule import schedules
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.spellings.corpus import Entry, entries
from tests.spellings.graphs import UGLY
from tests.spellings.judging import ALGORITHMS, algorithm_of, answer_of, arguments, right_answer, same
from tests.spellings.respelling import CHANGES, respelled

FEW, MANY = 2, int(os.environ.get("STARPLAT_RESPELLINGS", "100"))
FIRST = int(os.environ.get("STARPLAT_SEED", "0"))
GRAPHS = ("knot", "ladder", "islands", "one-node")
ELSEWHERE = [next(target for target in TARGETS if target.target == name) for name in ("openmp", "opencl")]


def drawn(algorithm: str, seed: int) -> tuple[Entry, str, list[str]]:
    """A program of the corpus, spelled otherwise, and what was changed."""
    choice = random.Random(f"{algorithm} {seed}")
    entry = choice.choice([entry for entry in entries() if entry.algorithm == algorithm])
    program = parser.parse(SourceFile(entry.path.name, entry.path.read_text(encoding="utf-8")))
    changed, changes = respelled(program, choice, choice.randint(1, 8))
    return entry, unparse(changed), changes


def compiled(text: str) -> Program | None:
    """The program; None if the language refuses it."""
    try:
        return starplat.compile(text)
    except DiagnosticError:
        return None


def difference(entry: Entry, program: Program, target: Target, choice: random.Random | None = None) -> str | None:
    """What is wrong with a program on a target, under a schedule of `choice`; None if nothing is, or if it is no
    spelling of its algorithm."""
    tried = [None] if choice is None else [None, choice.choice(schedules())]
    for name in GRAPHS:
        graph = algorithm_of(entry).suits(UGLY[name])
        for call in algorithm_of(entry).calls(graph):
            given = arguments(entry, graph, call)
            meant = answer_of(entry, REFERENCE.run(program, graph, given | {"checked": True}))
            if not same(meant, right_answer(entry, graph, call)):
                return None
            for schedule in tried:
                found = _found(
                    entry, program, target, graph, given | ({} if schedule is None else {"schedule": schedule})
                )
                if found is not None and not same(found, meant):
                    return f"on {name} with {call}, {schedule}, {target.label}: {found}, not {meant}"
    return None


def _found(entry: Entry, program: Program, target: Target, graph: Graph, given: dict[str, object]) -> object:
    """The answer; None where the schedule is refused."""
    try:
        return answer_of(entry, target.run(program, graph, given))
    except DiagnosticError:
        if "schedule" in given:
            return None
        raise


def judge(algorithm: str, seeds: range, target: Target) -> None:
    for seed in seeds:
        entry, text, changes = drawn(algorithm, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StarplatWarning)
            program = compiled(text)
            wrong = program and difference(entry, program, target, None if target is REFERENCE else random.Random(seed))
        assert not wrong, f"{entry}, seed {seed} ({', '.join(changes)}) is wrong {wrong}:\n{text}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_some_programs_that_are_spelled_otherwise_mean_the_same(algorithm: str) -> None:
    judge(algorithm, range(FEW), REFERENCE)


@pytest.mark.nightly
@pytest.mark.parametrize("target", [REFERENCE, *ELSEWHERE], ids=lambda target: target.label)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_many_programs_that_are_spelled_otherwise_mean_the_same(algorithm: str, target: Target) -> None:
    judge(algorithm, range(FIRST, FIRST + MANY), target)


def test_most_of_them_are_programs_and_every_change_is_made() -> None:
    every = [drawn(algorithm, seed) for algorithm in ALGORITHMS for seed in range(40)]
    made = Counter(change for _, _, changes in every for change in changes)
    assert {change.__name__ for change in CHANGES} == made.keys()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StarplatWarning)
        assert sum(compiled(text) is not None for _, text, _ in every) > 0.8 * len(every)
