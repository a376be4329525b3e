"""Properties of nodes and arcs that a caller does not give, and the program does not set, are -1: none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import starplat
from starplat.graph import generators
from tests.backends.built import built
from tests.programs.targets import Target, every_target

NODES = """
function f(Graph g, node home, propNode<node> parent, propNode<int> count) {
  forall (v in g.nodes().filter(v == home)) {
    v.parent = v;
    v.count = 3;
  }
}
"""
ARCS = """
function f(Graph g, node home, propEdge<edge> twin) {
  forall (v in g.nodes().filter(v == home)) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      e.twin = e;
    }
  }
}
"""
PROGRAM = starplat.compile(NODES)
GRAPH = generators.rmat(4, 3, 1)


def the_home(value: int, otherwise: int) -> list[int]:
    return [value if v == 1 else otherwise for v in range(GRAPH.num_nodes)]


@every_target
def test_none_is_where_nothing_was_stored(target: Target) -> None:
    result = target.run(PROGRAM, GRAPH, {"home": 1})
    assert result["parent"].tolist() == the_home(1, -1)
    assert result["count"].tolist() == the_home(3, 0)
    first, last = GRAPH.row_offsets[1:3].tolist()
    twin = target.run(starplat.compile(ARCS), GRAPH, {"home": 1})["twin"].tolist()
    assert twin == [arc if first <= arc < last else -1 for arc in range(GRAPH.num_arcs)]


def test_renumbered_nodes_begin_so_too() -> None:
    result = PROGRAM.run(GRAPH, target="reference", home=1, schedule="order=degree")
    assert result["parent"].tolist() == the_home(1, -1)


def test_a_dictionary_leaves_others_without_a_node() -> None:
    result = PROGRAM.run(GRAPH, target="reference", home=1, parent={3: 5})
    assert result["parent"].tolist() == [{1: 1, 3: 5}.get(v, -1) for v in range(GRAPH.num_nodes)]


def test_an_emitted_program_begins_so(tmp_path: Path) -> None:
    executable = built(PROGRAM.artifact("openmp"), tmp_path)
    (tmp_path / "g.el").write_text("0 1\n1 2\n")
    words = [str(executable), str(tmp_path / "g.el"), "--home", "1", "--out", str(tmp_path / "found.csv")]
    subprocess.run(words, capture_output=True, text=True, check=True)
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert "0,-1,0" in lines
    assert "1,1,3" in lines
