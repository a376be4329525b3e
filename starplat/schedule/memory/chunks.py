"""Step `chunks`: kernels read copies of rows, which the host puts on the device before each launch.

Arcs and edge properties that kernels only read stay on the host. A launch is for some nodes: their rows are copied one
after another into an array, as many at a time as it has room for, and the kernel is launched for the nodes from the
first of these to the last. That is right where a kernel reads no arcs but those of its own nodes; a program with
another kernel stays as it is, with the reason. Which nodes a launch is for is asked before the first of its chunks,
since later ones must not see what earlier ones write. Kernels over all arcs take chunks of these.
"""

from collections.abc import Mapping
from dataclasses import replace

from starplat.ir import build, nodes as ir, own_arcs
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_ahead
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import assigned_variables, host_ops, walk_host, walk_kernel, with_signature, written_arrays
from starplat.schedule.memory.step import arrays_for_kernels_to_read
from starplat.schedule.schedule import Memory, Schedule
from starplat.schedule.step import Choice, Decided


def rows_in_chunks(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """The module whose kernels read copies of rows."""
    if schedule.memory is not Memory.CHUNKS:
        return Decided(module)
    on_host = frozenset(arrays_for_kernels_to_read(module))
    reading = [kernel for kernel in module.kernels if not on_host.isdisjoint(kernel.arrays)]
    for kernel in reading:
        if (reason := _obstacle(kernel, on_host)) is not None:
            return Decided(module, (Choice(f"'{kernel.name}'", reason),))
    if any(isinstance(op, ir.OnDevice) or is_ahead(op) for op in host_ops(module)):
        return Decided(module, (Choice("a loop", "the host does not begin each of its rounds"),))
    if not reading:
        return Decided(module)
    what = ", ".join(f"'{kernel.name}'" for kernel in reading)
    choice = Choice(what, "before each launch the host copies the rows of the nodes that it is for")
    return Decided(with_graph_arrays(_InChunks(module, reading).module()), (choice,))


def _obstacle(kernel: ir.Kernel, on_host: frozenset[ir.Array]) -> str | None:
    """Why the kernel cannot read copies of its rows."""
    match kernel.domain:
        case ir.AllNodes(None) | ir.InWords():
            pass
        case ir.Listed(array) if array.extent is not ir.Extent.ITEMS:
            pass
        case ir.AllArcs(None) if kernel.filter is None and kernel.iterator not in assigned_variables(kernel.body):
            pass
        case _:
            return "it goes neither over nodes, each once, nor over all arcs"
    if (read := _read(kernel)) is None:
        return "it reads arcs of other nodes than its own"
    if not on_host.issuperset(array for ways in read.values() for array in ways):
        return "it reads cells of arcs that change"
    if any(array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS) for array in written_arrays(kernel.body)):
        return "it writes cells of arcs"
    return "its threads share arcs" if kernel.shares_arcs or kernel.guard is not None else None


def _read(kernel: ir.Kernel) -> Mapping[ir.Layout, Mapping[ir.Array, ir.Array | None]] | None:
    """What the kernel reads in the rows of its nodes, or of its arcs, which stand as in CSR."""
    if not isinstance(kernel.domain, ir.AllArcs):
        return own_arcs.accesses_in_rows(kernel)
    ways = own_arcs.accesses(kernel)
    return None if ways is None else {ir.CSR: ways}


