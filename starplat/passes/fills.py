"""Drops dead fills: the array is overwritten before it is read.

Lowering fills every property with zeros where it is declared, because reading it there gives 0; the
`attachNodeProperty` that mostly follows makes that work in vain. The pass looks at operations in a row, and, for arrays
of a function's own, at loops that follow and begin each round with new values.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from starplat.ir import launches, nodes as ir, rewriter, uses, visitor


def drop_dead_fills(module: ir.Module) -> ir.Module:
    """The same program with fewer fills."""
    return replace(module, functions=tuple(_with_fewer(function, module) for function in module.functions))


def _with_fewer(function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
    seen = tuple(_without_unseen(function.body, (), function, module))
    return replace(function, body=_Dropper(module).host_block(seen))


class _Dropper(rewriter.Rewriter):
    """Drops the fills that are dead in their own row."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(ops)
        kept = (op for place, op in enumerate(row) if not self._is_dead(op, row[place + 1 :]))
        return tuple(op for op in super().host_block(kept) if not (isinstance(op, ir.HostBlock) and not op.body))

    def _is_dead(self, op: ir.HostOp, following: tuple[ir.HostOp, ...]) -> bool:
        if not isinstance(op, ir.Fill):
            return False
        after = uses.next_use(following, op.array, self.module)
        return after is not None and uses.use(after, op.array, self.module) is uses.Use.OVERWRITES


def _without_unseen(
    ops: Sequence[ir.HostOp], later: Sequence[ir.HostOp], function: ir.HostFunction, module: ir.Module
) -> Iterator[ir.HostOp]:
    """The operations of a function's own row without fills that are followed only by loops with new values."""
    for place, op in enumerate(ops):
        following = (*ops[place + 1 :], *later)
        if isinstance(op, ir.HostBlock):
            yield replace(op, body=tuple(_without_unseen(op.body, following, function, module)))
        elif not (
            isinstance(op, ir.Fill)
            and op.array in function.arrays
            and _is_never_seen(op.array, tuple(uses.stream(following)), module)
        ):
            yield op


def _is_never_seen(array: ir.Array, following: Sequence[ir.HostOp], module: ir.Module) -> bool:
    """Whether an array's current values are dead on every path. A loop may run no round, so that what comes after it
    counts too."""
    for op in following:
        if (what := uses.use(op, array, module)) is uses.Use.OVERWRITES:
            return True
        if isinstance(op, ir.HostReturn) or what is uses.Use.NONE or _begins_with_new_values(op, array, module):
            continue
        return False
    return True


def _begins_with_new_values(op: ir.HostOp, array: ir.Array, module: ir.Module) -> bool:
    """Whether each round of a loop overwrites the array before it reads it."""
    if not isinstance(op, ir.Loop):
        return False
    if any(array in launches.touched(inner, module) for inner in visitor.walk_host(op.before)):
        return False
    first = uses.next_use(op.body, array, module)
    return first is not None and uses.use(first, array, module) is uses.Use.OVERWRITES
