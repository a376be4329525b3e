"""Walks reach everything in order; rewriting rebuilds only what changed."""

from __future__ import annotations

from collections.abc import Iterable

from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    WEIGHTS,
    Array,
    Const,
    Contribute,
    Element,
    Expression,
    ExtremeCell,
    FindArc,
    ForNeighbors,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Load,
    Ref,
    SetLocal,
    Variable,
)
from starplat.ir.visitor import (
    Rewriter,
    all_expressions,
    assigned_variables,
    expressions_of,
    map_expression,
    used_arrays,
    used_scalars,
    walk_expression,
    walk_host,
    walk_kernel,
    written_arrays,
)
from tests.ir.building import DIST, MODIFIED, NEXT, TRUE, V, binary, number, relax
from tests.ir.test_verify import sssp

X = Variable("x", Element.INT)


def test_walks_go_outside_in() -> None:
    assert [type(op) for op in walk_kernel(relax().body)] == [ForNeighbors, ExtremeCell, Contribute]
    assert sum(isinstance(op, Launch) for op in walk_host(sssp().functions[0].body)) == 1
    tree = binary("+", number(1), binary("*", number(2), number(3)))
    assert [e.value for e in walk_expression(tree) if isinstance(e, Const)] == [1, 2, 3]


def test_carried_values_are_expressions_of_their_operation() -> None:
    (loop, _) = relax().body
    assert isinstance(loop, ForNeighbors)
    assert TRUE in expressions_of(loop.body[0])
    assert any(isinstance(e, Load) and e.array == WEIGHTS for e in all_expressions(relax().body))


def test_what_a_kernel_uses() -> None:
    kernel = relax()
    assert used_arrays(kernel.body) == (ROW_OFFSETS, COLUMNS, WEIGHTS, DIST, NEXT)
    assert written_arrays(kernel.body) == {DIST, NEXT}
    body = (Let(X, FindArc(Ref(V), Ref(Variable("s", Element.NODE)))), SetLocal(X, number(1)))
    assert used_arrays(body) == (ROW_OFFSETS, COLUMNS)
    assert used_scalars(body, iterator=V) == (Variable("s", Element.NODE),)
    assert assigned_variables(body) == {X}


def test_mapping_expressions_changes_the_innermost_first() -> None:
    def double(expression: Expression) -> Expression:
        return number(expression.value * 2) if isinstance(expression, Const) else expression

    assert map_expression(double, binary("+", number(1), number(2))) == binary("+", number(2), number(4))


def test_what_does_not_change_is_not_copied() -> None:
    kernel = relax()
    assert Rewriter().kernel_block(kernel.body)[0] is kernel.body[0]
    assert Rewriter().kernel(kernel) == kernel
    host = sssp().functions[0].body
    assert Rewriter().host_block(host) == host


def test_rewriting_renames_replaces_and_removes() -> None:
    class Pass(Rewriter):
        def array(self, array: Array) -> Array:
            return MODIFIED if array == NEXT else array

        def kernel_op(self, op: KernelOp) -> Iterable[KernelOp]:
            if isinstance(op, Contribute):
                return ()
            return (KernelIf(TRUE, (self.rebuild(op),)),) if isinstance(op, ForNeighbors) else (self.rebuild(op),)

    kernel = Pass().kernel(relax())
    assert len(kernel.body) == 1
    assert isinstance(kernel.body[0], KernelIf)
    assert kernel.arrays == (ROW_OFFSETS, COLUMNS, WEIGHTS, MODIFIED, DIST)
