"""Leaves out rows on the way back over breadth-first levels, where the next level has few nodes.

A kernel of the way back goes over the neighbors of a level's nodes and does something for those of the next level only.
If that level has few nodes, few nodes have such a neighbor: nodes of the next level mark them, against the direction of
the arcs, and of nodes without a mark no row is read. On graphs of few levels the last but one has most of the arcs.
Rows of small levels are read sooner than threads have waited for each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, fresh_names, nodes as ir, uses
from starplat.ir.visitor import walk_kernel, with_signature
from starplat.schedule.levels.kernels import is_next
from starplat.schedule.levels.lists import LevelList, ends_with_last_level
from starplat.schedule.levels.loops import Levels, WayBack

_FEWER, _MANY = 8, 2**16
"""How many times fewer nodes the next level must have, and how many nodes the level itself. Ego-Twitter, whose levels
have up to 45,410, takes 0.39 ms in place of 0.36 on an NVIDIA H200 if levels of any size are marked."""

_AGAINST = {ir.Direction.OUT: ir.Direction.IN, ir.Direction.IN: ir.Direction.OUT}


@dataclass(frozen=True, slots=True)
class Leaves:
    """The flags of marked nodes, the kernels that mark and that visit the others, and what says that they run: `few`.
    `next_end` is where the next level ends in the list of levels."""

    marks: ir.Array
    few: ir.Variable
    next_end: ir.Variable
    marking: ir.Kernel
    without_rows: ir.Kernel
    with_rows: ir.Kernel
    listed: LevelList

    def declarations(self) -> tuple[ir.HostOp, ...]:
        return ir.DeclareVariable(self.next_end, build.ZERO), ir.DeclareVariable(self.few, build.FALSE)

    def before_looking_up(self) -> ir.HostOp:
        return ir.SetVariable(self.next_end, ir.Ref(self.listed.end))

    def visited(self, launch: ir.Launch) -> Iterable[ir.HostOp]:
        """The launch of the kernel, with the others ahead of it where they pay."""
        begin, end, after = map(ir.Ref, (self.listed.begin, self.listed.end, self.next_end))
        own, following = (build.minus(*ends, ir.Element.INT) for ends in ((end, begin), (after, end)))
        fewer = build.divided(own, build.number(_FEWER), ir.Element.INT)
        pays = build.both(build.at_most(following, fewer), build.at_least(own, build.number(_MANY)))
        yield ir.SetVariable(self.few, pays, for_many=True)
        yield ir.HostIf(ir.Ref(self.few), (ir.Launch(self.marking.name), ir.Launch(self.without_rows.name)))
        yield launch


def leaves(levels: Levels, listed: LevelList, module: ir.Module, taken: fresh_names.FreshNames) -> Leaves | None:
    """What leaves rows out, if there is one way back, on which one kernel visits a level, and arcs against their
    direction are at hand. The level behind the last one must be empty, since its nodes would not be listed."""
    if len(levels.returns) != 1 or not ends_with_last_level(levels, module):
        return None
    (way,) = levels.returns
    if len(way.visitors) != 1 or not _launches(way, way.visitors[0]):
        return None
    kernel = module.kernel(way.visitors[0])
    row = _row_of_next(kernel, levels.cells, way.number)
    if row is None or not _goes(_AGAINST[row.direction], module):
        return None
    walked = listed.walking(kernel, levels.cells, way.number)
    marks = ir.Array(taken.fresh(f"{levels.cells.name}_marks"), ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY)
    few, next_end = taken.variable("few", ir.Element.BOOL), taken.variable(f"{listed.end.name}_next", ir.Element.INT)
    marked = ir.Load(marks, kernel.own)
    rest = () if walked.filter is None else (walked.filter,)
    marking = _marking(
        row, marks, levels.cells, way.number, ir.Listed(listed.order, ir.Ref(listed.end), ir.Ref(next_end))
    )
    name = taken.fresh(f"{kernel.name}_without_rows")
    body = tuple(op for op in walked.body if op is not row)
    without = replace(walked, name=name, filter=build.both(*rest, build.denied(marked)), body=body)
    within = replace(walked, filter=build.both(*rest, build.either(build.denied(ir.Ref(few)), marked)))
    marking = replace(marking, name=taken.fresh(f"{kernel.name}_marks"), span=kernel.span)
    marking, without, within = map(with_signature, (marking, without, within))
    return Leaves(marks, few, next_end, marking, without, within, listed)


def _marking(
    row: ir.ForNeighbors, marks: ir.Array, cells: ir.Array, number: ir.Variable, domain: ir.Listed
) -> ir.Kernel:
    """Nodes of the next level mark their neighbors of this one."""
    of_level = build.equal(ir.Load(cells, ir.Ref(row.neighbor)), ir.Ref(number))
    mark = ir.Store(marks, ir.Ref(row.neighbor), build.TRUE, shared=True)
    own = ir.Variable("reached", ir.Element.NODE)
    back = replace(row, direction=_AGAINST[row.direction], node=ir.Ref(own), parallel=True)
    body = (replace(back, body=(ir.KernelIf(of_level, (mark,)),)),)
    return ir.Kernel("", domain, own, body, comment="nodes of the next level mark those before them")


def _launches(way: WayBack, name: str) -> bool:
    """Whether each round launches the kernel once."""
    return sum(isinstance(op, ir.Launch) and op.kernel == name for op in uses.stream(way.loop.body)) == 1


def _row_of_next(kernel: ir.Kernel, cells: ir.Array, number: ir.Variable) -> ir.ForNeighbors | None:
    """The only loop over arcs, where it is over the node's own and does nothing but for nodes of the next level."""
    loops = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
    if len(loops) != 1 or loops[0] not in kernel.body or kernel.reductions:
        return None
    row = loops[0]
    plain = ir.ForNeighbors(row.direction, kernel.own, row.neighbor, row.position, row.body, row.parallel)
    match row.body:
        case (ir.KernelIf(condition, _, ()),) if row == plain:
            there = ir.Load(cells, ir.Ref(row.neighbor))
            asked = conditions.conjuncts(condition)
            return row if any(_asks_next(part, there, kernel, cells, number) for part in asked) else None
    return None


def _asks_next(
    condition: ir.Expression, there: ir.Expression, kernel: ir.Kernel, cells: ir.Array, number: ir.Variable
) -> bool:
    match condition:
        case ir.Binary(ir.BinaryOperator.EQUAL, left, right) if there in (left, right):
            return is_next(right if left == there else left, kernel, cells, number)
    return False


def _goes(direction: ir.Direction, module: ir.Module) -> bool:
    """Whether some kernel goes along arcs this way already, so that they are on the device in any case."""
    ops = (op for kernel in module.kernels for op in walk_kernel(kernel.body))
    return any(isinstance(op, ir.ForNeighbors) and op.direction is direction for op in ops)
