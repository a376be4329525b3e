"""The kernels of union-find, on an array in which every node points to a better one of its tree, or to itself.

After Jaiganesh and Burtscher (ECL-CC, HPDC 2018) and Sutton, Ben-Nun and Barak (Afforest, IPDPS 2018). Takes the array
and what is known of the graph; `union_find` launches what comes out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.source import Span

STEPS = ("start", "sample", "set_apart", "join", "flatten")
PATIENCE = 64
"""The most steps of a climb that a later one may finish."""


@dataclass
class Trees:
    """The kernels' names by step; `extreme` says whether the least or the greatest node is a root.

    `one_way` is told if an arc that joins two trees lacks its reverse, and None where that does not matter; such an arc
    joins none if joins are `mutual`, which says in which direction nodes go over arcs then. `apart` marks the nodes
    outside the great tree, and is None unless every arc is known to have its reverse. Most arcs are in that tree, so
    the node that the `middle` one leads to, which the host looks up, probably is. Kernels that climb begin with nodes
    that are probably near roots: `turned` lets `visited` be the greatest first where those are.

    Where `stores_paths`, a shorter path is stored rather than updated atomically. That needs no atomic, since any
    ancestor is right. Let a node's parent be what `start` or the one swap that found it a root made it point to. Then
    every value that its cell ever holds is the node or an ancestor: a swap writes the parent, and a store the ancestor
    of an ancestor. A store follows a read that found the node not to be a root, and writes a better node, so it neither
    hides a swap nor makes a root again. A late store may bring back a longer path, never a wrong one; in `flatten` each
    cell is stored by one thread alone, which ends at the root.
    """

    tree: ir.Array
    extreme: ir.Combine
    names: Mapping[str, str]
    one_way: ir.Variable | None
    mutual: ir.Direction | None
    apart: ir.Array | None
    middle: ir.Variable
    left: ir.Variable | None
    shares_arcs: bool
    stores_paths: bool
    has_sources: bool
    span: Span
    taken: set[str]
    is_least: bool = field(init=False)
    visited: ir.Ref = field(init=False)
    turned: tuple[ir.KernelOp, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.is_least = self.extreme is ir.Combine.MIN
        self.v, self.u = self.local("v", ir.Element.NODE), self.local("u", ir.Element.NODE)
        self.first, self.end = self.local("first", ir.Element.ARC), self.local("end", ir.Element.ARC)
        node = self.local("node", ir.Element.NODE)
        self.visited = ir.Ref(self.v if self.is_least else node)
        self.turned = () if self.is_least else (ir.Let(node, _from_the_end(self.v)),)

    @property
    def steps(self) -> tuple[str, ...]:
        """The launches, in order."""
        if self.mutual is not None:
            return ("start", "join", "flatten")
        return ("start", "sample", "flatten" if self.apart is None else "set_apart", "join", "flatten")

    def kernels(self) -> list[ir.Kernel]:
        if self.mutual is not None:
            itself = (ir.Store(self.tree, ir.Ref(self.v), ir.Ref(self.v)),)
            return [
                self.kernel("start", ir.AllNodes(), self.v, itself, "every node points to itself"),
                self.join_mutual(self.mutual),
                self.flattening(),
            ]
        made = [
            self.kernel("start", ir.AllNodes(), self.v, self.start(), "every node points to its best neighbor"),
            self.kernel("sample", ir.AllNodes(), self.v, self.sample(), "joins every node to a second neighbor"),
            self.join(),
            self.flattening(),
        ]
        if self.apart is not None:
            comment = "shortens paths, and tells which trees are not that of the node that the middle arc leads to"
            made.append(self.kernel("set_apart", ir.AllNodes(), self.v, self.set_apart(self.apart), comment))
        return made

    def kernel(
        self, step: str, domain: ir.Domain, iterator: ir.Variable, body: tuple[ir.KernelOp, ...], comment: str
    ) -> ir.Kernel:
        """A kernel that tells `one_way` where its step joins trees, and `left` where it sets nodes apart."""
        told = self.left if step == "set_apart" else self.one_way if step in ("start", "sample", "join") else None
        reductions = () if told is None else (ir.Reduction(told, ir.Combine.OR),)
        name, why = self.names[step], f"union-find: {comment}"
        return visitor.with_signature(
            ir.Kernel(name, domain, iterator, body, reductions=reductions, span=self.span, comment=why)
        )

    def start(self) -> tuple[ir.KernelOp, ...]:
        """Columns ascend within a row: the best neighbor is the first or the last."""
        best = self.local("best", ir.Element.NODE)
        place = ir.Ref(self.first) if self.is_least else build.minus(ir.Ref(self.end), build.ONE)
        found = self.better(ir.Ref(self.v), ir.CSR.neighbor(place))
        proved = self.proved(ir.Ref(self.v), ir.Ref(best))
        return (
            ir.Let(self.first, ir.CSR.first(ir.Ref(self.v))),
            ir.Let(self.end, ir.CSR.end(ir.Ref(self.v))),
            ir.Let(best, ir.Ref(self.v)),
            ir.KernelIf(build.less(ir.Ref(self.first), ir.Ref(self.end)), (ir.SetLocal(best, found), *proved)),
            ir.Store(self.tree, ir.Ref(self.v), ir.Ref(best)),
        )

    def sample(self) -> tuple[ir.KernelOp, ...]:
        """What takes many steps is left to `join`, by when paths are short: trees may hang each below the last one."""
        steps = self.local("steps", ir.Element.INT)
        own_steps = self.local("steps_own", ir.Element.INT)
        climbed = self.climbed(self.visited, self.local("own"), self.local("above_own"), own_steps)
        linked = self.linked(self.visited, ir.Ref(self.u), steps)
        more = build.less(build.plus(ir.Ref(self.first), build.ONE), ir.Ref(self.end))
        place = (
            build.plus(ir.Ref(self.first), build.ONE)
            if self.is_least
            else build.minus(build.minus(ir.Ref(self.end), build.ONE), build.ONE)
        )
        return (
            *self.turned,
            ir.Let(self.first, ir.CSR.first(self.visited)),
            ir.Let(self.end, ir.CSR.end(self.visited)),
            ir.KernelIf(more, (ir.Let(self.u, ir.CSR.neighbor(place)), *climbed, *linked)),
        )

    def join(self) -> ir.Kernel:
        """Over the nodes' neighbors where threads share these, else over the arcs themselves if the program has their
        sources at hand, which are as many as arcs."""
        comment, arc = "joins the trees at the ends of every arc", self.local("e", ir.Element.ARC)
        if self.apart is not None:
            comment = "joins the other trees along their arcs"
        elif not self.shares_arcs and self.has_sources:
            ends = (ir.Let(self.v, ir.Load(ir.SOURCES, ir.Ref(arc))), ir.Let(self.u, ir.CSR.neighbor(ir.Ref(arc))))
            return self.kernel(
                "join", ir.AllArcs(), arc, (*ends, *self.linked(ir.Ref(self.v), ir.Ref(self.u))), comment
            )
        linked = self.linked(ir.Ref(self.v), ir.Ref(self.u))
        loop = ir.ForNeighbors(ir.Direction.OUT, ir.Ref(self.v), self.u, arc, linked, parallel=True)
        kernel = self.kernel("join", ir.AllNodes(), self.v, (loop,), comment)
        keep = None if self.apart is None else ir.Load(self.apart, ir.Ref(self.v))
        return visitor.with_signature(replace(kernel, filter=keep, shares_arcs=self.shares_arcs))

    def join_mutual(self, direction: ir.Direction) -> ir.Kernel:
        """The reverse of an arc is looked for from one of its ends, where the node there is better; of arcs that enter
        a node in its own row, and where one thread has the node, along both rows side by side, since they ascend."""
        v, u, arc = ir.Ref(self.v), ir.Ref(self.u), self.local("e", ir.Element.ARC)
        asked = build.both(build.beyond(self.extreme, u, v), build.differs(self.of(v), self.of(u)))
        enters, joined = direction is ir.Direction.IN, self.linked(v, u)
        rows: tuple[ir.KernelOp, ...] = ()
        search: tuple[ir.KernelOp, ...] = ()
        found: ir.Expression = build.at_least(ir.FindArc(*((v, u) if enters else (u, v))), ir.Const(0, ir.Element.ARC))
        if enters and not self.shares_arcs:
            place, last = self.local("back", ir.Element.ARC), self.local("last_back", ir.Element.ARC)
            rows = (ir.Let(place, ir.CSR.first(v)), ir.Let(last, ir.CSR.end(v)))
            left, there = build.less(ir.Ref(place), ir.Ref(last)), ir.CSR.neighbor(ir.Ref(place))
            ahead = ir.SetLocal(place, build.plus(ir.Ref(place), build.ONE))
            search = (ir.KernelWhile(build.both(left, build.less(there, u)), (ahead,)),)
            found = build.both(left, build.equal(there, u))
        body = (ir.KernelIf(asked, (*search, ir.KernelIf(found, joined))),)
        loop = ir.ForNeighbors(direction, v, self.u, arc, body, parallel=not rows)
        kernel = self.kernel(
            "join", ir.AllNodes(), self.v, (*rows, loop), "joins the trees at the ends of arcs that have their reverse"
        )
        return visitor.with_signature(replace(kernel, shares_arcs=self.shares_arcs))

    def flattening(self) -> ir.Kernel:
        return self.kernel(
            "flatten", ir.AllNodes(), self.v, self.flatten(), "every node points to the root of its tree"
        )

    def flatten(self) -> tuple[ir.KernelOp, ...]:
        return (*self.turned, *self.climbed(self.visited, self.local("held"), self.local("above")))

    def set_apart(self, apart: ir.Array) -> tuple[ir.KernelOp, ...]:
        """A node that does not reach its root counts as outside of the great tree, which costs time and does no
        harm."""
        held, great = self.local("held"), self.local("great")
        above, above_great = self.local("above"), self.local("above_great")
        is_apart = build.differs(ir.Ref(held), ir.Ref(great))
        return (
            *self.turned,
            *self.climbed(self.visited, held, above, self.local("steps", ir.Element.INT)),
            *self.climbed(ir.Ref(self.middle), great, above_great, self.local("steps_great", ir.Element.INT)),
            ir.Store(apart, self.visited, is_apart),
            *self.told_left(build.either(is_apart, build.differs(ir.Ref(great), ir.Ref(above_great)))),
        )

    def told_left(self, is_left: ir.Expression) -> tuple[ir.KernelOp, ...]:
        """Tells that nodes are apart, or that the great tree's root was not reached. If none tells it, all nodes point
        to one root."""
        return () if self.left is None else (ir.KernelIf(is_left, (ir.Contribute(self.left, build.TRUE),)),)

    def climbed(
        self, node: ir.Expression, held: ir.Variable, above: ir.Variable, steps: ir.Variable | None = None
    ) -> tuple[ir.KernelOp, ...]:
        """Lets a node point to its root, which `held` is then, or with `steps` to an ancestor not too far away.

        A path may be as long as there are nodes. Every step is stored, so that threads that climb at the same time
        halve each other's rest; those that would climb over untouched nodes give up.
        """
        climb = (
            self.shortened(node, ir.Ref(above)),
            ir.SetLocal(held, ir.Ref(above)),
            ir.SetLocal(above, self.of(ir.Ref(held))),
        )
        goes_on = build.differs(ir.Ref(held), ir.Ref(above))
        return (ir.Let(held, self.of(node)), ir.Let(above, self.of(ir.Ref(held))), *_patient(goes_on, climb, steps))

    def shortened(self, node: ir.Expression, ancestor: ir.Expression) -> ir.Store | ir.UpdateCell:
        """Lets a node that is no root point to an ancestor; atomically, unless another thread has found it a better
        one."""
        if self.stores_paths:
            return ir.Store(self.tree, node, ancestor, shared=True)
        return ir.UpdateCell(self.extreme, self.tree, node, ancestor, shared=True)

    def linked(
        self,
        one: ir.Expression,
        other: ir.Expression,
        steps: ir.Variable | None = None,
        told: tuple[ir.KernelOp, ...] = (),
    ) -> tuple[ir.KernelOp, ...]:
        """Makes one tree of those that two nodes are in: the worse root gets to point to the better side, which is
        `told`.

        Both sides climb until they meet; every step halves the path that is behind it. A cell that was read a while
        ago still holds an ancestor, and whether a root is one is decided by the swap alone. After too many
        `steps` the trees are left as they are.
        """
        a, b, held = self.local("a"), self.local("b"), self.local("held")
        low, high, above = self.local("low"), self.local("high"), self.local("above")
        is_root = build.equal(ir.Ref(held), ir.Ref(high))
        swap = ir.CompareSwap(held, self.tree, ir.Ref(high), ir.Ref(high), ir.Ref(low))
        hook = (swap, ir.KernelIf(is_root, (*self.proved(one, other), *told, ir.KernelBreak())))
        climb: tuple[ir.KernelOp, ...] = (
            ir.Let(low, self.better(ir.Ref(a), ir.Ref(b))),
            ir.Let(high, self.worse(ir.Ref(a), ir.Ref(b))),
            ir.Let(held, self.of(ir.Ref(high))),
            ir.KernelIf(is_root, hook),
            ir.KernelIf(build.equal(ir.Ref(held), ir.Ref(low)), (ir.KernelBreak(),)),
            ir.Let(above, self.of(ir.Ref(held))),
            ir.KernelIf(build.differs(ir.Ref(above), ir.Ref(held)), (self.shortened(ir.Ref(high), ir.Ref(above)),)),
            ir.SetLocal(a, ir.Ref(above)),
            ir.SetLocal(b, self.of(ir.Ref(low))),
        )
        differ, ends = build.differs(ir.Ref(a), ir.Ref(b)), (ir.Let(a, self.of(one)), ir.Let(b, self.of(other)))
        return (*ends, *_patient(differ, climb, steps))

    def proved(self, source: ir.Expression, destination: ir.Expression) -> tuple[ir.KernelOp, ...]:
        """Tells if an arc that joins two trees lacks its reverse, where that matters."""
        if self.one_way is None:
            return ()
        lacking = build.less(ir.FindArc(destination, source), ir.Const(0, ir.Element.ARC))
        apart = build.differs(source, destination)
        return (ir.KernelIf(build.both(apart, lacking), (ir.Contribute(self.one_way, build.TRUE),)),)

    # --- expressions ---

    def of(self, node: ir.Expression) -> ir.Load:
        return ir.Load(self.tree, node)

    def local(self, name: str, element: ir.Element | None = None) -> ir.Variable:
        """A local of the kernels, by default for a label; its name is free in each of them."""
        return ir.Variable(fresh_names.FreshNames(self.taken).free(name), element or self.tree.element)

    def better(self, one: ir.Expression, other: ir.Expression) -> ir.Expression:
        return ir.Apply(ir.MathFunction.MIN if self.is_least else ir.MathFunction.MAX, (one, other), one.element)

    def worse(self, one: ir.Expression, other: ir.Expression) -> ir.Expression:
        return ir.Apply(ir.MathFunction.MAX if self.is_least else ir.MathFunction.MIN, (one, other), one.element)


def _patient(
    condition: ir.Expression, body: tuple[ir.KernelOp, ...], steps: ir.Variable | None
) -> tuple[ir.KernelOp, ...]:
    """The loop, of no more than `PATIENCE` steps if they are counted."""
    if steps is None:
        return (ir.KernelWhile(condition, body),)
    few = build.both(condition, build.less(ir.Ref(steps), build.number(PATIENCE)))
    return ir.Let(steps, build.ZERO), ir.KernelWhile(
        few, (*body, ir.SetLocal(steps, build.plus(ir.Ref(steps), build.ONE)))
    )


def _from_the_end(node: ir.Variable) -> ir.Binary:
    last = build.minus(ir.NumNodes(), build.ONE, ir.Element.NODE)
    return build.minus(last, ir.Ref(node), ir.Element.NODE)
