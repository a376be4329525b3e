"""Layouts: how the arcs of nodes lie in memory, and the expressions that find them there."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes.sizes import Extent
from starplat.ir.nodes.values import (
    ARCS_BY_DEGREE,
    COLUMNS,
    COLUMNS_BY_DEGREE,
    IN_ARCS,
    IN_ARCS_BY_DEGREE,
    IN_COLUMNS,
    IN_COLUMNS_BY_DEGREE,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    Array,
    Binary,
    BinaryOperator,
    Const,
    Element,
    Expression,
    Load,
)


@dataclass(frozen=True, slots=True)
class Layout:
    """A row of slots for every node, and in every slot one of its arcs.

    Attributes:
        offsets: the row of v begins at slot offsets[v] and ends before slot offsets[v + 1].
        neighbors: by slot, the node at the other end; ascending within a row, unless the layout is by degree.
        arcs: by slot, the arc's id, by which edge properties are indexed; None where slots are the ids.
    """

    offsets: Array
    neighbors: Array
    arcs: Array | None = None

    @property
    def row_arrays(self) -> tuple[Array, Array]:
        """What a walk over a node's neighbors reads."""
        return self.offsets, self.neighbors

    @property
    def slots(self) -> Extent:
        """The index space of slots, which is that of arcs only where a slot is the arc's id."""
        return self.neighbors.extent

    def first(self, node: Expression) -> Load:
        """The first slot of a node."""
        return Load(self.offsets, node)

    def end(self, node: Expression) -> Load:
        """The slot after a node's last one."""
        return Load(self.offsets, Binary(BinaryOperator.ADD, node, Const(1, Element.NODE), Element.NODE))

    def degree(self, node: Expression) -> Binary:
        """How many arcs the row of a node has."""
        return Binary(BinaryOperator.SUBTRACT, self.end(node), self.first(node), Element.ARC)

    def neighbor(self, slot: Expression) -> Load:
        """The node at the other end of the arc in a slot."""
        return Load(self.neighbors, slot)

    def arc_id(self, slot: Expression) -> Expression:
        """The id of the arc in a slot."""
        return slot if self.arcs is None else Load(self.arcs, slot)


CSR = Layout(ROW_OFFSETS, COLUMNS)
"""The arcs that leave a node."""

REVERSE = Layout(IN_ROW_OFFSETS, IN_COLUMNS, IN_ARCS)
"""The arcs that enter a node."""

BY_DEGREE = Layout(ROW_OFFSETS, COLUMNS_BY_DEGREE, ARCS_BY_DEGREE)
"""The arcs that leave a node, those to neighbors of high degree first."""

REVERSE_BY_DEGREE = Layout(IN_ROW_OFFSETS, IN_COLUMNS_BY_DEGREE, IN_ARCS_BY_DEGREE)
"""The arcs that enter a node, those from neighbors of high degree first."""

LAYOUTS = {layout.offsets: layout for layout in (CSR, REVERSE)}
"""The layouts whose rows ascend, by their offsets."""
