"""What the emitted C++ that reads, keeps and completes a graph depends on: the pieces of `common/graph.hpp.jinja`.

Only what a program uses is read and kept: weights, the sources of arcs, the arcs into nodes.
"""

from __future__ import annotations

from starplat.backends.cpp import CELLS
from starplat.backends.host_uses import host_arrays
from starplat.backends.uses import walk
from starplat.ir.nodes import (
    IN_ARCS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    SOURCES,
    WEIGHTS,
    Array,
    Element,
    FindArc,
    Module,
    Origin,
)

_REVERSE = (IN_ROW_OFFSETS, IN_COLUMNS, IN_ARCS)


def graph_pieces(module: Module) -> dict[str, object]:
    """The pieces for a program."""
    by_host = host_arrays(module)
    used = by_host | set(module.graph_arrays)
    needs_sources, needs_reverse = SOURCES in used, not used.isdisjoint(_REVERSE)
    is_completed = needs_sources or needs_reverse
    reads_graph = bool(by_host) or any(isinstance(part, FindArc) for part in walk(module.functions))
    return {
        "graph_arrays": [(array.name, CELLS[array.element]) for array in module.graph_arrays],
        "device_parameter": "Device &device" if module.graph_arrays else "Device &",
        "reads_graph": reads_graph,
        "cells": "Cells" if reads_graph else "std::vector",
        "needs_sources": needs_sources,
        "needs_reverse": needs_reverse,
        "needs_in_arcs": IN_ARCS in used,
        "is_completed": is_completed,
        "finished_graph": "completed(std::move(graph))" if is_completed else "graph",
        **_weight_pieces(weight_element(module)),
    }


def _weight_pieces(weight: Element | None) -> dict[str, object]:
    if weight is None:
        return {"weight_type": None, "with_weight_of_arc": "", "with_weight_of_row": ""}
    return {
        "weight_type": CELLS[weight],
        "with_weight_of_arc": ", weights.empty() ? 1 : weights[e]",
        "with_weight_of_row": ", row.weight",
        "weights_are_real": weight.is_real,
        "or_not_whole": "" if weight.is_real else " || row.weight != weight",
        "kind_of_weight": "a number" if weight.is_real else "a whole number",
    }


def weight_element(module: Module) -> Element | None:
    """The type of the weights that the program wants, if it wants any."""
    for parameter in module.function(module.entry).parameters:
        if isinstance(parameter.what, Array) and parameter.what.origin is Origin.WEIGHT:
            return parameter.what.element
    return WEIGHTS.element if WEIGHTS in module.graph_arrays or WEIGHTS in host_arrays(module) else None
