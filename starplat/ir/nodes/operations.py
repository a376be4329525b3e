"""Kernel operations: the work of one iteration."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.ir.nodes.layouts import BY_DEGREE, CSR, REVERSE, REVERSE_BY_DEGREE, Layout, in_parts, with_heads
from starplat.ir.nodes.values import Array, CallFunction, Expression, Variable


class Combine(Enum):
    """Commutative, associative, with an identity."""

    ADD = "+"
    MULTIPLY = "*"
    AND = "&&"
    OR = "||"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    MIN = "min"
    MAX = "max"

    @property
    def is_any(self) -> bool:
        """Whether it makes a BOOL true as soon as one contribution is."""
        return self in (Combine.OR, Combine.BIT_OR, Combine.MAX, Combine.ADD)


@dataclass(frozen=True, slots=True)
class Let:
    """Declares a local of the kernel (or function) with its first value."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class SetLocal:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Store:
    """`array[index] = value`. `shared`: other iterations may write the cell too (all the same value, any of several
    right ones, or a race that the program has). `in_runs`: nodes that follow each other mostly do so at once, each with
    its own cell, once in a launch."""

    array: Array
    index: Expression
    value: Expression
    shared: bool = False
    in_runs: bool = False


@dataclass(frozen=True, slots=True)
class UpdateCell:
    """`array[index] = array[index] combine value`, atomically if `shared` with other iterations."""

    combine: Combine
    array: Array
    index: Expression
    value: Expression
    shared: bool


@dataclass(frozen=True, slots=True)
class Carry:
    """`array[index] = value`, if the extreme wins."""

    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class ExtremeCell:
    """If `candidate` is beyond `array[index]` (less for MIN, greater for MAX) and is not INF (for MIN), store it and
    what it carries, as one unit if `shared`. On ties the first stays. `candidate` and all carried values are evaluated
    once, before.

    `lock` (an INT for every cell of `array`, 0 when free) is given where carried values are data that must stay
    consistent with the cell; a target that has a better way to make it one unit need not use it. Carried constants need
    none: every winner stores the same. `also` is done by the winner too: what concerns only itself, the kernel's
    reductions, or cells that are the winner's own. `settles` says that the cells come to the same end in any order of
    iterations, also where they see each other's old values; `analysis.settling` has found out.

    In an array of pairs it is the key that is compared, and `partner` takes its place beside the candidate. Both are
    one cell, so no lock is needed.
    """

    extreme: Combine  # MIN or MAX
    array: Array
    index: Expression
    candidate: Expression
    carried: tuple[Carry, ...]
    shared: bool
    lock: Array | None = None
    also: tuple[KernelOp, ...] = ()
    settles: bool = False
    partner: Expression | None = None


@dataclass(frozen=True, slots=True)
class FetchAdd:
    """`variable = array[index]; array[index] += value`, atomically. The array holds integers, the local `variable`,
    declared before, is of their type; so it is for FetchOr and CompareSwap. `in_runs` tells that threads which follow
    each other mostly add 1 to the same cell."""

    variable: Variable
    array: Array
    index: Expression
    value: Expression
    in_runs: bool = False


@dataclass(frozen=True, slots=True)
class FetchOr:
    """`variable = array[index]; array[index] |= value`, atomically."""

    variable: Variable
    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class CompareSwap:
    """`variable = array[index]; if (variable == expected) array[index] = value`, atomically."""

    variable: Variable
    array: Array
    index: Expression
    expected: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Contribute:
    """Adds a value to one of the kernel's reductions; `reduction` is the host variable."""

    reduction: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class KernelIf:
    condition: Expression
    then: tuple[KernelOp, ...]
    otherwise: tuple[KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelWhile:
    """`while (condition) body`, or `do body while (condition)` if `test_last`."""

    condition: Expression
    body: tuple[KernelOp, ...]
    test_last: bool = False


@dataclass(frozen=True, slots=True)
class KernelFor:
    """`for (; condition; step) body`: `step` runs also after a `Continue`. The variable is declared before."""

    condition: Expression
    step: tuple[KernelOp, ...]
    body: tuple[KernelOp, ...]


@dataclass(frozen=True, slots=True)
class ForRange:
    """`for (variable = first; variable < end; variable += 1) body`; declares `variable`. `parallel` tells that the
    program said `forall`, of arcs both ways."""

    variable: Variable
    first: Expression
    end: Expression
    body: tuple[KernelOp, ...]
    parallel: bool = False


class Direction(Enum):
    """Which arcs of a node."""

    OUT = "out"
    IN = "in"

    @property
    def layout(self) -> Layout:
        """How these arcs lie in memory, ascending."""
        return CSR if self is Direction.OUT else REVERSE

    @property
    def layout_by_degree(self) -> Layout:
        """The same rows, with neighbors of high degree first."""
        return BY_DEGREE if self is Direction.OUT else REVERSE_BY_DEGREE


@dataclass(frozen=True, slots=True)
class PerTriangle:
    """On a graph in which every arc has its reverse and no other beside it, `target` grows by `value` for every
    triangle, an array in the cells of all its nodes; `loops_count` if an arc from a node to itself may make one."""

    target: Variable | Array
    value: int
    loops_count: bool


@dataclass(frozen=True, slots=True)
class ForNeighbors:
    """Over the arcs out of (into) `node`: declares `position` (an ARC: the slot in the layout) and `neighbor` (what
    stands at the other end). Uses the layout's offsets and neighbors. `parallel` tells that the program said `forall`.
    `counts` are locals that grow for the triangles of `node`, cells of it while they are no locals yet; `one_way` tells
    that the loop does nothing where every arc has its reverse. `by_degree` asks for neighbors of high degree first.
    Of rows in `parts` it takes one part: `ahead` are n times the parts before that one. `heads` asks for the copies of
    the first neighbors of a row in place of these. `copied` are other rows that hold these arcs."""

    direction: Direction
    node: Expression
    neighbor: Variable
    position: Variable
    body: tuple[KernelOp, ...]
    parallel: bool
    counts: tuple[PerTriangle, ...] = ()
    one_way: bool = False
    by_degree: bool = False
    parts: int = 1
    ahead: Expression | None = None
    heads: bool = False
    copied: Layout | None = None

    @property
    def layout(self) -> Layout:
        """The rows that it goes over."""
        if self.copied is not None:
            return self.copied
        if self.ahead is not None:
            return in_parts(self.direction.layout, self.parts, self.ahead)
        layout = self.direction.layout_by_degree if self.by_degree else self.direction.layout
        return with_heads(layout) if self.heads else layout


@dataclass(frozen=True, slots=True)
class KernelBreak:
    pass


@dataclass(frozen=True, slots=True)
class KernelContinue:
    """Of the innermost loop; outside any, it ends this iteration of the kernel."""


@dataclass(frozen=True, slots=True)
class KernelReturn:
    """In a `Function` only."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A call for its effect."""

    call: CallFunction


KernelLoop = KernelWhile | KernelFor | ForRange | ForNeighbors
"""The loops of a kernel, each with a `body`."""

KernelOp = (
    Let
    | SetLocal
    | Store
    | UpdateCell
    | ExtremeCell
    | FetchAdd
    | FetchOr
    | CompareSwap
    | Contribute
    | KernelIf
    | KernelLoop
    | KernelBreak
    | KernelContinue
    | KernelReturn
    | KernelCall
)
