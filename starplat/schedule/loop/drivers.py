"""Says which drivers of a loop's rounds are legal, and why others are not.

The host can drive any loop, round by round. The threads of one launch (`Grid`), one group of threads (`Group`), the
host ahead of the device (`Ahead`) lack something that it has: each names the first operation of a round that needs it.
So does a function that is compiled with the kernels, in `compiled`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from starplat.ir import build, conditions, nodes as ir, uses
from starplat.ir.shapes.listed import known_length
from starplat.ir.shared_cells import locked_in, updated_in
from starplat.ir.visitor import blocks_of, expressions_of, variables_read, walk_expression, walk_host
from starplat.schedule.step import Choice

MOST_CHOSEN = 8
"""Values that may be computed under a condition: each may mention those before it several times."""

_FILLED = (ir.Extent.ONE, ir.Extent.NODES, ir.Extent.ARCS)

Plain = ir.DeclareVariable | ir.SetVariable | ir.Fill | ir.CopyArray | ir.Swap
Holds = tuple[ir.Expression, ...]
"""The conditions under which an operation is reached; none where it is reached for sure."""


class Driver(ABC):
    """What begins rounds in place of the host."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def obstacle(self, op: ir.HostOp, holds: Holds = ()) -> str | None:
        """Why it cannot do an operation; None if it can."""
        if not all(map(is_safe, expressions_of(op))) or _shortens(op):
            return "only the host can compute one of its values"
        match op:
            case ir.DeclareVariable() | ir.SetVariable() | ir.Fill() | ir.CopyArray() | ir.Swap():
                return self.plain(op, holds)
            case ir.Launch(kernel):
                return self.launch(self.module.kernel(kernel))
            case ir.ReadCell() | ir.WriteCell():
                return self.cell(op, holds)
            case ir.HostBlock(body):
                return self.first(body, holds)
            case ir.HostIf():
                return self.branch(op, holds)
            case ir.HostForRange(by_host=True):
                return "a round takes long, and the host can stop the program between two"
            case _ if isinstance(op, ir.ListOp):
                return "a round uses a list, which the host has"
            case ir.Loop() | ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                return self.loop(op, holds)
            case ir.HostBreak() | ir.HostContinue() | ir.HostReturn():
                return "a round is left from its middle"
            case ir.HostCall(function):
                return f"a round calls '{function}'"
        return "a round asks how many are in a set"

    def first(self, ops: Iterable[ir.HostOp], holds: Holds = ()) -> str | None:
        """The obstacle of the first operation that has one."""
        return next((found for op in ops if (found := self.obstacle(op, holds)) is not None), None)

    def branch(self, op: ir.HostIf, holds: Holds) -> str | None:
        then = self.first(op.then, (*holds, op.condition))
        return then or self.first(op.otherwise, (*holds, build.denied(op.condition)))

    def loop(self, op: ir.HostLoop, holds: Holds) -> str | None:
        return "a round has a loop"

    @abstractmethod
    def plain(self, op: Plain, holds: Holds) -> str | None:
        """The obstacle of an operation on scalars or whole arrays."""

    @abstractmethod
    def launch(self, kernel: ir.Kernel) -> str | None:
        """That of a launch."""

    @abstractmethod
    def cell(self, op: ir.ReadCell | ir.WriteCell, holds: Holds) -> str | None:
        """That of a cell which the host reads or writes."""


class Grid(Driver):
    """All threads of one launch; `steady` are the scalars that may be nodes and keep their value."""

    def __init__(self, module: ir.Module, steady: frozenset[ir.Variable]) -> None:
        super().__init__(module)
        self.steady = steady
        self.loops = 0

    def obstacle(self, op: ir.HostOp, holds: Holds = ()) -> str | None:
        leaves = isinstance(op, ir.HostBreak | ir.HostContinue)
        return None if leaves and self.loops else super().obstacle(op, holds)

    def plain(self, op: Plain, holds: Holds) -> str | None:
        return None

    def launch(self, kernel: ir.Kernel) -> str | None:
        if isinstance(kernel.domain, ir.NodeNeighbors):
            return f"'{kernel.name}' walks the neighbors of a node that the host knows"
        locked = locked_in(kernel.body, self.module)  # volatile for that, which no cell updated atomically can be
        shared = locked and any(locked & updated_in(other.body, self.module) for other in self.module.kernels)
        return f"'{kernel.name}' locks cells that are also updated atomically" if shared else None

    def cell(self, op: ir.ReadCell | ir.WriteCell, holds: Holds) -> str | None:
        """The host checks it before the launch where it is reached for sure; elsewhere a node is known not to be -1."""
        if isinstance(op.index, ir.Ref) and op.index.variable in self.steady:
            is_node = op.index.variable.element is ir.Element.NODE  # or -1, which runtimes make sure of
            if not holds or (is_node and any(_says_not_negative(condition, op.index) for condition in holds)):
                return None
        return _unchecked(op)

    def loop(self, op: ir.HostLoop, holds: Holds) -> str | None:
        if isinstance(op, ir.HostForNeighbors | ir.HostForMembers | ir.HostForItems):
            return "the host goes over arcs, members of a set or elements of a list"
        self.loops += 1
        found = next(filter(None, (self.first(block, (*holds, build.TRUE)) for block in blocks_of(op))), None)
        self.loops -= 1
        return found


