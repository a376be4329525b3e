"""Conditions of all iterations at once: the part of a kernel's filter that NumPy can evaluate.

A condition can be if it reads only cells at the iterator (or beside it, in row offsets) and scalars, and cannot fail.
The text that comes out has the same arguments as the kernel, arrays as ndarrays and scalars as NumPy scalars of the
right width, so that integers wrap around by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from starplat.ir.conditions import conjunction, conjuncts
from starplat.ir.nodes import (
    AllArcs,
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Const,
    Element,
    Expression,
    Extent,
    Kernel,
    Load,
    NumArcs,
    NumNodes,
    Ref,
    Unary,
    UnaryOperator,
    Variable,
    limits,
)
from starplat.ir.python.text import literal

DTYPES: Mapping[Element, type[np.generic]] = {
    Element.BOOL: np.bool_,
    Element.INT: np.int32,
    Element.NODE: np.int32,
    Element.LONG: np.int64,
    Element.ARC: np.int64,
    Element.FLOAT: np.float32,
    Element.DOUBLE: np.float64,
}
"""What an ndarray of each element type holds; an ARC array may also hold 32-bit integers."""

_WORDS = {BinaryOperator.AND: "&", BinaryOperator.OR: "|"}
_REFUSED = {BinaryOperator.DIVIDE, BinaryOperator.REMAINDER, BinaryOperator.ADD_INF}


def split_filter(kernel: Kernel) -> tuple[Expression | None, Expression | None]:
    """The filter as one condition for `mask_text` and one to be tested in each iteration: both must hold."""
    if kernel.filter is None or not isinstance(kernel.domain, AllNodes | AllArcs):
        return None, kernel.filter
    parts = list(conjuncts(kernel.filter))
    fast = [part for part in parts if _vectorisable(part, kernel)]
    return conjunction(fast), conjunction(part for part in parts if part not in fast)


def _vectorisable(expression: Expression, kernel: Kernel) -> bool:
    if bits_asked(expression, kernel) is not None:
        return True
    match expression:
        case Const() | Ref() | NumNodes() | NumArcs():
            return True
        case Load(array, index):
            return _slice(array, index, kernel) is not None
        case Unary(_, operand):
            return _vectorisable(operand, kernel)
        case Binary(operator, left, right):
            return operator not in _REFUSED and _vectorisable(left, kernel) and _vectorisable(right, kernel)
        case Cast(operand, element, keeps_inf):
            lossless = not (operand.element.is_real and not element.is_real)
            return lossless and not keeps_inf and _vectorisable(operand, kernel)
        case _:
            return False


def bits_asked(condition: Expression, kernel: Kernel) -> Array | None:
    """The array in which the condition asks for the bit of the iteration's own node, if that is what it does."""
    match condition:
        case Binary(
            BinaryOperator.NOT_EQUAL,
            Binary(
                BinaryOperator.BIT_AND,
                Load(bits, Binary(BinaryOperator.DIVIDE, Ref(node), Const(32))),
                Binary(BinaryOperator.SHIFT_LEFT, Const(1), Binary(BinaryOperator.REMAINDER, Ref(other), Const(32))),
            ),
            Const(0),
        ) if node == other == kernel.iterator and isinstance(kernel.domain, AllNodes):
            return bits if bits.extent is Extent.BITS else None
        case _:
            return None


def _slice(array: Array, index: Expression, kernel: Kernel) -> str | None:
    """The cells that the iterations read, as a slice."""
    nodes = isinstance(kernel.domain, AllNodes)
    match index, array.extent:
        case Ref(variable), Extent.NODES | Extent.NODES_AND_ONE if nodes and variable == kernel.iterator:
            return "[:n]"
        case Binary(BinaryOperator.ADD, Ref(variable), Const(1)), Extent.NODES_AND_ONE if (
            nodes and variable == kernel.iterator
        ):
            return "[1:n + 1]"
        case Ref(variable), Extent.ARCS if not nodes and variable == kernel.iterator:
            return "[:m]"
        case Const(0), Extent.ONE:
            return "[0]"
        case _:
            return None


def mask_text(kernel: Kernel, condition: Expression) -> str:
    """`def mask`, which says for every item whether `condition` holds."""
    arrays = {array.name: f"a{number}" for number, array in enumerate(kernel.arrays)}
    scalars = {variable.name: f"s{number}" for number, variable in enumerate(kernel.scalars)}
    body = _Vector(kernel, arrays, scalars).text(condition)
    return f"def mask({', '.join(['n', 'm', *arrays.values(), *scalars.values()])}):\n    return {body}\n"


class _Vector:
    """Writes one condition; every operation stands in its own brackets, since conditions are short."""

    def __init__(self, kernel: Kernel, arrays: dict[str, str], scalars: dict[str, str]) -> None:
        self.kernel, self.arrays, self.scalars = kernel, arrays, scalars

    def text(self, expression: Expression) -> str:
        bits = bits_asked(expression, self.kernel)
        if bits is not None:
            return f"own_bits({self.arrays[bits.name]}, n)"
        match expression:
            case Const(_, element):
                return f"{_type(element)}({literal(expression).text})"
            case Ref(variable):
                return self.variable(variable)
            case NumNodes(element):
                return f"{_type(element)}(n)"
            case NumArcs(element):
                return f"{_type(element)}(m)"
            case Load(array, index):
                return f"cells({self.arrays[array.name]}{_slice(array, index, self.kernel)}, {_type(array.element)})"
            case Unary(operator, operand):
                sign = "~" if operator is UnaryOperator.NOT else operator.value
                return f"({sign}{self.text(operand)})"
            case Binary(operator, left, right):
                return f"({self.text(left)} {_WORDS.get(operator, operator.value)} {self.text(right)})"
            case Cast(operand, Element.BOOL):
                return f"({self.text(operand)} != 0)"
            case Cast(operand, element):
                return f"{self.text(operand)}.astype({_type(element)})"
            case _:
                raise AssertionError(f"not for NumPy: {expression}")

    def variable(self, variable: Variable) -> str:
        if variable != self.kernel.iterator:
            return self.scalars[variable.name]
        count = "n" if isinstance(self.kernel.domain, AllNodes) else "m"
        return f"arange({count}, dtype={_type(variable.element)})"


def _type(element: Element) -> str:
    return DTYPES[element].__name__


def _cells(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], kind: type[np.generic]) -> object:
    """Cells as the type that is computed in: flags may come as bytes, arcs as 32-bit integers."""
    return array.astype(kind, copy=False)


def _own_bits(words: np.ndarray[tuple[int, ...], np.dtype[np.generic]], count: int) -> object:
    """For each of so many nodes whether its bit is set."""
    in_bytes = words.astype("<i4", copy=False).view(np.uint8)
    return np.unpackbits(in_bytes, count=count, bitorder="little").view(np.bool_)


OPERATIONS: Mapping[str, object] = {
    **{_type(element): kind for element, kind in DTYPES.items()},
    "arange": np.arange,
    "cells": _cells,
    "own_bits": _own_bits,
    "inf": np.inf,
    "nan": np.nan,
}


def numpy_scalar(variable: Variable, value: bool | int | float) -> np.generic:
    """A kernel's scalar as `mask` takes it."""
    assert not variable.element.is_integer or limits(variable.element)[0] <= value <= limits(variable.element)[1]
    return DTYPES[variable.element](value)
