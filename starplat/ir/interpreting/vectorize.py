"""Evaluates a kernel's filter for all iterations at once with NumPy, as far as it can be.

A condition can be if it reads only cells at the iterator (or beside it, in row offsets) and scalars, and cannot fail.
The text that comes out has the same arguments as the kernel, arrays as ndarrays and scalars as NumPy scalars of the
right width, so that integers wrap around.
"""

from collections.abc import Mapping

import numpy as np

from starplat.ir import conditions, nodes as ir
from starplat.ir.python.text import literal

DTYPES: Mapping[ir.Element, type[np.generic]] = {
    ir.Element.BOOL: np.bool_,
    ir.Element.INT: np.int32,
    ir.Element.NODE: np.int32,
    ir.Element.LONG: np.int64,
    ir.Element.ARC: np.int64,
    ir.Element.FLOAT: np.float32,
    ir.Element.DOUBLE: np.float64,
}
"""What an ndarray of each element type holds; an ARC array may also hold 32-bit integers."""

_WORDS = {ir.BinaryOperator.AND: "&", ir.BinaryOperator.OR: "|"}
_REFUSED = {ir.BinaryOperator.DIVIDE, ir.BinaryOperator.REMAINDER, ir.BinaryOperator.ADD_INF}


def split_filter(kernel: ir.Kernel) -> tuple[ir.Expression | None, ir.Expression | None]:
    """The filter as one condition for `mask_text` and one to be tested in each iteration: both must hold."""
    if kernel.filter is None or not isinstance(kernel.domain, ir.AllNodes | ir.AllArcs):
        return None, kernel.filter
    parts = list(conditions.conjuncts(kernel.filter))
    fast = [part for part in parts if _vectorisable(part, kernel)]
    return conditions.conjunction(fast), conditions.conjunction(part for part in parts if part not in fast)


def _vectorisable(expression: ir.Expression, kernel: ir.Kernel) -> bool:
    if bits_asked(expression, kernel) is not None:
        return True
    match expression:
        case ir.Const() | ir.Ref() | ir.NumNodes() | ir.NumArcs():
            return True
        case ir.Load(array, index):
            return _slice(array, index, kernel) is not None
        case ir.Unary(_, operand):
            return _vectorisable(operand, kernel)
        case ir.Binary(operator, left, right):
            return operator not in _REFUSED and _vectorisable(left, kernel) and _vectorisable(right, kernel)
        case ir.Cast(operand, element, keeps_inf):
            lossless = not (operand.element.is_real and not element.is_real)
            return lossless and not keeps_inf and _vectorisable(operand, kernel)
    return False


def bits_asked(condition: ir.Expression, kernel: ir.Kernel) -> ir.Array | None:
    """The array in which the condition tests the bit of the iteration's own node, if that is what it does."""
    match condition:
        case ir.Binary(
            ir.BinaryOperator.NOT_EQUAL,
            ir.Binary(
                ir.BinaryOperator.BIT_AND,
                ir.Load(bits, ir.Binary(ir.BinaryOperator.DIVIDE, ir.Ref(node), ir.Const(32))),
                ir.Binary(
                    ir.BinaryOperator.SHIFT_LEFT,
                    ir.Const(1),
                    ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(other), ir.Const(32)),
                ),
            ),
            ir.Const(0),
        ) if node == other == kernel.iterator and isinstance(kernel.domain, ir.AllNodes):
            return bits if bits.extent is ir.Extent.BITS else None
    return None


def _slice(array: ir.Array, index: ir.Expression, kernel: ir.Kernel) -> str | None:
    """The cells that the iterations read, as a slice."""
    nodes = isinstance(kernel.domain, ir.AllNodes)
    match index, array.extent:
        case ir.Ref(variable), ir.Extent.NODES | ir.Extent.NODES_AND_ONE if nodes and variable == kernel.iterator:
            return "[:n]"
        case ir.Binary(ir.BinaryOperator.ADD, ir.Ref(variable), ir.Const(1)), ir.Extent.NODES_AND_ONE if (
            nodes and variable == kernel.iterator
        ):
            return "[1:n + 1]"
        case ir.Ref(variable), ir.Extent.ARCS if not nodes and variable == kernel.iterator:
            return "[:m]"
        case ir.Const(0), ir.Extent.ONE:
            return "[0]"
    return None


def mask_text(kernel: ir.Kernel, condition: ir.Expression) -> str:
    """`def mask`, which says for every item whether `condition` holds."""
    arrays = {array.name: f"a{number}" for number, array in enumerate(kernel.arrays)}
    scalars = {variable.name: f"s{number}" for number, variable in enumerate(kernel.scalars)}
    body = _Vector(kernel, arrays, scalars).text(condition)
    return f"def mask({', '.join(['n', 'm', *arrays.values(), *scalars.values()])}):\n    return {body}\n"


class _Vector:
    """Writes one condition; every operation stands in its own brackets, since conditions are short."""

    def __init__(self, kernel: ir.Kernel, arrays: dict[str, str], scalars: dict[str, str]) -> None:
        self.kernel, self.arrays, self.scalars = kernel, arrays, scalars

    def text(self, expression: ir.Expression) -> str:
        if (bits := bits_asked(expression, self.kernel)) is not None:
            return f"own_bits({self.arrays[bits.name]}, n)"
        match expression:
            case ir.Const(_, element):
                return f"{_type(element)}({literal(expression).text})"
            case ir.Ref(variable):
                return self.variable(variable)
            case ir.NumNodes(element):
                return f"{_type(element)}(n)"
            case ir.NumArcs(element):
                return f"{_type(element)}(m)"
            case ir.Load(array, index):
                return f"cells({self.arrays[array.name]}{_slice(array, index, self.kernel)}, {_type(array.element)})"
            case ir.Unary(operator, operand):
                sign = "~" if operator is ir.UnaryOperator.NOT else operator.value
                return f"({sign}{self.text(operand)})"
            case ir.Binary(operator, left, right):
                return f"({self.text(left)} {_WORDS.get(operator, operator.value)} {self.text(right)})"
            case ir.Cast(operand, ir.Element.BOOL):
                return f"({self.text(operand)} != 0)"
            case ir.Cast(operand, element):
                return f"{self.text(operand)}.astype({_type(element)})"
        raise AssertionError(f"not for NumPy: {expression}")

    def variable(self, variable: ir.Variable) -> str:
        if variable != self.kernel.iterator:
            return self.scalars[variable.name]
        count = "n" if isinstance(self.kernel.domain, ir.AllNodes) else "m"
        return f"arange({count}, dtype={_type(variable.element)})"


def _type(element: ir.Element) -> str:
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


def numpy_scalar(variable: ir.Variable, value: bool | int | float) -> np.generic:
    """A kernel's scalar as `mask` takes it."""
    assert not variable.element.is_integer or ir.limits(variable.element)[0] <= value <= ir.limits(variable.element)[1]
    return DTYPES[variable.element](value)
