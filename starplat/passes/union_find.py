"""Finds components by union-find where a program lets labels spread until nothing changes.

A loop that `label_loops` has proved to leave every node with the best label of its component becomes five launches,
after Jaiganesh and Burtscher (ECL-CC, HPDC 2018) and Sutton, Ben-Nun and Barak (Afforest, IPDPS 2018): every node
points to its best neighbor; joins a second one; paths are flattened; every arc joins the trees at its ends, which
mostly are one by then; paths are flattened. A tree's root is its best node, so the answer is the same bit for bit.

Where a program follows arcs one way only, labels spread over all of a component if arcs lead both ways. That is not
tested for every arc: the arcs that joined two trees connect each component, so it is enough that each of these has its
reverse. If one has not, the program's own loop runs.

Of a graph that is known to have every arc's reverse, no arc within the great tree that most nodes are in by then has to
be looked at: only nodes that are still apart from it join along their arcs, those into the tree as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    DeclareVariable,
    Direction,
    Domain,
    Element,
    Expression,
    Extent,
    FindArc,
    ForNeighbors,
    HostBlock,
    HostFunction,
    HostIf,
    HostOp,
    Kernel,
    KernelBreak,
    KernelIf,
    KernelOp,
    KernelWhile,
    Launch,
    Let,
    Load,
    MathFunction,
    Module,
    NumArcs,
    Origin,
    Reduction,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.visitor import with_signature
from starplat.passes.label_loops import LabelLoop, label_loops
from starplat.passes.names import names_throughout
from starplat.passes.rewritten import Found, Rewritten, free_name, replaced, tidied

_STEPS = ("start", "sample", "set_apart", "join", "flatten", "restart")
FALSE, TRUE = Const(False, Element.BOOL), Const(True, Element.BOOL)


def union_find(module: Module, *, shares_arcs: bool = False, symmetric: bool = False) -> Rewritten:
    """The same program with union-find in place of label propagation, and what was found.

    Args:
        shares_arcs: whether threads are to share the arcs of all nodes, where a kernel goes over these.
        symmetric: whether every graph that the program will see has arcs, each of them with its reverse.
    """
    replaced = []
    rewritten = module
    for function in module.functions:
        for found in label_loops(module, function):
            builder = _Builder(rewritten, rewritten.function(function.name), found, shares_arcs, symmetric)
            rewritten = builder.module_with_it()
            replaced.append(builder.note())
    return Rewritten(tidied(rewritten), tuple(replaced)) if replaced else Rewritten(module)


@dataclass
class _Builder:
    """Writes the kernels for one loop, and the host operations that launch them."""

    module: Module
    host_function: HostFunction
    found: LabelLoop
    shares_arcs: bool
    symmetric: bool

    def __post_init__(self) -> None:
        assert self.found.labels.array is not None
        self.label: Array = self.found.labels.array
        self.is_least = self.found.labels.extreme is Combine.MIN
        kernels = {kernel.name for kernel in self.module.kernels}
        stem = f"{self.host_function.name}_{self.label.name}"
        self.names = {step: free_name(f"{stem}_{step}", kernels) for step in _STEPS}
        names = names_throughout(self.host_function, self.module)
        self.one_way = Variable(free_name("one_way", names), Element.BOOL)
        self.v, self.u = self.local("v", Element.NODE), self.local("u", Element.NODE)
        self.first, self.end = self.local("first", Element.ARC), self.local("end", Element.ARC)
        self.both_ways = self.symmetric or self.found.both_ways
        self.apart = Array(free_name(f"{self.label.name}_apart", names), Element.BOOL, Extent.NODES, Origin.TEMPORARY)

    def module_with_it(self) -> Module:
        """The module with the loop replaced."""
        found = self.found
        # where a launch only gives nodes their first labels, the loop's replacement does that itself
        body = replaced(self.host_function.body, (found.start, ()), (found.loop, self.host()))
        arrays = (*self.host_function.arrays, *((self.apart,) if self.symmetric else ()))
        function = replace(self.host_function, body=body, arrays=arrays)
        functions = tuple(function if f.name == function.name else f for f in self.module.functions)
        return replace(self.module, functions=functions, kernels=(*self.module.kernels, *self.kernels()))

    def note(self) -> Found:
        """What was done, for people."""
        kind = "smallest" if self.is_least else "largest"
        way = "" if self.both_ways else ", on graphs whose arcs lead both ways"
        way = ", only for nodes apart from the great tree after two arcs of each" if self.symmetric else way
        what = f"union-find for '{self.label.name}' in place of a loop{way}"
        return Found(what, f"the loop ends when every node has the {kind} node of its component")

    # --- the host ---

    def host(self) -> tuple[HostOp, ...]:
        between = "set_apart" if self.symmetric else "flatten"
        launches = tuple(Launch(self.names[step]) for step in ("start", "sample", between, "join", "flatten"))
        if self.both_ways:
            return (*launches, *self.found.ends)
        again = (Launch(self.names["restart"]), self.found.loop)
        declared = DeclareVariable(self.one_way, FALSE)
        return (HostBlock((declared, *launches, HostIf(Ref(self.one_way), again, self.found.ends))),)

    # --- kernels ---

    def kernels(self) -> list[Kernel]:
        made = [
            self.kernel("start", AllNodes(), self.v, self.start(), "every node points to its best neighbor"),
            self.kernel("sample", AllNodes(), self.v, self.sample(), "joins every node to a second neighbor"),
            self.join(),
            self.kernel("flatten", AllNodes(), self.v, self.flatten(), "every node points to the root of its tree"),
        ]
        if self.symmetric:
            comment = "the same, and tells which trees are not that of the node that the middle arc leads to"
            made.append(self.kernel("set_apart", AllNodes(), self.v, self.set_apart(), comment))
        if not self.both_ways:
            restart = Store(self.label, Ref(self.v), Ref(self.v))
            made.append(self.kernel("restart", AllNodes(), self.v, (restart,), "every node points to itself again"))
        return made

    def kernel(self, step: str, domain: Domain, iterator: Variable, body: tuple[KernelOp, ...], comment: str) -> Kernel:
        told = not self.both_ways and step in ("start", "sample", "join")
        reductions = (Reduction(self.one_way, Combine.OR),) * told
        span = self.found.kernels[0].span
        name, why = self.names[step], f"union-find: {comment}"
        return with_signature(Kernel(name, domain, iterator, None, body, (), (), reductions, span, why))

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
            Store(self.label, Ref(self.v), Ref(best)),
        )

    def sample(self) -> tuple[KernelOp, ...]:
        more = _compare("<", _plus_one(Ref(self.first)), Ref(self.end))
        place = _plus_one(Ref(self.first)) if self.is_least else _minus_one(_minus_one(Ref(self.end)))
        return (
            Let(self.first, Load(ROW_OFFSETS, Ref(self.v))),
            Let(self.end, Load(ROW_OFFSETS, _plus_one(Ref(self.v)))),
            KernelIf(more, (Let(self.u, Load(COLUMNS, place)), *self.linked(Ref(self.v), Ref(self.u)))),
        )

    def join(self) -> Kernel:
        """Over the nodes' neighbors where threads share these, else over the arcs themselves if the program has their
        sources at hand, which are as many as arcs."""
        comment, arc = "joins the trees at the ends of every arc", self.local("e", Element.ARC)
        if self.symmetric:
            comment = "joins the other trees along their arcs"
        elif not self.shares_arcs and any(SOURCES in kernel.arrays for kernel in self.found.kernels):
            ends = (Let(self.v, Load(SOURCES, Ref(arc))), Let(self.u, Load(COLUMNS, Ref(arc))))
            return self.kernel("join", AllArcs(), arc, (*ends, *self.linked(Ref(self.v), Ref(self.u))), comment)
        linked = self.linked(Ref(self.v), Ref(self.u))
        loop = ForNeighbors(Direction.OUT, Ref(self.v), self.u, arc, linked, parallel=True)
        kernel = self.kernel("join", AllNodes(), self.v, (loop,), comment)
        keep = Load(self.apart, Ref(self.v)) if self.symmetric else None
        return with_signature(replace(kernel, filter=keep, shares_arcs=self.shares_arcs))

    def flatten(self) -> tuple[KernelOp, ...]:
        root, above, held = self.local("root"), self.local("above"), self.local("held")
        return (
            Let(held, self.of(Ref(self.v))),
            Let(root, Ref(held)),
            *self.climbed(root, above),
            KernelIf(_compare("!=", Ref(root), Ref(held)), (self.shortened(Ref(self.v), Ref(root)),)),
        )

    def climbed(self, root: Variable, above: Variable) -> tuple[KernelOp, ...]:
        """Lets `root` be the root of the tree that it is in."""
        climb = (SetLocal(root, Ref(above)), SetLocal(above, self.of(Ref(root))))
        return Let(above, self.of(Ref(root))), KernelWhile(_compare("!=", Ref(root), Ref(above)), climb)

    def set_apart(self) -> tuple[KernelOp, ...]:
        """Most arcs are in the great tree, so the one in the middle probably is. All climb the path from there, which
        may be as long as there are nodes, and shorten it."""
        root, great, above = self.local("root"), self.local("great"), self.local("above_great")
        begun = self.local("held_great")
        middle = Load(COLUMNS, Binary(BinaryOperator.DIVIDE, NumArcs(Element.ARC), Const(2, Element.ARC), Element.ARC))
        return (
            *self.flatten(),
            Let(begun, self.of(middle)),
            Let(great, Ref(begun)),
            *self.climbed(great, above),
            KernelIf(_compare("!=", Ref(great), Ref(begun)), (self.shortened(middle, Ref(great)),)),
            Store(self.apart, Ref(self.v), _compare("!=", Ref(root), Ref(great))),
        )

    def shortened(self, node: Expression, ancestor: Expression) -> UpdateCell:
        """Lets a node point to an ancestor, unless another thread has found it a better one."""
        return UpdateCell(self.found.labels.extreme, self.label, node, ancestor, shared=True)

    def linked(self, one: Expression, other: Expression) -> tuple[KernelOp, ...]:
        """Makes one tree of those that two nodes are in: the worse root gets to point to the better side.

        Both sides climb until they meet; every step halves the path that is behind it. A cell that was read a while
        ago still holds an ancestor, and whether a root is one is decided by the swap alone.
        """
        a, b, held = self.local("a"), self.local("b"), self.local("held")
        low, high, above = self.local("low"), self.local("high"), self.local("above")
        is_root = _compare("==", Ref(held), Ref(high))
        swap = CompareSwap(held, self.label, Ref(high), Ref(high), Ref(low))
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
        differ = _compare("!=", Ref(a), Ref(b))
        return (Let(a, self.of(one)), Let(b, self.of(other)), KernelWhile(differ, climb))

    def proved(self, source: Expression, destination: Expression) -> tuple[KernelOp, ...]:
        """Tells if an arc that joins two trees lacks its reverse, where that matters."""
        if self.both_ways:
            return ()
        lacking = _compare("<", FindArc(destination, source), Const(0, Element.ARC))
        apart = _compare("!=", source, destination)
        return (KernelIf(Binary(BinaryOperator.AND, apart, lacking, Element.BOOL), (Contribute(self.one_way, TRUE),)),)

    # --- expressions ---

    def of(self, node: Expression) -> Load:
        return Load(self.label, node)

    def local(self, name: str, element: Element | None = None) -> Variable:
        """A local of the kernels, by default for a label; its name is free in each of them."""
        return Variable(free_name(name, {self.label.name, self.one_way.name}), element or self.label.element)

    def better(self, one: Expression, other: Expression) -> Expression:
        return Apply(MathFunction.MIN if self.is_least else MathFunction.MAX, (one, other), one.element)

    def worse(self, one: Expression, other: Expression) -> Expression:
        return Apply(MathFunction.MAX if self.is_least else MathFunction.MIN, (one, other), one.element)


def _compare(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator(operator), left, right, Element.BOOL)


def _plus_one(value: Expression) -> Binary:
    return Binary(BinaryOperator.ADD, value, Const(1, Element.INT), value.element)


def _minus_one(value: Expression) -> Binary:
    return Binary(BinaryOperator.SUBTRACT, value, Const(1, Element.INT), value.element)
