"""Which indices are surely inside an array, so that nothing needs to be checked when they are used.

Knows only what the form itself promises: iterators, neighbors and positions, what the graph's arrays hold, and locals
that are set once to such a value.
"""

from __future__ import annotations

from starplat.ir.nodes import (
    COLUMNS,
    IN_ARCS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    SOURCES,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Const,
    Element,
    Expression,
    Extent,
    ForRange,
    Load,
    NumArcs,
    NumNodes,
    Ref,
    Variable,
)

_CONTENTS: dict[Array, Extent] = {
    COLUMNS: Extent.NODES,
    SOURCES: Extent.NODES,
    IN_COLUMNS: Extent.NODES,
    IN_ARCS: Extent.ARCS,
}


class Bounds:
    """What is known of the variables of one kernel; `changing` are those that are set more than once."""

    def __init__(self, changing: frozenset[Variable] = frozenset()) -> None:
        self._changing = changing
        self._known: dict[str, Extent] = {}

    def learn(self, variable: Variable, extent: Extent | None) -> None:
        """The variable indexes any array of that extent (NODES or ARCS)."""
        if extent is not None and variable not in self._changing:
            self._known[variable.name] = extent

    def learn_value(self, variable: Variable, value: Expression) -> None:
        """The variable has that value for good."""
        self.learn(variable, self.domain(value))

    def learn_range(self, loop: ForRange) -> None:
        """The variable runs from `first` up to `end`."""
        match loop.first, loop.end:
            case Const(first), NumNodes() if first >= 0:
                self.learn(loop.variable, Extent.NODES)
            case Const(first), NumArcs() if first >= 0:
                self.learn(loop.variable, Extent.ARCS)
            case Load(lower), Load(upper) if {lower, upper} <= {ROW_OFFSETS, IN_ROW_OFFSETS}:
                self.learn(loop.variable, Extent.ARCS)

    def domain(self, index: Expression) -> Extent | None:
        """NODES if the value is surely a node, ARCS if surely an arc."""
        match index:
            case Ref(variable):
                return self._known.get(variable.name)
            case Load(array):
                return _CONTENTS.get(array)
            case Cast(operand, Element.INT | Element.LONG | Element.NODE | Element.ARC as element):
                domain = self.domain(operand)
                wide = domain is Extent.NODES or element in (Element.LONG, Element.ARC)
                return domain if wide and operand.element.is_integer else None
            case _:
                return None

    def is_natural(self, value: Expression) -> bool:
        """Whether the value is surely not negative: the difference of two such values needs no wrapping around."""
        match value:
            case Const(number):
                return number >= 0
            case NumNodes() | NumArcs():
                return True
            case Load(array) if array in (ROW_OFFSETS, IN_ROW_OFFSETS):
                return True
            case _:
                return self.domain(value) is not None

    def inside(self, index: Expression, extent: Extent) -> bool:
        """Whether the index is surely inside an array of that extent."""
        match extent, index:
            case Extent.ONE | Extent.NODES_AND_ONE, Const(0):
                return True
            case Extent.NODES_AND_ONE, Binary(BinaryOperator.ADD, left, Const(1)):
                return self.domain(left) is Extent.NODES
            case Extent.BITS, Binary(BinaryOperator.DIVIDE, left, Const(32)):
                return self.domain(left) is Extent.NODES
            case Extent.NODES_AND_ONE, _:
                return self.domain(index) is Extent.NODES
            case _:
                return self.domain(index) is extent
