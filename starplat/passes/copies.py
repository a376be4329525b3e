"""Makes a swap of a copy whose source is overwritten next.

`modified = modified_nxt; attach(modified_nxt = False)` copies n cells only to forget the originals; the names can
change places instead. The pass looks at operations in a row: between the copy and the overwriting nothing may touch the
source.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.nodes import CopyArray, HostOp, Module, Origin, Swap
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import Use, next_use, use

_OWN = (Origin.LOCAL, Origin.TEMPORARY)


def copies_to_swaps(module: Module) -> Module:
    """The same program with fewer copies."""
    rewriter = _Swapper(module)
    functions = tuple(replace(f, body=rewriter.host_block(f.body)) for f in module.functions)
    return replace(module, functions=functions)


class _Swapper(Rewriter):
    def __init__(self, module: Module) -> None:
        self.module = module

    def host_block(self, ops: Iterable[HostOp]) -> tuple[HostOp, ...]:
        row = tuple(ops)
        swapped = (self._swapped(op, row[place + 1 :]) for place, op in enumerate(row))
        return super().host_block(swapped)

    def _swapped(self, op: HostOp, following: tuple[HostOp, ...]) -> HostOp:
        """Arrays of the caller stay where they are, for he may hold them."""
        if not isinstance(op, CopyArray) or op.source.origin not in _OWN or op.destination.origin not in _OWN:
            return op
        after = next_use(following, op.source, self.module)
        if after is None or use(after, op.source, self.module) is not Use.OVERWRITES:
            return op
        return Swap(op.destination, op.source)
