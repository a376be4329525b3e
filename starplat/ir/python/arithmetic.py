"""Arithmetic of the intermediate form, where Python's own operators differ.

Integers are Python's, kept inside 32 or 64 bits by `wrap32` and `wrap64`; reals are Python's floats and follow IEEE
without exceptions. `OPERATIONS` are these functions under the names that generated Python calls them by.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import Any, NoReturn

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir
from starplat.source import SourceFile, Span

Value = bool | int | float

_FLOAT = Struct("f")
_INT_RANGE = ir.limits(ir.Element.INT)
_LONG_RANGE = ir.limits(ir.Element.LONG)


class Fault(Exception):  # noqa: N818 - it is the program's error, not ours
    """A run of the program went wrong; the runner adds the place."""

    def __init__(self, code: str, message: str, help: str | None) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help

    def diagnosed(self, where: str, source: SourceFile | None, span: Span | None) -> DiagnosticError:
        """The fault as a diagnostic at the piece of program that ran."""
        place = None if source is None or span is None else Label(span, "while this ran")
        return DiagnosticError(Diagnostic(self.code, f"{self.message} in {where}", source, place, help=self.help))


# --- integers ------------------------------------------------------------------------------------------------------


def wrap32(value: int) -> int:
    """The lowest 32 bits, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def wrap64(value: int) -> int:
    """The lowest 64 bits, as a signed number."""
    return ((value + 0x8000000000000000) & 0xFFFFFFFFFFFFFFFF) - 0x8000000000000000


def divide(left: int, right: int) -> int:
    """The quotient, truncated toward zero."""
    if right == 0:
        raise _division_by_zero()
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: int, right: int) -> int:
    """What is left by `divide`: it has the sign of `left`."""
    if right == 0:
        raise _division_by_zero()
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _division_by_zero() -> Fault:
    return Fault("E0703", "division by zero", "check the divisor first; devices give an arbitrary number here")


def out_of_range(array: str, index: int, size: str) -> NoReturn:
    """Refuses an index: `size` says how many cells there are."""
    none = "; -1 stands for no node or no edge" if index == -1 else ""
    message = f"'{array}' has no cell {index} (it has {size})"
    raise Fault("E0704", message, f"test the index before it is used{none}")


def find_arc(row_offsets: Sequence[int], columns: Sequence[int], node_count: int, source: int, destination: int) -> int:
    """The lowest arc from `source` to `destination`, or -1."""
    if not 0 <= source < node_count:
        out_of_range("row_offsets", source, f"{node_count} nodes")
    end = row_offsets[source + 1]
    arc = bisect_left(columns, destination, row_offsets[source], end)
    return arc if arc < end and columns[arc] == destination else -1


def fit_arc(cells: memoryview, value: int) -> int:
    """The value, or the end of the range nearest to it where the cells are narrower: so INF stays INF."""
    lowest, highest = _INT_RANGE if cells.itemsize == 4 else _LONG_RANGE
    return min(max(value, lowest), highest)


# --- reals ---------------------------------------------------------------------------------------------------------


def round32(value: float) -> float:
    """The nearest single-precision number."""
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def real_divide(left: float, right: float) -> float:
    """The quotient; infinite or not a number where `right` is zero."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def square_root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else math.nan


def exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def logarithm(value: float) -> float:
    if value > 0:
        return math.log(value)
    return -math.inf if value == 0 else math.nan


def power(base: float, exponent: float) -> float:
    """C's pow."""
    negative = math.copysign(1.0, base) < 0 and exponent % 2 == 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if negative else math.inf
    except ValueError:
        if base != 0:
            return math.nan
        return -math.inf if negative else math.inf


def floor(value: float) -> float:
    return math.copysign(float(math.floor(value)), value) if math.isfinite(value) else value


def ceil(value: float) -> float:
    return math.copysign(float(math.ceil(value)), value) if math.isfinite(value) else value


def to_int32(value: float) -> int:
    """Truncated; the ends of the range beyond them, 0 for what is not a number."""
    return _saturated(value, *_INT_RANGE)


def to_int64(value: float) -> int:
    """As `to_int32`, for 64 bits."""
    return _saturated(value, *_LONG_RANGE)


def _saturated(value: float, lowest: int, highest: int) -> int:
    if lowest < value < highest:
        return int(value)
    if math.isnan(value):
        return 0
    return highest if value > 0 else lowest


# --- reductions ----------------------------------------------------------------------------------------------------


def identity(combine: ir.Combine, element: ir.Element) -> ir.Const:
    """What combined with any value of the type gives that value."""
    match combine:
        case ir.Combine.ADD | ir.Combine.BIT_OR | ir.Combine.BIT_XOR:
            return _constant(0, element)
        case ir.Combine.MULTIPLY:
            return _constant(1, element)
        case ir.Combine.AND:
            return ir.Const(True, element)
        case ir.Combine.OR:
            return ir.Const(False, element)
        case ir.Combine.BIT_AND:
            return ir.Const(True, element) if element is ir.Element.BOOL else ir.Const(-1, element)
        case ir.Combine.MIN:
            return ir.infinity(element)
        case ir.Combine.MAX:
            return ir.Const(-math.inf if element.is_real else ir.limits(element)[0], element)


def _constant(value: int, element: ir.Element) -> ir.Const:
    if element.is_real:
        return ir.Const(float(value), element)
    return ir.Const(bool(value) if element is ir.Element.BOOL else value, element)


_COMBINATIONS: dict[ir.Combine, Callable[[Any, Any], Any]] = {
    ir.Combine.ADD: lambda a, b: a + b,
    ir.Combine.MULTIPLY: lambda a, b: a * b,
    ir.Combine.AND: lambda a, b: bool(a) and bool(b),
    ir.Combine.OR: lambda a, b: bool(a) or bool(b),
    ir.Combine.BIT_AND: lambda a, b: a & b,
    ir.Combine.BIT_OR: lambda a, b: a | b,
    ir.Combine.BIT_XOR: lambda a, b: a ^ b,
    ir.Combine.MIN: lambda a, b: b if b < a else a,
    ir.Combine.MAX: lambda a, b: b if b > a else a,
}


def combined(combine: ir.Combine, element: ir.Element, old: Value, new: Value) -> Value:
    """`old combine new`: what becomes of a host variable when a launch's contributions `new` arrive."""
    return settled(element, _COMBINATIONS[combine](old, new))


def settled(element: ir.Element, value: Any) -> Value:
    """A computed number as a value of `element`: wrapped around, rounded, or made a bool."""
    return SETTLED[element](value)


SETTLED: Mapping[ir.Element, Callable[[Any], Value]] = {
    ir.Element.BOOL: bool,
    ir.Element.INT: lambda value: wrap32(int(value)),
    ir.Element.NODE: lambda value: wrap32(int(value)),
    ir.Element.LONG: lambda value: wrap64(int(value)),
    ir.Element.ARC: lambda value: wrap64(int(value)),
    ir.Element.FLOAT: lambda value: round32(float(value)),
    ir.Element.DOUBLE: float,
}
"""What makes of a computed number a value of an element."""


OPERATIONS: Mapping[str, object] = {
    **{
        function.__name__: function
        for function in (
            *(wrap32, wrap64, divide, remainder, out_of_range, find_arc, fit_arc, round32, real_divide),
            *(square_root, exponential, logarithm, power, floor, ceil, to_int32, to_int64),
            *(abs, bool, range),
        )
    },
    "inf": math.inf,
    "nan": math.nan,
}
