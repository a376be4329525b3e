"""Operations of the host as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.printing.expressions import print_arguments, print_expression
from starplat.ir.printing.operations import indent, print_row, print_variable


def print_host_ops(ops: Iterable[ir.HostOp]) -> list[str]:
    """The lines of operations of the host."""
    return [line for op in ops for line in _host_op(op)]


def _host_op(op: ir.HostOp) -> Iterator[str]:
    match op:
        case ir.DeclareVariable(variable, value):
            yield f"let {print_variable(variable)} = {print_expression(value)}"
        case ir.SetVariable(variable, value):
            yield f"{variable.name} = {print_expression(value)}"
        case ir.Fill(array, value):
            yield f"fill {array.name} with {print_expression(value)}"
        case ir.CopyArray(destination, source):
            yield f"copy {source.name} to {destination.name}"
        case ir.Swap(first, second):
            yield f"swap {first.name}, {second.name}"
        case ir.Launch(kernel):
            yield f"launch {kernel}"
        case ir.ReadCell() | ir.WriteCell() | ir.CheckCell() | ir.ReadSize() | ir.ReadEmpty() | ir.ListMembers():
            yield _of_cells(op)
        case ir.HostIf(condition, then, otherwise):
            yield f"if {print_expression(condition)}"
            yield from indent(print_host_ops(then))
            if otherwise:
                yield "else"
                yield from indent(print_host_ops(otherwise))
        case ir.HostWhile() | ir.HostFor() | ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers():
            yield from _host_loop(op)
        case ir.HostBreak() | ir.HostContinue() | ir.HostReturn() | ir.HostCall():
            yield _jump(op)
        case ir.HostBlock(body):
            yield from print_host_ops(body)
        case ir.NearestFirst() | ir.PushOrPull() | ir.OnDevice() | ir.InBatches():
            yield from _scheduled(op)
        case _:
            assert_never(op)


def _of_cells(op: ir.ReadCell | ir.WriteCell | ir.CheckCell | ir.ReadSize | ir.ReadEmpty | ir.ListMembers) -> str:
    """What the host asks cells and sets, or writes to them."""
    match op:
        case ir.ReadCell(variable, array, index):
            return f"read {variable.name} = {array.name}[{print_expression(index)}]"
        case ir.WriteCell(array, index, value):
            return f"write {array.name}[{print_expression(index)}] = {print_expression(value)}"
        case ir.CheckCell(array, index):
            return f"check {array.name}[{print_expression(index)}]"
        case ir.ReadSize(variable, flags):
            return f"{variable.name} = size of {flags.name}"
        case ir.ReadEmpty(variable, flags, when_empty):
            return f"{variable.name} = {flags.name} is {'empty' if when_empty else 'not empty'}"
        case ir.ListMembers(flags, array, first):
            return f"list {flags.name} in {array.name}[{print_expression(first)} ..]"
        case _:
            assert_never(op)


def _jump(op: ir.HostBreak | ir.HostContinue | ir.HostReturn | ir.HostCall) -> str:
    """What goes on elsewhere."""
    match op:
        case ir.HostBreak():
            return "break"
        case ir.HostContinue():
            return "continue"
        case ir.HostReturn(value):
            return "return" if value is None else f"return {print_expression(value)}"
        case ir.HostCall(function, arguments, result):
            target = "" if result is None else f"{result.name} = "
            return f"{target}call {function}({print_arguments(arguments)})"
        case _:
            assert_never(op)


def _scheduled(op: ir.NearestFirst | ir.PushOrPull | ir.OnDevice | ir.InBatches) -> Iterator[str]:
    """What a schedule has made."""
    match op:
        case ir.NearestFirst(body, _, now, _, later, values, step):
            yield f"nearest first: {now.name} by {values.name} in steps of {step.name}, others in {later.name}"
            yield from indent(print_host_ops(body))
        case ir.PushOrPull(members, push, pull):
            yield f"push, or pull if {members.name} has many"
            yield from _parts((("push", push), ("pull", pull)))
        case ir.OnDevice(name, body):
            yield f"on device {name}{', one group' * op.one_group}{', traced' * op.traced}"
            yield from indent(print_host_ops(body))
        case ir.InBatches(goes_on, body, most):
            yield f"do while {goes_on.name}, up to {most} rounds ahead"
            yield from indent(print_host_ops(body))
        case _:
            assert_never(op)


def _host_loop(op: ir.HostLoop) -> Iterator[str]:
    show = print_expression
    match op:
        case ir.HostWhile(before, condition, body, test_last):
            yield f"do while {show(condition)}" if test_last else f"while {show(condition)}"
            yield from _parts((("before", before), ("body", body)))
        case ir.HostFor(before, condition, step, body):
            yield f"for {show(condition)}"
            yield from _parts((("before", before), ("body", body), ("step", step)))
        case ir.HostForRange(variable, first, end, body):
            yield f"for {print_variable(variable)} in {show(first)} .. {show(end)}"
            yield from indent(print_host_ops(body))
        case ir.HostForNeighbors(direction, node, neighbor, position, body):
            yield f"for {neighbor.name} in {print_row(direction, node)} at {position.name}"
            yield from indent(print_host_ops(body))
        case ir.HostForMembers(variable, members, body):
            yield f"for {print_variable(variable)} in {members.name}"
            yield from indent(print_host_ops(body))
        case _:
            assert_never(op)


def _parts(parts: Iterable[tuple[str, tuple[ir.HostOp, ...]]]) -> Iterator[str]:
    """The named blocks of a loop, those that hold anything."""
    for name, body in parts:
        if body:
            yield f"  {name}"
            yield from indent(indent(print_host_ops(body)))
