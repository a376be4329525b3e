"""Step `sources`: a loop over sources that searches from each runs many searches at once, a bit for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import names_of
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import arrays_in, walk_host
from starplat.schedule.direction.pull_kernels import with_graph_arrays
from starplat.schedule.direction.unused import without_the_unused
from starplat.schedule.schedule import Batch, Schedule
from starplat.schedule.sources.batch import searched
from starplat.schedule.sources.words import BatchState
from starplat.schedule.step import Choice, Decided
from starplat.source import NOWHERE


def searches_in_batches(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """The module whose loops over sources search from many at once, where the schedule asks for it."""
    if not isinstance(schedule.sources, Batch) or not capabilities.has_atomic(ir.Combine.BIT_OR, ir.Element.LONG):
        return Decided(module)
    maker = _Maker(module, schedule.sources.width, capabilities)
    functions = tuple(maker.function(function) for function in module.functions)
    if not maker.kernels:
        return Decided(module, tuple(maker.choices))
    changed = replace(module, functions=functions, kernels=(*module.kernels, *maker.kernels))
    return Decided(with_graph_arrays(without_the_unused(changed, module)), tuple(maker.choices))


class _Maker(Rewriter):
    """Replaces loops over sources."""

    def __init__(self, module: ir.Module, width: int, capabilities: Capabilities) -> None:
        self.given, self.width, self.names = module, width, names_of(module)
        self.rows_are_shared = capabilities.shared_arcs
        self.prefix, self.span = "", NOWHERE
        self.kernels: list[ir.Kernel] = []
        self.arrays: list[ir.Array] = []
        self.choices: list[Choice] = []

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function with its loops replaced, and without the arrays that only these used."""
        self.arrays, self.prefix = [], function.name
        body = self.host_block(function.body)
        if not self.arrays:
            return function
        made = {kernel.name: kernel for kernel in (*self.given.kernels, *self.kernels)}
        used = {array for op in walk_host(body) for array in arrays_in(op)}
        used |= {array for op in walk_host(body) if isinstance(op, ir.Launch) for array in made[op.kernel].arrays}
        left = (array for array in function.arrays if array in used)
        return replace(function, body=body, arrays=(*left, *self.arrays))

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.HostBlock(span=span):
                outer, self.span = self.span, span
                inner = self.rebuild(op)
                self.span = outer
                return (inner,)
            case ir.HostForRange(searches=ir.Searches() as searches):
                return self.batched(op, searches, None)
            case ir.HostForMembers(searches=ir.Searches() as searches):
                return self.batched(op, searches, op.members)
            case _:
                return (self.rebuild(op),)

    def batched(self, op: ir.HostOp, searches: ir.Searches, members: ir.Array | None) -> Iterable[ir.HostOp]:
        """The loop over batches, or the loop itself, with the reason."""
        if searches.why_not is not None:
            self.choices.append(Choice("sources one after another", searches.why_not))
            return (op,)
        state = BatchState(searches, self.width, self.rows_are_shared, self.names, self.prefix, self.span)
        ops = searched(state, members)
        self.kernels += state.kernels
        self.arrays += state.arrays
        why = "only the level of a node is asked, and what is done with it may be done in any order"
        self.choices.append(Choice(f"searches from {self.width} sources at once, a bit for each", why))
        return ops
