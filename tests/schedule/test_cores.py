"""Cores divide once what is the same for all nodes, and store reals without a test: bit for bit the same answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_kernel, print_module
from starplat.schedule import AUTO
from tests.changing import changed

PAGERANK = Path(__file__).parents[2] / "examples" / "pagerank.sp"

SAME = """function f(Graph g, propNode<double> x, double a, double b) {
  double change = 0.0;
  for (int i = 0; i < 3; i++) {
    forall (v in g.nodes()) {
      double next = (1.0 - a) / b + x * 0.5 + a / b / 3.0;
      change += abs(next - v.x);
      v.x = next;
    }
    b = b + change / 7.0;
  }
}
""".replace("x * 0.5", "v.x * 0.5")
QUOTIENTS = {
    "double": SAME,
    "float": SAME.replace("double", "float"),
    "of a count": changed(SAME, ("a / b / 3.0", "a / g.num_nodes()")),
    "under a condition": changed(SAME, ("a / b / 3.0", "(v.x > 0.5 ? a / b : 0.0)")),
}
OTHERS = {
    "whole numbers": changed(SAME.replace("double", "int"), ("0.5", "5"), ("1.0", "1"), ("3.0", "3"), ("7.0", "7")),
    "a cell": changed(SAME, ("(1.0 - a) / b", "v.x / b"), ("a / b / 3.0", "a / v.x")),
}


def module(text: str | Path, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO)


def quotients(made: ir.Module) -> list[str]:
    return [line.strip() for line in print_module(made).splitlines() if "let quotient" in line]


@pytest.mark.parametrize("text", QUOTIENTS.values(), ids=QUOTIENTS)
def test_the_host_divides_what_is_the_same_for_all_nodes(text: str) -> None:
    assert len(quotients(module(text))) == 2
    assert not any(" / " in print_kernel(kernel) for kernel in module(text).kernels)
    assert not quotients(module(text, "cuda"))


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_divisions_stay(text: str) -> None:
    assert not quotients(module(text))


def test_reals_are_stored_without_a_test() -> None:
    """Whole numbers are not: what stays as it is stays with all threads."""

    def tested(text: str | Path, target: str) -> bool:
        shown = "\n".join(print_kernel(kernel) for kernel in module(text, target).kernels)
        return "if old_" in shown

    whole = changed(OTHERS["whole numbers"], ("v.x * 5", "v * 5"))
    assert [tested(PAGERANK, target) for target in ("openmp", "cuda")] == [False, True]
    assert [tested(whole, target) for target in ("openmp", "cuda")] == [True, True]


@pytest.mark.parametrize("text", [*QUOTIENTS.values(), *OTHERS.values()], ids=[*QUOTIENTS, *OTHERS])
def test_the_answers_are_the_same_bit_for_bit(text: str) -> None:
    """But for the sum of the changes, whose order is the threads': no cell depends on it here."""
    whole, graph = text == OTHERS["whole numbers"], generators.grid(8, 9)
    kind = np.int32 if whole else np.float32 if "float" in text else np.float64
    x = (np.random.default_rng(3).random(graph.num_nodes) * 100 - 5).astype(kind)
    compiled = starplat.compile(changed(text, ("b = b + change /", "b = b + a /")))
    given = {"x": x, "a": 1 if whole else 0.3, "b": 7 if whole else 0.7}
    expected = compiled.run(graph, arguments=given, target="openmp", schedule="plain")
    for watched in (False, True):
        found = compiled.run(graph, arguments=given, target="openmp", trace=watched)
        assert found["x"].tobytes() == expected["x"].tobytes()
