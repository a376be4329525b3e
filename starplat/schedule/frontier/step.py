"""Step `frontier`: keeps the active nodes of a loop as a set, so that threads walk only its members.

`active_sets` finds the arrays of flags that are sets. A set that is walked and cleared before it is added to again is
emptied by its walk (`emptying`).
"""

from collections.abc import Mapping
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import loops_of
from starplat.schedule.frontier.active_sets import own_flags, sets_in, sets_of_the_host, why_no_sets
from starplat.schedule.frontier.emptying import emptied_while_walked
from starplat.schedule.frontier.filters import with_filters
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
    packed = _Packer(found, packing).module(emptied)
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


class _Packer(Rewriter):
    """Packs arrays wherever they are mentioned."""

    def __init__(self, sets: set[ir.Array], packing: ir.Packing) -> None:
        self.sets = sets
        self.packing = packing

    def array(self, array: ir.Array) -> ir.Array:
        return replace(array, packed=self.packing) if array in self.sets else array

    def module(self, module: ir.Module) -> ir.Module:
        functions = tuple(
            replace(f, arrays=tuple(map(self.array, f.arrays)), body=self.host_block(f.body)) for f in module.functions
        )
        return replace(module, functions=functions, kernels=tuple(map(self.kernel, module.kernels)))
