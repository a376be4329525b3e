"""Tests whether a kernel only lets better labels of the same component win.

Takes a kernel and the array of labels, gives the `Summary` of it, or None; and answers what else loops over labels want
to know of a kernel.
"""

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.visitor import all_expressions, walk_kernel
from starplat.passes.labels.changes import Change, NotFollowed, Summary
from starplat.passes.labels.orders import Labels, all_of
from starplat.passes.labels.reader import Reader, written_by
from starplat.passes.labels.terms import Terms


def summary(kernel: ir.Kernel, labels: Labels) -> Summary | None:
    """The kernel's summary, or None if it may do anything else to labels."""
    try:
        reader = Reader(kernel, labels)
        reader.read()
    except NotFollowed:
        return None
    return reader.found if _is_sound(reader) else None


def flattens(found: Summary) -> bool:
    """Whether the kernel leaves every label its own label: it climbs from every node to a root, and leaves roots."""
    label, own, labels = found.labels.array, found.own, found.labels
    if label is None or own is None or any(change.node != own for change in found.changes):
        return False
    held = ir.Load(label, own)
    for change in found.changes:
        other = all_of((change.condition, build.differs(change.value, held)))
        if not labels.always(build.denied(other), (build.equal(own, held), *found.facts)):
            return False
    roots = [held, *(change.value for change in found.changes if change.condition == build.TRUE)]
    return any(
        labels.always(build.equal(ir.Load(label, root), root), found.facts)
        and labels.always(labels.reaches(root, held), found.facts)
        for root in roots
    )


def starts_as_itself(kernel: ir.Kernel, array: ir.Array) -> bool:
    """Whether the kernel gives every node its own number as its label, and no other."""
    return kernel.iterator is not None and stored_everywhere(kernel, array) == ir.Ref(kernel.iterator)


def sets_all(kernel: ir.Kernel, array: ir.Array, value: bool) -> bool:
    """Whether the kernel surely leaves this value in all cells of a flag per node."""
    return stored_everywhere(kernel, array) == ir.Const(value, ir.Element.BOOL)


def stored_everywhere(kernel: ir.Kernel, array: ir.Array) -> ir.Expression | None:
    """What the kernel stores in the cell of every node, once; None if it may do anything else to the array."""
    stores = [op for op in walk_kernel(kernel.body) if array in written_by(op)]
    lent = any(isinstance(e, ir.CallFunction) and array in e.arguments for e in all_expressions(kernel.body))
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is not None or lent or len(stores) != 1:
        return None
    match stores[0]:
        case ir.Store(_, ir.Ref(variable), value) if variable == kernel.iterator and _runs_first(
            kernel.body, stores[0]
        ):
            return value
        case _:
            return None


def clears_its_own(kernel: ir.Kernel, found: Summary, array: ir.Array) -> bool:
    """Whether every iteration makes its own flag False before it sets flags, and sets no other's."""
    if found.own is None or kernel.filter is not None:
        return False
    own = all(signal.node == found.own for signal in found.signals if signal.to == array)
    return own and _runs_first(kernel.body, ir.Store(array, found.own, build.FALSE))


def _runs_first(body: tuple[ir.KernelOp, ...], wanted: ir.KernelOp) -> bool:
    """Whether every iteration reaches the operation: only plain ones before it."""
    for op in body:
        if op == wanted:
            return True
        if not isinstance(op, ir.Let | ir.SetLocal | ir.Store):
            return False
    return False


def _is_sound(reader: Reader) -> bool:
    """Whether labels only get better, and only from inside the component."""
    found = reader.found
    for place, change in enumerate(found.changes):
        if not (reader.terms.is_member(change.node) and _is_from_inside(reader.terms, change)):
            return False
        if not change.wins:
            alone = found.own is not None and all(other.node == found.own for other in found.changes)
            assert found.labels.array is not None
            better = found.labels.reaches(change.value, ir.Load(found.labels.array, change.node))
            if not (alone and found.labels.always(better, (change.condition, *found.facts_before(place)))):
                return False
    return True


def _is_from_inside(terms: Terms, change: Change) -> bool:
    """Whether the new label is one of the component's."""
    return terms.is_value(change.value) or (change.value == terms.labels.best and terms.shows_best(change.condition))
