"""Lists of a caller as programs take them: elements in their order; of updates four arrays, then three numbers."""

from collections.abc import Iterable, Mapping, Set

import numpy as np

from starplat.frontend.types import ListType, Scalar
from starplat.graph.graph import Graph
from starplat.graph.updates import ADD, Updates
from starplat.runtime.arguments.caller_arrays import on_a_device
from starplat.runtime.arguments.properties import inside
from starplat.runtime.arguments.scalars import UnfitError, scalar
from starplat.runtime.elements import Cells, Value


def elements(value: object, kind: ListType, graph: Graph) -> tuple[Value, ...]:
    """The elements of a list from a sequence, an array of one dimension, or anything that gives them in an order; nodes
    by their original ids, -1 or None for none. Raises UnfitError: it is none of these, or an element does not fit;
    E0816: no node has this id."""
    assert isinstance(kind.element, Scalar)
    if on_a_device(value):
        raise UnfitError("the array lies on a device, and a list is the host's")
    flat = not isinstance(value, np.ndarray) or value.ndim == 1
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable) or not flat:
        raise UnfitError(f"'{type(value).__name__}' is no sequence of elements")
    if isinstance(value, np.ndarray) and kind.element is not Scalar.EDGE:  # whose numbers depend on the graph
        return tuple(inside(value, kind.element, graph).tolist())
    given = value.tolist() if isinstance(value, np.ndarray) else value
    return tuple(_element(place, one, kind.element, graph) for place, one in enumerate(given))


def _element(place: int, value: object, kind: Scalar, graph: Graph) -> Value:
    try:
        return scalar(value, kind, graph)
    except UnfitError as unfit:
        raise UnfitError(f"element {place}: {unfit}", out_of_range=unfit.out_of_range) from None


def taken_apart(updates: Updates, length: int) -> tuple[Cells, ...]:
    """Whether each adds, its source, its destination, its weight as a double; zeros fill up to `length`."""
    weights = np.ones(len(updates)) if updates.weights is None else updates.weights.astype(np.float64)
    columns = (updates.kinds == ADD, updates.sources, updates.destinations, weights)
    return tuple(np.concatenate([column, np.zeros(length - len(updates), column.dtype)]) for column in columns)
