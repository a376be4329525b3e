"""Breadth-first searches from many sources at once: the host operations and kernels.

Every node has a bit for each source of a batch, in words of 64: `seen`, whether the source has come to it; `front`,
whether it does so at this level; `coming`, at the next. A round has two kernels. One goes over the nodes with bits in
`front` and does what the program does to a node at this level, once for all sources that come to it. The other offers
these bits to neighbors, each of which takes what it has not seen; or, where many nodes have some, nodes that lack bits
look for them, and leave when they have all that any node can offer: the `alive` ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import all_expressions, with_signature
from starplat.source import Span

INT, LONG, NODE, BOOL = ir.Element.INT, ir.Element.LONG, ir.Element.NODE, ir.Element.BOOL
WORD = 64
AT_ONCE = 4
"""Words of a node that a thread reads before it writes any: reads that wait for writes take longer."""

_ZERO = ir.Const(0, LONG)


def _bits(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary(operator, left, right, LONG)


def _or(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return _bits(ir.BinaryOperator.BIT_OR, left, right)


def _without(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """The bits of one that the other has not."""
    return _bits(ir.BinaryOperator.BIT_AND, left, ir.Unary(ir.UnaryOperator.COMPLEMENT, right))


@dataclass
class BatchedSearches:
    """The searches of one loop over sources, `width` at a time; collects the `kernels` and `arrays` that they need."""

    searches: ir.Searches
    width: int
    names: FreshNames
    prefix: str
    span: Span
    kernels: list[ir.Kernel] = field(default_factory=list)
    arrays: list[ir.Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        words = ir.Extent.NODES * self.lanes
        self.seen, self.front, self.coming = (self.array(name, LONG, words) for name in ("seen", "front", "coming"))
        self.active = self.array("active", BOOL, ir.Extent.NODES)
        self.following = self.array("active_next", BOOL, ir.Extent.NODES)
        self.alive, self.faded = (self.array(name, LONG, ir.Extent.ONE * self.lanes) for name in ("alive", "faded"))
        self.first, self.last = self.variable("first", INT), self.variable("last", INT)
        self.more = self.variable("more", BOOL)
        self.locals = self.names.inner()
        self.level = ir.Variable(self.names.fresh("steps"), INT)

    @property
    def lanes(self) -> int:
        """Words of a node."""
        return self.width // WORD

    def array(self, name: str, element: ir.Element, extent: ir.Extent) -> ir.Array:
        made = ir.Array(self.names.fresh(name), element, extent, ir.Origin.TEMPORARY)
        self.arrays.append(made)
        return made

    def variable(self, name: str, element: ir.Element) -> ir.Variable:
        """A scalar of the host."""
        return ir.Variable(self.names.fresh(name), element)

    def local(self, name: str, element: ir.Element) -> ir.Variable:
        """A local of the kernel that is being made."""
        return ir.Variable(self.locals.fresh(name), element)

    def kernel(self, does: str, kernel: ir.Kernel) -> str:
        """Keeps a kernel, whose name says what it does."""
        name = self.names.fresh(f"{self.prefix}_{does}")
        self.kernels.append(with_signature(replace(kernel, name=name, span=self.span)))
        return name

    # --- host operations

    def searched(self, members: ir.Array | None) -> tuple[ir.HostOp, ...]:
        """What takes the place of the loop: over all nodes, or over the `members` of a set."""
        if members is None:
            return (self.batches(None, ir.NumNodes()),)
        listed, number = self.array("sources_in_turn", NODE, ir.Extent.NODES), self.variable("num_sources", INT)
        return (*self.listing(members, listed, number), self.batches(listed, ir.Ref(number)))

    def batches(self, listed: ir.Array | None, count: ir.Expression) -> ir.HostOp:
        """The loop over batches of `count` sources: of those that are listed, or of all nodes."""
        batch = self.variable("batch", INT)
        batches = build.divided(build.plus(count, build.number(self.width - 1)), build.number(self.width))
        ends = build.plus(ir.Ref(self.first), build.number(self.width))
        body: tuple[ir.HostOp, ...] = (
            ir.DeclareVariable(self.first, build.times(ir.Ref(batch), build.number(self.width))),
            ir.DeclareVariable(self.last, ir.Apply(ir.MathFunction.MIN, (ends, count), INT)),
            *(ir.Fill(array, _ZERO) for array in (self.seen, self.front, self.alive)),
            ir.Fill(self.active, build.FALSE),
            ir.Launch(self.begins(listed)),
            ir.DeclareVariable(self.level, build.ZERO),
            ir.DeclareVariable(self.more, build.FALSE),
            ir.Loop((), ir.Ref(self.more), self.round(), test_last=True),
        )
        return ir.HostForRange(batch, build.ZERO, batches, body, by_host=True)

    def listing(self, members: ir.Array, listed: ir.Array, number: ir.Variable) -> tuple[ir.HostOp, ...]:
        """Lists the members of a set, and counts them."""
        self.locals = self.names.inner()
        counted = self.array("listed", INT, ir.Extent.ONE)
        source, place = self.local("source", NODE), self.local("place", INT)
        body = (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, counted, build.ZERO, build.ONE),
            ir.Store(listed, ir.Ref(place), ir.Ref(source)),
        )
        is_source = ir.Load(members, ir.Ref(source))
        kernel = ir.Kernel("", ir.AllNodes(), source, body, filter=is_source, comment="lists the sources")
        name = self.kernel("list_sources", kernel)
        return (
            ir.Fill(counted, build.ZERO),
            ir.Launch(name),
            ir.DeclareVariable(number, build.ZERO),
            ir.ReadCell(number, counted, build.ZERO),
        )

    def round(self) -> tuple[ir.HostOp, ...]:
        """What one level does."""
        return (
            ir.SetVariable(self.more, build.FALSE),
            ir.Fill(self.following, build.FALSE),
            ir.Fill(self.coming, _ZERO),
            ir.Fill(self.faded, _ZERO),
            ir.Launch(self.visits),
            ir.Launch(self.pushes, self.active, (ir.Launch(self.pulls),), dear=True),
            ir.Swap(self.active, self.following),
            ir.Swap(self.front, self.coming),
            ir.Swap(self.alive, self.faded),
            ir.SetVariable(self.level, build.plus(ir.Ref(self.level), build.ONE)),
        )

    # --- kernels

    def begins(self, listed: ir.Array | None) -> str:
        """Every source of the batch comes to itself."""
        self.locals = self.names.inner()
        place, source = self.local("place", INT), self.local("source", NODE)
        bit = build.minus(ir.Ref(place), ir.Ref(self.first))
        node: ir.Expression = ir.Ref(place) if listed is None else ir.Load(listed, ir.Ref(place))
        one = _bits(ir.BinaryOperator.SHIFT_LEFT, ir.Const(1, LONG), _modulo(bit, WORD))
        index = self.word(ir.Ref(source), build.divided(bit, build.number(WORD)))
        body = (
            ir.Let(place, build.plus(ir.Ref(self.first), ir.Ref(number := self.local("number", INT)))),
            ir.Let(source, node),
            ir.Store(self.front, index, one),
            ir.Store(self.active, ir.Ref(source), build.TRUE),
        )
        domain = ir.Numbers(build.minus(ir.Ref(self.last), ir.Ref(self.first)))
        return self.kernel(
            "begin", ir.Kernel("", domain, number, body, comment="gives each source of the batch its bit")
        )

    def word(self, node: ir.Expression, lane: ir.Expression) -> ir.Expression:
        """The place of a word of a node."""
        if self.lanes == 1:
            return node
        first = build.times(node, build.number(self.lanes), INT)
        return first if lane == build.ZERO else build.plus(first, lane)

    def cell_of(self, lane: ir.Variable) -> ir.Expression:
        """The place of a word among those of one node."""
        return build.ZERO if self.lanes == 1 else ir.Ref(lane)

    def several(self, name: str, number: int) -> list[ir.Variable]:
        """Locals for words beside each other."""
        return [self.local(name, LONG) for _ in range(number)]

    def place(self, node: ir.Expression, first: ir.Expression) -> ir.Expression:
        """The place of a node's words from the `first` one on."""
        return self.word(node, first) if self.lanes > AT_ONCE else self.word(node, build.ZERO)

    def each_word(
        self, node: ir.Expression, body: Callable[[ir.Expression, ir.Expression, int], tuple[ir.KernelOp, ...]]
    ) -> tuple[ir.KernelOp, ...]:
        """What is done to all words of a node, a few at a time, so that none waits for another: `body` gets the first
        of these, its place among all words, and their number."""
        if self.lanes == 1:
            return body(build.ZERO, node, 1)
        index = self.local("word", INT)
        if self.lanes <= AT_ONCE:
            place = build.times(node, build.number(self.lanes), INT)
            return (ir.Let(index, place), *body(build.ZERO, ir.Ref(index), self.lanes))
        few, first = self.local("few", INT), self.local("lane", INT)
        lane = build.times(ir.Ref(few), build.number(AT_ONCE))
        inner = (
            ir.Let(first, lane),
            ir.Let(index, self.word(node, ir.Ref(first))),
            *body(ir.Ref(first), ir.Ref(index), AT_ONCE),
        )
        return (ir.ForRange(few, build.ZERO, build.number(self.lanes // AT_ONCE), inner),)

    @cached_property
    def visits(self) -> str:
        """What the program does to a node, for all sources that come to it."""
        self.locals = self.names.inner()
        node, count = self.searches.node, self.searches.count

        def lanes(first: ir.Expression, index: ir.Expression, several: int) -> tuple[ir.KernelOp, ...]:
            new, old, places = self.several("fresh", several), self.several("old", several), self.behind(index, several)
            ones = [ir.Cast(ir.Apply(ir.MathFunction.POPCOUNT, (ir.Ref(n),), LONG), INT) for n in new]
            cells = [ir.Load(self.alive, i) for i in self.behind(first, several)]
            return (
                *(ir.Let(n, ir.Load(self.front, i)) for n, i in zip(new, places, strict=True)),
                *(ir.Let(o, ir.Load(self.seen, i)) for o, i in zip(old, places, strict=True)),
                *(
                    ir.KernelIf(_lacks(ir.Ref(o), ir.Ref(n)), (ir.Store(self.seen, i, _or(ir.Ref(o), ir.Ref(n))),))
                    for n, o, i in zip(new, old, places, strict=True)
                ),
                *((ir.SetLocal(count, _sum(ir.Ref(count), ones)),) if self.is_counted else ()),
                *(
                    ir.KernelIf(_lacks(cell, ir.Ref(n)), (self.joins(cell.array, cell.index, ir.Ref(n)),))
                    for n, cell in zip(new, cells, strict=True)
                ),
            )

        counts = (ir.Let(count, build.ZERO),) if self.is_counted else ()
        body = (*counts, *self.each_word(ir.Ref(node), lanes), *self.reached)
        is_active = ir.Load(self.active, ir.Ref(node))
        return self.kernel("visit", ir.Kernel("", ir.AllNodes(), node, body, filter=is_active))

    @cached_property
    def is_counted(self) -> bool:
        """Whether it matters how many sources come to a node."""
        parts = all_expressions(self.searches.reached)
        return any(isinstance(part, ir.Ref) and part.variable == self.searches.count for part in parts)

    def joins(self, array: ir.Array, place: ir.Expression, bits: ir.Expression) -> ir.KernelOp:
        """Sets bits of a word that other threads change as well."""
        return ir.UpdateCell(ir.Combine.BIT_OR, array, place, bits, shared=True)

    def behind(self, first: ir.Expression, several: int) -> list[ir.Expression]:
        """The places from the first one on."""
        return [build.number(i) if first == build.ZERO else _plus(first, i) for i in range(several)]

    @property
    def reached(self) -> tuple[ir.KernelOp, ...]:
        """What is done to a node, at the level of the round."""
        return _Renamed({self.searches.level: self.level}).kernel_block(self.searches.reached)

    @cached_property
    def pushes(self) -> str:
        """Nodes offer their new bits to their neighbors."""
        self.locals = self.names.inner()
        node, neighbor = self.local("v", NODE), self.local("w", NODE)
        arc, takes = self.local("e", ir.Element.ARC), self.local("takes", BOOL)
        at_once = self.lanes <= AT_ONCE

        def lanes(first: ir.Expression, index: ir.Expression, several: int) -> tuple[ir.KernelOp, ...]:
            new, places = self.several("fresh", several), self.behind(index, several)
            offered = [ir.Load(self.front, i) for i in self.behind(self.place(ir.Ref(node), first), several)]
            lacking = [_without(bits, ir.Load(self.seen, i)) for bits, i in zip(offered, places, strict=True)]
            taken: list[ir.KernelOp] = [
                ir.KernelIf(build.differs(ir.Ref(n), _ZERO), (self.joins(self.coming, i, ir.Ref(n)),))
                for n, i in zip(new, places, strict=True)
            ]
            if several == 1:
                taken = [self.joins(self.coming, places[0], ir.Ref(new[0]))]
            every: Iterator[ir.Expression] = (ir.Ref(n) for n in new)
            some = build.differs(reduce(_or, every), _ZERO)
            then = joins if at_once else (ir.SetLocal(takes, build.TRUE),)
            return (
                *(ir.Let(n, bits) for n, bits in zip(new, lacking, strict=True)),
                ir.KernelIf(some, (*taken, *then)),
            )

        joins = (
            ir.Store(self.following, ir.Ref(neighbor), build.TRUE, shared=True),
            ir.Contribute(self.more, build.TRUE),
        )
        body = self.each_word(ir.Ref(neighbor), lanes)
        if not at_once:
            body = (ir.Let(takes, build.FALSE), *body, ir.KernelIf(ir.Ref(takes), joins))
        arcs = ir.ForNeighbors(self.searches.direction, ir.Ref(node), neighbor, arc, body, parallel=True)
        return self.kernel(
            "offer_bits",
            ir.Kernel(
                "",
                ir.AllNodes(),
                node,
                (arcs,),
                filter=ir.Load(self.active, ir.Ref(node)),
                reductions=(ir.Reduction(self.more, ir.Combine.OR),),
                comment="neighbors take the bits that they have not seen",
            ),
        )

    @cached_property
    def pulls(self) -> str:
        """Words that lack bits take those that neighbors offer, and leave when none is missing that any node has."""
        self.locals = self.names.inner()
        number, node, neighbor = self.local("word", INT), self.local("w", NODE), self.local("v", NODE)
        slot, lane = self.local("in_e", ir.Element.ARC), self.local("lane", INT)
        missing, found = self.local("missing", LONG), self.local("found", LONG)
        word = ir.Ref(number)
        offered = ir.Load(self.front, self.word(ir.Ref(neighbor), ir.Ref(lane)))
        lacking = build.differs(ir.Ref(missing), _ZERO)
        held = _bits(ir.BinaryOperator.BIT_AND, ir.Ref(found), ir.Ref(missing))
        look = (
            ir.KernelIf(
                ir.Load(self.active, ir.Ref(neighbor)),
                (
                    ir.SetLocal(found, _or(ir.Ref(found), offered)),
                    ir.KernelIf(build.equal(held, ir.Ref(missing)), (ir.KernelBreak(),)),
                ),
            ),
        )
        back = ir.Direction.IN if self.searches.direction is ir.Direction.OUT else ir.Direction.OUT
        taken = (
            ir.UpdateCell(ir.Combine.BIT_OR, self.coming, word, ir.Ref(found), shared=False),
            ir.UpdateCell(ir.Combine.BIT_OR, self.seen, word, ir.Ref(found), shared=False),
            ir.Store(self.following, ir.Ref(node), build.TRUE, shared=True),
            ir.Contribute(self.more, build.TRUE),
        )
        search = (
            ir.Let(found, _ZERO),
            ir.ForNeighbors(back, ir.Ref(node), neighbor, slot, look, parallel=False),
            ir.SetLocal(found, held),
            ir.KernelIf(build.differs(ir.Ref(found), _ZERO), taken),
        )
        lacks = _without(ir.Load(self.alive, self.cell_of(lane)), ir.Load(self.seen, word))
        body = (*self.parts(number, node, lane), ir.Let(missing, lacks), ir.KernelIf(lacking, search))
        return self.kernel(
            "look_for_bits",
            ir.Kernel(
                "",
                ir.Numbers(build.times(ir.NumNodes(), build.number(self.lanes))),
                number,
                body,
                reductions=(ir.Reduction(self.more, ir.Combine.OR),),
                comment="nodes look for the bits that they have not seen",
            ),
        )

    def parts(self, word: ir.Variable, node: ir.Variable, lane: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Declares whose word it is, and which."""
        if self.lanes == 1:
            return (ir.Let(node, ir.Ref(word)),)
        of = build.divided(ir.Ref(word), build.number(self.lanes))
        return (ir.Let(node, of), ir.Let(lane, _modulo(ir.Ref(word), self.lanes)))


def _sum(first: ir.Expression, others: Iterable[ir.Expression]) -> ir.Expression:
    for other in others:
        first = build.plus(first, other)
    return first


def _plus(first: ir.Expression, number: int) -> ir.Expression:
    return build.plus(first, build.number(number)) if number else first


def _lacks(one: ir.Expression, bits: ir.Expression) -> ir.Expression:
    """Whether it has not all of the bits."""
    return build.differs(_without(bits, one), _ZERO)


class _Renamed(Rewriter):
    """Gives variables other names."""

    def __init__(self, names: Mapping[ir.Variable, ir.Variable]) -> None:
        self.names = names

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return self.names.get(variable, variable)


def _modulo(value: ir.Expression, by: int) -> ir.Expression:
    return ir.Binary(ir.BinaryOperator.REMAINDER, value, build.number(by), INT)
