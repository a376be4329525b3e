"""Statements that change single cells of arrays, plainly or atomically."""

from dataclasses import dataclass
from enum import Enum

from starplat.ir import build, nodes as ir


class Method(Enum):
    """How an update of a shared cell is made atomic."""

    NATIVE = "native"  # the target has this atomic operation
    SWAP_LOOP = "swap loop"  # a compare-and-swap loop
    FLIP_BYTE = "flip byte"  # exclusive or of a BOOL, on the word around it


@dataclass(frozen=True, slots=True)
class StoreCell:
    array: ir.Array
    index: ir.Expression
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class CombineCell:
    """`array[index] = array[index] combine value`, for cells that no other thread touches."""

    combine: ir.Combine
    array: ir.Array
    index: ir.Expression
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class AtomicCell:
    """`array[index] = array[index] combine value`, atomically."""

    combine: ir.Combine
    array: ir.Array
    index: ir.Expression
    value: ir.Expression
    method: Method


@dataclass(frozen=True, slots=True)
class FetchCell:
    """`variable = array[index]; array[index] = array[index] combine value`, atomically.

    `declares` the variable, which nothing else changes if it is `constant`; `in_runs` is an addition's.
    """

    variable: ir.Variable
    combine: ir.Combine
    array: ir.Array
    index: ir.Expression
    value: ir.Expression
    declares: bool = False
    constant: bool = False
    in_runs: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What each thread of a loop has for itself: it gathers in `array` what it adds to the `size[0]` members."""

    array: ir.Array
    members: ir.Array
    size: ir.Array


@dataclass(frozen=True, slots=True)
class Append:
    """Adds a value to what the thread gathers in `array`."""

    array: ir.Array
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class SwapCell:
    """`variable = array[index]; if (variable == expected) array[index] = value`, atomically.

    `value` and `index` do not mention `variable`.
    """

    variable: ir.Variable
    array: ir.Array
    index: ir.Expression
    expected: ir.Expression
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class CombineGroup:
    """The combined `part`s of the `threads` of a group go into a cell of `result` at once. Where they are BOOLs, one
    thread stores it if any other has found it: stores of many threads in one cell would wait for each other."""

    combine: ir.Combine
    part: ir.Variable
    result: ir.Array
    scratch: ir.Variable
    method: Method
    threads: int
    index: ir.Expression = build.ZERO


CellStatement = StoreCell | CombineCell | AtomicCell | FetchCell | Append | SwapCell | CombineGroup
