"""What host operations do to a whole array: the question that passes over fills and copies ask."""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from starplat.ir import nodes as ir
from starplat.ir.launches import touched
from starplat.ir.visitor import walk_host


class Use(Enum):
    """What an operation does to an array."""

    NONE = "nothing"
    OVERWRITES = "gives every cell a new value without looking at the old ones"
    OTHER = "anything else, or nobody knows"


def use(op: ir.HostOp, array: ir.Array, module: ir.Module) -> Use:
    """What one operation, with all inside it, does to `array`; one that may leave the row counts as looking at it."""
    match op:
        case ir.Fill(array=filled) if filled == array:
            return Use.OVERWRITES
        case ir.CopyArray(destination=destination, source=source) if destination == array != source:
            return Use.OVERWRITES
        case _:
            return Use.OTHER if _touches(op, array, module) else Use.NONE


def _touches(op: ir.HostOp, array: ir.Array, module: ir.Module) -> bool:
    for inner in walk_host((op,)):
        if isinstance(inner, ir.HostReturn | ir.HostBreak | ir.HostContinue) or array in touched(inner, module):
            return True
    return False


def stream(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations in a row, blocks that only group opened."""
    for op in ops:
        if isinstance(op, ir.HostBlock):
            yield from stream(op.body)
        else:
            yield op


def next_use(following: Sequence[ir.HostOp], array: ir.Array, module: ir.Module) -> ir.HostOp | None:
    """The first of the operations that does anything to `array`."""
    return next((op for op in stream(following) if use(op, array, module) is not Use.NONE), None)
