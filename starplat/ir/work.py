"""Lower bounds of a kernel's work: bytes of cells and operations of its iterations.

Counted is what every iteration does whatever the data: cells that it reads and writes, each access to a cell once, and
operators. What does not change along the arcs of a node counts once for the node. What stands under a condition is not
counted, nor are loops other than the one over the node's own arcs, searches and calls; `missing` names what there is of
these.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from starplat.ir import nodes as ir, points
from starplat.ir.visitor import breaks_off, operands, walk_expression

CONDITIONS = "what stands under conditions"
LOOPS = "loops over anything but a node's own arcs"
CALLS = "calls and searches"
EARLY = "arcs of walks that may end early"

_EIGHT = (ir.Element.LONG, ir.Element.DOUBLE)


@dataclass(slots=True)
class Cost:
    """Of one iteration of something."""

    bytes: float = 0.0
    operations: int = 0


@dataclass(frozen=True, slots=True)
class KernelCost:
    """Of a kernel: for every node that its filter is asked of, for every node (or whatever its domain has) that the
    filter keeps, and for every arc of these."""

    tested: Cost
    kept: Cost
    arc: Cost
    missing: frozenset[str]


def cost_of(kernel: ir.Kernel, *, wide_arcs: bool) -> KernelCost:
    """The least work of a kernel."""
    counter = _Counter(kernel, wide_arcs)
    if kernel.filter is not None:
        counter.expression(kernel.filter, counter.tested)
    if isinstance(kernel.domain, ir.NodeNeighbors):
        counter.kept.bytes += 4
    counter.block(kernel.body, counter.kept)
    return KernelCost(counter.tested, counter.kept, counter.arc, frozenset(counter.missing))


def cell_size(array: ir.Array, *, wide_arcs: bool) -> float:
    """Bytes of a cell; an eighth where it is a bit."""
    if array.packed:
        return 1 / 8
    if array.element is ir.Element.BOOL:
        return 1
    return 8 if array.element in _EIGHT or (array.element is ir.Element.ARC and wide_arcs) else 4


@dataclass
class _Counter:
    """Counts one kernel. `moving` are the variables that change from arc to arc."""

    kernel: ir.Kernel
    wide_arcs: bool
    tested: Cost = field(default_factory=Cost)
    kept: Cost = field(default_factory=Cost)
    arc: Cost = field(default_factory=Cost)
    missing: set[str] = field(default_factory=set)
    moving: set[ir.Variable] = field(default_factory=set)
    seen: set[ir.Load] = field(default_factory=set)

    def block(self, ops: Iterable[ir.KernelOp], cost: Cost) -> None:
        for op in ops:
            self.operation(op, cost)
            if isinstance(op, ir.KernelBreak | ir.KernelContinue):
                return
            if breaks_off((op,)):  # whatever follows is not always done
                self.missing.add(CONDITIONS)
                return

    def operation(self, op: ir.KernelOp, cost: Cost) -> None:
        match op:
            case ir.Let(variable, value) | ir.SetLocal(variable, value):
                self.expression(value, cost)
                if cost is self.arc and (isinstance(op, ir.SetLocal) or self.moves(value)):
                    self.moving.add(variable)
            case ir.Store(array, index, value):
                self.cell(array, index, cost, 1)
                self.expression(value, cost)
            case ir.UpdateCell(_, array, index, value):
                self.cell(array, index, cost, 2)
                self.expression(value, cost)
                cost.operations += 1
            case ir.ExtremeCell(_, array, index, candidate):
                self.cell(array, index, cost, 1)
                self.expression(candidate, cost)
                cost.operations += 1
                self.missing.add(CONDITIONS)
            case ir.FetchAdd(_, array, index, value) | ir.CompareSwap(_, array, index, _, value):
                self.cell(array, index, cost, 2)
                self.expression(value, cost)
                cost.operations += 1
            case ir.Contribute(_, value):
                self.expression(value, cost)
                cost.operations += 1
            case ir.KernelIf(condition):
                self.expression(condition, cost)
                self.missing.add(CONDITIONS)
            case ir.ForNeighbors() if op is points.arcs_walked(self.kernel) and cost is self.kept:
                self.arcs(op)
            case ir.ForNeighbors() | ir.KernelWhile() | ir.KernelFor() | ir.ForRange():
                self.missing.add(LOOPS)
            case ir.KernelCall():
                self.missing.add(CALLS)
            case ir.KernelBreak() | ir.KernelContinue() | ir.KernelReturn():
                pass

    def arcs(self, loop: ir.ForNeighbors) -> None:
        """Two offsets per node, the other end of every arc, and the work there."""
        self.kept.bytes += 2 * (8 if self.wide_arcs else 4)
        if breaks_off(loop.body, ir.KernelBreak):
            self.missing.add(EARLY)
            return
        self.arc.bytes += 4
        self.moving |= {loop.neighbor, loop.position}
        self.block(loop.body, self.arc)

    def cell(self, array: ir.Array, index: ir.Expression, cost: Cost, times: int) -> None:
        self.expression(index, cost)
        cost.bytes += times * cell_size(array, wide_arcs=self.wide_arcs)

    def expression(self, expression: ir.Expression, cost: Cost) -> None:
        """Its loads and operators; what does not move counts for the node."""
        if cost is self.arc and not self.moves(expression):
            cost = self.kept
        match expression:
            case ir.Load(array, index):
                if expression not in self.seen:
                    self.seen.add(expression)
                    self.cell(array, index, cost, 1)
            case ir.Binary(ir.BinaryOperator.AND | ir.BinaryOperator.OR, left, right):
                cost.operations += 1
                self.expression(left, cost)
                self.perhaps(right)
            case ir.Select(condition, then, otherwise):
                cost.operations += 1
                self.expression(condition, cost)
                self.perhaps(then, otherwise)
            case ir.FindArc() | ir.CallFunction():
                self.missing.add(CALLS)
            case _:
                cost.operations += isinstance(expression, ir.Binary | ir.Unary | ir.Apply)
                for operand in operands(expression):
                    self.expression(operand, cost)

    def perhaps(self, *expressions: ir.Expression) -> None:
        """A part evaluated under a condition only: nothing is missing where no cell is read."""
        if any(isinstance(part, ir.Load) for one in expressions for part in walk_expression(one)):
            self.missing.add(CONDITIONS)

    def moves(self, expression: ir.Expression) -> bool:
        return any(isinstance(part, ir.Ref) and part.variable in self.moving for part in walk_expression(expression))
