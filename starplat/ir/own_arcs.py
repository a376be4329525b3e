"""Finds which arrays of arcs a kernel reads along the rows of its own nodes."""

from collections.abc import Iterator, Mapping

from starplat.ir import nodes as ir, points, visitor


def arrays_of_arcs(kernel: ir.Kernel) -> Iterator[ir.Array]:
    """The arrays with a cell for each arc that the kernel reads and does not write."""
    written = visitor.written_arrays(kernel.body)
    for array in kernel.arrays:
        of_arcs = array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS, ir.Extent.HEADS)
        if of_arcs and not array.is_set and array not in written:
            yield array


def accesses(kernel: ir.Kernel) -> Mapping[ir.Array, ir.Array | None] | None:
    """The arrays of arcs that a kernel reads, each with the one that holds the index by slot, None where the slot is
    the index; None in all where it reads some at other places than the arcs of its own nodes."""
    walked = points.arcs_walked(kernel)
    slot: ir.Variable | None
    found: dict[ir.Array, ir.Array | None] = {}
    match walked:
        case ir.ForNeighbors(parts=1) | ir.NodeNeighbors():
            slot = walked.position
            layout = walked.direction.layout
            if isinstance(walked, ir.ForNeighbors) and walked.by_degree:
                return None
            found[layout.neighbors] = None
            if heads_of(walked) is not None:
                found |= dict.fromkeys(array for array in kernel.arrays if array.extent is ir.Extent.HEADS)
        case None if isinstance(kernel.domain, ir.AllArcs):
            slot, layout = kernel.iterator, ir.CSR
        case _:
            return None
    if any(isinstance(op, ir.ForNeighbors) and op is not walked for op in visitor.walk_kernel(kernel.body)):
        return None
    by_slot = _by_slot(kernel, {} if slot is None else {slot: layout})
    return None if by_slot is None else {**found, **by_slot.get(layout, {})}


def accesses_in_rows(kernel: ir.Kernel) -> Mapping[ir.Layout, Mapping[ir.Array, ir.Array | None]] | None:
    """The same of a kernel that may walk the rows of its own nodes several times, in CSR, in REVERSE or in both."""
    walks = [op for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
    if kernel.iterator is None or kernel.iterator in visitor.assigned_variables(kernel.body):
        return None
    own = kernel.own
    if any(op.node != own or op.layout != op.direction.layout for op in walks):
        return None
    by_slot = _by_slot(kernel, {op.position: op.layout for op in walks})
    found = {op.layout: {op.layout.neighbors: None} for op in walks}
    return None if by_slot is None else {layout: {**at, **by_slot.get(layout, {})} for layout, at in found.items()}


def _by_slot(
    kernel: ir.Kernel, slots: Mapping[ir.Variable, ir.Layout]
) -> dict[ir.Layout, dict[ir.Array, ir.Array | None]] | None:
    """What is read at these slots, by their layout; None if any array of arcs is read elsewhere."""
    found: dict[ir.Layout, dict[ir.Array, ir.Array | None]] = {}
    lets = lets_of(kernel)
    for part in (
        *visitor.all_expressions(kernel.body),
        *(() if kernel.filter is None else visitor.walk_expression(kernel.filter)),
    ):
        if isinstance(part, ir.Load) and part.array.extent in _OF_ARCS:
            match resolved(part.index, lets):
                case ir.Ref(variable) if variable in slots:
                    found.setdefault(slots[variable], {}).setdefault(part.array, None)
                case ir.Load(ids, ir.Ref(variable)) if variable in slots and ids == slots[variable].arcs:
                    found.setdefault(slots[variable], {})[part.array] = ids
                case _:
                    return None
        elif isinstance(part, ir.FindArc | ir.CallFunction) and any(
            a.extent in _OF_ARCS for a in visitor.arrays_in(part)
        ):
            return None  # a search in a row, or a function that may read any arc
    return found


def lets_of(kernel: ir.Kernel) -> Mapping[ir.Variable, ir.Expression]:
    """The values of the locals that keep their first one."""
    assigned = visitor.assigned_variables(kernel.body)
    declared = (op for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.Let))
    return {op.variable: op.value for op in declared if op.variable not in assigned}


_OF_ARCS = (ir.Extent.ARCS, ir.Extent.SLOTS)


def resolved(place: ir.Expression, lets: Mapping[ir.Variable, ir.Expression]) -> ir.Expression:
    """What a local stands for."""
    while isinstance(place, ir.Ref) and place.variable in lets:
        place = lets[place.variable]
    return place


def heads_of(walked: ir.ForNeighbors | ir.NodeNeighbors | None) -> ir.Heads | None:
    """Where a walk reads the heads of its rows, if they lie apart."""
    return walked.layout.heads if isinstance(walked, ir.ForNeighbors) else None
