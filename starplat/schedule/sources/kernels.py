"""The kernels of searches from many sources at once."""

from collections.abc import Iterable

from starplat.ir import build, nodes as ir, rewriter, visitor
from starplat.schedule.sources.words import (
    AT_ONCE,
    FEW_PARTS,
    NO_BITS,
    WORD,
    BatchState,
    Made,
    all_of,
    behind,
    either,
    modulo,
    on_bits,
    sets,
    without,
)

BOOL, INT, LONG, NODE = ir.Element.BOOL, ir.Element.INT, ir.Element.LONG, ir.Element.NODE


def begins(state: BatchState, listed: ir.Array | None) -> str:
    """Every source of the batch comes to itself."""
    state.locals = state.names.inner()
    place, source = state.local("place", INT), state.local("source", NODE)
    bit = build.minus(ir.Ref(place), ir.Ref(state.first))
    node: ir.Expression = ir.Ref(place) if listed is None else ir.Load(listed, ir.Ref(place))
    one = on_bits(ir.BinaryOperator.SHIFT_LEFT, ir.Const(1, LONG), modulo(bit, WORD))
    index = state.word(ir.Ref(source), build.divided(bit, build.number(WORD)))
    body = (
        ir.Let(place, build.plus(ir.Ref(state.first), ir.Ref(number := state.local("number", INT)))),
        ir.Let(source, node),
        ir.Store(state.reached, index, one),
        *((ir.Store(state.front, index, one),) if state.gathers else ()),
        ir.Store(state.active, ir.Ref(source), build.TRUE),
    )
    domain = ir.Numbers(build.minus(ir.Ref(state.last), ir.Ref(state.first)))
    return state.kernel("begin", ir.Kernel("", domain, number, body, comment="gives each source of the batch its bit"))


def visits(state: BatchState) -> str:
    """What the program does to a node, for all sources that come to it."""
    state.locals = state.names.inner()
    node, count = state.searches.node, state.searches.count

    def lanes(first: ir.Expression, index: ir.Expression, several: int) -> tuple[ir.KernelOp, ...]:
        new, all_now, places = state.several("fresh", several), state.several("now", several), behind(index, several)
        ones = [ir.Cast(ir.Apply(ir.MathFunction.POPCOUNT, (ir.Ref(n),), LONG), INT) for n in new]
        return (
            *(ir.Let(now, ir.Load(state.reached, i)) for now, i in zip(all_now, places, strict=True)),
            *(
                ir.Let(n, without(ir.Ref(now), ir.Load(state.other, i)))
                for n, now, i in zip(new, all_now, places, strict=True)
            ),
            *(ir.Store(state.front, i, ir.Ref(n)) for n, i in zip(new, places, strict=True)),
            *(ir.Store(state.other, i, ir.Ref(now)) for now, i in zip(all_now, places, strict=True)),
            *((ir.SetLocal(count, _sum(ir.Ref(count), ones)),) if _is_counted(state) else ()),
        )

    counts = (ir.Let(count, build.ZERO),) if _is_counted(state) else ()
    body = (*counts, *state.each_word(ir.Ref(node), lanes), *_reached(state))
    is_active = ir.Load(state.active, ir.Ref(node))
    return state.kernel("visit", ir.Kernel("", ir.AllNodes(), node, body, filter=is_active))


def visits_gathered(state: BatchState) -> str:
    """The same, where `gathers` has found the new bits."""
    state.locals = state.names.inner()
    node, count = state.searches.node, state.searches.count

    def lanes(first: ir.Expression, index: ir.Expression, several: int) -> tuple[ir.KernelOp, ...]:
        bits = [ir.Load(state.front, place) for place in behind(index, several)]
        ones = [ir.Cast(ir.Apply(ir.MathFunction.POPCOUNT, (one,), LONG), INT) for one in bits]
        return (ir.SetLocal(count, _sum(ir.Ref(count), ones)),)

    counts = (ir.Let(count, build.ZERO), *state.each_word(ir.Ref(node), lanes)) if _is_counted(state) else ()
    is_active = ir.Load(state.active, ir.Ref(node))
    return state.kernel("visit", ir.Kernel("", ir.AllNodes(), node, (*counts, *_reached(state)), filter=is_active))


