"""Adds up what a wave's nodes get from the round before where that round pushes, along the arcs that it walks anyway.

A kernel that visits the nodes of a round, and adds up what their neighbors of the round before have, reads whole rows
against the direction of the arcs, of which few may lead back. The round before has walked just these arcs, if it has
pushed. So a round pushes behind its visit, and adds to the cells of the nodes that it reaches; where it pulls, the next
visit gathers. That takes one barrier more in a round.

Nodes that are in step with a counter hold its value while they are walked: those that hold 1 less are the round before,
all of it; before the first round there is none. What they give is theirs alone to change, in their own round. The loop
ends with the first empty round, so that all nodes that got something are visited, and nothing else looks at the sums
meanwhile.
"""

from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, nodes as ir, uses, visitor
from starplat.ir.launches import changed, given_by, is_launched_once, touched
from starplat.ir.rewriter import map_expression
from starplat.ir.shapes.gathering import Gathering, combined_with, gathering
from starplat.ir.shapes.members import membership
from starplat.schedule.direction.waves import Wave

MANY_NODES, MANY_ARCS = 2**14, 8
"""Nodes of a graph, and arcs of a node, from which rounds are few and large."""


@dataclass(frozen=True, slots=True)
class Added:
    """The launch that visits a round's nodes, its kernel as it gathers and, if there is more to it, without the row.
    `value` is what `neighbor` gives to a cell of `sums`; `flag` says that the round before has not pulled."""

    visit: ir.Launch
    gathers: ir.Kernel
    rest: ir.Kernel | None
    sums: ir.Array
    neighbor: ir.Variable
    value: ir.Expression
    flag: ir.Variable

    def visited(self) -> tuple[ir.HostOp, ...]:
        """The visit, ahead of a push."""
        rest = () if self.rest is None else (ir.Launch(self.rest.name),)
        return ir.HostIf(ir.Ref(self.flag), rest, (self.visit,)), ir.SetVariable(self.flag, build.TRUE)

    def pushing(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel that pushes takes the nodes out of their set, and adds to the cells of those that it reaches."""
        row, found = kernel.body[-1], membership(kernel)
        assert isinstance(row, ir.ForNeighbors)
        assert found is not None
        match row.body:
            case (let, ir.KernelIf(ir.Binary(_, level, there)) as lowers):
                value = map_expression(lambda part: kernel.own if part == ir.Ref(self.neighbor) else part, self.value)
                adds = ir.UpdateCell(ir.Combine.ADD, self.sums, ir.Ref(row.neighbor), value, shared=True)
                row = replace(row, body=(let, ir.KernelIf(build.at_most(level, there), (lowers, adds))))
        return visitor.with_signature(replace(kernel, body=(ir.Store(found.members, kernel.own, build.FALSE), row)))


def added(loop: ir.Loop, walk: ir.Launch, wave: Wave, module: ir.Module, taken: fresh_names.FreshNames) -> Added | None:
    """What the launch right behind a wave's walk adds up, if the walk may add it."""
    row = list(uses.stream(loop.body))
    place = next((place for place, op in enumerate(row) if op is walk), len(row)) + 1
    if wave.takes or wave.spread.guards or not _is_plain(wave.spread.loop) or not _ends_when_empty(loop, row, wave):
        return None
    match row[place : place + 1]:
        case [ir.Launch(name, pull=()) as visit] if wave.in_step and is_launched_once(name, module):
            kernel = module.kernel(name)
        case _:
            return None
    found, sum = membership(kernel), gathering(kernel)
    counts = any(wave.counter in given_by(op, module) for op in row[place + 1 :])
    if found is None or sum is None or kernel.reductions or (found.members, found.takes) != (wave.now, True):
        return None
    match sum.rest:
        case (ir.Store(sums, index, ir.Ref(sum.total)), *rest) if index == kernel.own and counts:
            value = _given(sum, kernel, wave) if sum.first == ir.Load(sums, kernel.own) and not sum.ahead else None
        case _:
            return None
    total = any(sum.total in visitor.variables_read(part) for part in visitor.all_expressions(rest))
    if value is None or total or not _is_kept(sums, value, visit, loop, module):
        return None
    if not _may_come_first(replace(kernel, body=found.body), module.kernel(walk.kernel), wave):
        return None
    gathers = visitor.with_signature(replace(kernel, body=found.body))
    behind = visitor.with_signature(replace(kernel, name=taken.fresh(f"{name}_rest"), body=tuple(rest)))
    flag = taken.variable("added", ir.Element.BOOL)
    return Added(visit, gathers, behind if rest else None, sums, sum.loop.neighbor, value, flag)


def _given(sum: Gathering, kernel: ir.Kernel, wave: Wave) -> ir.Expression | None:
    """What a neighbor of the round before gives, if no others do: it depends on the neighbor alone."""
    assert wave.counter is not None
    row, there = sum.loop, ir.Load(wave.values, ir.Ref(sum.loop.neighbor))
    before = build.minus(ir.Ref(wave.counter), build.ONE, ir.Element.INT)
    match row.body:
        case (ir.KernelIf(ir.Binary(ir.BinaryOperator.EQUAL, left, right), (ir.SetLocal(_, value),), ()),) if (
            {left, right} == {there, before} and row.direction is ir.Direction.IN and _is_plain(row)
        ):
            combined = combined_with(sum.total, value)
            if combined is None or combined[0] is not ir.Combine.ADD:
                return None
            given = combined[1]
            parts = list(visitor.walk_expression(given))
            own = all(part.index == ir.Ref(row.neighbor) for part in parts if isinstance(part, ir.Load))
            called = any(isinstance(part, ir.CallFunction) for part in parts)
            return given if own and not called and visitor.variables_read(given) == {row.neighbor} else None
    return None


def _may_come_first(visit: ir.Kernel, walk: ir.Kernel, wave: Wave) -> bool:
    """Whether a visit does the same ahead of the walk: it asks of other nodes' cells that this changes only which hold
    the counter less 1, and changes nothing that this reads."""
    assert wave.counter is not None
    told = {wave.values, wave.following, *(carry.array for carry in wave.data)}
    before = build.minus(ir.Ref(wave.counter), build.ONE, ir.Element.INT)
    parts = list(visitor.all_expressions(visit.body))
    others = [p for p in parts if isinstance(p, ir.Load) and p.array in told and p.index != visit.own]
    asked = 0
    for part in parts:
        match part:
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Load() as there, limit) | ir.Binary(
                ir.BinaryOperator.EQUAL, limit, ir.Load() as there
            ) if there.array == wave.values and limit == before:
                asked += there.index != visit.own
    read = {array for part in visitor.all_expressions(walk.body) for array in visitor.arrays_in(part)}
    return len(others) == asked and visitor.written_arrays(visit.body).isdisjoint(told | read)


