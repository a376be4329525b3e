"""What a host operation reads and writes, and whether two of them may change places.

Known for the operations that only work on scalars and whole arrays; all others stay where they are.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.visitor import variables_read, written_arrays
from starplat.passes.memory import Memory


@dataclass(frozen=True, slots=True)
class Effects:
    """The scalars and arrays that an operation reads and writes; what it updates is in both."""

    variables_read: frozenset[ir.Variable] = frozenset()
    variables_written: frozenset[ir.Variable] = frozenset()
    arrays_read: frozenset[ir.Array] = frozenset()
    arrays_written: frozenset[ir.Array] = frozenset()


def effects(op: ir.HostOp, kernel_of: Callable[[str], ir.Kernel]) -> Effects | None:
    """What the operation does; None if others must not pass it."""
    match op:
        case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
            return Effects(frozenset(variables_read(value)), frozenset((variable,)))
        case ir.Fill(array, value):
            return Effects(frozenset(variables_read(value)), arrays_written=frozenset((array,)))
        case ir.CopyArray(destination, source):
            return Effects(arrays_read=frozenset((source,)), arrays_written=frozenset((destination,)))
        case ir.Launch(name):
            kernel = kernel_of(name)
            results = frozenset(reduction.variable for reduction in kernel.reductions)
            read = results.union(kernel.scalars)
            return Effects(read, results, frozenset(kernel.arrays), written_arrays(kernel.body))
    return None


def commute(one: Effects, other: Effects, memory: Memory) -> bool:
    """Whether it does not matter which of the two comes first."""
    return _leaves_alone(one, other, memory) and _leaves_alone(other, one, memory)


def _leaves_alone(writer: Effects, other: Effects, memory: Memory) -> bool:
    touched = other.arrays_read | other.arrays_written
    return not writer.variables_written & (other.variables_read | other.variables_written) and not any(
        memory.may_be_one(written, array) for written in writer.arrays_written for array in touched
    )
