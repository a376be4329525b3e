"""Runs a program checked: arguments in, a `Result` out, or the first error.

The program is taken as it was written, statement by statement, so that every fault has its line and its node. It is
slow and says what is wrong; for right programs the answer is that of target `reference`.
"""

import sys
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import PurePath
from time import perf_counter

import numpy as np

from starplat.analysis import Facts
from starplat.frontend import typed
from starplat.frontend.types import Carrier, GraphType, ListType, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir.python.arithmetic import Value
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.arguments.properties import shown_cells, shown_returned
from starplat.runtime.checked.changing import parts_of
from starplat.runtime.checked.memory import Box, Cells as Memory, Elements, Frame, Thing
from starplat.runtime.checked.statements import Statements
from starplat.runtime.elements import Returned, dtype_of, element_of
from starplat.runtime.resident import weights_as
from starplat.runtime.results.result import Result, Seconds, wanted_of

_DEEP = 20_000


def run_checked(
    facts: Facts,
    entry: str,
    graph: Graph,
    given: Bound,
    results: Iterable[str] | None,
    on_batch: Callable[[int, Result], None] | None = None,
) -> Result:
    """Runs a function of a program. `on_batch` is told the number of every batch of updates that is done, from 1 on,
    and the result so far, on the graph as it is then. Raises E0703, E0704, E0715, E0716 or E0717, what went wrong
    first; E0708, the graph's weights do not fit; E0710, no such result."""
    function = facts.program.function(entry)
    apart = {
        symbol: thing
        for s, updates in function.updates
        for symbol, thing in parts_of(updates, given.updates[s.name]).items()
    }
    frame = Frame(apart | {p: _parameter(p, graph, given) for p in function.parameters if p not in apart})
    properties = {p.name: p for p in function.parameters if isinstance(p.type, PropertyType) and p not in apart}
    types = {name: symbol.property for name, symbol in wanted_of(properties, results).items()}
    started, deep = perf_counter(), sys.getrecursionlimit()

    def result(returned: Returned) -> Result:
        now = run.graph
        found = {name: _cells(frame.cells(properties[name]), kind, now) for name, kind in types.items()}
        return Result(
            program=PurePath(facts.program.source.name).stem,
            function=entry,
            graph=now,
            target="reference",
            device="interpreter, checked",
            properties={name: shown_cells(cells, types[name], now) for name, cells in found.items()},
            types=types,
            returned=shown_returned(function.result_types, returned, now),
            returned_types=function.result_types,
            seconds=Seconds(run=(perf_counter() - started,)),
        )

    numbers = count(1)

    def after_batch() -> None:
        if on_batch is not None:
            on_batch(next(numbers), result(None))

    run = Statements(facts, graph, after_batch)
    sys.setrecursionlimit(max(deep, _DEEP))
    try:
        returned = run.function(function, frame)
    finally:
        sys.setrecursionlimit(deep)
    return result(returned)


def _parameter(symbol: typed.Symbol, graph: Graph, given: Bound) -> Thing:
    kind = symbol.type
    if isinstance(kind, GraphType):
        return graph
    if isinstance(kind, Scalar):
        return Box(given.scalars[symbol.name])
    if isinstance(kind, ListType):
        return Elements(list(given.lists[symbol.name]))
    if (cells := given.arrays.get(symbol.name)) is not None:
        assert isinstance(cells, np.ndarray)
        return Memory(cells.tolist())
    if isinstance(kind, PropertyType) and kind.carrier is Carrier.EDGE and symbol.name == "weight":
        return Memory(weights_as(graph, element_of(kind.element)).tolist())
    frame = Frame()
    frame.declare(symbol, _zero(kind) if isinstance(kind, PropertyType) else False, graph)
    return frame.cells(symbol)


def _zero(kind: PropertyType) -> Value:
    """What cells of a parameter hold that the caller does not give."""
    zero: Value = dtype_of(element_of(kind.element), wide_arcs=True).type(0).item()
    return zero


def _unset(kind: PropertyType) -> Value:
    """What cells hold that nothing has written."""
    return -1 if kind.element.is_index else _zero(kind)


def _cells(memory: Memory, kind: PropertyType, graph: Graph) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    wide = graph.num_arcs >= 2**31
    values = [_unset(kind) if value is None else value for value in memory.values]
    return np.array(values, dtype_of(element_of(kind.element), wide_arcs=wide))
