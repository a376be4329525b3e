"""Verifies the operations of one kernel or helper."""

from collections.abc import Iterable
from typing import assert_never

from starplat.ir import build, capabilities, nodes as ir, visitor
from starplat.ir.verifying.wellformed import Scope

_ON_BITS = (ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)


def combines(combine: ir.Combine, element: ir.Element) -> bool:
    """Whether values of this kind can be combined so."""
    if combine in (ir.Combine.AND, ir.Combine.OR):
        return element is ir.Element.BOOL
    if combine in _ON_BITS:
        return not element.is_real
    return element is not ir.Element.BOOL


class Body:
    """The operations of one kernel or helper."""

    def __init__(
        self, scope: Scope, reductions: set[ir.Variable], *, result: ir.Element | None, in_helper: bool, alone: bool
    ) -> None:
        self.scope, self.reductions, self.result = scope, reductions, result
        self.in_helper, self.alone = in_helper, alone
        self.locals: set[ir.Variable] = set()
        self.loops = 0

    def block(self, ops: Iterable[ir.KernelOp]) -> None:
        with self.scope.block():
            for op in ops:
                self.op(op)

    def loop(self, *blocks: Iterable[ir.KernelOp]) -> None:
        self.loops += 1
        for block in blocks:
            self.block(block)
        self.loops -= 1

    def op(self, op: ir.KernelOp) -> None:
        scope = self.scope
        match op:
            case ir.Let(variable, value):
                scope.value(value, variable.element)
                scope.declare(variable)
                self.locals.add(variable)
            case ir.SetLocal(variable, value):
                self.local(variable)
                scope.value(value, variable.element)
            case ir.Store(array, index, value, shared, in_runs):
                self.cell(array, index, value, shared)
                alone = value == build.TRUE and not shared
                scope.require(alone or not in_runs, f"'{array.name}' gets something besides own nodes in runs")
            case ir.UpdateCell(combine, array, index, value, shared):
                self.cell(array, index, value, shared)
                scope.require(combines(combine, array.element), f"'{array.name}' cannot be updated by {combine.value}")
            case ir.ExtremeCell():
                self.extreme(op)
            case ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
                self.fetched(op)
            case ir.Contribute(reduction, value):
                scope.require(reduction in self.reductions, f"'{reduction.name}' is none of the reductions")
                scope.value(value, reduction.element)
            case ir.KernelIf(condition, then, otherwise):
                scope.condition(condition)
                self.block(then)
                self.block(otherwise)
            case ir.KernelWhile() | ir.KernelFor() | ir.ForRange():
                self.repeated(op)
            case ir.ForNeighbors():
                self.neighbors(op)
            case ir.KernelBreak():
                scope.require(self.loops > 0, "break outside a loop")
            case ir.KernelContinue():
                scope.require(self.loops > 0 or not self.in_helper, "continue outside a loop")
            case ir.KernelReturn(value):
                scope.require(self.in_helper, "return outside a helper")
                scope.returned(value, self.result)
            case ir.KernelCall(call):
                scope.call(call, for_effect=True)
            case _:
                assert_never(op)

    def repeated(self, op: ir.KernelWhile | ir.KernelFor | ir.ForRange) -> None:
        match op:
            case ir.KernelWhile(condition, body):
                self.scope.condition(condition)
                self.loop(body)
            case ir.KernelFor(condition, step, body):
                self.scope.condition(condition)
                self.loop(body)
                self.block(step)
            case ir.ForRange(variable, first, end, body):
                self.scope.value(first, variable.element)
                self.scope.value(end, variable.element)
                with self.scope.block():
                    self.scope.declare(variable)
                    self.loop(body)
            case _:
                assert_never(op)

    def cell(self, array: ir.Array, index: ir.Expression, value: ir.Expression, shared: bool) -> None:
        self.scope.written(array)
        self.scope.index(index)
        self.scope.value(value, array.element)
        self.scope.require(not (shared and self.alone), f"'{array.name}' is shared, but there is one iteration")

    def local(self, variable: ir.Variable) -> None:
        self.scope.variable(variable)
        self.scope.require(variable in self.locals, f"'{variable.name}' is set but no local")

    def fetched(self, op: ir.FetchAdd | ir.FetchOr | ir.CompareSwap) -> None:
        """A local receives what a cell held before."""
        variable, array = op.variable, op.array
        self.cell(array, op.index, op.value, shared=False)
        if isinstance(op, ir.CompareSwap):
            self.scope.value(op.expected, array.element)
        if isinstance(op, ir.FetchAdd) and op.in_runs:
            adds_one = array.element is ir.Element.INT and op.value == build.ONE
            self.scope.require(
                adds_one, f"more than 1, or another number than an int, is added to '{array.name}' in runs"
            )
        self.local(variable)
        alike = capabilities.machine_elements(variable.element) == capabilities.machine_elements(array.element)
        self.scope.require(alike and array.element.is_integer, f"'{variable.name}' cannot hold '{array.name}'")

    def extreme(self, op: ir.ExtremeCell) -> None:
        if op.array.pairs is None:
            self.cell(op.array, op.index, op.candidate, op.shared)
        else:
            self.pair(op, op.array.pairs)
        self.scope.require(op.extreme in (ir.Combine.MIN, ir.Combine.MAX), f"'{op.extreme.value}' is no extreme")
        for carry in op.carried:
            self.cell(carry.array, carry.index, carry.value, op.shared)
        if op.lock is not None:
            fits = (op.lock.element, op.lock.extent) == (ir.Element.INT, op.array.extent)
            self.scope.array(op.lock)
            self.scope.require(fits, f"'{op.lock.name}' is no lock for '{op.array.name}'")
            self.scope.require(op.shared and bool(op.carried), f"the lock '{op.lock.name}' is for nothing")
        self.block(op.also)

    def pair(self, op: ir.ExtremeCell, pairs: tuple[ir.Element, ir.Element]) -> None:
        self.scope.written(op.array)
        self.scope.index(op.index)
        for value, element in zip((op.candidate, op.partner), pairs, strict=True):
            self.scope.require(value is not None and op.lock is None, f"a pair of '{op.array.name}' is not whole")
            if value is not None:
                self.scope.value(value, element)

    def neighbors(self, op: ir.ForNeighbors) -> None:
        self.scope.index(op.node)
        self.scope.require(op.neighbor.element is ir.Element.NODE, f"'{op.neighbor.name}' is no node")
        self.scope.require(op.position.element is ir.Element.ARC, f"'{op.position.name}' is no arc")
        for array in visitor.arrays_in(op):
            self.scope.array(array)
        with self.scope.block():
            self.scope.declare(op.position)
            self.scope.declare(op.neighbor)
            self.loop(op.body)
