"""Operations of the host as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from starplat.ir.nodes import (
    CheckCell,
    CopyArray,
    DeclareVariable,
    Fill,
    HostBlock,
    HostBreak,
    HostCall,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostIf,
    HostLoop,
    HostOp,
    HostReturn,
    HostWhile,
    InBatches,
    Launch,
    ListMembers,
    NearestFirst,
    OnDevice,
    PushOrPull,
    ReadCell,
    ReadEmpty,
    ReadSize,
    SetVariable,
    Swap,
    WriteCell,
)
from starplat.ir.print_expression import print_arguments, print_expression
from starplat.ir.print_ops import indent, print_row, print_variable


def print_host_ops(ops: Iterable[HostOp]) -> list[str]:
    """The lines of operations of the host."""
    return [line for op in ops for line in _host_op(op)]


def _host_op(op: HostOp) -> Iterator[str]:
    match op:
        case DeclareVariable(variable, value):
            yield f"let {print_variable(variable)} = {print_expression(value)}"
        case SetVariable(variable, value):
            yield f"{variable.name} = {print_expression(value)}"
        case Fill(array, value):
            yield f"fill {array.name} with {print_expression(value)}"
        case CopyArray(destination, source):
            yield f"copy {source.name} to {destination.name}"
        case Swap(first, second):
            yield f"swap {first.name}, {second.name}"
        case Launch(kernel):
            yield f"launch {kernel}"
        case ReadCell() | WriteCell() | CheckCell() | ReadSize() | ReadEmpty() | ListMembers():
            yield _of_cells(op)
        case HostIf(condition, then, otherwise):
            yield f"if {print_expression(condition)}"
            yield from indent(print_host_ops(then))
            if otherwise:
                yield "else"
                yield from indent(print_host_ops(otherwise))
        case HostWhile() | HostFor() | HostForRange() | HostForNeighbors() | HostForMembers():
            yield from _host_loop(op)
        case HostBreak() | HostContinue() | HostReturn() | HostCall():
            yield _jump(op)
        case HostBlock(body):
            yield from print_host_ops(body)
        case NearestFirst() | PushOrPull() | OnDevice() | InBatches():
            yield from _scheduled(op)
        case _:
            assert_never(op)


def _of_cells(op: ReadCell | WriteCell | CheckCell | ReadSize | ReadEmpty | ListMembers) -> str:
    """What the host asks cells and sets, or writes to them."""
    match op:
        case ReadCell(variable, array, index):
            return f"read {variable.name} = {array.name}[{print_expression(index)}]"
        case WriteCell(array, index, value):
            return f"write {array.name}[{print_expression(index)}] = {print_expression(value)}"
        case CheckCell(array, index):
            return f"check {array.name}[{print_expression(index)}]"
        case ReadSize(variable, flags):
            return f"{variable.name} = size of {flags.name}"
        case ReadEmpty(variable, flags, when_empty):
            return f"{variable.name} = {flags.name} is {'empty' if when_empty else 'not empty'}"
        case ListMembers(flags, array, first):
            return f"list {flags.name} in {array.name}[{print_expression(first)} ..]"
        case _:
            assert_never(op)


def _jump(op: HostBreak | HostContinue | HostReturn | HostCall) -> str:
    """What goes on elsewhere."""
    match op:
        case HostBreak():
            return "break"
        case HostContinue():
            return "continue"
        case HostReturn(value):
            return "return" if value is None else f"return {print_expression(value)}"
        case HostCall(function, arguments, result):
            target = "" if result is None else f"{result.name} = "
            return f"{target}call {function}({print_arguments(arguments)})"
        case _:
            assert_never(op)


def _scheduled(op: NearestFirst | PushOrPull | OnDevice | InBatches) -> Iterator[str]:
    """What a schedule has made."""
    match op:
        case NearestFirst(body, _, now, _, later, values, step):
            yield f"nearest first: {now.name} by {values.name} in steps of {step.name}, others in {later.name}"
            yield from indent(print_host_ops(body))
        case PushOrPull(members, push, pull):
            yield f"push, or pull if {members.name} has many"
            yield from _parts((("push", push), ("pull", pull)))
        case OnDevice(name, body):
            yield f"on device {name}{', one group' * op.one_group}{', traced' * op.traced}"
            yield from indent(print_host_ops(body))
        case InBatches(goes_on, body, most):
            yield f"do while {goes_on.name}, up to {most} rounds ahead"
            yield from indent(print_host_ops(body))
        case _:
            assert_never(op)


def _host_loop(op: HostLoop) -> Iterator[str]:
    show = print_expression
    match op:
        case HostWhile(before, condition, body, test_last):
            yield f"do while {show(condition)}" if test_last else f"while {show(condition)}"
            yield from _parts((("before", before), ("body", body)))
        case HostFor(before, condition, step, body):
            yield f"for {show(condition)}"
            yield from _parts((("before", before), ("body", body), ("step", step)))
        case HostForRange(variable, first, end, body):
            yield f"for {print_variable(variable)} in {show(first)} .. {show(end)}"
            yield from indent(print_host_ops(body))
        case HostForNeighbors(direction, node, neighbor, position, body):
            yield f"for {neighbor.name} in {print_row(direction, node)} at {position.name}"
            yield from indent(print_host_ops(body))
        case HostForMembers(variable, members, body):
            yield f"for {print_variable(variable)} in {members.name}"
            yield from indent(print_host_ops(body))
        case _:
            assert_never(op)


def _parts(parts: Iterable[tuple[str, tuple[HostOp, ...]]]) -> Iterator[str]:
    """The named blocks of a loop, those that hold anything."""
    for name, body in parts:
        if body:
            yield f"  {name}"
            yield from indent(indent(print_host_ops(body)))
