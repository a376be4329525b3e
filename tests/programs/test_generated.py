"""Random programs say the same on every target as in the interpreter, and so do all that ever did not.

A failure names the seed and shows the program with everything taken out that the difference does not need. Such
programs are kept in `found/`; their first line says what was wrong.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import starplat
from starplat import Program
from starplat.diagnostics import DiagnosticError
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.graph import Graph
from starplat.pipeline import is_race
from starplat.runtime.validate import first_difference
from tests.generator import Case, generate, shrunk
from tests.programs.targets import REFERENCE, Target, every_device
from tests.zoo import ZOO

FOUND = sorted((Path(__file__).parent / "found").glob("*.sp"))
FEW, MANY = 40, int(os.environ.get("STARPLAT_PROGRAMS", "2000"))
FIRST = int(os.environ.get("STARPLAT_SEED", "0"))


def difference(case: Case, target: Target) -> str | None:
    """What is wrong with the case on that target; None if nothing is, or if the case itself is at fault."""
    program = legitimate(case)
    if program is None:
        return None
    try:
        expected = REFERENCE.run(program, case.graph, case.call)
    except DiagnosticError:
        return None
    try:
        found = target.run(program, case.graph, case.call)
    except Exception as error:  # every kind of failure is one of the compiler's
        return f"{type(error).__name__}: {error}"
    differs = first_difference(found, expected)
    return None if differs is None else str(differs)


def legitimate(case: Case) -> Program | None:
    """The program, if it is right and has no race."""
    try:
        program = starplat.compile(case.text)
    except DiagnosticError:
        return None
    return None if any(map(is_race, program.warnings)) else program


def examine(case: Case, target: Target) -> None:
    found = difference(case, target)
    if found is None:
        return
    small = shrunk(case, lambda less: difference(less, target) is not None)
    pytest.fail(
        f"seed {case.seed} on {target.label}: {found}\n"
        f"smaller: {difference(small, target)}\n{small.text}\n"
        f"graph {case.graph.name}: {case.graph.num_nodes} nodes, {list(zip(*arcs(case.graph), strict=True))}\n"
        f"arguments {case.arguments}",
        pytrace=False,
    )


def arcs(graph: Graph) -> tuple[list[int], list[int], list[Any]]:
    """Sources, destinations, weights."""
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    return graph.sources.tolist(), graph.columns.tolist(), weights


@every_device
@pytest.mark.parametrize("seed", range(FEW))
def test_a_random_program_says_what_the_interpreter_says(seed: int, target: Target) -> None:
    examine(generate(seed), target)


@pytest.mark.campaign
@every_device
def test_random_programs_say_what_the_interpreter_says(target: Target) -> None:
    for seed in range(FIRST, FIRST + MANY):
        examine(generate(seed), target)
