"""Random programs say the same on every target as in the interpreter, and so do all that ever did not.

A failure names the seed and shows the program with everything taken out that the difference does not need. Such
programs are kept in `found/`; their first line says what was wrong.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat import Program
from starplat.diagnostics import DiagnosticError
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.graph import Graph
from starplat.pipeline import is_race
from starplat.runtime.validate import agreeing, first_difference
from tests.generating.meaning import meaning
from tests.generating.pieces import Piece
from tests.generator import Case, generate, shrunk
from tests.programs.targets import REFERENCE, Target, every_device
from tests.zoo import ZOO

KINDS = ("bool", "int", "long", "float", "double", "node", "edge")
CONSTRUCTS = (
    *(f"{kind} scalar" for kind in KINDS),
    *(f"prop{carrier}<{kind}>" for carrier in ("Node", "Edge") for kind in KINDS),
    *(f"write {carrier} {kind}" for carrier in ("node", "edge") for kind in KINDS),
    *(f"returns {kind}" for kind in KINDS),
    *(f"{op} on {kind}" for kind in ("int", "long") for op in ("+=", "-=", "*=", "&=", "|=", "^=")),
    *(f"{op} on bool" for op in ("&&=", "||=", "&=", "|=", "^=")),
    *(f"{op} on {kind}" for kind in ("float", "double") for op in ("+=", "-=", "*=")),
    *(f"reduction {op} on {whose} cell" for whose in ("own", "another's")
      for op in ("+=", "-=", "*=", "&&=", "||=", "&=", "|=", "^=")),
    *(f"reduction {op} of a shared {kind}" for kind in ("int", "long") for op in ("+=", "*=", "&=", "|=", "^=")),
    *(f"{word} of a {kind} {place}" for word in ("Min", "Max") for place in ("cell", "scalar")
      for kind in ("int", "long", "float", "double", "node")),
    *(f"relaxation of {kind} by {word}" for word in ("Min", "Max") for kind in KINDS[1:6]),
    *("multi-assignment of 2 to cells", "multi-assignment of 2 to scalars", "carried constant", "carried data",
      "cell beside a scalar", "scalar beside a cell", "carried data in a fixed point", "Min spelt min",
      "common value to cells", "common value to a scalar", "reduction spelt x = x + e", "++"),
    *("fixedPoint with one flag", "fixedPoint with two flags", "fixedPoint in place", "fixedPoint on cells",
      "fixedPoint on given flags", "work beside a fixed point", "a filter that its loop writes"),
    *("iterateInBFS", "iterateInReverse", "BFS filter", "BFS pull", "BFS push", "BFS driven by the host",
      "forall driven by the host"),
    *("forall", "forall in a forall", "for in a forall", "filter", "while", "do while", "for", "for down", "loop",
      "break", "continue", "if", "else", "early return", "return in a loop"),
    *("over nodes", "over edges", "over neighbors", "over nodes_to", "over inOutNbrs", "over a set of nodes",
      "over a set of edges", "set of nodes given", "set of edges given", "local set of nodes", "local set of edges",
      "add", "contains", "set size"),
    *("local property", "property declared in a loop", "attach of 1", "attach of 2", "attach of 3", "attach copies",
      "copy", "swap", "first contents given"),
    *("call in a forall", "call on the host", "helper called in a forall", "helper called on the host",
      "host function called", "passed by &", "default"),
    *("get_edge searched", "arc in hand", "is_an_edge", "edge attributes", "weight", "minWt", "weight parameter",
      "graph query", "INF + weight", "INF tested", "INF of reals tested", "-INF", "INF in an edge property"),
    *("integer /", "integer %", "division guarded by ?:", "guard of -1", "node tested before use",
      "edge tested before use", "?:", "&&", "||", "min()", "max()", "abs()", "sqrt", "exp", "log", "pow", "~",
      "floor() of a real", "ceil() of a real", "abs() of a real", "real to int", "long to int", "int to real"),
    *("Sum", "Product", "Count", "Min", "Max", "hostile name"),
)  # fmt: skip
"""All that the generator must reach."""

FOUND = sorted((Path(__file__).parent / "found").glob("*.sp"))
FEW, MANY = 40, int(os.environ.get("STARPLAT_PROGRAMS", "40"))
FIRST = int(os.environ.get("STARPLAT_SEED", "0"))
PARTS = 8
"""Of how many seeds the campaign gives every one to another device."""


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


def contradiction(case: Case, _: Target = REFERENCE) -> str | None:
    """Where the interpreter's answer is not what the program means."""
    program = legitimate(case)
    if program is None:
        return None
    try:
        found = REFERENCE.run(program, case.graph, case.call)
    except DiagnosticError:
        return None
    said = meaning(program.checked.tree, "entry", case.graph, case.arguments)
    if said.returned != found.returned and not _near(found.returned, said.returned):
        return f"returned {found.returned}, meant is {said.returned}"
    for name, cells in found.properties.items():
        meant = np.array(said.properties[name], dtype=cells.dtype)
        wrong = np.flatnonzero(~agreeing(cells, meant, found.types[name].element))
        if len(wrong):
            return f"{name}[{wrong[0]}] is {cells[wrong[0]]}, meant is {meant[wrong[0]]}"
    return None


