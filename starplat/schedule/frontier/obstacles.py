"""Operations on flags that no set has: why flags stay flags.

A set is walked by a kernel, tested by any kernel, added to node by node, cleared, and swapped with another.
"""

from collections.abc import Iterable, Iterator

from starplat.ir import build, nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import all_expressions, arrays_in, walk_expression, walk_kernel


def obstacle(op: ir.HostOp, array: ir.Array, module: ir.Module) -> str | None:
    """What an operation does to the array that no set has, in words (of a launch: what its kernel does); None if
    nothing."""
    match op:
        case ir.Launch(kernel):
            return obstacle_in(module.kernel(kernel), array)
        case ir.Swap() | ir.ReadSize():
            return None
        case ir.ListMembers(_, listed):
            return None if listed != array else "it holds a list"
        case ir.OnDevice():
            return None if array not in op.arrays else "a launch that runs a whole loop has it"
        case _ if array not in arrays_in(op):
            return None
        case ir.Fill(_, value):
            return None if value == build.FALSE else "all nodes are added at once"
        case ir.WriteCell(_, _, value):
            return None if value == build.TRUE else "the host removes a single node"
        case ir.ReadCell():
            return "the host tests a single node"
        case ir.CopyArray():
            return "it is copied"
        case ir.HostCall(function):
            return f"'{function}' is called with it"
        case ir.HostForMembers():
            return "the host walks its members"
    return "the host has it"


def obstacle_in(kernel: ir.Kernel, array: ir.Array) -> str | None:
    """The same for a kernel."""
    if array not in kernel.arrays:
        return None
    found = membership(kernel, array.__eq__)
    body = kernel.body if found is None else found.body
    if _lends(kernel, array):
        return "calls a function with it"
    if found is not None and any(writes(op, array) for op in walk_kernel(body)):
        return "walks its members and changes the set"
    if found is not None and found.takes and asks_for(array, body):
        return "tests it while all members leave"
    wrong = next((op for op in walk_kernel(body) if not _only_adds(op, array)), None)
    match wrong:
        case None:
            return None
        case ir.Store(_, _, value) if value == build.FALSE:
            return "takes out single nodes"
    return "stores in it what may be true or false"


def asks_for(array: ir.Array, body: Iterable[ir.KernelOp]) -> bool:
    """Whether anything in a kernel's body tests a set."""
    return any(array in arrays_in(e) for e in all_expressions(body))


def _lends(kernel: ir.Kernel, array: ir.Array) -> bool:
    wholes = [*all_expressions(kernel.body), *([] if kernel.filter is None else walk_expression(kernel.filter))]
    return any(isinstance(e, ir.CallFunction) and array in e.arguments for e in wholes)


def _only_adds(op: ir.KernelOp, array: ir.Array) -> bool:
    match op:
        case ir.Store(stored, _, value) if stored == array:
            return value == build.TRUE
        case ir.ExtremeCell():
            if array in (op.array, op.lock):
                return False
            return all(carry.value == build.TRUE for carry in op.carried if carry.array == array)
    return array not in _named(op)


def writes(op: ir.KernelOp, array: ir.Array) -> bool:
    """Whether an operation itself writes to the array."""
    return array in _named(op) or (isinstance(op, ir.ExtremeCell) and any(c.array == array for c in op.carried))


def _named(op: ir.KernelOp) -> Iterator[ir.Array]:
    """The arrays that an operation names itself, its expressions and blocks left out."""
    for name in ("array", "lock"):
        if isinstance(part := getattr(op, name, None), ir.Array):
            yield part
