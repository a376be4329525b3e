"""Makes updates of objects: the record itself, tuples of arrays, lists of tuples, tables of other libraries."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.graph.csr import Nodes
from starplat.graph.errors import no_such_node, quoted
from starplat.graph.graph import Graph
from starplat.graph.ids import ABSENT
from starplat.graph.objects import columns, host_array
from starplat.graph.objects.columns import find_columns as find_edge_columns, plain_column
from starplat.graph.updates.updates import ADD, DELETE, KINDS, Updates

KIND_NAMES = ("kind", "op", "operation", "update", "type")


def updates_from(obj: Any, graph: Graph) -> Updates:
    """The updates of `graph` that an object holds; nodes go by the graph's own ids for them.

    `obj`: an `Updates` made for this graph; a tuple (kinds, sources, destinations) or (kinds, sources, destinations,
    weights) of arrays; a list of tuples ("a", u, v), ("a", u, v, weight), ("d", u, v); a pandas, polars or pyarrow
    table with a column `kind` (or op, operation, update, type) beside those of edges. A kind is "a" or "add", "d" or
    "delete", or in arrays the number ADD, 1, or DELETE, 0. Raises E0819, it holds no updates; E0816, the graph has no
    such node.
    """
    if isinstance(obj, Updates):
        return _fitting(obj, graph)
    if isinstance(obj, tuple) and len(obj) in (3, 4) and not isinstance(obj[0], str):
        kinds, sources, destinations, *weights = map(host_array, obj)
        return _of_columns(graph, "updates", kinds, sources, destinations, weights[0] if weights else None)
    if columns.column_names(obj) is not None:
        return updates_of_table(obj, graph, "updates")
    if isinstance(obj, Iterable) and not isinstance(obj, str | bytes | Mapping | np.ndarray):
        return _of_tuples(list(obj), graph)
    raise no_updates(f"a {type(obj).__module__}.{type(obj).__qualname__} holds no updates that starplat knows")


def no_updates(message: str) -> DiagnosticError:
    """E0819: an object or a table that holds no updates."""
    help = (
        "give a list of ('a', u, v), ('a', u, v, weight) and ('d', u, v), arrays (kinds, sources, destinations), a "
        "table with columns kind, src and dst, or a file's name"
    )
    return DiagnosticError(Diagnostic("E0819", message, help=help))


def find_columns(names: Sequence[str]) -> tuple[int, int, int, int | None] | None:
    """Which columns are the kind, the source, the destination and the weight, or None where the names do not tell."""
    plain = [name.strip().strip('"').lower() for name in names]
    kind = next((plain.index(name) for name in KIND_NAMES if name in plain), None)
    edges = find_edge_columns(names)
    return None if kind is None or edges is None else (kind, *edges)


def expected_columns(names: Sequence[str]) -> str:
    """What a message says of columns that tell nothing."""
    return f"the columns {', '.join(names)} name no updates; expected 'kind', 'src' and 'dst', perhaps 'weight'"


def updates_of_table(obj: Any, graph: Graph, name: str) -> Updates:
    """The updates in a table of another library; other columns may hold anything. Raises E0814, E0819 or E0816: a
    column is missing, lacks a value or holds a wrong one."""
    names = columns.column_names(obj) or []
    if (found := find_columns(names)) is None:
        raise no_updates(f"{name}: {expected_columns(names)}")
    kinds, sources, destinations = (columns.complete_column(obj, names[i], name) for i in found[:3])
    weights = None if found[3] is None else columns.column_of(obj, names[found[3]])
    return _of_columns(graph, name, kinds, sources, destinations, weights)


def _of_tuples(listed: list[Any], graph: Graph) -> Updates:
    for number, update in enumerate(listed):
        if not isinstance(update, tuple | list) or len(update) not in (3, 4):
            raise no_updates(f"update {number} is {quoted(update)}, not (kind, u, v) or (kind, u, v, weight)")
    kinds, sources, destinations = (plain_column([update[i] for update in listed]) for i in range(3))
    weights = None
    if any(len(update) == 4 for update in listed):
        weights = np.array([1 if len(update) == 3 else update[3] for update in listed])
    return _of_columns(graph, "updates", kinds, sources, destinations, weights)


def _of_columns(
    graph: Graph,
    name: str,
    kinds: NDArray[Any],
    sources: NDArray[Any],
    destinations: NDArray[Any],
    weights: NDArray[Any] | None,
) -> Updates:
    given = [kinds, sources, destinations, *([] if weights is None else [weights])]
    if len({column.shape for column in given}) != 1 or kinds.ndim != 1:
        raise no_updates(f"{name}: kinds, sources, destinations and weights must be arrays of one length")
    which = _kinds(name, kinds)
    sources, destinations = (_nodes(graph, name, column) for column in (sources, destinations))
    return Updates.of(graph, which, sources, destinations, _weights(name, which, weights))


def _weights(name: str, kinds: NDArray[np.int8], weights: NDArray[Any] | None) -> NDArray[Any] | None:
    """The weights of additions; what deletions have there is no matter, and is often missing."""
    added = np.flatnonzero(kinds == ADD)
    if weights is None or not len(added):
        return None
    values = np.array(weights[added].tolist())
    if values.dtype.kind not in "iufb":
        raise no_updates(f"{name}: weights must be numbers, not {values.dtype}")
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise no_updates(f"{name}: the weight of update {added[wrong[0]]} is {values[wrong[0]]}, no finite number")
    lacking = weights.dtype.kind == "f" and len(added) < len(weights) and np.isnan(weights).any()
    if lacking and (values == np.trunc(values)).all() and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)  # integers, which the missing ones turned to reals
    found = np.ones(len(weights), values.dtype)
    found[added] = values
    return found


def _kinds(name: str, kinds: NDArray[Any]) -> NDArray[np.int8]:
    spelt: dict[Any, int] = {**KINDS, ADD: ADD, DELETE: DELETE}
    try:
        return np.array([spelt[kind] for kind in kinds.tolist()], np.int8)
    except (KeyError, TypeError):
        wrong = next(i for i, kind in enumerate(kinds.tolist()) if not _is_kind(kind))
    expected = f"neither 'a' (add, {ADD}) nor 'd' (delete, {DELETE})"
    raise no_updates(f"{name}: the kind of update {wrong} is {quoted(kinds[wrong])}, {expected}")


def _is_kind(kind: Any) -> bool:
    return (isinstance(kind, str) and kind in KINDS) or (isinstance(kind, int) and kind in (ADD, DELETE))


def _nodes(graph: Graph, name: str, ids: NDArray[Any]) -> Nodes:
    nodes = graph.names.nodes_of(ids)
    absent = np.flatnonzero(nodes == ABSENT)
    if len(absent):
        raise no_such_node(graph.name, ids[absent[0]], f"{graph.ids_there}; update {absent[0]} of {name} names it")
    return nodes


def _fitting(updates: Updates, graph: Graph) -> Updates:
    """The record, if its nodes are the graph's, and the arcs are of both ways where the graph's are."""
    highest = max(updates.sources.max(initial=-1), updates.destinations.max(initial=-1))
    if highest >= graph.num_nodes:
        raise no_updates(f"these updates were made for a graph that has a node {highest}; this has {graph.num_nodes}")
    if not graph.directed and not _both_ways(updates):
        raise no_updates("these updates were made for a directed graph, this is undirected")
    return updates


def _both_ways(updates: Updates) -> bool:
    """Whether each update that was given is a loop or holds both arcs of an edge."""
    first, last = updates.starts[:-1], updates.starts[1:] - 1
    tails, heads = updates.sources, updates.destinations
    mirrored = (tails[first] == heads[last]) & (heads[first] == tails[last])
    return bool((mirrored & (last - first == (tails[first] != heads[first]))).all())
