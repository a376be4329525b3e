"""Statements of a C-like language in which every decision has been taken: what legalisation makes of kernel operations.

What an update of a shared cell becomes, in which local a value waits, where a loop ends: all of it stands here, and a
printer only spells it. Expressions are those of the intermediate form.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.ir.nodes import (
    Array,
    CallFunction,
    Combine,
    Const,
    Element,
    Expression,
    Function,
    Kernel,
    Listed,
    OnDevice,
    Variable,
)

FIRST_CELL = Const(0, Element.INT)


class Method(Enum):
    """How an update of a shared cell is made one piece."""

    NATIVE = "native"  # the target has this atomic operation
    SWAP_LOOP = "swap loop"  # tried again with compare-and-swap until nobody came between
    FLIP_BYTE = "flip byte"  # exclusive or of a BOOL, on the word around it


class Stride(Enum):
    """How a counting loop goes on."""

    ONE = "one"
    GRID = "grid"  # the threads of the launch share the range


@dataclass(frozen=True, slots=True)
class Declare:
    """A new local; `constant` if it never changes."""

    variable: Variable
    value: Expression
    constant: bool


@dataclass(frozen=True, slots=True)
class Assign:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Accumulate:
    """`variable = variable combine value`."""

    variable: Variable
    combine: Combine
    value: Expression


@dataclass(frozen=True, slots=True)
class StoreCell:
    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class CombineCell:
    """`array[index] = array[index] combine value`, for cells that nobody else touches."""

    combine: Combine
    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class AtomicCell:
    """`array[index] = array[index] combine value` in one piece."""

    combine: Combine
    array: Array
    index: Expression
    value: Expression
    method: Method


@dataclass(frozen=True, slots=True)
class FetchCell:
    """`variable = array[index]; array[index] = array[index] combine value` in one piece.

    `declares` the variable, which nothing else changes if it is `constant`.
    """

    variable: Variable
    combine: Combine
    array: Array
    index: Expression
    value: Expression
    declares: bool = False
    constant: bool = False


@dataclass(frozen=True, slots=True)
class SwapCell:
    """`variable = array[index]; if (variable == expected) array[index] = value` in one piece.

    `value` and `index` do not mention `variable`.
    """

    variable: Variable
    array: Array
    index: Expression
    expected: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class IfBeyond:
    """If `candidate` is less (MIN) or greater (MAX) than the cell, `body`.

    With a `method`, the cell then takes the candidate atomically and `body` runs only if the cell still was behind it.
    """

    extreme: Combine
    array: Array
    index: Expression
    candidate: Expression
    method: Method | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class WhileBeyondLocked:
    """As IfBeyond, tried until the cell's lock was free; `body`, which also stores the candidate, runs under the lock.

    The lock is taken and released in one pass of the loop, so that threads in lockstep cannot wait for each other.
    """

    extreme: Combine
    array: Array
    index: Expression
    candidate: Expression
    lock: Array
    done: Variable
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`, or `do body while (condition)` if `test_last`."""

    condition: Expression
    body: tuple[Statement, ...]
    test_last: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`for (first; condition; step) body`."""

    condition: Expression
    step: tuple[Assign, ...]
    body: tuple[Statement, ...]
    first: Declare | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """`for (variable = first; variable < end; variable += stride) body`; `end` may be evaluated more than once."""

    variable: Variable
    first: Expression
    end: Expression
    stride: Stride
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Leave:
    """Returns from the function or kernel."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Call:
    call: CallFunction


@dataclass(frozen=True, slots=True)
class CombineGroup:
    """What the `threads` of a group found in `part`, combined, goes into a cell of `result` at once."""

    combine: Combine
    part: Variable
    result: Array
    scratch: Variable
    method: Method
    threads: int
    index: Expression = FIRST_CELL


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """A loop that the target shares out among its threads; it combines what they found in the locals of `reductions`.

    `uneven` where some iterations may have far more to do than others; `arrays` is all device memory that it reaches;
    `length` the number of iterations where that may be far below what the graph has.
    """

    loop: Count
    reductions: tuple[tuple[Combine, Variable], ...]
    arrays: tuple[Array, ...]
    uneven: bool
    length: Expression | None = None


