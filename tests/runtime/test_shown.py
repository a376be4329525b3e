"""Results follow the input, and are what Python expects of a mapping: names, dictionaries, frames, a short text."""

from __future__ import annotations

import math
import re
import sys
import warnings
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st

import starplat
from starplat.runtime import Result
from starplat.runtime.results.histogram import counted

ROOT = Path(__file__).resolve().parents[2]
SSSP = starplat.compile(ROOT / "examples" / "sssp.sp")
ROADS = [("Zoe", "Ann", 2), ("Ann", "Bob", 3), ("Bob", "Cid", 1)]
INF = 2**31 - 1


def named() -> Any:
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(ROADS)
    graph.add_node("alone")
    return graph


def found(graph: Any, **given: Any) -> Result:
    return SSSP(graph, target="reference", **given)


def test_a_networkx_graphs_results_are_in_the_order_of_its_nodes() -> None:
    graph = named()
    result = found(graph, src="Zoe")
    assert result.ids.tolist() == list(graph.nodes)
    assert result["dist"].tolist() == [0, 2, 5, 6, INF]
    networkx.set_node_attributes(graph, result.to_dict("dist"), "dist")
    assert graph.nodes["Cid"]["dist"] == 6


def test_a_result_is_a_mapping() -> None:
    result = found(named(), src="Zoe")
    assert list(result) == ["dist", "weight"]
    assert {name: len(cells) for name, cells in dict(result).items()} == {"dist": 5, "weight": 3}
    assert "dist" in result
    assert "dst" not in result
    assert result.get("dst") is None
    assert dict.fromkeys([result])[result] is None
    assert len({result, found(named(), src="Zoe")}) == 2
    with pytest.raises(KeyError, match=r"error\[E0710\]: there is no result 'dst'\n= help: did you mean 'dist'\?"):
        result["dst"]
    nothing = starplat.compile("function f(Graph g) { return 3; }")(ROADS, target="reference")
    assert (dict(nothing), bool(nothing), nothing.returned) == ({}, True, 3)


def test_edges_go_by_both_ends_and_parallel_ones_by_a_number_too() -> None:
    assert found(ROADS, src="Zoe").to_dict("weight") == {(u, v): w for u, v, w in ROADS}
    many = networkx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    weights = found(many, src="a").to_dict("weight")
    assert weights == {("a", "b", 0): 1, ("a", "b", 1): 1, ("b", "c", 0): 1}
    networkx.set_edge_attributes(many, weights, "weight")


def test_a_frame_has_the_inputs_ids() -> None:
    pytest.importorskip("pandas")
    result = found(named(), src="Zoe")
    assert result.to_pandas()["dist"].to_dict() == result.to_dict("dist")
    assert result.to_pandas(edges=True)["weight"].to_dict() == result.to_dict("weight")


def test_without_pandas_a_frame_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(starplat.DiagnosticError, match=r"E0813.*needs pandas\n= help: pip install pandas"):
        found(ROADS, src="Zoe").to_pandas()


def test_the_text_of_a_result_fits_in_ten_lines() -> None:
    result = found(named(), src="Zoe")
    assert repr(result).splitlines() == [
        "<Result of sssp on reference, interpreter: 5 nodes, 3 arcs>",
        "  dist    propNode<int>  0 2 5 6 INF",
        "  weight  propEdge<int>  2 3 1",
    ]
    many = ", ".join(f"propNode<double> p{number}" for number in range(30))
    program = starplat.compile(
        f"function f(Graph g, {many}) {{ forall (v in g.nodes()) {{ v.p3 = 1 / 3.0; }} return 1; }}"
    )
    text = repr(program((np.arange(1000), np.arange(1000)), target="reference"))
    assert len(text.splitlines()) <= 10
    assert max(map(len, text.splitlines())) <= 100
    assert "p3   propNode<double>  0.333333 0.333333" in text
    assert "and 23 more" in text
    assert text.endswith("returned 1")


