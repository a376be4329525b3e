"""Updates come from files and from objects, and what is wrong in them has its place."""

from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, from_object
from starplat.graph.updates import Updates, read_updates, updates_from
from tests.graph.changing import Stream, streams

ROADS = Graph.from_arcs(4, [0, 1, 2], [1, 2, 3], [5, 6, 7], index_base=1, name="roads")
NAMED = from_object([("Ann", "Bob"), ("Bob", "New York"), ("New York", 7)], name="people")
GAPS = from_object([(10, 20), (20, 2**63 + 5)], name="gaps")

Listed = list[tuple[str, int, int, float]]


def listed(updates: Updates) -> Listed:
    weights = [1] * len(updates) if updates.weights is None else updates.weights.tolist()
    ends = updates.sources.tolist(), updates.destinations.tolist()
    return list(zip(["da"[kind] for kind in updates.kinds], *ends, weights, strict=True))


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


RIGHT: list[tuple[Graph, str, str | bytes, Listed]] = [
    (ROADS, "u.txt", "# now\n a 1 2 9\n\nd 3 4\r\nadd 2 2\n% end", [("a", 0, 1, 9), ("d", 2, 3, 1), ("a", 1, 1, 1)]),
    (ROADS, "u.txt", "\ufeffa\t4\t1\t2.5\n", [("a", 3, 0, 2.5)]),
    (ROADS, "u.csv", "a,1,2,9\nd,3,4\n", [("a", 0, 1, 9), ("d", 2, 3, 1)]),
    (ROADS, "u.csv", "dst,when,src,kind,w\n2,noon,1,a,9\n4,,3,d,\n", [("a", 0, 1, 9), ("d", 2, 3, 1)]),
    (ROADS, "u.txt", "kind src dst\ndelete 1 2\n", [("d", 0, 1, 1)]),
    (ROADS, "u.csv", "kind,src,dst,weight\nd,1,2,nan\n", [("d", 0, 1, 1)]),
    (ROADS, "u.txt", "", []),
    (ROADS, "u.txt", "# nothing\n", []),
    (ROADS, "u.gz", gzip.compress(b"a 1 2\n", mtime=0), [("a", 0, 1, 1)]),
    (NAMED, "u.txt", "a Ann Bob\nd Bob 7\n", [("a", 0, 1, 1), ("d", 1, 3, 1)]),
    (NAMED, "u.csv", 'kind,src,dst\na,"New York",Ann\n', [("a", 2, 0, 1)]),
    (GAPS, "u.txt", f"a 10 {2**63 + 5} -3\n", [("a", 0, 2, -3)]),
]


@pytest.mark.parametrize(("graph", "name", "text", "meant"), RIGHT)
def test_files_list_updates(graph: Graph, name: str, text: str | bytes, meant: Listed, tmp_path: Path) -> None:
    assert listed(read_updates(written(tmp_path, name, text), graph)) == meant


