"""Which arrays of flags are sets of active nodes.

An array of flags is one if all that happens to it is: a loop of kernels goes over the nodes whose flag is set, flags
are set one by one, all are cleared, and two arrays change places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starplat.ir.launches import launched_kernels, touched
from starplat.ir.members import membership
from starplat.ir.nodes import (
    Array,
    CheckCell,
    Const,
    Element,
    Extent,
    ExtremeCell,
    Fill,
    HostFunction,
    HostLoop,
    HostOp,
    Kernel,
    KernelOp,
    Launch,
    ListMembers,
    Module,
    OnDevice,
    ReadSize,
    Store,
    Swap,
    WriteCell,
)
from starplat.ir.uses import stream
from starplat.ir.visitor import all_expressions, arrays_in, blocks_of, walk_host, walk_kernel

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


def sets_in(loop: OnDevice, module: Module, *, listed: bool) -> frozenset[Array]:
    """The arrays that are sets in a loop that is one launch; those that are to be lists must have a length from the
    first moment."""
    function = next(f for f in module.functions if any(op is loop for op in walk_host(f.body)))
    inside = tuple(walk_host(loop.body))
    elsewhere = {
        a
        for op in walk_host(function.body)
        if not any(op is i for i in inside) and op is not loop and not isinstance(op, CheckCell)
        for a in touched(op, module)
    }
    candidates = _own_flags(function) - elsewhere
    if listed:
        candidates = {array for array in candidates if _begins_cleared(loop.body, array, module)}
    return _sets_among(candidates, inside, inside, module)


def sets_of_the_host(function: HostFunction, module: Module) -> frozenset[Array]:
    """The arrays that are sets in all of a function, and walked in loops that the host drives."""
    ops = tuple(op for op in walk_host(function.body) if not isinstance(op, CheckCell))
    in_one_launch = {array for op in ops if isinstance(op, OnDevice) for array in op.arrays}
    candidates = {a for a in _own_flags(function) - in_one_launch if _begins_cleared(function.body, a, module)}
    in_loops = tuple(op for loop in ops if isinstance(loop, HostLoop) for op in walk_host((loop,)))
    return _sets_among(candidates, ops, in_loops, module)


def _own_flags(function: HostFunction) -> set[Array]:
    return {a for a in function.arrays if a.element is Element.BOOL and a.extent is Extent.NODES}


def _begins_cleared(ops: Iterable[HostOp], array: Array, module: Module) -> bool:
    """Whether the array is cleared before anything else is done to it."""
    about = [op for op in stream(ops) if any(array in touched(inner, module) for inner in walk_host((op,)))]
    match about:
        case [Fill(), *_]:
            return True
        case [op] if blocks_of(op):
            blocks = [b for b in blocks_of(op) if any(array in touched(inner, module) for inner in walk_host(b))]
            return all(_begins_cleared(block, array, module) for block in blocks)
        case _:
            return not about


def _sets_among(
    candidates: set[Array], ops: tuple[HostOp, ...], in_loops: tuple[HostOp, ...], module: Module
) -> frozenset[Array]:
    """Those to which the operations do nothing else than one does to a set, and which a kernel walks in a loop; what
    they change places with is a set too."""
    candidates = {array for array in candidates if all(_suits(op, array, module) for op in ops)}
    pairs = [{op.first, op.second} for op in ops if isinstance(op, Swap)]
    while alone := {array for pair in pairs if not pair <= candidates for array in pair & candidates}:
        candidates -= alone
    walked = {m.members for k in launched_kernels(in_loops, module) if (m := membership(k, candidates.__contains__))}
    while more := {a for pair in pairs if pair & walked for a in pair if a in candidates} - walked:
        walked |= more
    return frozenset(walked)


def _suits(op: HostOp, array: Array, module: Module) -> bool:
    """Whether an operation does nothing else to the array than one does to a set."""
    match op:
        case Fill(filled, value):
            return filled != array or value == _FALSE
        case WriteCell(written, _, value):
            return written != array or value == _TRUE
        case Swap() | ReadSize():
            return True
        case ListMembers(_, listed):
            return listed != array
        case Launch(kernel):
            return _kernel_suits(module.kernel(kernel), array)
        case OnDevice():
            return array not in op.arrays
        case _:
            return array not in arrays_in(op)


def _kernel_suits(kernel: Kernel, array: Array) -> bool:
    if array not in kernel.arrays:
        return True
    found = membership(kernel, array.__eq__)
    head, body = (kernel.filter, kernel.body) if found is None else (found.keep, found.body)
    if found is not None and any(_adds(op, array) for op in walk_kernel(body)):
        return False  # who walks it now would see whom he adds
    asked = [*all_expressions(body), *([] if head is None else [head])]
    return not any(array in arrays_in(e) for e in asked) and all(_only_adds(op, array) for op in walk_kernel(body))


def _only_adds(op: KernelOp, array: Array) -> bool:
    match op:
        case Store(stored, _, value) if stored == array:
            return value == _TRUE
        case ExtremeCell():
            if array in (op.array, op.lock):
                return False
            return all(carry.value == _TRUE for carry in op.carried if carry.array == array)
        case _:
            return array not in _named(op)


def _adds(op: KernelOp, array: Array) -> bool:
    """Whether an operation itself writes to the array."""
    return array in _named(op) or (isinstance(op, ExtremeCell) and any(c.array == array for c in op.carried))


def _named(op: KernelOp) -> Iterator[Array]:
    """The arrays that an operation names itself, its expressions and blocks left out."""
    for name in ("array", "lock"):
        part = getattr(op, name, None)
        if isinstance(part, Array):
            yield part
