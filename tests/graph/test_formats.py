"""Files that others published are read as they say themselves."""

from __future__ import annotations

import io
from pathlib import Path

import networkx
import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse

from starplat.graph import Graph, read
from starplat.graph.formats import FORMATS
from tests.graph.graphs import DATA, ROOT, arcs_of, well_formed

PUBLISHED = [
    # file, nodes, arcs, directed, weight type, first id
    ("lagraph/A.mtx", 7, 30, False, None, 1),
    ("lagraph/karate.mtx", 34, 156, False, None, 1),
    ("lagraph/jagmesh7.mtx", 1138, 7450, False, None, 1),
    ("lagraph/cover.mtx", 7, 12, True, "int32", 1),
    ("lagraph/west0067.mtx", 67, 294, True, "float64", 1),
    ("lagraph/west0067_noheader.mtx", 67, 294, True, "float64", 1),
    ("lagraph/LFAT5_hypersparse.mtx", 2000, 46, False, "float64", 1),
    ("lagraph/matrix_int64.mtx", 7, 12, True, "int64", 1),
    ("lagraph/matrix_uint32.mtx", 7, 12, True, "int64", 1),
    ("ldbc/example-directed.e", 10, 17, True, "float64", 1),
    ("ldbc/example-directed.v", 10, 17, True, "float64", 1),
    ("ldbc/example-undirected.e", 9, 24, False, "float64", 2),
    ("gapbs/4.el", 14, 256, True, None, 0),
    ("gapbs/4.wel", 14, 256, True, "int32", 0),
    ("gapbs/4.gr", 14, 256, True, "int32", 1),
    ("gapbs/4.mtx", 14, 256, True, None, 1),
    ("gapbs/4w.mtx", 14, 256, True, "int32", 1),
    ("gapbs/4.graph", 14, 53, True, None, 1),
    ("gapbs/4w.graph", 14, 53, True, "int32", 1),
    ("networkit/karate.graph", 34, 156, False, None, 1),
    ("networkit/lesmis.graph", 77, 508, False, "int32", 1),
    ("networkit/jazz.graph", 198, 5484, False, None, 1),
    ("networkit/power.graph", 4941, 13188, False, None, 1),
    ("cugraph/karate.csv", 34, 156, True, "float64", 0),
    ("cugraph/dolphins.csv", 62, 318, True, "float64", 0),
    ("gunrock/chesapeake.mtx", 39, 340, False, None, 1),
    ("graphit/monaco.wel", 1590, 4263, True, "int32", 0),
    ("graphit/rmat10.el.gz", 1024, 20992, True, None, 0),
]


@pytest.mark.parametrize(("name", "n", "m", "directed", "weights", "first"), PUBLISHED, ids=str)
def test_published_files_have_their_sizes(
    name: str, n: int, m: int, directed: bool, weights: str | None, first: int
) -> None:
    graph = read(DATA / name)
    assert (graph.num_nodes, graph.num_arcs, graph.directed, graph.original_id(0)) == (n, m, directed, first)
    assert (None if graph.weights is None else str(graph.weights.dtype)) == weights
    assert well_formed(graph)


@pytest.mark.parametrize("reference", sorted((DATA / "gapbs" / "reference").glob("*.out")), ids=lambda path: path.stem)
def test_gap_reads_the_same_graph(reference: Path) -> None:
    graph = read(DATA / "gapbs" / reference.stem.removeprefix("graph-")).without_loops().deduplicated()
    n, m = graph.num_nodes, graph.num_arcs
    assert reference.read_text().strip() == f"Graph has {n} nodes and {m} directed edges for degree: {m // n}"


@pytest.mark.parametrize("name", ["cover", "west0067", "karate", "jagmesh7", "LFAT5", "matrix_int64", "structure"])
def test_matrix_market_agrees_with_scipy(name: str) -> None:
    expected = scipy.io.mmread(DATA / "lagraph" / f"{name}.mtx", spmatrix=False).tocsr()
    graph = read(DATA / "lagraph" / f"{name}.mtx")
    assert np.array_equal(graph.row_offsets, expected.indptr)
    assert np.array_equal(graph.columns, expected.indices)
    assert graph.weights is None or np.array_equal(graph.weights, expected.data)


