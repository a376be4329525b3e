"""Prints a module: one operation a line, expressions as in C.

For `starplat inspect --stage ir` and for tests that show a pass before and after. It is not parsed back, and it is no
target's text.
"""

from collections.abc import Iterable
from typing import assert_never

from starplat.ir import nodes as ir, visitor
from starplat.ir.printing.expressions import print_expression
from starplat.ir.printing.operations import indent, print_ops


def print_module(module: ir.Module) -> str:
    head = [f"module {module.entry}"]
    groups = {"graph": module.graph_arrays, "inputs": module.inputs, "results": module.results, "mapped": module.mapped}
    for title, arrays in groups.items():
        if arrays:
            head.append(f"  {title}: {', '.join(array.name for array in arrays)}")
    head += ["  mapped as far as the device has no room"] * module.on_demand
    head += ["  mapped in managed memory"] * module.managed
    head += (f"  {one.function} prepares: {', '.join(array.name for array in one.arrays)}" for one in module.prepared)
    head += [f"  nodes numbered by: {module.node_order}"] if module.node_order is not None else []
    head += ["  rows with room"] * module.room
    parts = ["\n".join(head)]
    parts += [print_function(function) for function in module.functions]
    parts += [print_kernel(kernel) for kernel in module.kernels]
    parts += [print_helper(helper) for helper in module.helpers]
    return "\n\n".join(parts) + "\n"


def print_function(function: ir.HostFunction) -> str:
    lists = "".join(f", list {one.name}: {one.element.value}" for one in function.lists)
    head = f"host {function.name}({_parameters(function.parameters)}{lists}){_result(function.result)}"
    arrays = [f"  array {_array(array)}" for array in function.arrays]
    return "\n".join([head, *arrays, *indent(print_ops(function.body))])


def print_kernel(kernel: ir.Kernel) -> str:
    lines = [f"kernel {kernel.name} {_domain(kernel.domain, kernel.iterator)}"]
    if kernel.comment:
        lines.append(f"  # {kernel.comment}")
    for array in (*kernel.arrays, *visitor.thread_arrays(kernel.body)):
        lines.append(f"  array {_array(array)}")
    for scalar in kernel.scalars:
        lines.append(f"  scalar {_variable(scalar)}")
    for reduction in kernel.reductions:
        into = "" if reduction.into is None else f" into {reduction.into.name}"
        lines.append(f"  reduction {_variable(reduction.variable)} by {reduction.combine.value}{into}")
    if kernel.guard is not None:
        lines.append(f"  nothing unless {kernel.guard.name}")
    if kernel.follows:
        lines.append("  follows")
    if kernel.short_rows:
        lines.append("  short rows")
    if kernel.long_rows:
        lines.append("  long rows")
    if kernel.streams:
        lines.append("  streams" + ", each warp a piece of all rows" * kernel.in_pieces_of_rows)
    if kernel.in_pieces:
        lines.append("  in pieces")
    if kernel.filter is not None:
        lines.append(f"  where {print_expression(kernel.filter)}")
    return "\n".join([*lines, *indent(print_ops(kernel.body))])


def print_helper(helper: ir.Function) -> str:
    """A function that kernels call."""
    head = f"helper {helper.name}({_parameters(helper.parameters)}){_result(helper.result)}"
    return "\n".join([head, *indent(print_ops(helper.body))])


def _parameters(parameters: Iterable[ir.Parameter]) -> str:
    return ", ".join(
        _array(p.what) if isinstance(p.what, ir.Array) else ("&" if p.by_reference else "") + _variable(p.what)
        for p in parameters
    )


def _variable(variable: ir.Variable) -> str:
    return f"{variable.name}: {variable.element.value}"


def _array(array: ir.Array) -> str:
    """An array, its type, its length and where it comes from."""
    kind = " set" if array.is_set else ""
    return f"{array.name}: {array.element.value}[{array.extent}] {array.origin.value}{kind}"


def _result(result: ir.Element | ir.ListOf | None) -> str:
    if isinstance(result, ir.ListOf):
        return f" -> list of {result.element.value}"
    return "" if result is None else f" -> {result.value}"


def _domain(domain: ir.Domain, iterator: ir.Variable | None) -> str:
    name = "" if iterator is None else iterator.name
    match domain:
        case ir.AllNodes(first, end) | ir.AllArcs(first, end):
            all_of_them = "nodes" if isinstance(domain, ir.AllNodes) else "arcs"
            if first is None or end is None:
                return f"for {name} in {all_of_them}"
            return f"for {name} in {all_of_them} {print_expression(first)} .. {print_expression(end)}"
        case ir.NodeNeighbors(direction, node, position):
            return f"for {name} in {direction.value}_neighbors({print_expression(node)}) at {position.name}"
        case ir.Listed(array, first, last):
            return f"for {name} in {array.name}[{print_expression(first)} .. {print_expression(last)}]"
        case ir.InWords(array, count):
            return f"for {name} in words {array.name}[0 .. {print_expression(count)}]"
        case ir.Numbers(count):
            return f"for {name} in 0 .. {print_expression(count)}"
        case ir.Triangles(kept, sizes, number, of_each):
            nodes = "all nodes" if of_each else "the first node"
            return f"for {name}, {number.name} in {nodes} of triangles in {kept.name}[.. {sizes.name}]"
        case ir.Workers():
            return f"for {name} in workers"
        case ir.Once():
            return "once"
        case _:
            assert_never(domain)