class Group(Driver):
    """One group of threads, which walks lists whose lengths the host knows."""

    def plain(self, op: Plain, holds: Holds) -> str | None:
        match op:
            case ir.Fill(array) if array.extent is not ir.Extent.ONE:
                return f"all of '{array.name}' is filled"
            case ir.CopyArray(array):
                return f"all of '{array.name}' is copied"
            case ir.Swap() | ir.DeclareVariable() if holds:
                return "arrays are swapped, or variables declared, under a condition"
        return None

    def launch(self, kernel: ir.Kernel) -> str | None:
        """It needs no lock and no result of other threads."""
        match kernel.domain:
            case ir.Listed() as listed if known_length(listed) is not None:
                pass
            case ir.Once():
                pass
            case _:
                return f"'{kernel.name}' walks no list whose length the host knows"
        if kernel.reductions or locked_in(kernel.body, self.module):
            return f"threads of '{kernel.name}' wait for a result of others"
        return None

    def cell(self, op: ir.ReadCell | ir.WriteCell, holds: Holds = ()) -> str | None:
        return cell_of_own(op)


class Ahead(Driver):
    """The host, which launches rounds without waiting; `varying` are the scalars that a round changes."""

    def __init__(self, module: ir.Module, varying: Set[ir.Variable]) -> None:
        super().__init__(module)
        self.varying = varying

    def obstacle(self, op: ir.HostOp, holds: Holds = ()) -> str | None:
        chosen = ir.SetVariable | ir.DeclareVariable | ir.ReadCell | ir.HostIf | ir.HostBlock
        if holds and not isinstance(op, chosen):
            return "the host branches in a round on a result of the device"
        return super().obstacle(op, holds)

    def plain(self, op: Plain, holds: Holds) -> str | None:
        match op:
            case ir.Fill(first):
                arrays = [first]
            case ir.CopyArray(first, second) | ir.Swap(first, second):
                arrays = [first, second]
            case _:
                return None
        kept = (array.name for array in arrays if array.packed is not None or not _is_filled(array.extent))
        return next((f"'{name}' is a set that only the host can change as a whole" for name in kept), None)

    def launch(self, kernel: ir.Kernel) -> str | None:
        match kernel.domain:
            case ir.Listed() | ir.InWords() as listed if known_length(listed) is not None:
                return f"the host must know how many nodes '{kernel.name}' walks"
            case ir.Numbers(count) if self.varying & variables_read(count):
                return f"the host must know how many words '{kernel.name}' goes over"
            case ir.NodeNeighbors(_, node) if self.varying & variables_read(node):
                return f"the host must know the node whose neighbors '{kernel.name}' walks"
        return None

    def cell(self, op: ir.ReadCell | ir.WriteCell, holds: Holds) -> str | None:
        if op.array.origin is ir.Origin.HOST:
            return f"'{op.array.name}' is the host's own"
        return None if op.array.extent is ir.Extent.ONE and op.index == build.ZERO else _unchecked(op)

    def branch(self, op: ir.HostIf, holds: Holds) -> str | None:
        """Scalars may depend on the device's results; and a branch may end the loop, in the row of the loop itself."""
        inside = walk_host((op,))
        if sum(isinstance(inner, ir.SetVariable | ir.DeclareVariable) for inner in inside) > MOST_CHOSEN:
            return "too much is computed under a condition"
        then = tuple(uses.stream(op.then))
        leaves = then and isinstance(then[-1], ir.HostBreak) and not (op.otherwise or holds)
        return super().branch(replace(op, then=then[:-1]) if leaves else op, holds)


def left_to_the_host(ops: Iterable[ir.HostOp], why: str | None) -> Iterator[Choice]:
    """Says that the host drives rounds, if they launch anything and there is a reason."""
    match next((op for op in ops if isinstance(op, ir.Launch | ir.OnDevice)), None):
        case ir.Launch(name) | ir.OnDevice(name) as first if why:
            place = "of" if isinstance(first, ir.Launch) else "around"
            yield Choice(f"the loop {place} '{name}': the host drives its rounds", why)


def is_safe(expression: ir.Expression) -> bool:
    """Whether it cannot fail, and needs nothing that only the host has."""
    for part in walk_expression(expression):
        if isinstance(part, ir.Load | ir.FindArc | ir.CallFunction):
            return False
        if isinstance(part, ir.Cast) and part.element is ir.Element.ARC and part.operand.element is ir.Element.LONG:
            return False
        if isinstance(part, ir.Binary) and part.operator.divides and not part.element.is_real:
            right = part.right
            if not (isinstance(right, ir.Const) and right.value):
                return False
    return True


def cell_of_own(op: ir.ReadCell | ir.WriteCell | ir.CheckCell) -> str | None:
    """None for the one cell of an array, or one of what a step keeps for each level, whose number is in range."""
    own = op.array.origin in (ir.Origin.HOST, ir.Origin.TEMPORARY)
    only = op.array.extent is ir.Extent.ONE and op.index == build.ZERO
    fits = own and is_safe(op.index) and (only or op.array.extent is ir.Extent.NODES_AND_ONE)
    return None if fits else _unchecked(op)


def _is_filled(extent: ir.Extent) -> bool:
    """Whether a kernel is made to fill an array of that size."""
    return extent in _FILLED or isinstance(extent.value, int) or extent.cells_of_a_node > 1


def _shortens(op: ir.HostOp) -> bool:
    """Whether a 64-bit number becomes an arc's, which the host checks against its range."""
    match op:
        case ir.Fill(what, value) | ir.WriteCell(what, _, value):
            pass
        case ir.DeclareVariable(what, value) | ir.SetVariable(what, value):
            pass
        case _:
            return False
    return what.element is ir.Element.ARC and value.element is ir.Element.LONG


def _says_not_negative(condition: ir.Expression, index: ir.Ref) -> bool:
    for part in conditions.conjuncts(condition):
        match part:
            case ir.Binary(ir.BinaryOperator.GREATER_EQUAL, left, ir.Const(0)) if left == index:
                return True
    return False


def _unchecked(op: ir.ReadCell | ir.WriteCell | ir.CheckCell) -> str:
    return f"the host must check that '{op.array.name}' has the cell that it reads"
