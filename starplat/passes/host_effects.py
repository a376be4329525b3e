"""What a host operation reads and writes, and whether two of them may change places.

Known for the operations that only work on scalars and whole arrays; all others stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir.nodes import (
    Array,
    CopyArray,
    DeclareVariable,
    Expression,
    Fill,
    HostOp,
    Kernel,
    Launch,
    Ref,
    SetVariable,
    Variable,
)
from starplat.ir.visitor import walk_expression, written_arrays
from starplat.passes.memory import Memory


@dataclass(frozen=True, slots=True)
class Effects:
    """The scalars and arrays that an operation reads and writes; what it updates is in both."""

    variables_read: frozenset[Variable] = frozenset()
    variables_written: frozenset[Variable] = frozenset()
    arrays_read: frozenset[Array] = frozenset()
    arrays_written: frozenset[Array] = frozenset()


def effects(op: HostOp, kernel_of: Callable[[str], Kernel]) -> Effects | None:
    """What the operation does; None if others must not pass it."""
    match op:
        case DeclareVariable(variable, value) | SetVariable(variable, value):
            return Effects(_read(value), frozenset((variable,)))
        case Fill(array, value):
            return Effects(_read(value), arrays_written=frozenset((array,)))
        case CopyArray(destination, source):
            return Effects(arrays_read=frozenset((source,)), arrays_written=frozenset((destination,)))
        case Launch(name):
            kernel = kernel_of(name)
            results = frozenset(reduction.variable for reduction in kernel.reductions)
            read = results.union(kernel.scalars)
            return Effects(read, results, frozenset(kernel.arrays), written_arrays(kernel.body))
        case _:
            return None


def _read(value: Expression) -> frozenset[Variable]:
    return frozenset(e.variable for e in walk_expression(value) if isinstance(e, Ref))


def commute(one: Effects, other: Effects, memory: Memory) -> bool:
    """Whether it does not matter which of the two comes first."""
    return _leaves_alone(one, other, memory) and _leaves_alone(other, one, memory)


def _leaves_alone(writer: Effects, other: Effects, memory: Memory) -> bool:
    touched = other.arrays_read | other.arrays_written
    return not writer.variables_written & (other.variables_read | other.variables_written) and not any(
        memory.may_be_one(written, array) for written in writer.arrays_written for array in touched
    )
