"""The labels when a loop begins, and whether the flags beside them mark every label that matters.

Takes what stands before a loop. A node without a flag need not be looked at if no label is worse than its own.
"""

from enum import Enum

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.uses import Use, use
from starplat.ir.visitor import operands, walk_expression, walk_kernel, written_arrays
from starplat.passes.labels.candidates import Candidate
from starplat.passes.labels.kernels import stored_everywhere
from starplat.passes.labels.orders import Labels


class Start(Enum):
    """The initial labels of nodes."""

    NODES = "every node itself"
    EACH = "a value for each node"
    FEW = "one value for all, but for a few"


def start_of(candidate: Candidate, array: ir.Array) -> Start:
    """How labels begin that are any values; a guess at how many of them matter, which no answer hangs on."""
    for op in reversed(candidate.before):
        match op:
            case ir.Fill(filled) if filled == array:
                return Start.FEW
            case ir.CopyArray(destination) if destination == array:
                return Start.EACH
            case ir.Launch(name) if array in written_arrays((kernel := candidate.module.kernel(name)).body):
                if any(_varies(value, kernel) for value in _written(kernel, array)):
                    return Start.EACH
                if stored_everywhere(kernel, array) is not None:
                    return Start.FEW
    return Start.EACH if array.origin is ir.Origin.PARAMETER else Start.FEW


def _written(kernel: ir.Kernel, array: ir.Array) -> list[ir.Expression]:
    values = []
    for op in walk_kernel(kernel.body):
        match op:
            case ir.Store(stored, _, value) | ir.UpdateCell(_, stored, _, value) if stored == array:
                values.append(value)
            case ir.ExtremeCell() if op.array == array:
                values.append(op.candidate)
    return values


def _varies(value: ir.Expression, kernel: ir.Kernel) -> bool:
    """Whether there may be as many values as nodes: not with a choice among constants, or comparisons of nodes."""
    match value:
        case ir.Const():
            return False
        case ir.Ref(variable):
            return variable not in kernel.scalars
        case ir.Load():
            return True
        case ir.Select(_, then, otherwise):
            return _varies(then, kernel) or _varies(otherwise, kernel)
        case _ if value.element is ir.Element.BOOL:
            return any(isinstance(part, ir.Load) for part in walk_expression(value))
        case _:
            return any(_varies(part, kernel) for part in operands(value))


def covers(candidate: Candidate, active: ir.Array, labels: Labels) -> bool:
    """Whether every node has its flag, or else a label that is beyond no other, when the loop begins."""
    return candidate.holds_at_first(active, True) or _Cover(candidate, active, labels).holds()


class _Cover:
    """Goes back through what stands before a loop, until all is known of both arrays.

    `given` are the cells of labels that the host has written after the place that it has come to, `marked` those of
    flags that it has set.
    """

    def __init__(self, candidate: Candidate, active: ir.Array, labels: Labels) -> None:
        assert labels.array is not None
        self.candidate, self.active, self.labels, self.array = candidate, active, labels, labels.array
        self.pending = {active, self.array}
        self.given: set[ir.Expression] = set()
        self.marked: set[ir.Expression] = set()

    def holds(self) -> bool:
        if self.labels.worst is None:
            return False
        for op in reversed(self.candidate.before):
            if self.is_even_before(op):
                return self.given <= self.marked
            if not self.is_followed(op):
                return False
            if not self.pending:
                return self.given <= self.marked
        return False

    def is_even_before(self, op: ir.HostOp) -> bool:
        """Whether the operation leaves a flag where a label is True, and nowhere else."""
        if self.labels.best != build.TRUE or self.pending != {self.active, self.array}:
            return False
        match op:
            case ir.CopyArray(destination, source):
                return (destination, source) == (self.active, self.array)
            case ir.Launch(name):
                kernel = self.candidate.module.kernel(name)
                flag, label = (stored_everywhere(kernel, array) for array in (self.active, self.array))
                if flag is None or kernel.iterator is None:
                    return False
                if self.array not in written_arrays(kernel.body):
                    return flag == ir.Load(self.array, ir.Ref(kernel.iterator))
                return flag == label and _is_settled(flag, kernel)
            case _:
                return False

    def is_followed(self, op: ir.HostOp) -> bool:
        """Notes what the operation does; False if that is not known."""
        match op:
            case ir.WriteCell(array, index, value) if array in self.pending:
                (self.marked if array == self.active else self.given).add(index)
                return array == self.array or value == build.TRUE
            case ir.DeclareVariable(variable) | ir.SetVariable(variable):
                return self.forgets(variable)
            case ir.Fill(array, value) if array in self.pending:
                return self.is_whole(array, value)
            case ir.Launch(name):
                kernel = self.candidate.module.kernel(name)
                told = all(self.forgets(reduction.variable) for reduction in kernel.reductions)
                touched = self.pending & written_arrays(kernel.body)
                return told and all(self.is_whole(array, stored_everywhere(kernel, array)) for array in touched)
            case ir.ReadCell(variable):
                return self.forgets(variable)
            case _:
                apart = all(use(op, array, self.candidate.module) is Use.NONE for array in self.pending)
                return apart and isinstance(op, ir.Fill | ir.CopyArray | ir.Swap | ir.WriteCell | ir.CheckCell)

    def is_whole(self, array: ir.Array, value: ir.Expression | None) -> bool:
        """Whether all flags are cleared, or all labels are the worst there is; nothing before that matters then."""
        self.pending = self.pending - {array}
        return value == (build.FALSE if array == self.active else self.labels.worst)

    def forgets(self, variable: ir.Variable) -> bool:
        """Drops the cells that the variable has told, as it told others before; False if one of them has no flag."""
        told = {index for index in self.given | self.marked if _names(index, variable)}
        even = self.given & told <= self.marked
        self.given -= told
        self.marked -= told
        return even


def _is_settled(value: ir.Expression, kernel: ir.Kernel) -> bool:
    """Whether the value is the same wherever an iteration evaluates it."""
    written, fixed = written_arrays(kernel.body), (kernel.iterator, *kernel.scalars)
    for part in walk_expression(value):
        match part:
            case ir.Load(array) if array in written:
                return False
            case ir.Ref(variable) if variable not in fixed:
                return False
            case ir.CallFunction():
                return False
    return True


def _names(index: ir.Expression, variable: ir.Variable) -> bool:
    return any(isinstance(part, ir.Ref) and part.variable == variable for part in walk_expression(index))
