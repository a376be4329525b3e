"""Numbers the ids of a file as nodes 0..n-1, and refuses graphs that no machine could hold."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr, errors, streams
from starplat.graph.graph import MAX_NODES, Graph
from starplat.graph.ids import as_ids


@dataclass(frozen=True, slots=True)
class Numbered:
    """Arcs between nodes 0..n-1; node v is called ids[v] in the file, or v + index_base where `ids` is None."""

    n: int
    source: csr.Nodes
    destination: csr.Nodes
    ids: NDArray[Any] | None
    index_base: int

    def graph(self, weights: NDArray[Any] | None, name: str, format: str, *, directed: bool = True) -> Graph:
        made = partial(Graph.from_arcs, self.n, self.source, self.destination, weights, directed=directed)
        return made(ids=self.ids, name=name, index_base=self.index_base, format=format)


@dataclass(frozen=True, slots=True)
class Numbering:
    """How ids become nodes 0..n-1: by `places`, the node of each id; else by their place among `ids`, which ascend;
    else by how far they are from `index_base`."""

    n: int
    ids: NDArray[Any] | None
    index_base: int
    places: csr.Nodes | None = None

    def nodes_of(self, ids: NDArray[Any]) -> csr.Nodes:
        """The nodes of some of the ids, int32."""
        if self.places is not None:
            places: csr.Nodes = self.places[ids]
            return places
        if self.ids is not None:
            return np.searchsorted(self.ids.view(np.uint64), ids.astype(np.uint64)).astype(np.int32)
        return _shifted(ids, self.index_base)

    def of(self, source: NDArray[Any], destination: NDArray[Any]) -> Numbered:
        """Arcs between these ids."""
        return Numbered(self.n, self.nodes_of(source), self.nodes_of(destination), self.ids, self.index_base)


Blocks = Callable[[], Iterable[NDArray[Any]]]
"""Gives ids in blocks, as often as it is asked, so that they need not be in memory at once."""


def of_header(file: str, n: int) -> Numbering:
    """All of the header's `n` nodes exist; the file counts from 1 and its ids have been checked."""
    require_room(file, n)
    return Numbering(n, None, 1)


def up_to_highest(file: str, blocks: Blocks) -> Numbering:
    """Nodes are 0 up to the highest id, seen or not."""
    n = max((int(block.max()) for block in filter(len, blocks())), default=-1) + 1
    require_room(file, n)
    return Numbering(n, None, 0)


def of_ids_seen(file: str, blocks: Blocks) -> Numbering:
    """Nodes are the ids that occur, in ascending order."""
    highest, count = -1, 0
    for block in filter(len, blocks()):
        highest, count = max(highest, int(block.max())), count + len(block)
    if highest < 0:
        return Numbering(0, None, 0)
    if highest < 2**31 and highest < 16 * count + 2**20:
        return _by_presence(highest, blocks)
    ids = _distinct(blocks)
    require_room(file, len(ids))
    return Numbering(len(ids), ids.view(np.int64) if highest < 2**63 else ids, 0)


def by_ids_seen(
    file: str, source: NDArray[Any], destination: NDArray[Any], isolated: NDArray[Any] | None = None
) -> Numbered:
    """The arcs of a file whose nodes are the ids that occur; `isolated` names further ones."""
    seen = [source, destination] if isolated is None else [source, destination, isolated]
    return of_ids_seen(file, lambda: seen).of(source, destination)


def by_labels(
    file: str, source: Sequence[Hashable], destination: Sequence[Hashable], first: Iterable[Hashable] = ()
) -> Numbered:
    """Nodes are the labels that occur, in the order in which they do, after those that are to come `first`. Raises
    TypeError: a label is nothing that a dictionary could hold."""
    labels = Labels(file, first)
    numbers = labels.numbers(source, destination)
    return labels.numbering().of(*numbers)


class Labels:
    """Numbers the labels of a file in the order in which they come, after those that are to come `first`."""

    def __init__(self, file: str, first: Iterable[Hashable] = ()) -> None:
        self._file = file
        self._nodes = defaultdict[Hashable, int]()
        self._nodes.default_factory = self._nodes.__len__
        deque(map(self._nodes.__getitem__, first), 0)

    def numbers(self, source: Sequence[Hashable], destination: Sequence[Hashable]) -> tuple[csr.Nodes, csr.Nodes]:
        """The numbers of the ends of some arcs. Raises TypeError: a label is nothing that a dictionary could hold."""
        ends = chain.from_iterable(zip(source, destination, strict=True))
        numbers = np.fromiter(map(self._nodes.__getitem__, ends), np.int32, 2 * len(source))
        return numbers[0::2], numbers[1::2]

    def numbering(self, _: Blocks = tuple) -> Numbering:
        """The nodes of all these numbers, which are their own."""
        n = len(self._nodes)
        require_room(self._file, n)
        return Numbering(n, *as_ids(list(self._nodes)), np.arange(n, dtype=np.int32))


def require_room(file: str, n: int) -> None:
    """Refuses node numbers beyond 31 bits, and offsets that would take more than half of the machine's memory. Raises
    E0811."""
    if n > MAX_NODES:
        raise errors.too_many_nodes(file, n)
    needed, available = 16 * (n + 1), streams.memory()
    if needed > available // 2:
        raise errors.too_large(file, n, needed, available)


def _by_presence(highest: int, blocks: Blocks) -> Numbering:
    present = np.zeros(highest + 1, np.bool_)
    for block in blocks():
        present[block] = True
    ids = np.flatnonzero(present)
    if (first := int(ids[0])) + len(ids) == highest + 1:
        return Numbering(len(ids), None, first)
    return Numbering(len(ids), ids.astype(np.int64), 0, np.cumsum(present, dtype=np.int32) - np.int32(1))


def _distinct(blocks: Blocks) -> NDArray[np.uint64]:
    """The ids that occur, ascending."""
    found, fresh, waiting = np.zeros(0, np.uint64), list[NDArray[np.uint64]](), 0
    for block in blocks():
        fresh.append(np.unique(block.astype(np.uint64)))
        waiting += len(fresh[-1])
        if waiting > max(len(found), _MERGED_FROM):
            found, fresh, waiting = np.unique(np.concatenate([found, *fresh])), [], 0
    return np.unique(np.concatenate([found, *fresh]))


_MERGED_FROM = 1 << 20
"""New ids that are sorted into those found before."""


def _shifted(ids: NDArray[Any], base: int) -> csr.Nodes:
    narrow = np.asarray(ids, np.int32)
    return narrow - np.int32(base) if base else narrow
