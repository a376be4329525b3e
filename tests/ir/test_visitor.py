"""Walks reach everything in order."""

from __future__ import annotations

from starplat.ir import nodes as ir
from starplat.ir.visitor import (
    all_expressions,
    assigned_variables,
    expressions_of,
    used_arrays,
    used_scalars,
    walk_expression,
    walk_host,
    walk_kernel,
    written_arrays,
)
from tests.ir.building import DIST, NEXT, TRUE, V, binary, number, relax
from tests.ir.test_verify import sssp

X = ir.Variable("x", ir.Element.INT)


def test_walks_go_outside_in() -> None:
    assert [type(op) for op in walk_kernel(relax().body)] == [ir.ForNeighbors, ir.ExtremeCell, ir.Contribute]
    assert sum(isinstance(op, ir.Launch) for op in walk_host(sssp().functions[0].body)) == 1
    tree = binary("+", number(1), binary("*", number(2), number(3)))
    assert [e.value for e in walk_expression(tree) if isinstance(e, ir.Const)] == [1, 2, 3]


def test_carried_values_are_expressions_of_their_operation() -> None:
    (loop, _) = relax().body
    assert isinstance(loop, ir.ForNeighbors)
    assert TRUE in expressions_of(loop.body[0])
    assert any(isinstance(e, ir.Load) and e.array == ir.WEIGHTS for e in all_expressions(relax().body))


def test_what_a_kernel_uses() -> None:
    kernel = relax()
    assert used_arrays(kernel.body) == (ir.ROW_OFFSETS, ir.COLUMNS, ir.WEIGHTS, DIST, NEXT)
    assert written_arrays(kernel.body) == {DIST, NEXT}
    body = (ir.Let(X, ir.FindArc(ir.Ref(V), ir.Ref(ir.Variable("s", ir.Element.NODE)))), ir.SetLocal(X, number(1)))
    assert used_arrays(body) == (ir.ROW_OFFSETS, ir.COLUMNS)
    assert used_scalars(body, iterator=V) == (ir.Variable("s", ir.Element.NODE),)
    assert assigned_variables(body) == {X}
