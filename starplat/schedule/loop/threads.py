"""What the threads of a persistent kernel can do of a host program, and the scalars they need."""

from starplat.ir import nodes as ir
from starplat.ir.shared_cells import locked_in, updated_in
from starplat.ir.visitor import walk_expression

_DIVISIONS = (ir.BinaryOperator.DIVIDE, ir.BinaryOperator.REMAINDER)


def is_safe(expression: ir.Expression) -> bool:
    """Whether it cannot fail, and needs nothing that only the host has."""
    for part in walk_expression(expression):
        if isinstance(part, ir.Load | ir.FindArc | ir.CallFunction):
            return False
        if isinstance(part, ir.Cast) and part.element is ir.Element.ARC and part.operand.element is ir.Element.LONG:
            return False
        if isinstance(part, ir.Binary) and part.operator in _DIVISIONS and not part.element.is_real:
            right = part.right
            if not (isinstance(right, ir.Const) and right.value):
                return False
    return True


def takes_locks(kernel: ir.Kernel, module: ir.Module) -> bool:
    """Whether a thread may have to wait until another has released a cell."""
    return bool(locked_in(kernel.body, module))


def shares_locked_cells(kernel: ir.Kernel, module: ir.Module) -> bool:
    """Whether cells that the kernel reads and writes under a lock, for which they must be volatile, are also updated
    atomically, there or in another kernel, which no volatile cell can be."""
    locked = locked_in(kernel.body, module)
    return bool(locked) and any(locked & updated_in(other.body, module) for other in module.kernels)


def shortens(op: ir.HostOp) -> bool:
    """Whether a 64-bit number becomes an arc's, which the host checks against its range."""
    match op:
        case ir.Fill(array, value) | ir.WriteCell(array, _, value):
            return array.element is ir.Element.ARC and value.element is ir.Element.LONG
        case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
            return variable.element is ir.Element.ARC and value.element is ir.Element.LONG
        case _:
            return False
