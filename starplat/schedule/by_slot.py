"""Step `slots`: values of arcs into nodes are copied in the order of the reverse rows, ahead of a loop that reads all.

  loop                                      forall (v)
    forall (v)                                for (arcs into v, in slots s)
      for (arcs into v, in slots s)             weight_by_slot[s] = weight[in_arcs[s]]
        sum += x[u] * weight[in_arcs[s]]    loop
                                              forall (v)
                                                for (arcs into v, in slots s)
                                                  sum += x[u] * weight_by_slot[s]

The copy costs as much as the scattered reads of one round. From then on rounds read consecutive cells. Where the caller
gave one value for all arcs, there is nothing to put in order: the host reads one cell, and rounds get it as a number.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.rewriter import Rewriter
from starplat.ir.shapes.shared_rows import leaves
from starplat.ir.visitor import (
    all_expressions,
    assigned_variables,
    expressions_of,
    variables_read,
    walk_expression,
    walk_host,
    walk_outside,
    with_signature,
)
from starplat.passes.memory import has_two_names
from starplat.same import remembered
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels

_NUMBERS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)


def values_by_slot(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose loops read values of arcs in the order of rows; only where threads are cores, which prefetch."""
    if capabilities.lockstep or has_two_names(module):
        return module
    maker = _Maker(module)
    made = maker.module()
    what = "values of arcs are put in the order of rows before the loop"
    why = "every round reads them, and those of arcs into a node are scattered"
    return for_kernels(module, with_graph_arrays(made), maker.changed, what, why)


@remembered(64)
def one_for_all(module: ir.Module, *equal: ir.Array) -> ir.Module:
    """The module whose loops get one number in place of values of arcs, of which those of the entry's parameters
    `equal` are all the same; the same object where that changes nothing. There is at least one arc."""
    written = {array for f in module.functions for op in walk_host(f.body) for array in launches.changed(op, module)}
    same = frozenset(a for a in equal if a not in written and a.element in _NUMBERS)
    if not same or has_two_names(module) or launches.changes_graph(module):
        return module
    maker = _OfOne(module, same)
    made = maker.module()
    return with_graph_arrays(made) if maker.changed else module


class _Maker(ModuleRewriter):
    """Rewrites the outermost loops that do not change such values."""

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Loop | ir.HostForRange) and (found := self._found(op)):
            arrays = dict.fromkeys(array for read in found.values() for array in read)
            return (*self._ahead(arrays, found), op)
        return (self.rebuild(op),)

    def _ahead(self, arrays: Iterable[ir.Array], found: Iterable[str]) -> Iterable[ir.HostOp]:
        """What makes copies before the loop; the kernels that were `found` read these from now on."""
        copies = {array: self._copy_of(array) for array in arrays}
        self.changed |= {name: _reading(self.given.kernel(name), copies) for name in found}
        self.kernels.append(self._put_in_order(copies, self.given.kernel(next(iter(found)))))
        return (ir.Launch(self.kernels[-1].name),)

    def _found(self, loop: ir.Loop | ir.HostForRange) -> dict[str, tuple[ir.Array, ...]]:
        """By kernel of the loop, the arrays that all its rows read by arc, and that nothing in the loop changes."""
        written = {array for op in walk_host((loop,)) for array in launches.changed(op, self.given)}
        found = {}
        for kernel in launches.launched_kernels(walk_outside(ir.HostIf, loop.body), self.given):
            read = tuple(a for row in _rows(kernel) for a in _read_by_arc(row) if a not in written)
            if read and launches.is_launched_once(kernel.name, self.given):
                found[kernel.name] = read
        return found

    def _copy_of(self, array: ir.Array) -> ir.Array:
        name = self.taken.fresh(f"{array.name}_by_slot")
        self.arrays.append(ir.Array(name, array.element, ir.Extent.SLOTS, ir.Origin.TEMPORARY))
        return self.arrays[-1]

    def _put_in_order(self, copies: dict[ir.Array, ir.Array], first: ir.Kernel) -> ir.Kernel:
        names = self.taken.inner()
        node, neighbor = names.variables(ir.Element.NODE, "node", "neighbor")
        slot = ir.Ref(names.variable("slot", ir.Element.ARC))
        arc = ir.REVERSE.arc_id(slot)
        stores = tuple(ir.Store(copy, slot, ir.Load(array, arc)) for array, copy in copies.items())
        row = ir.ForNeighbors(ir.Direction.IN, ir.Ref(node), neighbor, slot.variable, stores, parallel=True)
        name, comment = self.taken.fresh(f"{first.name}_by_slot"), "puts values of arcs in the order of their rows"
        return with_signature(ir.Kernel(name, ir.AllNodes(), node, (row,), span=first.span, comment=comment))


