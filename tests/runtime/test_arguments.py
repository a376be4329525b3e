"""Arguments are taken without loss or refused with a list of the parameters."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType, Type
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import bind, bind_text
from starplat.runtime.elements import Value
from tests.runtime.programs import A, module

GRAPH = Graph.from_arcs(4, [0, 1, 2], [1, 2, 3], ids=np.array([2, 4, 8, 16]))


def taking(**types: Type | tuple[Type, ir.Const]) -> ir.Module:
    """A module with these parameters."""
    arguments = [ir.Argument("g", GraphType())]
    for name, kind in types.items():
        arguments.append(ir.Argument(name, *kind) if isinstance(kind, tuple) else ir.Argument(name, kind))
    plain = module(parameters=(A,))
    return type(plain)(**{**{n: getattr(plain, n) for n in plain.__dataclass_fields__}, "arguments": tuple(arguments)})


def codes(error: pytest.ExceptionInfo[DiagnosticError]) -> list[str]:
    return [diagnostic.code for diagnostic in error.value.diagnostics]


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (Scalar.INT, 42, 42),
        (Scalar.INT, np.int64(42), 42),
        (Scalar.INT, 3.0, 3),
        (Scalar.INT, math.inf, 2**31 - 1),
        (Scalar.LONG, 2**40, 2**40),
        (Scalar.LONG, math.inf, 2**63 - 1),
        (Scalar.LONG, -math.inf, -(2**63) + 1),
        (Scalar.DOUBLE, 1, 1.0),
        (Scalar.FLOAT, 0.1, float(np.float32(0.1))),
        (Scalar.FLOAT, math.inf, math.inf),
        (Scalar.BOOL, True, True),
        (Scalar.BOOL, np.bool_(False), False),
        (Scalar.NODE, 8, 2),
        (Scalar.NODE, -1, -1),
        (Scalar.EDGE, 2, 2),
    ],
)
def test_scalars(kind: Scalar, given: object, expected: Value) -> None:
    value = bind(taking(x=kind), GRAPH, {"x": given}).scalars["x"]
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Scalar.INT, "-7", -7),
        (Scalar.INT, "INF", 2**31 - 1),
        (Scalar.INT, "1e3", 1000),
        (Scalar.LONG, "-INF", -(2**63) + 1),
        (Scalar.DOUBLE, ".5", 0.5),
        (Scalar.DOUBLE, "1e-6", 1e-6),
        (Scalar.DOUBLE, "INF", math.inf),
        (Scalar.BOOL, "true", True),
        (Scalar.BOOL, "False", False),
        (Scalar.NODE, "16", 3),
    ],
)
def test_words(kind: Scalar, text: str, expected: Value) -> None:
    assert bind_text(taking(x=kind), GRAPH, {"x": text}).scalars["x"] == expected


@pytest.mark.parametrize(
    ("kind", "given", "code"),
    [
        (Scalar.INT, 2**31, "E0706"),
        (Scalar.INT, 1.5, "E0712"),
        (Scalar.INT, True, "E0712"),
        (Scalar.INT, "many", "E0712"),
        (Scalar.INT, None, "E0712"),
        (Scalar.INT, math.nan, "E0712"),
        (Scalar.FLOAT, 1e300, "E0706"),
        (Scalar.DOUBLE, 10**400, "E0706"),
        (Scalar.BOOL, 1, "E0712"),
        (Scalar.NODE, 5, "E0816"),
        (Scalar.NODE, 2.5, "E0712"),
        (Scalar.EDGE, 3, "E0706"),
        (SetType(Scalar.NODE), 2, "E0712"),
        (SetType(Scalar.NODE), [2, 3], "E0816"),
        (SetType(Scalar.NODE), [-1], "E0706"),
        (PropertyType(Carrier.NODE, Scalar.INT), [1, 2, 3], "E0707"),
        (PropertyType(Carrier.NODE, Scalar.INT), [[1, 2, 3, 4]], "E0707"),
        (PropertyType(Carrier.NODE, Scalar.INT), [1, 2, 3, 2**31], "E0706"),
        (PropertyType(Carrier.NODE, Scalar.INT), [1, 2, 3, 4.5], "E0712"),
        (PropertyType(Carrier.NODE, Scalar.BOOL), [1, 0, 1, 0], "E0712"),
        (PropertyType(Carrier.NODE, Scalar.FLOAT), [1e300, 0, 0, 0], "E0706"),
        (PropertyType(Carrier.NODE, Scalar.FLOAT), [2**24 + 1, 0, 0, 0], "E0706"),
        (PropertyType(Carrier.NODE, Scalar.INT), ["a", "b", "c", "d"], "E0712"),
    ],
)
def test_what_does_not_fit_is_refused(kind: Type, given: object, code: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        bind(taking(x=kind), GRAPH, {"x": given})
    assert codes(error) == [code]


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (PropertyType(Carrier.NODE, Scalar.INT), [1, 2, math.inf, -math.inf], [1, 2, 2**31 - 1, -(2**31) + 1]),
        (PropertyType(Carrier.NODE, Scalar.DOUBLE), [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]),
        (PropertyType(Carrier.NODE, Scalar.NODE), [4, -1, 16, 2], [1, -1, 3, 0]),
        (PropertyType(Carrier.EDGE, Scalar.BOOL), [True, False, True], [True, False, True]),
        (SetType(Scalar.NODE), [16, 2], [True, False, False, True]),
        (SetType(Scalar.NODE), np.array([True, False, True, False]), [True, False, True, False]),
        (SetType(Scalar.NODE), [], [False] * 4),
        (SetType(Scalar.EDGE), {1}, [False, True, False]),
    ],
)
def test_arrays(kind: Type, given: object, expected: list[Value]) -> None:
    assert bind(taking(x=kind), GRAPH, {"x": given}).arrays["x"].tolist() == expected


def test_sets_and_properties_from_files(tmp_path: Path) -> None:
    ids, values = tmp_path / "some ids.txt", tmp_path / "values.npy"
    ids.write_text("16,\n2  4")
    np.save(values, np.array([4, 3, 2, 1]))
    types = taking(
        s=SetType(Scalar.NODE), p=PropertyType(Carrier.NODE, Scalar.INT), q=PropertyType(Carrier.NODE, Scalar.INT)
    )
    bound = bind_text(types, GRAPH, {"s": f"@{ids}", "p": f"@{values}", "q": "INF"})
    assert bound.arrays["s"].tolist() == [True, True, False, True]
    assert bound.arrays["p"].tolist() == [4, 3, 2, 1]
    assert bound.arrays["q"].tolist() == [2**31 - 1] * 4
    with pytest.raises(DiagnosticError, match="E0711"):
        bind_text(types, GRAPH, {"s": f"@{tmp_path / 'none'}"})
    for name in ("s", "p"):
        with pytest.raises(DiagnosticError, match="'@' stands before the name of a file"):
            bind_text(types, GRAPH, {name: "@"})


def test_defaults_are_taken() -> None:
    types = taking(damping=(Scalar.DOUBLE, ir.Const(0.85, ir.Element.DOUBLE)))
    assert bind(types, GRAPH, {}).scalars == {"damping": 0.85}
    assert bind(types, GRAPH, {"damping": 1}).scalars == {"damping": 1.0}


def test_every_mistake_is_told_with_the_parameters() -> None:
    types = taking(src=Scalar.NODE, limit=Scalar.INT, dist=PropertyType(Carrier.NODE, Scalar.INT))
    with pytest.raises(DiagnosticError) as error:
        bind(types, GRAPH, {"sorce": 2, "scr": 2, "g": 1})
    assert codes(error) == ["E0702", "E0702", "E0702", "E0701", "E0701"]
    assert "its parameters are: node src, int limit, propNode<int> dist (may be left out)" in str(error.value)
    assert "did you mean 'src'?" in str(error.value)
