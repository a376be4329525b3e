"""Runs on a graph under other numbers: arguments go in translated, results come out in the caller's numbers.

Nodes and arcs that are values are translated, and cells are moved to the place of their node or arc. A renumbered graph
is kept as long as its graph; orders that take long to find are kept in the user's cache by what the graph holds.
"""

import hashlib
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.frontend.types import Carrier, ListType, PropertyType, Scalar, SetType
from starplat.graph.csr import Nodes, Rows, repeats
from starplat.graph.graph import Graph
from starplat.graph.renumbering import Renumbered, by_bandwidth, by_degree
from starplat.graph.updates import Updates
from starplat.ir import nodes as ir
from starplat.ir.launches import changes_graph
from starplat.runtime.arguments.bind import Bound, names_in
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.elements import Cells, Returned, Value
from starplat.schedule import Schedule
from starplat.schedule.order import RENUMBERING, not_renumbered, require_renumbering
from starplat.schedule.schedule import Order
from starplat.toolchain.cache import key_of, open_cache

_FOUND_BY: Mapping[Order, Callable[[Graph], Nodes]] = {Order.DEGREE: by_degree, Order.RCM: by_bandwidth}
_SLOW = frozenset({Order.RCM})
"""The orders that take longer to find than to look up."""

_KEPT: weakref.WeakKeyDictionary[Graph, dict[Order, Renumbered]] = weakref.WeakKeyDictionary()


def renumbering(
    module: ir.Module, graph: Graph, schedule: Schedule | None, *, on_device: bool = False
) -> "Renumbering | None":
    """How a run goes from the caller's numbers to others, if the schedule asks for that; `on_device` says that results
    are to stay there. Raises E0667: the answer may depend on numbers, or the results would be in the wrong order."""
    if schedule is None or schedule.order not in RENUMBERING:
        return None
    order = schedule.order
    require_renumbering(module, order)
    if_simple = module.numbers is not None and module.numbers.if_simple
    if if_simple and changes_graph(module):
        raise not_renumbered(order, "triangles are counted by numbers in a graph that changes")
    if if_simple and not _is_simple(graph):
        why = "triangles are counted by numbers where arcs lead one way only, or several from one node to another"
        raise not_renumbered(order, why, "leave it out, or give the graph as an undirected one without parallel arcs")
    if on_device:
        why = "results that stay on the device would lie there in another order than the graph's"
        raise not_renumbered(order, why, "leave it out, or let the results come to the host")
    kept = _KEPT.setdefault(graph, {})
    if order not in kept:
        kept[order] = Renumbered.of(graph, _order_of(graph, order))
    return Renumbering(order, kept[order])


