"""The spelling of a C-like target: the table that, with templates and capabilities, makes a target.

Printers of expressions and statements take their words from a `Spelling`; it holds no decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from starplat.backends.launch import GROUP_SIZE
from starplat.ir import nodes as ir

ATOMIC_WORDS = {
    ir.Combine.ADD: "add",
    ir.Combine.MULTIPLY: "multiply",
    ir.Combine.AND: "and",
    ir.Combine.OR: "or",
    ir.Combine.BIT_AND: "and",
    ir.Combine.BIT_OR: "or",
    ir.Combine.BIT_XOR: "xor",
    ir.Combine.MIN: "min",
    ir.Combine.MAX: "max",
}
"""What the names of atomic helpers end in."""


@dataclass(frozen=True, slots=True)
class Directives:
    """Words of a target whose kernels are loops under directives.

    Attributes:
        loop, uneven_loop: what stands over a loop that the threads share, the second where some iterations may have
            far more to do than others.
        loop_of_rows: the same where they walk the rows of all `{nodes}`, which begin where `{rows}` tells; None where
            that is no different.
        loop_of_steps: the same where iterations differ by the paths that they follow, not by rows: all `{iterations}`
            are some hundred pieces, so that threads seldom meet when they take one. None where that is no different.
        long_loop: the same where there are few iterations, each of which has much to do.
        team_loop: what stands over a loop whose iterations are taken by teams of threads, which share loops inside it.
        gang_loop: what stands over a loop whose iterations are taken by gangs of such teams.
        inner_team_loop: what stands over a loop that the teams of a gang share.
        inner_loop: what stands over a loop that the threads of a team share.
        vector_loop: what stands over a loop whose iterations one thread does side by side.
        threads: the clause for how many threads share a loop; None where that is left to the target.
        threads_of_few: the same where teams take the nodes of a list, of which there may be few, and combine nothing.
        alone: what stands over a block that one thread runs; None where a plain block is one.
        arrays: the clause for the device memory `{names}`, or None.
        reduction: the clause for the locals `{names}` that `{operator}` combines.
        results: the clause for the locals `{names}` that a block for one thread leaves behind.
        atomic: what stands over an update that is one piece.
        capture: what stands over a reading and an update that are one piece.
        few: the clause by which one thread does all, unless there are so many iterations as to wake the others for;
            `{length}` is their number. None where there is none.
        own_arrays: how a thread makes an array `{name}` for itself, with a cell of `{type}` for each node, the words
            that begin the directive of a loop and stand over the block for each thread in which it does so, the words
            that begin that of the loop in this block, and the clause by which a thread that is through with the loop
            does not wait before the end of the block, where it does anyway; None where there are none.
        gathered: what stands before a loop whose threads gather what they add to `{members}`, which are `{size}`, the
            parameter `{name}` for that of a function, and the clause by which each thread begins with a copy; None
            where threads do not.
        ahead: the clause by which the host does not wait for a loop or block, and what it says where it waits for all
            that it has asked for so; None where it always waits.
    """

    loop: str
    uneven_loop: str
    long_loop: str
    alone: str | None
    arrays: str | None
    reduction: str
    results: str
    atomic: str
    capture: str
    loop_of_rows: str | None = None
    loop_of_steps: str | None = None
    few: str | None = None
    team_loop: str | None = None
    gang_loop: str | None = None
    inner_team_loop: str | None = None
    inner_loop: str | None = None
    vector_loop: str | None = None
    threads: str | None = None
    threads_of_few: str | None = None
    own_arrays: tuple[str, str, str, str] | None = None
    gathered: tuple[str, str, str] | None = None
    ahead: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class GroupWords:
    """Words of functions that the threads of a group call together, which share memory.

    Attributes:
        memory: the declaration of memory that a group shares, from its `{kind}`, `{name}` and, of an array, `{cells}`
            in brackets; None where it is a parameter of the kernel, or no kernel has any.
        scratch: the same of memory that is for one purpose in a kernel; None where none is needed.
        number, count: the number of this thread's group, and how many groups there are.
        wait: the statement with which the threads of a group wait for each other, and see what they wrote there.
        any: whether a condition holds for any of them, which all call.
        memory_helper: the helper function that brings the memory, where one does.
        space: what stands before the type of a cell in a pointer into such memory.
        takes, gives: the first parameter of such a function, and what is passed for it, where it must know its caller.
        record: what stands before and behind the fields of `GroupRows`.
        smaller, larger: the functions for the smaller and the larger of two numbers.
        thread, name: what comments call a thread, and a group.
    """

    number: str
    count: str
    wait: str
    memory: str | None = None
    scratch: str | None = None
    memory_helper: str | None = None
    space: str = ""
    takes: str = ""
    gives: str = ""
    record: tuple[str, str] = ("struct GroupRows {", "};")
    smaller: str = "min"
    larger: str = "max"
    any: str = ""
    thread: str = "work-item"
    name: str = "group"

    @property
    def for_helpers(self) -> dict[str, str]:
        """The words that functions of groups are made of, whatever the target."""
        begin_record, end_record = self.record
        return {
            "thread": self.thread,
            "group": self.name,
            "group_size": str(GROUP_SIZE),
            "group_number": self.number,
            "group_count": self.count,
            "wait": self.wait,
            "shared": self.space,
            "item_parameter": self.takes,
            "item": self.gives,
            "begin_record": begin_record,
            "end_record": end_record,
            "smaller": self.smaller,
            "larger": self.larger,
        }


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """Words of persistent kernels that one cluster of groups runs.

    Attributes:
        kernel: what stands before the name of one, of `{groups}` groups of `{size}` threads.
        barrier, barrier_helper: the statement with which its threads wait for each other, and the helper function that
            brings it.
        short_barrier: the same where the threads of a group have met since they wrote.
    """

    kernel: str
    barrier: str
    short_barrier: str
    barrier_helper: str


@dataclass(frozen=True, slots=True)
class Latest:
    """The macro around a read of a cell that others update atomically meanwhile, for targets that have no atomic read.

    Attributes:
        macro: its name.
        read: what it comes to where race checkers look on, of the place `cell`.
        extension: what the device must offer for that, if anything.
    """

    macro: str
    read: str
    extension: str = ""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words of one target.

    Attributes:
        values: the type of a local, and of what a function takes and gives.
        parameters: the type of a kernel's scalar parameter.
        cells: the type of a cell on the device.
        long_suffix: the ending of a 64-bit literal.
        largest, smallest: the ends of the integers' ranges.
        kernel, function: what stands before a kernel's name, and before the type of a function.
        leading_parameters: the parameters that every kernel has besides its own, before them.
        one_group_kernel: the same for a kernel that one group runs by itself, if it differs.
        whole_group_kernel: the same where groups must have exactly `{size}` threads.
        uneven_kernel, uneven_group_kernel: `kernel` and `whole_group_kernel` where threads have loops of different
            length, if they differ: lanes of a vector would wait for the longest.
        few_groups_kernel: the same where a compute unit has no more than `{groups}` of them at a time, if that matters.
        streamed: the value of a `{cell}` that is not looked at again soon, where that can be said.
        space: what stands before the type of a cell in a pointer into device memory.
        restrict: what stands before the name of a pointer that is the only way to its cells.
        restrict_spreads: whether a compiler takes that for a promise about other cells too where one of both is chosen.
        thread, threads, lane: the number of this thread, how many there are, its number within the group.
        fence: the statement that puts the writes to device memory before it ahead of those after it, for all threads.
        fence_helper: the helper function that brings it, where one does.
        barrier: the statement with which the threads of a launch that holds a loop of the host wait for each other; all
            of the launch, or those of its only group.
        barrier_helper: the helper function that brings it, where one does.
        any_pointer: the type of a local that takes whatever pointer it is given, where there is one.
        try_lock, unlock: a condition that is true if a lock was taken, and the statement that frees it; `{cell}` is the
            lock's address, `{place}` the lock.
        lock_flag: the type of the local that ends the wait for a lock.
        atomics: the function for a native update of a shared cell.
        atomic_call: how it is called, from `{function}`, `{address}` or `{place}` of the cell, and `{value}`.
        atomic_next: the function that adds 1 to an INT once for all threads of a warp that do, and tells each what its
            addition found, where there is one.
        swaps: the function that compares and swaps a cell, for an INT and a LONG, where there are two.
        unsigned: the types in which sums of whole numbers are made, that they wrap around, for targets whose compilers
            assume that signed ones do not and have no option against it.
        compare_swap: the statements that do, and leave in `{variable}` what the cell held: from `{function}`, and the
            `{address}` or `{place}` of the cell, `{expected}` and `{value}`.
        group_reductions: what combines the `{part}`s of a group, of type `{type}`, where the target has it.
        math: the function for each kind of number.
        saturating: the conversion of a real to an integer that stops at the ends of the range.
        groups: the words of groups that share memory.
        clusters: the words of clusters of groups, for targets that have them.
        scratch_cells: how much memory a group shares to combine one value of each thread.
        saturating_helpers: the helper function that brings it, where one does.
        directives: how loops are shared out, for targets with structured loops.
        latest: how a cell is read that others update atomically meanwhile, for targets that have no atomic read.
        cell_words: the words of helpers that swap a whole cell of 32 or 64 bits, for an INT and a LONG, where there are
            any: the type as which they do (`word`), and what they call (`swap`).
        ptx_adds: the type, and the kind of register, in NVIDIA's instruction that adds to a real, for targets that have
            no function for it.
    """

    values: Mapping[ir.Element, str]
    math: Mapping[ir.Element, Mapping[ir.MathFunction, str]]
    largest: Mapping[ir.Element, str]
    smallest: Mapping[ir.Element, str]
    cells: Mapping[ir.Element, str] = field(default_factory=dict)
    parameters: Mapping[ir.Element, str] = field(default_factory=dict)
    long_suffix: str = ""
    function: str = ""
    kernel: str = ""
    whole_group_kernel: str = ""
    space: str = ""
    restrict: str = ""
    thread: str = ""
    threads: str = ""
    lane: str = ""
    fence: str = ""
    try_lock: str = ""
    unlock: str = ""
    atomics: Mapping[tuple[ir.Combine, ir.Element], str] = field(default_factory=dict)
    saturating: Mapping[ir.Element, str] = field(default_factory=dict)
    saturating_helpers: Mapping[ir.Element, str] = field(default_factory=dict)
    groups: GroupWords | None = None
    clusters: ClusterWords | None = None
    restrict_spreads: bool = False
    scratch_cells: int = GROUP_SIZE
    directives: Directives | None = None
    lock_flag: str = "bool"
    atomic_call: str = "{function}({address}, {value})"
    group_reductions: Mapping[ir.Combine, str] = field(default_factory=dict)
    fence_helper: str | None = None
    barrier: str = ""
    one_group_kernel: str | None = None
    uneven_kernel: str | None = None
    uneven_group_kernel: str | None = None
    few_groups_kernel: str | None = None
    streamed: str | None = None
    barrier_helper: str | None = None
    any_pointer: str | None = "auto *"
    atomic_next: str = ""
    swaps: Mapping[ir.Element, str] = field(default_factory=dict)
    unsigned: Mapping[ir.Element, str] = field(default_factory=dict)
    compare_swap: tuple[str, ...] = ("{variable} = {function}({address}, {expected}, {value});",)
    leading_parameters: tuple[str, ...] = ()
    latest: Mapping[ir.Element, Latest] = field(default_factory=dict)
    cell_words: Mapping[ir.Element, Mapping[str, str]] = field(default_factory=dict)
    ptx_adds: Mapping[ir.Element, tuple[str, str]] = field(default_factory=dict)

    @property
    def for_helpers(self) -> dict[str, str]:
        """The words that helper functions of several targets are made of."""
        words = {
            "function": self.function,
            "global": self.space,
            "lane": self.lane,
            "long": self.values[ir.Element.LONG],
        }
        return words if self.groups is None else words | self.groups.for_helpers
