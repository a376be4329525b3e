"""What a C-like target calls things: the table that, with its templates and capabilities, makes a target.

Printers of expressions and statements take their words from a `Spelling`; it holds no decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from starplat.backends.launch import GROUP_SIZE
from starplat.ir.nodes import Combine, Element, MathFunction

ATOMIC_WORDS = {
    Combine.ADD: "add",
    Combine.MULTIPLY: "multiply",
    Combine.AND: "and",
    Combine.OR: "or",
    Combine.BIT_AND: "and",
    Combine.BIT_OR: "or",
    Combine.BIT_XOR: "xor",
    Combine.MIN: "min",
    Combine.MAX: "max",
}
"""What the names of atomic helpers end in."""


@dataclass(frozen=True, slots=True)
class Directives:
    """Words of a target whose kernels are loops under directives.

    Attributes:
        loop, uneven_loop: what stands over a loop that the threads share, the second where some iterations may have
            far more to do than others.
        team_loop: what stands over a loop whose iterations are taken by teams of threads, which share loops inside it.
        inner_loop: what stands over a loop that the threads of a team share.
        threads: the clause for how many threads share a loop; None where that is left to the target.
        alone: what stands over a block that one thread runs; None where a plain block is one.
        arrays: the clause for the device memory `{names}`, or None.
        reduction: the clause for the locals `{names}` that `{operator}` combines.
        results: the clause for the locals `{names}` that a block for one thread leaves behind.
        atomic: what stands over an update that is one piece.
        capture: what stands over a reading and an update that are one piece.
        few: the clause by which one thread does all, unless there are so many iterations as to wake the others for;
            `{length}` is their number. None where there is none.
    """

    loop: str
    uneven_loop: str
    alone: str | None
    arrays: str | None
    reduction: str
    results: str
    atomic: str
    capture: str
    few: str | None = None
    team_loop: str | None = None
    inner_loop: str | None = None
    threads: str | None = None


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
        space: what stands before the type of a cell in a pointer into device memory.
        restrict: what stands before the name of a pointer that is the only way to its cells.
        local_memory: what stands before the declaration of memory that a group shares.
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
        swaps: the function that compares and swaps a cell, for an INT and a LONG, where there are two.
        compare_swap: the statements that do, and leave in `{variable}` what the cell held: from `{function}`, and the
            `{address}` or `{place}` of the cell, `{expected}` and `{value}`.
        group_reductions: what combines the `{part}`s of a group, of type `{type}`, where the target has it.
        math: the function for each kind of number.
        saturating: the conversion of a real to an integer that stops at the ends of the range.
        scratch_cells: how much memory a group shares to combine one value of each thread.
        saturating_helpers: the helper function that brings it, where one does.
        directives: how loops are shared out, for targets with structured loops.
        latest: the macro around a read of a cell that others update atomically meanwhile, for targets that have no
            atomic read; its own definition says what it comes to.
    """

    values: Mapping[Element, str]
    cells: Mapping[Element, str]
    parameters: Mapping[Element, str]
    long_suffix: str
    function: str
    kernel: str
    whole_group_kernel: str
    space: str
    restrict: str
    local_memory: str
    thread: str
    threads: str
    lane: str
    fence: str
    try_lock: str
    unlock: str
    atomics: Mapping[tuple[Combine, Element], str]
    math: Mapping[tuple[MathFunction, Element], str]
    saturating: Mapping[Element, str]
    saturating_helpers: Mapping[Element, str]
    largest: Mapping[Element, str]
    smallest: Mapping[Element, str]
    scratch_cells: int = GROUP_SIZE
    directives: Directives | None = None
    lock_flag: str = "bool"
    atomic_call: str = "{function}({address}, {value})"
    group_reductions: Mapping[Combine, str] = field(default_factory=dict)
    fence_helper: str | None = None
    barrier: str = ""
    one_group_kernel: str | None = None
    uneven_kernel: str | None = None
    uneven_group_kernel: str | None = None
    few_groups_kernel: str | None = None
    barrier_helper: str | None = None
    any_pointer: str | None = "auto *"
    swaps: Mapping[Element, str] = field(default_factory=dict)
    compare_swap: tuple[str, ...] = ("{variable} = {function}({address}, {expected}, {value});",)
    leading_parameters: tuple[str, ...] = ()
    latest: Mapping[Element, str] = field(default_factory=dict)
