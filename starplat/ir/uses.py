"""The effect of host operations on a whole array, for passes over fills and copies."""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from starplat.ir import nodes as ir
from starplat.ir.launches import touched
from starplat.ir.visitor import blocks_of, walk_host


class Use(Enum):
    """The effect of an operation on an array."""

    NONE = "nothing"
    OVERWRITES = "gives every cell a new value without looking at the old ones"
    OTHER = "anything else, or unknown"


def use(op: ir.HostOp, array: ir.Array, module: ir.Module) -> Use:
    """The effect of one operation, with all inside it, on `array`; one that may leave the row counts as a read."""
    match op:
        case ir.Fill(filled) if filled == array:
            return Use.OVERWRITES
        case ir.CopyArray(destination, source) if destination == array != source:
            return Use.OVERWRITES
    return Use.OTHER if _touches(op, array, module) else Use.NONE


def _touches(op: ir.HostOp, array: ir.Array, module: ir.Module) -> bool:
    for inner in walk_host((op,)):
        if isinstance(inner, ir.HostReturn | ir.HostBreak | ir.HostContinue) or array in touched(inner, module):
            return True
    return False


def stream(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations in a row, with blocks that only group opened."""
    for op in ops:
        if isinstance(op, ir.HostBlock):
            yield from stream(op.body)
        else:
            yield op


def rows(ops: Iterable[ir.HostOp]) -> Iterator[tuple[ir.HostOp, ...]]:
    """The operations in a row, then those of every block inside them, outer before inner."""
    row = tuple(stream(ops))
    yield row
    for op in row:
        for block in blocks_of(op):
            yield from rows(block)


def next_use(following: Sequence[ir.HostOp], array: ir.Array, module: ir.Module) -> ir.HostOp | None:
    """The first of the operations that uses `array`."""
    return next((op for op in stream(following) if use(op, array, module) is not Use.NONE), None)