def pushes(state: BatchState) -> str:
    """Nodes offer their new bits to their neighbors."""
    state.locals = state.names.inner()
    node, neighbor = state.local("v", NODE), state.local("w", NODE)
    arc, takes = state.local("e", ir.Element.ARC), state.local("takes", BOOL)
    at_once = state.lanes <= AT_ONCE

    def lanes(first: ir.Expression, index: ir.Expression, several: int) -> tuple[ir.KernelOp, ...]:
        new, places = state.several("fresh", several), behind(index, several)
        offered = [ir.Load(state.front, i) for i in behind(state.place(ir.Ref(node), first), several)]
        lacking = [without(bits, ir.Load(state.reached, i)) for bits, i in zip(offered, places, strict=True)]
        taken: list[ir.KernelOp] = [sets(state.reached, i, ir.Ref(n)) for n, i in zip(new, places, strict=True)]
        if several > 1:
            taken = [ir.KernelIf(build.differs(ir.Ref(n), NO_BITS), (one,)) for n, one in zip(new, taken, strict=True)]
        some = build.differs(all_of(map(ir.Ref, new)), NO_BITS)
        then = joins if at_once else (ir.SetLocal(takes, build.TRUE),)
        return (*(ir.Let(n, bits) for n, bits in zip(new, lacking, strict=True)), ir.KernelIf(some, (*taken, *then)))

    joins = (
        ir.Store(state.following, ir.Ref(neighbor), build.TRUE, shared=True),
        ir.Contribute(state.more, build.TRUE),
    )
    body = state.each_word(ir.Ref(neighbor), lanes)
    if not at_once:
        body = (ir.Let(takes, build.FALSE), *body, ir.KernelIf(ir.Ref(takes), joins))
    arcs = ir.ForNeighbors(state.searches.direction, ir.Ref(node), neighbor, arc, body, parallel=True)
    return state.kernel(
        "offer_bits",
        ir.Kernel(
            "",
            ir.AllNodes(),
            node,
            (arcs,),
            filter=ir.Load(state.active, ir.Ref(node)),
            reductions=(ir.Reduction(state.more, ir.Combine.OR),),
            comment="neighbors take the bits that they lack",
        ),
    )


def joins_bits(state: BatchState) -> str:
    """Finds the bits that any node has to offer: few threads, each for a word of many nodes, since all change the same
    few words."""
    state.locals = state.names.inner()
    number, lane = state.local("number", INT), state.local("lane", INT)
    node, offered = state.local("v", NODE), state.local("offered", LONG)
    parts: ir.Expression = ir.Apply(ir.MathFunction.MIN, (ir.NumNodes(), build.number(FEW_PARTS)), INT)
    each = build.divided(build.minus(build.plus(ir.NumNodes(), parts), build.ONE), parts)
    part: ir.Expression = ir.Ref(number)
    ahead: tuple[ir.KernelOp, ...] = ()
    if state.lanes > 1:
        part, ahead = build.divided(part, build.number(state.lanes)), (ir.Let(lane, modulo(part, state.lanes)),)
    first = state.local("first", INT)
    end = ir.Apply(ir.MathFunction.MIN, (ir.NumNodes(), build.plus(ir.Ref(first), each)), INT)
    place = build.ZERO if state.lanes == 1 else ir.Ref(lane)
    taken = ir.SetLocal(offered, either(ir.Ref(offered), ir.Load(state.front, state.word(ir.Ref(node), place))))
    body = (
        *ahead,
        ir.Let(first, build.times(part, each)),
        ir.Let(offered, NO_BITS),
        ir.ForRange(node, ir.Ref(first), end, (ir.KernelIf(ir.Load(state.active, ir.Ref(node)), (taken,)),)),
        ir.KernelIf(
            build.differs(without(ir.Ref(offered), ir.Load(state.alive, place)), NO_BITS),
            (sets(state.alive, place, ir.Ref(offered)),),
        ),
    )
    domain = ir.Numbers(parts if state.lanes == 1 else build.times(parts, build.number(state.lanes)))
    return state.kernel("join_bits", ir.Kernel("", domain, number, body, comment="the bits that any node offers"))


