"""C++ on the host: the words that emitted host functions are written in, the same on every target."""

from __future__ import annotations

from starplat.backends.cstmt import INDENT
from starplat.backends.launch import MOST_LISTED
from starplat.backends.spelling import Spelling
from starplat.ir.nodes import Array, Element, Extent, MathFunction

__all__ = ["CELLS", "CPP", "INDENT", "VALUES", "size_of"]

VALUES = {
    Element.BOOL: "bool",
    Element.INT: "int",
    Element.LONG: "long long",
    Element.FLOAT: "float",
    Element.DOUBLE: "double",
    Element.NODE: "int",
    Element.ARC: "arc_t",
}
CELLS = {**VALUES, Element.BOOL: "unsigned char"}


def _math(element: Element) -> dict[tuple[MathFunction, Element], str]:
    names = {function: f"std::{function.value}" for function in MathFunction}
    if element.is_real:
        names |= {MathFunction.MIN: "std::fmin", MathFunction.MAX: "std::fmax", MathFunction.ABS: "std::fabs"}
    else:
        kind = VALUES[element]
        names |= {MathFunction.MIN: f"std::min<{kind}>", MathFunction.MAX: f"std::max<{kind}>"}
    return {(function, element): name for function, name in names.items()}


CPP = Spelling(
    values=VALUES,
    parameters=VALUES,
    cells=CELLS,
    long_suffix="LL",
    largest={Element.INT: "INT_MAX", Element.NODE: "INT_MAX", Element.LONG: "LLONG_MAX", Element.ARC: "ARC_MAX"},
    smallest={Element.INT: "INT_MIN", Element.NODE: "INT_MIN", Element.LONG: "LLONG_MIN"},
    kernel="",
    whole_group_kernel="",
    function="static ",
    space="",
    restrict="",
    local_memory="",
    thread="",
    threads="",
    lane="",
    fence="",
    try_lock="",
    unlock="",
    atomics={},
    math={key: name for element in Element for key, name in _math(element).items()},
    saturating={element: f"saturated<{VALUES[element]}>" for element in Element if element.is_integer},
    saturating_helpers=dict.fromkeys(Element, "saturated"),
)
"""C++ on the host; it has no kernels."""

_SIZES = {
    Extent.ONE: "1",
    Extent.NODES: "graph.num_nodes",
    Extent.NODES_AND_ONE: "graph.num_nodes + 1",
    Extent.ARCS: "graph.num_arcs",
}


def size_of(array: Array) -> str:
    """How many cells an array has, in C++; a packed one has words."""
    if array.packed:
        return f"(graph.num_nodes + 31) / 32 + 4 + {MOST_LISTED}"
    return _SIZES[array.extent]
