"""Lets the walk over a set empty it, where a set is walked once in a round and then cleared.

Takes a module and the arrays that are sets, returns a module. The clearing goes ahead of the loop, or vanishes.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import launches, rewriter, uses, visitor
from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership, taking
from starplat.schedule.frontier.obstacles import asks_for


def emptied_while_walked(module: ir.Module, sets: set[ir.Array]) -> ir.Module:
    """The module where a set that is walked once in a round, then cleared, is emptied by the walk."""
    emptier = _Emptier(module, sets)
    functions = emptier.functions_of(module)
    kernels = tuple(emptier.taking(kernel) for kernel in module.kernels)
    return replace(module, functions=functions, kernels=kernels) if emptier.taken else module


class _Emptier(rewriter.Rewriter):
    """Finds rounds that clear one set, walk another and add to the first, and swap the two.

    The clearing goes ahead of the loop, or vanishes if it stands last, and the walk takes out what it comes by.
    """

    def __init__(self, module: ir.Module, sets: set[ir.Array]) -> None:
        self.module, self.sets = module, sets
        self.taken: dict[str, ir.Array] = {}

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Loop) and not (op.before or op.step):
            row = list(uses.stream(op.body))
            for swap in (s for s in row if isinstance(s, ir.Swap)):
                if (found := self.round(row, swap)) is not None:
                    fill, walk, now = found
                    self.taken[walk.kernel] = now
                    rest = replace(op, body=tuple(o for o in row if o is not fill))
                    return (fill, rest) if row.index(fill) < row.index(walk) else (rest,)
        return (self.rebuild(op),)

    def round(self, row: list[ir.HostOp], swap: ir.Swap) -> tuple[ir.Fill, ir.Launch, ir.Array] | None:
        """The clearing, the walk and the walked set, if nothing else touches the two sets in a round."""
        for now, following in ((swap.first, swap.second), (swap.second, swap.first)):
            if now not in self.sets or following not in self.sets:
                continue
            about = [op for op in visitor.walk_host(row) if {now, following} & set(launches.touched(op, self.module))]
            if not all(any(op is one for one in row) for op in about):
                continue  # in some rounds more happens to them
            found = self._cleared_last(about, swap, now, following)
            found = found or self._cleared_first(about, swap, now, following)
            if found is not None:
                return found
        return None

    def _cleared_last(
        self, about: list[ir.HostOp], swap: ir.Swap, now: ir.Array, following: ir.Array
    ) -> tuple[ir.Fill, ir.Launch, ir.Array] | None:
        """Walks, swap, clear; later operations only test what was added."""
        place = about.index(swap)
        walks, rest = about[:place], about[place + 1 :]
        match rest:
            case [ir.Fill(cleared) as fill, *later] if cleared == following:
                looking = all(isinstance(op, ir.Launch | ir.ReadSize) for op in later)
                looks = looking and not any(following in launches.touched(op, self.module) for op in later)
                last = self._taker(walks, now)
                return (fill, last, now) if looks and last is not None else None
        return None

    def _cleared_first(
        self, about: list[ir.HostOp], swap: ir.Swap, now: ir.Array, following: ir.Array
    ) -> tuple[ir.Fill, ir.Launch, ir.Array] | None:
        """Clear, walks, swap."""
        match about:
            case [ir.Fill(cleared) as fill, *walks, last] if cleared == following and last is swap:
                taker = self._taker(walks, now)
                return None if taker is None else (fill, taker, now)
        return None

    def _taker(self, walks: list[ir.HostOp], now: ir.Array) -> ir.Launch | None:
        """The last of the walks, if it may empty the set: all of them walk it, the last one visits every member, and
        its kernel runs only here. Before it the members may be listed."""
        if walks and isinstance(walks[-1], ir.Launch):
            walks = [op for op in walks if not (isinstance(op, ir.ListMembers) and op.flags == now)]
        kernels = list(launches.launched_kernels(walks, self.module))
        found = [m for k in kernels if (m := membership(k, now.__eq__)) is not None and not m.takes]
        if not walks or len(found) < len(walks) or found[-1].keep is not None or asks_for(now, found[-1].body):
            return None
        last = walks[-1]
        assert isinstance(last, ir.Launch)
        return last if launches.is_launched_once(last.kernel, self.module) else None

    def taking(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, removing from the set what it walks."""
        if kernel.name not in self.taken or kernel.iterator is None:
            return kernel
        return visitor.with_signature(
            replace(kernel, body=(taking(self.taken[kernel.name], kernel.iterator), *kernel.body))
        )