WRONG: list[tuple[Graph, str, str | bytes, str]] = [
    (ROADS, "u.txt", "a 1 2\nx 1 2\n", r"E0805\]: .*u.txt:2:1: expected a \(add\) or d \(delete\), found 'x'"),
    (ROADS, "u.txt", "1 2 3\n", r"E0805\]: .*u.txt:1:1: expected a"),
    (ROADS, "u.txt", "a 1\n", r"E0805\]: .*u.txt:1:1: expected 3 or 4 words, found 2"),
    (ROADS, "u.txt", "a 1 2 3 4\n", r"E0805\]: .*u.txt:1:1: expected 3 or 4 words, found 5"),
    (ROADS, "u.txt", "d 1 2 3\n", r"E0805\]: .*u.txt:1:7: a deletion has no weight"),
    (ROADS, "u.txt", "# c\na 11 1\n", r"E0816\]: .*u.txt:2:3: no node of roads has the id 11; its ids lie in 1..4"),
    (ROADS, "u.txt", "a 1 0\n", r"E0816\]: .*u.txt:1:5: no node of roads has the id 0"),
    (ROADS, "u.txt", "a 1 -1\n", r"E0816\]: .*u.txt:1:5: no node of roads has the id -1"),
    (ROADS, "u.txt", f"a 1 {10**30}\n", r"E0816\]: .*u.txt:1:5: no node of roads"),
    (ROADS, "u.txt", "a 1 Bob\n", r"E0805\]: .*u.txt:1:5: expected a node id, found 'Bob'"),
    (ROADS, "u.txt", "a 1 2 nan\n", r"E0809\]: .*u.txt:1:7: the weight nan is not a finite number"),
    (ROADS, "u.txt", "a 1 2 1e999\n", r"E0809\]: .*u.txt:1:7"),
    (ROADS, "u.txt", "a 1 2 heavy\n", r"E0805\]: .*u.txt:1:7: expected a weight, found 'heavy'"),
    (ROADS, "u.csv", "kind,src,dst,weight\na,1,9,5\n", r"E0816\]: .*u.csv:2:5: no node of roads has the id 9"),
    (ROADS, "u.csv", "kind,src,dst\na,1\n", r"E0805\]: .*u.csv:2:.*expected 3 columns"),
    (ROADS, "u.csv", "src,dst\n1,2\n", r"E0810\]: .*u.csv:1:1: the columns src, dst name no updates"),
    (ROADS, "u.csv", "kind,src,dst\na,,2\n", r"E0805\]: .*u.csv:2:.*expected a node id, found nothing"),
    (NAMED, "u.txt", "a Ann Cid\n", r"E0816\]: .*u.txt:1:7: no node of people has the id 'Cid'"),
    (ROADS, "u.bin", bytes(range(256)), r"E0810\]: .*u.bin: this binary file holds no updates"),
    (ROADS, "u.txt", "a 1 2\n\xff\n".encode("latin-1"), r"E0805\]: .*u.txt:2:1: this line is no UTF-8 text"),
    (ROADS, "u.gz", gzip.compress(b"a 1 2\n" * 99, mtime=0)[:-9], r"E0803"),
    (ROADS, "u.gz", gzip.compress(b"a 1 2\na " + b"1" * (9 << 20), mtime=0), r"E0805\]: .*u.gz:.*longer than 4 MiB"),
    (ROADS, "u.parquet", b"PAR1 and no more", r"E0812\]: .*u.parquet: the Parquet file is damaged"),
]


@pytest.mark.parametrize(("graph", "name", "text", "message"), WRONG)
def test_a_wrong_file_has_a_place(graph: Graph, name: str, text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match=message):
        read_updates(written(tmp_path, name, text), graph)


def test_a_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="E0801"):
        read_updates(tmp_path / "none.txt", ROADS)


@given(st.binary(max_size=60) | st.text("ad 123\n\t-.e#,", max_size=40).map(str.encode))
def test_any_file_gives_updates_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = written(tmp_path_factory.getbasetemp(), "any.txt", content)
    with suppress(DiagnosticError):
        assert all(kind in "ad" for kind, *_ in listed(read_updates(path, ROADS)))


@given(streams())
def test_lines_say_what_arrays_say(tmp_path_factory: pytest.TempPathFactory, stream: Stream) -> None:
    lines = [f"a {u} {v} {w}" if kind else f"d {u} {v}" for kind, u, v, w in stream.given]
    path = written(tmp_path_factory.getbasetemp(), "stream.txt", "\n".join(lines))
    kinds = stream.updates.kinds
    found, meant = (
        np.array(listed(updates), object).reshape(-1, 4)
        for updates in (read_updates(path, stream.graph), stream.updates)
    )
    assert np.array_equal(found[:, :3], meant[:, :3])
    assert np.array_equal(found[kinds == 1], meant[kinds == 1])


