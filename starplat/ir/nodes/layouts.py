"""Layouts: how the arcs of nodes lie in memory, and the expressions that find them there."""

from dataclasses import dataclass, replace

from starplat.ir.nodes import values
from starplat.ir.nodes.sizes import Extent
from starplat.ir.nodes.values import Array, Binary, BinaryOperator, Cast, Const, Element, Expression, Load, Select


@dataclass(frozen=True, slots=True)
class Layout:
    """A row of slots for every node, and in every slot one of its arcs.

    Attributes:
        offsets: the row of v begins at slot offsets[v] and ends before slot offsets[v + 1].
        neighbors: by slot, the node at the other end; ascending within a row, unless the layout is by degree.
        arcs: by slot, the arc's id, by which edge properties are indexed; None where slots are the ids.
        ahead: how many rows lie before that of node 0, where there are several for each node.
        heads: copies of the neighbors in the first slots of every row, and where those of a row begin.
    """

    offsets: Array
    neighbors: Array
    arcs: Array | None = None
    ahead: Expression | None = None
    heads: "Heads | None" = None

    def row(self, node: Expression) -> Expression:
        """The number of a node's row."""
        if self.ahead is None:
            return node
        return Binary(BinaryOperator.ADD, self.ahead, Cast(node, Element.LONG), Element.LONG)

    @property
    def row_arrays(self) -> tuple[Array, ...]:
        """What a walk over a node's neighbors reads."""
        heads = () if self.heads is None else (self.heads.offsets, self.heads.neighbors)
        return (self.offsets, self.neighbors, *heads)

    @property
    def slots(self) -> Extent:
        """The index space of slots, which is that of arcs only where a slot is the arc's id."""
        return self.neighbors.extent

    def first(self, node: Expression) -> Load:
        return Load(self.offsets, self.row(node))

    def end(self, node: Expression) -> Load:
        """The slot after a node's last one."""
        row, element = self.row(node), Element.NODE if self.ahead is None else Element.LONG
        return Load(self.offsets, Binary(BinaryOperator.ADD, row, Const(1, element), element))

    def degree(self, node: Expression) -> Binary:
        """How many arcs the row of a node has."""
        return Binary(BinaryOperator.SUBTRACT, self.end(node), self.first(node), Element.ARC)

    def neighbor(self, slot: Expression) -> Load:
        """The node at the other end of the arc in a slot."""
        return Load(self.neighbors, slot)

    def neighbor_of(self, node: Expression, slot: Expression) -> Expression:
        if self.heads is None:
            return self.neighbor(slot)
        return self.at_head(node, slot, self.heads.neighbors, self.neighbor(slot))

    def at_head(self, node: Expression, slot: Expression, copies: Array, otherwise: Expression) -> Expression:
        """What `copies` of the heads of rows hold for a slot in the row of a node, `otherwise` what it is elsewhere."""
        assert self.heads is not None
        place = Binary(BinaryOperator.SUBTRACT, slot, self.first(node), Element.ARC)
        return self.heads.cell(node, place, copies, otherwise)

    def arc_id(self, slot: Expression) -> Expression:
        return slot if self.arcs is None else Load(self.arcs, slot)


@dataclass(frozen=True, slots=True)
class Heads:
    """Copies of the neighbors in the first slots of every row."""

    offsets: Array
    neighbors: Array

    def cell(self, node: Expression, place: Expression, copies: Array, otherwise: Expression) -> Expression:
        """What `copies` hold for a place in the row of a node, `otherwise` what is there beyond the head."""
        begin = Load(self.offsets, node)
        end = Load(self.offsets, Binary(BinaryOperator.ADD, node, Const(1, Element.NODE), Element.NODE))
        size = Cast(Binary(BinaryOperator.SUBTRACT, end, begin, Element.INT), Element.ARC)
        copy = Load(copies, Binary(BinaryOperator.ADD, begin, Cast(place, Element.INT), Element.INT))
        return Select(Binary(BinaryOperator.LESS, place, size, Element.BOOL), copy, otherwise)


CSR = Layout(values.ROW_OFFSETS, values.COLUMNS)
"""The arcs that leave a node."""

REVERSE = Layout(values.IN_ROW_OFFSETS, values.IN_COLUMNS, values.IN_ARCS)
"""The arcs that enter a node."""

BY_DEGREE = Layout(values.ROW_OFFSETS, values.COLUMNS_BY_DEGREE, values.ARCS_BY_DEGREE)
"""The arcs that leave a node, those to neighbors of high degree first."""

REVERSE_BY_DEGREE = Layout(values.IN_ROW_OFFSETS, values.IN_COLUMNS_BY_DEGREE, values.IN_ARCS_BY_DEGREE)
"""The arcs that enter a node, those from neighbors of high degree first."""

KEPT = Layout(*values.KEPT_ARRAYS)
"""The arcs of a node that pass a test; slots do not lead to arcs."""


def in_parts(layout: Layout, parts: int, ahead: Expression) -> Layout:
    """The rows of CSR or REVERSE cut by neighbors: those to the first n / parts nodes, rounded up, of all rows, then
    those to as many following nodes, and so on. Every part has a row for each node; `ahead` is n times the number of
    parts before this one. Slots do not lead to arcs."""
    return Layout(*values.PART_ARRAYS[parts, "" if layout is CSR else "in_"], ahead=ahead)


def with_heads(layout: Layout) -> Layout:
    """CSR or REVERSE with copies of the neighbors in the first slots of every row."""
    return replace(layout, heads=_HEADS[layout])


_HEADS = {
    CSR: Heads(values.HEAD_OFFSETS, values.HEAD_COLUMNS),
    REVERSE: Heads(values.IN_HEAD_OFFSETS, values.IN_HEAD_COLUMNS),
}

LAYOUTS = {layout.offsets: layout for layout in (CSR, REVERSE)}
"""The layouts whose rows ascend, by their offsets."""

ENDS = {CSR: values.ROW_ENDS, REVERSE: values.IN_ROW_ENDS}
"""Where rows with room would end if their arcs lay one behind the other. A slot without an arc holds ~node, of any node
to which an arc there might lead."""
