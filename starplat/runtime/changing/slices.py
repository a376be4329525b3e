"""Lists of updates as a device takes them: deletions and additions apart, each a range for every batch."""

from __future__ import annotations

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
    """Updates of one kind: where their arcs begin and end, in their order, and the weights as cells of an element."""

    adds: bool
    sources: Vector
    destinations: Vector
    of: OfKind
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def weights(self, element: ir.Element) -> Vector:
        """The weights of additions; those that nothing names are 1."""
        return self.of.weights(element)[self.begin : self.end]


class OfKind:
    """The deletions, or the additions, of a list."""

    def __init__(self, device: Device, updates: Updates, kind: int) -> None:
        self._device, self._updates, self._kind = device, updates, kind
        self._weights: dict[ir.Element, Vector] = {}

    @cached_property
    def _chosen(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._updates.kinds == self._kind)

    def _uploaded(self, cells: Cells) -> Vector:
        return self._device.vector_of(np.ascontiguousarray(cells))

    @cached_property
    def _ends(self) -> tuple[Vector, Vector]:
        updates, chosen = self._updates, self._chosen
        return self._uploaded(updates.sources[chosen]), self._uploaded(updates.destinations[chosen])

    def between(self, begin: int, end: int) -> Slice:
        """Those from one place in them to another."""
        sources, destinations = self._ends
        return Slice(self._kind == ADD, sources[begin:end], destinations[begin:end], self, begin, end)

    def weights(self, element: ir.Element) -> Vector:
        """The weights of all of them.

        Raises:
            DiagnosticError: E0708, the property cannot hold one.
        """
        if element not in self._weights:
            given = self._updates.weights
            some = None if given is None else given[self._chosen]
            self._weights[element] = self._uploaded(weights_of(some, len(self._chosen), element, "the updates"))
        return self._weights[element]


class Slices:
    """A list of updates on a device, to which its ends and weights cross once."""

    def __init__(self, device: Device, updates: Updates) -> None:
        self._kinds = {kind: OfKind(device, updates, kind) for kind in (DELETE, ADD)}
        self._adds_before = np.zeros(len(updates) + 1, np.int64)
        np.cumsum(updates.kinds == ADD, out=self._adds_before[1:])

    def between(self, first: int, end: int, *, adds: bool) -> Slice:
        """The additions, or the deletions, with the numbers `first` up to `end`."""
        begin, stop = (int(self._adds_before[number]) for number in (first, end))
        return self._kinds[ADD].between(begin, stop) if adds else self._kinds[DELETE].between(first - begin, end - stop)
