"""Breadth-first searches from many sources, one after another: the host operations and their kernels.

    level := INF; level[source] := 0
    loop while nodes are found
      each node at this level: its neighbors without a level get the next
      each node at this level: what the program does to a node

A program may keep levels of its own beside those of `iterateInBFS`, or do its work behind the search, in one more walk;
here each node is visited once.
"""

from starplat.ir import build, nodes as ir, rewriter
from starplat.schedule.sources.words import INT, Made


def from_one(made: Made, searches: ir.Searches, source: ir.Variable) -> tuple[ir.HostOp, ...]:
    """The body of the loop over sources."""
    levels = made.array("levels", INT, ir.Extent.NODES)
    steps, found = made.variable("steps", INT), made.variable("found", ir.Element.BOOL)
    body = (
        ir.SetVariable(found, build.FALSE),
        ir.Launch(_finds_next(made, searches, levels, steps, found)),
        ir.Launch(_visits(made, searches, levels, steps)),
        ir.SetVariable(steps, build.plus(ir.Ref(steps), build.ONE, INT)),
    )
    return (
        ir.Fill(levels, ir.infinity(INT)),
        ir.WriteCell(levels, ir.Ref(source), build.ZERO),
        ir.DeclareVariable(steps, build.ZERO),
        ir.DeclareVariable(found, build.FALSE),
        ir.Loop((), ir.Ref(found), body, test_last=True),
    )


def _finds_next(made: Made, searches: ir.Searches, levels: ir.Array, steps: ir.Variable, found: ir.Variable) -> str:
    made.locals = made.names.inner()
    node, neighbor = made.local("v", ir.Element.NODE), made.local("w", ir.Element.NODE)
    arc = made.local("e", ir.Element.ARC)
    following = build.plus(ir.Ref(steps), build.ONE, INT)
    told = (ir.Contribute(found, build.TRUE),)
    offer = ir.ExtremeCell(ir.Combine.MIN, levels, ir.Ref(neighbor), following, (), shared=True, also=told)
    arcs = ir.ForNeighbors(searches.direction, ir.Ref(node), neighbor, arc, (offer,), parallel=True)
    return made.kernel(
        "find_level",
        ir.Kernel(
            "",
            ir.AllNodes(),
            node,
            (arcs,),
            filter=_at_level(levels, node, steps),
            reductions=(ir.Reduction(found, ir.Combine.OR),),
            comment="finds the next level",
        ),
    )


def _visits(made: Made, searches: ir.Searches, levels: ir.Array, steps: ir.Variable) -> str:
    """What the program does to a node that one source comes to."""
    reached = rewriter.Renamer({searches.level: steps}).kernel_block(searches.reached)
    once = rewriter.Replacer({ir.Ref(searches.count): build.ONE}).kernel_block(reached)
    node = searches.node
    kernel = ir.Kernel("", ir.AllNodes(), node, once, filter=_at_level(levels, node, steps))
    return made.kernel("visit", kernel)


def _at_level(levels: ir.Array, node: ir.Variable, steps: ir.Variable) -> ir.Expression:
    return build.equal(ir.Load(levels, ir.Ref(node)), ir.Ref(steps))
