"""Lowers fixed points and breadth-first search: kernels round by round under a condition that the host tests."""

from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.convergence import Spelling, convergence
from starplat.analysis.parallel import ParallelLoop, of_bfs
from starplat.analysis.pulling import pulls_from_parents
from starplat.frontend import typed
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import checking, host_loops, kernels, surroundings
from starplat.ir.lowering.host_operations import HostOperations
from starplat.same import Same

INT = ir.Element.INT


def lower_fixed_point(host: HostOperations, s: typed.FixedPoint) -> None:
    """`do { flag = True; body; flag = flag && ALL(condition) } while (!flag)`, on two copies of the flags where the
    form allows it."""
    with host.collect() as ops:
        if s.flag in host.variables:
            flag = host.variables[s.flag]
        else:
            flag = host.declare(s.flag.name, ir.Element.BOOL, build.FALSE)
            host.variables[s.flag], host.values[s.flag] = flag, ir.Ref(flag)
        form = convergence(s, host.context.program)
        if form.spelling is Spelling.ONE_FLAG and form.frontier is not None:
            body = _two_copies(host, s, flag, host.arrays[form.frontier])
        else:
            body = _in_place(host, s, flag)
        host.do(host.answered(s, ir.Loop((), build.denied(ir.Ref(flag)), body, test_last=True)))
    host.do(ir.HostBlock(tuple(ops), s.span))


def _two_copies(
    host: HostOperations, s: typed.FixedPoint, flag: ir.Variable, frontier: ir.Array
) -> tuple[ir.HostOp, ...]:
    """Reads see the round's start; what is stored goes to a fresh copy, and every store says that the end is not
    reached."""
    following = host.second_copy(frontier)
    host.stand_ins[frontier], host.announce[following] = following, flag
    with host.collect() as ops:
        host.do(ir.SetVariable(flag, build.TRUE))
        host.do(ir.Fill(following, build.FALSE))
        host.block(s.body)
        host.do(ir.Swap(frontier, following))
    del host.stand_ins[frontier], host.announce[following]
    return tuple(ops)


def _in_place(host: HostOperations, s: typed.FixedPoint, flag: ir.Variable) -> tuple[ir.HostOp, ...]:
    with host.collect() as ops:
        host.do(ir.SetVariable(flag, build.TRUE))
        host.block(s.body)
        if any(isinstance(e, typed.Variable) and e.symbol is s.node for e in walk.within(s.condition)):
            lowering = kernels.KernelLowering(host.context, host.names.inner(), host.surroundings(), frozenset())
            node = lowering.local(s.node)
            lowering.iteration = ir.Cast(ir.Ref(node), ir.Element.LONG)
            condition = lowering.expression(s.condition)
            reductions = (ir.Reduction(flag, ir.Combine.AND),)
            body = (ir.Contribute(flag, condition),)
            span = s.condition.span
            host.regions.emit(ir.Kernel("", ir.AllNodes(), node, body, reductions=reductions, span=span))
        else:
            condition = host.expression(s.condition)
            holds = build.both(ir.Ref(flag), condition)
            host.do(ir.SetVariable(flag, holds))
    return tuple(ops)


def lower_bfs(host: HostOperations, s: typed.IterateInBFS) -> None:
    """Level by level: first all of the next level is found, then the body runs on this one; then back again."""
    with host.collect() as ops:
        source = host.simple(s.source, "source")
        with host.collect() as search:
            _search(host, s, checked_source(host, s, source))
        starts = build.at_least(source, ir.Const(0, ir.Element.NODE))
        if host.context.checks is not None:
            starts = build.differs(source, ir.Const(-1, ir.Element.NODE))
        host.do(ir.HostIf(starts, tuple(search)))
    host.do(ir.HostBlock(tuple(ops), s.span))


