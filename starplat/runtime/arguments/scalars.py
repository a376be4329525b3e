"""Converts one value of a caller, a Python object or text, to a scalar of the language's type.

Nothing is lost on the way: what does not fit raises `UnfitError` with the reason, and `arguments` makes it a message.
"""

import math
import re
from numbers import Integral, Real
from typing import Any

import numpy as np

from starplat.frontend.types import Scalar
from starplat.graph.graph import Graph
from starplat.graph.ids import Labelled
from starplat.ir import nodes as ir
from starplat.runtime.elements import Value, element_of

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_REAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fF]?\Z")
_INFINITY = {"INF": 1, "+INF": 1, "-INF": -1}
_WORDS = {"true": True, "True": True, "false": False, "False": False}

NONE = -1
"""No node, no edge."""


class UnfitError(Exception):
    """A value that its parameter cannot take; `out_of_range` if its kind was right."""

    def __init__(self, reason: str, *, out_of_range: bool = False) -> None:
        super().__init__(reason)
        self.out_of_range = out_of_range


def parsed(text: str) -> Value:
    """What a word of the command line says: a number, `INF`, `true`, `false`."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _INFINITY:
        return _INFINITY[text] * math.inf
    if text == "INT_MAX":
        return 2**31 - 1
    if _INTEGER.match(text) and len(text) < 40:
        return int(text)
    if _REAL.match(text):
        return float(text.rstrip("fF"))
    raise UnfitError(f"'{text}' is no number, true, false or INF")


def scalar(value: Any, kind: Scalar, graph: Graph) -> Value:
    """The value as `kind`; nodes are given by their original ids."""
    if isinstance(value, str) and kind is not Scalar.NODE:
        value = parsed(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    match kind:
        case Scalar.BOOL:
            return _bool(value)
        case Scalar.INT | Scalar.LONG:
            return _integer(value, kind)
        case Scalar.FLOAT | Scalar.DOUBLE:
            return _real(value, kind)
        case Scalar.NODE:
            return node(value, graph)
        case Scalar.EDGE:
            return _edge(value, graph)


def node(value: Any, graph: Graph) -> int:
    """The node with this original id; None is none, and so is -1 unless the graph has a node of that id.

    A text is an id as it is, or else the number that it spells.
    """
    found = NONE if value is None else graph.names.node_of(value)
    if found != NONE or value is None:
        return found
    named = isinstance(graph.names, Labelled)
    original = _spelt_number(value) if named else _whole(parsed(value) if isinstance(value, str) else value)
    return NONE if original == NONE and graph.names.node_of(NONE) == NONE else graph.node_of(original)


def _spelt_number(value: Any) -> Any:
    """The number that a text spells, else the value itself."""
    return int(value) if isinstance(value, str) and _INTEGER.match(value) and len(value) < 40 else value


def _edge(value: Any, graph: Graph) -> int:
    edge = _whole(value)
    if not NONE <= edge < graph.num_arcs:
        raise UnfitError(f"there is no edge {edge}; the graph has {graph.num_arcs:,}", out_of_range=True)
    return edge


def _bool(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise UnfitError(f"{_shown(value)} is not true or false")


def _integer(value: Any, kind: Scalar) -> int:
    if isinstance(value, (float, np.floating)) and math.isinf(value):
        largest = int(ir.infinity(element_of(kind)).value)
        return largest if value > 0 else -largest
    whole = _whole(value)
    lowest, highest = ir.limits(element_of(kind))
    if not lowest <= whole <= highest:
        raise UnfitError(f"{whole} does not lie in {lowest}..{highest}", out_of_range=True)
    return whole


def _real(value: Any, kind: Scalar) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise UnfitError(f"{_shown(value)} is not a number")
    try:
        real = float(value)
    except OverflowError:
        raise UnfitError(f"{value} is too large", out_of_range=True) from None
    if kind is Scalar.DOUBLE:
        return real
    with np.errstate(over="ignore"):
        rounded = float(np.float32(real))
    if math.isinf(rounded) and not math.isinf(real):
        raise UnfitError(f"{real} is too large for a float of 32 bits", out_of_range=True)
    return rounded


def _whole(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise UnfitError(f"{_shown(value)} is not a whole number")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value) and float(value).is_integer():
        return int(float(value))
    raise UnfitError(f"{_shown(value)} is not a whole number")


def _shown(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    text = repr(value) if not isinstance(value, (np.generic, np.ndarray)) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
