"""Lists of updates as a device takes them: deletions and additions apart, each a range for every batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    """Updates that change the graph at once, deletions first.

    Attributes:
        sources, destinations: where their arcs begin and end.
        adds: whether they add, one for all or one each.
        added: how many add.
        parts: those of each kind.
    """

    sources: Vector
    destinations: Vector
    adds: Vector
    added: int
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.sources)

    def weights(self, element: ir.Element) -> Vector:
        """The weights as cells; those that nothing names are 1, those of deletions mean nothing."""
        return _joined([part.weights(element) for part in self.parts], self.parts[0].of.device)


@dataclass(frozen=True, slots=True)
class Part:
    """Deletions, or additions, from one place among those of their kind to another."""

    of: OfKind
    begin: int
    end: int

    def weights(self, element: ir.Element) -> Vector:
        return self.of.weights(element)[self.begin : self.end]


def _joined(vectors: list[Vector], device: Device) -> Vector:
    if len(vectors) == 1:
        return vectors[0]
    with device.working():
        return device.vector_module.concatenate(vectors)


class OfKind:
    """The deletions, or the additions, of a list."""

    def __init__(self, device: Device, updates: Updates, kind: int) -> None:
        self.device, self._updates, self._kind = device, updates, kind
        self._weights: dict[ir.Element, Vector] = {}

    @cached_property
    def _chosen(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._updates.kinds == self._kind)

    def _uploaded(self, cells: Cells) -> Vector:
        return self.device.vector_of(np.ascontiguousarray(cells))

    @cached_property
    def _ends(self) -> tuple[Vector, Vector]:
        updates, chosen = self._updates, self._chosen
        return self._uploaded(updates.sources[chosen]), self._uploaded(updates.destinations[chosen])

    def ends(self, begin: int, end: int) -> tuple[Vector, Vector]:
        """Where the arcs of some of them begin, and where they end."""
        sources, destinations = self._ends
        return sources[begin:end], destinations[begin:end]

    def weights(self, element: ir.Element) -> Vector:
        """The weights of all of them.

        Raises:
            DiagnosticError: E0708, the property cannot hold one.
        """
        if element not in self._weights:
            given = self._updates.weights if self._kind == ADD else None
            some = None if given is None else given[self._chosen]
            self._weights[element] = self._uploaded(weights_of(some, len(self._chosen), element, "the updates"))
        return self._weights[element]


class Slices:
    """A list of updates on a device, to which its ends and weights cross once."""

    def __init__(self, device: Device, updates: Updates) -> None:
        self._device = device
        self._kinds = {kind: OfKind(device, updates, kind) for kind in (DELETE, ADD)}
        self._adds_before = np.zeros(len(updates) + 1, np.int64)
        np.cumsum(updates.kinds == ADD, out=self._adds_before[1:])

    def between(self, first: int, end: int, kinds: Sequence[int]) -> Slice:
        """Those of some kinds, deletions first, with the numbers `first` up to `end`."""
        begin, stop = (int(self._adds_before[number]) for number in (first, end))
        places = {DELETE: (first - begin, end - stop), ADD: (begin, stop)}
        parts = [(kind, *places[kind]) for kind in kinds if places[kind][0] < places[kind][1]]
        parts = parts or [(kinds[0], 0, 0)]
        ends = [self._kinds[kind].ends(low, high) for kind, low, high in parts]
        sources, destinations = (_joined(list(vectors), self._device) for vectors in zip(*ends, strict=True))
        sizes = [high - low for _, low, high in parts]
        with self._device.working():
            adds = parts[0][0] == ADD if len(parts) == 1 else self._device.vector_module.arange(sum(sizes)) >= sizes[0]
        added = sum(size for (kind, _, _), size in zip(parts, sizes, strict=True) if kind == ADD)
        return Slice(sources, destinations, adds, added, tuple(Part(self._kinds[k], a, b) for k, a, b in parts))
