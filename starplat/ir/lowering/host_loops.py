"""Lowers loops over nodes, arcs, neighbors and members of sets: to kernels where possible, else one iteration after the
other, each from the host.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from starplat.analysis.parallel import ParallelLoop
from starplat.frontend import typed
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import context, elements, kernels, surroundings
from starplat.ir.lowering.host_operations import HostOperations
from starplat.ir.rewriter import HostRule
from starplat.same import Same


def lower_for_each(host: HostOperations, s: typed.ForEach) -> None:
    """A kernel, or iterations one by one where the host must have a part in each."""
    hosting = host.context.facts.hosting
    with host.collect() as ops:
        if host.runs_as_kernel(s):
            host.regions.launch(host.context.facts.races(s.body), host.levels)
        elif not s.parallel and hosting.is_sequential_kernel(s) and host.levels is None:
            host.regions.run_once(s)
        else:
            _one_by_one(host, s)
    host.do(ir.HostBlock(tuple(ops), s.span))


def _one_by_one(host: HostOperations, s: typed.ForEach) -> None:
    """Iterations in order, each from the host; the filter of a `forall` is evaluated on entry if the body may change
    it."""
    races = host.context.facts.races(s.body) if s.parallel else None
    judged = () if races is None or isinstance(s.domain, typed.Items) else host.regions.judged(races, host.levels)
    match s.domain:
        case typed.Neighbors(direction=typed.Direction.BOTH) as domain:
            _both_neighbors(host, s, domain, judged)
        case typed.Neighbors() as domain:
            _neighbors(host, s, domain, *judged)
        case typed.AllNodes():
            _range(host, s, ir.NumNodes(ir.Element.NODE), *judged)
        case typed.AllEdges():
            _range(host, s, ir.NumArcs(ir.Element.ARC), *judged)
        case typed.Members(symbol=symbol) if judged:
            nodes = host.arrays[symbol].extent is ir.Extent.NODES
            end = ir.NumNodes(ir.Element.NODE) if nodes else ir.NumArcs(ir.Element.ARC)
            _range(host, s, end, *judged)
        case typed.Members(symbol=symbol):
            with each(host, s.iterator) as variable:
                body = _guarded(host, s, None)
            host.do(ir.HostForMembers(variable, host.arrays[symbol], body, _searches(host, s)))
        case typed.Items(symbol=symbol):
            first = races is not None and host.regions.changes_its_filter(races)
            items = _passing(host, s, host.lists[symbol]) if first else host.lists[symbol]
            with each(host, s.iterator) as variable:
                body = host.collected(s.body) if first else _guarded(host, s, None)
            host.do(ir.HostForItems(variable, items, body))
        case typed.Numbers(count=count):
            _range(host, s, host.expression(count), *judged)
        case typed.Keys():
            raise AssertionError("a map belongs to an iteration")
        case _:
            assert_never(s.domain)


def _passing(host: HostOperations, s: typed.ForEach, items: ir.HostList) -> ir.HostList:
    """The elements that pass the filter on entry."""
    assert s.filter is not None
    chosen = ir.HostList(host.names.fresh("chosen"), items.element)
    host.do(ir.DeclareList(chosen))
    with each(host, s.iterator) as variable, host.collect() as ops:
        push = ir.ChangeList(chosen, ir.ListChange.PUSH, (ir.Ref(variable),))
        host.do(ir.HostIf(host.expression(s.filter), (push,)))
    host.do(ir.HostForItems(variable, items, tuple(ops)))
    return chosen


@contextmanager
def each(host: HostOperations, iterator: typed.Symbol) -> Iterator[ir.Variable]:
    """The iterator of a loop; what is lowered meanwhile is inside the loop, which its domain is not."""
    element = elements.ELEMENTS[iterator.scalar]
    variable = host.bind(iterator, host.names.variable(iterator.name, element))
    host.loops.append(iterator)
    yield variable
    host.loops.pop()


def _range(host: HostOperations, s: typed.ForEach, end: ir.Expression, judged: ir.Array | None = None) -> None:
    with each(host, s.iterator) as variable:
        body = _guarded(host, s, None) if judged is None else _where(host, judged, variable, s.body)
    host.do(ir.HostForRange(variable, ir.Const(0, variable.element), end, body, _searches(host, s)))


def _searches(host: HostOperations, s: typed.ForEach) -> ir.Searches | None:
    """What a loop over sources comes to, if it searches from each."""
    if (found := host.context.searching.get(Same(s))) is None:
        return None
    kept = {
        one.symbol: context.array_of(one.symbol, host.names.fresh(one.symbol.name), ir.Origin.TEMPORARY)
        for one in found.kept
    }
    host.arrays.update(kept)
    lowering = kernels.KernelLowering(host.context, host.names.inner(), host.surroundings(), frozenset())
    node, level, count = map(lowering.local, (found.node, found.level, found.count))
    reached = lowering.block(typed.Block(found.reached))
    direction = ir.Direction.OUT if found.direction is typed.Direction.OUT else ir.Direction.IN
    behind = lowering.block(typed.Block(found.behind))
    begin = tuple(
        context.zero(kept[one.symbol].element) if one.value is None else host.expression(one.value)
        for one in found.kept
    )
    own = (tuple(kept.values()), begin, behind)
    return ir.Searches(direction, node, level, count, reached, found.why_not, *own)


def _where(host: HostOperations, judged: ir.Array, place: ir.Variable, body: typed.Block) -> tuple[ir.HostOp, ...]:
    """The body, where the filter held on entry."""
    with host.collect() as ops:
        chosen = host.read(judged, ir.Ref(place))
        host.do(ir.HostIf(chosen, host.collected(body)))
    return tuple(ops)


def _both_neighbors(
    host: HostOperations, s: typed.ForEach, domain: typed.Neighbors, judged: tuple[ir.Array, ...]
) -> None:
    """Out-neighbors, then in-neighbors; a `break` among the first leaves the second out."""
    node = host.held(domain.node, "node", s.body)
    halves = []
    for place, direction in enumerate((typed.Direction.OUT, typed.Direction.IN)):
        with host.collect() as ops:
            half = typed.Neighbors(domain.graph, domain.node, direction)
            _neighbors(host, s, half, *judged[place : place + 1], of=node)
        halves.append(tuple(ops))
    left = host.names.variable("left", ir.Element.BOOL)
    if (first := _telling(halves[0], left)) == halves[0]:
        _do_all(host, halves[0] + halves[1])
        return
    host.do(ir.DeclareVariable(left, build.FALSE))
    _do_all(host, first)
    host.do(ir.HostIf(build.denied(ir.Ref(left)), halves[1]))


def _neighbors(
    host: HostOperations,
    s: typed.ForEach,
    domain: typed.Neighbors,
    judged: ir.Array | None = None,
    *,
    of: ir.Expression | None = None,
) -> None:
    probe = kernels.KernelLowering(host.context, host.names, host.surroundings(), frozenset(), host.levels)
    direction, level = probe.direction(s, domain)
    node = host.held(domain.node, "node", s.body) if of is None else of
    with each(host, s.iterator) as neighbor:
        position = host.names.variable("e", ir.Element.ARC)
        host.arcs[s.iterator] = surroundings.arc_place(direction, node, neighbor, position)
        if judged is None:
            body = _guarded(host, s, probe.at_level(neighbor, level))
        else:
            body = _where(host, judged, position, s.body)
    host.do(ir.HostForNeighbors(direction, node, neighbor, position, body))


def _guarded(host: HostOperations, s: typed.ForEach, level: ir.Expression | None) -> tuple[ir.HostOp, ...]:
    """The body under the loop's filter."""
    with host.collect() as ops:
        if level is not None:
            assert isinstance(level, ir.Binary)
            assert isinstance(level.left, ir.Load)
            found = host.read(level.left.array, level.left.index)
            level = ir.Binary(level.operator, found, level.right, ir.Element.BOOL)
            with host.collect() as inner:
                _filtered(host, s)
            host.do(ir.HostIf(level, tuple(inner)))
        else:
            _filtered(host, s)
    return tuple(ops)


