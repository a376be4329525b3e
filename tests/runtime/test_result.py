"""Summaries are exact, JSON has the promised shape, and validation finds the first wrong node."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.runtime import run_module, validate
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.results.result import summarised
from starplat.runtime.validate import agreeing
from tests.backends.modules import sssp
from tests.runtime.devices import device_of

GRAPH = Graph.from_arcs(4, [0, 1, 0], [1, 2, 2], [5, 6, 20], ids=np.array([1, 2, 3, 7]))


def test_sums_of_whole_numbers_are_exact() -> None:
    summary = summarised(np.array([2**62, 2**62, 2**62, 2**63 - 1, -3], np.int64), Scalar.LONG)
    assert (summary.count, summary.finite, summary.sum) == (5, 4, 3 * 2**62 - 3)
    assert (summary.min, summary.max) == (-3, 2**62)


def test_only_finite_values_count() -> None:
    ints = summarised(np.array([4, 2**31 - 1, 6], np.int32), Scalar.INT)
    assert (ints.finite, ints.sum, ints.min, ints.max) == (2, 10, 4, 6)
    reals = summarised(np.array([0.5, np.inf, np.nan, 1.5], np.float32), Scalar.FLOAT)
    assert (reals.finite, reals.sum, reals.min, reals.max) == (2, 2.0, 0.5, 1.5)
    bools = summarised(np.array([True, False, True]), Scalar.BOOL)
    assert (bools.finite, bools.sum, bools.min, bools.max) == (3, 2, 0, 1)
    none = summarised(np.array([np.inf]), Scalar.DOUBLE)
    assert (none.count, none.finite, none.sum, none.min, none.max) == (1, 0, 0.0, None, None)


def test_nodes_are_shown_by_their_original_ids() -> None:
    cells = np.array([3, -1, 0, 2], np.int32)
    assert shown_cells(cells, PropertyType(Carrier.NODE, Scalar.NODE), GRAPH).tolist() == [7, -1, 1, 3]


def test_json_has_the_schema() -> None:
    result = run_module(sssp(), GRAPH, target="reference", arguments={"src": 1}, results=["dist"], repeat=2)
    shown = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(shown) == [
        *("schema", "program", "function", "graph", "target", "device"),
        *("returned", "properties", "seconds", "bytes", "validated", "warnings"),
    ]
    assert shown["graph"] == {"nodes": 4, "arcs": 3, "directed": True}
    assert shown["properties"] == {"dist": {"type": "int", "count": 4, "finite": 3, "sum": 16, "min": 0, "max": 11}}
    assert list(shown["seconds"]) == ["load", "compile", "upload", "run", "download"]
    assert len(shown["seconds"]["run"]) == 2
    assert shown["validated"] is None


def test_an_unknown_result_is_refused() -> None:
    with pytest.raises(DiagnosticError, match="did you mean 'dist'"):
        run_module(sssp(), GRAPH, target="reference", arguments={"src": 1}, results=["dits"])
    result = run_module(sssp(), GRAPH, target="reference", arguments={"src": 1}, results=[])
    with pytest.raises(DiagnosticError, match="E0710"):
        result["dist"]


def test_validation_finds_the_first_node_that_differs() -> None:
    device_of("opencl")
    result = run_module(sssp(), GRAPH, target="opencl", arguments={"src": 1})
    checked, verdict = validate(result, sssp(), {"src": 1})
    assert (checked.validated, verdict.valid) == (True, True)
    wrong = replace(result, properties={**result.properties, "dist": np.array([0, 5, 12, 99], np.int32)})
    checked, verdict = validate(wrong, sssp(), {"src": 1})
    assert checked.validated is False
    assert str(verdict) == "differs: dist[node 3] is 12, the interpreter says 11 (2 values differ)"
    assert validate(result, sssp(), {"src": 1}, racy=True)[1].valid is None


def test_reals_agree_within_the_tolerance_of_their_type() -> None:
    right = np.array([1.0, 1.0, np.inf, np.nan, 1e-12, 0.0])
    near = np.array([1.00005, 1.001, np.inf, np.nan, 1e-7, np.inf])
    assert agreeing(near, right, Scalar.FLOAT).tolist() == [True, False, True, True, True, False]
    assert agreeing(near, right, Scalar.DOUBLE).tolist() == [False, False, True, True, False, False]
