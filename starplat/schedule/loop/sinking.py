"""Moves fills of arrays into the only branch that uses them.

A program clears its flags, then tests whether there is anything to do. The branch can become a persistent kernel only
if it begins with new contents itself. An array of the function's own that is only filled in a row and used, later in
that row, in one branch of an `if`, can be filled where that branch begins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from starplat.ir import launches, rewriter, uses, visitor
from starplat.ir import nodes as ir
from starplat.passes.rewritten import replaced


def with_fills_in_branches(function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
    """The function with each fill where it is needed; the same object if none moves."""
    body = _Sinker(function, module).host_block(function.body)
    return function if body == function.body else replace(function, body=body)


class _Sinker(rewriter.Rewriter):
    def __init__(self, function: ir.HostFunction, module: ir.Module) -> None:
        self.own = function.arrays
        self.everything = tuple(visitor.walk_host(function.body))
        self.given = module

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(ops)
        flat = list(uses.stream(row))
        for place, op in enumerate(flat):
            if isinstance(op, ir.HostIf):
                row = self.sunk(row, flat[:place], op)
        return super().host_block(row)

    def sunk(
        self, row: tuple[ir.HostOp, ...], before: Sequence[ir.HostOp], branching: ir.HostIf
    ) -> tuple[ir.HostOp, ...]:
        """The row with the fills before the `if` moved into their branch."""
        then, otherwise = self.meant_for(branching.then, before), self.meant_for(branching.otherwise, before)
        if not then and not otherwise:
            return row
        after = replace(branching, then=(*then, *branching.then), otherwise=(*otherwise, *branching.otherwise))
        return replaced(row, (branching, (after,)), *((fill, ()) for fill in (*then, *otherwise)), empties=False)

    def meant_for(self, branch: tuple[ir.HostOp, ...], before: Sequence[ir.HostOp]) -> tuple[ir.Fill, ...]:
        """The fills of arrays that only these and the branch touch."""
        fills = [op for op in before if isinstance(op, ir.Fill) and isinstance(op.value, ir.Const)]
        inside = tuple(visitor.walk_host(branch))

        def alone(array: ir.Array) -> bool:
            within, filled = self.touching(inside, array), sum(fill.array == array for fill in fills)
            return bool(within) and within + filled == self.touching(self.everything, array)

        return tuple(fill for fill in fills if fill.array in self.own and alone(fill.array))

    def touching(self, ops: Iterable[ir.HostOp], array: ir.Array) -> int:
        """How many of the operations touch the array directly."""
        return sum(array in launches.touched(op, self.given) for op in ops)
