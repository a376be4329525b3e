"""The cells that threads of a launch touch: whether a barrier is needed between two operations.

Two operations may run without a wait in between if every cell that one of them writes and the other touches is touched
by one and the same thread in both. That holds where both go over the same range and touch only the cell of the
iteration in hand: an access has the `range` that its index runs over, or None where it may be any cell.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir, shared_cells, visitor
from starplat.ir.harmless_writes import Number, asked_in, goes_unnoticed, lowered_in
from starplat.ir.shapes.collecting import collecting
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.rows_of_arcs import flags_asked
from starplat.ir.shapes.searching import asking, searching

_RANGES = {ir.Extent.NODES: "nodes", ir.Extent.ARCS: "arcs"}

LOOKED_AT, WALKED, TAKEN = "size", "members", "taken"
"""The size of a set is read; its members are walked; or they are removed, which leaves its size and its list alone."""


Own = tuple[ir.Variable | None, str]
"""The variable that is an iteration's own index, if any, and the range that it runs over."""


@dataclass(frozen=True, slots=True)
class Access:
    """Cells of an array that are read or written: those of a `range`, each by the thread that has it, or any.

    Attributes:
        lacking: the set of which the list must lack some members, or else the cells are not touched at all.
        lowered: what cells that are written become, if they held more before.
        asked: what is asked of cells that are read, whether they hold one of these, if it is no more.
    """

    array: ir.Array
    writes: bool
    range: str | None
    lacking: ir.Array | None = None
    lowered: Number | None = None
    asked: frozenset[Number] | None = None

    def disturbs(self, other: "Access", listed: ir.Array | None = None) -> bool:
        """Whether one of the two must wait for the other; in case all members of the set `listed` are in its list."""
        if self.array != other.array or not (self.writes or other.writes):
            return False
        ranges = {self.range, other.range}
        if ranges == {LOOKED_AT, TAKEN}:
            return False
        if ranges == {WALKED, TAKEN} and (self.array == listed or self.array.packed is ir.Packing.LIST):
            return False
        if listed is not None and listed in (self.lacking, other.lacking):
            return False
        if _unnoticed(self, other) or _unnoticed(other, self):
            return False
        return self.range != other.range or self.range not in _RANGES.values()

    def in_terms_of(self, variables: frozenset[ir.Variable]) -> "Access":
        """The same with no more said of cells than these variables and constants can say."""
        numbers = (*(self.asked or ()), *((self.lowered,) if self.lowered else ()))
        fits = all(variable is None or variable in variables for variable, _ in numbers)
        return self if fits else replace(self, lowered=None, asked=None)


def _unnoticed(write: Access, read: Access) -> bool:
    if write.lowered is None or read.asked is None:
        return False
    return goes_unnoticed(write.lowered, read.asked)


def accesses(op: ir.HostOp, module: ir.Module) -> frozenset[Access]:
    """The accesses of one operation, without nested ones, to the program's arrays."""
    match op:
        case ir.Fill(array):
            return frozenset({Access(array, True, None if array.packed else _RANGES.get(array.extent))})
        case ir.CopyArray(destination, source):
            place = _RANGES.get(source.extent)
            return frozenset({Access(destination, True, place), Access(source, False, place)})
        case ir.ReadEmpty(_, flags) | ir.ReadSize(_, flags):
            return frozenset({Access(flags, False, LOOKED_AT if flags.packed else None)})
        case ir.ListMembers(flags, array):
            return frozenset({Access(flags, False, WALKED), Access(array, True, None)})
        case ir.ReadCell(_, array, _):
            return frozenset({Access(array, False, None)})
        case ir.WriteCell(array, _, _):
            return frozenset({Access(array, True, None)})
        case ir.Launch(kernel):
            return kernel_accesses(module.kernel(kernel))
    return frozenset()


def kernel_accesses(kernel: ir.Kernel) -> frozenset[Access]:
    """The accesses of a launch of the kernel to the program's arrays."""
    lowered, asked = lowered_in(kernel), asked_in(kernel)
    return frozenset(
        replace(access, lowered=lowered.get(access.array))
        if access.writes
        else replace(access, asked=asked.get(access.array))
        for access in _kernel_accesses(kernel)
    )


def _kernel_accesses(kernel: ir.Kernel) -> Iterator[Access]:
    own: Own = (None, "")
    members = membership(kernel)
    match kernel.domain:
        case ir.AllNodes(first=None) if members is None and not kernel.shares_arcs:
            own = (kernel.iterator, "nodes")  # else a node belongs to other threads than where all go over all
        # else all threads of a group have an arc with a long row, or a thread has several that follow each other
        case ir.AllArcs() if not kernel.shares_arcs and flags_asked(kernel) is None:
            own = (kernel.iterator, "arcs")
        case ir.Listed(array):  # a thread has a place of the list, not a node
            yield Access(array, False, None)
            yield from _reads(visitor.expressions_of(kernel.domain), own)
        case ir.InWords(array):  # a thread has a bit of the listed words, not a node
            yield Access(array, False, None)
        case ir.Triangles(kept, sizes):
            yield from (Access(kept, False, None), Access(sizes, False, None))
    if kernel.guard is not None:
        yield Access(kernel.guard, False, None)
    keep = kernel.filter if members is None else members.keep
    if members is not None:
        yield Access(members.members, False, WALKED)
    if keep is not None:
        yield from _reads((keep,), own)
    if members is not None and members.takes:
        yield Access(members.members, True, TAKEN)
        kernel = replace(kernel, filter=keep, body=members.body)
    if not kernel.shares_arcs:
        yield from _body(kernel.body, own)
        return
    if any(shape(kernel) is not None for shape in (gathering, searching, collecting, asking)):
        yield from _body(kernel.body, (None, ""))
        return
    yield from _body(kernel.body[:-1], own)
    yield from _body(kernel.body[-1:], (None, ""))


def _body(ops: Iterable[ir.KernelOp], own: Own) -> Iterator[Access]:
    for op in ops:
        yield from _reads(visitor.expressions_of(op), own)
        for array, index in shared_cells.cells_written(op):
            yield Access(array, True, _place(array, index, own))
        for block in visitor.blocks_of(op):
            yield from _body(block, own)


def _reads(expressions: Iterable[ir.Expression], own: Own) -> Iterator[Access]:
    for whole in expressions:
        for part in visitor.walk_expression(whole):
            if isinstance(part, ir.Load) and part.array not in ir.GRAPH_ARRAYS:
                yield Access(part.array, False, _place(part.array, part.index, own))
            elif isinstance(part, ir.CallFunction):
                for argument in part.arguments:
                    if isinstance(argument, ir.Array) and argument not in ir.GRAPH_ARRAYS:
                        yield Access(argument, False, None)
                        yield Access(argument, True, None)


def _place(array: ir.Array, index: ir.Expression, own: Own) -> str | None:
    iterator, name = own
    if array.packed:
        return None  # neighbors share a word
    fits = iterator is not None and index == ir.Ref(iterator) and _RANGES.get(array.extent) == name
    return name if fits else None
