"""How two rows are intersected, and what is done with the common nodes."""

from enum import Enum
from typing import Protocol

from starplat.ir import nodes as ir


class Meeting(Enum):
    """The ways to intersect two rows."""

    SEARCH = "numbers of one are searched in the other"
    MERGE = "both are gone through side by side"
    MARKS = "those of one have marks, which are looked for at the numbers of the other"


class Tally(Protocol):
    """What is done with the triangles that a thread finds, all of which have two nodes in common."""

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        """What the kernel brings back."""

    def begin(self) -> tuple[ir.KernelOp, ...]:
        """Before the first."""

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """For each."""

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """After the last, which may be none."""
