"""Step `sources`: a loop over sources that searches from each runs many searches at once, a bit for each."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.visitor import host_ops, walk_host
from starplat.schedule.direction.pull_kernels import without_the_unused
from starplat.schedule.facts import MANY_SHORT_ROWS, GraphFacts
from starplat.schedule.loop.among_threads import sources_among_threads
from starplat.schedule.schedule import Batch, Loop, Order, Schedule, Sources
from starplat.schedule.sources import batch, kernels, single, words
from starplat.schedule.sources.words import Made
from starplat.schedule.step import Choice, Decided
from starplat.source import NOWHERE

AUTO_WIDTH = 256
FEW_SOURCES = 32
"""Members of a set from which many searches at once take no longer than one after another."""

MOST_GATHERING = 2**19
"""Nodes up to which all gather bits in every round where rows are short. Sums of levels from 256 sources on an NVIDIA
H200: New York's roads 14.5 ms in place of 19.5, a grid of 700 x 700 42.0 in place of 50.5; from 32 sources New York's
8.9 in place of 8.4."""

MOST_COPIED = 2**20
"""Nodes up to which each thread gets its own copies of what a source changes."""

SourceLoop = ir.HostForRange | ir.HostForMembers


def searches_on_cpus(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the module has loops over sources whose searches only some graphs should run at once."""
    return not capabilities.shared_arcs and _has_searches(module)


def depends_on_rows(module: ir.Module, capabilities: Capabilities) -> bool:
    """The same, or whose searches gather bits on some graphs."""
    return (capabilities.grid_barrier or not capabilities.shared_arcs) and _has_searches(module)


def of_many_nodes(num_nodes: int, num_arcs: int) -> bool:
    """Whether nodes of such a graph may gather bits. On CPUs a run looks for thin levels anyway."""
    return MANY_SHORT_ROWS <= num_nodes <= MOST_GATHERING


def _has_searches(module: ir.Module) -> bool:
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
    if asked is Sources.THREADS:
        return _one_by_one(module, (), by_threads=True) if capabilities.compiled_loops else Decided(module)
    if asked is Sources.AUTO and facts is not None and facts.thin_levels and searches_on_cpus(module, capabilities):
        why = "levels are many and thin: the host begins each, which takes longer than is shared"
        few = capabilities.compiled_loops and facts.num_nodes <= MOST_COPIED
        return _one_by_one(module, (Choice("sources one after another", why),), by_threads=few)
    width = (asked.width if isinstance(asked, Batch) else None) or AUTO_WIDTH
    gathers = capabilities.grid_barrier and width <= words.WORD * words.AT_ONCE and _has_short_rows(facts)
    return _AtOnce(module, width, capabilities, if_many=asked is Sources.AUTO, gathers=gathers).decided()


def _has_short_rows(facts: GraphFacts | None) -> bool:
    return facts is not None and facts.has_short_rows and facts.num_nodes <= MOST_GATHERING


def _one_by_one(module: ir.Module, choices: tuple[Choice, ...], *, by_threads: bool) -> Decided:
    """Searches one after another, in each of the threads that share them if that is asked for and legal."""
    found = _OneByOne(module, choices).decided()
    if not by_threads:
        return found
    shared = sources_among_threads(found.module, with_reals=not choices)
    return Decided(shared.module, (*found.choices, *shared.choices))


class _Maker(ModuleRewriter):
    """Replaces loops over sources."""

    def __init__(self, module: ir.Module, choices: Iterable[Choice] = ()) -> None:
        super().__init__(module)
        self.prefix, self.span = "", NOWHERE
        self.choices = list(choices)

    def decided(self) -> Decided:
        """The module, itself if it has no such loop, and why."""
        made = self.module()
        if self.kernels:
            return Decided(with_graph_arrays(without_the_unused(made, self.given)), tuple(self.choices))
        return Decided(self.given, tuple(self.choices))

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function with its loops replaced, and without the arrays that only these used."""
        self.prefix = function.name
        made = super().function(function)
        used = launches.used_host_arrays(walk_host(made.body), self.with_kernels())
        left = (array for array in made.arrays if array in used or array in self.arrays)
        return replace(made, arrays=tuple(left)) if self.arrays else made

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.HostBlock(span=span):
                outer, self.span = self.span, span
                inner = self.rebuild(op)
                self.span = outer
                return (inner,)
            case (
                ir.HostForRange(searches=ir.Searches() as searches)
                | ir.HostForMembers(searches=ir.Searches() as searches)
            ):
                return self.searching(op, searches)
        return (self.rebuild(op),)

    @abstractmethod
    def searching(self, op: SourceLoop, searches: ir.Searches) -> Iterable[ir.HostOp]:
        """What takes the place of a loop over sources."""

    def around(self, made: Made, searches: ir.Searches, ops: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """The searches, and what is done before the first and behind the last."""
        fills = (ir.Fill(array, begin) for array, begin in zip(searches.kept, searches.begin, strict=True))
        last = (ir.Launch(kernels.ends(made, searches)),) if searches.behind else ()
        self.kernels += made.kernels
        self.arrays += (*searches.kept, *made.arrays)
        return (*fills, *ops, *last)


class _OneByOne(_Maker):
    """Each search visits a node once, also where the program walks its arcs twice."""

    def searching(self, op: SourceLoop, searches: ir.Searches) -> Iterable[ir.HostOp]:
        if searches.why_not is not None:
            return (op,)
        made = Made(names=self.taken, prefix=self.prefix, span=self.span)
        body = single.from_one(made, searches, op.variable)
        return self.around(made, searches, (replace(op, body=body, searches=None),))


class _AtOnce(_Maker):
    """Many searches at once; those from sets only `if_many` are in the set, when that is left open."""

    def __init__(
        self, module: ir.Module, width: int, capabilities: Capabilities, *, if_many: bool, gathers: bool
    ) -> None:
        super().__init__(module)
        self.width, self.rows_are_shared, self.if_many = width, capabilities.shared_arcs, if_many
        self.gathers = gathers

    def searching(self, op: SourceLoop, searches: ir.Searches) -> Iterable[ir.HostOp]:
        """The loop over batches, or the loop itself, with the reason."""
        if searches.why_not is not None:
            self.choices.append(Choice("sources one after another", searches.why_not))
            return (op,)
        state = words.BatchState(
            searches=searches,
            width=self.width,
            rows_are_shared=self.rows_are_shared,
            gathers=self.gathers,
            names=self.taken,
            prefix=self.prefix,
            span=self.span,
        )
        what = f"searches from {self.width} sources at once, a bit for each"
        if isinstance(op, ir.HostForRange):
            ops: tuple[ir.HostOp, ...] = (batch.from_all_nodes(state),)
        else:
            listed = batch.Listed(state)
            batches = batch.from_listed(state, listed)
            if self.if_many:
                few = build.less(ir.Ref(listed.number), build.number(FEW_SOURCES))
                batches, what = ir.HostIf(few, (op,), (batches,)), f"{what}, where there are {FEW_SOURCES} or more"
            ops = (*batch.listing(state, op.members, listed), batches)
        why = "only the level of a node is asked, and what is done with it may be done in any order"
        self.choices.append(Choice(what, why))
        return self.around(state, searches, ops)
