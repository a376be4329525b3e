"""A cell that was read and is stored to whatever it held is stored to only if that changes it."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.ir.verifying.modules import verify
from starplat.passes.changed_cells import changed_cells
from tests.passes.programs import every_node, lines
from tests.zoo import graph


def rewritten(body: str, filter: str = "") -> list[str]:
    made = changed_cells(every_node(body, filter))
    verify(made)
    return lines(made)


def test_a_store_beside_a_load_asks_first() -> None:
    text = rewritten("int before = v.c; v.c = v.d * 2; v.a = before;")
    at = text.index("let old_c: int = c[v]")
    assert text[at + 1 : at + 4] == ["let before: int = old_c", "let new_c: int = d[v] * 2", "if old_c != new_c"]
    assert text[at + 4] == "c[v] = new_c"


def test_two_cells_may_change_places() -> None:
    text = rewritten("int before = v.c; v.c = v.d; v.d = before;")
    assert "if old_c != new_c" in text
    assert "if old_d != before" in text


def test_what_is_at_hand_is_not_named_again() -> None:
    text = rewritten("int x = v.d * 2; int before = v.c; v.c = x; v.d = before;")
    assert "if old_c != x" in text
    assert not any("new_c" in line for line in text)


def test_zeros_of_either_sign_are_told_apart() -> None:
    text = rewritten("double x = v.b; double before = v.a; v.a = x; v.c = before > 1.0 ? 1 : 2;")
    assert "if old_a != x || x == 0.0" in text


@pytest.mark.parametrize(
    "body",
    [
        "v.c = v.d;",  # nothing is loaded
        "v.c = v.c + v.d;",  # the store waits for the load
        "int x = v.c; x += 1; v.c = x;",
        "int x = 0; if (v.c > 3) { x = 1; } v.c = x;",
        "int x = v.c; for (w in g.neighbors(v)) { w.c += 1; } v.c = 2; v.d = x;",  # others write the cell
        "if (v.f) { int x = v.c; v.c = 2; v.d = x; }",  # only under a condition
    ],
)
def test_other_stores_stay(body: str) -> None:
    assert rewritten(body) == lines(every_node(body))


def test_signs_and_what_is_no_number_come_through() -> None:
    program = """
        function exchange(Graph g, propNode<double> a, propNode<double> b) {
            forall (v in g.nodes()) { double before = v.a; v.a = v.b; v.b = before; }
        }
    """
    values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 0.0, -0.0])
    nodes = graph("alone", 8, [])
    result = starplat.compile(program).run(nodes, target="reference", arguments={"a": values, "b": values[::-1].copy()})
    assert np.array_equal(result.properties["a"].view(np.int64), values[::-1].copy().view(np.int64))
    assert np.array_equal(result.properties["b"].view(np.int64), values.view(np.int64))
