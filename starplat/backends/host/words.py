"""The spelling of emitted host functions: C++, the same on every target."""

from collections.abc import Container, Mapping
from dataclasses import replace

from starplat.backends import launch
from starplat.backends.c.cplusplus import CPLUSPLUS, REALS, TYPES
from starplat.ir import nodes as ir
from starplat.ir.visitor import only_copied

CELLS = {**TYPES, ir.Element.BOOL: "unsigned char"}


def _math(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    if element.is_real:
        return {function: f"std::{name}" for function, name in REALS.items()}
    names = {function: f"std::{function.value}" for function in ir.MathFunction}
    kind = TYPES[element]
    return {**names, ir.MathFunction.MIN: f"std::min<{kind}>", ir.MathFunction.MAX: f"std::max<{kind}>"}


CPP = replace(CPLUSPLUS, cells=CELLS, function="static ", math={element: _math(element) for element in ir.Element})
"""C++ on the host; it has no kernels."""


def buffer_type(array: ir.Array, fixed: Container[ir.Array], module: ir.Module) -> str:
    """The class that holds an array, which may be one of the sets that nothing changes or lie in mapped host memory, on
    demand only where the device has no room, or in managed memory; or the host alone has it."""
    if array in only_copied(module):
        return f"const Cells<{CELLS[array.element]}>"
    elsewhere = "PlacedBuffer" if module.on_demand else "ManagedBuffer" if module.managed else "MappedBuffer"
    kind = elsewhere if array in module.mapped else "Buffer"
    return "FixedSet" if array in fixed else f"{kind}<{CELLS[array.element]}>"


def size_of(array: ir.Array, graph: str = "graph") -> str:
    """The number of cells of an array, in C++; a packed one has words. `graph` has the counts."""
    if array.packed is not None:
        words = launch.SET_WORDS[array.packed]
        for_nodes = (f"({graph}.num_nodes + {share - 1}) / {share}" for share in words.shares if share > 1)
        for_each = (f"(std::size_t){graph}.num_nodes",) * words.shares.count(1)
        fixed = (str(number) for number in (words.sizes, words.listed) if number)
        return " + ".join((*for_nodes, *for_each, *fixed))
    arcs = f"{graph}.num_arcs"
    counts = {ir.Count.NODES: f"{graph}.num_nodes", ir.Count.ARCS: arcs, ir.Count.SLOTS: arcs}
    counts[ir.Count.HEADS] = f"{graph}.arcs_of_chunk"
    return array.extent.text({**counts, ir.Count.WORKERS: str(ir.WORKERS), ir.Count.ITEMS: "0"}, wide="LL")
