"""Rounds that ask all nodes whether a filter holds ask only those for which it has become true."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.ir.visitor import host_ops
from starplat.schedule import AUTO, PLAIN
from tests.changing import changed
from tests.zoo import ZOO

CORES = (Path(__file__).parents[2] / "examples" / "k_core.sp").read_text(encoding="utf-8")
ASKED = {
    "cores": CORES,
    "less than": changed(CORES, ("degree <= k", "degree < k"), ("left > 0", "left > 0 && k < 300")),
    "the other way round": changed(
        CORES,
        ("v.degree += 1", "v.degree -= 1"), ("degree <= k", "degree >= -k"), ("nbr.degree -= 1", "nbr.degree += 1"),
    ),
    "by two at once": changed(
        CORES, ("v.degree += 1", "v.degree += 2"), ("degree <= k", "degree <= 2 * k"), ("degree -= 1", "degree -= 2")
    ),
    "two conditions on a cell": changed(CORES, ("&& degree <= k", "&& degree <= k && degree % 2 == k % 2"),
        ("left > 0", "left > 0 && k < 300")),
    "a state that the filter may still be true for": changed(
        CORES, ("(core = -1,", "(core = 2,"), ("core == -1", "core == 2"), ("left > 0", "k < 6"),
        ("peeled == 0", "peeled == 0 || k == 2"),
    ),
    "a number of rounds": changed(
        CORES, ("while (left > 0) {", "for (int k = 0; k < 9; k++) { bool more = True; while (more) {"),
        ("  int k = 0;\n", ""), ("if (peeled == 0) {\n      k += 1;\n    }\n", "more = peeled > 0; }\n"),
    ),
}  # fmt: skip
LEFT_ALONE = {
    "stored by others": changed(
        CORES, ("      v.peeling = False;\n", "      v.peeling = False;\n      v.degree = 0;\n")
    ),
    "filled in the loop": changed(CORES, ("    left -= peeled;\n", "    left -= 1;\n    core = degree;\n")),
    "not made false": changed(CORES, ("      v.core = k;\n", "      if (v.degree > 1) { v.core = k; }\n")),
    "made false by what differs by node": changed(CORES, ("v.core = k", "v.core = v.degree")),
    "asked of an arc": changed(
        CORES, ("&& degree <= k", "&& degree <= k && !g.is_an_edge(v, v)"), ("left -= peeled", "left -= 1")
    ),
    "in no loop": changed(CORES, ("while (left > 0)", "if (left > 0)")),
}


@cache
def module(text: str, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, None)


def walks(made: ir.Module) -> list[str]:
    """The kernels that walk the nodes for which a filter has become true."""
    return [kernel.name for kernel in made.kernels if kernel.name.endswith("_passing")]


@pytest.mark.parametrize("name", ASKED)
def test_only_nodes_with_a_changed_cell_are_asked(name: str) -> None:
    assert walks(module(ASKED[name]))
    assert any(isinstance(op, ir.HostIf) and op.condition.element is ir.Element.BOOL for op in host_ops(module(CORES)))


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_all_nodes_are_asked_where_more_may_change_the_filter(name: str) -> None:
    assert not walks(module(LEFT_ALONE[name]))


@pytest.mark.parametrize("target", ["cuda", "hip", "opencl", "openacc"])
def test_where_a_round_waits_for_readbacks_all_nodes_are_asked(target: str) -> None:
    assert not walks(module(CORES, target))


@pytest.mark.parametrize("name", [*ASKED, *LEFT_ALONE])
def test_the_answer_is_the_same(name: str) -> None:
    program = starplat.compile({**ASKED, **LEFT_ALONE}[name])
    graphs = [graph for graph in ZOO.values() if graph.num_nodes]
    for graph in (*graphs[:: 1 if name in ("cores", "a number of rounds") else 4], generators.rmat(8).undirected()):
        rounds = 2000
        expected = program.run(graph, target="reference", schedule=PLAIN, max_rounds=rounds)
        found = program.run(graph, target="openmp", max_rounds=rounds)
        np.testing.assert_array_equal(found["core"], expected["core"])


def test_a_step_of_one_is_compared_with_the_bound_once() -> None:
    text = BACKENDS["openmp"].kernels_text(module(CORES))
    assert "if (old_degree - 1 == k) enlist(" in text
    assert "enlist_alone(" in text


def test_the_answer_is_the_same_where_all_threads_take_part() -> None:
    program, graph = starplat.compile(CORES), generators.rmat(13).undirected()
    found = program.run(graph, target="openmp")["core"]
    np.testing.assert_array_equal(found, program.run(graph, target="openmp", schedule=PLAIN)["core"])
