"""Divides the sources of a program among parts: each does some of the iterations of a loop over sources.

Takes a module as `lower` makes it. A loop of the entry may be divided if its iterations leave nothing to each other but
cells that all change by one operator, or the cell of the source itself. All else every part does alike, on arrays of
its own, so that searches are scheduled as on one device; parts exchange nothing but what the loop has found.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from starplat.ir import fresh_names, launches, nodes as ir
from starplat.ir.python.arithmetic import identity
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import arrays_in, declared_by, walk_host, walk_kernel, walk_outside, written_arrays
from starplat.passes.memory import has_two_names
from starplat.passes.parts.effects import FROM_IDENTITY

SourceLoop = ir.HostForMembers | ir.HostForRange

_MAY_STAND_INSIDE = (
    ir.HostBlock | ir.HostIf | ir.Loop | ir.HostForRange | ir.HostForNeighbors | ir.HostForMembers | ir.HostBreak
    | ir.HostContinue | ir.DeclareVariable | ir.SetVariable | ir.Fill | ir.CopyArray | ir.Launch | ir.ReadCell
    | ir.WriteCell | ir.CheckCell | ir.ReadEmpty | ir.ReadSize | ir.ListMembers
)  # fmt: skip


def by_sources(module: ir.Module) -> ir.Module | None:
    """The module whose loops over sources are divided among parts; None if there is none that can be."""
    if module.race is not None or has_two_names(module):
        return None
    divider = _Divider(module)
    entry = module.function(module.entry)
    body = tuple(divider.divided(entry.body))
    if not divider.made:
        return None
    found = module.with_function(replace(entry, body=body, arrays=(*entry.arrays, *divider.made)))
    verify(found)
    return found


def left_by(loop: SourceLoop, module: ir.Module) -> "Left | None":
    """What the iterations of a loop of the entry leave, if they leave each other nothing else."""
    if module.race is not None or has_two_names(module) or not _is_over_sources(loop):
        return None
    return _Divider(module).left_by(loop)


@dataclass(frozen=True, slots=True)
class Left:
    """What iterations leave: arrays that all change by an operator, those of which each changes its source's cell."""

    combined: tuple[tuple[ir.Array, ir.Combine], ...]
    of_source: tuple[ir.Array, ...]


