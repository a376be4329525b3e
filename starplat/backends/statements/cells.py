"""Statements that change single cells of arrays, alone or in one piece."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.ir.nodes import Array, Combine, Const, Element, Expression, Variable

FIRST_CELL = Const(0, Element.INT)


class Method(Enum):
    """How an update of a shared cell is made one piece."""

    NATIVE = "native"  # the target has this atomic operation
    SWAP_LOOP = "swap loop"  # tried again with compare-and-swap until nobody came between
    FLIP_BYTE = "flip byte"  # exclusive or of a BOOL, on the word around it


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
class CombineGroup:
    """What the `threads` of a group found in `part`, combined, goes into a cell of `result` at once."""

    combine: Combine
    part: Variable
    result: Array
    scratch: Variable
    method: Method
    threads: int
    index: Expression = FIRST_CELL


CellStatement = StoreCell | CombineCell | AtomicCell | FetchCell | SwapCell | CombineGroup
