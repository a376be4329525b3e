"""Union-find in a run that is divided into parts: every part joins trees along the arcs of its own nodes.

A part's trees say all that its arcs do. Combined by MIN (MAX), every node points to the best of its ancestors: that
makes trees again, each within one component, but what a part had joined may be apart in them. So every part joins each
node to the root that it had among its own trees, which takes a step for each node and not for each arc. That goes on
until no part has anything to join; then all parts have the same trees, and each finds the roots of its own nodes.

Of a graph that is known to have every arc's reverse, parts join their nodes along two arcs each, and then share one
thing: which of their own nodes are outside of the great tree, which is on every part the tree of one node that all have
agreed on. From there all begin anew with the same trees: what is inside points to the best node inside, all else to
itself. Only nodes outside join along their arcs: of every other arc both ends are inside. A part that has all rows
joins the outside nodes of all parts, which are few, and needs no more of the others: the host reads nothing back, as
the one node stands for the best, and what is better counts as outside. With rows of its own nodes alone a part joins
these, and parts combine what comes of it as above, of nodes outside only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir, visitor
from starplat.passes.labels.trees import Trees

STEPS = ("start", "point", "sample", "middle", "set_apart", "begin_again", "join", "join_again", "flatten")


@dataclass
class TreesOfParts:
    """The kernels of `trees` as parts run them, the host operations around them, and the arrays that these need.

    `names` are those of kernels, by step; `free` gives names of variables and arrays; `all_rows` says whether each part
    has the rows of all nodes."""

    trees: Trees
    names: dict[str, str]
    free: Callable[[str], str]
    all_rows: bool

    def __post_init__(self) -> None:
        self.trees.visited, self.trees.turned = ir.Ref(self.trees.v), ()  # own nodes do not lie alike from the end
        self.first, self.end = self.node("part_first"), self.node("part_end")
        self.zero, self.all = self.node("zero"), self.node("all")
        self.joined, self.joined_before = self.flag("joined"), self.flag("joined_before")
        self.best_inside = self.trees.middle if self.all_rows else self.node("best_inside")
        self.found = replace(self.trees.tree, name=self.free("joined_here"), origin=ir.Origin.TEMPORARY)

    def node(self, name: str) -> ir.Variable:
        return ir.Variable(self.free(name), ir.Element.NODE)

    def flag(self, name: str) -> ir.Variable:
        return ir.Variable(self.free(name), ir.Element.BOOL)

    # --- the host ---

    def host(self) -> tuple[ir.HostOp, ...]:
        """Leaves the same trees on all parts, in each of which every node points to the root."""
        take, start, join = ir.TakePart(self.first, self.end), self.launched("start"), self.launched("join")
        flatten = self.launched("flatten")
        if self.trees.apart is None:
            return (take, start, *self.settled(join, None), flatten, ir.ShareParts(self.trees.tree))
        apart = (take, start, *self.set_apart_together(self.trees.apart))
        if self.all_rows:
            zero = ir.DeclareVariable(self.zero, ir.Const(0, ir.Element.NODE))
            return (*apart, zero, ir.DeclareVariable(self.all, ir.NumNodes()), join, flatten)
        changes = ir.WriteCell(self.trees.apart, ir.Ref(self.best_inside), build.TRUE)
        return (*apart, *self.settled(join, self.trees.apart, changes), flatten)

    def set_apart_together(self, apart: ir.Array) -> tuple[ir.HostOp, ...]:
        """Samples arcs, and begins anew when all parts know which nodes of all are outside of the great tree."""
        steps = map(self.launched, ("point", "sample")) if not self.all_rows else (self.launched("sample"),)
        sampled = (*steps, *self.agreed_on(), *self.counted(self.launched("set_apart")))
        return (*sampled, ir.ShareParts(apart), self.launched("begin_again"))

    def counted(self, set_apart: ir.Launch) -> tuple[ir.HostOp, ...]:
        """Without all rows, parts also say which is the best node inside."""
        if self.all_rows:
            return (set_apart,)
        best, middle = self.best_inside, self.trees.middle
        return (ir.DeclareVariable(best, ir.Ref(middle)), set_apart, ir.Together(best, self.trees.extreme, middle))

    def agreed_on(self) -> tuple[ir.HostOp, ...]:
        """Chooses a node that probably is in the greatest tree of every part, since every node is joined to two of its
        neighbors: the first of them of a node with many. Without all rows the part that has that row tells it."""
        middle = self.trees.middle
        if self.all_rows:
            one = ir.CSR.neighbor(_middle_arc())
            place = ir.CSR.first(one) if self.trees.is_least else build.minus(ir.CSR.end(one), build.ONE)
            return (ir.DeclareVariable(middle, ir.CSR.neighbor(place)),)
        before = self.node("middle_before")
        return (
            ir.DeclareVariable(middle, ir.Const(0, ir.Element.NODE)),
            ir.DeclareVariable(before, ir.Ref(middle)),
            self.launched("middle"),
            ir.Together(middle, ir.Combine.MAX, before),
        )

    def settled(self, join: ir.Launch, among: ir.Array | None, *changes: ir.HostOp) -> tuple[ir.HostOp, ...]:
        """Joins, combines what parts have, and joins again what that has parted."""
        again = (
            ir.CopyArray(self.found, self.trees.tree),
            ir.CombineParts(self.trees.tree, self.trees.extreme, among=among),
            ir.DeclareVariable(self.joined_before, build.FALSE),
            ir.SetVariable(self.joined, build.FALSE),
            self.launched("join_again"),
            ir.Together(self.joined, ir.Combine.OR, self.joined_before),
        )
        loop = ir.Loop((), ir.Ref(self.joined), body=again, test_last=True)
        return (join, *changes, ir.DeclareVariable(self.joined, build.FALSE), loop)

    def launched(self, step: str) -> ir.Launch:
        return ir.Launch(self.names[step])

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return () if self.needs_no_more else (self.found,)

    @property
    def needs_no_more(self) -> bool:
        """Whether parts exchange nothing after they know what is outside of the great tree."""
        return self.trees.apart is not None and self.all_rows

    # --- kernels ---

    def kernels(self) -> list[ir.Kernel]:
        trees, apart = self.trees, self.trees.apart
        join = trees.join() if trees.mutual is None else trees.join_mutual(trees.mutual)
        join_again = self.kernel("join_again", self.join_again(), "joins what this part had joined")
        again = _telling(join_again, ir.Reduction(self.joined, ir.Combine.OR))
        itself = (ir.Store(trees.tree, ir.Ref(trees.v), ir.Ref(trees.v)),)
        start = self.kernel("start", itself, "every node points to itself")
        if apart is None:
            return [start, self.own(join), again, self.own(trees.flattening())]
        begin_again = self.begin_again(apart)
        set_apart = (
            self.set_apart(apart),
            self.kernel("begin_again", begin_again, "what is in the great tree points to a node in it"),
        )
        if self.all_rows:
            start = self.kernel("start", self.start(itself), "own nodes point to their best neighbor")
            sample = self.own(self.kernel("sample", trees.sample(), "joins every node to a second neighbor"))
            of_all = ir.AllNodes(ir.Ref(self.zero), ir.Ref(self.all))  # few are outside: each group goes over many
            join = visitor.with_signature(replace(join, domain=of_all))
            return [start, sample, *set_apart, join, trees.flattening()]
        return [
            start,
            self.own(self.kernel("point", self.point(), "nodes point to their first neighbor if it is better")),
            self.own(self.kernel("sample", self.sample(), "joins every node to another neighbor")),
            self.own(self.middle()),
            *set_apart,
            self.own(join),
            again,
            trees.flattening(),
        ]

    def kernel(self, step: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        return self.trees.kernel(step, ir.AllNodes(), self.trees.v, body, comment)

    def own(self, kernel: ir.Kernel) -> ir.Kernel:
        assert isinstance(kernel.domain, ir.AllNodes)
        return visitor.with_signature(replace(kernel, domain=ir.AllNodes(ir.Ref(self.first), ir.Ref(self.end))))

    def start(self, itself: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        v = ir.Ref(self.trees.v)
        is_own = build.both(build.at_least(v, ir.Ref(self.first)), build.less(v, ir.Ref(self.end)))
        return (ir.KernelIf(is_own, self.trees.start(), itself),)

    def point(self) -> tuple[ir.KernelOp, ...]:
        trees, v = self.trees, ir.Ref(self.trees.v)
        better = ir.Store(trees.tree, v, trees.better(v, ir.Ref(trees.u)))
        return (self.neighbors((better, ir.KernelBreak())),)

    def sample(self) -> tuple[ir.KernelOp, ...]:
        """A node that is better than its first neighbor does not point to it yet, and is joined to this one."""
        trees, number = self.trees, self.trees.local("number", ir.Element.INT)
        v, u, own_steps = ir.Ref(trees.v), ir.Ref(trees.u), trees.local("steps_own", ir.Element.INT)
        climbed = trees.climbed(v, trees.local("own"), trees.local("above_own"), own_steps)
        linked = trees.linked(v, u, trees.local("steps", ir.Element.INT))
        apart = build.either(build.equal(ir.Ref(number), build.ONE), build.beyond(trees.extreme, v, u))
        more = ir.SetLocal(number, build.plus(ir.Ref(number), build.ONE))
        return (
            ir.Let(number, build.ZERO),
            self.neighbors((ir.KernelIf(apart, (*climbed, *linked, ir.KernelBreak())), more)),
        )

    def neighbors(self, body: tuple[ir.KernelOp, ...]) -> ir.ForNeighbors:
        v, u = ir.Ref(self.trees.v), self.trees.u
        return ir.ForNeighbors(ir.Direction.OUT, v, u, self.trees.local("e", ir.Element.ARC), body, parallel=False)

    def middle(self) -> ir.Kernel:
        v, half = ir.Ref(self.trees.v), _middle_arc()
        has_it = build.both(build.at_least(half, ir.CSR.first(v)), build.less(half, ir.CSR.end(v)))
        first = self.neighbors((ir.Contribute(self.trees.middle, ir.Ref(self.trees.u)), ir.KernelBreak()))
        kernel = self.kernel("middle", (ir.KernelIf(has_it, (first,)),), "finds the first neighbor in the middle row")
        return _telling(kernel, ir.Reduction(self.trees.middle, ir.Combine.MAX))

    def set_apart(self, apart: ir.Array) -> ir.Kernel:
        """Every climb ends at a root here: what is found inside joins along no arc."""
        trees, v = self.trees, ir.Ref(self.trees.v)
        held, great = trees.local("held"), trees.local("great")
        outside = build.differs(ir.Ref(held), ir.Ref(great))
        if self.all_rows:
            outside = build.either(outside, build.beyond(trees.extreme, v, ir.Ref(trees.middle)))
        told = ir.KernelIf(build.denied(outside), (ir.Contribute(self.best_inside, v),))
        body = (
            *trees.climbed(v, held, trees.local("above")),
            *trees.climbed(ir.Ref(trees.middle), great, trees.local("above_great")),
            ir.Store(apart, v, build.both(outside, _has_arcs(v))),
            *(() if self.all_rows else (told,)),
        )
        kernel = self.own(self.kernel("set_apart", body, "tells which nodes are outside of the great tree"))
        return kernel if self.all_rows else _telling(kernel, ir.Reduction(self.best_inside, trees.extreme))

    def begin_again(self, apart: ir.Array) -> tuple[ir.KernelOp, ...]:
        """Nodes without arcs are neither inside nor outside."""
        trees, v, root = self.trees, ir.Ref(self.trees.v), self.trees.local("root")
        inside = build.both(build.denied(ir.Load(apart, v)), _has_arcs(v))
        best = ir.KernelIf(inside, (ir.SetLocal(root, ir.Ref(self.best_inside)),))
        return (ir.Let(root, v), best, ir.Store(trees.tree, v, ir.Ref(root)))

    def join_again(self) -> tuple[ir.KernelOp, ...]:
        trees, v = self.trees, ir.Ref(self.trees.v)
        before = trees.local("before")
        told = (ir.Contribute(self.joined, build.TRUE),)
        apart = build.differs(trees.of(v), ir.Ref(before))
        linked = ir.KernelIf(apart, trees.linked(v, ir.Ref(before), told=told))
        joined = (ir.Let(before, ir.Load(self.found, v)), linked)
        return joined if trees.apart is None else (ir.KernelIf(ir.Load(trees.apart, v), joined),)


def _telling(kernel: ir.Kernel, reduction: ir.Reduction) -> ir.Kernel:
    return visitor.with_signature(replace(kernel, reductions=(reduction,)))


def _middle_arc() -> ir.Expression:
    """Half of all arcs: the node that it leaves, and the one that it leads to, most probably have many."""
    return build.divided(ir.NumArcs(ir.Element.ARC), ir.Const(2, ir.Element.ARC), ir.Element.ARC)


def _has_arcs(node: ir.Expression) -> ir.Expression:
    return build.less(ir.CSR.first(node), ir.CSR.end(node))
