"""Prints constants in a C-like language with their exact value and type."""

import math

import numpy as np

from starplat.backends.spelling import Spelling
from starplat.backends.text.helpers import Helpers
from starplat.ir import nodes as ir


def literal(constant: ir.Const, spelling: Spelling, helpers: Helpers, *, bare: bool = False) -> str:
    """A literal of exactly the constant's type; `bare` where a narrower one will be converted anyway."""
    value, element = constant.value, constant.element
    if element.is_real:
        return _real(float(value), element)
    if element is ir.Element.BOOL:
        return "true" if value else "false"
    smallest, largest = ir.limits(element)
    if value == largest and element in spelling.largest:
        return _largest(element, spelling, helpers)
    if value == smallest and element is ir.Element.ARC:
        return f"(-{_largest(element, spelling, helpers)} - 1)"
    if value == smallest and element in spelling.smallest:
        return spelling.smallest[element]
    wide = element is ir.Element.LONG and not (bare and abs(value) < 2**31)
    return f"{value}{spelling.long_suffix}" if wide else str(value)


def _largest(element: ir.Element, spelling: Spelling, helpers: Helpers) -> str:
    largest = spelling.largest[element]
    if element is ir.Element.ARC and largest.isidentifier():
        helpers.need("largest_arc")  # which gives the name its value
    return largest


def _real(value: float, element: ir.Element) -> str:
    """A real that reads back as the same number."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    if element is ir.Element.DOUBLE:
        return repr(value)
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    return "INFINITY" if np.isinf(narrow) else f"{_with_point(str(narrow))}f"


def _with_point(text: str) -> str:
    return text if any(mark in text for mark in ".en") else f"{text}.0"
