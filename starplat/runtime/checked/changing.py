"""What a checked run does with updates: lists as parameters, batches, and the graph after them."""

from dataclasses import dataclass

import numpy as np

from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.graph.updates import Changed, Updates
from starplat.ir.python.arithmetic import Fault, Value
from starplat.runtime.arguments.properties import taken_apart
from starplat.runtime.checked.memory import Box, Cells, Frame, Thing
from starplat.runtime.elements import dtype_of, element_of
from starplat.runtime.resident import weights_as


@dataclass(slots=True, eq=False)
class Listed(Cells):
    """The first of the arrays that stand for a list of updates, which is `given`."""

    given: Updates


def parts_of(updates: typed.Updates, given: Updates) -> dict[typed.Symbol, Thing]:
    """What a parameter `updates<g>` stands for: an array for each part of the updates, and that all are meant."""
    adds, *others = taken_apart(given, len(given))
    things: dict[typed.Symbol, Thing] = {updates.adds: Listed(adds.tolist(), given)}
    things |= {symbol: Cells(column.tolist()) for symbol, column in zip(updates.arrays[1:], others, strict=True)}
    for number, value in zip(updates.numbers, (0, len(given), typed.ALL), strict=True):
        assert isinstance(number, typed.Variable)
        things[number.symbol] = Box(value)
    return things


def given_in(updates: typed.Updates, frame: Frame) -> Updates:
    """The list of which these are some."""
    found = frame.cells(updates.adds)
    assert isinstance(found, Listed)
    return found.given


def end_of_batch(given: Updates, first: int, size: int, limit: int) -> int:
    """The number after the last of a batch. Raises Fault: E0733, the size is not positive."""
    if size < 1:
        help = "give the size that stands in 'Batch (U : size)' as 1 or more"
        raise Fault("E0733", f"a batch has one update and more, not {size}", help)
    begun = int(np.searchsorted(given.starts, first))
    return min(int(given.starts[min(begun + size, len(given.starts) - 1)]), limit)


def carry(s: typed.ChangeGraph, changed: Changed, frame: Frame) -> None:
    """Cells stay with their arcs. Those of new arcs are 0, False or -1, the weights what the update says."""
    for symbol in s.properties:
        old = frame.cells(symbol).values
        start: list[Value | None] = [_start(symbol)] * len(changed.before)
        if symbol.name == "weight" and isinstance(symbol.type, PropertyType) and symbol.role is typed.Role.PARAMETER:
            start = weights_as(changed.graph, element_of(symbol.type.element)).tolist()
        kept = changed.before.tolist()
        frame.cells(symbol).values[:] = [old[arc] if arc >= 0 else start[i] for i, arc in enumerate(kept)]


def _start(symbol: typed.Symbol) -> Value:
    match symbol.type:
        case PropertyType(carrier=Carrier.EDGE, element=element):
            return -1 if element.is_index else dtype_of(element_of(element), wide_arcs=True).type(0).item()
        case SetType(member=Scalar.EDGE):
            return False
    raise AssertionError(f"{symbol} has no value for an edge")
