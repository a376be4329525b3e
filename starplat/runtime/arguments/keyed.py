"""Values keyed by node or arc, and their places in the graph's order.

A node goes by its original id, an arc by the ids of both ends; parallel arcs take the values of their ends in turn. In
an undirected graph a value for an edge is for both of its arcs, unless the other one has a value too. What is not
named keeps what a property starts with, 0 or False. The values themselves are not looked at here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.frontend.types import Carrier, PropertyType
from starplat.graph.graph import Graph
from starplat.graph.ids import Labelled, label_array
from starplat.runtime.arguments.scalars import NONE, UnfitError, node

Ids = NDArray[Any]
"""Original ids: numbers, or objects, or the words that spell them."""


@dataclass(frozen=True, eq=False)
class Keyed:
    """`values` [k] beside what they are for: the ids of k nodes, or of both ends of k arcs."""

    ids: tuple[Ids, ...]
    values: NDArray[Any]


def keyed_by(mapping: Mapping[Any, Any], kind: PropertyType) -> Keyed:
    """The values of a dictionary under ids of nodes, or under pairs of them; `(u, v, k)` is the kth of parallel arcs.
    Raises UnfitError: a property of edges has a key that is neither a pair nor such a triple."""
    if kind.carrier is Carrier.NODE:
        return Keyed((label_array(mapping),), array_of(list(mapping.values())))
    for key in mapping:
        if not isinstance(key, tuple) or (len(key) != 2 and not _is_triple(key)):
            raise UnfitError(f"{key!r} is no edge, which is a pair of ids, (source, destination), or (u, v, k) for the "
                             "kth of parallel ones")  # fmt: skip
    edges = sorted(mapping, key=lambda edge: edge[2] if len(edge) == 3 else 0)
    values = array_of([mapping[edge] for edge in edges])
    return Keyed((label_array(edge[0] for edge in edges), label_array(edge[1] for edge in edges)), values)


def _is_triple(key: tuple[Any, ...]) -> bool:
    return len(key) == 3 and isinstance(key[2], int) and not isinstance(key[2], bool)


def keyed_series(value: Any, kind: PropertyType) -> Keyed | None:
    """The values of a pandas series under its index; None where that only counts from 0, and for all else. Raises
    UnfitError: the index has another number of levels than ids are needed."""
    index: Any = getattr(value, "index", None)
    if not hasattr(index, "get_level_values") or not hasattr(value, "to_numpy"):
        return None
    if type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1):
        return None
    needed = 1 if kind.carrier is Carrier.NODE else 2
    if index.nlevels != needed:
        raise UnfitError(f"its index has {index.nlevels} levels instead of {needed}, the ids of {_whose(kind)}")
    return Keyed(tuple(np.asarray(index.get_level_values(level)) for level in range(needed)), value.to_numpy())


def _whose(kind: PropertyType) -> str:
    return "nodes" if kind.carrier is Carrier.NODE else "both ends of edges"


def array_of(values: list[Any]) -> NDArray[Any]:
    """The values as an array of numbers where they are of one kind, else of objects, so that none is changed."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        return np.array(values)
    return label_array(values)


def places(keyed: Keyed, kind: PropertyType, graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes or arcs, and beside each which of the values it gets. Raises UnfitError: one is named twice, or arcs
    between two nodes have more or fewer values than there are arcs; E0816: there is no such node."""
    ends = [_nodes(ids, graph) for ids in keyed.ids]
    if kind.carrier is Carrier.NODE:
        found = ends[0]
        counts = np.bincount(found, minlength=1)
        if counts.max(initial=0) > 1:
            raise UnfitError(f"node {graph.original_id(int(counts.argmax()))} has two values")
        return found, np.arange(len(found))
    which = np.arange(len(ends[0]))
    if not graph.directed:
        alone = _named_one_way(ends[0], ends[1], graph)
        which = np.concatenate([which, alone])
        ends = [np.concatenate([ends[0], ends[1][alone]]), np.concatenate([ends[1], ends[0][alone]])]
    return _arcs(ends[0], ends[1], graph), which


def _named_one_way(source: NDArray[np.int64], destination: NDArray[np.int64], graph: Graph) -> NDArray[np.int64]:
    """Which values are for an arc whose other direction has none."""
    n = np.int64(graph.num_nodes)
    return np.flatnonzero(~np.isin(destination * n + source, source * n + destination))


def _nodes(ids: Ids, graph: Graph) -> NDArray[np.int64]:
    found = graph.names.nodes_of(ids if isinstance(graph.names, Labelled) else _as_numbers(ids)).astype(np.int64)
    missed = np.flatnonzero(found == NONE)
    others = ids[missed].tolist()
    known = {id: node(id, graph) for id in dict.fromkeys(others)}
    found[missed] = [known[id] for id in others]
    if (found == NONE).any():
        raise UnfitError("-1 stands for none and has no value", out_of_range=True)
    return found


def _as_numbers(ids: Ids) -> Ids:
    """The numbers that all of the words spell, else the ids as they are."""
    if ids.dtype.kind != "U":
        return ids
    try:
        return np.array(list(map(int, ids.tolist())), np.int64)
    except (ValueError, OverflowError):
        return ids


def _arcs(source: NDArray[np.int64], destination: NDArray[np.int64], graph: Graph) -> NDArray[np.int64]:
    """The arcs between these ends, of parallel ones the first for the first value."""
    n = np.int64(graph.num_nodes)
    there = graph.sources.astype(np.int64) * n + graph.columns
    wanted = source * n + destination
    order = np.argsort(wanted, kind="stable")
    ordered = wanted[order]
    first = np.searchsorted(there, ordered, "left")
    available = np.searchsorted(there, ordered, "right") - first
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered, "left")
    given = np.searchsorted(ordered, ordered, "right") - np.searchsorted(ordered, ordered, "left")
    for arc in np.flatnonzero(available != given)[:1]:
        raise _uneven(int(ordered[arc]), int(available[arc]), int(given[arc]), graph)
    found = np.empty(len(ordered), np.int64)
    found[order] = first + rank
    return found


def _uneven(ends: int, available: int, given: int, graph: Graph) -> UnfitError:
    between = " to ".join(str(graph.original_id(end)) for end in divmod(ends, graph.num_nodes))
    if not available:
        return UnfitError(f"there is no edge from {between}", out_of_range=True)
    edges = "1 edge" if available == 1 else f"{available:,} edges"
    return UnfitError(f"{edges} from {between} cannot take {given:,} value{'s' * (given != 1)}")