class _Divider:
    def __init__(self, module: ir.Module) -> None:
        self.module, self.names = module, fresh_names.names_of(module)
        self.entry = module.function(module.entry)
        self.made: list[ir.Array] = []

    def divided(self, ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
        """The operations of the entry that always run, with the loops among them divided that can be."""
        for op in ops:
            if isinstance(op, ir.HostBlock):
                yield replace(op, body=tuple(self.divided(op.body)))
            elif _is_over_sources(op) and (left := self.left_by(op)) is not None:
                yield from self.in_turns(op, left)
            else:
                yield op

    def in_turns(self, op: SourceLoop, left: Left) -> Iterator[ir.HostOp]:
        """The loop over the sources of this part, and the exchange of what it leaves."""
        mine = self.array("own_sources", ir.Element.BOOL, is_set=True)
        if isinstance(op, ir.HostForMembers):
            mine = replace(mine, extent=op.members.extent)
            yield ir.CopyArray(mine, op.members)
        else:
            yield ir.Fill(mine, ir.Const(True, ir.Element.BOOL))
        yield ir.TakeMembers(mine)
        before = {array: self.array(f"{array.name}_before", array.element) for array in left.of_source}
        self.made += (mine, *before.values())
        yield from (ir.CopyArray(kept, array) for array, kept in before.items())
        for array, combine in left.combined:
            if combine in FROM_IDENTITY:
                yield ir.KeepOwn(array, identity(combine, array.element))
        yield ir.HostForMembers(op.variable, mine, op.body, op.searches)
        yield from (ir.CombineParts(array, combine) for array, combine in left.combined)
        yield from (ir.CombineChanged(array, kept) for array, kept in before.items())

    def array(self, name: str, element: ir.Element, *, is_set: bool = False) -> ir.Array:
        return ir.Array(self.names.fresh(name), element, ir.Extent.NODES, ir.Origin.TEMPORARY, is_set)

    # --- whether iterations may be divided -------------------------------------------------------------------------

    def left_by(self, loop: SourceLoop) -> Left | None:
        """What the iterations leave, if they may be divided."""
        body = tuple(walk_host(loop.body))
        if not all(isinstance(op, _MAY_STAND_INSIDE) for op in body) or _leaves(loop):
            return None
        kernels = [self.module.kernel(op.kernel) for op in body if isinstance(op, ir.Launch)]
        if self.assigned(body, kernels) - {loop.variable, *(v for op in body for v in declared_by(op))}:
            return None
        written = {array for op in body for array in launches.changed_by(op)}
        written |= {array for kernel in kernels for array in written_arrays(kernel.body)}
        combined, of_source = list[tuple[ir.Array, ir.Combine]](), list[ir.Array]()
        for array in sorted(written, key=lambda array: array.name):
            if self.is_private(array, loop):
                continue
            touching = [op for op in body if not isinstance(op, ir.Launch) and array in arrays_in(op)]
            operator = None if touching else combined_by(array, kernels)
            if operator is not None:
                combined.append((array, operator))
            elif is_of_source(array, loop, touching, kernels):
                of_source.append(array)
            else:
                return None
        if isinstance(loop, ir.HostForMembers) and loop.members in written:
            return None
        return Left(tuple(combined), tuple(of_source))

    def assigned(self, body: Iterable[ir.HostOp], kernels: Iterable[ir.Kernel]) -> set[ir.Variable]:
        """The variables to which operations give a value, not counting declarations."""
        kinds = ir.SetVariable | ir.ReadCell | ir.ReadEmpty | ir.ReadSize
        found = {op.variable for op in body if isinstance(op, kinds)}
        return found | {reduction.variable for kernel in kernels for reduction in kernel.brought_back}

    def is_private(self, array: ir.Array, loop: SourceLoop) -> bool:
        """Whether an iteration sees nothing of what others, or operations outside of the loop, have left in it."""
        if array not in self.entry.arrays:
            return False
        inside = {id(op) for op in walk_host((loop,))}
        outside = (op for op in walk_host(self.entry.body) if id(op) not in inside)
        if any(array in launches.touched(op, self.module) for op in outside):
            return False
        return self.begins_anew(loop.body, array)

    def begins_anew(self, ops: tuple[ir.HostOp, ...], array: ir.Array) -> bool:
        """Whether all its cells are set before any is looked at."""
        place, first = next((place, op) for place, op in enumerate(ops) if self.touches((op,), array))
        match first:
            case ir.Fill():
                return True
            case ir.CopyArray(destination, source):
                return destination == array != source
            case ir.HostBlock(body):
                return self.begins_anew((*body, *ops[place + 1 :]), array)
            case ir.HostIf(_, then, otherwise):
                blocks = [block for block in (then, otherwise) if self.touches(block, array)]
                alone = len(blocks) == 2 or not self.touches(ops[place + 1 :], array)
                return alone and all(self.begins_anew(block, array) for block in blocks)
        return False

    def touches(self, ops: Iterable[ir.HostOp], array: ir.Array) -> bool:
        return any(array in launches.touched(op, self.module) for op in walk_host(ops))


def _is_over_sources(op: ir.HostOp) -> TypeGuard[SourceLoop]:
    """Whether a loop goes over nodes, or the members of a set."""
    if isinstance(op, ir.HostForRange):
        over_all = op.first == ir.Const(0, op.first.element) and isinstance(op.end, ir.NumNodes)
        return over_all and op.variable.element is ir.Element.NODE
    return isinstance(op, ir.HostForMembers)


def is_of_source(
    array: ir.Array, loop: SourceLoop, touching: Iterable[ir.HostOp], kernels: Iterable[ir.Kernel]
) -> bool:
    """Whether an iteration does no more than write the cell of its source."""
    source = ir.Ref(loop.variable)
    alone = all(isinstance(op, ir.WriteCell) and op.array == array and op.index == source for op in touching)
    reads = (part for op in touching for part in arrays_in(op) if isinstance(op, ir.WriteCell))
    once = sum(part == array for part in reads) == len(list(touching))
    return alone and once and not any(array in kernel.arrays for kernel in kernels)


def _leaves(loop: ir.HostLoop) -> bool:
    """Whether a loop's body ends the loop early."""
    return any(isinstance(op, ir.HostBreak) for op in walk_outside(ir.HostLoop, loop.body))


def combined_by(array: ir.Array, kernels: Iterable[ir.Kernel]) -> ir.Combine | None:
    """The one operator by which kernels change an array, of which they see nothing."""
    found: set[ir.Combine | None] = set()
    for kernel in kernels:
        if array not in kernel.arrays:
            continue
        heads = () if kernel.filter is None else tuple(arrays_in(kernel.filter))
        if array in (*heads, *arrays_in(kernel.domain)):
            return None
        for op in walk_kernel(kernel.body):
            if not (uses := sum(one == array for one in arrays_in(op))):
                continue
            match op:
                case ir.UpdateCell(combine, target) if target == array and uses == 1:
                    found.add(combine)
                case ir.ExtremeCell(extreme, target, carried=()) if target == array and uses == 1:
                    found.add(extreme)
                case _:
                    found.add(None)
    return found.pop() if len(found) == 1 else None
