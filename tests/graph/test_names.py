"""What the input calls its nodes is kept: names, tuples, numbers in any order; and it leads back to the nodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pyarrow
import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError, StarplatWarning
from starplat.graph import Graph, GraphCache, from_object, read, write
from starplat.graph.ids import as_ids, names_of
from tests.graph.graphs import arcs_of, well_formed

KINDS = [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph]
NAMED = [("Zoe", "Ann"), ("Ann", "Bob"), ("Bob", "Zoe"), ("Bob", "Bob")]
INTEGERS = st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=20)
LABELS = st.lists(st.one_of(st.text(max_size=3), st.tuples(st.integers(0, 3), st.integers(0, 3))), unique=True)
RUNS = st.builds(lambda first, n: list(range(first, first + n)), st.integers(-5, 2**62), st.integers(0, 9))


@given(labels=st.one_of(INTEGERS, st.lists(st.integers(0, 2**64 - 1), unique=True), LABELS, RUNS))
def test_ids_lead_to_nodes_and_back(labels: list[Hashable]) -> None:
    names = names_of(*as_ids(labels), len(labels))
    assert names.all.tolist() == [names.of(node) for node in range(len(labels))] == labels
    assert [names.node_of(label) for label in labels] == list(range(len(labels)))
    assert names.nodes_of(names.all).tolist() == list(range(len(labels)))
    odd: list[Any] = [2**70, -(2**63), 2**64 - 1, "none", (9, 9, 9), [1], 0.5, None, True]
    expected = [labels.index(id) if id in labels and id is not True else -1 for id in odd]
    assert [names.node_of(id) for id in odd] == expected
    assert names.nodes_of(np.array([2**64 - 1, 2**63], np.uint64)).tolist() == [
        labels.index(id) if id in labels else -1 for id in (2**64 - 1, 2**63)
    ]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([4, 5, 6], None),
        ([6, 5, 4], "int64"),
        ([np.int32(7), np.int64(3)], "int64"),
        ([2**63, 1], "uint64"),
        ([2**64, 1], "object"),
        ([2**63, -1], "object"),
        ([True, 5], "object"),
        (["1", "2"], "object"),
        ([(0, 0), (0, 1)], "object"),
        ([], None),
    ],
    ids=str,
)
def test_integers_are_numbers_and_everything_else_is_as_it_was(labels: list[Hashable], kind: str | None) -> None:
    ids, _ = as_ids(labels)
    assert (None if ids is None else str(ids.dtype)) == kind
    assert ids is None or ids.tolist() == labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "edges", [NAMED, [((0, 1), (0, 0)), ((0, 0), (1, 0))], [(9, 3), (3, 5)], [("a", 1), (1, 2.5)]], ids=str
)
def test_a_networkx_graph_keeps_its_nodes_and_their_order(kind: Any, edges: list[Any]) -> None:
    made = kind(edges)
    made.add_node("alone")
    graph = from_object(made)
    assert graph.original_ids.tolist() == list(made.nodes)
    directed = made if made.is_directed() else made.to_directed()
    assert sorted(arcs_of(graph).elements(), key=str) == sorted([(u, v, 1) for u, v in directed.edges()], key=str)
    assert well_formed(graph)
    assert graph.directed == made.is_directed()
    assert from_object(made, directed=False).is_symmetric


def test_a_view_of_a_networkx_graph_is_the_graph_that_it_shows() -> None:
    made = networkx.DiGraph(NAMED)
    view = made.subgraph(["Bob", "Zoe"])
    graph = from_object(view)
    assert graph.original_ids.tolist() == list(view.nodes)
    assert set(arcs_of(graph)) == {("Bob", "Zoe", 1), ("Bob", "Bob", 1)}


def test_a_networkx_graph_of_numbers_in_a_row_needs_no_table() -> None:
    graph = from_object(networkx.path_graph(5))
    assert graph.ids is None
    assert graph.describe() == (
        "graph: NetworkX, undirected, 5 nodes, 8 arcs (both directions of every edge), unweighted, ids 0..4"
    )
    assert from_object(networkx.Graph()).num_nodes == 0


def test_an_edge_without_weight_counts_one_and_that_is_said() -> None:
    made = networkx.Graph([("a", "b"), ("b", "c")])
    made["a"]["b"]["weight"] = 5
    with pytest.warns(StarplatWarning, match=r"the edge \('b', 'c'\) and perhaps others have no weight; they count 1"):
        graph = from_object(made)
    assert set(arcs_of(graph)) == {("a", "b", 5), ("b", "a", 5), ("b", "c", 1), ("c", "b", 1)}


@pytest.mark.parametrize("weight", ["3", float("nan"), float("inf"), [1], 1j])
def test_a_weight_that_is_no_number_names_its_edge(weight: object) -> None:
    made = networkx.DiGraph([("a", "b", {"weight": 2}), ("b", "c", {"weight": weight})])
    with pytest.raises(DiagnosticError, match=r"E0814.*the weight of \('b', 'c'\) is .*, which is no finite number"):
        from_object(made)


def test_weights_of_any_kind_of_number() -> None:
    made = networkx.DiGraph()
    made.add_weighted_edges_from([(0, 1, np.float32(0.5)), (1, 2, True), (2, 3, 2**70)])
    weights = from_object(made).weights
    assert weights is not None
    assert weights.tolist() == [0.5, 1.0, float(2**70)]


@pytest.mark.parametrize(
    "edges",
    [
        NAMED,
        [[u, v] for u, v in NAMED],
        [(u, v, 1) for u, v in NAMED],
        [(u, v, {"weight": 1, "kind": "x"}) for u, v in NAMED],
        networkx.DiGraph(NAMED).edges(data=True),
        zip(*zip(*NAMED, strict=True), strict=True),
    ],
    ids=lambda edges: type(edges).__name__,
)
def test_a_list_of_edges(edges: object) -> None:
    graph = from_object(edges)
    assert graph.original_ids.tolist() == ["Zoe", "Ann", "Bob"]
    assert set(arcs_of(graph)) == {(u, v, 1) for u, v in NAMED}


def test_a_list_of_edges_between_numbers() -> None:
    graph = from_object([(7, 3, 0.5), (3, 7, 2)])
    assert (graph.original_ids.tolist(), set(arcs_of(graph))) == ([3, 7], {(7, 3, 0.5), (3, 7, 2.0)})
    assert from_object([]).num_nodes == 0


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([(0, 1), (1, 2, 3)], r"edge 1 is \(1, 2, 3\), but edge 0 has 2 parts"),
        ([(0, 1), 5], r"edge 1 is 5, not \(u, v\)"),
        (["ab", "cd"], "edge 0 is 'ab', not"),
        ([(0, 1, "x")], r"the weight of \(0, 1\) is 'x'"),
        ([({}, 1)], "unhashable"),
    ],
)
def test_a_list_of_other_things_is_refused(edges: object, words: str) -> None:
    with pytest.raises(DiagnosticError, match=f"E0814.*{words}"):
        from_object(edges)


def test_names_in_tables() -> None:
    columns = {"src": ["Zoe", "Ann"], "dst": ["Ann", "Bob"], "weight": [1, 2]}
    for table in (pyarrow.table(columns), pyarrow.table(columns).cast(_dictionary()), _frame(columns)):
        graph = from_object(table)
        assert graph.original_ids.tolist() == ["Zoe", "Ann", "Bob"]
        assert set(arcs_of(graph)) == {("Zoe", "Ann", 1), ("Ann", "Bob", 2)}


def _dictionary() -> Any:
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return pyarrow.schema([("src", text), ("dst", pyarrow.large_string()), ("weight", pyarrow.int32())])


def _frame(columns: dict[str, list[Any]]) -> Any:
    """A pandas frame, where pandas is, else another table."""
    try:
        import pandas
    except ImportError:
        return pyarrow.table(columns)
    return pandas.DataFrame(columns)


def test_numbers_beside_names() -> None:
    assert from_object(([1, 2], ["a", "b"])).original_ids.tolist() == [1, "a", 2, "b"]
    assert from_object((np.array(["b", "a"]), np.array(["a", "c"]))).original_ids.tolist() == ["b", "a", "c"]


WRITERS: list[tuple[str, Callable[[Path], None]]] = [
    ("edgelist", lambda path: networkx.write_edgelist(networkx.DiGraph(NAMED), path)),
    ("weighted.edgelist", lambda path: networkx.write_weighted_edgelist(_weighted(), path)),
    ("data.edgelist", lambda path: networkx.write_edgelist(_weighted(), path)),
    ("commas.edgelist", lambda path: networkx.write_edgelist(_weighted(), path, delimiter=",")),
    ("adjlist", lambda path: networkx.write_adjlist(networkx.DiGraph(NAMED), path)),
    ("text.txt", lambda path: networkx.write_adjlist(networkx.DiGraph(NAMED), path)),
    ("graphml", lambda path: networkx.write_graphml(networkx.DiGraph(NAMED), path)),
    ("gexf", lambda path: networkx.write_gexf(networkx.DiGraph(NAMED), path)),
]


def _weighted() -> Any:
    made = networkx.DiGraph()
    made.add_weighted_edges_from((u, v, 1) for u, v in NAMED)
    return made


@pytest.mark.parametrize(("name", "written"), WRITERS, ids=[row[0] for row in WRITERS])
def test_what_networkx_writes_is_read(name: str, written: Callable[[Path], None], tmp_path: Path) -> None:
    written(tmp_path / name)
    graph = read(tmp_path / name)
    assert graph.original_ids.tolist() == ["Zoe", "Ann", "Bob"]
    assert set(arcs_of(graph)) == {(u, v, 1) for u, v in NAMED}


def test_a_blank_of_another_alphabet_belongs_to_a_name(tmp_path: Path) -> None:
    written = tmp_path / "names.txt"
    written.write_text("\u00a0# undirected\n", encoding="utf-8")
    assert len(arcs_of(read(written))) == 1  # no comment: a text program sees no blank there


def test_nodes_of_an_adjacency_list_are_in_the_order_of_its_lines(tmp_path: Path) -> None:
    made = networkx.DiGraph()
    made.add_nodes_from(["a", "alone", "b"])
    made.add_edge("a", "b")
    networkx.write_adjlist(made, tmp_path / "g.adjlist")
    assert read(tmp_path / "g.adjlist").original_ids.tolist() == ["a", "alone", "b"]


def test_an_adjacency_list_may_hold_no_edge(tmp_path: Path) -> None:
    made = networkx.Graph()
    for nodes in ([], ["a", "b"], [4, 2]):
        made.add_nodes_from(nodes)
        networkx.write_adjlist(made, tmp_path / "g.adjlist")
        graph = read(tmp_path / "g.adjlist")
        assert (graph.num_nodes, graph.num_arcs) == (made.number_of_nodes(), 0)


def test_tuples_in_an_adjacency_list_are_kept_or_refused(tmp_path: Path) -> None:
    made = networkx.grid_2d_graph(2, 2)
    networkx.write_adjlist(made, tmp_path / "g.adjlist")
    with pytest.raises(DiagnosticError, match=r"E0810\]: .*g\.adjlist:4:\d+: ids in brackets"):
        read(tmp_path / "g.adjlist")
    networkx.write_adjlist(made, tmp_path / "g.adjlist", delimiter="\t")
    assert read(tmp_path / "g.adjlist").original_ids.tolist() == [str(node) for node in made.nodes]
    networkx.write_edgelist(made, tmp_path / "g.edgelist", delimiter="\t")
    assert set(read(tmp_path / "g.edgelist").original_ids.tolist()) == {str(node) for node in made.nodes}


def test_labels_of_gml_are_names_where_each_node_has_its_own(tmp_path: Path) -> None:
    networkx.write_gml(networkx.Graph([("Zoe", "Ann")]), tmp_path / "g.gml")
    assert read(tmp_path / "g.gml").original_ids.tolist() == ["Zoe", "Ann"]
    (tmp_path / "g.gml").write_text('graph [ node [ id 7 label "x" ] node [ id 9 label "x" ] ]', encoding="utf-8")
    assert read(tmp_path / "g.gml").original_ids.tolist() == [7, 9]


TEXTS = ["Ann", "Bob Smith", 'say "hi"', "a,b", "ü", "7", "-1", "#x", "two\tx"]


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".el", ".spg", ".parquet"])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5, 6, 7, 8, 9], np.linspace(0.1, 0.9, 9)], ids=str)
def test_names_survive_being_written(suffix: str, weights: Any, tmp_path: Path) -> None:
    around = np.arange(9)
    graph = Graph.from_arcs(9, around, np.roll(around, 1), weights, ids=np.array(TEXTS, object))
    write(graph, tmp_path / f"g{suffix}")
    again = read(tmp_path / f"g{suffix}")
    assert arcs_of(again) == arcs_of(graph)
    assert well_formed(again)


def test_an_undirected_graph_with_names_comes_back_undirected(tmp_path: Path) -> None:
    graph = from_object(networkx.Graph(NAMED))
    for name in ("g.txt", "g.spg"):
        write(graph, tmp_path / name)
        assert not read(tmp_path / name).directed
        assert arcs_of(read(tmp_path / name)) == arcs_of(graph)


def test_spg_keeps_numbers_in_their_order_and_refuses_what_is_no_name(tmp_path: Path) -> None:
    graph = from_object(networkx.DiGraph([(9, 3), (3, 5)]))
    write(graph, tmp_path / "g.spg")
    assert b'"version": 2' in (tmp_path / "g.spg").read_bytes()
    assert read(tmp_path / "g.spg").original_ids.tolist() == [9, 3, 5]
    with pytest.raises(DiagnosticError, match=r"E0815.*other things than names, such as \(0, 0\)"):
        write(from_object(networkx.grid_2d_graph(2, 2)), tmp_path / "g.spg")


def test_an_spg_whose_ids_are_not_in_order_or_come_twice_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "g.spg"
    for ids, version in (([9, 3, 5], 1), ([9, 3, 9], 2)):
        write(Graph.from_arcs(3, [0], [1], ids=np.array(ids)), path)
        path.write_bytes(path.read_bytes().replace(b'"version": 2', b'"version": %d' % version))
        with pytest.raises(DiagnosticError, match="E0812"):
            read(path)


def test_names_come_out_of_the_cache_as_they_went_in(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("Zoe Ann\nAnn Bob\n")
    cache = GraphCache(tmp_path / "kept", from_bytes=0)
    first, again = (read(tmp_path / "g.txt", cache=cache) for _ in range(2))
    assert again.kept
    assert first.original_ids.tolist() == again.original_ids.tolist() == ["Zoe", "Ann", "Bob"]


def test_a_name_that_no_node_has_is_told_with_one_that_is_near() -> None:
    graph = from_object(networkx.DiGraph(NAMED), name="friends")
    with pytest.raises(
        DiagnosticError, match=r"no node of friends has the id 'An'; its ids are such as 'Zoe'"
    ) as caught:
        graph.node_of("An")
    assert caught.value.diagnostics[0].help == "did you mean 'Ann'?"
    digits = from_object([("1", "2")])
    with pytest.raises(DiagnosticError, match="did you mean '1'"):
        digits.node_of(1)