@dataclass(frozen=True, slots=True)
class Alone:
    """A block that one thread of the target runs; `results` are the locals around it that it changes."""

    body: tuple[Statement, ...]
    results: tuple[Variable, ...]
    arrays: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """A block whose locals are its own, under lines of comment."""

    comments: tuple[str, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class GridBarrier:
    """Every thread of the launch waits here for all others, and sees what they wrote."""


@dataclass(frozen=True, slots=True)
class SwapPointers:
    """The names of two arrays change places."""

    first: Array
    second: Array


@dataclass(frozen=True, slots=True)
class OnFirst:
    """What one thread of the launch does."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Advance:
    """`body` for every arc at a `node` for which `keep` holds (None: for all), threads sharing the arcs evenly.

    The nodes are all, those that are `listed`, or the `members` of a set, which is empty afterwards if it `takes` them.
    `rows` are the offsets of the nodes' arcs; `body` declares what it needs of the nodes.
    """

    members: Array | None
    takes: bool
    node: Variable
    keep: Expression | None
    rows: Array
    position: Variable
    body: tuple[Statement, ...]
    listed: Listed | None = None


@dataclass(frozen=True, slots=True)
class Gather:
    """For every `node` to keep: `value` of each of its arcs, which threads share evenly, joined by `combine` from
    `start` on; then `finish`, which knows the result as `total`. The nodes as for Advance.

    `value` is the body of a function that returns the value; both bodies declare what they need of the node.
    """

    members: Array | None
    takes: bool
    node: Variable
    keep: Expression | None
    rows: Array
    position: Variable
    combine: Combine
    start: Const
    value: tuple[Statement, ...]
    total: Variable
    finish: tuple[Statement, ...]
    listed: Listed | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """For every `node` to keep: `reach` with one of its arcs for which `test` holds, whichever is found, if any is.

    `test` is the body of a function that returns a BOOL; both declare what they need of the arc.
    """

    node: Variable
    keep: Expression | None
    rows: Array
    position: Variable
    test: tuple[Statement, ...]
    reach: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class IfMany:
    """`then` if a set has so many members that most arcs lead to one, as all threads see it."""

    members: Array
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class EachMember:
    """`body` for every `node` in a set, a thread for each; the set is empty afterwards if it `takes` them."""

    members: Array
    takes: bool
    node: Variable
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts a node into a set; `alone` where only one thread does so, between barriers."""

    members: Array
    node: Expression
    alone: bool = False


@dataclass(frozen=True, slots=True)
class AskEmpty:
    """`variable` becomes whether a set has no members, as all threads see it; the opposite unless `when_empty`."""

    variable: Variable
    members: Array
    when_empty: bool


@dataclass(frozen=True, slots=True)
class AskSize:
    """`variable` becomes how many members a set has, as all threads see it."""

    variable: Variable
    members: Array


@dataclass(frozen=True, slots=True)
class NoteMembers:
    """The members of a set become array[first], array[first + 1], …, in any order."""

    members: Array
    array: Array
    first: Expression


@dataclass(frozen=True, slots=True)
class IfEmpty:
    """`then` if a set has no members, as all threads see it."""

    members: Array
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Inserted:
    """Ends the inserting into a set: after the next barrier all threads see what is in it. With `rows` it is estimated
    how many arcs the new members have."""

    members: Array
    rows: Array | None = None


@dataclass(frozen=True, slots=True)
class Clear:
    """Takes everything out of a set."""

    members: Array


@dataclass(frozen=True, slots=True)
class Record:
    """Notes when a traced launch comes to a point, and how many nodes are active there, if that is not known before:
    the `node` of a set, of a list, or of all nodes, for which `keep` holds; and how many arcs they have by `rows`."""

    point: int
    new_round: bool = False
    members: Array | None = None
    listed: tuple[Array, Expression, Expression] | None = None
    node: Variable | None = None
    keep: Expression | None = None
    rows: Array | None = None


Statement = (
    Declare
    | Assign
    | Accumulate
    | StoreCell
    | CombineCell
    | AtomicCell
    | FetchCell
    | SwapCell
    | IfBeyond
    | WhileBeyondLocked
    | If
    | While
    | For
    | Count
    | Break
    | Continue
    | Leave
    | Call
    | CombineGroup
    | SharedLoop
    | Alone
    | Scope
    | GridBarrier
    | SwapPointers
    | OnFirst
    | Advance
    | Gather
    | Search
    | IfMany
    | EachMember
    | Insert
    | AskEmpty
    | AskSize
    | NoteMembers
    | IfEmpty
    | Inserted
    | Clear
    | Record
)


@dataclass(frozen=True, slots=True)
class LegalKernel:
    """A kernel whose body is ready to be spelled; `results` are the words that its reductions are combined into."""

    kernel: Kernel
    results: tuple[Array, ...]
    body: tuple[Statement, ...]

    @property
    def needs_whole_groups(self) -> bool:
        """Whether threads of a group work together, so that the size of a group is fixed."""
        return any(isinstance(statement, CombineGroup) for statement in self.body)


@dataclass(frozen=True, slots=True)
class LegalLoop:
    """An operation in whose one launch threads wait for each other, ready to be spelled.

    `found` are the rings of three cells that reductions are combined into, each with the identity that its cells start
    from; `outcomes` the words that changed variables of the host come back in.
    """

    op: OnDevice
    found: tuple[tuple[Array, Const], ...]
    outcomes: tuple[Array, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class LegalFunction:
    """A function that kernels call, whose body is ready to be spelled."""

    function: Function
    body: tuple[Statement, ...]


def result_element(element: Element) -> Element:
    """The word that a reduction of this element is combined into: an INT for a BOOL."""
    return Element.INT if element is Element.BOOL else element
