"""Finds arcs that are read against their direction, where their numbers would change with every batch.

  for u in in_neighbors(v) at slot            for u in in_neighbors(v) at slot
    … weight[in_arcs[slot]]                     … weight[arc_in_slot(…, slot, u, v)]

Where several arcs lead from u to v, the first such slot in the row of v stands for the first of them, and so on. Rows
may have slots without arcs.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import names_of
from starplat.ir.module_rewriter import with_arrays, with_graph_arrays
from starplat.ir.rewriter import Rewriter

_ARC, _NODE = ir.Element.ARC, ir.Element.NODE
_ROWS = (ir.ROW_OFFSETS, ir.COLUMNS, ir.IN_ROW_OFFSETS, ir.IN_COLUMNS)


def is_filtered_where_against(module: ir.Module) -> bool:
    """Whether only kernels for some of the nodes read arcs against their direction."""
    return all(kernel.filter is not None for kernel in module.kernels if ir.IN_ARCS in kernel.arrays)


def found_by_search(module: ir.Module) -> ir.Module:
    """The module that asks for no numbers of arcs in reversed rows; itself where it does so elsewhere than in loops of
    kernels over neighbors."""
    if ir.IN_ARCS not in module.graph_arrays:
        return module
    search = _arc_in_slot(names_of(module).fresh("arc_in_slot"))
    kernels = tuple(map(_Searching(search.name).kernel, module.kernels))
    made = with_graph_arrays(with_arrays(replace(module, kernels=kernels, helpers=(*module.helpers, search))))
    return module if ir.IN_ARCS in made.graph_arrays else made


class _Searching(Rewriter):
    """Calls a function in place of reading numbers of arcs."""

    def __init__(self, function: str) -> None:
        self.function = function
        self._rows: dict[ir.Variable, ir.ForNeighbors] = {}

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if isinstance(op, ir.ForNeighbors):
            self._rows[op.position] = op
        return super().kernel_op(op)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.Load(ir.IN_ARCS, ir.Ref(slot)) if slot in self._rows:
                row = self._rows[slot]
                return ir.CallFunction(self.function, (*_ROWS, ir.Ref(slot), ir.Ref(row.neighbor), row.node), _ARC)
        return self.rebuild(expression)


def _arc_in_slot(name: str) -> ir.Function:
    """The function that gives the arc for a slot of the row of its destination."""
    slot, arc, skipped = (ir.Variable(word, _ARC) for word in ("slot", "arc", "skipped"))
    source, destination = ir.Variable("source", _NODE), ir.Variable("destination", _NODE)
    parameters = (*map(ir.Parameter, _ROWS), *map(ir.Parameter, (slot, source, destination)))
    zero, previous = ir.Const(0, _ARC), build.minus(ir.Ref(slot), ir.Const(1, _ARC))
    held, no_arc = ir.REVERSE.neighbor(previous), build.minus(ir.Const(-1, _NODE), ir.Ref(source))
    is_same = build.either(build.equal(held, ir.Ref(source)), build.equal(held, no_arc))
    is_behind_first = build.greater(ir.Ref(slot), ir.REVERSE.first(ir.Ref(destination)))
    is_parallel = build.equal(ir.REVERSE.neighbor(ir.Ref(slot)), ir.Ref(source))
    is_counted = build.equal(ir.CSR.neighbor(ir.Ref(arc)), ir.Ref(destination))
    body = (
        ir.Let(skipped, zero),
        ir.KernelWhile(
            build.both(is_behind_first, is_same), (_plus(slot, -1), ir.KernelIf(is_parallel, (_plus(skipped, 1),)))
        ),
        ir.Let(arc, ir.FindArc(ir.Ref(source), ir.Ref(destination))),
        ir.KernelWhile(
            build.greater(ir.Ref(skipped), zero), (_plus(arc, 1), ir.KernelIf(is_counted, (_plus(skipped, -1),)))
        ),
        ir.KernelReturn(ir.Ref(arc)),
    )
    return ir.Function(name, parameters, _ARC, body, comment="the arc for a slot in the row of its destination")


def _plus(variable: ir.Variable, number: int) -> ir.SetLocal:
    return ir.SetLocal(variable, build.plus(ir.Ref(variable), ir.Const(number, _ARC)))