class _InChunks(ModuleRewriter):
    """Launches kernels for chunks of their nodes."""

    def __init__(self, module: ir.Module, kernels: list[ir.Kernel]) -> None:
        super().__init__(module)
        fresh = self.taken.fresh
        self.first, self.end, self.first_arc, self.end_arc = (
            ir.Variable(fresh(f"{word}_of_chunk"), element)
            for words, element in ((("first", "end"), ir.Element.NODE), (("first_arc", "end_arc"), ir.Element.ARC))
            for word in words
        )
        self.wanted = self.made("rows_wanted", ir.Element.BOOL, ir.Extent.NODES)
        self.rows = {layout: self.copies_of(layout) for layout in ir.LAYOUTS.values()}
        self.cells: dict[tuple[ir.Layout, ir.Array], ir.Array] = {}
        self.changed = {kernel.name: self.in_chunks(kernel) for kernel in kernels}

    def copies_of(self, layout: ir.Layout) -> ir.Layout:
        rows = self.made(f"{layout.offsets.name}_of_chunk", ir.Element.ARC, ir.Extent.NODES_AND_ONE)
        return ir.Layout(rows, self.made(f"{layout.neighbors.name}_of_chunk", ir.Element.NODE, ir.Extent.HEADS))

    def made(self, name: str, element: ir.Element, extent: ir.Extent) -> ir.Array:
        return self.taken.array(name, element, extent)

    def in_chunks(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel for the nodes of a chunk, and beside it the one that asks which nodes it is for."""
        if isinstance(kernel.domain, ir.AllArcs):
            return self.arcs_in_chunks(kernel)
        read = own_arcs.accesses_in_rows(kernel)
        assert read is not None
        rows = {layout: self.copied(layout, ways) for layout, ways in read.items()}
        body = _OfRows(kernel, rows).kernel_block(kernel.body)
        asking, everywhere = None, kernel.filter is None and isinstance(kernel.domain, ir.AllNodes)
        if not everywhere:
            asking = self.taken.fresh(f"{kernel.name}_wants")
            says = ir.Store(self.wanted, kernel.own, build.TRUE)
            named = replace(kernel, name=asking, comment=f"whose rows '{kernel.name}' wants")
            self.kernels.append(with_signature(replace(named, body=(says,), reductions=(), counts=None)))
        chunks = ir.Chunks(asking, self.wanted, tuple(rows.values()), self.first, self.end)
        domain = ir.AllNodes(ir.Ref(self.first), ir.Ref(self.end))
        chosen = None if everywhere else ir.Load(self.wanted, kernel.own)
        return with_signature(replace(kernel, domain=domain, filter=chosen, body=body, chunks=chunks))

    def arcs_in_chunks(self, kernel: ir.Kernel) -> ir.Kernel:
        ways = own_arcs.accesses(kernel)
        assert ways is not None
        cells, place = self.cells_of(ir.CSR, ways), build.minus(kernel.own, ir.Ref(self.first_arc))
        body = _OfArcs({array: ir.Load(copy, place) for array, copy, _ in cells}).kernel_block(kernel.body)
        chunks = ir.ChunksOfArcs(cells, self.first_arc, self.end_arc)
        domain = ir.AllArcs(ir.Ref(self.first_arc), ir.Ref(self.end_arc))
        return with_signature(replace(kernel, domain=domain, body=body, chunks=chunks))

    def copied(self, layout: ir.Layout, ways: Mapping[ir.Array, ir.Array | None]) -> ir.CopiedRows:
        return ir.CopiedRows(layout.offsets, self.rows[layout], self.cells_of(layout, ways))

    def cells_of(self, layout: ir.Layout, ways: Mapping[ir.Array, ir.Array | None]) -> ir.CopiedCells:
        return tuple((array, self.copy_of(layout, array), by) for array, by in ways.items())

    def copy_of(self, layout: ir.Layout, array: ir.Array) -> ir.Array:
        if array == layout.neighbors:
            return self.rows[layout].neighbors
        if (layout, array) not in self.cells:
            self.cells[layout, array] = self.made(f"{array.name}_of_chunk", array.element, ir.Extent.HEADS)
        return self.cells[layout, array]

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        names = {op.kernel for op in walk_host(function.body) if isinstance(op, ir.Launch)}
        launched = [kernel for name, kernel in self.changed.items() if name in names]
        if not launched:
            return function
        ours = {self.wanted, *self.cells.values(), *(a for rows in self.rows.values() for a in rows.row_arrays)}
        arrays = dict.fromkeys(array for kernel in launched for array in kernel.arrays if array in ours)
        bounds = dict.fromkeys(bound for kernel in launched for bound in _bounds(kernel))
        declared = (ir.DeclareVariable(bound, ir.Const(0, bound.element)) for bound in bounds)
        return replace(function, arrays=(*function.arrays, *arrays), body=(*declared, *function.body))


def _bounds(kernel: ir.Kernel) -> tuple[ir.Variable, ir.Variable]:
    assert kernel.chunks is not None
    return kernel.chunks.first, kernel.chunks.end


class _OfArcs(Rewriter):
    """Reads copies of what is read of an arc."""

    def __init__(self, copies: Mapping[ir.Array, ir.Load]) -> None:
        self.copies = copies

    def expression(self, expression: ir.Expression) -> ir.Expression:
        copy = self.copies.get(expression.array) if isinstance(expression, ir.Load) else None
        return self.rebuild(expression) if copy is None else copy


class _OfRows(Rewriter):
    """Reads copies of rows; what else is said of a slot is said of the slot on the host."""

    def __init__(self, kernel: ir.Kernel, rows: Mapping[ir.Layout, ir.CopiedRows]) -> None:
        walks = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
        self.walks, self.rows, self.lets = {ir.Ref(op.position): op for op in walks}, rows, own_arcs.lets_of(kernel)

    def kernel_op(self, op: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
        if not isinstance(op, ir.ForNeighbors):
            return (self.rebuild(op),)
        return (replace(self.rebuild(op), copied=self.rows[op.layout].copies),)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Load) and expression.array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS):
            slot = own_arcs.resolved(expression.index, self.lets)
            if isinstance(slot, ir.Load):
                slot = slot.index
            assert isinstance(slot, ir.Ref)
            cells = self.rows[self.walks[slot].layout].cells
            return ir.Load(next(copy for array, copy, _ in cells if array == expression.array), slot)
        if isinstance(expression, ir.Ref) and (walk := self.walks.get(expression)) is not None:
            copies = self.rows[walk.layout].copies
            return build.plus(expression, build.minus(walk.layout.first(walk.node), copies.first(walk.node)))
        return self.rebuild(expression)
