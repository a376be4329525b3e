"""Functions that differ only in their types of numbers are forms of one; a run takes the one for its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError

FORMS = """
function heaviest(Graph g, propNode<long> most, propEdge<long> weight, long start = 0) {
  g.attachNodeProperty(most = start);
  forall (e in g.edges()) {
    node u = e.source;
    <u.most> = <Max(u.most, e.weight)>;
  }
}
function heaviest_real(Graph g, propNode<double> most, propEdge<double> weight, double start = 0.0) {
  g.attachNodeProperty(most = start);
  forall (e in g.edges()) {
    node u = e.source;
    <u.most> = <Max(u.most, e.weight)>;
  }
}
"""
ARCS = ([0, 1, 1], [1, 0, 2])


@pytest.fixture(scope="module")
def program() -> starplat.Program:
    return starplat.compile(FORMS)


@pytest.mark.parametrize(
    ("weights", "given", "function"),
    [
        (None, {}, "heaviest"),
        ([1, 2, 3], {}, "heaviest"),
        ([1.5, 2, 3], {}, "heaviest_real"),
        ([1, 2, 3], {"weight": [0.5, 1, 2]}, "heaviest_real"),
        ([1.5, 2, 3], {"weight": {(0, 1): 2}}, "heaviest"),
        ([1, 2, 3], {"start": 0.5}, "heaviest_real"),
        ([1, 2, 3], {"function": "heaviest_real"}, "heaviest_real"),
    ],
)
def test_a_run_takes_the_form_for_its_numbers(
    program: starplat.Program, weights: list[float] | None, given: dict[str, object], function: str
) -> None:
    graph = starplat.Graph.from_arcs(3, *ARCS, None if weights is None else np.array(weights))
    result = program.run(graph, target="reference", **given)  # type: ignore[arg-type]
    assert result.function == function
    assert result["most"].dtype == (np.float64 if "real" in function else np.int64)


@pytest.mark.parametrize(
    ("weights", "words", "function"),
    [
        ([[1, 2, 3]], {}, "heaviest"),
        ([[1, 2, 3], [1.5, 2, 3]], {}, "heaviest_real"),
        ([[1, 2, 3]], {"start": "2"}, "heaviest"),
        ([[1, 2, 3]], {"start": "2.5"}, "heaviest_real"),
        ([[1, 2, 3]], {"start": "1e3"}, "heaviest_real"),
        ([[1, 2, 3]], {"start": "@file"}, "heaviest"),
    ],
)
def test_several_graphs_and_words_take_one_form(
    program: starplat.Program, weights: list[list[float]], words: dict[str, str], function: str
) -> None:
    graphs = [starplat.Graph.from_arcs(3, *ARCS, np.array(each)) for each in weights]
    assert program.form_on(*graphs, given=words) == function


def test_a_program_for_no_graph_has_to_be_told_which(program: starplat.Program) -> None:
    with pytest.raises(DiagnosticError, match="name one of 'heaviest', 'heaviest_real'"):
        program.artifact("opencl")


def test_functions_that_do_not_differ_are_no_forms() -> None:
    with pytest.raises(DiagnosticError, match="E0654"):
        starplat.compile(FORMS.replace("double", "long").replace("0.0", "0")).run(ARCS, target="reference")


@pytest.mark.parametrize(
    "other", ["node start = -1", "bool start = False", "long begin = 0", "long start = 0, int more = 1"]
)
def test_functions_that_differ_otherwise_are_no_forms(other: str) -> None:
    text = FORMS.replace("long start = 0", other).replace("(most = start)", "(most = 0)")
    with pytest.raises(DiagnosticError, match="E0654"):
        starplat.compile(text).run(starplat.Graph.from_arcs(3, *ARCS), target="reference")
