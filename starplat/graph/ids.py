"""Node ids of a graph's input and the map back to nodes; `names_of` has both.

Ids are numbers that count up (`Counted`), other numbers, each once (`Listed`), or labels (`Labelled`): names, tuples,
whatever Python can look up in a dictionary. Nodes are 0..n-1; what is no id gives -1.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Nodes

ABSENT = -1
"""No node."""


@dataclass(frozen=True)
class Counted:
    """Node v is called first + v."""

    first: int
    n: int

    @cached_property
    def all(self) -> NDArray[Any]:
        """The ids of all nodes, int64[n]."""
        return np.arange(self.n, dtype=np.int64) + self.first

    def of(self, node: int) -> int:
        return node + self.first

    def node_of(self, id: Any) -> int:
        """The node of that id, or -1."""
        whole = _whole(id)
        return whole - self.first if whole is not None and 0 <= whole - self.first < self.n else ABSENT

    def nodes_of(self, ids: NDArray[Any]) -> Nodes:
        """The node of every id, int32, -1 where there is none."""
        if ids.dtype.kind not in "iu":
            return _one_by_one(self.node_of, ids)
        there = (ids >= self.first) & (ids < self.first + self.n)
        return np.where(there, _narrowed(ids, there).astype(np.int64) - self.first, ABSENT).astype(np.int32)


@dataclass(frozen=True)
class Listed:
    """Node v is called ids[v]: int64 or uint64, in any order, none twice."""

    all: NDArray[Any]

    @cached_property
    def _order(self) -> NDArray[np.int64] | None:
        """Which nodes have the ids in ascending order; None if they are 0..n-1, which large graphs read from files
        need no room for."""
        return None if not (self.all[1:] < self.all[:-1]).any() else np.argsort(self.all)

    def of(self, node: int) -> int:
        return int(self.all[node])

    def node_of(self, id: Any) -> int:
        """The node of that id, or -1."""
        whole = _whole(id)
        limits = np.iinfo(self.all.dtype)
        if whole is None or not limits.min <= whole <= limits.max:
            return ABSENT
        return int(self.nodes_of(np.array([whole], self.all.dtype))[0])

    def nodes_of(self, ids: NDArray[Any]) -> Nodes:
        """The node of every id, int32, -1 where there is none."""
        if ids.dtype.kind not in "iu":
            return _one_by_one(self.node_of, ids)
        if not len(self.all):
            return np.full(len(ids), ABSENT, np.int32)
        fits = (ids >= np.iinfo(self.all.dtype).min) & (ids <= np.iinfo(self.all.dtype).max)
        wanted = _narrowed(ids, fits).astype(self.all.dtype)
        place = np.minimum(np.searchsorted(self.all, wanted, sorter=self._order), len(self.all) - 1)
        nodes = place if self._order is None else self._order[place]
        return np.where(fits & (self.all[nodes] == wanted), nodes, ABSENT).astype(np.int32)


@dataclass(frozen=True)
class Labelled:
    """Node v is called ids[v], an array of objects, each once; `1`, `1.0` and `True` are the same, as in Python."""

    all: NDArray[Any]

    @cached_property
    def _nodes(self) -> dict[Hashable, int]:
        return {label: node for node, label in enumerate(self.all.tolist())}

    def of(self, node: int) -> Hashable:
        label: Hashable = self.all[node]
        return label

    def node_of(self, id: Any) -> int:
        """The node of that id, or -1."""
        try:
            return self._nodes.get(id, ABSENT)
        except TypeError:  # a list, an array: nothing that Python can look up
            return ABSENT

    def nodes_of(self, ids: NDArray[Any]) -> Nodes:
        """The node of every id, int32, -1 where there is none."""
        return _one_by_one(self.node_of, ids)


Names = Counted | Listed | Labelled


def names_of(ids: NDArray[Any] | None, index_base: int, n: int) -> Names:
    """The names of n nodes, as a graph holds them."""
    if ids is None:
        return Counted(index_base, n)
    return Listed(ids) if ids.dtype.kind in "iu" else Labelled(ids.astype(object, copy=False))


def as_ids(labels: Sequence[Hashable]) -> tuple[NDArray[Any] | None, int]:
    """`ids` and `index_base` of a graph whose nodes are called so, none twice: integers as numbers where 64 bits hold
    them, everything else as it is."""
    if (numbers := _as_numbers(labels)) is None:
        return label_array(labels), 0
    if not len(numbers):
        return None, 0
    first = int(numbers[0])
    in_a_row = int(numbers[-1]) - first + 1 == len(numbers) and bool((numbers[1:] > numbers[:-1]).all())
    return (None, first) if in_a_row and int(numbers[-1]) < 2**63 else (numbers, 0)


def label_array(labels: Iterable[Hashable]) -> NDArray[Any]:
    """An array of these objects, whatever they are: tuples stay tuples."""
    return np.fromiter(labels, np.dtype(object))


def _as_numbers(labels: Sequence[Hashable]) -> NDArray[Any] | None:
    """The labels as int64 or uint64, if all are integers and fit."""
    if not all(issubclass(kind, int | np.integer) and kind is not bool for kind in set(map(type, labels))):
        return None
    whole = labels if set(map(type, labels)) <= {int} else [int(label) for label in labels]  # type: ignore[call-overload]
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(whole, dtype)
        except OverflowError:
            continue
    return None


def _narrowed(ids: NDArray[Any], fits: NDArray[np.bool_]) -> NDArray[Any]:
    """The ids, with 0 for those that do not fit."""
    return ids if bool(fits.all()) else np.where(fits, ids, ids.dtype.type(0))


def _whole(id: Any) -> int | None:
    """The integer that an id is, or an integral number such as 3.0 stands for; bools are none."""
    if isinstance(id, bool | np.bool_):
        return None
    if isinstance(id, int | np.integer):
        return int(id)
    if isinstance(id, float | np.floating) and float(id).is_integer():
        return int(id)
    return None


def _one_by_one(node_of: Any, ids: NDArray[Any]) -> Nodes:
    return np.fromiter(map(node_of, ids.tolist()), np.int32, len(ids))