TUPLES = [("a", 1, 2, 9), ("d", 3, 4), ("add", 2, 2)]
ARRAYS = ([1, 0, 1], np.array([1, 3, 2]), np.array([2, 4, 2]))
MEANT = [("a", 0, 1, 9), ("d", 2, 3, 1), ("a", 1, 1, 1)]
UNWEIGHTED = [("a", 0, 1, 1), *MEANT[1:]]


def table(library: str, columns: dict[str, list[Any]]) -> Any:
    """A table of that library, which may not be installed."""
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (TUPLES, MEANT),
        ((update for update in TUPLES), MEANT),
        (ARRAYS, UNWEIGHTED),
        ((*ARRAYS, [9, np.nan, 1]), MEANT),
        ((["a", "delete", "a"], *ARRAYS[1:]), UNWEIGHTED),
        ([], []),
    ],
)
def test_objects_list_updates(given: Any, meant: Listed) -> None:
    assert listed(updates_from(given, ROADS)) == meant


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_list_updates(library: str, tmp_path: Path) -> None:
    found = table(library, {"op": ["a", "d", "a"], "src": [1, 3, 2], "dst": [2, 4, 2], "weight": [9, None, 1]})
    assert listed(updates_from(found, ROADS)) == MEANT
    if library == "pyarrow":
        from pyarrow import feather, parquet

        parquet.write_table(found, tmp_path / "u.parquet")
        feather.write_feather(found, tmp_path / "u.feather")
        assert listed(read_updates(tmp_path / "u.parquet", ROADS)) == MEANT
        assert listed(read_updates(tmp_path / "u.feather", ROADS)) == MEANT


def test_the_record_fits_its_graph() -> None:
    updates = updates_from(TUPLES, ROADS)
    assert updates_from(updates, ROADS) is updates
    with pytest.raises(DiagnosticError, match=r"E0819\]: these updates were made for a graph that has a node 3"):
        updates_from(updates, Graph.from_arcs(2, [0], [1]))
    with pytest.raises(DiagnosticError, match=r"E0819\]: these updates were made for a directed graph"):
        updates_from(updates, ROADS.undirected())
    assert updates_from(updates_from(TUPLES, ROADS.undirected()), ROADS.undirected())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "E0819.*a builtins.int holds no updates"),
        ("u.txt", "E0819.*a builtins.str holds no updates"),
        (np.zeros((2, 2)), "E0819"),
        ([("a", 1)], r"E0819.*update 0 is \('a', 1\), not"),
        ([("a", 1, 2), ("x", 1, 2)], "E0819.*the kind of update 1 is 'x'"),
        (([1, 2], [1, 1], [2, 2]), "E0819.*the kind of update 1 is 2"),
        (([1, [1]], [1, 1], [2, 2]), "E0819.*the kind of update 1"),
        (([1], [1, 1], [2]), "E0819.*of one length"),
        (([1], np.array([[1]]), [2]), "E0819.*of one length"),
        ([("a", 1, 9)], "E0816.*no node of roads has the id 9.*update 0"),
        ([("a", 1, 2.5)], "E0816.*no node of roads has the id 2.5"),
        ([("a", 1, 2, float("nan"))], "E0819.*the weight of update 0 is nan, no finite number"),
        ([("a", 1, 2, "x")], "E0819.*weights must be numbers"),
        ([("a", 1, 2, 10**400)], "E0819"),
    ],
)
def test_objects_that_are_no_updates_are_refused(given: Any, message: str) -> None:
    with pytest.raises(DiagnosticError, match=message):
        updates_from(given, ROADS)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("column", ["op", "src", "weight"])
def test_a_table_lacks_no_value_that_counts(library: str, column: str) -> None:
    columns: dict[str, list[Any]] = {"op": ["a", "a"], "src": [1, 1], "dst": [2, 2], "weight": [1, 2]}
    columns[column][1] = None
    with pytest.raises(DiagnosticError, match=r"E0814|E0819"):
        updates_from(table(library, columns), ROADS)