def pulls(state: BatchState) -> str:
    """Nodes take the bits that they lack and neighbors offer, and leave when none is missing that any node has.

    Where threads share rows, each takes a word of a node, beside those that take the others; else a thread takes a few
    words, so that it walks a row once for all of these.
    """
    state.locals = state.names.inner()
    several = 1 if state.rows_are_shared else min(state.lanes, AT_ONCE)
    parts = state.lanes // several
    number, node, lane = state.local("word", INT), state.local("w", NODE), state.local("lane", INT)
    word, lanes = ir.Ref(number), build.number(several)
    first = build.ZERO if parts == 1 else ir.Ref(lane) if several == 1 else build.times(ir.Ref(lane), lanes)
    places = behind(word if several == 1 else build.times(word, lanes), several)
    lets: list[ir.KernelOp] = [ir.Let(node, word if parts == 1 else build.divided(word, build.number(parts)))]
    if parts > 1:
        lets.append(ir.Let(lane, modulo(word, parts)))
    missing = state.several("missing", several)
    lets += (
        ir.Let(one, without(ir.Load(state.alive, cell), ir.Load(state.reached, place)))
        for one, cell, place in zip(missing, behind(first, several), places, strict=True)
    )
    search = _row_search(state, node, first, places, missing)
    body = (*lets, ir.KernelIf(build.differs(all_of(map(ir.Ref, missing)), NO_BITS), search))
    return state.kernel(
        "look_for_bits",
        ir.Kernel(
            "",
            ir.WordsOfNodes(ir.NumNodes() if parts == 1 else build.times(ir.NumNodes(), build.number(parts))),
            number,
            body,
            reductions=(ir.Reduction(state.more, ir.Combine.OR),),
            comment="nodes look for the bits that they lack",
        ),
    )


def _row_search(
    state: BatchState, node: ir.Variable, first: ir.Expression, places: list[ir.Expression], missing: list[ir.Variable]
) -> tuple[ir.KernelOp, ...]:
    """Takes the `missing` bits of some words of a node, the `first` of which is that one of all of the node's."""
    neighbor, slot = state.local("v", NODE), state.local("in_e", ir.Element.ARC)
    found = state.several("found", len(missing))
    offered = behind(state.word(ir.Ref(neighbor), first), len(missing))
    pairs = list(zip(found, missing, strict=True))
    look: tuple[ir.KernelOp, ...] = (
        *(
            ir.SetLocal(one, either(ir.Ref(one), ir.Load(state.front, place)))
            for one, place in zip(found, offered, strict=True)
        ),
        ir.KernelIf(build.equal(all_of(without(ir.Ref(m), ir.Ref(f)) for f, m in pairs), NO_BITS), (ir.KernelBreak(),)),
    )
    offers = ir.KernelIf(ir.Load(state.active, ir.Ref(neighbor)), look)
    taken: tuple[ir.KernelOp, ...] = (
        *(
            ir.UpdateCell(ir.Combine.BIT_OR, state.reached, place, ir.Ref(one), shared=False)
            for one, place in zip(found, places, strict=True)
        ),
        ir.Store(state.following, ir.Ref(node), build.TRUE, shared=True),
        ir.Contribute(state.more, build.TRUE),
    )
    return (
        *(ir.Let(one, NO_BITS) for one in found),
        ir.ForNeighbors(_back(state), ir.Ref(node), neighbor, slot, (offers,), parallel=False),
        *(ir.SetLocal(f, on_bits(ir.BinaryOperator.BIT_AND, ir.Ref(f), ir.Ref(m))) for f, m in pairs),
        ir.KernelIf(build.differs(all_of(map(ir.Ref, found)), NO_BITS), taken),
    )