def _is_plain(row: ir.ForNeighbors) -> bool:
    """Whether a loop goes over all arcs of a row, as they are."""
    return row == ir.ForNeighbors(row.direction, row.node, row.neighbor, row.position, row.body, row.parallel)


def _is_kept(sums: ir.Array, value: ir.Expression, visit: ir.Launch, loop: ir.Loop, module: ir.Module) -> bool:
    """Whether nothing else in the loop uses the sums, and only a node's own visit changes what it gives."""
    kernel, given = module.kernel(visit.kernel), {sums, *visitor.arrays_in(value)}
    for op in visitor.walk_host((loop,)):
        if op is not visit and (sums in touched(op, module) or given & changed(op, module)):
            return False
    changes = [op for op in visitor.walk_kernel(kernel.body) if given & visitor.written_arrays((op,))]
    single = (op for op in changes if not isinstance(op, ir.KernelIf | ir.ForNeighbors))
    return all(isinstance(op, ir.Store | ir.UpdateCell) and op.index == kernel.own for op in single)


def _ends_when_empty(loop: ir.Loop, row: list[ir.HostOp], wave: Wave) -> bool:
    """Whether the loop ends with the first round that finds no node, and with none before."""
    if loop.before or loop.step or not loop.test_last:
        return False
    if any(isinstance(op, ir.HostBreak | ir.HostContinue | ir.HostReturn) for op in visitor.walk_host((loop,))):
        return False
    match row[-1]:
        case ir.ReadEmpty(variable, wave.now, when_empty):
            return loop.condition == (build.denied(ir.Ref(variable)) if when_empty else ir.Ref(variable))
    return False