def visit_at_level(host: HostOperations, node: ir.Variable, scope: surroundings.LevelScope, work: ParallelLoop) -> None:
    """The body of a BFS pass for one node, if it stands at this level and passes the filter."""
    if scope.judged is not None:
        _do_all(host, _where(host, scope.judged, node, work.body))
        return
    level = host.read(scope.levels, ir.Ref(node))
    with host.collect() as inner:
        _filtered(host, work)
    host.do(ir.HostIf(build.equal(level, ir.Ref(scope.depth)), tuple(inner)))


def _filtered(host: HostOperations, s: typed.ForEach | ParallelLoop) -> None:
    if s.filter is None:
        host.block(s.body)
    else:
        condition = host.expression(s.filter)
        host.do(ir.HostIf(condition, host.collected(s.body)))


def _do_all(host: HostOperations, ops: Iterable[ir.HostOp]) -> None:
    for op in ops:
        host.do(op)


def _telling(ops: tuple[ir.HostOp, ...], left: ir.Variable) -> tuple[ir.HostOp, ...]:
    """A neighbor loop that sets `left` before each `break` that leaves it."""

    def inside(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        if isinstance(op, ir.HostBreak):
            return ir.SetVariable(left, build.TRUE), op
        return None if isinstance(op, ir.HostIf | ir.HostBlock) else (op,)

    def outside(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        if isinstance(op, ir.HostForNeighbors):
            return (replace(op, body=HostRule(inside).host_block(op.body)),)
        return None if isinstance(op, ir.HostIf | ir.HostBlock) else (op,)

    return HostRule(outside).host_block(ops)