def gathers(state: BatchState) -> str:
    """Every node asks all of its neighbors, which are few, for bits that it lacks."""
    state.locals = state.names.inner()
    node = state.local("w", NODE)
    body = state.each_word(ir.Ref(node), lambda *few: _gathered(state, node, *few))
    some = (ir.Reduction(state.more, ir.Combine.OR),)
    comment = "nodes take the bits that they lack"
    return state.kernel("gather_bits", ir.Kernel("", ir.AllNodes(), node, body, reductions=some, comment=comment))


def _gathered(
    state: BatchState, node: ir.Variable, first: ir.Expression, index: ir.Expression, several: int
) -> tuple[ir.KernelOp, ...]:
    """Takes `several` words of a node from its neighbors: all that any of these has, without the bits that are known.
    What is new lies beside what the neighbors offer, which others still read."""
    neighbor, slot, places = state.local("v", NODE), state.local("in_e", ir.Element.ARC), behind(index, several)
    found, had, fresh = (state.several(name, several) for name in ("found", "had", "fresh"))
    words = list(zip(found, had, fresh, places, behind(state.place(ir.Ref(neighbor), first), several), strict=True))
    joins = tuple(ir.SetLocal(f, either(ir.Ref(f), ir.Load(state.front, offered))) for f, _, _, _, offered in words)
    takes: tuple[ir.KernelOp, ...] = (
        *(ir.Store(state.other, place, ir.Ref(n)) for _, _, n, place, _ in words),
        *(ir.Store(state.reached, place, either(ir.Ref(h), ir.Ref(n))) for _, h, n, place, _ in words),
        ir.Store(state.following, ir.Ref(node), build.TRUE, in_runs=True),
        ir.Contribute(state.more, build.TRUE),
    )
    looks: tuple[ir.KernelOp, ...] = (
        *(ir.Let(h, ir.Load(state.reached, place)) for _, h, _, place, _ in words),
        *(ir.Let(n, without(ir.Ref(f), ir.Ref(h))) for f, h, n, _, _ in words),
        ir.KernelIf(build.differs(all_of(map(ir.Ref, fresh)), NO_BITS), takes),
    )
    offers = ir.KernelIf(ir.Load(state.active, ir.Ref(neighbor)), joins)
    return (
        *(ir.Let(one, NO_BITS) for one in found),
        ir.ForNeighbors(_back(state), ir.Ref(node), neighbor, slot, (offers,), parallel=False),
        ir.KernelIf(build.differs(all_of(map(ir.Ref, found)), NO_BITS), looks),
    )


def _back(state: BatchState) -> ir.Direction:
    """Where nodes look for those that offer bits."""
    return ir.Direction.IN if state.searches.direction is ir.Direction.OUT else ir.Direction.OUT


def ends(made: Made, searches: ir.Searches) -> str:
    """What the program does to a source behind its search."""
    kernel = ir.Kernel("", ir.AllNodes(), searches.node, searches.behind, comment="after all searches")
    return made.kernel("end", kernel)


def _reached(state: BatchState) -> tuple[ir.KernelOp, ...]:
    """What is done to a node, at the level of the round."""
    return rewriter.Renamer({state.searches.level: state.level}).kernel_block(state.searches.reached)


def _is_counted(state: BatchState) -> bool:
    """Whether it matters how many sources come to a node."""
    parts = visitor.all_expressions(state.searches.reached)
    return any(isinstance(part, ir.Ref) and part.variable == state.searches.count for part in parts)


def _sum(first: ir.Expression, others: Iterable[ir.Expression]) -> ir.Expression:
    for other in others:
        first = build.plus(first, other)
    return first
