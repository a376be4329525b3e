"""Operations of kernels as text, and the parts that they share with those of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.printing.expressions import print_expression


def print_ops(ops: Iterable[ir.KernelOp]) -> list[str]:
    """The lines of operations of a kernel."""
    return [line for op in ops for line in _kernel_lines(op)]


def _kernel_lines(op: ir.KernelOp) -> Iterator[str]:
    show = print_expression
    match op:
        case ir.Let(variable, value):
            yield f"let {print_variable(variable)} = {show(value)}"
        case ir.SetLocal(variable, value):
            yield f"{variable.name} = {show(value)}"
        case ir.Store(array, index, value, shared):
            yield f"{array.name}[{show(index)}] = {show(value)}{_shared(shared)}"
        case ir.UpdateCell(combine, array, index, value, shared):
            yield f"{array.name}[{show(index)}] {_assignment(combine)} {show(value)}{_shared(shared)}"
        case ir.ExtremeCell():
            yield from (_extreme(op), *indent(print_ops(op.also)))
        case ir.FetchAdd(variable, array, index, value) | ir.FetchOr(variable, array, index, value):
            sign = "+=" if isinstance(op, ir.FetchAdd) else "|="
            yield f"{variable.name} = fetch {array.name}[{show(index)}] {sign} {show(value)}"
        case ir.CompareSwap(variable, array, index, expected, value):
            yield f"{variable.name} = swap {array.name}[{show(index)}] from {show(expected)} to {show(value)}"
        case ir.Contribute(reduction, value):
            yield f"contribute {reduction.name} {show(value)}"
        case ir.KernelIf(condition, then, otherwise):
            yield f"if {show(condition)}"
            yield from indent(print_ops(then))
            if otherwise:
                yield "else"
                yield from indent(print_ops(otherwise))
        case ir.KernelWhile() | ir.KernelFor() | ir.ForRange() | ir.ForNeighbors():
            yield from _loop(op)
        case ir.KernelBreak():
            yield "break"
        case ir.KernelContinue():
            yield "continue"
        case ir.KernelReturn(value):
            yield "return" if value is None else f"return {show(value)}"
        case ir.KernelCall(call):
            yield show(call)
        case _:
            assert_never(op)


def _loop(op: ir.KernelWhile | ir.KernelFor | ir.ForRange | ir.ForNeighbors) -> Iterator[str]:
    show = print_expression
    match op:
        case ir.KernelWhile(condition, body, test_last):
            yield f"do while {show(condition)}" if test_last else f"while {show(condition)}"
            yield from indent(print_ops(body))
        case ir.KernelFor(condition, step, body):
            yield f"for {show(condition)}"
            yield from indent(print_ops(body))
            yield "step"
            yield from indent(print_ops(step))
        case ir.ForRange(variable, first, end, body):
            yield f"for {print_variable(variable)} in {show(first)} .. {show(end)}"
            yield from indent(print_ops(body))
        case ir.ForNeighbors(direction, node, neighbor, position, body, parallel):
            word = "forall" if parallel else "for"
            yield f"{word} {neighbor.name} in {print_row(direction, node)} at {position.name}"
            yield from indent(print_ops(body))
        case _:
            assert_never(op)


def _assignment(combine: ir.Combine) -> str:
    return f"{combine.value}="


def _shared(shared: bool) -> str:
    return " shared" if shared else ""


def _extreme(op: ir.ExtremeCell) -> str:
    carried = "".join(
        f", {carry.array.name}[{print_expression(carry.index)}] = {print_expression(carry.value)}"
        for carry in op.carried
    )
    cell = f"{op.array.name}[{print_expression(op.index)}]"
    lock = "" if op.lock is None else f" lock {op.lock.name}"
    return f"{cell} {_assignment(op.extreme)} {print_expression(op.candidate)}{carried}{_shared(op.shared)}{lock}"


# --- parts -----------------------------------------------------------------------------------------------------------


def print_variable(variable: ir.Variable) -> str:
    """A variable and its type."""
    return f"{variable.name}: {variable.element.value}"


def print_array(array: ir.Array) -> str:
    """An array, its type, its length and where it comes from."""
    kind = " set" if array.is_set else ""
    return f"{array.name}: {array.element.value}[{array.extent.value}] {array.origin.value}{kind}"


def print_row(direction: ir.Direction, node: ir.Expression) -> str:
    """The neighbors of a node."""
    return f"{direction.value}_neighbors({print_expression(node)})"


def indent(lines: Iterable[str]) -> Iterator[str]:
    """The lines one step further in."""
    return (f"  {line}" for line in lines)