def test_all_of_gaps_formats_hold_the_same_graph() -> None:
    first = read(DATA / "gapbs" / "4.el")
    for name in ("4.wel", "4.gr", "4.mtx"):
        other = read(DATA / "gapbs" / name)
        assert np.array_equal(first.columns, other.columns)
        assert np.array_equal(first.row_offsets, other.row_offsets)


def test_the_road_network_that_ships_is_read() -> None:
    graph = read(ROOT / "examples" / "graphs" / "liechtenstein.gr.gz")
    assert (graph.num_nodes, graph.num_arcs, graph.node_of(1)) == (16912, 34116, 0)
    assert graph.describe() == (
        "liechtenstein.gr.gz: DIMACS shortest paths, directed, 16,912 nodes, 34,116 arcs, "
        "weights int32 2..7515, ids 1..16912"
    )


TEXTS = [
    # name, text, arcs by original id, directed, nodes
    ("snap.txt", "# FromNodeId ToNodeId\n7\t3\n3\t900000000000\n", {(7, 3, 1), (3, 900000000000, 1)}, True, 3),
    ("u.txt", "# Undirected graph: x\n1 2\n", {(1, 2, 1), (2, 1, 1)}, False, 2),
    ("gap.el", "0 5\n", {(0, 5, 1)}, True, 6),
    ("plain", "1,2\r\n2,4\r\n", {(1, 2, 1), (2, 4, 1)}, True, 3),
    ("max.txt", "18446744073709551615 5\n", {(18446744073709551615, 5, 1)}, True, 2),
    ("tw.gr", "c x\np tw 3 1\n1 2\n", {(1, 2, 1), (2, 1, 1)}, False, 3),
    ("col", "c\np edge 3 1\ne 1 2\n", {(1, 2, 1), (2, 1, 1)}, False, 3),
    ("late.gr", "p sp 2 1\nc a comment below\na 1 2 7\n", {(1, 2, 7)}, True, 2),
    ("no-end.gr", "p sp 2 1\na 1 2 -7", {(1, 2, -7)}, True, 2),
    ("web.graph-txt", "3\n1 2\n\n0\n", {(0, 1, 1), (0, 2, 1), (2, 0, 1)}, True, 3),
    ("metis", "% c\n3 2 1\n2 7 3 8\n1 7\n1 8\n", {(1, 2, 7), (2, 1, 7), (1, 3, 8), (3, 1, 8)}, False, 3),
    ("sizes.graph", "2 1 111 2\n9 5 5 2 7\n9 5 5 1 7\n", {(1, 2, 7), (2, 1, 7)}, False, 2),
    ("t.csv", "weight,dst,src\n0.5,2,1\n", {(1, 2, 0.5)}, True, 2),
    ("t.tsv", "from\tto\n4\t2\n", {(4, 2, 1)}, True, 2),
    ("q.csv", 'name,"u","v",w\n"a, ""b""",1,2,3\n,2,1,4\n', {(1, 2, 3), (2, 1, 4)}, True, 2),
    ("g.gml", "graph [ node [ id 3 ] node [ id 5 ] edge [ source 3 target 5 ] ]", {(3, 5, 1), (5, 3, 1)}, False, 2),
    ("g.net", '*Vertices 2\n1 "1"\n2 "2"\n*Arcs\n1 2 4\n', {(1, 2, 4.0)}, True, 2),
]


