"""`sources=threads`: threads of the host share the sources, with the answers of one source after another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.runtime.facts import facts_for
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from starplat.schedule.describe import Plan
from tests.runtime.devices import device_of
from tests.schedule.test_sources import HEAD, NEAR_MISSES, OWN, ROUNDS, SEARCHES, assert_same, graphs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

DIFFERENT = {
    "some nodes": SEARCHES["not the source"],
    "sums of reals": OWN["sums of reals"],
    "cells of the source": OWN["INF"],
    "no level": SEARCHES["no level"],
    "reals in any order": SEARCHES["sums of reals in any order"],
    "no breadth-first search": HEAD
    + """ {
      g.attachNodeProperty(far = 0, by = 0, most = -1, real = 0.0);
      for (src in g.nodes()) {
        propNode<int> left;
        propNode<bool> there;
        g.attachNodeProperty(left = 0, there = False);
        src.left = 3;
        src.there = True;
        for (int i = 0; i < 3; i++) {
          forall (v in g.nodes().filter(there)) {
            forall (w in g.neighbors(v)) { <w.left> = <Max(w.left, 2 - i)>; }
          }
          forall (v in g.nodes()) { v.there = v.left > 0; }
        }
        forall (v in g.nodes().filter(there)) { v.by += 1; <v.most> = <Max(v.most, v.mark)>; }
      }
    }""",
}
ALONE = {
    "a scalar": NEAR_MISSES["counted sources"],
    "a level that stays": NEAR_MISSES["a level that stays"],
    "the last source": NEAR_MISSES["the last source"],
    "two operators": NEAR_MISSES["two ways for a cell"],
    "what others left": NEAR_MISSES["what iterations change"],
    "ends early": NEAR_MISSES["until a source"],
    "a level that is returned": HEAD.replace("propNode<int> mark", "propNode<int> level")
    + " { for (src in sources) { g.attachNodeProperty(level = INF); src.level = 0; "
    + ROUNDS.format(visit="v.by += 1;", way="neighbors", reached="level < INF") + " } }",
}  # fmt: skip
"""Loops of which an iteration sees, or leaves, more."""


def plan(text: str, target: str = "openmp") -> Plan:
    return pipeline.plan(pipeline.lower(starplat.compile(text).checked), target, "sources=threads")


def shared_in(text: str, schedule: str = "sources=threads") -> list[str]:
    """The loops that threads share in the text that a run builds."""
    module = starplat.compile(text).module(None)
    found = pipeline.kernels_text(module, "openmp", schedule)
    return re.findall(r"void (\w+)_of_one\(", found)


@pytest.mark.parametrize("name", DIFFERENT)
def test_threads_share_sources_with_the_same_answers(name: str) -> None:
    device_of("openmp")
    assert len(shared_in(DIFFERENT[name])) == 1
    assert_same(starplat.compile(DIFFERENT[name]), "openmp", "sources=threads", many=True)


def test_betweenness_is_that_of_one_source_after_another() -> None:
    device_of("openmp")
    program, grid = starplat.compile(EXAMPLES / "betweenness.sp"), generators.grid(9)
    for sources in ([], [7], range(grid.num_nodes)):
        meant = program.run(grid, target="reference", sources=sources)
        found = program.run(grid, target="openmp", sources=sources, schedule="sources=threads")
        assert first_difference(found, meant) is None


@pytest.mark.parametrize("name", ALONE)
def test_sources_that_leave_each_other_more_stay_in_one_thread(name: str) -> None:
    with pytest.raises(DiagnosticError, match=r"E0665.*whose iterations leave each other nothing but sums"):
        plan(ALONE[name])


def test_only_targets_that_compile_loops_share_sources() -> None:
    with pytest.raises(DiagnosticError, match=r"E0665.*it has no loops of the host that are compiled with its kernels"):
        plan(SEARCHES["least"], "opencl")


def test_auto_shares_where_levels_are_thin_and_sums_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    reals = SEARCHES["sums of reals in any order"]
    for text, graph, expected in (
        (SEARCHES["least"], generators.chain(200), True),
        (SEARCHES["least"], generators.star(200), False),
        (reals, generators.chain(200), False),
    ):
        assert is_shared(text, graph) is expected
    monkeypatch.setattr("starplat.schedule.sources.step.MOST_COPIED", 199)
    assert not is_shared(SEARCHES["least"], generators.chain(200))


def is_shared(text: str, graph: Graph) -> bool:
    """Whether `auto` lets threads share the sources on a graph."""
    module, able = starplat.compile(text).module(), BACKENDS["openmp"].capabilities
    made = decided(module, AUTO, able, facts_for(module, able, graph)).module
    loops: list[Any] = [op for op in walk_host(made.function(made.entry).body) if isinstance(op, ir.HostForMembers)]
    return any(loop.apart for loop in loops)


def test_a_shared_loop_ends_when_the_time_is_over_and_the_next_run_works() -> None:
    device_of("openmp")
    program = starplat.compile(EXAMPLES / "closeness.sp")
    long, short = generators.grid(160), graphs()[0]
    with pytest.raises(DiagnosticError, match="the run was ended after"):
        program.run(long, target="openmp", schedule="sources=threads", time_limit=0.2)
    found = program.run(short, target="openmp", schedule="sources=threads", time_limit=60)
    assert first_difference(found, program.run(short, target="reference")) is None
