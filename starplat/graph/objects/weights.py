"""Converts the weights of other libraries' edges, one Python object each, into an array."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import warn
from starplat.graph.errors import not_a_graph

_INT64 = np.iinfo(np.int64)


def weights_of(name: str, values: Sequence[Any], edge: Callable[[int], object]) -> NDArray[Any] | None:
    """The weights of edges, None where no edge has one. An edge without one among others that have one counts 1, as in
    NetworkX, with a warning.

    Args:
        values: a number for every edge, or None.
        edge: what messages call the edge of that number.

    Raises:
        DiagnosticError: E0814, a weight is no finite number.
    """
    if (kinds := set(map(type, values))) <= {type(None)}:
        return None
    if type(None) in kinds:
        first = next(number for number, value in enumerate(values) if value is None)
        warn(f"{name}: the edge {edge(first)} and perhaps others have no weight; they count 1")
        values = [1 if value is None else value for value in values]
    if kinds == {int}:
        with suppress(OverflowError):  # of whole numbers that are too large, `_reals` makes reals
            return np.array(values, np.int64)
    whole = all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds - {type(None)})
    if whole and _INT64.min <= min(values) and max(values) <= _INT64.max:
        return np.array(values, np.int64)
    return _reals(name, values, edge)


def _reals(name: str, values: Sequence[Any], edge: Callable[[int], object]) -> NDArray[np.float64]:
    numbers = all(issubclass(kind, Real | np.number) for kind in set(map(type, values)))
    try:
        reals = np.array(values, np.float64) if numbers else None
    except (TypeError, ValueError, OverflowError):
        reals = None  # one of them is no finite number: which, is found below
    if reals is not None and np.isfinite(reals).all():
        return reals
    wrong = next(number for number, value in enumerate(values) if not _is_finite(value))
    raise not_a_graph(f"{name}: the weight of {edge(wrong)} is {values[wrong]!r:.60}, which is no finite number")


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real | np.number) and bool(np.isfinite(float(value)))
    except (TypeError, OverflowError):
        return False
