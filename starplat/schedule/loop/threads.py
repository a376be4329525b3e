"""What the threads of a persistent kernel can do of a host program, and the scalars they need."""

from collections.abc import Iterable, Iterator

from starplat.ir import nodes as ir
from starplat.ir.launches import set_by
from starplat.ir.shared_cells import locked_in, updated_in
from starplat.ir.visitor import expressions_of, walk_expression

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


def scalars_read(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that the operations may read, each once."""
    found: dict[ir.Variable, None] = {}
    for op in ops:
        for expression in expressions_of(op):
            for part in walk_expression(expression):
                if isinstance(part, ir.Ref):
                    found[part.variable] = None
        match op:
            case ir.Launch(name):
                kernel = module.kernel(name)
                found.update(dict.fromkeys((*kernel.scalars, *(r.variable for r in kernel.brought_back))))
            case _:
                arguments = getattr(op, "arguments", ())
                found.update(dict.fromkeys(a for a in arguments if isinstance(a, ir.Variable)))
        if isinstance(op, ir.OnDevice):
            found.update(dict.fromkeys((*op.scalars, *op.outcomes)))
    yield from found


def scalars_set(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that the operations change after their declaration."""
    return (variable for op in ops for variable in set_by(op, module))
