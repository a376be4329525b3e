"""The kernels of union-find, on an array by which every node points to a better one of its tree, or to itself.

After Jaiganesh and Burtscher (ECL-CC, HPDC 2018) and Sutton, Ben-Nun and Barak (Afforest, IPDPS 2018). Takes the array
and what is known of the graph; `union_find` launches what comes out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    SOURCES,
    AllArcs,
    AllNodes,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Combine,
    CompareSwap,
    Const,
    Contribute,
    Direction,
    Domain,
    Element,
    Expression,
    FindArc,
    ForNeighbors,
    Kernel,
    KernelBreak,
    KernelIf,
    KernelOp,
    KernelWhile,
    Let,
    Load,
    MathFunction,
    NumArcs,
    NumNodes,
    Reduction,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.visitor import with_signature
from starplat.passes.rewritten import free_name
from starplat.source import Span

STEPS = ("start", "sample", "set_apart", "join", "flatten")
PATIENCE = 64
"""Steps of a climb that has time, as another comes later."""

TRUE = Const(True, Element.BOOL)


@dataclass
class Trees:
    """The kernels' names by step; `extreme` says whether the least or the greatest node is a root.

    `one_way` is told if an arc that joins two trees lacks its reverse, and None where that does not matter; `apart`
    tells who is apart from the great tree, and is None unless every arc is known to have its reverse. Kernels that
    climb begin with nodes that are probably near roots: `turned` lets `visited` be the greatest first where those are.
    """

    tree: Array
    extreme: Combine
    names: Mapping[str, str]
    one_way: Variable | None
    apart: Array | None
    shares_arcs: bool
    has_sources: bool
    span: Span
    taken: set[str]
    is_least: bool = field(init=False)
    visited: Ref = field(init=False)
    turned: tuple[KernelOp, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.is_least = self.extreme is Combine.MIN
        self.v, self.u = self.local("v", Element.NODE), self.local("u", Element.NODE)
        self.first, self.end = self.local("first", Element.ARC), self.local("end", Element.ARC)
        node = self.local("node", Element.NODE)
        self.visited = Ref(self.v if self.is_least else node)
        self.turned = () if self.is_least else (Let(node, _from_the_end(self.v)),)

    @property
    def steps(self) -> tuple[str, ...]:
        """The launches, in their order."""
        return ("start", "sample", "flatten" if self.apart is None else "set_apart", "join", "flatten")

    def kernels(self) -> list[Kernel]:
        """All that are launched."""
        made = [
            self.kernel("start", AllNodes(), self.v, self.start(), "every node points to its best neighbor"),
            self.kernel("sample", AllNodes(), self.v, self.sample(), "joins every node to a second neighbor"),
            self.join(),
            self.kernel("flatten", AllNodes(), self.v, self.flatten(), "every node points to the root of its tree"),
        ]
        if self.apart is not None:
            comment = "shortens paths, and tells which trees are not that of the node that the middle arc leads to"
            made.append(self.kernel("set_apart", AllNodes(), self.v, self.set_apart(self.apart), comment))
        return made

    def kernel(self, step: str, domain: Domain, iterator: Variable, body: tuple[KernelOp, ...], comment: str) -> Kernel:
        """A kernel that tells `one_way` where its step joins trees."""
        told = () if self.one_way is None else (Reduction(self.one_way, Combine.OR),)
        reductions = told if step in ("start", "sample", "join") else ()
        name, why = self.names[step], f"union-find: {comment}"
        return with_signature(Kernel(name, domain, iterator, None, body, (), (), reductions, self.span, why))

    def start(self) -> tuple[KernelOp, ...]:
        """Columns ascend within a row: the best neighbor is the first or the last."""
        best = self.local("best", Element.NODE)
        place = Ref(self.first) if self.is_least else _minus_one(Ref(self.end))
        found = self.better(Ref(self.v), Load(COLUMNS, place))
        proved = self.proved(Ref(self.v), Ref(best))
        return (
            Let(self.first, Load(ROW_OFFSETS, Ref(self.v))),
            Let(self.end, Load(ROW_OFFSETS, _plus_one(Ref(self.v)))),
            Let(best, Ref(self.v)),
            KernelIf(_compare("<", Ref(self.first), Ref(self.end)), (SetLocal(best, found), *proved)),
            Store(self.tree, Ref(self.v), Ref(best)),
        )

    def sample(self) -> tuple[KernelOp, ...]:
        """What takes many steps is left to `join`, by when paths are short: trees may hang each below the last one."""
        steps = self.local("steps", Element.INT)
        own_steps = self.local("steps_own", Element.INT)
        climbed = self.climbed(self.visited, self.local("own"), self.local("above_own"), own_steps)
        linked = self.linked(self.visited, Ref(self.u), steps)
        more = _compare("<", _plus_one(Ref(self.first)), Ref(self.end))
        place = _plus_one(Ref(self.first)) if self.is_least else _minus_one(_minus_one(Ref(self.end)))
        return (
            *self.turned,
            Let(self.first, Load(ROW_OFFSETS, self.visited)),
            Let(self.end, Load(ROW_OFFSETS, _plus_one(self.visited))),
            KernelIf(more, (Let(self.u, Load(COLUMNS, place)), *climbed, *linked)),
        )

    def join(self) -> Kernel:
        """Over the nodes' neighbors where threads share these, else over the arcs themselves if the program has their
        sources at hand, which are as many as arcs."""
        comment, arc = "joins the trees at the ends of every arc", self.local("e", Element.ARC)
        if self.apart is not None:
            comment = "joins the other trees along their arcs"
        elif not self.shares_arcs and self.has_sources:
            ends = (Let(self.v, Load(SOURCES, Ref(arc))), Let(self.u, Load(COLUMNS, Ref(arc))))
            return self.kernel("join", AllArcs(), arc, (*ends, *self.linked(Ref(self.v), Ref(self.u))), comment)
        linked = self.linked(Ref(self.v), Ref(self.u))
        loop = ForNeighbors(Direction.OUT, Ref(self.v), self.u, arc, linked, parallel=True)
        kernel = self.kernel("join", AllNodes(), self.v, (loop,), comment)
        keep = None if self.apart is None else Load(self.apart, Ref(self.v))
        return with_signature(replace(kernel, filter=keep, shares_arcs=self.shares_arcs))

    def flatten(self) -> tuple[KernelOp, ...]:
        return (*self.turned, *self.climbed(self.visited, self.local("held"), self.local("above")))

    def set_apart(self, apart: Array) -> tuple[KernelOp, ...]:
        """Most arcs are in the great tree, so the one in the middle probably is. Who does not get to its root takes
        itself for apart from it, which costs time and does no harm."""
        held, great = self.local("held"), self.local("great")
        middle = Load(COLUMNS, Binary(BinaryOperator.DIVIDE, NumArcs(Element.ARC), Const(2, Element.ARC), Element.ARC))
        return (
            *self.turned,
            *self.climbed(self.visited, held, self.local("above"), self.local("steps", Element.INT)),
            *self.climbed(middle, great, self.local("above_great"), self.local("steps_great", Element.INT)),
            Store(apart, self.visited, _compare("!=", Ref(held), Ref(great))),
        )

    def climbed(
        self, node: Expression, held: Variable, above: Variable, steps: Variable | None = None
    ) -> tuple[KernelOp, ...]:
        """Lets a node point to its root, which `held` is then, or with `steps` to an ancestor not too far away.

        A path may be as long as there are nodes. Every step is told, so that threads which climb at the same time spare
        each other half of what is left; those who would climb over nodes that nobody has begun with yet give up.
        """
        climb = (self.shortened(node, Ref(above)), SetLocal(held, Ref(above)), SetLocal(above, self.of(Ref(held))))
        goes_on = _compare("!=", Ref(held), Ref(above))
        return (Let(held, self.of(node)), Let(above, self.of(Ref(held))), *_patient(goes_on, climb, steps))

    def shortened(self, node: Expression, ancestor: Expression) -> UpdateCell:
        """Lets a node point to an ancestor, unless another thread has found it a better one."""
        return UpdateCell(self.extreme, self.tree, node, ancestor, shared=True)

    def linked(self, one: Expression, other: Expression, steps: Variable | None = None) -> tuple[KernelOp, ...]:
        """Makes one tree of those that two nodes are in: the worse root gets to point to the better side.

        Both sides climb until they meet; every step halves the path that is behind it. A cell that was read a while
        ago still holds an ancestor, and whether a root is one is decided by the swap alone. After too many
        `steps` the trees are left as they are.
        """
        a, b, held = self.local("a"), self.local("b"), self.local("held")
        low, high, above = self.local("low"), self.local("high"), self.local("above")
        is_root = _compare("==", Ref(held), Ref(high))
        swap = CompareSwap(held, self.tree, Ref(high), Ref(high), Ref(low))
        hook = (swap, KernelIf(is_root, (*self.proved(one, other), KernelBreak())))
        climb: tuple[KernelOp, ...] = (
            Let(low, self.better(Ref(a), Ref(b))),
            Let(high, self.worse(Ref(a), Ref(b))),
            Let(held, self.of(Ref(high))),
            KernelIf(is_root, hook),
            KernelIf(_compare("==", Ref(held), Ref(low)), (KernelBreak(),)),
            Let(above, self.of(Ref(held))),
            KernelIf(_compare("!=", Ref(above), Ref(held)), (self.shortened(Ref(high), Ref(above)),)),
            SetLocal(a, Ref(above)),
            SetLocal(b, self.of(Ref(low))),
        )
        differ, ends = _compare("!=", Ref(a), Ref(b)), (Let(a, self.of(one)), Let(b, self.of(other)))
        return (*ends, *_patient(differ, climb, steps))

    def proved(self, source: Expression, destination: Expression) -> tuple[KernelOp, ...]:
        """Tells if an arc that joins two trees lacks its reverse, where that matters."""
        if self.one_way is None:
            return ()
        lacking = _compare("<", FindArc(destination, source), Const(0, Element.ARC))
        apart = _compare("!=", source, destination)
        return (KernelIf(Binary(BinaryOperator.AND, apart, lacking, Element.BOOL), (Contribute(self.one_way, TRUE),)),)

    # --- expressions ---

    def of(self, node: Expression) -> Load:
        return Load(self.tree, node)

    def local(self, name: str, element: Element | None = None) -> Variable:
        """A local of the kernels, by default for a label; its name is free in each of them."""
        return Variable(free_name(name, self.taken), element or self.tree.element)

    def better(self, one: Expression, other: Expression) -> Expression:
        return Apply(MathFunction.MIN if self.is_least else MathFunction.MAX, (one, other), one.element)

    def worse(self, one: Expression, other: Expression) -> Expression:
        return Apply(MathFunction.MAX if self.is_least else MathFunction.MIN, (one, other), one.element)


def _patient(condition: Expression, body: tuple[KernelOp, ...], steps: Variable | None) -> tuple[KernelOp, ...]:
    """The loop, of no more than `PATIENCE` steps if they are counted."""
    if steps is None:
        return (KernelWhile(condition, body),)
    few = Binary(BinaryOperator.AND, condition, _compare("<", Ref(steps), Const(PATIENCE, Element.INT)), Element.BOOL)
    return Let(steps, Const(0, Element.INT)), KernelWhile(few, (*body, SetLocal(steps, _plus_one(Ref(steps)))))


def _compare(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator(operator), left, right, Element.BOOL)


def _from_the_end(node: Variable) -> Binary:
    last = Binary(BinaryOperator.SUBTRACT, NumNodes(), Const(1, Element.INT), Element.NODE)
    return Binary(BinaryOperator.SUBTRACT, last, Ref(node), Element.NODE)


def _plus_one(value: Expression) -> Binary:
    return Binary(BinaryOperator.ADD, value, Const(1, Element.INT), value.element)


def _minus_one(value: Expression) -> Binary:
    return Binary(BinaryOperator.SUBTRACT, value, Const(1, Element.INT), value.element)
