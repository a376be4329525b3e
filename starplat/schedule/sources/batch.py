"""Breadth-first searches from many sources at once: the host operations.

Every node has a bit for each source of a batch, in words of 64: `reached`, whether the source has come to it; `seen`,
whether it had before this level; `front`, whether it comes at this level. Only the words of `active` nodes change, so
that no round goes over all. A round has two kernels. One goes over the active nodes, finds what is new in `reached`,
and does what the program does to a node at this level, once for all sources that come to it. The other offers these
bits to neighbors, each of which takes what it lacks; or, where many nodes have some, nodes that lack bits look for
them, and leave when they have all that any node can offer: the `alive` ones. Where rows are short every node gathers
the bits of all its active neighbors instead: what is new in them, which is `coming`, is the next `front`.
"""

from starplat.ir import build, nodes as ir
from starplat.schedule.sources.kernels import begins, gathers, joins_bits, pulls, pushes, visits, visits_gathered
from starplat.schedule.sources.words import INT, NO_BITS, BatchState


class Listed:
    """The sources of a loop over a set: a list of them, and their `number`."""

    def __init__(self, state: BatchState) -> None:
        self.nodes = state.array("sources_in_turn", ir.Element.NODE, ir.Extent.NODES)
        self.number = state.variable("num_sources", INT)


def from_all_nodes(state: BatchState) -> ir.HostOp:
    """What takes the place of a loop over all nodes."""
    return _batches(state, None, ir.NumNodes())


def from_listed(state: BatchState, listed: Listed) -> ir.HostOp:
    """What takes the place of a loop over a set, once its members are listed."""
    return _batches(state, listed.nodes, ir.Ref(listed.number))


def _batches(state: BatchState, listed: ir.Array | None, count: ir.Expression) -> ir.HostOp:
    """The loop over batches of `count` sources: of those that are listed, or of all nodes."""
    batch = state.variable("batch", INT)
    batches = build.divided(build.plus(count, build.number(state.width - 1)), build.number(state.width))
    ends = build.plus(ir.Ref(state.first), build.number(state.width))
    body: tuple[ir.HostOp, ...] = (
        ir.DeclareVariable(state.first, build.times(ir.Ref(batch), build.number(state.width))),
        ir.DeclareVariable(state.last, ir.Apply(ir.MathFunction.MIN, (ends, count), INT)),
        *(ir.Fill(array, NO_BITS) for array in (state.other, state.reached)),
        *((ir.Fill(state.front, NO_BITS),) if state.gathers else ()),
        ir.Fill(state.active, build.FALSE),
        ir.Launch(begins(state, listed)),
        ir.DeclareVariable(state.level, build.ZERO),
        ir.DeclareVariable(state.more, build.FALSE),
        ir.Loop((), ir.Ref(state.more), _round(state), test_last=True),
    )
    return ir.HostForRange(batch, build.ZERO, batches, body, by_host=True)


def listing(state: BatchState, members: ir.Array, listed: Listed) -> tuple[ir.HostOp, ...]:
    """Lists the members of a set, and counts them."""
    state.locals = state.names.inner()
    counted = state.array("listed", INT, ir.Extent.ONE)
    source, place = state.local("source", ir.Element.NODE), state.local("place", INT)
    body = (
        ir.Let(place, build.ZERO),
        ir.FetchAdd(place, counted, build.ZERO, build.ONE),
        ir.Store(listed.nodes, ir.Ref(place), ir.Ref(source)),
    )
    is_source = ir.Load(members, ir.Ref(source))
    kernel = ir.Kernel("", ir.AllNodes(), source, body, filter=is_source, comment="lists the sources")
    name = state.kernel("list_sources", kernel)
    return (
        ir.Fill(counted, build.ZERO),
        ir.Launch(name),
        ir.DeclareVariable(listed.number, build.ZERO),
        ir.ReadCell(listed.number, counted, build.ZERO),
    )


def _round(state: BatchState) -> tuple[ir.HostOp, ...]:
    return (
        ir.SetVariable(state.more, build.FALSE),
        ir.Fill(state.following, build.FALSE),
        *(_gathering(state) if state.gathers else _offering(state)),
        ir.Swap(state.active, state.following),
        ir.SetVariable(state.level, build.plus(ir.Ref(state.level), build.ONE)),
    )


def _gathering(state: BatchState) -> tuple[ir.HostOp, ...]:
    return (ir.Launch(visits_gathered(state)), ir.Launch(gathers(state)), ir.Swap(state.front, state.other))


def _offering(state: BatchState) -> tuple[ir.HostOp, ...]:
    return (
        ir.Fill(state.alive, NO_BITS),
        ir.Launch(visits(state)),
        ir.Launch(pushes(state), state.active, (ir.Launch(joins_bits(state)), ir.Launch(pulls(state))), dear=True),
    )
