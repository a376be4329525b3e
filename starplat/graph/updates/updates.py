"""The `Updates` record: additions and deletions of arcs in their order, by node numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from starplat.graph.csr import Nodes, Offsets, Weights
from starplat.graph.errors import wrong_arguments
from starplat.graph.graph import Graph, as_weights, node_array
from starplat.graph.updates.changed import Changed, with_more, without

DELETE = 0
"""The kind of a deletion, as in `currentBatch(0)`: it takes all parallel arcs, and does nothing where there is none."""
ADD = 1
"""The kind of an addition, as in `currentBatch(1)`: one arc more, after those that are parallel to it."""

KINDS = {"a": ADD, "add": ADD, "d": DELETE, "delete": DELETE}
"""How files and lists spell the two kinds."""


@dataclass(frozen=True, eq=False)
class Updates:
    """Updates of a graph of n nodes. One of an undirected graph is of an edge and holds both of its arcs, one after the
    other, so that a batch never ends between the two; of a loop it holds the one arc that it is.

    Attributes:
        kinds: int8[k], DELETE or ADD.
        sources: int32[k], node numbers 0..n-1.
        destinations: int32[k], the same.
        weights: [k] of int32, int64 or float64, finite; those of deletions mean nothing. None: all additions weigh 1.
        starts: int64[c+1]; the ith of the c updates that were given is the numbers starts[i] up to starts[i+1].
    """

    kinds: NDArray[np.int8]
    sources: Nodes
    destinations: Nodes
    weights: Weights | None
    starts: Offsets

    @classmethod
    def of(
        cls,
        graph: Graph,
        kinds: ArrayLike,
        sources: ArrayLike,
        destinations: ArrayLike,
        weights: ArrayLike | None = None,
    ) -> "Updates":
        """Updates in their order, for `graph`: equally long arrays, ends by node numbers. Raises E0817: arrays of
        different lengths, a kind that is neither DELETE nor ADD, an end outside 0..n-1, or a weight that is no finite
        number."""
        tails, heads = node_array(graph.num_nodes, sources), node_array(graph.num_nodes, destinations)
        which = _kinds(kinds)
        values = None if weights is None else as_weights(np.asarray(weights))
        if not len(which) == len(tails) == len(heads) or (values is not None and len(values) != len(which)):
            raise wrong_arguments("kinds, sources, destinations and weights of updates must be equally many")
        if graph.directed:
            return cls(which, tails, heads, values, np.arange(len(which) + 1))
        arcs = np.where(tails == heads, 1, 2)
        twice = np.repeat(np.arange(len(which)), arcs)
        back = np.r_[False, twice[1:] == twice[:-1]] if len(twice) else np.zeros(0, np.bool_)
        return cls(
            which[twice],
            np.where(back, heads[twice], tails[twice]),
            np.where(back, tails[twice], heads[twice]),
            None if values is None else values[twice],
            np.r_[0, np.cumsum(arcs)],
        )

    def __len__(self) -> int:
        """k, the number of arcs named; those of an undirected edge are two."""
        return len(self.kinds)

    def batches(self, size: int) -> Iterator[tuple[int, int]]:
        """The first number of every batch of `size` updates and the one after its last; the last may be smaller. Raises
        E0817: the size is not positive."""
        if size < 1:
            raise wrong_arguments(f"a batch has one update and more, not {size}")
        count = len(self.starts) - 1
        for begin in range(0, count, size):
            yield int(self.starts[begin]), int(self.starts[min(begin + size, count)])

    def deleted(self, graph: Graph, first: int, last: int) -> Changed:
        """`graph` after the deletions among the numbers `first` up to `last`, for which it is made."""
        chosen = self._chosen(DELETE, first, last)
        return without(graph, self.sources[chosen], self.destinations[chosen])

    def added(self, graph: Graph, first: int, last: int) -> Changed:
        """`graph` after the additions among the numbers `first` up to `last`."""
        chosen = self._chosen(ADD, first, last)
        weights = None if self.weights is None else self.weights[chosen]
        return with_more(graph, self.sources[chosen], self.destinations[chosen], weights)

    def rebuilt(self, graph: Graph, first: int, last: int) -> Changed:
        """`graph` after the updates with the numbers `first` up to `last`: the deletions, then the additions."""
        without_them = self.deleted(graph, first, last)
        return without_them.then(self.added(without_them.graph, first, last))

    def _chosen(self, kind: int, first: int, last: int) -> NDArray[np.intp]:
        return first + np.flatnonzero(self.kinds[first:last] == kind)


def _kinds(kinds: ArrayLike) -> NDArray[np.int8]:
    array = np.asarray(kinds)
    if not array.size:
        return np.zeros(0, np.int8)
    if array.ndim != 1 or not np.isin(array, (DELETE, ADD)).all():
        raise wrong_arguments(f"kinds of updates are a one-dimensional array of {DELETE} (delete) and {ADD} (add)")
    return array.astype(np.int8)
