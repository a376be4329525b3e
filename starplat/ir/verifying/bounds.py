"""Finds indices that are surely inside an array, so that they need no check.

Knows only what the form itself promises: iterators, neighbors and positions, what the graph's arrays hold, and locals
that are set once to such a value.
"""

from starplat.ir import nodes as ir

_LAYOUTS = (*ir.LAYOUTS.values(), ir.BY_DEGREE, ir.REVERSE_BY_DEGREE)

_CONTENTS: dict[ir.Array, ir.Extent] = {
    ir.SOURCES: ir.Extent.NODES,
    **{layout.neighbors: ir.Extent.NODES for layout in _LAYOUTS},
    ir.HEAD_COLUMNS: ir.Extent.NODES,
    ir.IN_HEAD_COLUMNS: ir.Extent.NODES,
    **{columns: ir.Extent.NODES for _, columns in (*ir.PART_ARRAYS.values(), ir.KEPT_ARRAYS)},
    **{layout.arcs: ir.Extent.ARCS for layout in _LAYOUTS if layout.arcs is not None},
}


class Bounds:
    """What is known of the variables of one kernel; `changing` are those that are set more than once."""

    def __init__(self, changing: frozenset[ir.Variable] = frozenset()) -> None:
        self._changing = changing
        self._known: dict[str, ir.Extent] = {}

    def learn(self, variable: ir.Variable, extent: ir.Extent | None) -> None:
        """The variable indexes any array of that extent (NODES, ARCS or SLOTS)."""
        if extent is not None and variable not in self._changing:
            self._known[variable.name] = extent

    def learn_value(self, variable: ir.Variable, value: ir.Expression) -> None:
        """The variable has that value for good."""
        self.learn(variable, self.domain(value))

    def learn_range(self, loop: ir.ForRange) -> None:
        """The variable runs from `first` up to `end`."""
        match loop.first, loop.end:
            case ir.Const(first), ir.NumNodes() if first >= 0:
                self.learn(loop.variable, ir.Extent.NODES)
            case ir.Const(first), ir.NumArcs() if first >= 0:
                self.learn(loop.variable, ir.Extent.ARCS)
            case ir.Load(lower), ir.Load(upper) if lower == upper and lower in ir.LAYOUTS:
                self.learn(loop.variable, ir.LAYOUTS[lower].slots)

    def domain(self, index: ir.Expression) -> ir.Extent | None:
        """NODES if the value is surely a node, ARCS if surely an arc's id, SLOTS if surely a slot of another layout."""
        match index:
            case ir.Ref(variable):
                return self._known.get(variable.name)
            case ir.Load(array):
                return _CONTENTS.get(array)
            case ir.Cast(operand, ir.Element.INT | ir.Element.LONG | ir.Element.NODE | ir.Element.ARC as element):
                domain = self.domain(operand)
                wide = domain is ir.Extent.NODES or element in (ir.Element.LONG, ir.Element.ARC)
                return domain if wide and operand.element.is_integer else None
        return None

    def is_natural(self, value: ir.Expression) -> bool:
        """Whether the value is surely not negative: the difference of two such values needs no wrapping around."""
        match value:
            case ir.Const(number):
                return number >= 0
            case ir.NumNodes() | ir.NumArcs():
                return True
            case ir.Load(array) if array in ir.LAYOUTS:
                return True
        return self.domain(value) is not None

    def inside(self, index: ir.Expression, extent: ir.Extent) -> bool:
        """Whether the index is surely inside an array of that extent."""
        match extent, index:
            case ir.Extent.ONE | ir.Extent.NODES_AND_ONE, ir.Const(0):
                return True
            case ir.Extent.NODES_AND_ONE, ir.Binary(ir.BinaryOperator.ADD, left, ir.Const(1)):
                return self.domain(left) is ir.Extent.NODES
            case ir.Extent.BITS, ir.Binary(ir.BinaryOperator.DIVIDE, left, ir.Const(32)):
                return self.domain(left) is ir.Extent.NODES
            case ir.Extent.NODES_AND_ONE, _:
                return self.domain(index) is ir.Extent.NODES
        return self.domain(index) is extent
