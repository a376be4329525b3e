"""Step `levels`: names the nodes of a breadth-first level as a set, where a program knows them by a number.

A loop whose kernels ask for `level[v] == depth`, and lower `level[w]` to `depth + 1`, visits in each round the nodes
that the round before has lowered: all cells are INF or at most `depth` when a round begins, so a cell that is lowered
to `depth + 1` was INF, is lowered once, and is never lower again. A flag beside each lowered cell says the same, and
flags can be kept as a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Carry,
    Combine,
    Const,
    DeclareVariable,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    Fill,
    HostFunction,
    HostOp,
    HostWhile,
    Kernel,
    KernelOp,
    Launch,
    Load,
    Module,
    Origin,
    Ref,
    SetVariable,
    Swap,
    Variable,
    WriteCell,
    infinity,
)
from starplat.ir.uses import stream
from starplat.ir.visitor import (
    Rewriter,
    arrays_in,
    changed_by,
    walk_host,
    walk_kernel,
    with_signature,
    written_arrays,
)
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


@dataclass(frozen=True, slots=True)
class Levels:
    """A loop over levels: the cells, the number of the level in hand, the kernel that finds the next level, those that
    visit this one, and what begins it all: the fill, the first cell, and the number of the first level."""

    cells: Array
    depth: Variable
    finder: str
    visitors: tuple[str, ...]
    fill: Fill
    first: WriteCell
    loop: HostWhile


def levels_as_sets(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module where the nodes of a level are flagged, where the schedule and the target let them be a set."""
    if schedule.frontier is Frontier.FLAGS or not (capabilities.shared_arcs and capabilities.grid_barrier):
        return module
    choices: list[Choice] = []
    for function in module.functions:
        for found in _levels_in(function, module):
            module = _Flagger(module, function.name, found).module()
            why = "a node is lowered once, in the round before it is visited"
            choices.append(Choice(f"{found.finder}: the nodes of a level are a set", why))
    return Decided(module, tuple(choices)) if choices else module


# --- finding --------------------------------------------------------------------------------------------------------


def _levels_in(function: HostFunction, module: Module) -> list[Levels]:
    found = []
    for block in _blocks(function.body):
        for place, op in enumerate(block):
            if isinstance(op, HostWhile):
                levels = _levels_of(op, block[:place], function, module)
                if levels is not None:
                    found.append(levels)
    return found


def _blocks(ops: Sequence[HostOp]) -> Iterable[list[HostOp]]:
    """Every row of operations, blocks that only group opened."""
    row = list(stream(ops))
    yield row
    for op in row:
        for name in ("then", "otherwise", "before", "body", "step"):
            inner = getattr(op, name, ())
            if inner:
                yield from _blocks(inner)


def _levels_of(loop: HostWhile, before: list[HostOp], function: HostFunction, module: Module) -> Levels | None:
    if loop.before or not loop.test_last:
        return None
    row = list(stream(loop.body))
    launches = [op for op in row if isinstance(op, Launch)]
    finders = [(op, f) for op in launches if (f := _finds(module.kernel(op.kernel))) is not None]
    if len(finders) != 1:
        return None
    finder, (cells, depth) = finders[0]
    visitors = tuple(op.kernel for op in launches if _asks(module.kernel(op.kernel), cells, depth))
    others = [op for op in walk_host((loop,)) if isinstance(op, Launch) and op.kernel != finder.kernel]
    writes = any(cells in written_arrays(module.kernel(op.kernel).body) for op in others)
    writes = writes or any(cells in changed_by(op) for op in walk_host((loop,)))
    if writes or not _counts_up(row, depth) or not _once_each((finder.kernel, *visitors), module):
        return None
    begins = _beginning(before, cells, depth, module)
    if begins is None or cells not in function.arrays:
        return None
    return Levels(cells, depth, finder.kernel, visitors, *begins, loop)


def _finds(kernel: Kernel) -> tuple[Array, Variable] | None:
    """The cells and the number of the level, if the kernel goes over a level and finds the next, and does no other
    thing to the cells."""
    level = _level_of(kernel)
    if level is None:
        return None
    cells, depth = level
    updates = [op for op in walk_kernel(kernel.body) if cells in _written_by(op)]
    following = Binary(BinaryOperator.ADD, Ref(depth), Const(1, Element.INT), Element.INT)
    for op in updates:
        if not isinstance(op, ExtremeCell) or op.array != cells or op.extreme is not Combine.MIN:
            return None
        if op.candidate != following or op.carried or op.lock is not None:
            return None
    return level if len(updates) == 1 else None


def _written_by(op: KernelOp) -> frozenset[Array]:
    """What one operation writes, the blocks inside it left out."""
    named = {part for name in ("array", "lock") if isinstance(part := getattr(op, name, None), Array)}
    carried = {carry.array for carry in op.carried} if isinstance(op, ExtremeCell) else set()
    return frozenset(named | carried)


