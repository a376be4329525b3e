"""Prints what parts of a run exchange, as calls of the class `Parts` of the headers for programs in parts."""

from collections.abc import Iterator
from enum import Enum
from typing import Protocol

from starplat.backends.c.cplusplus import TYPES
from starplat.backends.host.words import size_of
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.parts.rows import why_all_rows

_COMBINES = {
    ir.Combine.ADD: "Sum",
    ir.Combine.MULTIPLY: "Product",
    ir.Combine.AND: "And",
    ir.Combine.OR: "Or",
    ir.Combine.BIT_AND: "BitAnd",
    ir.Combine.BIT_OR: "BitOr",
    ir.Combine.BIT_XOR: "BitXor",
    ir.Combine.MIN: "Least",
    ir.Combine.MAX: "Greatest",
}


class Connection(Enum):
    """How the parts of an emitted program are connected; the value is the option that asks for it."""

    PROCESSES = "--mpi"
    """Each is a process, which MPI starts."""
    THREADS = "--devices"
    """Each is a thread of one process, with a device."""


class Printer(Protocol):
    """What this module needs from the printer of host operations."""

    module: ir.Module
    names: Names
    read: frozenset[ir.Variable]

    def device_name(self, array: ir.Array) -> str: ...

    def text(self, expression: ir.Expression) -> str: ...


def is_divided(module: ir.Module) -> bool:
    """Whether the module is that of a part of a run."""
    return any(isinstance(op, ir.Exchange) for function in module.functions for op in walk_host(function.body))


def holds_own_rows(module: ir.Module) -> bool:
    """Whether the module is that of a part that needs only the rows of its own nodes."""
    return is_divided(module) and why_all_rows(module) is None


def exchange_lines(host: Printer, op: ir.Exchange | ir.ReadEmpty | ir.ReadSize) -> Iterator[str]:
    """The lines of one operation; what the host asks of a set, all parts know."""
    assert is_divided(host.module), "elsewhere sets are asked on the device only"
    match op:
        case ir.TakePart(first, end):
            for variable, word in ((first, "first"), (end, "end")):
                if variable in host.read:
                    kind, name = TYPES[variable.element], host.names.local(variable)
                    yield f"const {kind} {name} = graph.parts.{word}_node();"
        case ir.KeepOwn(array, value, None):
            yield f"graph.parts.keep_own({_cells(host, array)}, {host.text(value)});"
        case ir.CombineParts(array, combine, carried, among):
            more = "".join(f", {host.device_name(other)}" for other in carried)
            yield f"graph.parts.combine<{_COMBINES[combine]}>({_cells(host, array)}{more});"
            if among is not None:
                yield f"graph.parts.combine<Or>({_cells(host, among)});"
        case ir.CombineChanged(array, before):
            yield f"graph.parts.combine_changed({_cells(host, array)}, {host.device_name(before)});"
        case ir.ShareParts(array):
            yield f"graph.parts.share({_cells(host, array)});"
        case ir.Together(variable, combine, before):
            name, given = host.names.local(variable), host.names.local(before)
            yield f"{name} = graph.parts.together<{_COMBINES[combine]}>({given}, {name});"
        case ir.ReadSize(variable, flags):
            yield f"{host.names.local(variable)} = graph.parts.members({_cells(host, flags)});"
        case ir.ReadEmpty(variable, flags, when_empty):
            members = f"graph.parts.members({_cells(host, flags)})"
            yield f"{host.names.local(variable)} = {members} {'==' if when_empty else '!='} 0;"
        case _:
            raise AssertionError("emitted programs are divided by nodes, without persistent launches")


def _cells(host: Printer, array: ir.Array) -> str:
    """An array, and which of its cells each part has."""
    bounds = {ir.Extent.NODES: "graph.parts.nodes", ir.Extent.ARCS: "graph.parts.arcs"}
    of_first = f"graph.parts.of_first({size_of(array)})"
    return f"{host.device_name(array)}, {bounds.get(array.extent, of_first)}"
