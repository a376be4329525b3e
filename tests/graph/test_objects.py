"""Graphs of other libraries become the graphs they are."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import networkx
import numpy as np
import pyarrow
import pytest
import scipy.sparse

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, from_object, read
from tests.graph.graphs import arcs_of, well_formed

ARCS = {(4, 9, 0.5), (9, 2, 2.5)}
COLUMNS = {"src": [4, 9], "dst": [9, 2], "weight": [0.5, 2.5]}


def test_tuples_of_arrays() -> None:
    assert set(arcs_of(from_object((np.array([4, 9]), np.array([9, 2]), np.array([0.5, 2.5]))))) == ARCS
    assert set(arcs_of(from_object(([4, 9], [9, 2])))) == {(4, 9, 1), (9, 2, 1)}


def test_tables() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for table in (pyarrow.table(COLUMNS), pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS)):
        assert set(arcs_of(from_object(table))) == ARCS


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.csc_matrix])
def test_sparse_matrices(make: type) -> None:
    graph = from_object(make(np.array([[0, 3, 0], [0, 0, 4], [5, 0, 0]])))
    assert set(arcs_of(graph)) == {(0, 1, 3), (1, 2, 4), (2, 0, 5)}


def test_duplicates_of_a_sparse_matrix_stay() -> None:
    matrix = scipy.sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(2, 2))
    assert from_object(matrix).num_arcs == 2


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
def test_networkx(kind: type) -> None:
    made = kind([(3, 5), (5, 9), (5, 5)])
    made.add_node(7)
    graph = from_object(made)
    assert graph.directed == made.is_directed()
    assert graph.original_ids.tolist() == list(made.nodes) == [3, 5, 9, 7]
    assert graph.num_arcs == (3 if made.is_directed() else 5)
    assert well_formed(graph)


def test_an_array_of_pairs_and_dlpack() -> None:
    class Foreign:
        def __init__(self) -> None:
            self.array = np.array([[0, 1], [1, 2]])

        def __dlpack__(self, **options: object) -> object:
            return self.array.__dlpack__()

        def __dlpack_device__(self) -> object:
            return self.array.__dlpack_device__()

    for pairs in (np.array([[0, 1], [1, 2]]), Foreign()):
        assert set(arcs_of(from_object(pairs))) == {(0, 1, 1), (1, 2, 1)}


def test_a_graph_is_itself() -> None:
    graph = Graph.from_arcs(2, [0], [1])
    assert from_object(graph) is graph
    assert from_object(graph, directed=False).num_arcs == 2


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        "graph.mtx",
        object(),
        np.zeros(3),
        np.zeros((2, 3), np.int64),
        ([0, 1], [0.5, 1]),
        ([0, -1], [0, 1]),
        ([0], [0, 1]),
        ([True], [False]),
        ([None, "a"], ["a", "b"]),
        ([["a"]], [["b"]]),
        scipy.sparse.csr_array((2, 3)),
        scipy.sparse.csr_array(np.array([[1j]])),
        pyarrow.table({"a": [1], "b": [2]}),
        pyarrow.table({"src": [1, None], "dst": [2, 3]}),
        pyarrow.table({"src": ["x", None], "dst": ["y", "z"]}),
        pyarrow.table({"src": [1.0], "dst": [2.0]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_graph_is_a_diagnostic(wrong: object) -> None:
    with pytest.raises(DiagnosticError, match=r"E081[47]"):
        from_object(wrong)


def _plain(value: object) -> str:
    """A name that is the same in every process."""
    return "object" if type(value) is object else repr(value)


def test_the_type_of_what_holds_no_graph_is_named() -> None:
    with pytest.raises(DiagnosticError, match="a value of type dict holds no graph"):
        from_object({0: [1]})


@pytest.mark.parametrize(
    "object", [42, "roads.gr", object(), ([0, 1], [0.5, 1.5]), ([0, 1], [1]), ([0, -3], [1, 2])], ids=_plain
)
def test_what_holds_no_graph_is_refused(object: object) -> None:
    with pytest.raises(DiagnosticError) as raised:
        from_object(object)
    assert [diagnostic.code for diagnostic in raised.value.diagnostics] == ["E0814"]


@pytest.mark.parametrize(
    ("name", "library"), [("g.parquet", "pyarrow"), ("g.feather", "pyarrow"), ("g.graphml", "networkx")]
)
def test_a_library_that_is_missing_is_named(
    name: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = {"g.parquet": b"PAR1....PAR1", "g.feather": b"ARROW1..", "g.graphml": b"<?xml version='1.0'?><graphml/>"}
    (tmp_path / name).write_bytes(content[name])
    for module in [module for module in sys.modules if module.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DiagnosticError) as raised:
        read(tmp_path / name)
    assert raised.value.diagnostics[0].code == "E0813"
    assert raised.value.diagnostics[0].message.endswith(f"{name} needs {library}")
    assert raised.value.diagnostics[0].help == f"pip install {library}"


def test_a_view_of_a_multigraph_has_the_edges_that_it_shows() -> None:
    whole = networkx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0)])
    shown = networkx.subgraph_view(whole, filter_edge=lambda u, v, key: {u, v} != {0, 2})
    assert from_object(shown).num_arcs == 6


def test_networkx_edges_that_lack_the_weight_count_1_and_stay_as_they_are() -> None:
    class Graph(networkx.Graph):
        edge_attr_dict_factory = staticmethod(lambda: defaultdict(lambda: 7))

    for made in (networkx.Graph(), Graph()):
        made.add_edge("a", "b", weight=2)
        made.add_edge("b", "c")
        with pytest.warns(UserWarning, match="no weight"):
            graph = from_object(made)
        assert set(arcs_of(graph)) == {("a", "b", 2), ("b", "a", 2), ("b", "c", 1), ("c", "b", 1)}
        assert "weight" not in made["b"]["c"]


def test_networkx_weights_that_no_int64_holds_are_reals() -> None:
    made = networkx.DiGraph()
    made.add_weighted_edges_from([(0, 1, 2**63), (1, 2, -3)])
    assert set(arcs_of(from_object(made))) == {(0, 1, 2.0**63), (1, 2, -3.0)}
