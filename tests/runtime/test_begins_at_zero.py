"""Properties of nodes that a caller does not give begin at 0, the first node, on every target and in a checked run."""

from __future__ import annotations

import starplat
from starplat.graph import generators
from tests.programs.targets import Target, every_target

PROGRAM = starplat.compile("""
function f(Graph g, node home, propNode<node> parent, propNode<node> own) {
  propNode<node> never;
  forall (v in g.nodes().filter(v == home)) {
    v.parent = v;
    v.never = v;
  }
  own = never;
}
""")
GRAPH = generators.rmat(4, 3, 1)


def the_home(value: int, otherwise: int) -> list[int]:
    return [value if v == 1 else otherwise for v in range(GRAPH.num_nodes)]


@every_target
def test_a_target_begins_at_the_first_node(target: Target) -> None:
    result = target.run(PROGRAM, GRAPH, {"home": 1})
    assert result["parent"].tolist() == the_home(1, 0)
    assert result["own"].tolist() == the_home(1, -1)


def test_so_does_a_checked_run() -> None:
    result = PROGRAM.run(GRAPH, target="reference", checked=True, home=1)
    assert result["parent"].tolist() == the_home(1, 0)
    assert result["own"].tolist() == the_home(1, -1)
