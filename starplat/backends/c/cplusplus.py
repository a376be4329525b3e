"""C++ on host and device: types, limits, library functions of reals."""

from collections.abc import Mapping

from starplat.backends.spelling import Spelling
from starplat.ir import nodes as ir

TYPES: Mapping[ir.Element, str] = {
    ir.Element.BOOL: "bool",
    ir.Element.INT: "int",
    ir.Element.LONG: "long long",
    ir.Element.FLOAT: "float",
    ir.Element.DOUBLE: "double",
    ir.Element.NODE: "int",
    ir.Element.ARC: "arc_t",
}
LARGEST: Mapping[ir.Element, str] = {
    ir.Element.INT: "INT_MAX",
    ir.Element.NODE: "INT_MAX",
    ir.Element.LONG: "LLONG_MAX",
    ir.Element.ARC: "ARC_MAX",
}
SMALLEST: Mapping[ir.Element, str] = {
    ir.Element.INT: "INT_MIN",
    ir.Element.NODE: "INT_MIN",
    ir.Element.LONG: "LLONG_MIN",
}

CPLUSPLUS = Spelling(
    values=TYPES,
    parameters=TYPES,
    cells=TYPES,
    long_suffix="LL",
    largest=LARGEST,
    smallest=SMALLEST,
    math={},
    saturating={element: f"saturated<{TYPES[element]}>" for element in ir.Element if element.is_integer},
    saturating_helpers=dict.fromkeys(ir.Element, "saturated"),
)
"""What is the same wherever C++ is written; targets have functions of their own."""

REALS: Mapping[ir.MathFunction, str] = {
    **{function: function.value for function in ir.MathFunction},
    ir.MathFunction.MIN: "fmin",
    ir.MathFunction.MAX: "fmax",
    ir.MathFunction.ABS: "fabs",
}
"""Functions of DOUBLE."""


def of_reals(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    """The functions of FLOAT or DOUBLE, as C has them."""
    end = "f" if element is ir.Element.FLOAT else ""
    return {function: f"{name}{end}" for function, name in REALS.items()}
