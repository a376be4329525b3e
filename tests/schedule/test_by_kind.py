"""An emitted program looks at its graph as `run` does, and takes the variant that is made for such a graph."""

from __future__ import annotations

import re
import subprocess
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import starplat
from starplat.backends import BACKENDS, scheduled
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators, write
from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.runtime.facts import facts_of
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.by_kind import SIZE, for_all_kinds
from starplat.schedule.facts import GraphFacts
from tests.backends.built import built
from tests.programs.cases import EXAMPLES

VARIANT = re.compile(r"^(static .* (\w+?_(?:symmetric|few_pairs|symmetric_few_pairs))\(.*\) \{)$", re.MULTILINE)
"""The beginning of a variant's function."""

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.sp"))


@cache
def with_variants(name: str, target: str) -> ir.Module:
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    return for_all_kinds(lambda facts: for_target(module, target, AUTO, facts))


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_module_with_all_variants_is_a_module(name: str, target: str) -> None:
    verify(with_variants(name, target))


def test_components_know_that_arcs_lead_both_ways() -> None:
    (variant,) = with_variants("connected_components", "cuda").variants
    assert (variant.symmetric, variant.few_pairs) == (True, None)
    symmetric = for_target(
        starplat.compile(EXAMPLES / "connected_components.sp").module(), "cuda", AUTO, GraphFacts(9, 99, 99, True)
    )
    made = with_variants("connected_components", "cuda")
    mine, theirs = made.function(variant.function), symmetric.function(symmetric.entry)
    assert [type(op) for op in mine.body] == [type(op) for op in theirs.body]
    assert len(made.kernels) > len(symmetric.kernels)


def test_variants_share_what_is_the_same_for_all_kinds() -> None:
    names = [function.name for function in with_variants("strongly_connected_components", "cuda").functions]
    entry, join, settle = "strongly_connected_components", "join_both_ways", "settle"
    assert sorted(names) == sorted([entry, join, settle, f"{entry}_symmetric", f"{join}_symmetric"])


def test_triangles_know_that_there_are_few_pairs_or_that_arcs_lead_both_ways() -> None:
    variants = with_variants("triangle_count", "openmp").variants
    assert [(one.symmetric, one.few_pairs) for one in variants] == [(True, True), (False, True), (True, False)]


@pytest.mark.parametrize("name", ["sssp", "pagerank", "bfs_levels"])
def test_others_have_no_variants(name: str) -> None:
    assert not with_variants(name, "cuda").variants
    module = starplat.compile(EXAMPLES / "connected_components.sp").module()
    assert for_all_kinds(lambda facts: for_target(module, "cuda", PLAIN, facts)) == module


@cache
def graph_of(kind: str) -> Graph:
    match kind:
        case "symmetric":
            return generators.rmat(7, 4, 1).undirected()
        case "directed":
            return generators.rmat(7, 4, 1)
        case _:
            return generators.grid(12, 12)


def program(name: str, folder: Path) -> Path:
    """An example as a program that says which variant it takes."""
    files = starplat.compile(EXAMPLES / f"{name}.sp").artifact("openmp")
    return built({file: VARIANT.sub(r'\1 std::cout << "\2\\n";', text) for file, text in files.items()}, folder)


@pytest.mark.thin(plain=6)
@pytest.mark.parametrize("kind", ["symmetric", "directed", "grid"])
@pytest.mark.parametrize("name", ["connected_components", "triangle_count"])
def test_each_graph_gets_its_variant_and_the_right_answer(name: str, kind: str, tmp_path: Path) -> None:
    graph, file = graph_of(kind), tmp_path / "graph.spg"
    write(graph, file)
    done = subprocess.run([program(name, tmp_path), file], capture_output=True, text=True, check=True)
    expected = starplat.compile(EXAMPLES / f"{name}.sp").run(graph, target="reference")
    facts = facts_of(graph)
    if name == "connected_components":
        assert ("connected_components_symmetric" in done.stdout) == facts.symmetric
        assert f"sum {int(expected.properties['component'].sum())}," in done.stdout
    else:
        assert ("triangle_count_symmetric_few_pairs" in done.stdout) == (kind == "grid")
        assert f"returned {expected.returned}\n" in done.stdout


@pytest.mark.parametrize("target", ["cuda", "opencl", "openmp"])
def test_what_looks_at_no_graph_is_the_same_for_all_kinds(target: str) -> None:
    """So that `compile` schedules it once."""
    modules = [starplat.compile(EXAMPLES / f"{name}.sp").module() for name in NAMES]
    alike = [module for module in modules if not looks_at_the_graph(module, BACKENDS[target].capabilities, *SIZE)]
    assert len(alike) > len(modules) // 2
    for module in alike:
        made = partial(for_target, module, target, AUTO)
        assert for_all_kinds(made) == made()


def test_it_is_scheduled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[GraphFacts | None] = []

    def counted(*given: Any, facts: GraphFacts | None = None, **more: Any) -> ir.Module:
        known.append(facts)
        return for_target(*given, facts=facts, **more)

    monkeypatch.setattr(scheduled, "for_target", counted)
    starplat.compile(EXAMPLES / "sssp.sp").artifact("cuda")
    assert known == [None]
    starplat.compile(EXAMPLES / "connected_components.sp").artifact("cuda")
    assert len(known) > 2
