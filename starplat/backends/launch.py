"""The arguments of a kernel launch, in the order of the kernel's parameters, and launch sizes.

The printers of kernels and the runtimes both ask here, so that they cannot disagree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from starplat.backends import statements as st
from starplat.backends.uses import code_of, uses_num_arcs, uses_num_nodes
from starplat.ir import nodes as ir, visitor
from starplat.ir.shapes.gathering import gathering

GROUP_SIZE = 256
"""Work-items in a group (threads in a block): every kernel that has reductions is launched with exactly this many."""

ITERATIONS_OF_A_PIECE, MOST_PIECES = 64, 1024
"""The smallest piece of a thread where each has a piece of a range, and the most pieces: enough to keep all cores of a
CPU busy to the end, if some pieces take far longer than others."""

GANGS, TEAMS_OF_A_GANG, THREADS_OF_A_TEAM = 256, 16, 32
"""The launch shape of loops under directives: few and large gangs, since each hands on its results by itself."""

GROUPS_OF_A_UNIT = 8
"""Groups per compute unit, at least, of a launch whose threads share arcs: few nodes may have many."""

THREADS_TOGETHER = 512
"""Threads per group of a persistent kernel."""

THREADS_OF_ONE_GROUP = 1024
"""Threads of a group that runs rounds by itself; fewer where a device has no such groups."""

GROUPS_OF_A_CLUSTER = 16
"""Groups of a launch that is one cluster: as many as one may have."""

THREADS_OF_A_WIDE_CLUSTER = 1024
"""Threads of each of them, where rounds have many nodes."""

FEW_ITERATIONS = 1000
"""The most iterations of a loop that one thread does by itself, since waking the others takes as long."""

FEW_GROUPS = 2
"""Groups per compute unit of a launch that walks sets: every group makes the barrier slower."""

MANY_GROUPS = 4
"""Groups per compute unit of other persistent launches, where all nodes of a large graph have much to do: more of them
hide the time that memory takes."""

RELAXING_GROUPS = 3
"""The same of a launch that walks near nodes first, on a large graph with long rows: along an arc it waits for a
distance that is anywhere (decision 0132)."""

SUMMING_GROUPS = 3
"""The same of a launch that adds up sums in parts, which does much with each whole sum (decision 0038)."""

MOST_NEW = {
    ir.Packing.SWITCHED: 1024,
    ir.Packing.SHARED: 1024,
    ir.Packing.LIST: 512,
    ir.Packing.BITS: 32,
    ir.Packing.LAYERS: 32,
}
"""Nodes that a group notes of those that it puts into a set between two barriers: all there can be in a short list,
those that go to a whole list together, or some by which the others are judged. Fewer where a launch has many sets."""

MOST_NEW_OF_ALL = 3072
"""Nodes that a group has room for so, in all sets of a launch."""

MOST_LISTED = 2**17
"""Nodes that a short list of a set has room for."""

MOST_RECORDS = 2**16
"""Records that a traced launch has room for: rounds, the kernels in them, arrays that are filled."""

RECORD_WORDS = 4
"""64-bit words of a record; as many stand before the first."""

MOST_PARTS = 8
"""Parts of a launch on several devices."""

PEERS = "the peers"
"""The name of the table of such a launch among its arrays: where each part has each array."""

RECORDS = "the records"
"""What the memory for records is called among the arrays of a launch; no array of a program has such a name."""

MOST_THREADS = 2**24
"""No launch has more: a thread's 32-bit counter may pass the end of its range by that much, so there must be room."""


def threads_of(op: ir.OnDevice) -> int:
    """Threads per group of a persistent kernel of several groups."""
    return THREADS_OF_A_WIDE_CLUSTER if op.wide else THREADS_TOGETHER