def _near(found: Any, meant: Any) -> bool:
    return isinstance(meant, float) and bool(agreeing(np.array([found]), np.array([meant]), Scalar.FLOAT)[0])


def examine(case: Case, target: Target, wrong: Callable[[Case, Target], str | None] = difference) -> None:
    """Fails with a small program if something is wrong."""
    found = wrong(case, target)
    if found is None:
        return
    small = shrunk(case, lambda less: wrong(less, target) is not None)
    pytest.fail(
        f"seed {case.seed} on {target.label}: {found}\n"
        f"smaller: {wrong(small, target)}\n{small.text}\n"
        f"graph {case.graph.name}: {case.graph.num_nodes} nodes, {list(zip(*arcs(case.graph), strict=True))}\n"
        f"arguments {case.arguments}",
        pytrace=False,
    )


def arcs(graph: Graph) -> tuple[list[int], list[int], list[Any]]:
    """Sources, destinations, weights."""
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    return graph.sources.tolist(), graph.columns.tolist(), weights


@every_device
@pytest.mark.thin(plain=4, campaign=None)  # which has the same seeds below
@pytest.mark.parametrize("seed", range(FEW))
def test_a_random_program_says_what_the_interpreter_says(target: Target, seed: int) -> None:
    examine(generate(seed), target)


@pytest.mark.campaign
@every_device
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_say_what_the_interpreter_says(target: Target, part: int) -> None:
    many = MANY // 5 if target.target == "sycl" else MANY  # SYCL's compiler takes seconds for each
    for seed in range(FIRST + part, FIRST + many, PARTS):
        examine(generate(seed), target)


@pytest.mark.parametrize("seed", range(FEW))
def test_the_interpreter_says_what_a_random_program_means(seed: int) -> None:
    examine(generate(seed), REFERENCE, contradiction)


@pytest.mark.nightly
def test_the_interpreter_says_what_random_programs_mean() -> None:
    for seed in range(FIRST, FIRST + MANY):
        examine(generate(seed), REFERENCE, contradiction)


# --- what was found ------------------------------------------------------------------------------------------------

SHAPES = ("one-node", "one-loop", "parallel", "both-ways", "diamonds", "random-undirected", "star-in")


def cases(path: Path) -> list[Case]:
    """A program that once failed, on several graphs."""
    text = path.read_text(encoding="utf-8")
    program = starplat.compile(text)
    block = tuple(Piece((row,)) for row in text.splitlines())
    return [Case(0, block, arguments(program, ZOO[name]), ZOO[name], Counter()) for name in SHAPES]


def arguments(program: Program, graph: Graph) -> dict[str, Any]:
    """Something for every parameter."""
    random = np.random.default_rng(7)
    entry = next(f for f in program.checked.tree.functions if f.name == "entry")
    given: dict[str, Any] = {}
    for parameter in entry.parameters:
        match parameter.type:
            case Scalar.BOOL:
                given[parameter.name] = True
            case Scalar():
                given[parameter.name] = 0
            case SetType():
                given[parameter.name] = [0]
            case PropertyType(carrier, element) if element in (Scalar.INT, Scalar.LONG):
                size = graph.num_nodes if carrier is Carrier.NODE else graph.num_arcs
                given[parameter.name] = random.integers(-20, 20, size)
            case _:
                pass
    return given


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_once_misunderstood_means_what_it_says(path: Path) -> None:
    for case in cases(path):
        assert legitimate(case) is not None
        assert contradiction(case) is None


@pytest.mark.thin(plain=2)
@every_device
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_once_differed_agrees(path: Path, target: Target) -> None:
    for case in cases(path):
        assert difference(case, target) is None


def test_what_a_winner_carries_elsewhere_is_a_race() -> None:
    text = """function entry(Graph g, propNode<int> a, propNode<bool> won) {
      int least = 0;
      forall (v in g.nodes()) {
        <least, v.won> = <Min(least, v.a), True>;
      }
      return least;
    }"""
    assert any(map(is_race, starplat.compile(text).warnings))


def test_what_a_winner_of_an_iteration_alone_carries_out_of_it_is_a_race() -> None:
    text = """function entry(Graph g, propNode<int> a) {
      int last = 0;
      forall (v in g.nodes()) {
        int own = 0;
        <own, last> = <Max(own, v.a), VALUE>;
      }
      return last;
    }"""
    assert any(map(is_race, starplat.compile(text.replace("VALUE", "v.a")).warnings))
    assert not any(map(is_race, starplat.compile(text.replace("VALUE", "7")).warnings))


# --- what programs are made of -------------------------------------------------------------------------------------


@pytest.mark.campaign
def test_every_construct_occurs() -> None:
    count: Counter[str] = Counter()
    for seed in range(2000):
        count.update(generate(seed).count)
    assert not [construct for construct in CONSTRUCTS if not count[construct]]
