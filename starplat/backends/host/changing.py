"""Prints what host functions do with updates, in C++: take a batch, end it, change the graph.

`starplat_updates.hpp` merges a batch with the rows on the host; the arrays then go to the device anew.
"""

from collections.abc import Callable, Iterator

from starplat.backends.c.lines import guarded
from starplat.backends.host.words import CELLS, size_of
from starplat.backends.text.names import Names
from starplat.frontend.typed import ADDITIONS, ALL
from starplat.ir import nodes as ir
from starplat.ir.lists import taken, unset


def lists_of(module: ir.Module, names: Names) -> dict[ir.Array, str]:
    """For the first array of every list of updates, the list in C++, a member of the graph."""
    found = {}
    for one in taken(module):
        adds = one.parameters[0].what if one.is_updates else None
        if isinstance(adds, ir.Array):
            word = f"{one.argument.name}_list"
            found[adds] = f"{word}_" if names.is_taken(word) else word
    return found


def changing_lines(
    op: ir.TakeBatch | ir.EndBatch | ir.ChangeGraph,
    function: ir.HostFunction,
    lists: dict[ir.Array, str],
    names: Names,
    text: Callable[[ir.Expression], str],
) -> Iterator[str]:
    match op:
        case ir.TakeBatch(variable, first, size, limit, adds):
            given = ", ".join(map(text, (first, size, limit)))
            yield f"{names.local(variable)} = graph.{lists[adds]}.end_of_batch({given});"
        case ir.EndBatch():
            yield "graph.batch_done();"
        case ir.ChangeGraph(adds_of, first, end, kind, kinds):
            updates = f"graph.{lists[adds_of]}"
            for wanted in kinds:
                which = "true" if wanted == ADDITIONS else "false"
                lines = [
                    f"const Change change = changed(graph.host, {updates}, {text(first)}, {text(end)}, {which});",
                    "graph.become(change.graph);",
                    *(_moved(array, updates, names) for array in function.arrays_of_arcs),
                ]
                if isinstance(kind, ir.Const) and kind.value in (ALL, wanted):
                    yield "{"
                    yield from (f"    {line}" for line in lines)
                    yield "}"
                else:
                    chosen = text(kind)
                    yield from guarded(f"{chosen} == {ALL} || {chosen} == {wanted}", lines)


def _moved(array: ir.Array, updates: str, names: Names) -> str:
    """An array follows its arcs; one by slots holds nothing between loops and only gets its new size."""
    name, cell = names.local(array), CELLS[array.element]
    if array.extent is not ir.Extent.ARCS:
        return f"{name} = Buffer<{cell}>(device, {size_of(array)});"
    if array.origin is ir.Origin.WEIGHT:
        cell_of = f"[&](int i) {{ return {updates}.given_weights[i]; }}"
    else:
        cell_of = f"[](int) {{ return {unset(array.element)}; }}"
    return f"move_cells(device, {name}, change, {cell_of});"