def groups_for(iterations: int) -> int:
    """How many groups a launch has, one thread for every iteration if there may be so many."""
    return min(-(-iterations // GROUP_SIZE), MOST_THREADS // GROUP_SIZE)


def groups_of(kernel: ir.Kernel, iterations: int, few: int) -> int:
    """The same for a kernel, which has a `few` at least if its threads share arcs."""
    groups = groups_for(iterations)
    return max(groups, few) if kernel.shares_arcs else groups


def threads_apart(kernel: ir.Kernel, iterations: int) -> int:
    """The number of threads of a launch that work apart, each on consecutive iterations."""
    if isinstance(kernel.domain, ir.Workers):
        return iterations
    return max(min(-(-iterations // ITERATIONS_OF_A_PIECE), MOST_PIECES), 1)


class ArgumentKind(Enum):
    """The kinds of kernel arguments."""

    NUM_NODES = "num_nodes"  # 32 bits
    NUM_ARCS = "num_arcs"  # as wide as an ARC
    ARRAY = "array"
    SCALAR = "scalar"
    REDUCTION = "reduction"  # one word that starts as the identity; 32 bits for a BOOL
    FOUND = "found"  # three such words
    OUTCOME = "outcome"  # one word, 32 bits for a BOOL
    BARRIER = "barrier"  # 32 bits that start as 0
    RECORDS = "records"  # 64-bit words that start as 0, of a traced launch
    PEERS = "peers"  # the table of a launch on several devices


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """One parameter: `array` is given for ARRAY, FOUND and OUTCOME, and for a REDUCTION that stays on the device,
    `variable` for SCALAR, REDUCTION and OUTCOME, the first value of its words as `start` for FOUND."""

    kind: ArgumentKind
    array: ir.Array | None = None
    variable: ir.Variable | None = None
    start: ir.Const | None = None


def kernel_parameters(module: ir.Module, kernel: ir.Kernel) -> tuple[KernelArgument, ...]:
    """The parameters of a kernel: n and m where they are used, arrays, scalars, one word for each reduction.

    `Once` kernels are launched with a single thread, all others with as many as the device likes.
    """
    code = code_of(kernel)
    parameters = []
    if (
        isinstance(kernel.domain, ir.AllNodes | ir.InWords | ir.Triangles)
        or _gathers_by_list(kernel)
        or uses_num_nodes(code, module)
    ):
        parameters.append(KernelArgument(ArgumentKind.NUM_NODES))
    if isinstance(kernel.domain, ir.AllArcs) or uses_num_arcs(code, module):
        parameters.append(KernelArgument(ArgumentKind.NUM_ARCS))
    parameters += [KernelArgument(ArgumentKind.ARRAY, array=array) for array in kernel.arrays]
    parameters += [KernelArgument(ArgumentKind.SCALAR, variable=variable) for variable in kernel.scalars]
    parameters += [KernelArgument(ArgumentKind.REDUCTION, r.into, r.variable) for r in kernel.reductions]
    return tuple(parameters)


def _gathers_by_list(kernel: ir.Kernel) -> bool:
    """Whether threads share the arcs of listed nodes to gather: how many do so for a node depends on all nodes."""
    return kernel.shares_arcs and isinstance(kernel.domain, ir.Listed) and gathering(kernel) is not None


def loop_parameters(module: ir.Module, loop: st.LegalLoop) -> tuple[KernelArgument, ...]:
    """The parameters of a persistent kernel: n, m where it is used, arrays, scalars, the rings of its reductions, its
    outcomes, the word of its barrier, its records if it is traced, its peers if it runs on several devices. A single
    group or cluster needs no barrier word, a group n only where it is used."""
    op = loop.op
    sized = not op.one_group or uses_num_nodes(loop.body, module)
    return (
        *((KernelArgument(ArgumentKind.NUM_NODES),) if sized else ()),
        *((KernelArgument(ArgumentKind.NUM_ARCS),) if uses_num_arcs(loop.body, module) else ()),
        *(KernelArgument(ArgumentKind.ARRAY, array=array) for array in op.arrays),
        *(KernelArgument(ArgumentKind.SCALAR, variable=variable) for variable in op.scalars),
        *(KernelArgument(ArgumentKind.FOUND, array=cells, start=start) for cells, start in loop.found),
        *(
            KernelArgument(ArgumentKind.OUTCOME, array=word, variable=variable)
            for word, variable in zip(loop.outcomes, op.outcomes, strict=True)
        ),
        *(() if op.one_group or op.cluster else (KernelArgument(ArgumentKind.BARRIER),)),
        *((KernelArgument(ArgumentKind.RECORDS),) if op.traced else ()),
        *((KernelArgument(ArgumentKind.PEERS),) if op.in_parts else ()),
    )


def most_new(packing: ir.Packing, sets: int, *, wide: bool = False) -> int:
    """`MOST_NEW` for a launch with so many sets; twice as many in a wide cluster with more than two, of which one is a
    pile that waits."""
    return min(MOST_NEW[packing], MOST_NEW_OF_ALL // max(sets, 1)) << (wide and sets > 2)


def most_sets(module: ir.Module) -> int:
    """How many sets of nodes a launch of the module has at most."""
    return max((sum(array.packed is not None for array in op.arrays) for op in visitor.loops_of(module)), default=0)


@dataclass(frozen=True, slots=True)
class SetWords:
    """The 32-bit words of a packed array: those that its sizes take and those of a list of fixed length, and one for
    every so many nodes, for each number in `shares`."""

    sizes: int
    listed: int
    shares: tuple[int, ...]

    def for_nodes(self, num_nodes: int) -> int:
        return self.sizes + self.listed + sum(-(-num_nodes // share) for share in self.shares)


SET_WORDS: Mapping[ir.Packing, SetWords] = {
    ir.Packing.SWITCHED: SetWords(7, MOST_LISTED, (32,)),
    ir.Packing.SHARED: SetWords(7, MOST_LISTED, (32,)),
    ir.Packing.LIST: SetWords(5, 0, (32, 1)),
    ir.Packing.BITS: SetWords(5, 0, (32,)),
    ir.Packing.LAYERS: SetWords(5, 0, (32, 32 * 32)),
}
"""The sizes are `Sizes` in `templates/cuda_family/sets.jinja`, which checks that they are so many."""


def walks_sets(op: ir.OnDevice) -> bool:
    """Whether a launch walks sets of nodes, which are small in most rounds."""
    return any(array.packed for array in op.arrays)


def most_groups(op: ir.OnDevice) -> int:
    """Groups per compute unit of a persistent launch, on a large graph; one that takes turns with a cluster walks short
    rows."""
    drivers = (inner.driver for inner in visitor.walk_host(op.body) if isinstance(inner, ir.Loop))
    if not (op.in_parts or op.crossing) and any(isinstance(driver, ir.NearestFirst) for driver in drivers):
        return RELAXING_GROUPS
    return FEW_GROUPS if walks_sets(op) else MANY_GROUPS
