"""Storage of elements: NumPy types of arrays, Python values of scalars.

A `bool` is one byte that is 0 or 1, a `node` 32 bits, an arc 32 bits where that leaves room, else 64. Scalars are
Python's own `bool`, `int` and `float`; a `float` that is a 32-bit one has been rounded.
"""

import math
from functools import cache
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.backends.launch import MOST_THREADS
from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir

Value = bool | int | float
"""The value of a scalar."""

Returned = Value | tuple[Value, ...] | list[Value] | None
"""What a function returns: a scalar, several, or the elements of a list."""

Cells = NDArray[Any]
"""An array on the host."""

WIDE_ARCS_FROM = 2**31 - MOST_THREADS
"""Graphs of so many arcs need 64-bit arc ids: a thread's counter goes beyond m by as many as there are threads."""

_TYPES: dict[ir.Element, type[np.generic]] = {
    ir.Element.BOOL: np.bool_,
    ir.Element.INT: np.int32,
    ir.Element.LONG: np.int64,
    ir.Element.FLOAT: np.float32,
    ir.Element.DOUBLE: np.float64,
    ir.Element.NODE: np.int32,
}


def for_all(value: Any, count: int) -> Cells:
    """So many cells of one value, which lie in one place: to be read, not changed."""
    return np.broadcast_to(value, count)


def is_for_all(cells: object) -> bool:
    """Whether there are cells, and all are one in one place."""
    return isinstance(cells, np.ndarray) and cells.strides == (0,) and cells.size > 0


def is_of_file(cells: Cells) -> bool:
    """Whether cells are those of a mapped file, which the system brings to memory where they are read."""
    owner: object = cells
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, mmap)


def needs_wide_arcs(num_arcs: int) -> bool:
    """Whether arc ids of such a graph take 64 bits."""
    return num_arcs >= WIDE_ARCS_FROM


@cache
def dtype_of(element: ir.Element, *, wide_arcs: bool) -> np.dtype[Any]:
    """The NumPy type of an array's cells."""
    if element is ir.Element.ARC:
        return np.dtype(np.int64 if wide_arcs else np.int32)
    return np.dtype(_TYPES[element])


def clipped(value: Value, dtype: np.dtype[Any]) -> Any:
    """The value as a cell of that type; whole numbers saturate, so that INF of a wide arc is INF of a narrow one."""
    if dtype.kind != "i":
        return dtype.type(value)
    lowest, highest = _ends(dtype)
    return dtype.type(min(max(int(value), lowest), highest))


@cache
def _ends(dtype: np.dtype[Any]) -> tuple[int, int]:
    ends = np.iinfo(dtype)
    return int(ends.min), int(ends.max)


def element_of(scalar: Scalar) -> ir.Element:
    """The element that stores a value of the language's type."""
    return ir.Element.ARC if scalar is Scalar.EDGE else ir.Element(scalar.value)


def as_value(number: Any, element: ir.Element) -> Value:
    """A NumPy scalar (or a Python one of the right range) as Python's own."""
    if element is ir.Element.BOOL:
        return bool(number)
    return float(number) if element.is_real else int(number)


def written(value: Value, kind: Scalar) -> str:
    """A number or a bool as a program would have it.

    >>> written(2**31 - 1, Scalar.INT), written(0.1, Scalar.FLOAT), written(True, Scalar.BOOL)
    ('INF', '0.1', 'True')
    """
    if kind is Scalar.BOOL:
        return str(bool(value))
    if kind.is_real:
        if math.isinf(value):
            return "INF" if value > 0 else "-INF"
        return str(np.float32(value)) if kind is Scalar.FLOAT else repr(float(value))
    return "INF" if kind.is_numeric and value == ir.infinity(element_of(kind)).value else str(int(value))
