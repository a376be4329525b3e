"""Of several right answers every one is taken for right: what goes with a Min or Max is any winner's on ties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import starplat
from starplat import Graph, Program, Result
from starplat.runtime import bind, validate

PARENTS = """function parents(Graph g, propNode<int> dist, propNode<node> parent, propNode<int> depth, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool done = False;
  fixedPoint until (done : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) {
        <w.dist, w.parent, w.modified> = <Min(w.dist, v.dist + 1), v, True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.depth = v.parent * 10;
  }
}"""

FIRST = """function first(Graph g, propNode<int> x) {
  int least = INF;
  node who = -1;
  forall (v in g.nodes()) {
    <least, who> = <Min(least, v.x), v>;
  }
  return who;
}"""


@pytest.fixture(scope="module")
def diamond() -> Graph:
    """0 -> 1, 2 -> 3 -> 4, by the names 10 to 14."""
    return Graph.from_arcs(5, [0, 0, 1, 2, 3], [1, 2, 3, 3, 4], ids=np.arange(10, 15))


def verdict_on(program: Program, result: Result, **arguments: Any) -> bool | None:
    module = program.module()
    return validate(result, module, bind(module, result.graph, arguments))[1].valid


def changed(result: Result, **cells: dict[int, int]) -> Result:
    properties = {name: np.array(result[name]) for name in result.properties}
    for name, values in cells.items():
        for index, value in values.items():
            properties[name][index] = value
    return replace(result, properties=properties)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({}, True),
        ({"parent": {3: 12}, "depth": {3: 20}}, True),
        ({"parent": {3: 12}}, False),  # what follows from it must follow
        ({"parent": {3: 10}, "depth": {3: 0}}, False),
        ({"parent": {1: 12}, "depth": {1: 20}}, False),
        ({"dist": {3: 1}}, False),
    ],
)
def test_a_carried_value_must_be_some_winners(diamond: Graph, cells: dict[str, dict[int, int]], expected: bool) -> None:
    program = starplat.compile(PARENTS)
    found = program.run(diamond, target="reference", src=10)
    assert found["parent"].tolist() == [-1, 10, 10, 11, 13]
    assert verdict_on(program, changed(found, **cells), src=10) is expected


@pytest.mark.parametrize(("returned", "expected"), [(11, True), (13, True), (10, None)])
def test_a_returned_winner_must_have_won(diamond: Graph, returned: int, expected: bool | None) -> None:
    program, x = starplat.compile(FIRST), [7, 3, 9, 3, 8]
    found = program.run(diamond, target="reference", x=x)
    assert verdict_on(program, replace(found, returned=returned), x=x) is expected
