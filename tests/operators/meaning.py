"""What a program means as it is written, beside what its canonical form gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import starplat
from starplat import Graph
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.runtime.validate import first_difference


def assert_as_written(text: str, graphs: Iterable[Graph]) -> None:
    """The program gives the answers of the evaluator that no rewrite reaches; small numbers are drawn for it."""
    program = starplat.compile(text)
    numbers = np.random.default_rng(7)
    for graph in graphs:
        parameters = program.checked.tree.function("f").parameters
        given = {p.name: _given(p, graph, numbers) for p in parameters if p.name != "g"}
        found = program.run(graph, target="reference", **given)
        meant = program.run(graph, target="reference", checked=True, **given)
        assert first_difference(found, meant) is None, graph.name


def _given(parameter: typed.Symbol, graph: Graph, numbers: np.random.Generator) -> Any:
    """A small number, or one for every node (arc)."""
    match parameter.type:
        case PropertyType(carrier, element):
            size = graph.num_nodes if carrier is Carrier.NODE else graph.num_arcs
            if element is Scalar.NODE:
                return numbers.integers(-1, graph.num_nodes, size)
            return numbers.integers(-1, 6, size).astype({Scalar.BOOL: bool, Scalar.INT: int}.get(element, float))
        case _:
            return 2