def test_a_returned_infinity_has_its_name_where_people_read_it() -> None:
    """In Python it is the number that it is, which programs compare."""
    one_way = (np.array([0]), np.array([1]))
    result = starplat.diameter(one_way, target="reference")
    assert result.returned == INF
    assert result.to_json()["returned"] == "INF"
    assert repr(result).splitlines()[-1] == "  returned INF"
    assert "returned INF" in result._repr_html_()
    several = "function f(Graph g) { float far = INF; long farther = INF; bool so = True; return far, farther, so, 2; }"
    result = starplat.compile(several)(one_way, target="reference")
    assert result.returned == (math.inf, 2**63 - 1, True, 2)
    assert result.to_json()["returned"] == ["INF", "INF", True, 2]
    assert repr(result).splitlines()[-1] == "  returned INF, INF, True, 2"
    listed = "function f(Graph g) { list<int> found; found.push(INF); found.push(1); return found; }"
    assert starplat.compile(listed)(one_way, target="reference").to_json()["returned"] == ["INF", 1]


def test_a_notebook_shows_the_first_nodes_and_escapes_what_they_are_called() -> None:
    page = found([("<b>", "a&b", 2), *(("a&b", number, 1) for number in range(20))], src="<b>")._repr_html_()
    assert "<tr><td>&lt;b&gt;</td><td>0</td></tr><tr><td>a&amp;b</td><td>2</td></tr>" in page
    assert page.count("<tr>") == 11 + 3
    assert "… and 12 more nodes" in page


def test_a_notebook_shows_a_histogram_of_each_property() -> None:
    result = found(named(), src="Zoe")
    page = result._repr_html_()
    assert "<tr><td>dist</td><td>propNode&lt;int&gt;</td><td>4</td><td>0</td><td>6</td><td><svg" in page
    assert "<tr><td>weight</td><td>propEdge&lt;int&gt;</td><td>3</td><td>1</td><td>3</td><td><svg" in page
    dist, weight = re.findall(r"<svg.*?</svg>", page)
    assert (dist.count("<rect"), weight.count("<rect")) == (4, 3)
    xml.etree.ElementTree.fromstring(dist)
    assert result._ipython_key_completions_() == ["dist", "weight"]


def test_a_property_without_finite_values_has_no_histogram() -> None:
    nowhere = starplat.compile("function f(Graph g, propNode<double> p) { g.attachNodeProperty(p = INF); }")
    assert "<svg" not in nowhere(ROADS, target="reference")._repr_html_()
    assert "<svg" not in nowhere(starplat.Graph.from_arcs(0, [], []), target="reference")._repr_html_()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.just(5e-324), min_size=1))
def test_a_histogram_counts_every_value_once(values: list[float]) -> None:
    counts, limits = counted(np.asarray(values))
    assert counts.sum() == len(values)
    assert len(limits) == len(counts) + 1
    assert np.all(np.diff(limits / 2) > 0)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1) | st.lists(st.integers(0, 5), min_size=1))
def test_whole_numbers_have_a_bar_each_where_they_are_few(values: list[int]) -> None:
    counts, _ = counted(np.asarray(values))
    assert counts.sum() == len(values)
    if max(values) - min(values) < 10:
        assert counts.tolist() == [values.count(n) for n in range(min(values), max(values) + 1)]


def test_a_graph_may_be_a_path_or_a_list_of_edges(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in ROADS), encoding="utf-8")
    expected = {"Zoe": 0, "Ann": 2, "Bob": 5, "Cid": 6}
    for graph in (path, str(path), ROADS):
        assert found(graph, src="Zoe").to_dict("dist") == expected
    with pytest.raises(starplat.DiagnosticError, match="E0801"):
        found("nowhere.gr", src=1)


def test_names_of_every_kind_of_input_lead_in_and_out(tmp_path: Path) -> None:
    networkx.write_graphml(named(), tmp_path / "g.graphml")
    result = found(tmp_path / "g.graphml", src="Zoe")
    assert result.to_dict("dist") == {"Zoe": 0, "Ann": 2, "Bob": 5, "Cid": 6, "alone": INF}
    with pytest.raises(starplat.DiagnosticError, match=re.escape("did you mean 'Zoe'?")):
        found(named(), src="Zoé")


def test_warnings_reach_pythons_warnings() -> None:
    body = "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.p = v; } }"
    text = f"function f(Graph g, propNode<int> p) {{\n  {body}\n}}"
    with pytest.warns(starplat.StarplatWarning, match=r"program\.sp:2:\d+: race on property 'p'.* \(W0501\)") as said:
        starplat.compile(text)
    assert said[0].filename == __file__
    assert said[0].message.diagnostic.code == "W0501"  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        starplat.compile(ROOT / "examples" / "sssp.sp")
