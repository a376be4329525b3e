"""Converts sequences of a caller to the cells of a property or a set, or to the elements of a list, and cells back.

Conversions lose nothing or are refused. In a property of nodes, cells of type `node` hold original ids outside and node
numbers inside; none is -1 in both, or None outside where ids are names."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.frontend.types import Carrier, ListType, PropertyType, Scalar, SetType
from starplat.graph.graph import Graph
from starplat.graph.ids import Counted
from starplat.graph.updates import ADD, Updates
from starplat.ir import nodes as ir
from starplat.runtime.arguments.caller_arrays import on_a_device
from starplat.runtime.arguments.keyed import Keyed, keyed_by, keyed_series, places
from starplat.runtime.arguments.scalars import NONE, UnfitError, node, scalar
from starplat.runtime.elements import Cells, Returned, Value, dtype_of, element_of, for_all


def property_cells(value: Any, kind: PropertyType, graph: Graph) -> Cells:
    """The cells of a property, to be read: from one value for all (see `elements.for_all`), an array with one for every
    node or arc, or values by id. Raises UnfitError: values of another kind, or that would be changed, or that are for
    nothing in the graph; E0707, another length; E0816, no node has this id."""
    value = keyed_by(value, kind) if isinstance(value, Mapping) else keyed_series(value, kind) or value
    if isinstance(value, Keyed):
        return _keyed_cells(value, kind, graph)
    if np.ndim(value) == 0:
        cell = dtype_of(element_of(kind.element), wide_arcs=True).type(scalar(value, kind.element, graph))
        return for_all(cell, _count(kind, graph))
    array = np.asarray(value)
    count = _count(kind, graph)
    if array.shape != (count,):
        raise _wrong_length(array, kind, count)
    return inside(array, kind.element, graph)


def _keyed_cells(keyed: Keyed, kind: PropertyType, graph: Graph) -> Cells:
    cells: Cells = np.zeros(_count(kind, graph), dtype_of(element_of(kind.element), wide_arcs=True))
    found, which = places(keyed, kind, graph)
    cells[found] = inside(keyed.values, kind.element, graph)[which]
    return cells


def inside(array: NDArray[Any], kind: Scalar, graph: Graph) -> Cells:
    """An array of values as cells: nodes by their numbers. Raises UnfitError: values of another kind, or that would be
    changed; E0816: no node has this id."""
    return _nodes_inside(array, graph) if kind is Scalar.NODE else _converted(array, kind, graph)


def numbered_cells(array: NDArray[Any], kind: PropertyType, graph: Graph) -> Cells:
    """As `property_cells`, but nodes are numbers 0..n-1, as arrays on devices hold them, or -1."""
    if kind.element is not Scalar.NODE or array.shape != (_count(kind, graph),):
        return property_cells(array, kind, graph)
    _require_numbers(array, NONE, graph)
    return array.astype(np.int32)


def numbered_members(array: NDArray[Any], kind: SetType, graph: Graph) -> Cells:
    """As `members`, but nodes are numbers 0..n-1."""
    if array.dtype == np.bool_ or kind.member is not Scalar.NODE:
        return members(array, kind, graph)
    _require_numbers(array, 0, graph)
    flags: Cells = np.zeros(graph.num_nodes, np.bool_)
    flags[array] = True
    return flags


def _require_numbers(array: NDArray[Any], lowest: int, graph: Graph) -> None:
    if array.dtype.kind not in "iu":
        raise UnfitError(f"{array.dtype} are no numbers of nodes")
    if array.size and not lowest <= int(array.min()) <= int(array.max()) < graph.num_nodes:
        wrong = int(array.min() if array.min() < lowest else array.max())
        message = f"on a device nodes are numbers 0..{graph.num_nodes - 1}, and {wrong} is none"
        raise UnfitError(message, out_of_range=True)


def members(value: Any, kind: SetType, graph: Graph) -> Cells:
    """A set as a flag for every node or arc, from original ids of nodes (numbers of arcs), or from such flags."""
    count = graph.num_nodes if kind.member is Scalar.NODE else graph.num_arcs
    if isinstance(value, np.ndarray) and value.dtype == np.bool_:
        if value.shape != (count,):
            raise UnfitError(f"{value.size:,} flags were given for {count:,}")
        return value.copy()
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise UnfitError(f"{value!r} is no list of ids")
    flags: Cells = np.zeros(count, np.bool_)
    for item in value:
        if (index := int(scalar(item, kind.member, graph))) == NONE:
            raise UnfitError("-1 stands for none and cannot be a member", out_of_range=True)
        flags[index] = True
    return flags


def shown_cells(cells: Cells, kind: PropertyType, graph: Graph) -> Cells:
    """Cells as a caller sees them: nodes by their original ids, none as -1, or as None beside names."""
    if kind.element is not Scalar.NODE:
        return cells
    if graph.names == Counted(0, graph.num_nodes):
        return cells.astype(np.int64)
    ids = graph.original_ids
    none_is_free = graph.names.node_of(NONE) == NONE
    is_named = ids.dtype == object or not none_is_free
    wide: Any = object if is_named or (ids.dtype.kind == "u" and int(ids.max(initial=0)) >= 2**63) else np.int64
    shown = cells.astype(wide)
    named = (cells >= 0) & (cells < graph.num_nodes)
    shown[named] = ids[cells[named]].astype(wide)
    if is_named:
        shown[cells == NONE] = None
    return shown


def shown_returned(kinds: Sequence[Scalar | ListType], returned: Returned, graph: Graph) -> Any:
    """What a function returned as a caller sees it: nodes by their original ids; a tuple of several values, a list of
    elements."""
    values = returned if isinstance(returned, tuple) else (returned,)
    shown = [_shown(kind, value, graph) for kind, value in zip(kinds, values, strict=False)]
    return tuple(shown) if len(shown) > 1 else shown[0] if shown else None


def _shown(kind: Scalar | ListType, value: Returned, graph: Graph) -> Any:
    if isinstance(value, list):
        assert isinstance(kind, ListType)
        assert isinstance(kind.element, Scalar)
        return [_shown(kind.element, one, graph) for one in value]
    assert not isinstance(value, tuple)
    is_node = kind is Scalar.NODE and value is not None and 0 <= value < graph.num_nodes
    return graph.original_id(int(value or 0)) if is_node else value


def _count(kind: PropertyType, graph: Graph) -> int:
    return graph.num_nodes if kind.carrier is Carrier.NODE else graph.num_arcs


def _nodes_inside(array: NDArray[Any], graph: Graph) -> Cells:
    if not array.size:
        return np.zeros(0, np.int32)
    if array.dtype.kind not in "iuOUT":
        raise UnfitError(f"{array.dtype} are no ids of nodes")
    inside = graph.names.nodes_of(array)
    missed = np.flatnonzero(inside == NONE)
    others = array[missed].tolist()
    known = {original: node(original, graph) for original in set(others)}  # refuses all that is no node and not none
    inside[missed] = [known[original] for original in others]
    return inside


def _converted(array: NDArray[Any], kind: Scalar, graph: Graph) -> Cells:
    dtype = dtype_of(element_of(kind), wide_arcs=True)
    if array.dtype == dtype or not array.size:
        return array.astype(dtype)
    if array.dtype.kind == "O":
        return np.array([scalar(item, kind, graph) for item in array.tolist()], dtype)
    if array.dtype.kind not in "biuf" or (array.dtype.kind == "b") != (kind is Scalar.BOOL):
        raise UnfitError(f"{array.dtype} cannot become {kind}")
    return _real_cells(array, dtype) if kind.is_real else _integer_cells(array, kind, dtype)


def _real_cells(array: NDArray[Any], dtype: np.dtype[Any]) -> Cells:
    """Reals may be rounded to the nearest, as constants of a program are; whole numbers may not change."""
    with np.errstate(over="ignore"):
        cells: Cells = array.astype(dtype)
    if array.dtype.kind in "iu" and not np.array_equal(cells.astype(np.float64), array.astype(object)):
        raise UnfitError(f"{dtype} has no room for all digits of a value", out_of_range=True)
    if np.any(np.isinf(cells) != np.isinf(array.astype(np.float64))):
        raise UnfitError(f"a value is too large for {dtype}", out_of_range=True)
    return cells


def _integer_cells(array: NDArray[Any], kind: Scalar, dtype: np.dtype[Any]) -> Cells:
    """Whole numbers in range; infinities become INF."""
    if array.dtype.kind == "f":
        infinite, signs = np.isinf(array), np.sign(array)
        array = np.where(infinite, 0, array)
        if not np.array_equal(array, np.trunc(array)):
            raise UnfitError(f"not every value is a whole number, as {kind} needs")
        cells = _in_range(array, kind, dtype)
        largest = ir.infinity(element_of(kind)).value
        cells[infinite] = np.where(signs[infinite] > 0, largest, -largest)
        return cells
    return _in_range(array, kind, dtype)


def _in_range(array: NDArray[Any], kind: Scalar, dtype: np.dtype[Any]) -> Cells:
    lowest, highest = ir.limits(element_of(kind))
    smallest, largest = array.min().item(), array.max().item()
    if smallest < lowest or largest > highest:
        wrong = int(smallest if smallest < lowest else largest)
        raise UnfitError(f"{wrong} does not lie in {lowest}..{highest}", out_of_range=True)
    return array.astype(dtype)


def _wrong_length(array: NDArray[Any], kind: PropertyType, count: int) -> DiagnosticError:
    have = f"{array.size:,} values" if array.ndim == 1 else f"an array of shape {array.shape}"
    what = "nodes" if kind.carrier is Carrier.NODE else "arcs"
    message = f"{have} were given for a {kind}, but the graph has {count:,} {what}"
    help = f"give one value for every one of its {what}, in the graph's order"
    return DiagnosticError(Diagnostic("E0707", message, help=help))


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
