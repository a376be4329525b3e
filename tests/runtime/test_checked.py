"""A checked run gives the interpreter's answers, or stops at the line and the node where something goes wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat import DiagnosticError
from starplat.cli import main
from starplat.graph import generators
from starplat.graph.graph import Graph
from tests.programs.cases import CASES, Case

PATH = Graph.from_arcs(4, [0, 1, 2], [1, 2, 3], [2_000_000_000] * 3, ids=np.array([10, 20, 30, 40]))
SSSP = Path(__file__).parents[2] / "examples" / "sssp.sp"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_right_programs_come_out_as_they_do_without(case: Case) -> None:
    program = starplat.compile(case.path)
    graph = case.suits(generators.rmat(5, 3, seed=7).with_random_weights(1, 9, 1))
    (call, *_) = case.calls(graph)
    found = program.run(graph, arguments=call, checked=True)
    expected = program.run(graph, target="reference", arguments=call)
    assert found.returned == pytest.approx(expected.returned)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)


@pytest.mark.parametrize(
    ("body", "code", "line", "node"),
    [
        ("v.x = 2147483647 - 5 + v * 3;", "E0715", 5, "30"),
        ("v.x = 6 / (v - 1);", "E0703", 5, "20"),
        ("v.x = 6 % (v - 1);", "E0703", 5, "20"),
        ("v.r = (v - 2.0) / (v - 2.0);", "E0716", 5, "30"),
        ("v.r = sqrt(1.0 - v);", "E0716", 5, "30"),
        ("int t; if (v > 1) { v.x = t; } t = 1;", "E0717", 5, "30"),
        ("v.x = v.own;", "E0717", 5, "10"),
        ("node u = v - 1; v.x = u.x;", "E0704", 5, "10"),
        ("v.x = v.wide;", "E0715", 5, "40"),
        ("x[v + 2] = 1;", "E0704", 5, "30"),
    ],
)
def test_what_goes_wrong_names_its_line_and_node(body: str, code: str, line: int, node: str) -> None:
    text = f"""function f(Graph g, propNode<int> x, propNode<double> r, propNode<long> wide) {{
  propNode<int> own;
  g.attachNodeProperty(x = 0);
  forall (v in g.nodes()) {{
    {body}
    if (v > 9) {{ v.own = 1; }}
  }}
}}"""
    program = starplat.compile(text)
    with pytest.raises(DiagnosticError) as stopped:
        program.run(PATH, checked=True, wide=[1, 2, 3, 2**40])
    (found,) = stopped.value.diagnostics
    assert found.code == code
    assert found.message.endswith(f"at node v = {node}")
    assert found.source is not None
    assert found.place is not None
    assert found.source.position(found.place.span.start)[0] == line


def test_distances_that_wrap_are_found_and_infinity_never_wraps() -> None:
    program = starplat.compile(SSSP)
    with pytest.raises(DiagnosticError, match=r"2000000000 \+ 2000000000 does not fit in an int, at node v = 20"):
        program.run(PATH, checked=True, src=10)
    assert program.run(PATH, checked=True, src=30)["dist"].tolist() == [2**31 - 1, 2**31 - 1, 0, 2_000_000_000]


def test_nodes_that_are_not_reached_are_no_parents_of_the_source() -> None:
    text = """function f(Graph g, propNode<int> parents, node src) {
  g.attachNodeProperty(parents = 0);
  iterateInBFS (v in g.nodes() from src) {
    for (u in g.nodes_to(v)) { v.parents += 1; }
  }
}"""
    program = starplat.compile(text)
    for checked in (True, False):
        assert program.run(PATH, target="reference", checked=checked, src=30)["parents"].tolist() == [0, 0, 0, 1]


def test_a_copy_of_cells_that_nothing_wrote_holds_what_they_begin_with() -> None:
    program = starplat.compile(
        "function f(Graph g, propNode<int> x, propNode<node> y) { propNode<int> p; propNode<node> q; x = p; y = q; }"
    )
    result = program.run(PATH, checked=True)
    assert (result["x"].tolist(), result["y"].tolist()) == ([0] * 4, [-1] * 4)


def test_neighbors_are_children_on_the_way_back_whatever_was_added_up_before() -> None:
    text = """function f(Graph g, propNode<int> paths, node src) {
  g.attachNodeProperty(paths = 0);
  src.paths = 1;
  iterateInBFS (v in g.nodes() from src) { for (u in g.nodes_to(v)) { v.paths += u.paths; } }
  iterateInReverse { for (w in g.neighbors(v)) { v.paths += w.paths; } }
}"""
    program = starplat.compile(text)
    for checked in (True, False):
        assert program.run(PATH, target="reference", checked=checked, src=10)["paths"].tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize("parameter", ["", ", propEdge<int> weight"])
@pytest.mark.parametrize("checked", [False, True])
def test_weights_that_do_not_fit_are_refused(checked: bool, parameter: str) -> None:
    program = starplat.compile(f"""
    function f(Graph g, propNode<int> sum{parameter}) {{
      g.attachNodeProperty(sum = 0);
      forall (v in g.nodes()) {{
        forall (w in g.neighbors(v)) {{ edge e = g.get_edge(v, w); v.sum += e.weight; }}
      }}
    }}""")
    graph = Graph.from_arcs(2, [0, 1], [1, 0])
    with pytest.raises(DiagnosticError, match="E0708"):
        program.run(graph.with_weights(np.array([0.5, 2])), target="reference", checked=checked)
    whole = graph.with_weights(np.array([3.0, 2.0]))
    assert program.run(whole, target="reference", checked=checked)["sum"].tolist() == [3, 2]


@pytest.mark.parametrize("arcs", [[], [1]])
@pytest.mark.parametrize("checked", [False, True])
def test_extremes_of_the_weights_of_any_graph(checked: bool, arcs: list[int]) -> None:
    program = starplat.compile("function f(Graph g) { return g.minWt(); }")
    graph = Graph.from_arcs(2, [0 for _ in arcs], arcs).with_weights(np.full(len(arcs), 5))
    found = program.run(graph, target="reference", checked=checked).returned
    assert found == (5 if arcs else np.iinfo(np.int32).max)


def test_what_does_not_go_with_it_is_refused_by_name() -> None:
    program = starplat.compile(SSSP)
    with pytest.raises(DiagnosticError, match="goes without a schedule"):
        program.run(PATH, checked=True, target="openmp", src=10, schedule="direction=push")
    with pytest.raises(DiagnosticError, match="goes without target all, --repeat"):
        program.run(PATH, checked=True, target="all", src=10, repeat=2)


def test_the_command_line_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "g.el").write_text("0 1 2000000000\n1 2 2000000000\n")
    words = ["run", str(SSSP), "-g", str(tmp_path / "g.el"), "-a", "src=0", "--checked"]
    assert main(words) == 1
    assert "error[E0715]" in capsys.readouterr().err
