"""Step `copies`: rounds that end with a copy of what the next round overwrites swap the two arrays in its place.

  loop                                        own := value
    forall (v) value_nxt[v] = … value[w] …    loop
    value := value_nxt                          forall (v) value_nxt[v] = … own[w] …
                                                swap own, value_nxt
                                              value := own

A round of a persistent kernel has a barrier and a pass over the nodes less then. Two copies are left, so a loop inside
another one, which may have few rounds, stays as it is; so do flags, of which `frontier` makes sets. Where the host
drives rounds, a copy is a launch among others, and nothing is changed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from starplat.ir import nodes as ir, rewriter, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_launched_once, touched
from starplat.passes.cells import accesses, own_cells
from starplat.passes.memory import has_two_names
from starplat.schedule.loop.drivers import Grid
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided, Decider


def swapped_copies(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose loops swap arrays in place of copying one, where loops become persistent kernels."""
    return _Swapper(module).decided() if make_persistent(module, schedule, capabilities) else module


def make_persistent(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> bool:
    """Whether loops become persistent kernels where nothing else is in the way, and all arrays of a module differ."""
    granted = capabilities.grid_barrier and (capabilities.clusters or schedule.loop is not Loop.CLUSTER)
    return granted and schedule.loop not in (Loop.HOST, Loop.GROUP, Loop.BATCH) and not has_two_names(module)


def overwrites(kernel: ir.Kernel, array: ir.Array) -> bool:
    """Whether a kernel gives every cell of an array of nodes a new value, and reads none of the old ones."""
    leaves = any(isinstance(op, ir.KernelContinue) for op in visitor.walk_kernel(kernel.body))
    stores = (i for i, op in enumerate(kernel.body, 1) if isinstance(op, ir.Store) and op.array == array)
    stored = next(stores, None)
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is not None or leaves or stored is None:
        return False
    own, found = own_cells(kernel), (access for access in accesses(kernel.body) if access.array == array)
    early = (access for access in accesses(kernel.body[:stored]) if access.array == array)
    return all(own.has(array, a.index) and not a.shared for a in found) and all(a.writes for a in early)


class _Swapper(Decider):
    """Rewrites the loops of host functions that are in no other loop; `overwritten` are arrays swapped with copies of
    their own, whose first contents nothing reads."""

    at: ir.HostFunction
    overwritten: list[ir.Array]

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        self.at, self.overwritten = function, []
        made = super().function(function)
        unread = rewriter.HostRule(lambda op: () if isinstance(op, ir.Fill) and op.array in self.overwritten else None)
        return replace(made, body=unread.host_block(made.body)) if self.overwritten else made

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.HostLoop):
            return (self.rebuild(op),)
        if not isinstance(op, ir.Loop | ir.HostForRange) or (isinstance(op, ir.Loop) and (op.settles or op.spreading)):
            return (op,)
        row = tuple(uses.stream(op.body))
        copies = (copy for copy in row if isinstance(copy, ir.CopyArray) and self.may_swap(op, row, copy))
        copy = next(copies, None)
        return (op,) if copy is None else self.with_swap(op, copy)

    def may_swap(self, loop: ir.Loop | ir.HostForRange, row: Sequence[ir.HostOp], copy: ir.CopyArray) -> bool:
        """Whether what is copied is used in rounds alone, which overwrite it first, never fill it and need no host, and
        nothing else launches their kernels."""
        inside, source = tuple(visitor.walk_host((loop,))), copy.source
        using = [op for op in row if uses.use(op, source, self.given) is not uses.Use.NONE]
        first, last = using[0], using[-1]
        around = loop.before + loop.step if isinstance(loop, ir.Loop) else ()
        return (
            source in self.at.arrays
            and copy.destination.extent is ir.Extent.NODES
            and copy.destination.element is not ir.Element.BOOL
            and inside.count(copy) == 1
            and not any(isinstance(op, ir.Fill) and op.array == source for op in inside)
            and not any(isinstance(op, ir.HostLoop) for op in inside[1:])
            and isinstance(first, ir.Launch)
            and overwrites(self.given.kernel(first.kernel), source)
            and last is copy
            and not any(source in touched(op, self.given) for op in visitor.walk_host(around))
            and all(
                isinstance(op, ir.Fill)
                for op in visitor.walk_around(self.at.body, loop)
                if source in touched(op, self.given)
            )
            and Grid(self.given, frozenset()).obstacle(loop) is None
            and all(is_launched_once(op.kernel, self.given) for op in inside if isinstance(op, ir.Launch))
        )

    def with_swap(self, loop: ir.HostOp, copy: ir.CopyArray) -> tuple[ir.HostOp, ...]:
        value, source = copy.destination, copy.source
        own = self.taken.array(f"own_{value.name}", value.element, value.extent)
        self.arrays.append(own)
        self.overwritten.append(source)
        renamed = rewriter.ArrayRule(lambda array: own if array == value else array)
        for op in visitor.walk_host((loop,)):
            if isinstance(op, ir.Launch):
                self.changed[op.kernel] = renamed.kernel(self.given.kernel(op.kernel))
        swapping = rewriter.HostRule(lambda op: (ir.Swap(own, source),) if op == copy else None)
        (rounds,) = renamed.host_block(swapping.host_block((loop,)))
        what, why = f"{value.name} and {source.name} change places", "the next round overwrites what a round copies"
        self.choices.append(Choice(what, why))
        return ir.CopyArray(own, value), rounds, ir.CopyArray(value, own)
