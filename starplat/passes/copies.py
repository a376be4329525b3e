"""Replaces a copy whose source is overwritten next by a swap.

`modified = modified_nxt; attach(modified_nxt = False)` copies n cells and then drops the originals; a swap of the names
does the same. The pass looks at operations in a row: between the copy and the overwriting nothing may touch the source.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import Use, next_use, use

_OWN = (ir.Origin.LOCAL, ir.Origin.TEMPORARY)


def copies_to_swaps(module: ir.Module) -> ir.Module:
    """The same program with fewer copies."""
    rewriter = _Swapper(module)
    functions = rewriter.functions_of(module)
    return replace(module, functions=functions)


class _Swapper(Rewriter):
    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(ops)
        swapped = (self._swapped(op, row[place + 1 :]) for place, op in enumerate(row))
        return super().host_block(swapped)

    def _swapped(self, op: ir.HostOp, following: tuple[ir.HostOp, ...]) -> ir.HostOp:
        """Arrays of the caller are not swapped: the caller may hold them."""
        if not isinstance(op, ir.CopyArray) or op.source.origin not in _OWN or op.destination.origin not in _OWN:
            return op
        after = next_use(following, op.source, self.module)
        if after is None or use(after, op.source, self.module) is not Use.OVERWRITES:
            return op
        return ir.Swap(op.destination, op.source)
