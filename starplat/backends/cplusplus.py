"""C++ wherever it runs: its types, its limits, and what its library calls functions of reals."""

from __future__ import annotations

from collections.abc import Mapping

from starplat.ir.nodes import Element, MathFunction

TYPES: Mapping[Element, str] = {
    Element.BOOL: "bool",
    Element.INT: "int",
    Element.LONG: "long long",
    Element.FLOAT: "float",
    Element.DOUBLE: "double",
    Element.NODE: "int",
    Element.ARC: "arc_t",
}
LONG_SUFFIX = "LL"
LARGEST: Mapping[Element, str] = {
    Element.INT: "INT_MAX",
    Element.NODE: "INT_MAX",
    Element.LONG: "LLONG_MAX",
    Element.ARC: "ARC_MAX",
}
SMALLEST: Mapping[Element, str] = {Element.INT: "INT_MIN", Element.NODE: "INT_MIN", Element.LONG: "LLONG_MIN"}

REALS: Mapping[MathFunction, str] = {
    **{function: function.value for function in MathFunction},
    MathFunction.MIN: "fmin",
    MathFunction.MAX: "fmax",
    MathFunction.ABS: "fabs",
}
"""Functions of DOUBLE."""


def of_reals(element: Element) -> dict[tuple[MathFunction, Element], str]:
    """The functions of FLOAT or DOUBLE, as C has them."""
    end = "f" if element is Element.FLOAT else ""
    return {(function, element): f"{name}{end}" for function, name in REALS.items()}