def _level_of(kernel: Kernel) -> tuple[Array, Variable] | None:
    """`cells[v] == depth`, alone or first in the filter of a kernel over nodes."""
    condition = kernel.filter
    while isinstance(condition, Binary) and condition.operator is BinaryOperator.AND:
        condition = condition.left
    match condition:
        case Binary(BinaryOperator.EQUAL, Load(cells, Ref(index)), Ref(depth)):
            suits = isinstance(kernel.domain, AllNodes) and index == kernel.iterator
            suits = suits and cells.element is Element.INT and cells.extent is Extent.NODES
            return (cells, depth) if suits else None
        case _:
            return None


def _asks(kernel: Kernel, cells: Array, depth: Variable) -> bool:
    return _level_of(kernel) == (cells, depth)


def _counts_up(row: list[HostOp], depth: Variable) -> bool:
    """Whether a round ends with the next number, and changes it nowhere else."""
    step = SetVariable(depth, Binary(BinaryOperator.ADD, Ref(depth), Const(1, Element.INT), Element.INT))
    sets = [op for op in walk_host(row) if isinstance(op, SetVariable) and op.variable == depth]
    return sets == [step] and row[-1] == step


def _once_each(kernels: tuple[str, ...], module: Module) -> bool:
    launched = [op.kernel for f in module.functions for op in walk_host(f.body) if isinstance(op, Launch)]
    return all(launched.count(kernel) == 1 for kernel in kernels)


def _beginning(before: list[HostOp], cells: Array, depth: Variable, module: Module) -> tuple[Fill, WriteCell] | None:
    """The fill with INF and the one cell that is given the number of the first level, right before the loop."""
    about = [
        op
        for op in before
        if any(cells in arrays_in(inner) for inner in walk_host((op,)))
        or any(isinstance(inner, Launch) and cells in module.kernel(inner.kernel).arrays for inner in walk_host((op,)))
    ]
    declared = [op for op in before if isinstance(op, DeclareVariable) and op.variable == depth]
    others = any(isinstance(op, SetVariable) and op.variable == depth for op in walk_host(before))
    match about[-2:], declared:
        case [Fill(_, value) as fill, WriteCell(_, _, Const(first)) as cell], [DeclareVariable(_, Const(start))]:
            return (fill, cell) if value == infinity(Element.INT) and first == start and not others else None
        case _:
            return None


# --- rewriting ------------------------------------------------------------------------------------------------------


class _Flagger(Rewriter):
    """Gives the cells of one loop their flags."""

    def __init__(self, module: Module, function: str, levels: Levels) -> None:
        self.given = module
        self.function = function
        self.levels = levels
        taken = {a.name for f in module.functions for op in walk_host(f.body) for a in arrays_in(op)}
        taken |= {array.name for kernel in module.kernels for array in kernel.arrays}
        taken |= {v.name for kernel in module.kernels for v in kernel.scalars}
        self.now = _array(f"{levels.cells.name}_nodes", taken)
        self.following = _array(f"{levels.cells.name}_next", taken)

    def module(self) -> Module:
        functions = tuple(self.host_function(f) if f.name == self.function else f for f in self.given.functions)
        return replace(self.given, functions=functions, kernels=tuple(map(self.flagged, self.given.kernels)))

    def host_function(self, function: HostFunction) -> HostFunction:
        arrays = (*function.arrays, self.now, self.following)
        return replace(function, arrays=arrays, body=self.host_block(function.body))

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if op is self.levels.fill:
            return op, Fill(self.now, _FALSE), Fill(self.following, _FALSE)
        if op is self.levels.first:
            return op, WriteCell(self.now, op.index, _TRUE)
        if op is self.levels.loop:
            swap = Swap(self.now, self.following)
            return (replace(op, body=(*stream(op.body), swap, Fill(self.following, _FALSE))),)
        return (self.rebuild(op),)

    def flagged(self, kernel: Kernel) -> Kernel:
        """The kernel, asking for flags in place of numbers."""
        if kernel.name not in (self.levels.finder, *self.levels.visitors) or kernel.iterator is None:
            return kernel
        assert kernel.filter is not None
        asked = Binary(
            BinaryOperator.EQUAL, Load(self.levels.cells, Ref(kernel.iterator)), Ref(self.levels.depth), Element.BOOL
        )
        filter = _replaced(kernel.filter, asked, Load(self.now, Ref(kernel.iterator)))
        body = _Carrier(self.levels.cells, self.following).kernel_block(kernel.body)
        return with_signature(replace(kernel, filter=filter, body=body))


class _Carrier(Rewriter):
    """Sets a flag beside every cell that is lowered."""

    def __init__(self, cells: Array, flags: Array) -> None:
        self.cells = cells
        self.flags = flags

    def kernel_op(self, op: KernelOp) -> Iterable[KernelOp]:
        if isinstance(op, ExtremeCell) and op.array == self.cells:
            return (replace(op, carried=(Carry(self.flags, op.index, _TRUE),)),)
        return (self.rebuild(op),)


def _replaced(expression: Expression, old: Expression, new: Expression) -> Expression:
    """The conjunction with `new` where `old` stood."""
    match expression:
        case _ if expression == old:
            return new
        case Binary(BinaryOperator.AND, left, right):
            return replace(expression, left=_replaced(left, old, new), right=_replaced(right, old, new))
        case _:
            return expression


def _array(name: str, taken: set[str]) -> Array:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    taken.add(free)
    return Array(free, Element.BOOL, Extent.NODES, Origin.TEMPORARY)
