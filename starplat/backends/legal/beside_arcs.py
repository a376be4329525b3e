"""The work on a node beside the loop over its arcs, where threads share that loop."""

from collections.abc import Iterable

from starplat.backends import statements as st
from starplat.backends.legal.operations import Operations
from starplat.backends.legal.unread import without_unread
from starplat.ir import nodes as ir


def repeated(ahead: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
    """The operations ahead of a loop over arcs that are evaluated again for every arc."""
    return tuple(op for op in ahead if isinstance(op, ir.Let))


def visited(operations: Operations, ahead: tuple[ir.KernelOp, ...]) -> st.Body:
    """The operations on a node that are not evaluated per arc."""
    return () if repeated(ahead) == ahead else without_unread(operations.block(ahead))
