"""Reading what was written gives the same graph, in every format that is written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, lost, read, write
from starplat.graph.formats import FORMATS, Format
from tests.graph.graphs import arcs_of, graphs, well_formed

WRITABLE = [format for format in FORMATS if format.write]


def passed_through(graph: Graph, suffix: str, format: str | None = None) -> Graph | None:
    """The graph written and read; None where the format says that it cannot hold it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph{suffix}"
        refusal = None
        try:
            write(graph, path, format)
        except DiagnosticError as error:
            refusal = error.diagnostics[0].code
        if refusal is None:
            return read(path)
        assert refusal == "E0815"
        assert not list(Path(folder).iterdir())
        return None


@pytest.mark.parametrize("format", WRITABLE, ids=lambda format: format.name)
@given(graph=graphs())
def test_a_graph_comes_back(format: Format, graph: Graph) -> None:
    again = passed_through(graph, format.suffixes[0], format.name)
    if again is None:
        return
    assert well_formed(again)
    shift = again.index_base if again.ids is None and graph.num_arcs else 0
    shift = 0 if format.name in {"el", "csv", "parquet"} else shift
    moved = {(u - shift, v - shift, w): count for (u, v, w), count in arcs_of(again).items()}
    assert moved == dict(arcs_of(graph))
    assert again.num_nodes == graph.num_nodes
    if format.name in {"mtx", "spg", "npz", "el", "metis"} and graph.num_arcs:
        assert again.directed == graph.directed
        assert (again.weights is None) == (graph.weights is None)


@given(graph=graphs(weights="real", directed=True))
def test_doubles_come_back_bit_by_bit(graph: Graph) -> None:
    again = passed_through(graph, ".mtx")
    assert again is not None
    assert graph.weights is not None
    assert again.weights is not None
    assert np.array_equal(again.weights, graph.weights)


@pytest.mark.parametrize("packed", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_compression_is_known_by_content(packed: str, tmp_path: Path) -> None:
    graph = Graph.from_arcs(4, [0, 1, 2], [1, 2, 3], [5, 6, 7])
    write(graph, tmp_path / f"g.mtx{packed}")
    hidden = (tmp_path / f"g.mtx{packed}").rename(tmp_path / "g")
    assert arcs_of(read(hidden)) == {(1, 2, 5): 1, (2, 3, 6): 1, (3, 4, 7): 1}


def test_the_native_format_keeps_everything(tmp_path: Path) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], [0.5, 2], directed=False, ids=np.array([3, 9, 2**60]), name="gaps")
    back = graph.reverse
    write(graph, tmp_path / "g.spg")
    again = read(tmp_path / "g.spg")
    assert again.describe() == graph.describe()
    assert np.array_equal(again.__dict__["reverse"].arc_ids, back.arc_ids)
    assert isinstance(again.columns.base, np.ndarray)
    assert not again.columns.flags.writeable


def test_ids_with_gaps_survive_an_edge_list(tmp_path: Path) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], ids=np.array([3, 9, 2**64 - 1], np.uint64))
    write(graph, tmp_path / "g.txt")
    assert read(tmp_path / "g.txt").original_ids.tolist() == [3, 9, 2**64 - 1]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.mtx").write_text("before")
    graph = Graph.from_arcs(2, [0], [1])
    monkeypatch.setattr(Graph, "sources", property(lambda self: (_ for _ in ()).throw(KeyboardInterrupt)))
    with pytest.raises(KeyboardInterrupt):
        write(graph, tmp_path / "g.mtx")
    assert [path.name for path in tmp_path.iterdir()] == ["g.mtx"]
    assert (tmp_path / "g.mtx").read_text() == "before"


@pytest.mark.parametrize("name", ["g.xyz", "g", "g.gml", "missing/folder/g.mtx"])
def test_what_cannot_be_written_says_so(name: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="E0815"):
        write(Graph.from_arcs(2, [0], [1]), tmp_path / name)


@pytest.mark.parametrize(
    ("name", "ids", "added"),
    [("g.wel", [0, 1, 2], 0), ("g.wel", [1, 2, 3], 1), ("g.el.xz", [3, 9, 11], 9), ("g.txt", [3, 9, 11], 0)],
)
def test_nodes_that_gap_s_format_adds_are_known_before(name: str, ids: list[int], added: int, tmp_path: Path) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], ids=np.array(ids))
    write(graph, tmp_path / name)
    assert read(tmp_path / name).num_nodes == 3 + added
    said = " ".join(lost(graph, tmp_path / name))
    assert (f"has {'a node' if added == 1 else f'{added} nodes'} more" in said) == bool(added)


@pytest.mark.parametrize("format", WRITABLE, ids=lambda format: format.name)
def test_what_a_format_loses_is_known_before(format: Format, tmp_path: Path) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], directed=False, ids=np.array([3, 9, 11]))
    path = tmp_path / f"g{format.suffixes[0]}"
    write(graph, path, format.name)
    again = read(path)
    losses = " ".join(lost(graph, path, format.name))
    assert ("original ids" in losses) == (again.original_ids.tolist() != [3, 9, 11])
    assert ("undirected" in losses) == again.directed
    assert ("without weights" in losses) == (again.weights is not None)
