"""Step `frontier`: keeps the active nodes of a loop as a set, so that threads walk only its members.

`active_sets` finds the arrays of flags that are sets. A set that is walked and cleared before it is added to again is
emptied by its walk; the clearing goes ahead of the loop, or vanishes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from starplat.ir import launches, nodes as ir, rewriter, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import ArrayRule
from starplat.ir.shapes.members import membership, taking
from starplat.ir.visitor import loops_of
from starplat.schedule.frontier.active_sets import own_flags, sets_in, sets_of_the_host, why_no_sets
from starplat.schedule.frontier.filters import with_filters
from starplat.schedule.frontier.obstacles import asks_for
from starplat.schedule.frontier.operators import with_operators
from starplat.schedule.queues.step import has_queues
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided

PACKINGS: Mapping[Frontier, ir.Packing | None] = {
    Frontier.FLAGS: None,
    Frontier.QUEUE: ir.Packing.LIST,
    Frontier.BITMAP: ir.Packing.BITS,
    Frontier.LAYERS: ir.Packing.LAYERS,
    Frontier.AUTO: ir.Packing.SWITCHED,
}
"""The packing of sets by the knob's value."""


def frontiers(given: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module with its sets of active nodes packed, where the schedule and the target permit it.

    Those of loops that the host drives become plain arrays by the step `queue`.
    """
    packing = PACKINGS[schedule.frontier]
    if packing is None or schedule.keeps_flags(batches=capabilities.batches):
        return given
    if not capabilities.shared_arcs and not has_queues(capabilities):
        return given
    plain = with_filters(given)
    module, in_launches, by_host = _with_sets(plain, capabilities)
    found = in_launches | by_host
    others = _others(plain, found)
    if not found:
        return Decided(given, others) if others else given
    emptied = emptied_while_walked(module, found)
    packed = _with_packed(emptied, found, packing)
    names = ", ".join(sorted(array.name for array in found))
    kept = f", kept as {packing.value}" if found <= in_launches and capabilities.shared_arcs else ""
    why = "the loop walks its members and adds nodes one by one"
    return Decided(packed, (Choice(f"{names}: a set of nodes{kept}", why), *others))


def _others(plain: ir.Module, sets: set[ir.Array]) -> tuple[Choice, ...]:
    """Why other flags that loops walk are not sets."""
    tried = with_operators(plain, _all_flags(plain))
    return tuple(
        Choice(f"{array.name}: stays flags", why) for array, why in why_no_sets(tried.module, sets, tried.origins)
    )


def _all_flags(module: ir.Module) -> frozenset[ir.Array]:
    return frozenset(array for function in module.functions for array in own_flags(function))


def _with_sets(plain: ir.Module, capabilities: Capabilities) -> tuple[ir.Module, set[ir.Array], set[ir.Array]]:
    """The module with set operations, in persistent kernels and in rounds that the host drives.

    Kernels are taken apart only for flags that are sets then, which is tried with all flags first.
    """
    flags = _all_flags(plain)
    while True:
        module = with_operators(plain, flags).module
        in_launches, by_host = _sets_of(module, capabilities)
        if flags <= in_launches | by_host:
            return module, in_launches, by_host
        flags &= in_launches | by_host


def _sets_of(module: ir.Module, capabilities: Capabilities) -> tuple[set[ir.Array], set[ir.Array]]:
    in_launches, by_host = set[ir.Array](), set[ir.Array]()
    queues = has_queues(capabilities)
    if capabilities.shared_arcs or queues:
        in_launches |= {array for loop in loops_of(module) for array in sets_in(loop, module)}
    if queues:
        by_host |= {array for function in module.functions for array in sets_of_the_host(function, module)}
    return in_launches, by_host


def _with_packed(module: ir.Module, sets: set[ir.Array], packing: ir.Packing) -> ir.Module:
    """The module with arrays packed wherever they are mentioned."""
    packer = ArrayRule(lambda array: replace(array, packed=packing) if array in sets else array)
    functions = tuple(
        replace(f, arrays=tuple(map(packer.array, f.arrays)), body=packer.host_block(f.body)) for f in module.functions
    )
    return replace(module, functions=functions, kernels=tuple(map(packer.kernel, module.kernels)))


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