class _OfOne(_Maker):
    """Reads one cell of the `same` arrays, whose cells are all alike, before such a loop of the entry."""

    def __init__(self, module: ir.Module, same: frozenset[ir.Array]) -> None:
        super().__init__(module)
        self.same = same

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        return super().function(function) if function.name == self.given.entry else function

    def _found(self, loop: ir.Loop | ir.HostForRange) -> dict[str, tuple[ir.Array, ...]]:
        found = {name: tuple(a for a in read if a in self.same) for name, read in super()._found(loop).items()}
        return {name: read for name, read in found.items() if read}

    def _ahead(self, arrays: Iterable[ir.Array], found: Iterable[str]) -> Iterable[ir.HostOp]:
        ones = {array: self.taken.variable(f"{array.name}_of_all", array.element) for array in arrays}
        self.changed |= {name: _reading(self.given.kernel(name), ones) for name in found}
        for array, one in ones.items():
            yield ir.DeclareVariable(one, ir.Const(0.0 if one.element.is_real else 0, one.element))
            yield ir.ReadCell(one, array, build.ZERO)


def _rows(kernel: ir.Kernel) -> Iterator[ir.ForNeighbors]:
    """The loops of a kernel over all arcs into all nodes."""
    if kernel.domain != ir.AllNodes() or kernel.filter is not None or kernel.guard is not None:
        return
    node = None if kernel.iterator is None else kernel.own
    for op in kernel.body:
        if isinstance(op, ir.ForNeighbors) and op.layout == ir.REVERSE and op.node == node and not leaves(op.body):
            yield op


def _read_by_arc(row: ir.ForNeighbors) -> Iterator[ir.Array]:
    """The arrays that are read for every arc, whatever its ends."""
    arcs = _arcs(row)
    for part in (part for op in row.body for e in expressions_of(op) for part in walk_expression(e)):
        if isinstance(part, ir.Load) and part.index in arcs and part.array.extent is ir.Extent.ARCS:
            yield part.array


def _arcs(row: ir.ForNeighbors) -> tuple[ir.Expression, ...]:
    """The expressions that stand for the arc in the row's loop."""
    arc, assigned = row.layout.arc_id(ir.Ref(row.position)), assigned_variables(row.body)
    lets = (op.variable for op in row.body if isinstance(op, ir.Let) and op.value == arc)
    return (arc, *(ir.Ref(variable) for variable in lets if variable not in assigned))


def _reading(kernel: ir.Kernel, copies: Mapping[ir.Array, ir.Array | ir.Variable]) -> ir.Kernel:
    """The kernel that reads the copies, or the numbers."""
    rows = tuple(_rows(kernel))
    body = tuple(_InRow(op, copies).row if isinstance(op, ir.ForNeighbors) and op in rows else op for op in kernel.body)
    return with_signature(replace(kernel, body=body))


class _InRow(Rewriter):
    """Reads copies by slot, or numbers, in a row."""

    def __init__(self, row: ir.ForNeighbors, copies: Mapping[ir.Array, ir.Array | ir.Variable]) -> None:
        self.copies, self.arcs, self.slot = copies, _arcs(row), ir.Ref(row.position)
        body = self.kernel_block(row.body)
        read = {variable for e in all_expressions(body) for variable in variables_read(e)}
        self.row = replace(row, body=tuple(op for op in body if not self._is_unused_arc(op, read)))

    def _is_unused_arc(self, op: ir.KernelOp, read: set[ir.Variable]) -> bool:
        return isinstance(op, ir.Let) and ir.Ref(op.variable) in self.arcs and op.variable not in read

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.Load(array, index) if array in self.copies and index in self.arcs:
                copy = self.copies[array]
                return ir.Ref(copy) if isinstance(copy, ir.Variable) else ir.Load(copy, self.slot)
        return self.rebuild(expression)
