"""What a kernel does with a node beside the loop over its arcs, when threads share that loop."""

from __future__ import annotations

from collections.abc import Iterable

from starplat.backends import statements as st
from starplat.backends.legal.operations import Operations
from starplat.backends.legal.unread import without_unread
from starplat.ir import nodes as ir


def repeated(ahead: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
    """Of what stands ahead of a loop over arcs, what is worked out again for every arc."""
    return tuple(op for op in ahead if isinstance(op, ir.Let))


def visited(operations: Operations, ahead: tuple[ir.KernelOp, ...]) -> st.Body:
    """What is done with a node, besides what is worked out for its arcs."""
    return () if repeated(ahead) == ahead else without_unread(operations.block(ahead))
