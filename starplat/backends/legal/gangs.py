"""Loops under directives whose reductions stay on the device, or that the host does not wait for.

A clause brings what it combines back to the host. So an iteration of the outermost loop is a whole gang here: its teams
share the kernel's loop, clauses combine what they find, and the gang adds that to the cell atomically.
"""

from dataclasses import replace

from starplat.backends import statements as st
from starplat.backends.launch import GANGS, THREADS_OF_A_TEAM
from starplat.backends.legal.locals import Locals
from starplat.ir import build, nodes as ir


def guarded(loop: st.Count, guard: ir.Array | None) -> st.Count:
    """The loop, without iterations if the guard does not hold."""
    if guard is None:
        return loop
    return replace(loop, end=ir.Select(ir.Load(guard, build.ZERO), loop.end, loop.first))


def guarded_block(body: st.Body, guard: ir.Array | None) -> st.Body:
    """The block of one thread, empty if the guard does not hold."""
    return body if guard is None else (st.If(ir.Load(guard, build.ZERO), body),)


def by_gangs(
    loop: st.Count,
    reductions: tuple[tuple[ir.Combine, ir.Variable], ...],
    begins: st.Body,
    ends: st.Body,
    locals_: Locals,
    *,
    for_teams: bool,
) -> st.Count:
    """A loop over gangs, each of which `begins`, takes its share of the loop and `ends`.

    Nodes, or teams' worth of nodes, are dealt out to the gangs one by one, so that one gang does not get all long rows;
    where an iteration is not `for_teams`, the threads of a team take nodes that follow each other.
    """
    gang = locals_.fresh("gang", ir.Element.INT)
    share = _dealt_out(loop, loop.variable, gang, 1) if for_teams else _in_tiles(loop, reductions, gang, locals_)
    body = (*begins, st.TeamLoop(share, reductions, among_teams=True), *ends)
    return st.Count(gang, build.ZERO, build.number(GANGS), st.Stride.ONE, body)


def _in_tiles(
    loop: st.Count, reductions: tuple[tuple[ir.Combine, ir.Variable], ...], gang: ir.Variable, locals_: Locals
) -> st.For:
    """A team takes as many iterations as it has threads at a time."""
    first = locals_.fresh(f"first_{loop.variable.name}", loop.variable.element)
    beyond = build.plus(ir.Ref(first), ir.Const(THREADS_OF_A_TEAM, first.element))
    end = ir.Select(build.less(beyond, loop.end), beyond, loop.end)
    inner = st.TeamLoop(replace(loop, first=ir.Ref(first), end=end, stride=st.Stride.ONE), reductions)
    return _dealt_out(replace(loop, body=(inner,)), first, gang, THREADS_OF_A_TEAM)


def _dealt_out(loop: st.Count, variable: ir.Variable, gang: ir.Variable, at_a_time: int) -> st.For:
    """The iterations of one gang of a loop that goes on by so many."""
    element = variable.element
    times = build.times(ir.Ref(gang), ir.Const(at_a_time, element), element)
    start = ir.Ref(gang) if at_a_time == 1 else times
    begin = start if isinstance(loop.first, ir.Const) and loop.first.value == 0 else build.plus(loop.first, start)
    step = st.Assign(variable, build.plus(ir.Ref(variable), ir.Const(GANGS * at_a_time, element)))
    return st.For(
        build.less(ir.Ref(variable), loop.end), (step,), loop.body, st.Declare(variable, begin, constant=False)
    )
