"""However an algorithm is spelled, its programs give its answers; what only looks alike gives its own.

Each program of the corpus is held against a definition, by an evaluator of the checked program (`--checked`, which no
rewrite of the middle reaches), by target `reference` and on devices.
"""

from __future__ import annotations

from collections import Counter

import pytest

from starplat import Graph
from tests import oracles
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.spellings.answers import NEAR, RIGHT, arcs_of
from tests.spellings.corpus import Entry, Kind, entries
from tests.spellings.graphs import UGLY
from tests.spellings.judging import ALGORITHMS, algorithm_of, answer_of, arguments, assert_parents, right_answer, same
from tests.zoo import ZOO

every_program = pytest.mark.parametrize("entry", entries(), ids=str)
FIRST = [next(target for target in TARGETS if target.target == name) for name in ("openmp", "opencl")]
ON_ONE_OF_THEM = [(entry, FIRST[number % 2]) for number, entry in enumerate(entries())]
ELSEWHERE = [(entry, target) for entry, one in ON_ONE_OF_THEM for target in TARGETS[1:] if target != one]


def named(parameter: Entry | Target) -> str:
    return parameter.label if isinstance(parameter, Target) else str(parameter)


def assert_right(entry: Entry, graph: Graph, target: Target, *, checked: bool = False) -> None:
    """Every call on the graph gives what the definition says."""
    suited = algorithm_of(entry).suits(graph)
    for call in algorithm_of(entry).calls(suited):
        given = arguments(entry, suited, call) | ({"checked": True} if checked else {})
        result = target.run(entry.compiled(), suited, given)
        found, right = answer_of(entry, result), right_answer(entry, suited, call)
        assert same(found, right), f"on {graph.name} with {call}: {found}, not {right}"
        assert_parents(entry, suited, call, result)


def assert_as_evaluated(entry: Entry, graph: Graph, target: Target) -> None:
    """The same where the definition says nothing: what the evaluator says is right."""
    for call in algorithm_of(entry).calls(graph):
        given = arguments(entry, graph, call)
        found = answer_of(entry, target.run(entry.compiled(), graph, given))
        right = answer_of(entry, REFERENCE.run(entry.compiled(), graph, {**given, "checked": True}))
        assert same(found, right), f"on {graph.name} with {call}: {found}, not {right}"


@every_program
def test_the_checked_program_means_what_the_definition_says(entry: Entry) -> None:
    for graph in UGLY.values():
        assert_right(entry, graph, REFERENCE, checked=True)


@every_program
def test_the_interpreter_is_right(entry: Entry) -> None:
    for name in ("knot", "one-node"):
        assert_right(entry, UGLY[name], REFERENCE)


@pytest.mark.thin(plain=30, campaign=4)  # the interpreter runs all of them, which become few texts
@pytest.mark.parametrize(("entry", "target"), ON_ONE_OF_THEM, ids=named)
def test_devices_are_right(entry: Entry, target: Target) -> None:
    for name in ("knot", "unreachable"):
        assert_right(entry, UGLY[name], target)


@pytest.mark.nightly
@pytest.mark.parametrize(("entry", "target"), ELSEWHERE, ids=named)
def test_all_devices_are_right(entry: Entry, target: Target) -> None:
    for name in UGLY:
        assert_right(entry, UGLY[name], target)


@pytest.mark.parametrize("entry", [e for e in entries() if e.algorithm == "triangle_count"], ids=str)
def test_counts_are_as_evaluated_on_graphs_that_are_not_simple(entry: Entry) -> None:
    for name in ("knot", "ladder", "parallel"):
        assert_as_evaluated(entry, UGLY[name], REFERENCE)


# --- the corpus itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_there_are_enough_programs(algorithm: str) -> None:
    count = Counter(entry.kind for entry in entries() if entry.algorithm == algorithm)
    assert count[Kind.SPELLING] >= 12
    assert count[Kind.HELD_OUT] >= 3
    assert count[Kind.NEAR_MISS] >= 6


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_near_misses_differ_from_the_algorithm_and_from_each_other(algorithm: str) -> None:
    known = {"the algorithm": RIGHT[algorithm], **NEAR[algorithm]}
    assert {e.path.stem for e in entries() if e.algorithm == algorithm and e.is_near_miss} == NEAR[algorithm].keys()
    answers: dict[str, list[object]] = {name: [] for name in known}
    for graph in map(ALGORITHMS[algorithm].suits, UGLY.values()):
        for call in ALGORITHMS[algorithm].calls(graph):
            for name, meant in known.items():
                answers[name].append(meant(arcs_of(graph), call))
    same_ones = [
        (one, other) for one in known for other in known if one < other and all(map(same, answers[one], answers[other]))
    ]
    assert not same_ones


def test_pagerank_is_what_networkx_computes() -> None:
    """The recurrence that stands for the algorithm here, run until nothing moves."""
    call = {"damping": 0.85, "tolerance": 1e-15, "max_iterations": 1000}
    for name in ("random", "islands", "parallel"):
        assert oracles.pagerank(ZOO[name]).tolist() == pytest.approx(RIGHT["pagerank"](arcs_of(ZOO[name]), call))
