"""Lists of updates as a device takes them: all of them, and deletions and additions apart, each a range for a batch."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.updates import ADD, DELETE, Updates
from starplat.ir import nodes as ir
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Cells
from starplat.runtime.resident import weights_of

Vector = Any
"""An array of NumPy, or of the device's own module."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Updates that change the graph at once: those of a list from one place to another.

    Attributes:
        sources, destinations: where their arcs begin and end.
        added: how many add.
        deletions: those that come before them, if these only add.
    """

    sources: Vector
    destinations: Vector
    added: int
    of: "OfKind"
    begin: int
    deletions: "Slice | None" = None

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def adds(self) -> Vector:
        return self.of.adds[self.begin : self.begin + len(self)]

    def weights(self, element: ir.Element) -> Vector:
        """The weights as cells; those that nothing names are 1, those of deletions mean nothing."""
        return self.of.weights(element)[self.begin : self.begin + len(self)]


class OfKind:
    """The deletions, the additions, or all updates of a list, in its order."""

    def __init__(self, device: Device, updates: Updates, kinds: tuple[int, ...]) -> None:
        self.device, self._updates, self._kinds = device, updates, kinds
        self._weights: dict[ir.Element, Vector] = {}

    def prepare(self, elements: Iterable[ir.Element]) -> None:
        """Brings to the device what batches need, with weights as these cells."""
        self._ends  # noqa: B018
        for element in elements if ADD in self._kinds else ():
            self.weights(element)

    @cached_property
    def _chosen(self) -> NDArray[np.intp] | slice:
        """The numbers of its updates in the list."""
        kinds = self._kinds
        return np.flatnonzero(self._updates.kinds == kinds[0]) if len(kinds) == 1 else slice(None)

    def _uploaded(self, cells: Cells) -> Vector:
        return self.device.vector_of(np.ascontiguousarray(cells))

    @cached_property
    def _ends(self) -> tuple[Vector, Vector]:
        updates, chosen = self._updates, self._chosen
        return self._uploaded(updates.sources[chosen]), self._uploaded(updates.destinations[chosen])

    @cached_property
    def adds(self) -> Vector:
        return self._uploaded(self._updates.kinds[self._chosen] == ADD)

    def between(self, begin: int, end: int, added: int) -> Slice:
        """Some of them, of which so many add."""
        sources, destinations = self._ends
        return Slice(sources[begin:end], destinations[begin:end], added, self, begin)

    def weights(self, element: ir.Element) -> Vector:
        """The weights of all of them. Raises E0708: the property cannot hold one."""
        if element not in self._weights:
            given, added = self._updates.weights, self._updates.kinds[self._chosen] == ADD
            some = None if given is None or ADD not in self._kinds else np.where(added, given[self._chosen], 1)
            self._weights[element] = self._uploaded(weights_of(some, len(added), element, "the updates"))
        return self._weights[element]


class Slices:
    """A list of updates on a device, to which its ends and weights cross once."""

    def __init__(self, device: Device, updates: Updates) -> None:
        chosen: tuple[tuple[int, ...], ...] = ((DELETE,), (ADD,), (DELETE, ADD))
        self._kinds = {kinds: OfKind(device, updates, kinds) for kinds in chosen}
        self._adds_before = np.zeros(len(updates) + 1, np.int64)
        np.cumsum(updates.kinds == ADD, out=self._adds_before[1:])

    def prepare(self, kinds: Sequence[int], elements: Collection[ir.Element], *, apart: bool) -> None:
        """Brings to the device what changes by these kinds need, each kind apart or all of them together."""
        for some in [(kind,) for kind in kinds] if apart else [tuple(sorted(kinds))]:
            self._kinds[some].prepare(elements)

    def between(self, first: int, end: int, kinds: Sequence[int]) -> Slice:
        """Those of some kinds with the numbers `first` up to `end`."""
        begin, stop = (int(self._adds_before[number]) for number in (first, end))
        places = {(DELETE,): (first - begin, end - stop), (ADD,): (begin, stop), (DELETE, ADD): (first, end)}
        chosen = tuple(sorted(kinds))
        return self._kinds[chosen].between(*places[chosen], stop - begin if ADD in chosen else 0)

    def apart(self, first: int, end: int, kinds: Sequence[int]) -> Slice:
        """The same, additions with the deletions before them, each kind in a row of its own."""
        adding = self.between(first, end if ADD in kinds else first, (ADD,))
        return replace(adding, deletions=self.between(first, end, (DELETE,)) if DELETE in kinds else None)
