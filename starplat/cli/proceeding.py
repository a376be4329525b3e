"""How a module proceeds: which loops run on the host, what each kernel runs over, where bytes cross.

What `starplat inspect --stage schedule` shows. Today every loop of a host program runs on the host and every kernel
gives one work-item to each member of its domain; there is no other choice to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from starplat.ir import nodes as ir

Line = tuple[int, str]


def proceeding(module: ir.Module) -> str:
    """The functions of the host program, one line an operation that a device sees, loops indented."""
    lines = [line for function in module.functions for line in _function(module, function)]
    return "\n".join("  " * depth + text for depth, text in lines)


def _function(module: ir.Module, function: ir.HostFunction) -> Iterator[Line]:
    role = " (entry)" if function.name == module.entry else ""
    yield 0, f"{function.name}{role}"
    if function.arrays:
        yield 1, f"on the device while it runs: {_names(function.arrays)}"
    yield from _block(module, function.body, 1)


def _block(module: ir.Module, ops: Iterable[ir.HostOp], depth: int) -> Iterator[Line]:
    for op in ops:
        yield from _op(module, op, depth)


def _op(module: ir.Module, op: ir.HostOp, depth: int) -> Iterator[Line]:
    match op:
        case ir.HostBlock():
            yield from _block(module, op.body, depth)
        case ir.Launch():
            yield depth, _kernel(module, module.kernel(op.kernel))
        case ir.Fill():
            yield depth, f"fill {op.array.name}"
        case ir.CopyArray():
            yield depth, f"copy {op.source.name} to {op.destination.name}"
        case ir.Swap():
            yield depth, f"swap {op.first.name} and {op.second.name}"
        case ir.ReadCell():
            yield depth, f"read a word of {op.array.name} back"
        case ir.WriteCell():
            yield depth, f"write a word of {op.array.name}"
        case ir.HostCall():
            yield depth, f"call {op.function}"
        case ir.HostIf():
            yield from _branch(module, op, depth)
        case ir.HostWhile() | ir.HostFor():
            yield depth, "loop on the host"
            yield from _block(module, op.body, depth + 1)
            yield from _block(module, op.before, depth + 1)
        case ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers():
            iterator = op.neighbor if isinstance(op, ir.HostForNeighbors) else op.variable
            yield depth, f"loop on the host over {iterator.name}"
            yield from _block(module, op.body, depth + 1)
        case ir.DeclareVariable() | ir.SetVariable() | ir.HostBreak() | ir.HostContinue() | ir.HostReturn():
            return
        case _:
            assert_never(op)


def _branch(module: ir.Module, op: ir.HostIf, depth: int) -> Iterator[Line]:
    branches = (("if", op.then), ("else", op.otherwise))
    for word, ops in branches:
        inside = list(_block(module, ops, depth + 1))
        if inside:
            yield depth, word
            yield from inside


def _kernel(module: ir.Module, kernel: ir.Kernel) -> str:
    line = f", {module.source.name}:{module.source.position(kernel.span.start)[0]}" if kernel.span.end else ""
    filtered = " that passes its filter" if kernel.filter is not None else ""
    brought = f"; brings back {_names(r.variable for r in kernel.reductions)}" if kernel.reductions else ""
    return f"launch {kernel.name}: {_domain(kernel.domain)}{filtered}{brought}{line}"


def _domain(domain: ir.Domain) -> str:
    match domain:
        case ir.AllNodes():
            return "a work-item for every node"
        case ir.AllArcs():
            return "a work-item for every arc"
        case ir.NodeNeighbors():
            return "a work-item for every neighbor of a node"
        case ir.Once():
            return "one work-item"
        case _:
            assert_never(domain)


def _names(things: Iterable[ir.Array | ir.Variable]) -> str:
    return ", ".join(thing.name for thing in things)
