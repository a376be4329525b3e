"""Pictures of results, traces and graphs show what there is; without matplotlib one sentence says what to install."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import starplat

BFS = starplat.compile("bfs_levels")
CHAIN = starplat.Graph.from_arcs(5, [0, 1, 2], [1, 2, 3])


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("MPLBACKEND", "agg")
    found = pytest.importorskip("matplotlib.pyplot")
    yield found
    found.close("all")


def drawn(axes: Any) -> None:
    """Has matplotlib draw it, which finds what plotting by itself does not."""
    axes.figure.canvas.draw()


def test_a_histogram_leaves_out_what_was_not_reached(pyplot: Any) -> None:
    axes = BFS(CHAIN, src=0, target="reference").plot()
    drawn(axes)
    (steps,) = axes.patches
    assert steps.get_data().values.tolist() == [1, 1, 1, 1]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("level", "level", "nodes")


def test_ranked_values_fall(pyplot: Any) -> None:
    axes = BFS(CHAIN, src=0, target="reference").plot("level", ranked=True)
    drawn(axes)
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[1, 3], [2, 2], [3, 1], [4, 0]]


def test_each_property_has_axes_of_its_own(pyplot: Any) -> None:
    result = starplat.compile("sssp")([(0, 1, 2), (1, 2, 3)], src=0, target="reference")
    assert [axes.get_title() for axes in result.plot("dist", "weight")] == ["dist", "weight"]
    assert result.plot().get_title() == "dist"


def test_a_property_without_values_is_an_empty_picture(pyplot: Any) -> None:
    program = starplat.compile("function f(Graph g, propNode<int> p) { }")
    drawn(program(starplat.Graph.from_arcs(0, [], []), target="reference").plot(ranked=True))


def test_a_property_that_is_not_there_is_told_as_elsewhere(pyplot: Any) -> None:
    with pytest.raises(starplat.DiagnosticError, match="E0710"):
        BFS(CHAIN, src=0, target="reference").plot("levle")


def test_a_trace_has_a_point_for_every_round(pyplot: Any) -> None:
    trace = BFS(CHAIN, src=0, target="reference", trace=True).trace
    assert trace is not None
    axes = trace.plot()
    drawn(axes)
    assert sum(len(line.get_xydata()) for line in axes.lines) == len(trace.rounds) > 0


def test_a_graph_is_drawn_with_the_names_of_its_nodes(pyplot: Any) -> None:
    pytest.importorskip("networkx")
    program = starplat.compile("sssp")
    result = program([("Zoe", "Ann", 2), ("Ann", "Bob", 3), ("Bob", "Cid", 1)], src="Ann", target="reference")
    axes = result.graph.draw(result["dist"])
    drawn(axes)
    assert {text.get_text() for text in axes.texts} == {"Zoe", "Ann", "Bob", "Cid"}
    (dots,) = [found for found in axes.collections if len(found.get_offsets()) == 4]
    colours = dict(zip(result.ids.tolist(), dots.get_facecolor().tolist(), strict=True))
    assert colours["Zoe"] == [0.8, 0.8, 0.8, 1.0]
    assert len({tuple(colour) for colour in colours.values()}) == 4


def test_a_graph_without_nodes_is_drawn(pyplot: Any) -> None:
    pytest.importorskip("networkx")
    drawn(starplat.Graph.from_arcs(0, [], []).draw())


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(starplat.DiagnosticError, match=r"E0818.* 16,912 nodes are too many to draw: at most 300"):
        starplat.read("liechtenstein").draw()
    with pytest.raises(starplat.DiagnosticError, match=r"E0817.*5 nodes"):
        CHAIN.draw(np.zeros(4))


@pytest.mark.parametrize("what", ["result", "trace", "graph"])
def test_without_matplotlib_one_sentence_says_what_to_install(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = BFS(CHAIN, src=0, target="reference", trace=True)
    assert result.trace is not None
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    draw = {"result": result.plot, "trace": result.trace.plot, "graph": CHAIN.draw}[what]
    with pytest.raises(starplat.DiagnosticError, match=r"E0813.* needs matplotlib\n.*pip install matplotlib"):
        draw()
