"""Union-find in a run that is divided into parts: every part joins trees along the arcs of its own nodes.

A part's trees say all that its arcs do. Combined by MIN (MAX), every node points to the best of its ancestors: that
makes trees again, each within one component, but what a part had joined may be apart in them. So every part joins each
node to the root that it had among its own trees, which takes a step for each node and not for each arc. That goes on
until no part has anything to join; then all parts have the same trees, and each finds the roots of its own nodes.

Of a graph that is known to have every arc's reverse, parts first join their nodes along two arcs each, and combine that
once: then all agree on which nodes are outside of the great tree, and only these join along all their arcs. What a part
had joined and the combined trees have apart needs no joining before: every arc has an end outside of the great tree, or
both inside. The great tree is that of the node whose row has the middle arc, which most probably has many.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir, visitor
from starplat.passes.labels.trees import Trees

STEPS = ("start", "point", "sample", "middle", "set_apart", "join", "join_again", "flatten")


@dataclass
class TreesOfParts:
    """The kernels of `trees` as parts run them, the host operations around them, and the arrays that these need.

    `names` are those of kernels, by step; `free` gives names of variables and arrays."""

    trees: Trees
    names: dict[str, str]
    free: Callable[[str], str]

    def __post_init__(self) -> None:
        self.first, self.end = self.node("part_first"), self.node("part_end")
        self.joined, self.joined_before = self.flag("joined"), self.flag("joined_before")
        self.found = replace(self.trees.tree, name=self.free("joined_here"), origin=ir.Origin.TEMPORARY)

    def node(self, name: str) -> ir.Variable:
        return ir.Variable(self.free(name), ir.Element.NODE)

    def flag(self, name: str) -> ir.Variable:
        return ir.Variable(self.free(name), ir.Element.BOOL)

    # --- the host ---

    def host(self) -> tuple[ir.HostOp, ...]:
        """Leaves the same trees on all parts, in each of which every node points to the root."""
        first: list[ir.HostOp] = [ir.TakePart(self.first, self.end), ir.Launch(self.names["start"])]
        if self.trees.apart is not None:
            middle, before = self.trees.middle, self.node("middle_before")
            first += [
                ir.Launch(self.names["point"]),
                ir.Launch(self.names["sample"]),
                ir.CombineParts(self.trees.tree, self.trees.extreme),
                ir.DeclareVariable(middle, ir.Const(0, ir.Element.NODE)),
                ir.DeclareVariable(before, ir.Ref(middle)),
                ir.Launch(self.names["middle"]),
                ir.Together(middle, ir.Combine.MAX, before),
                ir.Launch(self.names["set_apart"]),
            ]
        first.append(ir.DeclareVariable(self.joined, build.FALSE))
        again = (
            ir.CopyArray(self.found, self.trees.tree),
            ir.CombineParts(self.trees.tree, self.trees.extreme),
            ir.DeclareVariable(self.joined_before, build.FALSE),
            ir.SetVariable(self.joined, build.FALSE),
            ir.Launch(self.names["join_again"]),
            ir.Together(self.joined, ir.Combine.OR, self.joined_before),
        )
        settled = ir.Loop((), ir.Ref(self.joined), body=again, test_last=True)
        last = ir.Launch(self.names["flatten"]), ir.ShareParts(self.trees.tree)
        return (*first, ir.Launch(self.names["join"]), settled, *last)

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return (self.found,)

    # --- kernels ---

    def kernels(self) -> list[ir.Kernel]:
        """All that are launched."""
        trees = self.trees
        joined = ir.Reduction(self.joined, ir.Combine.OR)
        itself = (ir.Store(trees.tree, ir.Ref(trees.v), ir.Ref(trees.v)),)
        join = trees.join() if trees.mutual is None else trees.join_mutual(trees.mutual)
        made = [
            self.kernel("start", itself, "every node points to itself"),
            self.own(join),
            _telling(self.kernel("join_again", self.join_again(), "joins what this part had joined"), joined),
            self.own(self.kernel("flatten", self.flatten(), "every node points to the root of its tree")),
        ]
        if trees.apart is not None:
            comment = "tells which nodes are outside of the tree of the middle node"
            made += [
                self.own(self.kernel("point", self.point(), "nodes point to their first neighbor if it is better")),
                self.own(self.kernel("sample", self.sample(), "joins every node to its second neighbor")),
                self.own(self.middle()),
                self.own(self.kernel("set_apart", self.set_apart(trees.apart), comment)),
            ]
        return made

    def kernel(self, step: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        return self.trees.kernel(step, ir.AllNodes(), self.trees.v, body, comment)

    def own(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel for the nodes of a part."""
        assert isinstance(kernel.domain, ir.AllNodes)
        return visitor.with_signature(replace(kernel, domain=ir.AllNodes(ir.Ref(self.first), ir.Ref(self.end))))

    def point(self) -> tuple[ir.KernelOp, ...]:
        trees, v = self.trees, ir.Ref(self.trees.v)
        better = ir.Store(trees.tree, v, trees.better(v, ir.Ref(trees.u)))
        return (self.neighbors((better, ir.KernelBreak())),)

    def sample(self) -> tuple[ir.KernelOp, ...]:
        trees, number = self.trees, self.trees.local("number", ir.Element.INT)
        linked = trees.linked(ir.Ref(trees.v), ir.Ref(trees.u), trees.local("steps", ir.Element.INT))
        second = ir.KernelIf(build.equal(ir.Ref(number), build.ONE), (*linked, ir.KernelBreak()))
        more = ir.SetLocal(number, build.plus(ir.Ref(number), build.ONE))
        return (ir.Let(number, build.ZERO), self.neighbors((second, more)))

    def neighbors(self, body: tuple[ir.KernelOp, ...]) -> ir.ForNeighbors:
        v, u = ir.Ref(self.trees.v), self.trees.u
        return ir.ForNeighbors(ir.Direction.OUT, v, u, self.trees.local("e", ir.Element.ARC), body, parallel=False)

    def middle(self) -> ir.Kernel:
        v = ir.Ref(self.trees.v)
        half = build.divided(ir.NumArcs(ir.Element.ARC), ir.Const(2, ir.Element.ARC), ir.Element.ARC)
        has_it = build.both(build.at_least(half, ir.CSR.first(v)), build.less(half, ir.CSR.end(v)))
        body = (ir.KernelIf(has_it, (ir.Contribute(self.trees.middle, v),)),)
        kernel = self.kernel("middle", body, "finds the node that the middle arc leaves")
        return _telling(kernel, ir.Reduction(self.trees.middle, ir.Combine.MAX))

    def set_apart(self, apart: ir.Array) -> tuple[ir.KernelOp, ...]:
        """Every climb ends at a root here, so that parts never disagree on who is outside."""
        trees = self.trees
        held, great = trees.local("held"), trees.local("great")
        return (
            *trees.climbed(ir.Ref(trees.v), held, trees.local("above")),
            *trees.climbed(ir.Ref(trees.middle), great, trees.local("above_great")),
            ir.Store(apart, ir.Ref(trees.v), build.differs(ir.Ref(held), ir.Ref(great))),
        )

    def flatten(self) -> tuple[ir.KernelOp, ...]:
        trees = self.trees
        return trees.climbed(ir.Ref(trees.v), trees.local("held"), trees.local("above"))

    def join_again(self) -> tuple[ir.KernelOp, ...]:
        trees, v = self.trees, ir.Ref(self.trees.v)
        before = trees.local("before")
        told = (ir.Contribute(self.joined, build.TRUE),)
        apart = build.differs(trees.of(v), ir.Ref(before))
        return (ir.Let(before, ir.Load(self.found, v)), ir.KernelIf(apart, trees.linked(v, ir.Ref(before), told=told)))


def _telling(kernel: ir.Kernel, reduction: ir.Reduction) -> ir.Kernel:
    return visitor.with_signature(replace(kernel, reductions=(reduction,)))
