"""Properties from files and dictionaries: what `--out` wrote comes back in, by id, whatever the order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.graph import Graph, from_object
from starplat.runtime import bind_text

PROGRAM = starplat.compile(
    "function f(Graph g, propNode<double> seed, propNode<node> best, propEdge<int> cap, propNode<bool> on) { }"
)
NAMED = [("Zoe", "Ann"), ("Ann", "Bob"), ("Ann", "Bob"), ("Bob", "Zoe")]
NUMBERED = [(30, 20), (20, 7), (20, 7), (7, 30)]


def cells(graph: Graph, **given: str) -> Any:
    (array,) = bind_text(PROGRAM.module(), graph, given).arrays.values()
    assert isinstance(array, np.ndarray)
    return array.tolist()


def file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return f"@{folder / name}"


def test_values_go_by_id_and_what_is_not_named_starts_at_zero(tmp_path: Path) -> None:
    graph = from_object(NAMED)
    assert graph.original_ids.tolist() == ["Zoe", "Ann", "Bob"]
    assert cells(graph, seed=file(tmp_path, "a.csv", "id,seed\nBob,2\nZoe,inf\n")) == [np.inf, 0, 2]
    assert cells(graph, seed=file(tmp_path, "b.csv", "x,seed_,id\n7,1.5,Ann\n") + ":x") == [0, 7, 0]
    assert cells(graph, best=file(tmp_path, "c.csv", "id,best\nAnn,Bob\nZoe,\n")) == [-1, 2, 0]
    assert cells(graph, on=file(tmp_path, "d.csv", "id,on\nAnn,true\n")) == [False, True, False]
    assert cells(graph, seed=file(tmp_path, "e.csv", "seed\n1\n2\n3\n")) == [1, 2, 3]
    hashed = from_object([("#1", "#2")])
    assert cells(hashed, seed=file(tmp_path, "g.csv", "id,seed\n#2,7\n#1,6\n")) == [6, 7]
    assert cells(graph, seed=file(tmp_path, "f.txt", "1, 2\n3\n")) == [1, 2, 3]


def test_parallel_edges_take_their_values_in_turn(tmp_path: Path) -> None:
    graph = from_object(NAMED)
    arcs = list(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    assert arcs == [(0, 1), (1, 2), (1, 2), (2, 0)]
    rows = "source,destination,cap\nBob,Zoe,9\nAnn,Bob,5\nAnn,Bob,6\n"
    assert cells(graph, cap=file(tmp_path, "a.csv", rows)) == [0, 5, 6, 9]


def test_arrays_may_have_ids_or_the_graphs_order(tmp_path: Path) -> None:
    graph = from_object(NUMBERED)
    assert graph.original_ids.tolist() == [7, 20, 30]
    np.savez(tmp_path / "a.npz", id=np.array([7, 30]), seed=np.array([1.0, 2.0]))
    np.savez(tmp_path / "b.npz", other=np.array([1, 2, 3]))
    np.save(tmp_path / "c.npy", np.array([4, 5, 6]))
    assert cells(graph, seed=f"@{tmp_path / 'a.npz'}") == [1, 0, 2]
    assert cells(graph, seed=f"@{tmp_path / 'b.npz'}") == [1, 2, 3]
    assert cells(graph, seed=f"@{tmp_path / 'c.npy'}") == [4, 5, 6]


@pytest.mark.parametrize(
    ("given", "text", "words"),
    [
        ("seed", "id,seed\nAnn,1\nAnn,2\n", "node Ann has two values"),
        ("seed", "id,seed\nAnna,1\n", "did you mean 'Ann'?"),
        ("seed", "id,seed\nAnn,much\n", "'much' is no number"),
        ("seed", "id,seed\nAnn\n", "row 2 has 1 cells, the first 2"),
        ("seed", "1\n2\n3\n", "the first line names the columns"),
        ("seed", "id,a,b\nAnn,1,2\n", "has no column 'seed'; its columns of values are: a, b"),
        ("seed", "", "is empty"),
        ("seed", "seed\n1\n", "E0707"),
        ("best", "id,best\nAnn,Nobody\n", "no node of graph has the id 'Nobody'"),
        ("cap", "source,destination,cap\nAnn,Bob,1\n", "2 edges from Ann to Bob cannot take 1 value"),
        ("cap", "source,destination,cap\nAnn,Zoe,1\n", "there is no edge from Ann to Zoe"),
        ("on", "id,on\nAnn,3\n", "3 is not true or false|int64 cannot become bool"),
    ],
)
def test_a_wrong_table_is_told(given: str, text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(starplat.DiagnosticError, match=words):
        cells(from_object(NAMED), **{given: file(tmp_path, "t.csv", text)})


@pytest.mark.parametrize("name", ["x.npz", "x.npy", "x.parquet", "x.csv", "x.txt"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 short", b"\x93NUMPY\x01\x00\xff\xff{", b"\xff\xfe\x00", b"\x00"])
def test_a_damaged_file_is_a_diagnostic(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(starplat.DiagnosticError, match="E07"):
        cells(from_object(NAMED), seed=f"@{tmp_path / name}")


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{}, 1], object), allow_pickle=True)
    with pytest.raises(starplat.DiagnosticError, match="pickled objects are not loaded"):
        cells(from_object(NAMED), seed=f"@{tmp_path / 'x.npy'}")


def test_a_dictionary_gives_values_by_id() -> None:
    graph = from_object(NAMED)
    program = starplat.compile(
        "function f(Graph g, propNode<double> seed, propEdge<int> cap, propNode<node> best) { g.num_nodes(); }"
    )
    given: dict[str, Any] = {"seed": {"Bob": 1}, "cap": {("Bob", "Zoe"): 3}, "best": {"Ann": "Zoe", "Zoe": None}}
    result = program.run(graph, target="reference", **given)
    assert result["seed"].tolist() == [0, 0, 1]
    assert result["cap"].tolist() == [0, 0, 0, 3]
    assert result["best"].tolist() == [None, "Zoe", "Zoe"]
    assert program.run(graph, target="reference", seed={})["seed"].tolist() == [0, 0, 0]
    assert program.run(graph, target="reference", seed=2)["seed"].tolist() == [2, 2, 2]
    assert program.run(graph, target="reference", best="Bob")["best"].tolist() == ["Bob"] * 3
    for wrong in ("much", {"Anna": 1}, {"Ann": "much"}, {None: 1}):
        with pytest.raises(starplat.DiagnosticError, match=r"E0706|E0712|E0816"):
            program.run(graph, target="reference", seed=wrong)
    with pytest.raises(starplat.DiagnosticError, match="which is a pair of ids"):
        program.run(graph, target="reference", cap={"Ann": 1})


def test_a_name_for_a_number_says_how_nodes_are_taken_by_name() -> None:
    program = starplat.compile("function f(Graph g, propNode<int> p, int src) { src.p = 1; }")
    graph, words = from_object(NAMED), r"E0712.*'Ann' is no number.*\n.*'node src' takes what nodes are called"
    with pytest.raises(starplat.DiagnosticError, match=words):
        program.run(graph, src="Ann")
    with pytest.raises(starplat.DiagnosticError, match=words):
        bind_text(program.module(), graph, {"src": "Ann"})


def test_a_series_goes_by_its_index_unless_that_only_counts() -> None:
    pandas = pytest.importorskip("pandas")
    program = starplat.compile("function f(Graph g, propNode<int> p, propEdge<int> w) { g.num_nodes(); }")
    graph = from_object([(30, 20), (20, 7), (20, 7)])
    result = program.run(graph, target="reference", p={30: 1, 20: 2, 7: 3}, w=[4, 5, 6])
    for frame, name in ((result.to_pandas(), "p"), (result.to_pandas(edges=True), "w")):
        turned = frame[name].iloc[::-1].sort_index(ascending=False, kind="stable")
        again = program.run(graph, target="reference", **{name: turned})
        assert sorted(again[name]) == sorted(result[name])
        assert again.to_dict("p") == (result.to_dict("p") if name == "p" else {30: 0, 20: 0, 7: 0})
    assert program.run(graph, target="reference", p=pandas.Series([1, 2, 3]))["p"].tolist() == [1, 2, 3]
    with pytest.raises(starplat.DiagnosticError, match=r"E0816"):
        program.run(graph, target="reference", p=pandas.Series([1, 2, 3], index=[1, 2, 3]))
    with pytest.raises(starplat.DiagnosticError, match=r"E0712.*its index has 1 levels instead of 2"):
        program.run(graph, target="reference", w=result.to_pandas()["p"])


def edges_of(graph: Graph, cap: object) -> Any:
    result = PROGRAM.run(graph, target="reference", seed=0, best=-1, on=False, cap=cap)
    return result.to_dict("cap")


def test_an_undirected_edge_has_a_value_both_ways(tmp_path: Path) -> None:
    graph = from_object([("a", "b"), ("b", "c"), ("c", "c")]).undirected()
    ab, bc = ("a", "b"), ("b", "c")
    none = {ab: 0, ab[::-1]: 0, bc: 0, bc[::-1]: 0, ("c", "c"): 0}
    assert edges_of(graph, {ab: 5, ("c", "c"): 2}) == none | {ab: 5, ab[::-1]: 5, ("c", "c"): 2}
    assert edges_of(graph, {bc[::-1]: 7, bc: 3}) == none | {bc[::-1]: 7, bc: 3}
    assert cells(graph, cap=file(tmp_path, "a.csv", "source,destination,cap\nb,a,4\n")) == [4, 4, 0, 0, 0]
    directed = from_object([("a", "b"), ("b", "a")])
    assert edges_of(directed, {ab: 5}) == {ab: 5, ab[::-1]: 0}


def test_parallel_edges_go_by_their_number_as_results_write_them() -> None:
    graph = from_object(NAMED)
    written = {("Zoe", "Ann", 0): 1, ("Ann", "Bob", 1): 3, ("Ann", "Bob", 0): 2, ("Bob", "Zoe", 0): 4}
    assert edges_of(graph, written) == written
    with pytest.raises(starplat.DiagnosticError, match="2 edges from Ann to Bob cannot take 1 value"):
        edges_of(graph, {("Ann", "Bob", 0): 2})
    with pytest.raises(starplat.DiagnosticError, match=r"\('Ann', 'Bob', 'x'\) is no edge, which is a pair of ids"):
        edges_of(graph, {("Ann", "Bob", "x"): 2})
