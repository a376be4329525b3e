"""Step `sources`: a loop over sources that searches from each runs many searches at once, a bit for each."""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import used_host_arrays
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.visitor import host_ops, walk_host
from starplat.schedule.direction.pull_kernels import without_the_unused
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Batch, Loop, Order, Schedule, Sources
from starplat.schedule.sources import batch, kernels, words
from starplat.schedule.step import Choice, Decided
from starplat.source import NOWHERE

AUTO_WIDTH = 256
FEW_SOURCES = 32
"""Members of a set from which many searches at once take no longer than one after another."""


def searches_on_cpus(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the module has loops over sources whose searches only some graphs should run at once."""
    if capabilities.shared_arcs:
        return False
    return any(
        isinstance(op, ir.HostForRange | ir.HostForMembers) and op.searches is not None for op in host_ops(module)
    )


def searches_in_batches(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> Decided:
    """The module whose loops over sources search from many at once, unless the schedule asks for one after another."""
    asked = schedule.sources
    if asked is Sources.ONE or not capabilities.has_atomic(ir.Combine.BIT_OR, ir.Element.LONG):
        return Decided(module)
    if asked is Sources.AUTO and (schedule.order is Order.ROWS or schedule.loop is Loop.GROUP):
        return Decided(module)  # which only single searches can follow
    if asked is Sources.AUTO and facts is not None and facts.thin_levels and searches_on_cpus(module, capabilities):
        why = "levels are many and thin: the host begins each, which takes longer than is shared"
        return Decided(module, (Choice("sources one after another", why),))
    width = asked.width if isinstance(asked, Batch) else None
    maker = _Maker(module, width or AUTO_WIDTH, capabilities, if_many=asked is Sources.AUTO)
    made = maker.module()
    if not maker.kernels:
        return Decided(module, tuple(maker.choices))
    return Decided(with_graph_arrays(without_the_unused(made, module)), tuple(maker.choices))


class _Maker(ModuleRewriter):
    """Replaces loops over sources; those over sets only `if_many` are in the set, when that is left open."""

    def __init__(self, module: ir.Module, width: int, capabilities: Capabilities, *, if_many: bool) -> None:
        super().__init__(module)
        self.width = width
        self.rows_are_shared, self.if_many = capabilities.shared_arcs, if_many
        self.prefix, self.span = "", NOWHERE
        self.choices: list[Choice] = []

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function with its loops replaced, and without the arrays that only these used."""
        self.prefix = function.name
        made = super().function(function)
        used = used_host_arrays(walk_host(made.body), self.with_kernels())
        left = (array for array in made.arrays if array in used or array in self.arrays)
        return replace(made, arrays=tuple(left)) if self.arrays else made

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.HostBlock(span=span):
                outer, self.span = self.span, span
                inner = self.rebuild(op)
                self.span = outer
                return (inner,)
            case ir.HostForRange(searches=ir.Searches() as searches):
                return self.batched(op, searches)
            case ir.HostForMembers(searches=ir.Searches() as searches):
                return self.batched(op, searches)
        return (self.rebuild(op),)

    def batched(self, op: ir.HostForRange | ir.HostForMembers, searches: ir.Searches) -> Iterable[ir.HostOp]:
        """The loop over batches, or the loop itself, with the reason."""
        if searches.why_not is not None:
            self.choices.append(Choice("sources one after another", searches.why_not))
            return (op,)
        state = words.BatchState(searches, self.width, self.rows_are_shared, self.taken, self.prefix, self.span)
        what = f"searches from {self.width} sources at once, a bit for each"
        if isinstance(op, ir.HostForRange):
            ops: tuple[ir.HostOp, ...] = (batch.from_all_nodes(state),)
            fills = (ir.Fill(array, begin) for array, begin in zip(searches.kept, searches.begin, strict=True))
            last = (ir.Launch(kernels.ends(state)),) if searches.behind else ()
            ops = (*fills, *ops, *last)
        else:
            listed = batch.Listed(state)
            batches = batch.from_listed(state, listed)
            if self.if_many:
                few = build.less(ir.Ref(listed.number), build.number(FEW_SOURCES))
                batches, what = ir.HostIf(few, (op,), (batches,)), f"{what}, where there are {FEW_SOURCES} or more"
            ops = (*batch.listing(state, op.members, listed), batches)
        self.kernels += state.kernels
        self.arrays += (*searches.kept, *state.arrays)
        why = "only the level of a node is asked, and what is done with it may be done in any order"
        self.choices.append(Choice(what, why))
        return ops