@pytest.mark.parametrize(("name", "text", "arcs", "directed", "nodes"), TEXTS, ids=[row[0] for row in TEXTS])
def test_small_texts(
    name: str, text: str, arcs: set[tuple[int, int, float]], directed: bool, nodes: int, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    graph = read(path)
    assert (set(arcs_of(graph)), graph.directed, graph.num_nodes) == (arcs, directed, nodes)
    assert well_formed(graph)


def test_graphml_and_gexf(tmp_path: Path) -> None:
    made = networkx.DiGraph()
    made.add_weighted_edges_from([(10, 20, 2), (20, 5, 3)])
    networkx.write_graphml(made, tmp_path / "g.graphml")
    networkx.write_gexf(made, tmp_path / "g.gexf")
    for name in ("g.graphml", "g.gexf"):
        assert set(arcs_of(read(tmp_path / name))) == {(10, 20, 2), (20, 5, 3)}


def test_tables_of_arrow(tmp_path: Path) -> None:
    table = pyarrow.table({"note": ["a", "b"], "source": [4, 9], "target": [9, 2], "weight": [0.5, 2.5]})
    pyarrow.parquet.write_table(table, tmp_path / "g.parquet")
    pyarrow.feather.write_feather(table, str(tmp_path / "g.feather"))
    with pyarrow.ipc.new_stream(str(tmp_path / "g.arrows"), table.schema) as stream:
        stream.write_table(table)
    for name in ("g.parquet", "g.feather", "g.arrows"):
        assert set(arcs_of(read(tmp_path / name))) == {(4, 9, 0.5), (9, 2, 2.5)}


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_scipy_archives(kind: str, tmp_path: Path) -> None:
    matrix = scipy.sparse.coo_array(([5, 6], ([0, 2], [1, 0])), shape=(4, 4)).asformat(kind)
    scipy.sparse.save_npz(tmp_path / "g.npz", matrix)
    graph = read(tmp_path / "g.npz")
    assert graph.num_nodes == 4
    assert set(arcs_of(graph)) == {(0, 1, 5), (2, 0, 6)}


def test_galois_versions(tmp_path: Path) -> None:
    def words(*values: int) -> bytes:
        return np.array(values, "<u8").tobytes()

    second = words(2, 8, 2, 3, 2, 3) + words(0, 1, 0) + words(7, 8, 9)
    first = words(1, 4, 2, 3, 2, 3) + np.array([0, 1, 0, 0, 7, 8, 9], "<u4").tobytes()
    for content in (first, second):
        (tmp_path / "g.gr").write_bytes(content)
        assert set(arcs_of(read(tmp_path / "g.gr"))) == {(0, 0, 7), (0, 1, 8), (1, 0, 9)}


def test_a_file_of_arrays_may_list_neighbors_in_any_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", indptr=[0, 2, 2, 2], indices=[2, 1], weights=[7, 8])
    graph = read(tmp_path / "g.npz")
    assert graph.columns.tolist() == [1, 2]
    assert graph.weights is not None
    assert graph.weights.tolist() == [8, 7]


def test_options_of_read(tmp_path: Path) -> None:
    (tmp_path / "g.el").write_text("0 1 5\n0 1 3\n1 1 9\n")
    plain = read(tmp_path / "g.el", undirected=True, drop_loops=True, dedup=True)
    assert set(arcs_of(plain)) == {(0, 1, 3), (1, 0, 3)}
    assert not plain.directed
    random = read(tmp_path / "g.el", undirected=True, weights="random:1..9:4")
    assert random.is_symmetric
    ones = read(tmp_path / "g.el", weights="ones").weights
    assert ones is not None
    assert ones.tolist() == [1, 1, 1]


def test_progress_hears_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "g.el"
    path.write_text("10 20\n" * 2_000_000)
    heard: list[tuple[str, int, int]] = []
    read(path, progress=lambda *state: heard.append(state))
    assert len(heard) > 2
    assert heard[-1] == ("reading g.el", 12_000_000, 12_000_000)


def test_every_format_has_a_name_of_its_own() -> None:
    names = [format.name for format in FORMATS]
    assert len(set(names)) == len(names)


def test_reading_leaves_no_file_open(tmp_path: Path) -> None:
    (tmp_path / "g.el").write_text("0 1\n")
    graph = read(tmp_path / "g.el")
    (tmp_path / "g.el").unlink()
    assert isinstance(graph, Graph)
    assert io.BytesIO(graph.columns.tobytes()).read() == b"\1\0\0\0"