def checked_source(host: HostOperations, s: typed.IterateInBFS, source: ir.Expression) -> ir.Expression:
    """The source, which a checked run tells of where it is no node."""
    if host.context.checks is None:
        return source
    cells = ir.Cast(ir.NumNodes(), ir.Element.LONG)
    return host.named(host.guarded(checking.at_cell("", source.element), (source, cells), s.source.span), "source")


def _search(host: HostOperations, s: typed.IterateInBFS, source: ir.Expression) -> None:
    levels = host.new_array("bfs_level", INT, ir.Extent.NODES, ir.Origin.TEMPORARY)
    host.do(ir.Fill(levels, ir.infinity(INT)))
    host.do(ir.WriteCell(levels, source, ir.Const(0, INT)))
    depth = host.declare("depth", INT, ir.Const(0, INT))
    found = host.declare("found", ir.Element.BOOL, build.FALSE)
    pulling = frozenset(
        Same(x) for x in walk.statements(s.body) if isinstance(x, typed.ForEach) and pulls_from_parents(x, s)
    )
    passes = of_bfs(s)
    with host.collect() as body:
        host.do(ir.SetVariable(found, build.FALSE))
        _find_next_level(host, s, levels, depth, found)
        _run_level(host, s, passes[0], surroundings.LevelScope(s.iterator, levels, depth, pulling))
        host.do(ir.SetVariable(depth, build.plus(ir.Ref(depth), build.ONE, INT)))
    host.do(ir.Loop((), ir.Ref(found), tuple(body), test_last=True))
    if len(passes) == 1:
        return
    with host.collect() as back:
        host.do(ir.SetVariable(depth, build.minus(ir.Ref(depth), build.ONE, INT)))
        _run_level(host, s, passes[1], surroundings.LevelScope(s.iterator, levels, depth, frozenset()))
    above = build.greater(ir.Ref(depth), build.ZERO)
    host.do(ir.Loop((), above, tuple(back)))


def _find_next_level(
    host: HostOperations, s: typed.IterateInBFS, levels: ir.Array, depth: ir.Variable, found: ir.Variable
) -> None:
    names = host.names.inner()
    v = names.variable(s.iterator.name, ir.Element.NODE)
    w = names.variable("neighbor", ir.Element.NODE)
    e = names.variable("e", ir.Element.ARC)
    next_depth = build.plus(ir.Ref(depth), build.ONE, INT)
    told = (ir.Contribute(found, build.TRUE),)
    step = ir.ExtremeCell(ir.Combine.MIN, levels, ir.Ref(w), next_depth, (), shared=True, also=told)
    walk_arcs = ir.ForNeighbors(ir.Direction.OUT, ir.Ref(v), w, e, (step,), parallel=True)
    at_level = build.equal(ir.Load(levels, ir.Ref(v)), ir.Ref(depth))
    reductions = (ir.Reduction(found, ir.Combine.OR),)
    kernel = ir.Kernel(
        "",
        ir.AllNodes(),
        v,
        (walk_arcs,),
        filter=at_level,
        reductions=reductions,
        span=s.span,
        comment="finds the next BFS level",
    )
    host.regions.emit(kernel)


def _run_level(host: HostOperations, s: typed.IterateInBFS, work: ParallelLoop, scope: surroundings.LevelScope) -> None:
    """The body for the nodes of one level: one kernel, or node by node if it needs the host."""
    if not work.body.statements:
        return
    if not host.context.facts.hosting.needs_host(work.body):
        host.regions.launch(host.context.facts.races(work.body), scope)
        return
    judged = host.regions.judged(host.context.facts.races(work.body), scope)
    scope = replace(scope, judged=judged[0] if judged else None)
    outer, host.levels = host.levels, scope
    with host_loops.each(host, s.iterator) as node, host.collect() as body:
        host_loops.visit_at_level(host, node, scope, work)
    host.do(ir.HostForRange(node, ir.Const(0, ir.Element.NODE), ir.NumNodes(ir.Element.NODE), tuple(body)))
    host.levels = outer
