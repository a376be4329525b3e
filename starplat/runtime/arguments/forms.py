"""Chooses which form of a program a run takes, by the numbers that it is given."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from starplat.frontend import typed, types
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir

FRACTION = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?")
"""A word that is a number, but no integer."""


def form_for(
    forms: Sequence[typed.FunctionDefinition], graphs: Sequence[Graph], given: Mapping[str, object]
) -> typed.FunctionDefinition:
    """The first form whose integers meet no number with a fraction in the graphs' weights or the arguments, values or
    words as on a command line; else the last."""
    return next((form for form in forms if all(_takes(form, graph, given) for graph in graphs)), forms[-1])


def _takes(form: typed.FunctionDefinition, graph: Graph, given: Mapping[str, object]) -> bool:
    return not any(_is_whole(p) and _is_real(_meets(p, graph, given)) for p in form.parameters)


def _is_whole(parameter: typed.Symbol) -> bool:
    kind = parameter.type.element if isinstance(parameter.type, types.PropertyType) else parameter.type
    return isinstance(kind, types.Scalar) and kind.is_integer


def _meets(parameter: typed.Symbol, graph: Graph, given: Mapping[str, object]) -> Any:
    """What the parameter is given, None if nothing."""
    kind = parameter.type
    if parameter.name in given or not (isinstance(kind, types.PropertyType) and kind.carrier is types.Carrier.EDGE):
        return given.get(parameter.name)
    return graph.weights if parameter.name == ir.Origin.WEIGHT.value else None


def _is_real(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return FRACTION.fullmatch(value.strip()) is not None
    cells = list(value.values()) if isinstance(value, Mapping) else value
    return bool(np.dtype(getattr(cells, "dtype", None) or np.asarray(cells).dtype).kind == "f")
