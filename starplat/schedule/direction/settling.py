"""Monotone fixed points over a set: their end does not depend on what rounds see of each other, if lower cells send
lower values.

A round walks the members of one set, adds the changed nodes to another, and swaps the two. The loop goes on while there
are members, or while the walk has signalled a change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.launches import is_launched_once
from starplat.ir.uses import stream
from starplat.schedule.direction.joins import Join

_COUNTS = ((ir.Combine.OR, build.TRUE), (ir.Combine.AND, build.FALSE))
"""What changes a variable."""


def settles(loop: ir.Loop, join: Join, module: ir.Module) -> bool:
    """Whether the loop only walks, by the kernel of a join, until no cell is lowered."""
    row = list(stream(loop.body))
    others = [op for op in row if op != ir.Launch(join.kernel.name)]
    if loop.before or loop.step or len(others) + 1 != len(row) or not isinstance(join.effect, ir.ExtremeCell):
        return False
    pairs = {frozenset((op.first, op.second)) for op in others if isinstance(op, ir.Swap)}
    noted = [carry.array for carry in join.effect.carried if carry == ir.Carry(carry.array, join.own, build.TRUE)]
    ways = [
        (now, array) for now in join.flags for array in noted if now != array and pairs == {frozenset((now, array))}
    ]
    if len(ways) != 1 or not is_launched_once(join.kernel.name, module):
        return False
    return _Rounds(loop, row, join, join.effect, *ways[0]).settle()


_Contents = dict[ir.Array, frozenset[str]]
"""The members of the two sets: `new` are the nodes that the round has changed."""

_NEW, _NOBODY = frozenset({"new"}), frozenset[str]()


@dataclass(frozen=True, slots=True)
class _Rounds:
    loop: ir.Loop
    row: Sequence[ir.HostOp]
    join: Join
    effect: ir.ExtremeCell
    now: ir.Array
    following: ir.Array

    def settle(self) -> bool:
        first = self.round(_NOBODY)
        if first is None or first[self.now] != _NEW:
            return False
        left = first[self.following]
        again = self.round(frozenset({"old"}) if left else _NOBODY)
        return again is not None and again[self.now] == _NEW and self.ends()

    def round(self, left: frozenset[str]) -> _Contents | None:
        """The members of the sets after a round that begins with some `left` in the second; None if it does more."""
        contents = {self.now: frozenset({"members"}), self.following: left}
        for op in self.row:
            match op:
                case ir.Launch(kernel) if kernel == self.join.kernel.name:
                    if self.join.takes:
                        contents[self.now] = _NOBODY
                    contents[self.following] |= _NEW
                case ir.Swap():
                    contents = {self.now: contents[self.following], self.following: contents[self.now]}
                case ir.Fill(array, ir.Const(False)) if array in contents:
                    contents[array] = _NOBODY
                case ir.ReadEmpty(_, array) if array in contents:
                    if self.ending == self.asked(op) and contents[array] != _NEW:
                        return None
                case ir.SetVariable(_, ir.Const()):
                    pass
                case _:
                    return None
        return contents

    @property
    def ending(self) -> tuple[ir.Variable, bool] | None:
        """The variable that decides whether to go on, and its value then."""
        match self.loop.condition:
            case ir.Ref(variable):
                return variable, True
            case ir.Unary(ir.UnaryOperator.NOT, ir.Ref(variable)):
                return variable, False
            case _:
                return None

    def asked(self, op: ir.ReadEmpty) -> tuple[ir.Variable, bool]:
        """The variable that receives whether a set is empty, and its value if it is not."""
        return op.variable, not op.when_empty

    def ends(self) -> bool:
        """Whether the loop goes on if any node was changed."""
        if self.ending is None:
            return False
        variable, goes_on = self.ending
        sets = [op for op in self.row if isinstance(op, ir.ReadEmpty | ir.SetVariable) and op.variable == variable]
        told = self.told()
        match sets[-1:]:
            case [ir.ReadEmpty() as last]:
                return not told and self.asked(last) == self.ending
            case [ir.SetVariable(_, ir.Const(value))] if len(sets) == 1:
                begins = self.row.index(sets[0]) < self.row.index(ir.Launch(self.join.kernel.name))
                return begins and value is not goes_on and told == {(variable, goes_on)}
            case _:
                return False

    def told(self) -> set[tuple[ir.Variable, object]]:
        """The variables that the walk sets at every change, and their values then; None if that changes nothing."""
        ways = {r.variable: r.combine for r in self.join.kernel.reductions}
        return {
            (op.reduction, op.value.value if (ways[op.reduction], op.value) in _COUNTS else None)
            for op in self.effect.also
            if isinstance(op, ir.Contribute) and isinstance(op.value, ir.Const)
        }
