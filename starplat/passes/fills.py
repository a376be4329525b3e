"""Drops fills that nobody can see: the array is overwritten before anything looks at it.

Lowering fills every property with zeros where it is declared, because reading it there gives 0; the
`attachNodeProperty` that mostly follows makes that work in vain. The pass looks at operations in a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.nodes import Fill, HostBlock, HostOp, Module
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import Use, next_use, use


def drop_dead_fills(module: Module) -> Module:
    """The same program with fewer fills."""
    dropper = _Dropper(module)
    functions = tuple(replace(f, body=dropper.host_block(f.body)) for f in module.functions)
    return replace(module, functions=functions)


class _Dropper(Rewriter):
    def __init__(self, module: Module) -> None:
        self.module = module

    def host_block(self, ops: Iterable[HostOp]) -> tuple[HostOp, ...]:
        row = tuple(ops)
        kept = (op for place, op in enumerate(row) if not self._is_dead(op, row[place + 1 :]))
        return tuple(op for op in super().host_block(kept) if not (isinstance(op, HostBlock) and not op.body))

    def _is_dead(self, op: HostOp, following: tuple[HostOp, ...]) -> bool:
        if not isinstance(op, Fill):
            return False
        after = next_use(following, op.array, self.module)
        return after is not None and use(after, op.array, self.module) is Use.OVERWRITES
