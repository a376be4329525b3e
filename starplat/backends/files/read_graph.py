"""The host graph of an emitted program: its type, and the arrays computed before the run.

The types and the file reader are headers that all programs share.
"""

from collections.abc import Iterator, Set

from starplat.backends import uses
from starplat.backends.files.placed import chunks_of, head_cells, heads_of_graph, read_at_heads
from starplat.backends.host import words
from starplat.backends.host.parts import holds_own_rows
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir
from starplat.passes.parts.rows import is_of_arcs


def graph_pieces(module: ir.Module, names: Names) -> dict[str, object]:
    used = uses.host_arrays(module) | set(module.graph_arrays)
    weight = weight_element(module)
    weight_type = None if weight is None else words.CELLS[weight]
    return {
        "heads": heads_of_graph(module),
        "arcs_of_chunk": chunks_of(module),
        "graph_arrays": [(a.name, words.buffer_type(a, (), module), _made_of(a, module)) for a in module.graph_arrays],
        "prepared": [_call(one, names) for one in module.prepared],
        "device_parameter": "Device &device" if module.graph_arrays else "Device &",
        "weight_type": weight_type,
        "host_graph": f"WeightedGraph<{weight_type}>" if weight_type else "HostGraph",
        "read_graph": f"read_weighted_graph<{weight_type}>" if weight_type else "read_graph",
        "completed_by": list(_steps(used)),
        "own_rows": holds_own_rows(module),
    }


_ENDS = {ends: rows.offsets for rows, ends in ir.ENDS.items()}


def _made_of(array: ir.Array, module: ir.Module) -> str:
    """How a graph's array is made: on which device, in which room, of what."""
    if is_of_arcs(array) and holds_own_rows(module):
        return f"{{{own_rows(array, module)}}}"
    if not module.on_demand or array not in module.mapped:
        return f"{{device, {_cells(array, module)}}}"
    may = ", heads.none()" if array in read_at_heads(module).values() else ""
    return f"{{device, room, {_cells(array, module)}{may}}}"


def own_rows(array: ir.Array, module: ir.Module) -> str:
    """An array of the graph of which a part of a run has the cells of its own rows."""
    kind, host = words.buffer_type(array, (), module), "weights" if array.origin is ir.Origin.WEIGHT else array.name
    bounds = "in_arcs" if array.extent is ir.Extent.SLOTS else "arcs"
    return f"parts.own_rows<{kind}>(device, host.{host}, parts.{bounds})"


def _cells(array: ir.Array, module: ir.Module) -> str:
    """What a graph's array is made of: the host's, whose rows have no room, or room for what the device makes."""
    if (head := head_cells(array, module)) is not None:
        return head
    if array in _ENDS:
        rows = f"host.{_ENDS[array].name}"
        return f"Cells<arc_t>{{std::vector<arc_t>({rows}.begin() + 1, {rows}.end())}}"
    if array not in module.prepared_arrays:
        return f"host.{array.name}"
    sizes = {ir.Count.SLOTS: "num_arcs", ir.Count.NODES: "num_nodes"}
    return array.extent.text({count: f"static_cast<std::size_t>({size})" for count, size in sizes.items()})


def _call(one: ir.Prepared, names: Names) -> str:
    """The call of a function that makes arrays of the graph."""
    arrays = (f"graph.{array.name}" for array in one.arrays)
    return f"{names.host_function(one.function)}({', '.join(('device', 'graph', *arrays))});"


def _steps(used: Set[ir.Array]) -> Iterator[str]:
    """The functions of a graph that compute used arrays on demand."""
    if ir.SOURCES in used:
        yield "add_sources"
    if ir.REVERSE.arcs in used:
        yield "add_in_arcs"
    elif not used.isdisjoint(ir.REVERSE.row_arrays):
        yield "add_in_neighbors"


def weight_element(module: ir.Module) -> ir.Element | None:
    """The type of the weights that the program wants, if it wants any."""
    for array in module.function(module.entry).given_arrays:
        if array.origin is ir.Origin.WEIGHT:
            return array.element
    return ir.WEIGHTS.element if ir.WEIGHTS in module.graph_arrays or ir.WEIGHTS in uses.host_arrays(module) else None
