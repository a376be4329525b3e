"""Min and Max of reals know signs, infinities and what is no number, on every target and wherever they stand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat import Program
from starplat.graph import Graph
from tests.programs.targets import REFERENCE, Target, every_device

PROGRAM = """
function entry(Graph g, propNode<real> a, propNode<real> lo, propNode<real> hi, propNode<real> lows,
               propNode<real> highs, propNode<node> least_of, propNode<node> most_of, propNode<real> own) {
  real least = 5;
  real most = -5;
  forall (v in g.nodes()) {
    <least> = <Min(least, v.a)>;
    <most> = <Max(most, v.a)>;
    forall (w in g.neighbors(v)) {
      <w.lo> = <Min(w.lo, v.a)>;
      <w.hi> = <Max(w.hi, v.a)>;
      <w.lows, w.least_of> = <Min(w.lows, v.a), v>;
      <w.highs, w.most_of> = <Max(w.highs, v.a), v>;
    }
  }
  forall (v in g.nodes()) {
    v.own = min(v.a, v.lows) - max(v.a, v.highs);
  }
  return least - most;
}
"""
N = 600
ODD = [np.nan, np.inf, -np.inf, -0.0, 0.0, -1.5, -1e-30, 1e-30, -1e30, 2.5, -7.0, 3e-42, -3e-42]
NEGATIVE = [-0.0, -1.5, -1e-30, -1e30, -7.0, -3e-42]


def values(random: np.random.Generator, some: list[float], kind: str) -> NDArray[np.floating]:
    """Half of them odd, half of them ordinary and mostly negative."""
    ordinary = random.normal(-20, 10, N - N // 2)
    return random.permutation(np.concatenate([random.choice(some, N // 2), ordinary])).astype(kind)


@pytest.fixture(scope="module", params=["float", "double"])
def program(request: pytest.FixtureRequest) -> Program:
    return starplat.compile(PROGRAM.replace("real", request.param))


@every_device
@pytest.mark.parametrize("some", [ODD, NEGATIVE], ids=["odd", "negative"])
def test_min_and_max_are_the_interpreters(program: Program, some: list[float], target: Target) -> None:
    random = np.random.default_rng(3)
    graph = Graph.from_arcs(N, np.repeat(np.arange(N), 6), random.integers(0, 40, 6 * N))
    kind = "float32" if "<float>" in program.checked.source.text else "float64"
    a, lo, hi = (values(random, some, kind) for _ in range(3))
    given = {"a": a, "lo": lo, "hi": hi, "lows": lo, "highs": hi}
    expected, found = (on.run(program, graph, {"arguments": given}) for on in (REFERENCE, target))
    np.testing.assert_equal(found.returned, expected.returned)
    for name in ("lo", "hi", "lows", "highs", "own"):
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    for winner, extreme, before in (("least_of", "lows", lo), ("most_of", "highs", hi)):
        won = np.flatnonzero(found[extreme] != before)
        won = won[~np.isnan(found[extreme][won])]
        assert len(won)
        np.testing.assert_array_equal(a[found[winner][won]], found[extreme][won], err_msg=winner)
