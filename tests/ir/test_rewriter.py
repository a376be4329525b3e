"""Rewriting reaches everything and rebuilds only what changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from starplat.ir import nodes as ir
from starplat.ir.module_rewriter import ModuleRewriter, with_arrays, with_graph_arrays
from starplat.ir.rewriter import KernelRule, Replacer, Rewriter, map_expression
from starplat.ir.visitor import EXPRESSIONS, walk_kernel
from tests.ir.building import DIST, MODIFIED, NEXT, TRUE, binary, number, relax
from tests.ir.test_verify import sssp


def test_mapping_expressions_changes_the_innermost_first() -> None:
    def double(expression: ir.Expression) -> ir.Expression:
        return number(expression.value * 2) if isinstance(expression, ir.Const) else expression

    assert map_expression(double, binary("+", number(1), number(2))) == binary("+", number(2), number(4))


def test_what_does_not_change_is_not_copied() -> None:
    kernel = relax()
    assert Rewriter().kernel_block(kernel.body)[0] is kernel.body[0]
    assert Rewriter().kernel(kernel) is kernel
    host = sssp().functions[0].body
    assert Rewriter().host_block(host) == host


def test_rewriting_renames_replaces_and_removes() -> None:
    class Pass(Rewriter):
        def array(self, array: ir.Array) -> ir.Array:
            return MODIFIED if array == NEXT else array

        def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
            if isinstance(op, ir.Contribute):
                return ()
            return (ir.KernelIf(TRUE, (self.rebuild(op),)),) if isinstance(op, ir.ForNeighbors) else (self.rebuild(op),)

    kernel = Pass().kernel(relax())
    assert len(kernel.body) == 1
    assert isinstance(kernel.body[0], ir.KernelIf)
    assert kernel.arrays == (ir.ROW_OFFSETS, ir.COLUMNS, ir.WEIGHTS, MODIFIED, DIST)


def test_a_rule_changes_what_it_is_for_wherever_that_stands() -> None:
    def doubled(op: ir.KernelOp) -> Iterable[ir.KernelOp] | None:
        return (op, op) if isinstance(op, ir.Contribute) else None

    def contributions(body: Iterable[ir.KernelOp]) -> int:
        return sum(isinstance(op, ir.Contribute) for op in walk_kernel(body))

    before, after = relax().body, KernelRule(doubled).kernel_block(relax().body)
    assert contributions(after) == 2 * contributions(before) > 0


def test_an_expression_takes_the_place_of_another_and_is_not_looked_into() -> None:
    one, two = number(1), number(2)
    replacer = Replacer({one: binary("+", one, two)})
    assert replacer.expression(binary("+", two, one)) == binary("+", two, binary("+", one, two))


def test_a_module_has_the_kernels_and_arrays_that_its_functions_need() -> None:
    class Doubling(ModuleRewriter):
        def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
            if isinstance(op, ir.Launch) and not self.kernels:
                kernel = self.given.kernel(op.kernel)
                self.kernels.append(replace(kernel, name=self.taken.fresh(kernel.name)))
                self.arrays.append(
                    ir.Array(self.taken.fresh("more"), ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
                )
                return (op, ir.Launch(self.kernels[0].name))
            return (self.rebuild(op),)

    given = sssp()
    made = Doubling(given).module()
    assert len(made.kernels) == len(given.kernels) + 1
    assert [array.name for array in made.functions[0].arrays][-1] == "more"
    assert made.kernels[-1].name not in {kernel.name for kernel in given.kernels}
    assert with_graph_arrays(with_arrays(made)) == made


def test_expressions_are_looked_into_only_where_a_rewrite_changes_what_stands_in_them() -> None:
    class Watching(Rewriter):
        def __init__(self) -> None:
            self.seen: set[type] = set()

        def rebuild(self, node: Any) -> Any:
            self.seen.add(type(node))
            return super().rebuild(node)

    class OfArrays(Watching):
        def array(self, array: ir.Array) -> ir.Array:
            return MODIFIED if array == NEXT else array

    body = relax().body
    plain, of_arrays = Watching(), OfArrays()
    assert plain.kernel_block(body) == body
    assert of_arrays.kernel_block(body) != body
    assert ir.ForNeighbors in plain.seen
    assert not plain.seen & {*EXPRESSIONS}
    assert of_arrays.seen & {*EXPRESSIONS}
