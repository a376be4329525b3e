"""Statements of a C-like language in which every decision has been taken: what legalisation makes of kernel operations.

What an update of a shared cell becomes, in which local a value waits, where a loop ends: all of it stands here, and a
printer only spells it. Expressions are those of the intermediate form.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.ir.nodes import Array, CallFunction, Combine, Element, Expression, Function, Kernel, Variable


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
    """What the threads of a group found in `part`, combined, goes into the one cell of `result` at once."""

    combine: Combine
    part: Variable
    result: Array
    scratch: Variable
    method: Method


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """A loop that the target shares out among its threads; it combines what they found in the locals of `reductions`.

    `uneven` where some iterations may have far more to do than others; `arrays` is all device memory that it reaches.
    """

    loop: Count
    reductions: tuple[tuple[Combine, Variable], ...]
    arrays: tuple[Array, ...]
    uneven: bool


@dataclass(frozen=True, slots=True)
class Alone:
    """A block that one thread of the target runs; `results` are the locals around it that it changes."""

    body: tuple[Statement, ...]
    results: tuple[Variable, ...]
    arrays: tuple[Array, ...]


Statement = (
    Declare
    | Assign
    | Accumulate
    | StoreCell
    | CombineCell
    | AtomicCell
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
class LegalFunction:
    """A function that kernels call, whose body is ready to be spelled."""

    function: Function
    body: tuple[Statement, ...]


def result_element(element: Element) -> Element:
    """The word that a reduction of this element is combined into: an INT for a BOOL."""
    return Element.INT if element is Element.BOOL else element
