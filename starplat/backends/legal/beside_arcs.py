"""What a kernel does with a node beside the loop over its arcs, when threads share that loop."""

from __future__ import annotations

from collections.abc import Iterable

from starplat.backends.legal.operations import Operations
from starplat.backends.statements import Body
from starplat.backends.unread import without_unread
from starplat.ir.nodes import KernelOp, Let


def repeated(ahead: Iterable[KernelOp]) -> tuple[KernelOp, ...]:
    """Of what stands ahead of a loop over arcs, what is worked out again for every arc."""
    return tuple(op for op in ahead if isinstance(op, Let))


def visited(operations: Operations, ahead: tuple[KernelOp, ...]) -> Body:
    """What is done with a node, besides what is worked out for its arcs."""
    return () if repeated(ahead) == ahead else without_unread(operations.block(ahead))
