"""What a runner must pass to a kernel, in the order of the kernel's parameters.

The printers of kernels and the runtimes both ask here, so that neither can disagree with the other about the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.backends.statements import LegalLoop
from starplat.backends.uses import code_of, uses_num_arcs, uses_num_nodes
from starplat.ir.arithmetic import identity
from starplat.ir.nodes import (
    AllArcs,
    AllNodes,
    Array,
    Const,
    Kernel,
    Module,
    Variable,
)

__all__ = [
    "GROUP_SIZE",
    "MOST_LISTED",
    "MOST_NEW",
    "MOST_RECORDS",
    "MOST_THREADS",
    "RECORDS",
    "RECORD_WORDS",
    "THREADS_TOGETHER",
    "ArgumentKind",
    "KernelArgument",
    "groups_for",
    "identity",
    "kernel_parameters",
]

GROUP_SIZE = 256
"""Work-items in a group (threads in a block): every kernel that has reductions is launched with exactly this many."""

THREADS_TOGETHER = 512
"""Threads of a group in a launch whose threads wait for each other."""

MOST_NEW = 256
"""Nodes that a group can add to the list of a set between two barriers."""

MOST_LISTED = 2**17
"""Nodes that the list of a set has room for."""

MOST_RECORDS = 2**16
"""Records that a traced launch has room for: rounds, the kernels in them, arrays that are filled."""

RECORD_WORDS = 4
"""64-bit words of a record; as many stand before the first."""

RECORDS = "the records"
"""What the memory for records is called among the arrays of a launch; no array of a program has such a name."""

MOST_THREADS = 2**24
"""No launch has more: a thread's 32-bit counter may pass the end of its range by that much, so there must be room."""


def groups_for(iterations: int) -> int:
    """How many groups a launch has, one thread for every iteration if there may be so many."""
    return min(-(-iterations // GROUP_SIZE), MOST_THREADS // GROUP_SIZE)


class ArgumentKind(Enum):
    """What stands behind one parameter of a kernel."""

    NUM_NODES = "num_nodes"  # 32 bits
    NUM_ARCS = "num_arcs"  # as wide as an ARC
    ARRAY = "array"
    SCALAR = "scalar"
    REDUCTION = "reduction"  # one word that starts as the identity; 32 bits for a BOOL
    FOUND = "found"  # three such words
    OUTCOME = "outcome"  # one word, 32 bits for a BOOL
    BARRIER = "barrier"  # 32 bits that start as 0
    RECORDS = "records"  # 64-bit words that start as 0, of a traced launch


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """One parameter: `array` is given for ARRAY, FOUND and OUTCOME, `variable` for SCALAR, REDUCTION and OUTCOME, the
    first value of its words as `start` for FOUND."""

    kind: ArgumentKind
    array: Array | None = None
    variable: Variable | None = None
    start: Const | None = None


def kernel_parameters(module: Module, kernel: Kernel) -> tuple[KernelArgument, ...]:
    """The parameters of a kernel: n and m where they are used, arrays, scalars, one word for each reduction.

    `Once` kernels are launched with a single thread, all others with as many as the device likes.
    """
    code = code_of(kernel)
    parameters = []
    if isinstance(kernel.domain, AllNodes) or uses_num_nodes(code, module):
        parameters.append(KernelArgument(ArgumentKind.NUM_NODES))
    if isinstance(kernel.domain, AllArcs) or uses_num_arcs(code, module):
        parameters.append(KernelArgument(ArgumentKind.NUM_ARCS))
    parameters += [KernelArgument(ArgumentKind.ARRAY, array=array) for array in kernel.arrays]
    parameters += [KernelArgument(ArgumentKind.SCALAR, variable=variable) for variable in kernel.scalars]
    parameters += [KernelArgument(ArgumentKind.REDUCTION, variable=r.variable) for r in kernel.reductions]
    return tuple(parameters)


def loop_parameters(module: Module, loop: LegalLoop) -> tuple[KernelArgument, ...]:
    """The parameters of the one kernel of an `OnDevice` operation: n, m where it is used, arrays, scalars, the rings of
    its reductions, its outcomes, the word of its barrier, and where it puts records if it is traced."""
    op = loop.op
    return (
        KernelArgument(ArgumentKind.NUM_NODES),
        *((KernelArgument(ArgumentKind.NUM_ARCS),) if uses_num_arcs(loop.body, module) else ()),
        *(KernelArgument(ArgumentKind.ARRAY, array=array) for array in op.arrays),
        *(KernelArgument(ArgumentKind.SCALAR, variable=variable) for variable in op.scalars),
        *(KernelArgument(ArgumentKind.FOUND, array=cells, start=start) for cells, start in loop.found),
        *(
            KernelArgument(ArgumentKind.OUTCOME, array=word, variable=variable)
            for word, variable in zip(loop.outcomes, op.outcomes, strict=True)
        ),
        KernelArgument(ArgumentKind.BARRIER),
        *((KernelArgument(ArgumentKind.RECORDS),) if op.traced else ()),
    )


def packed_words(num_nodes: int) -> int:
    """32-bit words of a packed array: a bit for every node, seven for its sizes, and the list."""
    return -(-num_nodes // 32) + 7 + MOST_LISTED
