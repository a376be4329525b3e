"""Numbers the ids of a file as nodes 0..n-1, and refuses graphs that no machine could hold."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr, errors, machine
from starplat.graph.ids import as_ids

MAX_NODES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Numbered:
    """Arcs between nodes 0..n-1; node v is called ids[v] in the file, or v + index_base where `ids` is None."""

    n: int
    source: csr.Nodes
    destination: csr.Nodes
    ids: NDArray[Any] | None
    index_base: int


def by_header(file: str, n: int, source: NDArray[Any], destination: NDArray[Any], base: int) -> Numbered:
    """All of the header's `n` nodes exist; the file counts from `base` and its ids have been checked."""
    require_room(file, n)
    return Numbered(n, _shifted(source, base), _shifted(destination, base), None, base)


def up_to_highest(file: str, source: NDArray[Any], destination: NDArray[Any]) -> Numbered:
    """Nodes are 0 up to the highest id, seen or not."""
    n = max(int(source.max()), int(destination.max())) + 1 if len(source) else 0
    require_room(file, n)
    return Numbered(n, _shifted(source, 0), _shifted(destination, 0), None, 0)


def by_ids_seen(
    file: str, source: NDArray[Any], destination: NDArray[Any], isolated: NDArray[Any] | None = None
) -> Numbered:
    """Nodes are the ids that occur, in ascending order; `isolated` names further ones."""
    more = np.zeros(0, np.int32) if isolated is None else isolated
    seen = [array for array in (source, destination, more) if len(array)]
    if not seen:
        return Numbered(0, _shifted(source, 0), _shifted(destination, 0), None, 0)
    highest = max(int(array.max()) for array in seen)
    if highest < 2**31 and highest < 16 * sum(len(array) for array in seen) + 2**20:
        return _by_presence(highest, source, destination, seen)
    ids = np.unique(np.concatenate([array.astype(np.uint64) for array in seen]))
    require_room(file, len(ids))
    nodes = [np.searchsorted(ids, array.astype(np.uint64)).astype(np.int32) for array in (source, destination)]
    kept = ids.view(np.int64) if highest < 2**63 else ids
    return Numbered(len(ids), nodes[0], nodes[1], kept, 0)


def by_labels(
    file: str, source: Sequence[Hashable], destination: Sequence[Hashable], first: Iterable[Hashable] = ()
) -> Numbered:
    """Nodes are the labels that occur, in the order in which they do, after those that are to come `first`.

    Raises:
        TypeError: a label is nothing that a dictionary could hold.
    """
    ends = chain.from_iterable(zip(source, destination, strict=True))
    labels = dict.fromkeys(chain(first, ends))
    require_room(file, len(labels))
    number = dict(zip(labels, range(len(labels)), strict=True))
    nodes = [np.fromiter(map(number.__getitem__, end), np.int32, len(end)) for end in (source, destination)]
    ids, base = as_ids(list(labels))
    return Numbered(len(labels), nodes[0], nodes[1], ids, base)


def require_room(file: str, n: int) -> None:
    """Refuses node numbers beyond 31 bits, and offsets that would take more than half of the machine's memory.

    Raises:
        DiagnosticError: E0811.
    """
    if n > MAX_NODES:
        raise errors.too_many_nodes(file, n)
    needed, available = 16 * (n + 1), machine.memory()
    if needed > available // 2:
        raise errors.too_large(file, n, needed, available)


def _by_presence(highest: int, source: NDArray[Any], destination: NDArray[Any], seen: list[NDArray[Any]]) -> Numbered:
    present = np.zeros(highest + 1, np.bool_)
    for array in seen:
        present[array] = True
    ids = np.flatnonzero(present)
    first, n = int(ids[0]), len(ids)
    if highest - first + 1 == n:
        return Numbered(n, _shifted(source, first), _shifted(destination, first), None, first)
    node_of = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return Numbered(n, node_of[source], node_of[destination], ids.astype(np.int64), 0)


def _shifted(ids: NDArray[Any], base: int) -> csr.Nodes:
    narrow = np.asarray(ids, np.int32)
    return narrow - np.int32(base) if base else narrow