@dataclass(frozen=True, slots=True)
class Renumbering:
    """Translates between the numbers of a caller and those of a run."""

    order: Order
    to: Renumbered

    def given(self, module: ir.Module, bound: Bound) -> Bound:
        """The caller's arguments in the run's numbers. Raises E0667: an argument lies on a device."""
        types = {argument.name: argument.type for argument in module.arguments}
        scalars = {name: self._value_inside(value, types[name]) for name, value in bound.scalars.items()}
        arrays: dict[str, Cells | CallerArray] = {}
        for name, cells in (*bound.arrays.items(), *self._firsts(module, bound)):
            if isinstance(cells, CallerArray):
                why = f"argument '{name}' lies on a device, in the order of the graph"
                raise not_renumbered(self.order, why, "leave it out, or give the argument from the host")
            arrays[name] = self._cells_inside(cells, types[name])
        lists = {name: self._elements_inside(elements, types[name]) for name, elements in bound.lists.items()}
        return Bound(scalars, arrays, {name: self._updates_inside(u) for name, u in bound.updates.items()}, lists)

    def changed(self, inside: Graph) -> "tuple[Graph, Renumbering]":
        """The caller's graph where updates have made the run's to `inside`, and how both translate."""
        graph, to = self.to.changed(inside)
        return graph, Renumbering(self.order, to)

    def cells(self, cells: Cells, kind: PropertyType) -> Cells:
        """The cells of a result in the caller's order, nodes and arcs in them by the caller's numbers."""
        after = self.to.after if kind.carrier is Carrier.NODE else self.to.arcs_after
        return _translated(cells[after], self._before(kind.element))

    def returned(self, module: ir.Module, returned: Returned) -> Returned:
        """What the entry returned, nodes and arcs by the caller's numbers."""
        if isinstance(returned, list):
            (kind,) = module.result_types
            numbers = self._before(kind.element if isinstance(kind, ListType) else kind)
            return [_of(value, numbers) for value in returned]
        values = returned if isinstance(returned, tuple) else (returned,)
        pairs = zip(module.result_types, values, strict=False)
        found = tuple(v if v is None else _of(v, self._before(kind)) for kind, v in pairs)
        return tuple(v for v in found if v is not None) if isinstance(returned, tuple) else found[0] if found else None

    def _firsts(self, module: ir.Module, bound: Bound) -> list[tuple[str, Cells]]:
        """Zeros for properties of nodes or arcs that begin as such: they stand for the caller's first."""
        inputs, within = {array.name for array in module.inputs}, names_in(module)
        graph, found = self.to.graph, []
        for argument in module.arguments:
            name, kind = argument.name, argument.type
            begins = isinstance(kind, PropertyType) and within[name] in inputs and name not in bound.arrays
            if begins and isinstance(kind, PropertyType) and kind.element.is_index:
                count = graph.num_nodes if kind.carrier is Carrier.NODE else graph.num_arcs
                found.append((name, np.zeros(count, np.int32)))
        return found

    def _cells_inside(self, cells: Cells, kind: object) -> Cells:
        match kind:
            case PropertyType(carrier=carrier, element=element):
                of_nodes = carrier is Carrier.NODE
            case SetType(member=member):
                of_nodes, element = member is Scalar.NODE, Scalar.BOOL
            case _:
                return cells
        return _translated(cells[self.to.before if of_nodes else self.to.arcs_before], self._after(element))

    def _updates_inside(self, updates: Updates) -> Updates:
        after = self.to.after
        return replace(updates, sources=after[updates.sources], destinations=after[updates.destinations])

    def _value_inside(self, value: Value, kind: object) -> Value:
        return _of(value, self._after(kind))

    def _elements_inside(self, elements: tuple[Value, ...], kind: object) -> tuple[Value, ...]:
        assert isinstance(kind, ListType)
        return tuple(self._value_inside(element, kind.element) for element in elements)

    def _after(self, kind: object) -> NDArray[Any] | None:
        return self.to.after if kind is Scalar.NODE else self.to.arcs_after if kind is Scalar.EDGE else None

    def _before(self, kind: object) -> NDArray[Any] | None:
        return self.to.before if kind is Scalar.NODE else self.to.arcs_before if kind is Scalar.EDGE else None


def _of(value: Value, numbers: NDArray[Any] | None) -> Value:
    return value if numbers is None or not 0 <= value < len(numbers) else int(numbers[int(value)])


def _translated(cells: Cells, numbers: NDArray[Any] | None) -> Cells:
    """The cells with numbers in place of those that are numbers; -1 and INF stay."""
    if numbers is None:
        return cells
    there = (cells >= 0) & (cells < len(numbers))
    cells = cells.copy()
    cells[there] = numbers[cells[there]]
    return cells


def _is_simple(graph: Graph) -> bool:
    """Whether every arc has its reverse and no other beside it."""
    both_ways = not graph.directed or graph.is_symmetric
    return both_ways and not repeats(Rows(graph.row_offsets, graph.columns, None)).any()


def _order_of(graph: Graph, order: Order) -> Nodes:
    """The nodes in that order, from the cache where it takes long to find."""
    if order not in _SLOW:
        return _FOUND_BY[order](graph)
    content = hashlib.sha256(np.ascontiguousarray(graph.row_offsets).data)
    content.update(np.ascontiguousarray(graph.columns).data)
    key = key_of("order", str(order), str(graph.directed), content.digest())

    def loaded(entry: bytes) -> Nodes | None:
        found = np.frombuffer(entry, np.int32)
        return found if len(found) == graph.num_nodes else None

    def found() -> tuple[Nodes, bytes]:
        made = _FOUND_BY[order](graph)
        return made, made.tobytes()

    return open_cache("orders").load_or_build(key, loaded, found)[0]
