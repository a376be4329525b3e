"""Capabilities of a target, as data.

Legalisation and schedules ask here; nothing in this file knows what a target is called or how it spells anything.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir

BITS = {
    ir.Element.BOOL: 8,
    ir.Element.INT: 32,
    ir.Element.NODE: 32,
    ir.Element.FLOAT: 32,
    ir.Element.LONG: 64,
    ir.Element.DOUBLE: 64,
    ir.Element.ARC: 64,
}
"""The width of a cell; of an ARC the wider of the two that it may have."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What kernels may rely on.

    Attributes:
        atomics: the updates of one cell in global memory that the target has as one operation.
        swap_bits: the widths of cells that can be compared and swapped in one operation.
        grid_barrier: whether all threads of a launch can.
        clusters: whether some groups of a launch have a barrier of their own, and reach each other's memory.
        peers: whether launches on several devices of a host wait for each other, and reach each other's memory.
        group_loops: whether a launch of one group can hold a loop of the host, in which its threads wait for each
            other; under structured loops the group is one thread.
        double: whether there are 64-bit reals.
        wide_arcs: whether graphs may have so many arcs that their numbers take 64 bits.
        shared_arcs: whether threads of a sub-group can share the arcs of its nodes out among them, and sets of nodes
            can be kept as bits with a list.
        group_rows: whether threads of a group can share the arcs of their nodes through the group's memory.
        group_maps: whether threads of a group can change the group's memory at once, to count keys in maps that they
            share or to take bits that others take too.
        group_tables: whether threads of a group can look nodes up in tables in the group's memory.
        quick_groups: whether a group barrier is cheap, so that it is worth it.
        lockstep: whether threads next to each other do the same at the same time, and wait where they do not.
        structured_loops: whether a kernel is a loop that the target shares out and whose reductions it combines
            itself, rather than the code of one thread.
        batches: whether the host can ask for launches ahead, of which each finds what those before it have done, and
            what comes of a kernel's reductions can stay on the device.
        late_words: whether a readback is so much slower than a launch that this is worth it.
        compiled_loops: whether kernels are functions of the host, so that its loops can be compiled with them.
        own_cells: whether each thread of a kernel can have arrays for itself, with a cell for each node.
        gathers: whether each thread of a kernel can gather what it adds to a list, and add much of it at once.
        rows_with_room: whether rows may have room behind their arcs.
        inner_loops: whether threads can share a loop inside an iteration of such a loop.
        mapped_memory: whether kernels can read page-locked memory of the host.
        managed_memory: whether the driver moves pages of memory between the host and the device.
        emitted_chunks: whether emitted programs can copy rows to the device for each launch.
    """

    atomics: frozenset[tuple[ir.Combine, ir.Element]]
    swap_bits: frozenset[int]
    grid_barrier: bool = False
    clusters: bool = False
    peers: bool = False
    group_loops: bool = False
    double: bool = True
    wide_arcs: bool = True
    shared_arcs: bool = False
    group_rows: bool = False
    group_maps: bool = False
    group_tables: bool = False
    quick_groups: bool = False
    lockstep: bool = True
    structured_loops: bool = False
    compiled_loops: bool = False
    own_cells: bool = False
    gathers: bool = False
    rows_with_room: bool = False
    inner_loops: bool = False
    batches: bool = False
    late_words: bool = False
    mapped_memory: bool = False
    managed_memory: bool = False
    emitted_chunks: bool = False

    def has_atomic(self, combine: ir.Combine, element: ir.Element) -> bool:
        """Whether `cell = cell combine value` is one operation of the target; for an ARC in both of its widths."""
        return all((combine, as_machine) in self.atomics for as_machine in self._machine_elements(element))

    def has_compare_and_swap(self, element: ir.Element) -> bool:
        """Whether a cell of this element can be compared and swapped."""
        return all(BITS[as_machine] in self.swap_bits for as_machine in self._machine_elements(element))

    def _machine_elements(self, element: ir.Element) -> tuple[ir.Element, ...]:
        return (ir.Element.INT,) if element is ir.Element.ARC and not self.wide_arcs else machine_elements(element)


INTERPRETER = Capabilities(
    atomics=frozenset((combine, element) for combine in ir.Combine for element in ir.Element),
    swap_bits=frozenset(BITS.values()),
    grid_barrier=True,
    clusters=True,
    group_loops=True,
    batches=True,
    mapped_memory=True,
    rows_with_room=True,
)
"""The interpreter's capabilities: iterations run one after the other, so that nothing interferes or has to wait."""


def machine_elements(element: ir.Element) -> tuple[ir.Element, ...]:
    """The machine type of a cell: a NODE is an INT, an ARC an INT or a LONG."""
    match element:
        case ir.Element.NODE:
            return (ir.Element.INT,)
        case ir.Element.ARC:
            return (ir.Element.INT, ir.Element.LONG)
    return (element,)
