"""Warns of non-finite results although the program wrote no INF: W0701, with how many and the first.

What the caller gave is the caller's; what lies on a device is looked at when it is brought to the host.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from starplat.diagnostics import Diagnostic, Severity
from starplat.frontend.types import Carrier, ListType, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.elements import Cells

_HELP = "a number became too large for its type, or was divided by zero; `run --checked` stops where that happens first"


def not_numbers(
    module: ir.Module, graph: Graph, bound: Bound, properties: Mapping[str, Any], returned: object
) -> tuple[Diagnostic, ...]:
    """A warning for each result that holds NaN, or infinite values that the program did not write as INF."""
    return tuple(_found(module, graph, bound, properties, returned))


def _found(
    module: ir.Module, graph: Graph, bound: Bound, properties: Mapping[str, Any], returned: object
) -> Iterator[Diagnostic]:
    for argument in module.arguments:
        if isinstance(cells := properties.get(argument.name), np.ndarray):
            yield from _in_property(argument, graph, bound, cells)
    for kind, value in zip(module.result_types, returned if isinstance(returned, tuple) else (returned,), strict=False):
        element = kind.element if isinstance(kind, ListType) else kind
        if isinstance(element, Scalar) and element.is_real and isinstance(value, float | list):
            values = np.array(value if isinstance(value, list) else [value], np.float64)
            odd = _odd(values, infinite=module.returns_infinity)
            if odd.any():
                yield _warning(f"what '{module.entry}' returned is no finite number: {values[odd.argmax()]}")


def _in_property(argument: ir.Argument, graph: Graph, bound: Bound, cells: Cells) -> Iterator[Diagnostic]:
    name, kind = argument.name, argument.type
    if not isinstance(kind, PropertyType) or not kind.element.is_real:
        return
    odd = _odd(cells, infinite=argument.shows_infinity)
    if odd.any() and not _given_so(bound, name):
        first = int(odd.argmax())
        found = f"{_counted(int(odd.sum()))}, the first of them {float(cells[first])}"
        yield _warning(f"'{name}' holds {found} at {_place(first, kind, graph)}")


def _odd(cells: Cells, *, infinite: bool) -> Cells:
    return np.asarray(np.isnan(cells) if infinite else ~np.isfinite(cells))


def _given_so(bound: Bound, name: str) -> bool:
    cells = bound.arrays.get(name)
    return isinstance(cells, np.ndarray) and not bool(np.isfinite(cells).all())


def _counted(count: int) -> str:
    return "one value that is no finite number" if count == 1 else f"{count:,} values that are no finite numbers"


def _place(index: int, kind: PropertyType, graph: Graph) -> str:
    if kind.carrier is Carrier.NODE:
        return f"node {graph.original_id(index)}"
    source, destination = int(graph.sources[index]), int(graph.columns[index])
    return f"arc {graph.original_id(source)} -> {graph.original_id(destination)}"


def _warning(message: str) -> Diagnostic:
    return Diagnostic("W0701", message, help=_HELP, severity=Severity.WARNING)
