"""Builds all that changes a graph on a device, before a run, so that no batch waits for it."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from starplat.graph.graph import Graph
from starplat.graph.updates import ADD, DELETE, Updates
from starplat.ir import nodes as ir
from starplat.runtime.changing import kernels
from starplat.runtime.changing.in_place import InPlace, Way, kernels_in_place
from starplat.runtime.changing.merge import Moving
from starplat.runtime.changing.room_kernels import LONGEST_LIST
from starplat.runtime.changing.slices import Slices
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.building import is_built, kernels_on
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import dtype_of


def build_merging(device: Device, cells: Iterable[tuple[ir.Element, ...]], wide_arcs: bool) -> None:
    """Builds what merges updates with rows that have cells of these types."""
    for module in (kernels.finding(), *map(kernels.moving, cells)):
        kernels_on(device, module, wide_arcs)


def build_in_place(device: Device, cells: Iterable[tuple[ir.Element, ...]], wide_arcs: bool) -> None:
    """Builds what changes rows with cells of these types in place."""
    for elements in cells:
        if not is_built(device, kernels_in_place(elements), wide_arcs):
            _change_one_row(device, elements, wide_arcs)


def _change_one_row(device: Device, elements: tuple[ir.Element, ...], wide_arcs: bool) -> None:
    """Changes a graph of one node, by more than its row has room for. A device's module of arrays builds kernels of its
    own at their first call. The bytes do not count."""
    traffic, arc = replace(device.traffic), dtype_of(ir.Element.ARC, wide_arcs=wide_arcs)
    kinds = [DELETE] + [ADD] * (LONGEST_LIST + 1)
    graph = Graph(np.array([0, 1]), np.zeros(1, np.int32))
    updates = Updates.of(graph, kinds, [0] * len(kinds), [0] * len(kinds))
    change = InPlace(device, Slices(device, updates).apart(0, len(kinds), (DELETE, ADD)), 1, 1, wide_arcs, stays=_gone)

    def held(cells: list[int], dtype: np.dtype[np.generic]) -> Buffer:
        return device.as_buffer(device.vector_of(np.array(cells, dtype)))

    moving = [Moving(element, held([0], dtype_of(element, wide_arcs=wide_arcs))) for element in elements]
    moving[0] = replace(moving[0], added=change.slice.destinations)
    change.applied(change.spread(Way(held([0, 1], arc), held([1], arc), True, tuple(moving))))
    change.done()
    device.traffic = traffic


def _gone(cells: Buffer) -> bool:
    return False
